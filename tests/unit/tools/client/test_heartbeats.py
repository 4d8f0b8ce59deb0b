"""Heartbeats of the consumer protocol, as Kafka's Java client sends them, against scripted responses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from tests.unit.tools.client.scripted import ScriptedBroker
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseTopicPartitions,
)
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchResponse, OffsetFetchResponseGroup
from tidemark_tools.client.client import Client, TopicPartition
from tidemark_tools.client.errors import ErrorResponse, UnsupportedVersion
from tidemark_tools.client.heartbeats import ConsumerMembership
from tidemark_tools.client.membership import GroupSettings, Position

ID: Final = b"\x0b" * 16
TOPIC: Final = "orders"
AT_ONCE: Final = 0
LATER: Final = 600_000
GROUP: Final = GroupSettings("billing", None, 45_000, 3_000, 300_000)


def beat(epoch: int, *partitions: int, again_ms: int = AT_ONCE, new: tuple[int, ...] = ()) -> Any:
    """A response with an assignment, also if it is empty."""
    held = [ConsumerGroupHeartbeatResponseTopicPartitions(ID, list(partitions), list(new))]
    return ConsumerGroupHeartbeatResponse(
        member_epoch=epoch,
        heartbeat_interval_ms=again_ms,
        assignment=Assignment(held if partitions else []),
    )


def unchanged(epoch: int, again_ms: int = AT_ONCE) -> Any:
    return ConsumerGroupHeartbeatResponse(member_epoch=epoch, heartbeat_interval_ms=again_ms)


def failed(code: ErrorCode, message: str | None = None) -> Any:
    return ConsumerGroupHeartbeatResponse(error_code=code, error_message=message)


class Coordinator:
    """Returns the given responses to heartbeats, one after another."""

    def __init__(self) -> None:
        self.responses: list[Any] = []
        self.commit_error = ErrorCode.NONE
        self.fetch_error = ErrorCode.NONE
        scripts: dict[str, Callable[[Any], Any]] = {
            "ConsumerGroupHeartbeat": lambda _: self.responses.pop(0),
            "OffsetCommit": self._commit,
            "OffsetFetch": self._fetch,
        }
        self.broker = ScriptedBroker(scripts)

    def _commit(self, request: Any) -> Any:
        topics = [
            OffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetCommitResponsePartition(each.partition_index, self.commit_error)
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
        return OffsetCommitResponse(topics=topics)

    def _fetch(self, request: Any) -> Any:
        return OffsetFetchResponse(groups=[OffsetFetchResponseGroup("billing", error_code=self.fetch_error)])

    def sent(self, name: str = "ConsumerGroupHeartbeat") -> list[Any]:
        return [request for api, _, request in self.broker.requests if api == name]


@pytest.fixture
def coordinator() -> Iterator[Coordinator]:
    made = Coordinator()
    with made.broker:
        yield made


@pytest.fixture
def client(coordinator: Coordinator) -> Iterator[Client]:
    with Client(coordinator.broker.bootstrap, timeout_ms=5_000) as opened:
        yield opened


def member(client: Client, settings: GroupSettings = GROUP, topics: list[str] | None = None) -> Any:
    subscribed = [TOPIC] if topics is None else topics
    return ConsumerMembership(
        client, settings, lambda: list(subscribed), lambda ids: dict.fromkeys(ids, TOPIC)
    )


def at(*indexes: int) -> list[TopicPartition]:
    return [TopicPartition(TOPIC, index) for index in indexes]


def held(request: Any) -> dict[bytes, list[int]] | None:
    if request.topic_partitions is None:
        return None
    return {topic.topic_id: topic.partitions for topic in request.topic_partitions}


def test_first_heartbeat_is_full_and_later_ones_have_only_what_changed(
    coordinator: Coordinator, client: Client
) -> None:
    coordinator.responses = [beat(3, 0, 1), unchanged(3), unchanged(3)]
    joined = member(client, GROUP._replace(rack_id="a", remote_assignor="range"))
    assert joined.join(None) == at(0, 1)
    joined.beat()
    joined.beat()
    first, second, third = coordinator.sent()
    assert (first.member_epoch, first.rebalance_timeout_ms, first.rack_id) == (0, 300_000, "a")
    assert (first.subscribed_topic_names, first.server_assignor, held(first)) == ([TOPIC], "range", {})
    assert len(first.member_id) == 22
    assert (second.member_id, second.member_epoch, held(second)) == (first.member_id, 3, {ID: [0, 1]})
    assert (second.rebalance_timeout_ms, second.subscribed_topic_names) == (-1, None)
    assert (second.server_assignor, second.rack_id) == (None, None)
    assert (third.member_epoch, held(third), third.subscribed_topic_names) == (3, None, None)


def test_heartbeats_are_sent_at_the_interval_of_the_response(
    coordinator: Coordinator, client: Client
) -> None:
    coordinator.responses = [beat(3, again_ms=LATER)]
    joined = member(client)
    assert joined.join(None) == []
    for _ in range(3):
        joined.beat()
    assert len(coordinator.sent()) == 1


def test_revoked_partitions_are_owned_until_the_consumer_has_taken_the_new_assignment(
    coordinator: Coordinator, client: Client
) -> None:
    coordinator.responses = [beat(2, 0, 1), unchanged(2), beat(2, 0), unchanged(3, LATER)]
    joined = member(client)
    joined.join(None)
    joined.beat()
    joined.beat()
    assert not joined.joined
    assert held(coordinator.sent()[-1]) is None
    assert joined.join(None) == at(0)
    joined.beat()
    assert joined.joined
    assert [held(request) for request in coordinator.sent()] == [{}, {ID: [0, 1]}, None, {ID: [0]}]


def test_commits_and_fetches_have_the_member_epoch(coordinator: Coordinator, client: Client) -> None:
    coordinator.responses = [beat(7, 0, again_ms=LATER)]
    joined = member(client)
    joined.join(None)
    joined.commit({at(0)[0]: Position(5)})
    assert joined.committed(at(0)) == {}
    (commit,), (fetch,) = coordinator.sent("OffsetCommit"), coordinator.sent("OffsetFetch")
    (beating,) = coordinator.sent()
    assert (commit.member_id, commit.generation_id_or_member_epoch) == (beating.member_id, 7)
    assert (fetch.groups[0].member_id, fetch.groups[0].member_epoch) == (beating.member_id, 7)
    versions = {name: version for name, version, _ in coordinator.broker.requests}
    assert (versions["OffsetCommit"], versions["OffsetFetch"]) == (9, 9)


@pytest.mark.parametrize("code", [ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID])
def test_fenced_member_rejoins_with_epoch_0_and_its_id(
    coordinator: Coordinator, client: Client, code: ErrorCode
) -> None:
    coordinator.responses = [beat(2, 0), failed(code), beat(5, 1), unchanged(5, LATER)]
    joined = member(client)
    joined.join(None)
    joined.beat()
    assert (joined.joined, joined.was_lost) == (False, True)
    assert joined.join(None) == at(1)
    first, _, again = coordinator.sent()
    assert (again.member_epoch, again.member_id, held(again)) == (0, first.member_id, {})
    assert again.rebalance_timeout_ms == 300_000


def test_fenced_commit_makes_the_member_rejoin(coordinator: Coordinator, client: Client) -> None:
    coordinator.responses = [beat(2, 0, again_ms=LATER), beat(3, 0, again_ms=LATER)]
    coordinator.commit_error = ErrorCode.UNKNOWN_MEMBER_ID
    joined = member(client)
    joined.join(None)
    joined.commit({at(0)[0]: Position(5)})
    assert (joined.joined, joined.was_lost) == (False, True)
    joined.join(None)
    assert [request.member_epoch for request in coordinator.sent()] == [0, 0]


def test_stale_epoch_is_refreshed_by_a_heartbeat_and_positions_stay_valid(
    coordinator: Coordinator, client: Client
) -> None:
    coordinator.responses = [beat(2, 0, again_ms=LATER), unchanged(3, LATER)]
    coordinator.fetch_error = ErrorCode.STALE_MEMBER_EPOCH
    joined = member(client)
    joined.join(None)
    assert joined.committed(at(0)) == {}
    assert (joined.joined, joined.was_lost) == (False, False)
    assert joined.join(None) == at(0)
    coordinator.fetch_error = ErrorCode.NONE
    joined.committed(at(0))
    assert [fetch.groups[0].member_epoch for fetch in coordinator.sent("OffsetFetch")] == [2, 3]


def test_moved_coordinator_is_looked_up_again_and_the_next_heartbeat_is_full(
    coordinator: Coordinator, client: Client
) -> None:
    coordinator.responses = [
        failed(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
        beat(2, 0),
        failed(ErrorCode.NOT_COORDINATOR),
        unchanged(2, LATER),
    ]
    joined = member(client)
    assert joined.join(None) == at(0)
    joined.beat()
    assert joined.joined
    joined.beat()
    assert len(coordinator.sent("FindCoordinator")) == 3
    assert (coordinator.sent()[-1].rebalance_timeout_ms, held(coordinator.sent()[-1])) == (300_000, {ID: [0]})


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.UNRELEASED_INSTANCE_ID,
        ErrorCode.FENCED_INSTANCE_ID,
        ErrorCode.GROUP_MAX_SIZE_REACHED,
        ErrorCode.UNSUPPORTED_ASSIGNOR,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ],
)
def test_other_errors_are_raised_with_the_message_of_the_coordinator(
    coordinator: Coordinator, client: Client, code: ErrorCode
) -> None:
    coordinator.responses = [failed(code, "no")]
    with pytest.raises(ErrorResponse, match="^no$") as raised:
        member(client).join(None)
    assert raised.value.code == code


def test_cluster_without_the_protocol_is_named_as_in_kafkas_client(
    coordinator: Coordinator, client: Client
) -> None:
    coordinator.responses = [failed(ErrorCode.UNSUPPORTED_VERSION)]
    with pytest.raises(UnsupportedVersion, match="does not support the new CONSUMER group protocol"):
        member(client).join(None)
    with (
        ScriptedBroker({}, {"ConsumerGroupHeartbeat": (0, -1)}) as old,
        Client(old.bootstrap, timeout_ms=5_000) as to_old,
        pytest.raises(UnsupportedVersion, match="does not support the new CONSUMER group protocol"),
    ):
        member(to_old).join(None)


@pytest.mark.parametrize(("instance", "epoch"), [(None, -1), ("till-1", -2)])
def test_leaving_has_the_epoch_that_says_whether_the_member_returns(
    coordinator: Coordinator, client: Client, instance: str | None, epoch: int
) -> None:
    coordinator.responses = [beat(2, 0, again_ms=LATER), unchanged(epoch)]
    joined = member(client, GROUP._replace(instance_id=instance))
    joined.join(None)
    joined.leave()
    joined.leave()
    joined.commit({at(0)[0]: Position(5)})
    left = coordinator.sent()[-1]
    assert (len(coordinator.sent()), left.member_epoch, left.instance_id) == (2, epoch, instance)
    assert (held(left), left.subscribed_topic_names) == (None, None)
    assert coordinator.sent("OffsetCommit") == []


def test_new_topics_of_a_pattern_are_sent_with_the_next_heartbeat(
    coordinator: Coordinator, client: Client
) -> None:
    topics = [TOPIC]
    coordinator.responses = [beat(2, again_ms=LATER), unchanged(2, LATER)]
    joined = member(client, topics=topics)
    joined.join(None)
    joined.look()
    joined.beat()
    topics.append("orders-2")
    joined.look()
    joined.beat()
    assert [request.subscribed_topic_names for request in coordinator.sent()] == [
        [TOPIC],
        [TOPIC, "orders-2"],
    ]


def test_topic_without_a_known_name_is_owned_once_the_name_is_known(
    coordinator: Coordinator, client: Client
) -> None:
    names: dict[bytes, str] = {}
    coordinator.responses = [beat(2, 0), unchanged(2), unchanged(2)]
    joined = ConsumerMembership(client, GROUP, lambda: [TOPIC], lambda ids: names)
    assert joined.join(None) == []
    joined.beat()
    assert not joined.joined
    names[ID] = TOPIC
    assert joined.join(None) == at(0)
    joined.beat()
    assert [held(request) for request in coordinator.sent()] == [{}, None, {ID: [0]}]


def test_partitions_that_the_coordinator_calls_new_are_known(
    coordinator: Coordinator, client: Client
) -> None:
    coordinator.responses = [beat(2, 0, 1, new=(1,), again_ms=LATER)]
    joined = member(client)
    assert joined.join(None) == at(0, 1)
    assert joined.new_partitions == set(at(1))
    assert coordinator.broker.requests[-1][1] == 2
