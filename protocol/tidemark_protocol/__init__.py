"""Kafka's wire format and record formats: converts bytes to objects and back, without a broker, clock or
socket.

`decode`, `encode`, `to_dict` and `from_dict` find a message by its name, for tools and tests. The hot path
imports the class of a message and calls `DECODERS[version]` and `ENCODERS[version]`.
"""

from tidemark_protocol.by_name import decode, encode, from_dict, message_class, to_dict
from tidemark_protocol.wire import ZERO_UUID, WireError

__all__ = ["ZERO_UUID", "WireError", "decode", "encode", "from_dict", "message_class", "to_dict"]
