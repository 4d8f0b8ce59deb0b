"""The broker's HTTP face: /metrics, /livez, /readyz."""

from tidemark.http.server import CannotServeHttp, HttpServer

__all__ = ["CannotServeHttp", "HttpServer"]
