"""The sentences that explain why an offset or a group is kept, expires, or was removed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemark.core.decision import Cause, Removal
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.member import ClassicGroupState
from tidemark.groups.consumer.group import ConsumerGroup, ConsumerGroupState
from tidemark.groups.expirations import expiry
from tidemark.groups.explain import Holder, Outlook, explain_group, explain_offset, explain_removal
from tidemark.groups.group import Group
from tidemark.groups.state import Groups
from tidemark.groups.unserved import UnreadGroup
from tidemark_expiry.rules import Rule
from tidemark_expiry.sentences import Retention, moment, shown
from tidemark_protocol.records.offset_commit import OffsetCommitValue

DAY_MS = 86_400_000
WEEK = Retention(7 * DAY_MS)
NOV_1 = 1_793_527_200_000  # date -u -d 2026-11-01T10:00:00Z +%s
LONG = st.integers(-(2**63), 2**63 - 1)


def a_group(
    state: ClassicGroupState = ClassicGroupState.EMPTY, protocol_type: str | None = "consumer"
) -> Group:
    group = ClassicGroup("readers", 0, NOV_1, store=Groups())
    group.state, group.protocol_type = state, protocol_type
    group.subscribed_topics = frozenset({"orders"}) if state is ClassicGroupState.STABLE else frozenset()
    return group


def a_kip_848_group(*topics: str) -> ConsumerGroup:
    group = ConsumerGroup("readers", 0, None, store=Groups())
    group.protocol_type, group.subscribed_topics = "consumer", frozenset(topics)
    group.state = ConsumerGroupState.STABLE if topics else ConsumerGroupState.EMPTY
    return group


def said(
    group: Group,
    *,
    topic: str = "orders",
    committed_ms: int = NOV_1 - DAY_MS,
    expire_ms: int = -1,
    now_ms: int = NOV_1 + DAY_MS,
    retention: Retention = WEEK,
    pending: bool = False,
    holders: Sequence[Holder] = (),
) -> str:
    value = OffsetCommitValue(42, commit_timestamp=committed_ms, expire_timestamp=expire_ms)
    found = expiry(group, topic, value, wall_ms=now_ms, retention_ms=retention.ms, pending=pending)
    return explain_offset(
        group, (topic, 0), value, found, wall_ms=now_ms, retention=retention, holders=holders
    )


# One offset.


def test_an_empty_group_has_one_clock_that_a_commit_does_not_restart() -> None:
    assert said(a_group()) == (
        "Group readers has been Empty since 2026-11-01T10:00:00Z: orders-0 expires at the first cleanup "
        "pass from 2026-11-08T10:00:00Z on (offsets.retention.minutes=10080). "
        "A commit does not restart the group's clock."
    )


def test_a_commit_to_an_empty_group_did_not_restart_its_clock() -> None:
    sentence = said(a_group(), committed_ms=NOV_1 + 3_600_000)
    assert "from 2026-11-08T10:00:00Z" in sentence
    assert "The commit at 2026-11-01T11:00:00Z did not restart the group's clock" in sentence


def test_an_offset_that_is_due_expires_at_the_next_pass() -> None:
    sentence = said(a_group(), now_ms=NOV_1 + 7 * DAY_MS)
    assert "expires at the next cleanup pass, because it has been due since 2026-11-08T10:00:00Z" in sentence


def test_without_a_time_of_the_state_the_age_counts_from_each_commit() -> None:
    group = a_group()
    group.state_since_ms = None
    sentence = said(group)
    assert "does not say since when" in sentence
    assert "orders-0 was committed at 2026-10-31T10:00:00Z" in sentence
    assert "from 2026-11-07T10:00:00Z" in sentence


def test_without_a_subscription_the_age_counts_from_the_commit() -> None:
    sentence = said(a_group(ClassicGroupState.STABLE), topic="old")
    assert "No member of group readers is subscribed to old" in sentence
    assert (
        "committed at 2026-10-31T10:00:00Z and expires at the first cleanup pass from 2026-11-07" in sentence
    )
    assert "A commit restarts this clock." in sentence


def test_a_standalone_group_has_a_clock_for_each_offset() -> None:
    sentence = said(a_group(protocol_type=None))
    assert "has never had members" in sentence
    assert "from 2026-11-07T10:00:00Z on (offsets.retention.minutes=10080)" in sentence
    assert "A commit restarts this clock." in sentence


def test_a_subscribed_topic_does_not_expire_and_the_clocks_that_may_start_are_named() -> None:
    sentence = said(a_group(ClassicGroupState.STABLE))
    assert "is Stable and subscribed to orders, so orders-0 does not expire" in sentence
    assert "the commit at 2026-10-31T10:00:00Z" in sentence
    assert "cleanup pass" not in sentence


@pytest.mark.parametrize(
    "state", [ClassicGroupState.PREPARING_REBALANCE, ClassicGroupState.COMPLETING_REBALANCE]
)
def test_no_offset_expires_during_a_rebalance(state: ClassicGroupState) -> None:
    assert (
        said(a_group(state)) == f"Group readers is {state}: none of its offsets expires during a rebalance."
    )


def test_no_offset_of_another_protocol_type_expires_until_the_group_is_empty() -> None:
    sentence = said(a_group(ClassicGroupState.STABLE, "connect"))
    assert "protocol type is connect" in sentence
    assert "while it has members" in sentence


def test_a_subscription_that_cannot_be_read_is_named() -> None:
    group = a_group(ClassicGroupState.STABLE)
    group.subscribed_topics = None
    assert "the subscription of a member cannot be read" in said(group)


def test_a_group_of_kip_848_gets_no_new_retention_when_it_becomes_empty() -> None:
    assert "gets no new retention when its last member leaves" in said(a_kip_848_group("orders"))
    sentence = said(a_kip_848_group())
    assert "from 2026-11-07T10:00:00Z" in sentence
    assert "The departure of the last member does not" in sentence


def test_the_retention_of_a_commit_replaces_the_brokers() -> None:
    sentence = said(a_group(), expire_ms=NOV_1 + 2 * DAY_MS)
    assert "at the first cleanup pass from 2026-11-03T10:00:00Z" in sentence
    assert (
        "offsets.retention.minutes does not apply to it until it is committed again without one" in sentence
    )


def test_the_retention_of_a_commit_does_not_apply_while_the_group_reads_the_topic() -> None:
    sentence = said(a_group(ClassicGroupState.STABLE), expire_ms=NOV_1)
    assert "orders-0 does not expire" in sentence
    assert "Its own retention, until 2026-11-01T10:00:00Z, does not apply meanwhile" in sentence


def test_an_open_transaction_keeps_an_offset_of_any_age() -> None:
    sentence = said(a_group(), now_ms=NOV_1 + 100 * DAY_MS, pending=True)
    assert sentence.startswith("An open transaction has an offset for orders-0 of group readers")


def test_the_transaction_that_keeps_an_offset_is_named() -> None:
    holders = [Holder("copier-1", 1000, 3, NOV_1), Holder(None, 1001, 0, NOV_1), Holder(None, 1002, 0, NOV_1)]
    named = "It is the transaction of transactional id copier-1 (producer 1000, epoch 3), "
    assert said(a_group(), pending=True, holders=holders[:1]).endswith(
        f"however old it is. {named}with pending offsets since 2026-11-01T10:00:00Z."
    )
    assert said(a_group(), pending=True, holders=holders[:2]).endswith("10:00:00Z, and of another one.")
    assert said(a_group(), pending=True, holders=holders).endswith("10:00:00Z, and of 2 more.")
    assert "It is the transaction of producer 1001, epoch 0, with" in said(
        a_group(), pending=True, holders=holders[1:]
    )


def test_a_transaction_is_not_named_if_something_else_keeps_the_offset() -> None:
    group = a_group(state=ClassicGroupState.PREPARING_REBALANCE)
    assert "transaction" not in said(group, pending=True, holders=[Holder("copier-1", 1000, 3, NOV_1)])


def test_an_empty_group_that_only_an_open_transaction_keeps() -> None:
    outlook = Outlook(0, None, None, pending=True)
    assert explain_group(a_group(), outlook, wall_ms=NOV_1, retention=WEEK) == (
        "Group readers is Empty and kept: an open transaction has committed offsets of it."
    )


def test_offsets_of_a_share_group_do_not_expire() -> None:
    group = UnreadGroup("readers", 0, None)
    assert "of type unknown, which tidemark does not serve: orders-0 does not expire" in said(group)


def test_an_assumed_and_a_requested_retention_are_marked() -> None:
    assert "(offsets.retention.minutes=10080, assumed)" in said(
        a_group(), retention=Retention(WEEK.ms, "assumed")
    )
    sentence = said(a_group(), retention=Retention(3_600_000, "asked"))
    assert "(offsets.retention.minutes=60, as requested)" in sentence
    assert "due since 2026-11-01T11:00:00Z" in sentence


def test_a_commit_far_in_the_future_never_expires() -> None:
    """Java's difference of the two times wraps."""
    sentence = said(a_group(protocol_type=None), committed_ms=2**63 - 1)
    assert "never expires" in sentence


