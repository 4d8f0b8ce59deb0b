"""Scenarios of offset expiry on a running broker, with time that is moved over HTTP.

Client libraries run the scenarios that they support, and handmade requests the others. Scenarios that need
transactions or KIP-848 groups are in tests/unit/broker/groups/test_retention.py.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from struct import unpack_from
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clientenv import REQUIREMENTS, client_python
from tests.clients.children import CLIENTS
from tests.clients.client import Client
from tests.unit.broker.group_story import subscription
from tests.wire import Connection, request, response
from tidemark_protocol.batch import BatchBuilder
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.heartbeat import HeartbeatRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import CoordinatorCodec, Versions
from tidemark_testing.wire import create_topic, delete_topics
from tidemark_tools.http_api import Api

pytestmark = [pytest.mark.contract, pytest.mark.slow]

SETTINGS: Final = {"group.initial.rebalance.delay.ms": "0", "tidemark.test.api": "true"}
SCRIPTS: Final = {
    "kafka-python": "expiring_with_kafka_python.py",
    "kafka-python-ng": "expiring_with_kafka_python.py",
    "confluent-kafka": "expiring_with_confluent_kafka.py",
}
DAY_MS: Final = 86_400_000
R: Final = 7 * DAY_MS
MINUTE_MS: Final = 60_000
PATIENCE_S: Final = 60

Place = tuple[str, int]


class Scene:
    """A broker, its clock, and handmade requests."""

    def __init__(self, broker: BrokerProcess) -> None:
        self.broker = broker
        self.api = Api(broker.http)
        self._connections: list[Connection] = []
        self.client = self.another_client()

    def another_client(self) -> Client:
        self._connections.append(Connection(self.broker.bootstrap))
        return Client(self._connections[-1])

    def close(self) -> None:
        for connection in self._connections:
            connection.socket.close()

    # time

    def advance(self, ms: int, **how: bool) -> Any:
        return self.api.post("/v1/clock/advance", {"ms": ms, **how})

    def just_before_due(self, group: str) -> list[str]:
        """Run a pass one millisecond before the group's next offset is due. Return what was removed."""
        return self._gone(group, {"to": "next_expiry", "group": group, "minus_ms": 1})

    def when_due(self, group: str) -> list[str]:
        """Run a pass when the group's next offset is due. Return what was removed."""
        return self._gone(group, {"to": "next_expiry", "group": group})

    def cleaned_up(self, group: str) -> list[str]:
        """Run a pass now. Return what was removed."""
        return self._gone_by(group, self.api.post("/v1/cleanup"))

    def after(self, ms: int, group: str) -> list[str]:
        return self._gone(group, {"ms": ms})

    def _gone(self, group: str, move: dict[str, Any]) -> list[str]:
        return self._gone_by(group, self.api.post("/v1/clock/advance", move))

    def _gone_by(self, group: str, moved: Any) -> list[str]:
        """Return `topic-partition rule` of each removal, and "group" if the group was removed, too."""
        offsets = [
            f"{each['topic']}-{each['partition']} {each['rule']}"
            for each in moved["offsets"]
            if each["group"] == group
        ]
        return sorted(offsets) + ["group"] * moved["groups"].count(group)

    # state

    def offsets(self, group: str) -> dict[Place, int]:
        requested = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=None)])
        answer = self.client.ask(8, requested).groups[0]
        assert answer.error_code == 0
        return {
            (topic.name, partition.partition_index): partition.committed_offset
            for topic in answer.topics
            for partition in topic.partitions
        }

    def listed(self, group: str) -> tuple[str, str] | None:
        """Return state and protocol type of a group; None if it does not exist."""
        for each in self.client.ask(4, ListGroupsRequest()).groups:
            if each.group_id == group:
                return each.group_state, each.protocol_type
        return None

    def wait_until_subscribed(self, group: str, *topics: str) -> None:
        """Wait for the subscription: libraries may rebalance once more when they discover topics."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            (found,) = self.api.get("/v1/groups", group=group)["groups"]
            if found["state"] == "Stable" and found["subscribed_topics"] == [*topics]:
                return
            assert time.monotonic() < deadline, found

    # requests that no library sends

    def commit(self, group: str, *places: Place, version: int = 8, **more: Any) -> None:
        for topic, partition in places:
            assert self.client.commit(group, topic, {partition: 42}, version, **more) == [0]

    def commit_of(self, group: str, place: Place, committed_ms: int) -> None:
        """Commit with OffsetCommit v1, which has a timestamp."""
        partition = OffsetCommitRequestPartition(place[1], 42, commit_timestamp=committed_ms)
        topics = [OffsetCommitRequestTopic(place[0], partitions=[partition])]
        requested = OffsetCommitRequest(group, generation_id_or_member_epoch=-1, member_id="", topics=topics)
        assert self.client.ask(1, requested).topics[0].partitions[0].error_code == 0

    def now_ms(self) -> int:
        now: int = self.api.get("/v1/clock")["now_ms"]
        return now


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    broker = BrokerProcess(tmp_path_factory.mktemp("broker"), SETTINGS)
    broker.start()
    create_topic(broker.bootstrap, "orders", 3, {})
    create_topic(broker.bootstrap, "payments", 2, {})
    yield broker
    broker.stop()


@pytest.fixture
def scene(running: BrokerProcess) -> Iterator[Scene]:
    made = Scene(running)
    yield made
    made.close()


_numbers = itertools.count()


@pytest.fixture
def group() -> str:
    """Return a group id that no other test uses."""
    return f"readers-{next(_numbers)}"


class Library:
    """A client library in its own process."""

    def __init__(self, name: str, bootstrap: str, complaints: Path) -> None:
        self._complaints = complaints
        with complaints.open("wb") as stderr:
            self._process = subprocess.Popen(
                [client_python(name), "-u", CLIENTS / SCRIPTS[name], bootstrap],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )

    def ask(self, do: str, **arguments: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, self._complaints.read_text()[-2000:]
        return json.loads(line)

    def commit(self, group: str, *places: Place) -> None:
        self.ask("commit", group=group, offsets=[[*place, 42] for place in places])

    def committed(self, group: str, *places: Place) -> list[int]:
        found: list[int] = self.ask("committed", group=group, places=places)
        return found

    def join(self, name: str, group: str, *topics: str) -> None:
        self.ask("join", name=name, group=group, topics=topics)

    def subscribe(self, name: str, *topics: str) -> None:
        self.ask("subscribe", name=name, topics=topics)

    def member_commit(self, name: str, *places: Place) -> None:
        self.ask("member_commit", name=name, offsets=[[*place, 42] for place in places])

    def leave(self, name: str) -> None:
        self.ask("leave", name=name)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="module", params=list(SCRIPTS))
def library(
    request: pytest.FixtureRequest, running: BrokerProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Library]:
    made = Library(request.param, running.bootstrap, tmp_path_factory.mktemp("library") / "err")
    yield made
    made.close()


assert set(SCRIPTS) < set(REQUIREMENTS)


# Scenarios for client libraries.


def test_a_managed_group_expires_with_its_offsets_one_retention_after_it_is_empty(
    scene: Scene, library: Library, group: str
) -> None:
    library.join("member", group, "orders")
    library.member_commit("member", ("orders", 0))
    scene.advance(3 * DAY_MS)
    library.member_commit("member", ("orders", 1))
    library.leave("member")
    assert scene.just_before_due(group) == []
    assert library.committed(group, ("orders", 0), ("orders", 1)) == [42, 42]
    assert scene.when_due(group) == ["orders-0 group_empty", "orders-1 group_empty", "group"]
    assert library.committed(group, ("orders", 0), ("orders", 1)) == [-1, -1]
    assert scene.listed(group) is None


def test_the_retention_is_the_groups_and_starts_when_the_last_member_leaves(
    scene: Scene, library: Library, group: str
) -> None:
    library.join("member", group, "orders")
    library.member_commit("member", ("orders", 0))
    scene.advance(30 * DAY_MS)
    assert scene.offsets(group) == {("orders", 0): 42}
    before_ms = scene.now_ms()
    library.leave("member")
    due_ms = scene.api.get("/v1/offsets", group=group)["offsets"][0]["due_ms"]
    assert before_ms + R <= due_ms <= scene.now_ms() + R


def test_a_member_that_rejoins_just_before_expiry_restarts_the_retention_at_its_leave(
    scene: Scene, library: Library, group: str
) -> None:
    library.join("member", group, "orders")
    library.member_commit("member", ("orders", 0))
    library.leave("member")
    assert scene.just_before_due(group) == []
    # The day below would be too late without this join. The clock is frozen, so the join need not be fast.
    library.join("again", group, "orders")
    assert scene.after(DAY_MS, group) == []
    library.leave("again")
    left_ms = scene.now_ms()
    assert scene.after(R - MINUTE_MS, group) == []
    assert scene.when_due(group) == ["orders-0 group_empty", "group"]
    assert scene.now_ms() - left_ms == pytest.approx(R, abs=MINUTE_MS)


def test_each_commit_of_a_standalone_consumer_restarts_its_offsets_retention(
    scene: Scene, library: Library, group: str
) -> None:
    library.commit(group, ("orders", 0), ("orders", 1))
    scene.advance(R // 2)
    library.commit(group, ("orders", 1))
    assert scene.just_before_due(group) == []
    assert scene.when_due(group) == ["orders-0 standalone"]
    assert scene.listed(group) == ("Empty", "")
    assert scene.just_before_due(group) == []
    assert scene.when_due(group) == ["orders-1 standalone", "group"]


def test_only_offsets_of_unsubscribed_topics_expire_and_by_their_own_age(
    scene: Scene, library: Library, group: str
) -> None:
    library.join("member", group, "orders", "payments")
    library.member_commit("member", ("orders", 0), ("payments", 0))
    assert scene.after(2 * R, group) == []
    library.subscribe("member", "orders")
    scene.wait_until_subscribed(group, "orders")
    assert scene.cleaned_up(group) == ["payments-0 topic_not_subscribed"]
    library.member_commit("member", ("payments", 1))
    assert scene.just_before_due(group) == []
    assert scene.when_due(group) == ["payments-1 topic_not_subscribed"]
    assert scene.after(10 * R, group) == []
    assert scene.offsets(group) == {("orders", 0): 42}
    library.leave("member")


def test_a_group_without_commits_is_removed_at_the_next_pass(
    scene: Scene, library: Library, group: str
) -> None:
    library.join("member", group, "orders")
    library.leave("member")
    assert scene.listed(group) == ("Empty", "consumer")
    assert scene.cleaned_up(group) == ["group"]


def test_a_group_with_a_member_never_expires(scene: Scene, library: Library, group: str) -> None:
    library.join("member", group, "orders")
    library.member_commit("member", ("orders", 0))
    assert scene.after(100 * R, group) == []
    library.member_commit("member", ("orders", 1))
    assert scene.offsets(group) == {("orders", 0): 42, ("orders", 1): 42}
    library.leave("member")


def test_deleting_a_topic_deletes_its_offsets_at_once(scene: Scene, library: Library, group: str) -> None:
    topic = f"gone-{group}"
    create_topic(scene.broker.bootstrap, topic, 1, {})
    library.join("member", group, topic)
    library.member_commit("member", (topic, 0))
    delete_topics(scene.broker.bootstrap, [topic])
    assert scene.offsets(group) == {}
    library.leave("member")


def test_joining_a_standalone_group_gives_it_the_retention_of_a_managed_one(
    scene: Scene, library: Library, group: str
) -> None:
    library.commit(group, ("orders", 0))
    scene.advance(R - DAY_MS)
    library.join("member", group, "orders")
    library.leave("member")
    assert scene.after(R - DAY_MS, group) == []
    assert scene.when_due(group) == ["orders-0 group_empty", "group"]


def test_a_commit_into_an_empty_group_expires_with_the_others(
    scene: Scene, library: Library, group: str
) -> None:
    library.join("member", group, "orders")
    library.member_commit("member", ("orders", 0))
    library.leave("member")
    assert scene.just_before_due(group) == []
    scene.api.post("/v1/clock/set", {"to_ms": scene.now_ms() - MINUTE_MS, "cleanup": False})
    library.commit(group, ("orders", 0), ("orders", 1))
    assert scene.when_due(group) == ["orders-0 group_empty", "orders-1 group_empty", "group"]


# Scenarios that no current library supports or shows.


def joined(
    scene: Scene, group: str, metadata: bytes, protocol_type: str = "consumer", client: Client | None = None
) -> tuple[str, int]:
    """Join and sync as the only member. Return its id and generation."""
    client = client or scene.client
    protocols = [JoinGroupRequestProtocol("range", metadata)]
    answer = client.ask(3, JoinGroupRequest(group, 30_000, 30_000, "", None, protocol_type, protocols))
    assert answer.error_code == 0
    synced(client, group, answer.member_id, answer.generation_id)
    return answer.member_id, answer.generation_id


def synced(client: Client, group: str, member: str, generation: int) -> None:
    brought = [SyncGroupRequestAssignment(member, b"")]
    requested = SyncGroupRequest(group, generation, member, assignments=brought)
    assert client.ask(3, requested).error_code == 0


def as_member(member: str, generation: int) -> dict[str, Any]:
    return {"generation_id_or_member_epoch": generation, "member_id": member}


def test_nothing_expires_during_a_rebalance(scene: Scene, group: str) -> None:
    leader, other = scene.client, Connection(scene.broker.bootstrap)
    member, generation = joined(scene, group, subscription(["orders"]))
    scene.commit(group, ("payments", 0), **as_member(member, generation))
    scene.advance(R, cleanup=False)

    protocols = [JoinGroupRequestProtocol("range", subscription(["orders"]))]
    joining = JoinGroupRequest(group, 30_000, 30_000, "", None, "consumer", protocols)
    other.send(request("JoinGroup", 3, joining))
    assert leader.ask(0, HeartbeatRequest(group, generation, member)).error_code == (
        ErrorCode.REBALANCE_IN_PROGRESS
    )
    assert scene.listed(group) == ("PreparingRebalance", "consumer")
    assert scene.cleaned_up(group) == []

    joining = JoinGroupRequest(group, 30_000, 30_000, member, None, "consumer", protocols)
    answer = leader.ask(5, joining)
    assert response("JoinGroup", 3, other.answer()).error_code == 0
    other.socket.close()
    assert scene.listed(group) == ("CompletingRebalance", "consumer")
    assert scene.cleaned_up(group) == []

    synced(leader, group, member, answer.generation_id)
    assert scene.cleaned_up(group) == ["payments-0 topic_not_subscribed"]


def test_a_stable_connect_group_keeps_all_offsets_until_one_retention_after_its_end(
    scene: Scene, group: str
) -> None:
    member, generation = joined(scene, group, b"\x00\x01", "connect")
    scene.commit(group, ("orders", 0), **as_member(member, generation))
    assert scene.after(3 * R, group) == []
    scene.client.leave(group, member)
    assert scene.just_before_due(group) == []
    assert scene.when_due(group) == ["orders-0 group_empty", "group"]


def test_an_offset_with_a_shorter_retention_expires_at_the_first_pass_after_the_leave(
    scene: Scene, group: str
) -> None:
    member, generation = joined(scene, group, b"\x00\x01", "connect")
    scene.commit(group, ("orders", 0), version=4, retention_time_ms=1_000, **as_member(member, generation))
    assert scene.after(DAY_MS, group) == []
    scene.client.leave(group, member)
    assert scene.cleaned_up(group) == ["orders-0 explicit_retention", "group"]


@pytest.mark.parametrize("version", [2, 3, 4])
def test_an_explicit_retention_applies_in_a_standalone_group(scene: Scene, group: str, version: int) -> None:
    scene.commit(group, ("orders", 0), version=version, retention_time_ms=MINUTE_MS)
    scene.commit(group, ("orders", 1))
    assert scene.just_before_due(group) == []
    assert scene.when_due(group) == ["orders-0 explicit_retention"]
    assert scene.offsets(group) == {("orders", 1): 42}


def test_an_explicit_retention_applies_in_a_stable_group_only_to_unsubscribed_topics(
    scene: Scene, group: str
) -> None:
    member, generation = joined(scene, group, subscription(["orders"]))
    for place in (("orders", 0), ("payments", 0)):
        scene.commit(group, place, version=4, retention_time_ms=1_000, **as_member(member, generation))
    assert scene.after(1_000, group) == ["payments-0 explicit_retention"]
    assert scene.after(DAY_MS, group) == []
    scene.client.leave(group, member)
    assert scene.cleaned_up(group) == ["orders-0 explicit_retention", "group"]


@pytest.mark.parametrize("retention_ms", [0, -2, -5, 2**63 - 1])
def test_an_offset_whose_retention_is_zero_or_wraps_expires_at_the_next_pass(
    scene: Scene, group: str, retention_ms: int
) -> None:
    scene.commit(group, ("orders", 0), version=2, retention_time_ms=retention_ms)
    assert scene.cleaned_up(group) == ["orders-0 explicit_retention", "group"]


def test_a_longer_explicit_retention_outlasts_the_groups_and_keeps_the_group(
    scene: Scene, group: str
) -> None:
    member, _ = joined(scene, group, subscription(["orders"]))
    scene.client.leave(group, member)
    scene.commit(group, ("orders", 0), version=4, retention_time_ms=2 * R)
    scene.commit(group, ("orders", 1))
    assert scene.when_due(group) == ["orders-1 group_empty"]
    assert scene.listed(group) == ("Empty", "consumer")
    # The group's own clock has run down, and no commit restarts it.
    scene.commit(group, ("orders", 2))
    assert scene.cleaned_up(group) == ["orders-2 group_empty"]
    assert scene.just_before_due(group) == []
    assert scene.when_due(group) == ["orders-0 explicit_retention", "group"]


def test_a_group_that_only_assigned_a_member_id_is_removed_and_forgets_the_id(
    scene: Scene, group: str
) -> None:
    protocols = [JoinGroupRequestProtocol("range", subscription(["orders"]))]
    requested = JoinGroupRequest(group, 30_000, 30_000, "", None, "consumer", protocols)
    required = scene.client.ask(5, requested)
    assert required.error_code == ErrorCode.MEMBER_ID_REQUIRED
    assert scene.listed(group) == ("Empty", "")
    assert scene.cleaned_up(group) == ["group"]
    requested.member_id = required.member_id
    assert scene.client.ask(5, requested).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_commit_older_than_the_retention_expires_if_its_own_age_counts(scene: Scene, group: str) -> None:
    scene.commit_of(group, ("orders", 0), scene.now_ms() - R)
    assert scene.offsets(group) == {("orders", 0): 42}
    assert scene.cleaned_up(group) == ["orders-0 standalone", "group"]


def test_a_commit_older_than_the_retention_is_kept_if_the_groups_age_counts(scene: Scene, group: str) -> None:
    member, _ = joined(scene, group, subscription(["orders"]))
    scene.client.leave(group, member)
    scene.commit_of(group, ("orders", 0), scene.now_ms() - R)
    assert scene.just_before_due(group) == []
    assert scene.when_due(group) == ["orders-0 group_empty", "group"]


def test_a_commit_without_retention_removes_an_explicit_retention(scene: Scene, group: str) -> None:
    scene.commit(group, ("orders", 0), version=4, retention_time_ms=MINUTE_MS)
    scene.commit(group, ("orders", 0))
    assert scene.after(2 * MINUTE_MS, group) == []
    assert scene.just_before_due(group) == []
    assert scene.when_due(group) == ["orders-0 standalone", "group"]


@pytest.mark.parametrize("metadata", [b"", b"\x00"])
def test_no_offset_expires_while_a_subscription_cannot_be_decoded(
    scene: Scene, group: str, metadata: bytes
) -> None:
    member, generation = joined(scene, group, metadata)
    for place in (("orders", 0), ("payments", 0)):
        scene.commit(group, place, version=4, retention_time_ms=1_000, **as_member(member, generation))
    assert scene.after(2 * R, group) == []
    scene.client.leave(group, member)


def test_all_offsets_expire_if_members_subscribe_to_nothing(scene: Scene, group: str) -> None:
    member, generation = joined(scene, group, subscription([]))
    scene.commit(group, ("orders", 0), version=4, retention_time_ms=1_000, **as_member(member, generation))
    assert scene.after(1_000, group) == ["orders-0 explicit_retention"]
    scene.client.leave(group, member)


def test_bytes_after_a_subscription_are_ignored(scene: Scene, group: str) -> None:
    member, generation = joined(scene, group, subscription(["orders"]) + b"trailing")
    for place in (("orders", 0), ("payments", 0)):
        scene.commit(group, place, version=4, retention_time_ms=1_000, **as_member(member, generation))
    assert scene.after(1_000, group) == ["payments-0 explicit_retention"]
    scene.client.leave(group, member)


def test_an_expired_offset_is_readable_until_a_pass_removes_it(scene: Scene, group: str) -> None:
    scene.commit(group, ("orders", 0))
    scene.advance(R, cleanup=False)
    assert scene.offsets(group) == {("orders", 0): 42}
    assert scene.cleaned_up(group) == ["orders-0 standalone", "group"]


# Restarts.


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Scene]:
    """A broker for one test, which may restart it."""
    broker = BrokerProcess(tmp_path, SETTINGS)
    broker.start()
    create_topic(broker.bootstrap, "orders", 3, {})
    made = Scene(broker)
    yield made
    made.close()
    broker.stop()


def restarted(scene: Scene) -> Scene:
    scene.close()
    scene.broker.kill9()
    scene.broker.restart()
    return Scene(scene.broker)


def test_a_restart_keeps_the_retention_of_an_empty_group(alone: Scene) -> None:
    member, _ = joined(alone, "g", subscription(["orders"]))
    alone.commit("g", ("orders", 0), **as_member(member, 1))
    alone.client.leave("g", member)
    due_ms = alone.api.get("/v1/offsets", group="g")["offsets"][0]["due_ms"]
    alone.advance(R - DAY_MS)
    again = restarted(alone)
    assert again.api.get("/v1/offsets", group="g")["offsets"][0]["due_ms"] == due_ms
    assert again.just_before_due("g") == []
    assert again.when_due("g") == ["orders-0 group_empty", "group"]
    again.close()


def test_members_that_do_not_return_expire_one_session_after_the_load(alone: Scene) -> None:
    member, _ = joined(alone, "g", subscription(["orders"]))
    alone.commit("g", ("orders", 0), **as_member(member, 1))
    again = restarted(alone)
    assert again.listed("g") == ("Stable", "consumer")
    again.advance(20_000, sessions=True)
    assert again.listed("g") == ("Stable", "consumer")
    before_ms = again.now_ms()
    assert again.advance(10_000, sessions=True)["sessions"] == [{"group": "g", "member_id": member}]
    assert again.listed("g") == ("Empty", "consumer")
    (found,) = again.api.get("/v1/offsets", group="g")["offsets"]
    assert found["rule"] == "group_empty"
    assert before_ms <= found["since_ms"] <= again.now_ms()
    assert again.after(R - MINUTE_MS, "g") == []
    assert again.when_due("g") == ["orders-0 group_empty", "group"]
    again.close()


def test_a_group_that_never_synced_is_empty_without_a_type_and_removed_at_the_first_pass(
    alone: Scene,
) -> None:
    protocols = [JoinGroupRequestProtocol("range", subscription(["orders"]))]
    requested = JoinGroupRequest("g", 30_000, 30_000, "", None, "consumer", protocols)
    assert alone.client.ask(3, requested).error_code == 0
    again = restarted(alone)
    assert again.listed("g") == ("Empty", "")
    assert again.cleaned_up("g") == ["group"]
    again.close()


@pytest.mark.parametrize("version", [0, 1])
def test_offsets_of_an_empty_group_without_a_time_expire_by_their_own_age(alone: Scene, version: int) -> None:
    """Kafka before 2.1 wrote group metadata before v2, which has no time."""
    now_ms = alone.now_ms()
    stored = [
        (GroupMetadataKey("g"), GroupMetadataValue("consumer", 3, None, None, -1, [])),
        *(
            (
                OffsetCommitKey("g", "orders", partition),
                OffsetCommitValue(7, commit_timestamp=now_ms - age_ms),
            )
            for partition, age_ms in enumerate((6 * DAY_MS, 3 * DAY_MS))
        ),
    ]
    alone.commit("other", ("orders", 0))
    alone.close()
    alone.broker.kill9()
    codec = CoordinatorCodec(Versions(version, version, version, version))
    append_to_offsets(alone.broker.data_dir, codec, stored, now_ms)
    alone.broker.restart()
    again = Scene(alone.broker)
    assert again.listed("g") == ("Empty", "consumer")
    assert again.cleaned_up("g") == []
    found = again.api.get("/v1/offsets", group="g")["offsets"]
    assert [each["due_ms"] for each in found] == [now_ms + 1 * DAY_MS, now_ms + 4 * DAY_MS]
    assert again.just_before_due("g") == []
    assert again.when_due("g") == ["orders-0 group_empty"]
    assert again.just_before_due("g") == []
    assert again.when_due("g") == ["orders-1 group_empty", "group"]
    again.close()


def append_to_offsets(
    data_dir: Path, codec: CoordinatorCodec, stored: list[tuple[Any, Any]], now_ms: int
) -> None:
    """Append a batch to the only log of `__consumer_offsets`."""
    (segment,) = data_dir.glob("__consumer_offsets-*/*.log")
    data = segment.read_bytes()
    end, next_offset = end_of(data)
    batch = BatchBuilder(now_ms)
    for key, value in stored:
        batch.add(*codec.encode(key, value))
    segment.write_bytes(data[:end] + batch.build(base_offset=next_offset))


def end_of(data: bytes) -> tuple[int, int]:
    """Return the position and the offset after the last batch."""
    position = next_offset = 0
    while position + 61 <= len(data) and (length := unpack_from(">i", data, position + 8)[0]) > 0:
        next_offset = unpack_from(">q", data, position)[0] + unpack_from(">i", data, position + 23)[0] + 1
        position += 12 + length
    return position, next_offset
