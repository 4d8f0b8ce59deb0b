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

from tidemark.faults.matching import Facts, NameOf, index_of, selects, topic_name_of
from tidemark.faults.model import Fault, InvalidFault
from tidemark_protocol.by_name import message_class
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.index import MODULES
from tidemark_protocol.wire import WireError

READS: Final = frozenset(
    {"DescribeTopicPartitions", "Fetch", "FindCoordinator", "ListOffsets", "Metadata", "OffsetFetch",
     "OffsetForLeaderEpoch"}
)  # fmt: skip
# Levels of a fault that names neither a level nor a topic: where Kafka itself reports most errors. The
# fields of other versions than the request's are not encoded.
USUAL_LEVELS: Final[dict[str, tuple[str, ...]]] = {
    "DescribeTopicPartitions": ("topic",),
    "Fetch": ("partition",),
    "FindCoordinator": ("top", "group"),
    "ListOffsets": ("partition",),
    "Metadata": ("topic",),
    "OffsetFetch": ("top", "group"),
    "OffsetForLeaderEpoch": ("partition",),
}
CODES: Final = ("error_code", "partition_error_code")
KEPT: Final = ("name", "topic", "topic_id", "partition_index", "partition", "index", "group_id", "key")
# Kafka sends -1 in these fields beside an error.
UNKNOWN: Final = (
    "base_offset",
    "committed_offset",
    "end_offset",
    "high_watermark",
    "low_watermark",
    "node_id",
    "offset",
    "port",
)
PARTITION_ATTRIBUTES: Final = ("partition_index", "partition", "index")


@dataclass(slots=True, frozen=True)
class Layout:
    """The lists of topics and partitions in a request that writes, and in its response."""

    topics: str
    partitions: str | None
    response_topics: str
    response_partitions: str | None


_BOTH: Final = Layout("topics", "partitions", "topics", "partitions")
WRITES: Final[dict[str, Layout]] = {
    "CreatePartitions": Layout("topics", None, "results", None),
    "CreateTopics": Layout("topics", None, "topics", None),
    "DeleteRecords": _BOTH,
    "OffsetCommit": _BOTH,
    "OffsetDelete": _BOTH,
    "Produce": Layout("topic_data", "partition_data", "responses", "partition_responses"),
    "TxnOffsetCommit": _BOTH,
}


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
    """Raises InvalidFault if responses of the fault's API cannot carry what the fault puts into them."""
    check_level(fault)
    check_throttle(fault)


def check_level(fault: Fault) -> None:
    """Raises InvalidFault if responses of the API have no error code at the fault's level."""
    if fault.api is not None and fault.level is not None:
        found = levels_of(fault.api)
        if fault.level not in found:
            raise InvalidFault(
                "level", f"level must be {' or '.join(sorted(found)) or 'left out'} for {fault.api}, "
                f"got {fault.level!r}"
            )  # fmt: skip


def check_throttle(fault: Fault) -> None:
    """Raises InvalidFault if responses of the API have no ThrottleTimeMs."""
    if fault.api is not None and fault.throttle_ms is not None and not has_throttle_time(fault.api):
        raise InvalidFault("throttle_ms", f"throttle_ms: {fault.api} has no ThrottleTimeMs")


def has_throttle_time(api: str) -> bool:
    """Return whether responses of the API have a ThrottleTimeMs."""
    name = f"{api}Response"
    return name in MODULES and any(each[1] == "throttle_time_ms" for each in message_class(name).FIELDS)


def levels_of(api: str) -> frozenset[str]:
    """Return the levels at which responses of this API have an error code."""
    if f"{api}Response" not in MODULES:
        return frozenset()
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
    if attributes & {*PARTITION_ATTRIBUTES} and attributes & {*CODES}:
        return "partition"
    if attributes & {"group_id", "key"}:
        return "group"
    if attributes & {"name", "topic", "topic_id"}:
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
    layout = WRITES.get(facts.api)
    if layout is not None and (levels in (("topic",), ("partition",)) or fault.topic is not None):
        return _split(fault, facts, layout)
    try:
        response = error_response(facts.request, fault.error)
    except WireError:  # it has no error of the whole
        return None if layout is None else _split(fault, facts, layout)
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
    if level in levels:
        return _failed(element, fault.error)
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


def _failed(element: Any, error: int | None) -> Any:
    """Return an element of the same identity that has only the error."""
    failed = type(element)()
    for _, attribute, _, _ in element.FIELDS:
        if attribute in KEPT:
            setattr(failed, attribute, getattr(element, attribute))
        elif attribute in CODES:
            setattr(failed, attribute, error)
        elif attribute in UNKNOWN:
            setattr(failed, attribute, -1)
    return failed