GROUPS = st.sampled_from(
    [
        *(a_group(state, kind) for state in ClassicGroupState for kind in ("consumer", "connect", "", None)),
        a_kip_848_group(),
        a_kip_848_group("orders"),
        UnreadGroup("readers", 0, None),
    ]
)


@given(GROUPS, LONG, LONG, LONG, st.integers(1, 2**31 - 1), st.booleans())
def test_every_explanation_names_the_time_at_which_the_offset_expires(
    group: Group, committed_ms: int, expire_ms: int, now_ms: int, minutes: int, pending: bool
) -> None:
    value = OffsetCommitValue(42, commit_timestamp=committed_ms, expire_timestamp=expire_ms)
    retention = Retention(minutes * 60_000)
    found = expiry(group, "orders", value, wall_ms=now_ms, retention_ms=retention.ms, pending=pending)
    sentence = explain_offset(group, ("orders", 0), value, found, wall_ms=now_ms, retention=retention)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert ("cleanup pass" in sentence) == (found.due_ms is not None)
    if found.due_ms is not None:
        assert moment(found.due_ms) in sentence
        assert ("the next cleanup pass" in sentence) == found.expired(now_ms)


# Groups.


def told(group: Group, outlook: Outlook, now_ms: int = NOV_1) -> str:
    return explain_group(group, outlook, wall_ms=now_ms, retention=WEEK)


