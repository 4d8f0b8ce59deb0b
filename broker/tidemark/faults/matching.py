"""The parts of a request that faults and the journal filter by, and the rule whether a fault matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.faults.model import Fault
from tidemark.seeding import OWN_CLIENT_IDS

# The attributes of requests that hold these things, in every API that is served.
GROUP: Final = "group_id"
GROUP_LISTS: Final = ("groups", "groups_names", "group_ids")
COORDINATOR_KEYS: Final = ("key", "coordinator_keys")
GROUP_KEY_TYPE: Final = 0
TRANSACTION_KEY_TYPE: Final = 1
TRANSACTIONAL_ID: Final = ("transactional_id", "v3_and_below_transactional_id")
TOPIC_LISTS: Final = ("topics", "topic_data", "v3_and_below_topics", "topic_names", "subscribed_topic_names")
PARENTS: Final = ("groups", "transactions", "markers")  # lists whose elements have lists of topics
TOPIC_NAMES: Final = ("name", "topic")
PARTITION_LISTS: Final = ("partitions", "partition_data", "partition_indexes")
PARTITION_INDEXES: Final = ("partition_index", "partition", "index")
NO_TOPIC_ID: Final = bytes(16)
WORD: Final = 2**64 - 1
SHORT_SESSION_MAX: Final = 1000  # partitions of a fetch session that are examined on the event loop

NameOf = Callable[[bytes], "str | None"]
IdOf = Callable[[str], bytes]
TopicPartition = tuple[str, int | None]  # without a partition: the request names only the topic


def no_names(topic_id: bytes) -> str | None:
    return None


def no_ids(name: str) -> bytes:
    return NO_TOPIC_ID


def groups_of(request: Any) -> list[str]:
    """Return the groups that a request names. FindCoordinator names its keys, if they are groups."""
    group = getattr(request, GROUP, None)
    found = [group] if isinstance(group, str) else []
    for name in GROUP_LISTS:
        for each in getattr(request, name, None) or ():
            named = each if isinstance(each, str) else getattr(each, GROUP, None)
            if isinstance(named, str):
                found.append(named)
    found += _coordinator_keys(request, GROUP_KEY_TYPE)
    return [each for each in dict.fromkeys(found) if each]


def transactional_ids_of(request: Any) -> list[str]:
    """Return the transactional ids that a request names. FindCoordinator names its keys, if they are such."""
    found = [getattr(request, name, None) for name in TRANSACTIONAL_ID]
    found += getattr(request, "transactional_ids", None) or ()
    found += [each.transactional_id for each in getattr(request, "transactions", None) or ()]
    found += _coordinator_keys(request, TRANSACTION_KEY_TYPE)
    return [each for each in dict.fromkeys(found) if each]


def _coordinator_keys(request: Any, key_type: int) -> list[str]:
    """Return the keys of a FindCoordinator that looks for this type of coordinator."""
    if getattr(request, "key_type", None) != key_type:
        return []
    found: list[str] = []
    for name in COORDINATOR_KEYS:
        keys = getattr(request, name, None) or ()
        found += [keys] if isinstance(keys, str) else list(keys)
    return found


def partitions_of(request: Any, name_of: NameOf = no_names) -> Iterator[TopicPartition]:
    """Yield the partitions that a request names. name_of: returns the name of a topic id."""
    for topic_name, topic in _topics_in(request, name_of):
        yield from _partitions_of(topic_name, topic)


def topics_of(request: Any, name_of: NameOf = no_names) -> Iterator[str]:
    """Yield the topics that a request names, without a look at their partitions."""
    for topic_name, _ in _topics_in(request, name_of):
        yield topic_name


def _topics_in(request: Any, name_of: NameOf) -> Iterator[tuple[str, Any]]:
    """Yield the name and the element of each topic."""
    for parent in PARENTS:
        for each in getattr(request, parent, None) or ():
            if not isinstance(each, str):
                yield from _topics_in(each, name_of)
    for name in TOPIC_LISTS:
        for topic in getattr(request, name, None) or ():
            topic_name = topic if isinstance(topic, str) else topic_name_of(topic, name_of)
            if topic_name is not None:
                yield topic_name, topic


def topic_name_of(topic: Any, name_of: NameOf = no_names) -> str | None:
    """Return the name of a topic's element in a request or response. None: it has an unknown topic id."""
    topic_id = getattr(topic, "topic_id", NO_TOPIC_ID)
    if topic_id and bytes(topic_id) != NO_TOPIC_ID and (found := name_of(bytes(topic_id))) is not None:
        return found
    for attribute in TOPIC_NAMES:
        name = getattr(topic, attribute, None)
        if isinstance(name, str) and name:
            return name
    return None


