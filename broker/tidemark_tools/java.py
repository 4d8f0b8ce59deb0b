"""Class names of errors and the order of a HashMap, which show in the output of Kafka's tools."""

from __future__ import annotations

from collections.abc import Callable, Collection
from decimal import Decimal
from typing import Final, TypeVar

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import java_hash
from tidemark_tools.client.client import TopicPartition
from tidemark_tools.client.errors import ErrorResponse, Unreachable

PACKAGE: Final = "org.apache.kafka.common.errors."
Key = TypeVar("Key")
EXECUTION: Final = "java.util.concurrent.ExecutionException"
SMALLEST_TABLE: Final = 16  # buckets of a HashMap that is made without a capacity

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
    return PACKAGE + (_CLASSES.get(code) or _class_of_its_name(code.name))


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


def java_double(value: float) -> str:
    """Return a number as Java's Double.toString does: 1024.0, 1.0E9."""
    if value != value or value in (float("inf"), float("-inf")):
        return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    shown = "".join(map(str, digits))
    return f"{'-' if sign else ''}{shown[0]}.{shown[1:] or '0'}E{exponent + len(shown) - 1}"


def hash_map_order(keys: Collection[str], capacity: int = SMALLEST_TABLE) -> list[str]:
    """Return the order of a HashMap, made with this capacity, into which these different keys were put."""
    return hash_map_order_by(java_hash, keys, capacity)


def partitions_in_order(
    partitions: Collection[TopicPartition], capacity: int = SMALLEST_TABLE
) -> list[TopicPartition]:
    """Return the order of partitions in a HashMap."""
    return hash_map_order_by(_hash_of_partition, partitions, capacity)


def _hash_of_partition(partition: TopicPartition) -> int:
    return 31 * (31 + partition.partition) + java_hash(partition.topic)


def hash_map_order_by(
    hash_of: Callable[[Key], int], keys: Collection[Key], capacity: int = SMALLEST_TABLE
) -> list[Key]:
    """Return the order of a HashMap whose keys have this hash code."""
    table = 1
    while table < capacity or table * 3 < len(keys) * 4:
        table *= 2

    def bucket(key: Key) -> int:
        value = hash_of(key) & 0xFFFFFFFF
        return (value ^ value >> 16) & table - 1

    return sorted(keys, key=bucket)


def _class_of_its_name(name: str) -> str:
    words = "".join(word.capitalize() for word in name.split("_"))
    return words if words.endswith("Exception") else f"{words}Exception"
