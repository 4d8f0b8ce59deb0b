"""The errors that the client raises, and the error codes that mean `try again`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode

# A coordinator returns these until it is ready.
COORDINATOR_NOT_THERE: Final = frozenset((
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR,
))  # fmt: skip
# A broker returns these while the partition has no leader, or if another broker leads it.
LEADER_NOT_THERE: Final = frozenset((
    ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.UNKNOWN_LEADER_EPOCH, ErrorCode.KAFKA_STORAGE_ERROR,
))  # fmt: skip


class Failed(Exception):
    """The tool cannot continue. The message is for the user; it is Kafka's where Kafka has one."""


class ClientError(Failed):
    """An error of the client."""


class BadAddress(ClientError):
    """An address is malformed. The message is Kafka's."""


class CannotConnect(ClientError):
    """The broker speaks another protocol, or does not serve the request."""


class HandshakeCutOff(OSError):
    """The server closed the connection during the TLS handshake."""


class Disconnected(ClientError, ConnectionError):
    """The connection broke, and the request must not be repeated: the broker may have carried it out."""


class UnsupportedVersion(CannotConnect):
    """The broker does not serve the request, or not in a version that the caller can use."""


class ConfigError(ClientError):
    """A setting of the client is wrong. The message is Kafka's where Kafka has the setting."""


class Unreachable(ClientError):
    """No broker responded in time."""


class CannotRead(ClientError):
    """A file that an option names cannot be read. `missing`: it does not exist."""

    def __init__(self, path: str, reason: str, *, missing: bool = False) -> None:
        super().__init__(f"cannot read {path}: {reason}")
        self.path = path
        self.missing = missing


class ErrorResponse(ClientError):
    """The broker responded with an error code."""

    def __init__(self, code: int, message: str | None = None) -> None:
        super().__init__(message or error_code(code).text)
        self.code = error_code(code)


def error_code(code: int) -> ErrorCode:
    """Return the ErrorCode. A code that we do not know is UNKNOWN_SERVER_ERROR, as in Kafka's client."""
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR


class AuthenticationFailed(ErrorResponse):
    """The broker does not accept who the client says it is, or how it says so. Waiting does not cure it."""


def check_results(results: Iterable[Any]) -> None:
    """Raise ErrorResponse for the first result with an error."""
    for result in results:
        if result.error_code:
            raise ErrorResponse(result.error_code, getattr(result, "error_message", None))
