"""How Java shows in the output of Kafka's tools: class names of errors, the order of a HashMap, columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Final

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import SMALLEST_TABLE, hash_map_order, java_hash, topic_partition_hash
from tidemark_tools.client.client import TopicPartition
from tidemark_tools.client.errors import ErrorResponse, Unreachable

PACKAGE: Final = "org.apache.kafka.common.errors."
EXECUTION: Final = "java.util.concurrent.ExecutionException"

# Classes whose name cannot be derived from the name of the error.
_CLASSES: Final[dict[int, str]] = {
    -1: "UnknownServerException",
    2: "CorruptRecordException",
    7: "TimeoutException",
    10: "RecordTooLargeException",
    11: "ControllerMovedException",
    12: "OffsetMetadataTooLarge",
    18: "RecordBatchTooLargeException",
    29: "TopicAuthorizationException",
    30: "GroupAuthorizationException",
    31: "ClusterAuthorizationException",
    36: "TopicExistsException",
    40: "InvalidConfigurationException",
    45: "OutOfOrderSequenceException",
    46: "DuplicateSequenceException",
    49: "InvalidPidMappingException",
    50: "InvalidTxnTimeoutException",
    53: "TransactionalIdAuthorizationException",
    56: "KafkaStorageException",
    58: "SaslAuthenticationException",
    61: "DelegationTokenDisabledException",
    64: "UnsupportedByAuthenticationException",
    65: "DelegationTokenAuthorizationException",
    68: "GroupNotEmptyException",
    97: "PrincipalDeserializationException",
    106: "FetchSessionTopicIdException",
    128: "InvalidRegularExpression",
}


def error_class(code: ErrorCode) -> str:
    """Return the Java class of an error code, with its package."""
    words = "".join(word.capitalize() for word in code.name.split("_"))
    return PACKAGE + _CLASSES.get(code, words if words.endswith("Exception") else f"{words}Exception")


def error_text(code: ErrorCode, message: str | None = None) -> str:
    """Return an error as Java prints it: the class, then the broker's message or the standard one."""
    return f"{error_class(code)}: {message or code.text}"


def java_text(error: Exception) -> str:
    """Return an error of our client as Java prints the same one."""
    if isinstance(error, ErrorResponse):
        return error_text(error.code, str(error))
    if isinstance(error, Unreachable):
        return f"{error_class(ErrorCode.REQUEST_TIMED_OUT)}: {error}"
    return str(error)


def map_order(keys: Collection[str], capacity: int = SMALLEST_TABLE) -> list[str]:
    """Return the order of a HashMap, made with this capacity, into which these different texts were put."""
    return hash_map_order(keys, java_hash, capacity)


def partitions_in_order(
    partitions: Collection[TopicPartition], capacity: int = SMALLEST_TABLE
) -> list[TopicPartition]:
    """Return the order of partitions in a HashMap."""
    return hash_map_order(partitions, topic_partition_hash, capacity)


def java_length(text: str) -> int:
    """Return the length of the text as a Java String: in units of UTF-16."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def padded(text: str, width: int) -> str:
    """Pad the text with blanks on the right, as `%-10s` does in Java."""
    return text + " " * (width - java_length(text))


def width(least: int, texts: Iterable[str]) -> int:
    """Return the width of a column for these texts: the longest, and at least `least`."""
    return max([least, *map(java_length, texts)])


def time_text(time_ms: int | None) -> str:
    """Return the time in UTC to the millisecond, `-` for None, or ms if it is outside of the calendar."""
    if time_ms is None:
        return "-"
    try:
        text = datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return str(time_ms)
    return text.replace("+00:00", "Z")
