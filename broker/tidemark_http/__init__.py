"""The HTTP server: /metrics, /livez, /readyz and /v1."""

from tidemark_http.server import CannotServeHttp, HttpServer
from tidemark_http.site import Site

__all__ = ["CannotServeHttp", "HttpServer", "Site"]