def test_an_empty_group_expires_with_the_last_of_its_offsets() -> None:
    assert told(a_group(), Outlook(3, NOV_1 + DAY_MS, NOV_1 + 7 * DAY_MS)) == (
        "Group readers has been Empty since 2026-11-01T10:00:00Z and expires with the last of its 3 offsets "
        "at the first cleanup pass from 2026-11-08T10:00:00Z on (offsets.retention.minutes=10080)."
    )


def test_a_group_kept_by_the_retention_of_a_commit_does_not_name_the_brokers() -> None:
    outlook = Outlook(2, NOV_1 + 7 * DAY_MS, NOV_1 + 30 * DAY_MS, Rule.EXPLICIT_RETENTION)
    assert told(a_group(), outlook) == (
        "Group readers has been Empty since 2026-11-01T10:00:00Z and expires with the last of its 2 offsets "
        "at the first cleanup pass from 2026-12-01T10:00:00Z on (the commit set its own retention: "
        "OffsetCommit v2 to v4)."
    )


def test_an_empty_group_without_offsets_expires_at_the_next_pass() -> None:
    assert told(a_group(), Outlook(0, None, NOV_1)) == (
        "Group readers is Empty without offsets: "
        "the next cleanup pass removes it, regardless of the retention."
    )


def test_a_group_with_members_does_not_expire_even_if_some_offsets_do() -> None:
    group = a_group(ClassicGroupState.STABLE)
    assert told(group, Outlook(1, None, None)) == (
        "Group readers is Stable: it does not expire while it has members."
    )
    assert "without a subscription expires at the first cleanup pass from 2026-11-02T10:00:00Z" in told(
        group, Outlook(2, NOV_1 + DAY_MS, None)
    )


