"""The rule of expiry: each case by itself, then random cases against a naive model in Java's longs.

Kafka: GroupMetadataManager.cleanupExpiredOffsets, KIP-211.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.unit.broker.group_story import subscription
from tests.unit.broker.groups.naive_expiry import base_ms, goes
from tidemark.core.context import Now
from tidemark.core.decision import Marker, Record
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.member import ClassicGroupState
from tidemark.groups.consumer.group import ConsumerGroup, ConsumerGroupState
from tidemark.groups.expirations import Foresight, expiry, expiry_of, may_go
from tidemark.groups.group import Group
from tidemark.groups.state import Groups
from tidemark.groups.unserved import UnreadGroup
from tidemark.settings.broker import BrokerSettings
from tidemark_expiry.rules import Expiry, Rule
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.subscriptions import subscribed_topics

RETENTION_MS = 60_000
NOW = 1_795_000_000_000
COMMITTED_MS = NOW - 40_000
SINCE_MS = NOW - 30_000
LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1

EMPTY, STABLE = ClassicGroupState.EMPTY, ClassicGroupState.STABLE
PREPARING, COMPLETING = ClassicGroupState.PREPARING_REBALANCE, ClassicGroupState.COMPLETING_REBALANCE


def a_group(
    protocol_type: str | None = "consumer",
    state: ClassicGroupState = EMPTY,
    subscribed: frozenset[str] | None = None,
    since_ms: int | None = SINCE_MS,
) -> Group:
    group = ClassicGroup("g", 0, since_ms, store=Groups())
    group.protocol_type, group.state, group.subscribed_topics = protocol_type, state, subscribed
    return group


def a_consumer_group(state: ConsumerGroupState = ConsumerGroupState.EMPTY, *topics: str) -> ConsumerGroup:
    """Return a group of KIP-848."""
    group = ConsumerGroup("g", 0, None, store=Groups())
    group.protocol_type, group.state, group.subscribed_topics = "consumer", state, frozenset(topics)
    return group


def an_offset(committed_ms: int = COMMITTED_MS, expire_ms: int = -1) -> OffsetCommitValue:
    return OffsetCommitValue(42, commit_timestamp=committed_ms, expire_timestamp=expire_ms)


def asked(
    group: Group, topic: str = "orders", expire_ms: int = -1, *, pending: bool = False, wall_ms: int = NOW
) -> Expiry:
    value = an_offset(expire_ms=expire_ms)
    return expiry(group, topic, value, wall_ms=wall_ms, retention_ms=RETENTION_MS, pending=pending)


BY_COMMIT_MS = COMMITTED_MS + RETENTION_MS
OF_GROUP = Expiry(Rule.GROUP_EMPTY, SINCE_MS, SINCE_MS + RETENTION_MS)
OF_COMMIT = Expiry(Rule.STANDALONE, COMMITTED_MS, BY_COMMIT_MS)
UNSUBSCRIBED = Expiry(Rule.TOPIC_NOT_SUBSCRIBED, COMMITTED_MS, BY_COMMIT_MS)
STAYS = Expiry(Rule.ACTIVE)

# The time from which the age counts.


@pytest.mark.parametrize("protocol_type", ["consumer", "connect", "anything"])
def test_an_empty_managed_group_has_one_clock_for_all_its_offsets(protocol_type: str) -> None:
    assert asked(a_group(protocol_type)) == OF_GROUP


def test_without_a_state_timestamp_each_offset_has_its_own_clock() -> None:
    old = asked(a_group(since_ms=None))
    assert old == Expiry(Rule.GROUP_EMPTY, COMMITTED_MS, BY_COMMIT_MS)


def test_a_stable_consumer_group_keeps_offsets_of_subscribed_topics() -> None:
    group = a_group(state=STABLE, subscribed=frozenset({"orders"}))
    assert asked(group, "orders") == STAYS
    assert asked(group, "payments") == UNSUBSCRIBED


@pytest.mark.parametrize("state", [PREPARING, COMPLETING])
@pytest.mark.parametrize("protocol_type", ["consumer", "connect"])
def test_no_offset_expires_during_a_rebalance(protocol_type: str, state: ClassicGroupState) -> None:
    assert asked(a_group(protocol_type, state, frozenset({"orders"})), "payments") == STAYS


def test_no_offset_of_a_stable_group_of_another_protocol_type_expires() -> None:
    assert asked(a_group("connect", STABLE), "payments") == STAYS


@pytest.mark.parametrize("metadata", [b"", b"\x00"])
def test_no_offset_of_a_stable_group_with_unreadable_metadata_expires(metadata: bytes) -> None:
    topics = subscribed_topics("consumer", [subscription(["orders"]), metadata])
    assert asked(a_group(state=STABLE, subscribed=topics), "payments") == STAYS


def test_bytes_after_a_subscription_of_version_0_are_ignored() -> None:
    topics = subscribed_topics("consumer", [b"\x00\x01" + subscription(["orders"])[2:] + b"trailing"])
    assert asked(a_group(state=STABLE, subscribed=topics), "orders") == STAYS
    assert asked(a_group(state=STABLE, subscribed=topics), "payments") == UNSUBSCRIBED


def test_with_an_empty_subscription_offsets_of_all_topics_expire() -> None:
    topics = subscribed_topics("consumer", [subscription([])])
    assert asked(a_group(state=STABLE, subscribed=topics), "orders") == UNSUBSCRIBED


def test_each_offset_of_a_standalone_group_has_its_own_clock() -> None:
    assert asked(a_group(None)) == OF_COMMIT


@pytest.mark.parametrize("state", [*ConsumerGroupState])
def test_a_kip_848_group_keeps_offsets_of_subscribed_topics(
    state: ConsumerGroupState,
) -> None:
    assert asked(a_consumer_group(state, "orders"), "orders") == STAYS
    assert asked(a_consumer_group(state, "orders"), "payments") == UNSUBSCRIBED


def test_offsets_of_other_group_types_never_expire() -> None:
    assert asked(UnreadGroup("g", 0, None), expire_ms=0) == Expiry(Rule.NOT_SERVED)


# Whether an offset is old enough.


def test_an_offset_expires_when_its_age_equals_the_retention() -> None:
    for group in (a_group(), a_group(None), a_group(state=STABLE, subscribed=frozenset())):
        found = asked(group)
        assert found.due_ms is not None
        assert [found.expired(found.due_ms + ms) for ms in (-1, 0, 1)] == [False, True, True]


def test_an_expire_timestamp_replaces_the_age() -> None:
    for group in (
        a_group(),
        a_group(None),
        a_consumer_group(),
        a_group(state=STABLE, subscribed=frozenset()),
    ):
        found = asked(group, expire_ms=NOW + 5)
        assert found == Expiry(Rule.EXPLICIT_RETENTION, COMMITTED_MS, NOW + 5)
        assert [found.expired(NOW + ms) for ms in (4, 5)] == [False, True]


@pytest.mark.parametrize(
    "group",
    [
        a_group(state=STABLE, subscribed=frozenset({"orders"})),
        a_group(state=STABLE, subscribed=None),
        a_group(state=PREPARING, subscribed=frozenset()),
        a_group(state=COMPLETING, subscribed=frozenset()),
        a_group("connect", STABLE),
        a_consumer_group(STABLE, "orders"),
    ],
)
def test_an_expire_timestamp_is_ignored_if_the_pass_skips_the_offset(group: Group) -> None:
    assert asked(group, expire_ms=1) == STAYS


@pytest.mark.parametrize("expire_ms", [-2, 0, LONG_MIN, NOW])  # of a retention of -2, 0, and one that wraps
def test_only_minus_one_is_no_expire_timestamp(expire_ms: int) -> None:
    assert asked(a_group(), expire_ms=expire_ms).expired(NOW)


def test_the_largest_retention_overflows_and_expires_at_once() -> None:
    # now + retention as a Java long, as Kafka 4.3.1 computes it.
    assert asked(a_group(None), expire_ms=-9223370241624015601).expired(NOW)
    assert not asked(a_group(None), expire_ms=LONG_MAX).expired(NOW)


def test_an_age_that_overflows_a_long_is_not_old() -> None:
    def at(committed_ms: int) -> bool:
        value = an_offset(committed_ms)
        return expiry(a_group(None), "t", value, wall_ms=NOW, retention_ms=RETENTION_MS).expired(NOW)

    assert at(NOW - LONG_MAX)
    assert not at(NOW - LONG_MAX - 1)
    assert not at(LONG_MIN)
    assert not at(LONG_MAX)


def test_a_commit_timestamp_of_minus_one_is_a_time() -> None:
    value = an_offset(-1)
    found = expiry(a_group(None), "t", value, wall_ms=NOW, retention_ms=RETENTION_MS)
    assert found == Expiry(Rule.STANDALONE, -1, RETENTION_MS - 1)


# Expiry of the group itself.


class Stored:
    """A group with stored offsets, in a state of the coordinator."""

    def __init__(self, group: Group, *values: OffsetCommitValue, topic: str = "orders") -> None:
        self.groups = Groups(BrokerSettings(offsets_retention_ms=RETENTION_MS))
        self.groups.serve(1)
        self.groups.loaded(0, Now(NOW, 0))
        self.groups.groups["g"] = self.group = group
        for partition, value in enumerate(values):
            self.groups.replay(Record(OffsetCommitKey("g", topic, partition), value))

    def pend(self, partition: int = 0, *, topic: str = "orders") -> None:
        key = OffsetCommitKey("g", topic, partition)
        self.groups.replay(Record(key, an_offset(), producer=(7, 0)))

    def due_ms(self) -> int | None:
        foresight = Foresight(self.groups, self.group)
        for key, value in self.groups.offsets.of("g").items():
            foresight.add(expiry_of(self.groups, self.group, key, value, NOW))
        return foresight.group_due_ms

    def rule(self, partition: int = 0) -> Rule:
        value = self.groups.offsets.of("g")["orders", partition]
        return expiry_of(self.groups, self.group, ("orders", partition), value, NOW).rule


def test_an_empty_group_without_offsets_is_due_since_it_is_empty() -> None:
    assert Stored(a_group()).due_ms() == SINCE_MS


def test_an_open_transaction_keeps_a_group_without_offsets() -> None:
    stored = Stored(a_group())
    stored.pend()
    assert stored.due_ms() is None
    assert not may_go(stored.groups, stored.group)


@pytest.mark.parametrize("group", [a_group(state=PREPARING), a_group("connect", STABLE)])
def test_a_group_that_the_pass_skips_is_kept(group: Group) -> None:
    assert Stored(group, an_offset(0)).due_ms() is None


def test_a_pending_offset_keeps_only_the_stored_one_of_its_partition() -> None:
    stored = Stored(a_group(), an_offset(0), an_offset(0))
    stored.pend(0)
    assert stored.rule(0) is Rule.PENDING_TRANSACTION
    assert stored.rule(1) is Rule.GROUP_EMPTY


def test_a_pending_offset_keeps_the_group() -> None:
    stored = Stored(a_group(), an_offset(0))
    stored.pend(9)
    assert stored.rule(0) is Rule.GROUP_EMPTY
    assert stored.due_ms() is None


def test_a_group_expires_with_the_last_of_its_offsets() -> None:
    stored = Stored(a_group(None), an_offset(), an_offset(COMMITTED_MS + 5))
    assert stored.due_ms() == BY_COMMIT_MS + 5


def test_an_expire_timestamp_keeps_the_group_beyond_its_own_clock() -> None:
    assert Stored(a_group(), an_offset(), an_offset(expire_ms=NOW + 10**9)).due_ms() == NOW + 10**9


def test_a_stable_group_is_kept_when_all_its_offsets_expire() -> None:
    stored = Stored(a_group(state=STABLE, subscribed=frozenset()), an_offset(0))
    assert stored.rule() is Rule.TOPIC_NOT_SUBSCRIBED
    assert stored.due_ms() is None


def test_a_kip_848_group_expires_when_it_is_empty_and_all_its_offsets_are_due() -> None:
    assert Stored(a_consumer_group(), an_offset()).due_ms() == BY_COMMIT_MS
    assert Stored(a_consumer_group(STABLE, "payments"), an_offset()).due_ms() is None


# Cases of transactions and KIP-848 groups, which no client of the tests produces.


def test_after_an_abort_the_stored_offset_expires_by_its_own_age() -> None:
    stored = Stored(a_group(), an_offset(0))
    stored.pend()
    assert stored.rule() is Rule.PENDING_TRANSACTION
    stored.groups.replay(Marker(0, 7, 0, committed=False))
    assert stored.rule() is Rule.GROUP_EMPTY


def test_an_old_commit_of_a_kip_848_group_is_due_when_its_last_member_leaves() -> None:
    value = an_offset(NOW - RETENTION_MS)
    members, none = a_consumer_group(STABLE, "orders"), a_consumer_group(EMPTY)
    assert expiry(members, "orders", value, wall_ms=NOW, retention_ms=RETENTION_MS) == STAYS
    assert expiry(none, "orders", value, wall_ms=NOW, retention_ms=RETENTION_MS).expired(NOW)


def test_an_offset_of_a_long_transaction_is_as_old_as_its_commit() -> None:
    stored = Stored(a_group(None))
    stored.groups.replay(
        Record(OffsetCommitKey("g", "orders", 0), an_offset(NOW - RETENTION_MS), producer=(7, 0))
    )
    stored.groups.replay(Marker(0, 7, 0, committed=True))
    assert stored.due_ms() == NOW


# Random cases against the naive model in Java's longs.

EDGES = [
    LONG_MIN,
    LONG_MIN + 1,
    -2,
    -1,
    0,
    1,
    RETENTION_MS,
    NOW,
    LONG_MAX - RETENTION_MS,
    LONG_MAX - 1,
    LONG_MAX,
]
LONGS = st.one_of(
    st.sampled_from(EDGES),
    st.integers(LONG_MIN, LONG_MAX),
    st.integers(NOW - 3 * RETENTION_MS, NOW + 3 * RETENTION_MS),
    st.integers(NOW - LONG_MAX - 3, NOW - LONG_MAX + 3),
)
WALLS = st.one_of(st.sampled_from([0, NOW, 2**62]), st.integers(0, LONG_MAX))
RETENTIONS = st.sampled_from([60_000, 604_800_000, (2**31 - 1) * 60_000])  # minutes are an int of at least 1


@dataclass(frozen=True)
class Case:
    kind: str
    protocol_type: str | None
    state: ClassicGroupState
    subscribed: frozenset[str] | None
    since_ms: int | None
    topic: str
    committed_ms: int
    expire_ms: int
    pending: bool

    @property
    def group(self) -> Group:
        made: dict[str, Callable[[], Group]] = {
            "classic": lambda: ClassicGroup("g", 0, self.since_ms, state=self.state, store=Groups()),
            "consumer": lambda: ConsumerGroup("g", 0, self.since_ms, store=Groups()),
            "other": lambda: UnreadGroup("g", 0, self.since_ms),
        }
        group = made[self.kind]()
        group.protocol_type, group.subscribed_topics = self.protocol_type, self.subscribed
        return group

    def found(self, wall_ms: int, retention_ms: int) -> Expiry:
        value = an_offset(self.committed_ms, self.expire_ms)
        return expiry(
            self.group, self.topic, value, wall_ms=wall_ms, retention_ms=retention_ms, pending=self.pending
        )

    def goes(self, wall_ms: int, retention_ms: int) -> bool:
        value = an_offset(self.committed_ms, self.expire_ms)
        return goes(
            self.group, self.topic, value, wall_ms=wall_ms, retention_ms=retention_ms, pending=self.pending
        )


CASES = st.builds(
    Case,
    kind=st.sampled_from(["classic", "classic", "classic", "consumer", "other"]),
    protocol_type=st.sampled_from([None, "consumer", "consumer", "connect"]),
    state=st.sampled_from([EMPTY, EMPTY, PREPARING, COMPLETING, STABLE]),
    subscribed=st.sampled_from([None, frozenset(), frozenset({"orders"})]),
    since_ms=st.none() | LONGS,
    topic=st.sampled_from(["orders", "payments"]),
    committed_ms=LONGS,
    expire_ms=st.just(-1) | LONGS,
    pending=st.booleans(),
)


@given(CASES, WALLS, RETENTIONS)
def test_offset_expires_as_in_the_naive_model(case: Case, wall_ms: int, retention_ms: int) -> None:
    # A classic group without a protocol type has no members.
    assume(case.kind != "classic" or case.protocol_type is not None or case.state is EMPTY)
    assume(case.kind != "consumer" or case.subscribed is not None)
    assert case.found(wall_ms, retention_ms).expired(wall_ms) == case.goes(wall_ms, retention_ms)


@given(CASES, WALLS, RETENTIONS, st.integers(0, LONG_MAX))
@example(Case("classic", None, EMPTY, None, None, "t", LONG_MIN, -1, False), 0, 60_000, LONG_MAX)
def test_due_time_is_the_first_at_which_the_offset_expires(
    case: Case, wall_ms: int, retention_ms: int, later_ms: int
) -> None:
    assume(case.kind != "consumer" or case.subscribed is not None)
    due_ms = case.found(wall_ms, retention_ms).due_ms
    if due_ms is None:
        assert not case.goes(max(later_ms, wall_ms), retention_ms)
    elif due_ms <= wall_ms:
        assert case.goes(wall_ms, retention_ms)
    else:
        assert not case.goes(min(max(later_ms, wall_ms), due_ms - 1), retention_ms)
        assert case.goes(due_ms, retention_ms)


@given(CASES, WALLS, RETENTIONS)
def test_rule_and_times_are_consistent(case: Case, wall_ms: int, retention_ms: int) -> None:
    found = case.found(wall_ms, retention_ms)
    stays = found.rule in (Rule.ACTIVE, Rule.PENDING_TRANSACTION, Rule.NOT_SERVED)
    assert (found.since_ms is None) == stays
    assert found.due_ms is None or (not stays and LONG_MIN <= found.due_ms <= LONG_MAX)
    if found.rule is Rule.EXPLICIT_RETENTION:
        assert (found.since_ms, found.due_ms) == (case.committed_ms, case.expire_ms)
    elif not stays:
        assert found.since_ms == base_ms(case.group, case.topic, case.committed_ms)
