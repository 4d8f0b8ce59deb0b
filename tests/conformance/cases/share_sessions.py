"""Share sessions: their epochs, members, connections and partitions."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build_share import ACCEPT, RELEASE, share_acknowledge, share_fetch
from tests.conformance.case import ZERO_UUID, Talk, case
from tests.conformance.members import some_stable
from tests.conformance.sharing import (
    SHARE_SETTINGS,
    Sharer,
    a_sharer,
    closed,
    fill,
    filled_topic,
    member_id,
    sharers,
    shares,
    started,
)

UNKNOWN_ID: Final = "00000000-0000-4000-8000-000000000001"
EPOCHS: Final = (-2, -1, 0, 1, 2, 3, 5, 2**31 - 1, -(2**31))


@shares(versions=(1, 2))
def fetch_without_a_session(k: Talk, version: int) -> None:
    topic = filled_topic(k, 3)
    one = a_sharer(k, topic, version=version)
    for epoch in EPOCHS:
        if epoch != 0:
            one.fetch({topic: [0]}, epoch=epoch)
            one.fetch(epoch=epoch)


@shares(versions=(1, 2))
def acknowledge_without_a_session(k: Talk, version: int) -> None:
    topic = filled_topic(k, 3)
    one = a_sharer(k, topic, version=version)
    for epoch in EPOCHS:
        one.acknowledge({topic: {0: [(0, 2, ACCEPT)]}}, epoch=epoch)
        one.acknowledge(epoch=epoch)


@shares
def fetches_in_a_session_with_wrong_epochs(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one = started(k, topic)
    while one.session < 2:  # a broker may need one or two requests to begin
        one.fetch({topic: [0]}, kept=False)
    right = one.session
    for epoch in (right + 1, right - 1, right - 2, right + 100, -2, 2**31 - 1, -(2**31)):
        if epoch not in (0, -1):
            one.fetch({topic: [0]}, epoch=epoch)
    one.fetch({topic: [0]}, epoch=right)
    one.fetch({topic: [0]}, epoch=right)
    one.fetch({topic: [0]}, epoch=right + 1)


@shares
def acknowledgements_in_a_session_with_wrong_epochs(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one = started(k, topic)
    right = one.session
    for epoch in (0, right + 1, right + 100, -2, 2**31 - 1):
        one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}}, epoch=epoch)
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}}, epoch=right)
    one.acknowledge({topic: {0: [(1, 1, ACCEPT)]}}, epoch=right)
    one.acknowledge({topic: {0: [(1, 1, ACCEPT)]}}, epoch=right + 1)


@shares
def acknowledgements_and_fetches_count_together(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}})
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(1, 1, RELEASE)]}})
    one.fetch({topic: [0]})
    one.fetch()
    one.acknowledge()


@shares
def session_is_closed_by_a_fetch(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one, two = sharers(k, 2, {topic: 1})
    one.fetch_until({topic: [0]}, kept=False)
    one.fetch({topic: [0]}, epoch=-1)
    one.session = 0
    one.fetch({topic: [0]}, epoch=1)
    two.fetch_until({topic: [0]})


@shares
def session_is_closed_by_a_fetch_that_acknowledges(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.fetch({topic: {0: [(0, 1, ACCEPT)]}}, epoch=-1)
    one.fetch(epoch=-1)
    one.session = 0
    one.fetch_until({topic: [0]})


@shares
def session_is_closed_by_an_acknowledgement(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}}, epoch=-1)
    one.acknowledge(epoch=-1)
    one.session = 0
    one.fetch_until({topic: [0]})


@shares
def session_is_closed_without_topics(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.acknowledge(epoch=-1)
    one.session = 0
    one.fetch_until({topic: [0]}, kept=False)
    one.fetch(epoch=-1)
    one.session = 0
    one.fetch_until({topic: [0]})


@shares
def session_that_is_closed_with_an_unknown_partition(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.fetch(
        {topic: {0: [(0, 1, ACCEPT)], 7: [(0, 1, ACCEPT)]}, UNKNOWN_ID: {0: [(0, 0, ACCEPT)]}}, epoch=-1
    )
    one.fetch(epoch=-1)


@shares
def session_begins_again(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.fetch({topic: [0]}, epoch=0)
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}})
    one.fetch({topic: [0]})
    one.fetch(epoch=0)
    one.fetch({topic: [0]})


@shares(versions=(1, 2))
def session_begins_with_acknowledgements(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5)
    one = closed(started(k, topic, version), topic, 4)
    one.fetch({topic: {0: [(0, 0, ACCEPT)]}})
    one.fetch({topic: [0]})


@shares
def session_begins_without_topics(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = a_sharer(k, topic)
    one.fetch()
    one.fetch()
    one.acknowledge()
    one.fetch_until({topic: [0]})


@shares(versions=(1, 2))
def session_of_odd_members(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5)
    one = closed(started(k, topic, version), topic, 4)
    for member in ("", "nobody", "AAAAAAAAAAAAAAAAAAAAAA", "-" * 22, "_" * 23, member_id(7), "é" * 11, None):
        one.fetch({topic: [0]}, member=member, epoch=0)
        one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}}, member=member, epoch=1)


@shares(versions=(1, 2))
def session_in_odd_groups(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5)
    one = a_sharer(k, topic, version=version)
    one.id = member_id(10 + version)  # the cases share the group without a name
    (classic,) = some_stable(k, 1)
    for group in ("", k.group(), classic.group, None):
        one.fetch({topic: [0]}, group=group, epoch=0, max_wait_ms=200)
        one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}}, group=group, epoch=1)


@shares
def session_of_a_member_that_has_not_joined(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = a_sharer(k, topic)
    other = Sharer(k, one.group, 9)
    other.fetch_until({topic: [0]})
    other.acknowledge({topic: {0: [(0, 4, ACCEPT)]}})
    other.fetch(epoch=-1)


@shares
def session_of_a_member_that_left(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.leave()
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.fetch({topic: [0]})


@shares
def partitions_that_are_not_assigned(k: Talk) -> None:
    first, second = filled_topic(k, 3), filled_topic(k, 3)
    one = a_sharer(k, first)
    two = Sharer(k, one.group, 2)
    two.join(second, kept=False)
    two.beat_until({second: [0]})
    one.fetch_until({second: [0]})
    one.acknowledge({second: {0: [(0, 2, ACCEPT)]}})


@shares
def session_of_another_connection(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    first, one.peer = one.peer, k.connect("m1")
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.fetch({topic: [0]}, epoch=0)
    one.peer = first
    one.fetch({topic: [0]})


@shares
def session_ends_while_its_fetch_waits(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one, two = sharers(k, 2, {topic: 1})
    one.fetch_until({topic: [0]}, kept=False)
    first, other = one.peer, k.connect("m1")
    first.park(*one.request(share_fetch, {topic: [0]}, max_wait_ms=2_000, min_bytes=1))
    one.peer = other
    one.acknowledge(epoch=-1)
    first.receive(keep=one.shown)
    two.fetch({topic: [0]}, max_wait_ms=500, min_bytes=1)


@shares
def session_begins_again_while_its_fetch_waits(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one = started(k, topic)
    first, other = one.peer, k.connect("m1")
    first.park(*one.request(share_fetch, {topic: [0]}, max_wait_ms=2_000, min_bytes=1))
    one.peer = other
    one.fetch({topic: [0]}, epoch=0)
    fill(k, topic, 2)
    first.receive(keep=one.shown)
    one.fetch({topic: [0]}, max_wait_ms=500, min_bytes=1)
    one.acknowledge({topic: {0: [(0, 5, ACCEPT)]}})


@shares
def one_connection_has_two_sessions(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = a_sharer(k, topic)
    two = Sharer(k, one.group, 2)
    two.peer = one.peer
    one.fetch_until({topic: [0]}, kept=False)
    two.fetch({topic: [0]})
    two.fetch({topic: [0]})
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})


@shares
def connection_of_a_session_ends(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one, two = sharers(k, 2, {topic: 1})
    one.fetch_until({topic: [0]}, kept=False)
    one.peer.close()
    two.fetch_until({topic: [0]})
    one.peer = k.connect("m1")
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.fetch({topic: [0]})
    one.fetch({topic: [0]}, epoch=0)


@shares
def two_members_have_sessions(k: Talk) -> None:
    topic = filled_topic(k, 3, batches=3)
    one, two = sharers(k, 2, {topic: 1})
    one.fetch_until({topic: [0]}, max_records=3, batch_size=3)
    two.fetch_until({topic: [0]}, max_records=3, batch_size=3)
    one.acknowledge({topic: {0: [(3, 5, ACCEPT)]}})
    two.acknowledge({topic: {0: [(0, 2, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 2, RELEASE)]}})
    two.fetch({topic: [0]}, max_records=3, batch_size=3)
    one.fetch({topic: {0: [(0, 2, ACCEPT)]}})


@shares
def partitions_stay_in_a_session(k: Talk) -> None:
    topic = filled_topic(k, 3, partitions=2)
    one = a_sharer(k, topic, 2)
    one.fetch_until({topic: [0]})
    one.fetch_until({topic: [1]})
    for index in range(2):
        fill(k, topic, 2, index)
        one.fetch_until()


@shares
def partitions_are_forgotten(k: Talk) -> None:
    topic = filled_topic(k, 3, partitions=2)
    one = a_sharer(k, topic, 2)
    one.fetch_until({topic: [0]})
    one.fetch_until({topic: [1]})
    one.fetch(forgotten={topic: [0]})
    fill(k, topic, 2)
    one.fetch()
    one.acknowledge({topic: {0: [(0, 2, ACCEPT)]}})
    one.fetch(forgotten={topic: [0, 1, 7], UNKNOWN_ID: [0]})
    one.fetch({topic: [0]}, forgotten={topic: [0]})
    one.fetch()


@shares
def forgotten_partition_is_acknowledged_in_the_same_request(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one = started(k, topic)
    one.fetch({topic: {0: [(0, 0, ACCEPT)]}}, forgotten={topic: [0]})
    one.fetch()
    one.fetch_until({topic: {0: [(1, 2, RELEASE)]}})


@shares
def first_and_last_requests_forget_partitions(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 2, RELEASE)]}}, kept=False)
    one.fetch(epoch=-1, forgotten={topic: [0]})
    one.session = 0
    one.fetch({topic: [0]}, forgotten={topic: [0]})
    one.fetch(forgotten={topic: [0]}, epoch=0)


@shares(versions=(1, 2))
def unknown_topics_and_partitions_are_fetched(k: Talk, version: int) -> None:
    topic = filled_topic(k, 3)
    one = a_sharer(k, topic, version=version)
    one.fetch({topic: [7, -1]})
    one.fetch({UNKNOWN_ID: [0]})
    one.fetch({ZERO_UUID: [0]})
    one.fetch()


@shares
def unknown_topics_in_a_new_session(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one = a_sharer(k, topic)
    one.fetch({UNKNOWN_ID: [0], topic: [3]})
    one.fetch(forgotten={UNKNOWN_ID: [0]})
    one.fetch(forgotten={topic: [3]})
    one.fetch()


@shares
def topic_of_a_session_is_deleted(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one = started(k, topic)
    k.delete_topic(topic)
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}})
    one.fetch({topic: {0: [(0, 0, ACCEPT)]}})
    one.fetch(epoch=-1)


@case(settings={**SHARE_SETTINGS, "group.share.max.share.sessions": "1", "group.share.max.size": "1"})
def more_sessions_than_allowed(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one = a_sharer(k, topic)
    two = Sharer(k, one.group, 2)
    one.fetch_until({topic: [0]}, kept=False)
    two.fetch({topic: [0]})
    two.fetch({topic: [0]}, epoch=1)
    one.fetch({topic: [0]}, epoch=-1)
    two.fetch_until({topic: [0]})
    one.fetch({topic: [0]}, epoch=0)


@shares
def requests_twice_in_one_fetch(k: Talk) -> None:
    """The same partition, and the same topic, are twice in a request."""
    topic = filled_topic(k, 5)
    one = started(k, topic)
    name, version, fields = one.request(share_fetch, {topic: {0: [(0, 0, ACCEPT)]}})
    fields["Topics"] *= 2
    _ask(one, name, version, fields)
    name, version, fields = one.request(share_acknowledge, {topic: {0: [(1, 1, ACCEPT)]}})
    fields["Topics"] *= 2
    _ask(one, name, version, fields)
    name, version, fields = one.request(share_acknowledge, {topic: {0: [(2, 2, ACCEPT)]}})
    fields["Topics"][0]["Partitions"] *= 2
    _ask(one, name, version, fields)


def _ask(one: Sharer, name: str, version: int, fields: dict[str, Any]) -> None:
    one.succeeded(one.peer.ask(name, version, fields, keep=one.shown), one.session)
