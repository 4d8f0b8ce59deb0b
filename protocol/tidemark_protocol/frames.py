"""Whole requests and responses as bytes, for clients: header and body, without the size before them."""

from __future__ import annotations

import importlib
from struct import pack
from typing import Any

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.wire import skip_tags


def encode_request(request: Any, version: int, correlation_id: int, client_id: str) -> bytearray:
    """Return a request with its header."""
    name = client_id.encode()
    out = bytearray(pack(">hhih", request.API_KEY, version, correlation_id, len(name)) + name)
    if version >= request.FLEXIBLE_FROM:
        out.append(0)
    request.ENCODERS[version](out, request)
    return out


def decode_response(request: Any, version: int, frame: bytes) -> Any:
    """Return the response to the request. Raises WireError or IndexError if the frame is none."""
    response = response_class(request)
    pos = 4
    if request.NAME == "ApiVersionsRequest":
        if int.from_bytes(frame[4:6], "big") == ErrorCode.UNSUPPORTED_VERSION:
            version = 0  # as KIP-511 has it
    elif version >= request.FLEXIBLE_FROM:
        pos = skip_tags(frame, pos, len(frame))
    message, _ = response.DECODERS[version](frame, pos, len(frame))
    return message


def response_class(request: Any) -> Any:
    """Return the response class of this request, which is in the same module."""
    name = request.NAME.removesuffix("Request") + "Response"
    return getattr(importlib.import_module(type(request).__module__), name)