def test_an_empty_group_may_be_kept_by_an_offset_that_never_expires() -> None:
    assert "one of its offsets never expires" in told(a_group(), Outlook(1, None, None))


def test_a_share_group_does_not_expire() -> None:
    assert "which tidemark does not serve: it does not expire" in told(
        UnreadGroup("shared", 0, None), Outlook(0, None, None)
    )


# Removed offsets.


def a_removal(cause: Cause, rule: str | None = None, since_ms: int | None = None) -> Removal:
    due_ms = None if rule is None else NOV_1 + 7 * DAY_MS
    return Removal(
        NOV_1 + 8 * DAY_MS, "readers", "orders", 0, 42, -1, "", NOV_1 - DAY_MS, cause, rule, since_ms, due_ms
    )


@pytest.mark.parametrize(
    ("rule", "fact"),
    [
        ("group_empty", "the group was Empty, counted from 2026-11-01T10:00:00Z"),
        ("topic_not_subscribed", "no member of the group was subscribed to orders"),
        ("standalone", "the group had never had members"),
    ],
)
def test_an_expired_offset_names_its_rule(rule: str, fact: str) -> None:
    sentence = explain_removal(a_removal(Cause.EXPIRED, rule, NOV_1))
    assert sentence.startswith("Offset 42 of orders-0 of group readers was removed at 2026-11-09T10:00:00Z: ")
    assert fact in sentence
    assert "due since 2026-11-08T10:00:00Z (offsets.retention.minutes=10080)" in sentence


def test_an_offset_that_expired_by_the_retention_of_its_commit() -> None:
    sentence = explain_removal(a_removal(Cause.EXPIRED, "explicit_retention", NOV_1))
    assert "committed at 2026-10-31T10:00:00Z with its own retention, which ended at 2026-11-08" in sentence
    assert "retention.minutes" not in sentence


@pytest.mark.parametrize(
    ("cause", "fact"),
    [
        (Cause.OFFSET_DELETE, "OffsetDelete"),
        (Cause.GROUP_DELETE, "DeleteGroups"),
        (Cause.TOPIC_DELETE, "its topic, which was deleted"),
    ],
)
def test_a_deleted_offset_names_the_request(cause: Cause, fact: str) -> None:
    assert fact in explain_removal(a_removal(cause))


# Names and times.


def test_a_name_is_quoted_if_its_ends_could_not_be_seen() -> None:
    assert [shown(name) for name in ("a.b_c-1", "", "a b", 'a"b', "x\n")] == [
        "a.b_c-1", '""', '"a b"', '"a\\"b"', '"x\\n"',
    ]  # fmt: skip


def test_times_are_iso_texts_up_to_the_year_9999() -> None:
    assert moment(NOV_1) == "2026-11-01T10:00:00Z"
    assert moment(NOV_1 + 5) == "2026-11-01T10:00:00.005Z"
    assert moment(-1) == "1969-12-31T23:59:59.999Z"
    assert moment(253_402_300_799_999) == "9999-12-31T23:59:59.999Z"
    assert moment(2**63 - 1) == "9223372036854775807 ms since 1970"
    assert moment(-(2**63)) == "-9223372036854775808 ms since 1970"
