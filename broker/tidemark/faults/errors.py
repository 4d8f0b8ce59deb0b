"""Responses with an error code at some level: top, group, topic or partition.

A request that only reads is decided, and its response is changed. Of a request that writes, the part that
fails is not decided: it is cut out of the request, and its errors are added to the response.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from tidemark.faults.matching import (
    PARTITION_INDEXES,
    TOPIC_NAMES,
    Facts,
    NameOf,
    index_of,
    selects,
    topic_name_of,
)
from tidemark.faults.model import Fault, InvalidFault
from tidemark.handlers import routes
from tidemark.handlers.error_responses import (
    CODES,
    array_like,
    array_with_codes,
    failed_part,
    failed_parts,
    inner_class,
)
from tidemark_protocol.apis import APIS
from tidemark_protocol.by_name import message_class
from tidemark_protocol.errors import ErrorCode

READS: Final = frozenset(
    {"DescribeTopicPartitions", "Fetch", "FindCoordinator", "ListOffsets", "Metadata", "OffsetFetch",
     "OffsetForLeaderEpoch"}
)  # fmt: skip
# Levels of a fault that names neither a level nor a topic: where Kafka itself reports most errors. The
# fields of other versions than the request's are not encoded.
USUAL_LEVELS: Final[dict[str, tuple[str, ...]]] = {
    "DeleteRecords": ("partition",),
    "DescribeTopicPartitions": ("topic",),
    "Fetch": ("partition",),
    "FindCoordinator": ("top", "group"),
    "ListOffsets": ("partition",),
    "Metadata": ("topic",),
    "OffsetFetch": ("top", "group"),
    "OffsetForLeaderEpoch": ("partition",),
    "Produce": ("partition",),
}
WRITES: Final = frozenset(
    {"CreatePartitions", "CreateTopics", "DeleteRecords", "OffsetCommit", "OffsetDelete", "Produce",
     "TxnOffsetCommit"}
)  # fmt: skip


@dataclass(slots=True, frozen=True)
class Refused:
    """The request is not decided. Its response has the error."""

    response: Any


@dataclass(slots=True, frozen=True)
class Changed:
    """This request is decided in place of the original one, and its response is changed.

    has_place(response)  whether the response has a place for the error; None: every response has one
    is_long              the response gets the partitions of a long fetch session
    """

    request: Any
    change: Callable[[Any], Any]
    has_place: Callable[[Any], bool] | None = None
    is_long: bool = False


def check(fault: Fault) -> None:
    """Raises InvalidFault if no request can meet the fault, or no response can carry what it puts into it."""
    api = fault.api
    if api is None:
        return
    if APIS[api].key not in routes.load():
        raise InvalidFault("api", f"api must be an API that tidemark serves, got {api!r}")
    if fault.level is not None and fault.level not in (found := levels_of(api)):
        levels = " or ".join(sorted(found)) or "left out"
        raise InvalidFault("level", f"level must be {levels} for {api}, got {fault.level!r}")
    if fault.throttle_ms is not None and not has_throttle_time(api):
        raise InvalidFault("throttle_ms", f"throttle_ms: {api} has no ThrottleTimeMs")


def has_throttle_time(api: str) -> bool:
    """Return whether responses of the API have a ThrottleTimeMs."""
    return any(name == "throttle_time_ms" for _, name, _, _ in message_class(f"{api}Response").FIELDS)


def levels_of(api: str) -> frozenset[str]:
    """Return the levels at which responses of this API have an error code."""
    return frozenset(_levels_in(message_class(f"{api}Response"), "top"))


def _levels_in(cls: Any, level: str) -> Iterable[str]:
    for _, attribute, kind, inner in cls.FIELDS:
        if attribute in CODES:
            yield level
        elif inner is not None and kind.startswith("[]"):
            inside = _level_of({name for _, name, _, _ in inner.FIELDS})
            if inside is not None:
                yield from _levels_in(inner, inside)


def _level_of(attributes: set[str]) -> str | None:
    """Return the level of an element with these attributes."""
    if attributes & {*PARTITION_INDEXES} and attributes & {*CODES}:
        return "partition"
    if attributes & {"group_id", "key"}:
        return "group"
    if attributes & {*TOPIC_NAMES, "topic_id"}:
        return "topic"
    return None


def fail(fault: Fault, facts: Facts, error_response: Callable[[Any, int], Any]) -> Refused | Changed | None:
    """Return what a fault with an error does to a request.

    None: its response has no place for the error, such as a Metadata response without topics.
    """
    assert fault.error is not None
    if fault.level is not None and fault.level not in levels_of(facts.api):
        return None
    levels = _levels(fault, facts.api)
    if facts.api in READS and levels != ("top",):
        return _read(fault, facts, levels)
    if facts.api in WRITES and (levels in (("topic",), ("partition",)) or fault.topic is not None):
        return _split(fault, facts)
    response = error_response(facts.request, fault.error)
    if facts.api in READS and facts.api != "FindCoordinator":  # topics and groups do not repeat the error
        response = type(response)(error_code=fault.error)
    return Refused(response) if _has_error(response, facts.version) else None


def _has_error(response: Any, version: int) -> bool:
    """Return whether the response, encoded in this version, has an error code."""
    if getattr(response, "error_code", 0) and _has_top(response.__class__, version):
        return True
    return any(_element_has_error(each) for each in _elements(response))


def _element_has_error(element: Any) -> bool:
    return any(getattr(element, name, 0) for name in CODES) or any(
        _element_has_error(each) for each in _elements(element)
    )


def _elements(message: Any) -> Iterable[Any]:
    for _, attribute, kind, inner in message.FIELDS:
        if inner is not None and kind.startswith("[]"):
            yield from getattr(message, attribute) or ()


@cache
def _has_top(response_class: Any, version: int) -> bool:
    """Return whether responses have an error code at the top in this version."""
    if not hasattr(response_class(), "error_code"):
        return False
    encoded = []
    for code in (ErrorCode.NONE, ErrorCode.UNKNOWN_SERVER_ERROR):
        response = response_class()
        response.error_code = code
        out = bytearray()
        response_class.ENCODERS[version](out, response)
        encoded.append(out)
    return encoded[0] != encoded[1]


def _levels(fault: Fault, api: str) -> tuple[str, ...]:
    """Return the levels at which the error is set. (): where the handler of the API sets it."""
    found = levels_of(api)
    if fault.level is not None and fault.level in found:
        return (fault.level,)
    if fault.topic is not None:
        for level in ("partition", "topic"):
            if level in found and USUAL_LEVELS.get(api, (level,)) == (level,):
                return (level,)
        for level in ("partition", "topic"):
            if level in found:
                return (level,)
    return USUAL_LEVELS.get(api, ())


# responses of requests that read


def _read(fault: Fault, facts: Facts, levels: tuple[str, ...]) -> Changed:
    def change(response: Any) -> Any:
        return _overwrite(response, fault, facts, levels)

    request = facts.request
    if facts.api == "Fetch" and any(selects(fault, name, each) for name, each, _ in _wanted(facts)):
        request = copy(request)
        request.max_wait_ms = 0  # a Fetch with an error does not wait for records
        return Changed(request, change, is_long=facts.is_long)
    top = "top" in levels and _has_top(message_class(f"{facts.api}Response"), facts.version)

    def has_place(response: Any) -> bool:
        return top or any(_is_reached(each, fault, facts, levels) for each in _elements(response))

    return Changed(request, change, has_place)


def _is_reached(element: Any, fault: Fault, facts: Facts, levels: tuple[str, ...]) -> bool:
    """Return whether `_element` sets the error in the element, or in its own lists."""
    level = _level_of({name for _, name, _, _ in element.FIELDS})
    if level is None or not _is_selected(element, level, fault, facts.name_of):
        return False
    return level in levels or any(_is_reached(each, fault, facts, levels) for each in _elements(element))


def _overwrite(response: Any, fault: Fault, facts: Facts, levels: tuple[str, ...]) -> Any:
    assert fault.error is not None
    changed = copy(response)
    if "top" in levels and hasattr(changed, "error_code"):
        changed.error_code = fault.error
        if facts.api == "FindCoordinator":  # up to version 3, the response is that of one coordinator
            changed.node_id, changed.host, changed.port = -1, "", -1
            changed.error_message = fault.error.text
    for _, attribute, kind, inner in changed.FIELDS:
        if inner is not None and kind.startswith("[]"):
            elements = getattr(changed, attribute) or ()
            setattr(changed, attribute, [_element(each, fault, facts, levels) for each in elements])
    if facts.api == "Fetch" and levels == ("partition",):
        changed.responses = _with_unnamed(changed, fault, facts)
    return changed


def _element(element: Any, fault: Fault, facts: Facts, levels: tuple[str, ...]) -> Any:
    """Return the element of a list with the error, in itself or in its own lists."""
    level = _level_of({name for _, name, _, _ in element.FIELDS})
    if level is None or not _is_selected(element, level, fault, facts.name_of):
        return element
    assert fault.error is not None
    if level in levels:
        return failed_parts(type(element), [element], fault.error, "")[0]
    changed = copy(element)
    for _, attribute, kind, inner in element.FIELDS:
        if inner is not None and kind.startswith("[]"):
            elements = getattr(element, attribute) or ()
            setattr(changed, attribute, [_element(each, fault, facts, levels) for each in elements])
    return changed


def _is_selected(element: Any, level: str, fault: Fault, name_of: NameOf) -> bool:
    if level == "group":
        name = getattr(element, "group_id", None) or getattr(element, "key", None)
        wanted = {fault.group, fault.transactional_id} - {None}
        return not wanted or name in wanted
    if level == "topic":
        return fault.topic is None or topic_name_of(element, name_of) == fault.topic
    return fault.partition is None or index_of(element) == fault.partition


def _with_unnamed(response: Any, fault: Fault, facts: Facts) -> list[Any]:
    """Return the topics of a Fetch response, with errors of partitions that the response does not name.

    A response in a fetch session names only partitions with news.
    """
    topic_class = inner_class(response, "responses")
    partition_class = inner_class(topic_class, "partitions")
    assert fault.error is not None
    topics = list(response.responses)
    named = {
        (topic_name_of(topic, facts.name_of), each.partition_index)
        for topic in topics
        for each in topic.partitions
    }
    for name, partition, topic_id in _wanted(facts):
        if (name, partition) not in named and selects(fault, name, partition):
            failed = failed_parts(partition_class, [partition], fault.error, "")
            topics.append(topic_class(topic=name, topic_id=topic_id, partitions=failed))
    return topics


def _wanted(facts: Facts) -> Iterable[tuple[str, int, bytes]]:
    """Yield each partition of a Fetch once: those that it names, then those of its session."""
    ids = {topic_name_of(topic, facts.name_of): bytes(topic.topic_id) for topic in facts.request.topics}
    for name, partition in dict.fromkeys(facts.partitions()):
        if partition is not None:
            yield name, partition, ids.get(name) or facts.id_of(name)


# requests that write


def _split(fault: Fault, facts: Facts) -> Refused | Changed | None:
    """Cut the part that fails out of the request. None: it has no such part."""
    assert fault.error is not None
    response_class = message_class(f"{facts.api}Response")
    in_response = array_with_codes(response_class)
    in_request = array_like(in_response, facts.request)
    topic_class = inner_class(response_class, in_response)
    kept, failing = [], []
    partitions_in_response = ""
    for topic in getattr(facts.request, in_request) or ():
        name = topic_name_of(topic, facts.name_of)
        arrays = failed_part(topic_class, topic.__class__).arrays
        if fault.topic is not None and name != fault.topic:
            kept.append(topic)
        elif not arrays:
            failing.append(topic)
        else:
            [(partitions_in_response, in_topic, _)] = arrays
            partitions = getattr(topic, in_topic) or []
            rest = [each for each in partitions if fault.partition not in (None, index_of(each))]
            gone = [each for each in partitions if fault.partition in (None, index_of(each))]
            kept += _narrowed(topic, in_topic, rest)
            failing += _narrowed(topic, in_topic, gone)
    if not failing:
        return None
    failed = failed_parts(topic_class, failing, fault.error, "")
    if not kept:
        return Refused(response_class(**{in_response: failed}))
    [request] = _narrowed(facts.request, in_request, kept)
    return Changed(request, lambda response: _merged(response, failed, in_response, partitions_in_response))


def _narrowed(message: Any, array: str, elements: list[Any]) -> list[Any]:
    """Return a list of the message with only these elements in its array, or [] if there are none."""
    if not elements:
        return []
    changed = copy(message)
    setattr(changed, array, elements)
    return [changed]


def _merged(response: Any, failed: list[Any], in_response: str, in_topic: str) -> Any:
    """Return the response with the failed topics. A topic that is in both has one entry.

    in_topic: the array of partitions. "": topics have none
    """
    merged = copy(response)
    topics = list(getattr(response, in_response) or ())
    places = {_identity(topic): place for place, topic in reversed([*enumerate(topics)])}
    for topic in failed:
        place = places.get(_identity(topic))
        if place is None or not in_topic:
            topics.append(topic)
        else:
            topics[place] = both = copy(topics[place])
            setattr(both, in_topic, [each for one in (both, topic) for each in getattr(one, in_topic)])
    setattr(merged, in_response, topics)
    return merged


def _identity(topic: Any) -> tuple[str, bytes]:
    return topic.name, bytes(getattr(topic, "topic_id", b""))
