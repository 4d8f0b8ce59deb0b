"""The Java class names that Kafka's tools print for errors. Scripts look for them."""

from __future__ import annotations

from typing import Final

from tidemark.client.errors import ErrorResponse, Unreachable
from tidemark_protocol.errors import ErrorCode

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


def _class_of_its_name(name: str) -> str:
    words = "".join(word.capitalize() for word in name.split("_"))
    return words if words.endswith("Exception") else f"{words}Exception"
