"""How a target assignment is computed. Kafka: TargetAssignmentBuilder, KIP-1263."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.decision import Steps
from tidemark.groups.consumer.assignors.range import assign_ranges
from tidemark.groups.consumer.assignors.spec import (
    Assignment,
    Assignor,
    MemberSpec,
    member_order,
    subscribed_ids,
)
from tidemark.groups.consumer.assignors.uniform import assign_uniformly
from tidemark.groups.consumer.member import (
    NOT_RESOLVED,
    ConsumerMember,
)

if TYPE_CHECKING:
    from tidemark.groups.consumer.group import ConsumerGroup

# The results equal Kafka's for the same members.
ASSIGNORS: Final[dict[str, Assignor]] = {"uniform": assign_uniformly, "range": assign_ranges}

# Members and partitions of a target that is computed at once: about 2 ms.
AT_ONCE_MAX: Final = 400
STEP_MEMBERS: Final = 50


@dataclass(slots=True)
class TargetInput:
    """The input of a target besides the group.

    member       the member whose heartbeat causes it, as the heartbeat changes it
    before       the same member before the heartbeat
    epoch        the group epoch that the target belongs to
    names        the topics that it names, in the order of its request; None: it names none
    homogeneous  all members read the same topics
    default      the assignor if no member requests one
    """

    cluster: Any
    member: ConsumerMember
    before: ConsumerMember
    names: Sequence[str] | None
    epoch: int
    homogeneous: bool
    default: str


def is_small(group: ConsumerGroup, given: TargetInput) -> bool:
    """Return whether the target can be computed at once, in about a millisecond."""
    size = len(group.members)
    topics = given.cluster.topics
    for name in (*group.by_name, *group.by_regex, *given.member.topic_names):
        if size > AT_ONCE_MAX:
            return False
        topic = topics.get(name)
        size += 1 if topic is None else len(topic.partitions)
    return size <= AT_ONCE_MAX


def compute(group: ConsumerGroup, given: TargetInput) -> Steps[Assignment]:
    """Return the new target, in steps. Members that join or leave meanwhile belong to the next target."""
    preferred = group.assignor_after(given.before, given.member)
    assignor = ASSIGNORS.get(preferred) or ASSIGNORS[given.default]  # a directory of Kafka may name another
    updated = given.member
    replaced = None
    if updated.instance_id is not None:
        replaced = group.static_members.get(updated.instance_id)
        if replaced == updated.member_id:
            replaced = None
    members = {**group.members, updated.member_id: updated}
    order = yield from member_order([*group.members], group.peak, updated.member_id, replaced)
    partitions: dict[bytes, int] = {}
    topic_id = _existing(given.cluster, partitions)
    topic_ids: dict[tuple[frozenset[str], str | None], tuple[AbstractSet[bytes], int]] = {}
    specs: dict[str, MemberSpec] = {}
    for number, member_id in enumerate(order):
        member = members[member_id]
        subscribed = (member.topic_names, member.regex)
        ids = topic_ids.get(subscribed)
        if ids is None or member is updated:
            names = (
                given.names if member is updated and given.names is not None else sorted(member.topic_names)
            )
            ids = topic_ids[subscribed] = yield from _topic_ids(group, member, names, topic_id)
        specs[member_id] = MemberSpec(
            member.instance_id, member.rack_id, ids[0], group.target_of(member), ids[1]
        )
        if number % STEP_MEMBERS == STEP_MEMBERS - 1:
            yield 0
    return (yield from assignor(specs, partitions, given.homogeneous))


def _existing(cluster: Any, partitions: dict[bytes, int]) -> Callable[[str], bytes | None]:
    """Return a function that returns the id of a topic, None if it does not exist.

    The function also stores the number of its partitions, so that a topic that is deleted during the
    computation still has one.
    """

    def topic_id(name: str) -> bytes | None:
        topic = cluster.topics.get(name)
        if topic is None:
            return None
        partitions[topic.topic_id] = len(topic.partitions)
        known: bytes = topic.topic_id
        return known

    return topic_id


def _topic_ids(
    group: ConsumerGroup,
    member: ConsumerMember,
    names: Sequence[str] | None,
    topic_id: Callable[[str], bytes | None],
) -> Steps[tuple[AbstractSet[bytes], int]]:
    """Return the ids of the topics that a member reads and that exist, and how many it reads."""
    matched = group.regexes.get(member.regex or "", NOT_RESOLVED).topics
    requested = sorted(member.topic_names) if names is None else names
    return (yield from subscribed_ids(requested, sorted(matched), topic_id))
