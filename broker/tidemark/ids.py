"""Random ids. No other file uses randomness."""

from __future__ import annotations

import base64
import os
import uuid
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
        return str(uuid.UUID(bytes=os.urandom(16), version=4))

    def secret(self) -> str:
        return os.urandom(16).hex()

    def topic_id(self) -> bytes:
        while True:
            drawn = uuid.UUID(bytes=os.urandom(16), version=4).bytes
            if not base64.urlsafe_b64encode(drawn).startswith(b"-"):
                return drawn
