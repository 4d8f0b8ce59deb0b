"""The broker's HTTP client: /metrics, /livez, /readyz."""

from tidemark.http.server import CannotServeHttp, HttpServer

__all__ = ["CannotServeHttp", "HttpServer"]
