"""The errors that the client raises, and the error codes that mean `try again`."""

from __future__ import annotations

from typing import Final

from tidemark_protocol.errors import ErrorCode

# What a coordinator says of itself until it is there.
COORDINATOR_NOT_THERE: Final = frozenset((
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR,
))  # fmt: skip
# What a leader says of itself until it is there, or has gone elsewhere.
LEADER_NOT_THERE: Final = frozenset((
    ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.UNKNOWN_LEADER_EPOCH, ErrorCode.KAFKA_STORAGE_ERROR,
))  # fmt: skip


class ClientError(Exception):
    """What a tool says and gives up on. The message is for the person who called it."""


class BadAddress(ClientError):
    """An address that cannot be read, as Kafka words it."""


class CannotConnect(ClientError):
    """A broker that cannot be asked for what it is: another protocol, a request that it does not serve."""


class Unreachable(ClientError):
    """No broker answered in time."""


class CannotRead(ClientError):
    """A file that an option names and that cannot be read."""

    def __init__(self, path: str, reason: str, *, missing: bool = False) -> None:
        super().__init__(f"cannot read {path}: {reason}")
        self.path = path
        self.missing = missing


class ErrorResponse(ClientError):
    """The broker answered with an error code."""

    def __init__(self, code: int, message: str | None = None) -> None:
        super().__init__(message or message_of(code))
        self.code = error_code(code)


def message_of(code: int) -> str:
    """Kafka's own words for an error code."""
    return error_code(code).text


def error_code(code: int) -> ErrorCode:
    """The code of an answer. One that is newer than we are is UNKNOWN_SERVER_ERROR, as in Kafka's client."""
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR
