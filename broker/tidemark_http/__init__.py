"""The HTTP server: /metrics, /livez, /readyz and /v1."""

from tidemark_http.server import CannotServeHttp, HttpServer, http_server

__all__ = ["CannotServeHttp", "HttpServer", "http_server"]
