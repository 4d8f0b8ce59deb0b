"""Kafka's wire format and record formats: bytes to objects and back. Knows no broker, no clock, no socket.

`decode`, `encode`, `to_dict` and `from_dict` work by message name, for tools and tests. The hot path takes a
struct's class from its module and calls `DECODERS[version]` and `ENCODERS[version]` directly.
"""

from tidemark_protocol.by_name import decode, encode, from_dict, message_class, to_dict
from tidemark_protocol.wire import ZERO_UUID, WireError

__all__ = ["ZERO_UUID", "WireError", "decode", "encode", "from_dict", "message_class", "to_dict"]