def index_of(partition: Any) -> int | None:
    """Return the number of a partition's element in a request or response."""
    if isinstance(partition, int):
        return partition
    for attribute in PARTITION_INDEXES:
        index = getattr(partition, attribute, None)
        if isinstance(index, int):
            return index
    return None


def _partitions_of(name: str, topic: Any) -> Iterator[TopicPartition]:
    found = False
    for attribute in PARTITION_LISTS:
        for partition in getattr(topic, attribute, None) or ():
            found = True
            yield name, index_of(partition)
    if not found:
        yield name, None


@dataclass(slots=True, frozen=True)
class Facts:
    """One request, as far as filters need it.

    node_id         the broker that received it
    name_of, id_of  return the name of a topic id, and the topic id of a name
    fetched         the partitions of its fetch or share session, by the name or the id of their topics
    """

    api: str
    version: int
    client_id: str
    principal: str
    connection: int
    request: Any
    node_id: int = 1
    name_of: NameOf = no_names
    id_of: IdOf = no_ids
    fetched: Sequence[tuple[str | bytes, int]] = ()

    @property
    def is_long(self) -> bool:
        """Return whether the fetch session is long, although the request may be short."""
        return len(self.fetched) > SHORT_SESSION_MAX

    def groups(self) -> list[str]:
        return groups_of(self.request)

    def transactional_ids(self) -> list[str]:
        return transactional_ids_of(self.request)

    def partitions(self) -> Iterator[TopicPartition]:
        yield from partitions_of(self.request, self.name_of)
        for topic, partition in self.fetched:
            name = topic if isinstance(topic, str) else self.name_of(topic)
            if name is not None:
                yield name, partition


def passes_filters(fault: Fault, facts: Facts) -> bool:
    """Return whether the request passes the filters that do not count."""
    return (
        (fault.api is None or fault.api == facts.api)
        and (fault.versions is None or fault.versions[0] <= facts.version <= fault.versions[1])
        and (
            facts.client_id not in OWN_CLIENT_IDS
            if fault.client_id is None
            else fault.client_id == facts.client_id
        )
        and (fault.principal is None or fault.principal == facts.principal)
        and (fault.connection is None or fault.connection == facts.connection)
        and (fault.node_id is None or fault.node_id == facts.node_id)
        and (fault.group is None or fault.group in facts.groups())
        and (fault.transactional_id is None or fault.transactional_id in facts.transactional_ids())
        and (fault.topic is None or any(selects(fault, *each) for each in facts.partitions()))
    )


def selects(fault: Fault, topic: str, partition: int | None) -> bool:
    """Return whether the fault is about this partition. A whole topic contains each of its partitions."""
    return fault.topic in (None, topic) and (partition is None or fault.partition in (None, partition))


def is_chosen(fault: Fault, number: int) -> bool:
    """Return whether the request with this number, from 1, is chosen by nth, every or probability."""
    if fault.nth is not None:
        return number == fault.nth
    if fault.every is not None:
        return number % fault.every == 0
    if fault.probability is not None:
        return draw(fault.seed, number) < fault.probability
    return True


def draw(seed: int, number: int) -> float:
    """Return the number-th draw from [0, 1) of this seed (SplitMix64)."""
    word = (seed + number * 0x9E3779B97F4A7C15) & WORD
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & WORD
    return ((word ^ word >> 31) >> 11) / 2**53
