"""Random ids. No other file uses randomness."""

from __future__ import annotations

import base64
import os
from typing import Protocol


class Ids(Protocol):
    def uuid_text(self) -> str:
        """Return a random version 4 UUID with dashes, as Java prints it."""

    def secret(self) -> str:
        """Return 128 random bits in hexadecimal digits."""

    def topic_id(self) -> bytes:
        """Return 16 random bytes that are not a reserved id, and whose base64 text begins with no dash.

        Kafka: Uuid.randomUuid.
        """


class RandomIds:
    __slots__ = ()

    def uuid_text(self) -> str:
        text = _version_4().hex()
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def secret(self) -> str:
        return os.urandom(16).hex()

    def topic_id(self) -> bytes:
        while True:
            drawn = _version_4()
            if not base64.urlsafe_b64encode(drawn).startswith(b"-"):
                return drawn


def _version_4() -> bytes:
    """Return a random UUID (RFC 9562). The module uuid imports platform: 2 ms of a start."""
    drawn = bytearray(os.urandom(16))
    drawn[6] = drawn[6] & 0x0F | 0x40
    drawn[8] = drawn[8] & 0x3F | 0x80
    return bytes(drawn)
