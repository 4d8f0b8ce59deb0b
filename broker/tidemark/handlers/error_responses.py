"""The response to a request that fails as a whole, derived from the classes of the request and its response.

The error is in the response itself if that has an error code. Otherwise it is in each element of the array
that corresponds to an array of the request. Such an element repeats what identifies the request's element.
The tables below list the APIs for which Kafka does otherwise.

Kafka: AbstractRequest.getErrorResponse, and the classes that implement it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

from tidemark.core.java import put_order
from tidemark_protocol.errors import ErrorCode

CODES: Final = ("error_code", "partition_error_code")
TOPIC_ATTRIBUTES: Final = ("name", "topic", "topic_name")
PARTITION_ATTRIBUTES: Final = ("partition_index", "partition", "index", "partition_id")
# The names under which a request has what the response has under this name.
SYNONYMS: Final = {name: names for names in (TOPIC_ATTRIBUTES, PARTITION_ATTRIBUTES) for name in names}
# An element with an error repeats these fields of the request's element.
KEPT: Final = frozenset(
    {*TOPIC_ATTRIBUTES, "topic_id", *PARTITION_ATTRIBUTES, "entity", "entity_name", "entity_type", "group_id",
     "key", "producer_id", "resource_name", "resource_type", "transactional_id", "user"}
)  # fmt: skip
# Kafka sends -1 in these fields beside an error.
UNKNOWN: Final = frozenset(
    {"base_offset", "committed_offset", "end_offset", "high_watermark", "low_watermark", "node_id", "offset",
     "port"}
)  # fmt: skip

# An error message that is not null by default is Kafka's text for the code, but for these APIs.
MESSAGES: Final = {
    "AlterConfigs": None,
    "CreatePartitions": None,
    "CreateTopics": None,
    "DescribeClientQuotas": None,
    "DescribeCluster": None,
    "DescribeUserScramCredentials": None,
    "IncrementalAlterConfigs": None,
    "Produce": None,
    "SaslAuthenticate": "",
}
# For these, the message is Kafka's text for the code even if the exception has another.
TEXT_OF_CODE: Final = frozenset(
    {"AddRaftVoter", "AlterClientQuotas", "DescribeConfigs", "DescribeQuorum", "FindCoordinator",
     "RemoveRaftVoter"}
)  # fmt: skip
# A message that is null by default stays so, but for these.
WITH_MESSAGE: Final = frozenset(
    {"CreatePartitionsTopicResult", "DescribeClusterResponse", "PartitionProduceResponse"}
)
# Kafka fills these arrays although the response has an error code of its own: that code is a field of other
# versions only, or the array repeats it.
FILLED: Final = {
    "AddPartitionsToTxn": "results_by_topic_v3_and_below",
    "AlterPartitionReassignments": "responses",
    "DescribeUserScramCredentials": "results",
    "ElectLeaders": "replica_election_results",
    "Fetch": "responses",
    "FindCoordinator": "coordinators",
    "ListPartitionReassignments": "topics",
    "Metadata": "topics",
    "OffsetFetch": "groups",
}
# Functions that return the elements to repeat, for requests whose array is not repeated as it is.
PARTS: Final[dict[str, Callable[[Any], Iterable[Any]]]] = {
    "AddPartitionsToTxn": lambda request: request.v3_and_below_topics,
    "AlterReplicaLogDirs": lambda request: [topic for each in request.dirs for topic in each.topics],
    "AlterUserScramCredentials": lambda request: put_order(
        dict.fromkeys(each.name for each in (*request.deletions, *request.upsertions))
    ),
    "CreatePartitions": lambda request: {topic.name: topic for topic in request.topics}.values(),
    "CreateTopics": lambda request: {topic.name: topic for topic in request.topics}.values(),
    "DeleteGroups": lambda request: dict.fromkeys(request.groups_names),
    "DeleteTopics": lambda request: request.topics or request.topic_names,
    "DescribeUserScramCredentials": lambda _: ("",),  # no user that exists
    "Fetch": lambda request: [topic for topic in request.topics if topic.topic],  # no topic ids
    "Metadata": lambda request: [
        topic.__class__(topic_id=topic.topic_id, name=topic.name or "") for topic in request.topics or ()
    ],
}
# Other fields of the response that are not the defaults.
FIELDS: Final[dict[str, dict[str, Any]]] = {
    "CreateDelegationToken": {
        "principal_type": "User",
        "principal_name": "ANONYMOUS",
        "token_requester_principal_type": "User",
        "token_requester_principal_name": "ANONYMOUS",
        "issue_timestamp_ms": -1,
        "expiry_timestamp_ms": -1,
        "max_timestamp_ms": -1,
    },
    "DescribeClientQuotas": {"entries": None},
    "InitProducerId": {"producer_id": -1, "producer_epoch": -1},
}


def compile_error_response(api: str, response_class: Any) -> Callable[..., Any]:
    """Return the function (request, code, message=None) that builds the response to a request that fails.

    message: of the exception. None: Kafka's text for the code
    """
    whole = FailedPart(response_class)
    array = FILLED.get(api) if whole.code else array_with_codes(response_class)
    part_class = inner_class(response_class, array) if array else None
    parts_of = PARTS.get(api)
    fields = FIELDS.get(api, {})

    def error_response(request: Any, code: int, message: str | None = None) -> Any:
        if message is None or api in TEXT_OF_CODE:
            message = MESSAGES[api] if api in MESSAGES else ErrorCode(code).text
            if api == "AlterUserScramCredentials" and code == ErrorCode.UNKNOWN_SERVER_ERROR:
                message = None
        response = whole.build(request, code, message)
        for name, value in fields.items():
            setattr(response, name, value)
        if api == "Fetch":
            response.session_id = request.session_id
        if array:
            parts = getattr(request, array_like(array, request)) if parts_of is None else parts_of(request)
            setattr(response, array, failed_parts(part_class, parts, code, message))
        return response

    return error_response


def failed_parts(part_class: Any, given: Iterable[Any] | None, code: int, message: str | None) -> list[Any]:
    """Return the parts of a response that fail, one for each element of the request.

    message: of those that have one. "": they keep the default of their class
    """
    failed: list[Any] = []
    build = None
    for each in given or ():
        if build is None:
            build = failed_part(part_class, each.__class__).build
        failed.append(build(each, code, message))
    return failed


class FailedPart:
    """Builds a part of a response that has only an error, and what identifies it in the request.

    code    its error code
    arrays  its arrays of further parts: their names, those of the request's arrays, and their classes
    """

    __slots__ = ("_class", "_has_message", "_kept", "_unknown", "arrays", "code")

    def __init__(self, part_class: Any, given_class: Any = None) -> None:
        """given_class: of its counterpart in the request. None: it is the whole response."""
        inner_of = {name: inner for _, name, _, inner in part_class.FIELDS}
        self._class = part_class
        self.code = next((name for name in CODES if name in inner_of), None)
        self._has_message = "error_message" in inner_of and (
            part_class().error_message is not None or part_class.__name__ in WITH_MESSAGE
        )
        self._unknown = dict.fromkeys(UNKNOWN & {*inner_of}, -1)
        self._kept: list[tuple[str, str]] = []
        self.arrays: list[tuple[str, str, Any]] = []
        if given_class is None:
            return
        if not hasattr(given_class, "FIELDS"):  # a number or a text, which is its identity
            self._kept.append((next(name for name in inner_of if name in KEPT), ""))
            return
        given = {name for _, name, _, _ in given_class.FIELDS}
        for name, inner in inner_of.items():
            if name in KEPT:
                source = next((each for each in SYNONYMS.get(name, (name,)) if each in given), None)
                if source is not None and inner is None:
                    self._kept.append((name, source))
                elif source is not None:
                    self.arrays.append((name, source, inner))
            elif inner is not None and self.code is None:
                self.arrays.append((name, array_like(name, given_class), inner))

    def build(self, given: Any, code: int, message: str | None) -> Any:
        built = self._class(**self._unknown)
        for name, source in self._kept:
            setattr(built, name, getattr(given, source) if source else given)
        if self.code is not None:
            setattr(built, self.code, code)
        if self._has_message and message != "":
            built.error_message = message
        for name, source, inner in self.arrays:
            setattr(built, name, failed_parts(inner, getattr(given, source), code, message))
        return built


failed_part = cache(FailedPart)


def array_with_codes(response_class: Any) -> str:
    """Return the first array of a response whose elements, or their own elements, have error codes."""
    arrays = (name for _, name, _, inner in response_class.FIELDS if inner is not None and _has_codes(inner))
    found: str = next(arrays)
    return found


def _has_codes(part_class: Any) -> bool:
    return any(
        name in CODES or (inner is not None and _has_codes(inner)) for _, name, _, inner in part_class.FIELDS
    )


def array_like(array: str, given: Any) -> str:
    """Return the array of a request, or of a part of one, that corresponds to this array of the response."""
    arrays: list[str] = [name for _, name, kind, _ in given.FIELDS if kind.startswith("[]")]
    return array if array in arrays else arrays[0]


def inner_class(message_class: Any, array: str) -> Any:
    return next(inner for _, name, _, inner in message_class.FIELDS if name == array)