def _with_unnamed(response: Any, fault: Fault, facts: Facts) -> list[Any]:
    """Return the topics of a Fetch response, with errors of partitions that the response does not name.

    A response in a fetch session names only partitions with news.
    """
    topic_class = next(inner for _, name, _, inner in response.FIELDS if name == "responses")
    partition_class = next(inner for _, name, _, inner in topic_class.FIELDS if name == "partitions")
    topics = list(response.responses)
    named = {
        (topic_name_of(topic, facts.name_of), each.partition_index)
        for topic in topics
        for each in topic.partitions
    }
    for name, partition, topic_id in _wanted(facts):
        if (name, partition) not in named and selects(fault, name, partition):
            failed = _failed(partition_class(partition_index=partition), fault.error)
            topics.append(topic_class(topic=name, topic_id=topic_id, partitions=[failed]))
    return topics


def _wanted(facts: Facts) -> Iterable[tuple[str, int, bytes]]:
    """Yield each partition of a Fetch once: those that it names, then those of its session."""
    ids = {topic_name_of(topic, facts.name_of): bytes(topic.topic_id) for topic in facts.request.topics}
    for name, partition in dict.fromkeys(facts.partitions()):
        if partition is not None:
            yield name, partition, ids.get(name) or facts.id_of(name)


# requests that write


def _split(fault: Fault, facts: Facts, layout: Layout) -> Refused | Changed | None:
    """Cut the part that fails out of the request. None: it has no such part."""
    assert fault.error is not None
    response_class = message_class(f"{facts.api}Response")
    kept, failed = [], []
    for topic in getattr(facts.request, layout.topics) or ():
        name = topic_name_of(topic, facts.name_of)
        if fault.topic is not None and name != fault.topic:
            kept.append(topic)
        elif layout.partitions is None:
            failed.append(_failed_topic(response_class, topic, [], layout, fault.error))
        else:
            partitions = getattr(topic, layout.partitions) or []
            rest = [each for each in partitions if fault.partition not in (None, index_of(each))]
            gone = [each for each in partitions if fault.partition in (None, index_of(each))]
            if rest:
                remaining = copy(topic)
                setattr(remaining, layout.partitions, rest)
                kept.append(remaining)
            if gone:
                failed.append(_failed_topic(response_class, topic, gone, layout, fault.error))
    if not failed:
        return None
    if not kept:
        response = response_class()
        setattr(response, layout.response_topics, failed)
        return Refused(response)
    request = copy(facts.request)
    setattr(request, layout.topics, kept)
    return Changed(request, lambda response: _merged(response, failed, layout))


def _failed_topic(
    response_class: Any, topic: Any, partitions: list[Any], layout: Layout, error: ErrorCode
) -> Any:
    topic_class = _inner(response_class, layout.response_topics)
    failed = topic_class()
    for name in ("name", "topic_id"):
        if hasattr(failed, name) and hasattr(topic, name):
            setattr(failed, name, getattr(topic, name))
    if layout.response_partitions is None:
        failed.error_code = error
        return failed
    partition_class = _inner(topic_class, layout.response_partitions)
    elements = []
    for partition in partitions:
        element = partition_class()
        attribute = next(name for name in PARTITION_ATTRIBUTES if hasattr(element, name))
        setattr(element, attribute, index_of(partition))
        elements.append(_failed(element, error))
    setattr(failed, layout.response_partitions, elements)
    return failed


def _inner(cls: Any, attribute: str) -> Any:
    return next(inner for _, name, _, inner in cls.FIELDS if name == attribute)


def _merged(response: Any, failed: list[Any], layout: Layout) -> Any:
    """Return the response with the failed topics. A topic that is in both has one entry."""
    merged = copy(response)
    topics = list(getattr(response, layout.response_topics) or ())
    places = {_identity(topic): place for place, topic in reversed([*enumerate(topics)])}
    for topic in failed:
        place = places.get(_identity(topic))
        if place is None or layout.response_partitions is None:
            topics.append(topic)
        else:
            topics[place] = both = copy(topics[place])
            elements = [each for one in (both, topic) for each in getattr(one, layout.response_partitions)]
            setattr(both, layout.response_partitions, elements)
    setattr(merged, layout.response_topics, topics)
    return merged


def _identity(topic: Any) -> tuple[str, bytes]:
    return topic.name, bytes(getattr(topic, "topic_id", b""))
