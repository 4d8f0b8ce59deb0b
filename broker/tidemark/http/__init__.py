"""The HTTP server: /metrics, /livez, /readyz and /v1."""

from tidemark.http.server import CannotServeHttp, HttpServer
from tidemark.http.site import Site

__all__ = ["CannotServeHttp", "HttpServer", "Site"]
