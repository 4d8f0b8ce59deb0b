"""Consumers with group.protocol=consumer (KIP-848): librdkafka, Kafka's Java client and franz-go.

Each member is a process of its own. Records are always written by confluent-kafka.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import RunningBroker, start_broker
from tests.clientenv import built
from tests.clients.children import CLIENTS, Child, Fact, python_client
from tests.clients.reading import Reading
from tests.clients.test_real_clients import (
    GROUP,
    PARTITIONS,
    RECORDS_PER_CODEC,
    TOPIC,
    assignment,
    produce,
    read_despite_kills,
    wait_until_read,
    wait_until_shared,
)
from tests.conftest import SETTINGS

pytestmark = [pytest.mark.contract, pytest.mark.slow]

NO_JAVA: Final = kafka_oracle.missing()
# A dead member is noticed soon. The client of a member that only pauses must be able to heartbeat in time.
SHORT_SESSIONS: Final = {
    **SETTINGS,
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.session.timeout.ms": "5000",
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "300",
}
LONG_SESSIONS: Final = {**SHORT_SESSIONS, "group.consumer.session.timeout.ms": "45000"}
NewMember = Callable[..., Child]


@pytest.fixture(
    params=[
        "confluent-kafka",
        pytest.param(
            "java", marks=[pytest.mark.java, pytest.mark.skipif(NO_JAVA is not None, reason=f"{NO_JAVA}")]
        ),
        pytest.param("franz-go", marks=pytest.mark.ecosystem),
    ]
)
def program(request: pytest.FixtureRequest) -> list[str]:
    """The command line of a member, without its arguments."""
    if request.param == "java":
        return kafka_oracle.java(str(CLIENTS / "Consumer.java"), version=kafka_oracle.NEWEST)
    if request.param == "franz-go":
        return [str(built_with_go("franz-go"))]
    return python_client(request.param)


def built_with_go(client: str) -> Path:
    """Build the client's program. The first build needs a minute or more. Skips the test without Go."""
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    return built(CLIENTS / client, "go", "build", "-o", "client", ".") / "client"


@pytest.fixture(params=[SHORT_SESSIONS])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningBroker]:
    running = start_broker(tmp_path, request.param)
    yield running
    running.stop()


@pytest.fixture
def new_member(broker: RunningBroker, program: list[str], tmp_path: Path) -> Iterator[NewMember]:
    """Start the process of a member. Arguments: its name, then settings of its client."""
    children: list[Child] = []

    def make(name: str, *settings: str) -> Child:
        protocol = ["group.protocol=consumer"] if "-u" in program else []
        children.append(Child(program, [broker.bootstrap, *protocol, *settings], tmp_path, name))
        return children[-1]

    yield make
    for child in children:
        child.close()


@pytest.fixture
def producer(broker: RunningBroker, tmp_path: Path) -> Iterator[Child]:
    child = Child(python_client("confluent-kafka"), [broker.bootstrap], tmp_path, "producer")
    yield child
    child.close()


def consume(member: Child) -> Child:
    member.begin(do="consume", topic=TOPIC, group=GROUP, client_id=member.name)
    return member


def revoked(member: Child) -> list[int]:
    """Return the partitions that were taken from the member, in order."""
    return [each for fact in list(member.facts) if fact["event"] == "revoked" for each in fact["partitions"]]


def rebalances(member: Child) -> list[Fact]:
    """Return the changes of the member's partitions. Some clients also report changes of none."""
    changes = [fact for fact in list(member.facts) if fact["event"] in ("assigned", "revoked")]
    return [fact for fact in changes if fact["partitions"]]


def read_partitions(members: list[Child]) -> set[int]:
    return {delivered.partition for delivered in Reading.of(members).deliveries}


def test_a_group_reads_everything_and_committed_records_only_once_despite_kills(
    broker: RunningBroker, producer: Child, new_member: NewMember
) -> None:
    read_despite_kills(broker, producer, new_member)


@pytest.mark.parametrize("broker", [LONG_SESSIONS], indirect=True, ids=["long-sessions"])
def test_a_rebalance_takes_from_members_only_the_partitions_that_move(
    producer: Child, new_member: NewMember
) -> None:
    producer.ask("created", do="create_topic", topic=TOPIC, partitions=PARTITIONS)
    members = [consume(new_member("member-0"))]
    wait_until_shared(members, PARTITIONS)
    for count in (2, 3):
        members.append(consume(new_member(f"member-{count - 1}")))
        wait_until_shared(members, PARTITIONS // count)
    produce(producer, "none")
    wait_until_read(members, RECORDS_PER_CODEC)
    assert [len(revoked(each)) for each in members] == [4, 1, 0]
    assert not set(revoked(members[0])) & assignment(members[0])


@pytest.mark.parametrize("broker", [LONG_SESSIONS], indirect=True, ids=["long-sessions"])
def test_a_member_that_does_not_respond_does_not_stop_the_others(
    producer: Child, new_member: NewMember
) -> None:
    """With the classic protocol, the whole group waits for it until the rebalance timeout."""
    producer.ask("created", do="create_topic", topic=TOPIC, partitions=PARTITIONS)
    working, frozen = members = [consume(new_member("working")), consume(new_member("frozen"))]
    wait_until_shared(members, PARTITIONS // 2)
    kept = assignment(frozen)
    frozen.freeze()
    try:
        new = consume(new_member("new"))
        new.wait_until(lambda: len(assignment(new)) == 1, "the new member to receive a free partition")
        produce(producer, "none")
        free = set(range(PARTITIONS)) - kept
        working.wait_until(lambda: read_partitions([working, new]) == free, f"{free} to be read")
    finally:
        frozen.thaw()
    wait_until_shared([*members, new], PARTITIONS // 3)
    wait_until_read([*members, new], RECORDS_PER_CODEC)


@pytest.mark.parametrize("broker", [LONG_SESSIONS], indirect=True, ids=["long-sessions"])
def test_a_static_member_that_restarts_keeps_its_partitions_and_disturbs_no_other(
    broker: RunningBroker, producer: Child, new_member: NewMember
) -> None:
    """The broker is killed, too: nothing is assigned anew when it is back."""
    producer.ask("created", do="create_topic", topic=TOPIC, partitions=PARTITIONS)
    other, restarted = members = [
        consume(new_member(name, f"group.instance.id={name}")) for name in ("other", "restarted")
    ]
    wait_until_shared(members, PARTITIONS // 2)
    kept, before = assignment(restarted), rebalances(other)
    restarted.stop_consuming()
    again = consume(new_member("again", "group.instance.id=restarted"))
    again.wait_until(lambda: assignment(again) == kept, f"the new process to receive {kept}")
    broker.kill9()
    broker.restart()
    produce(producer, "none")
    wait_until_read([other, again], RECORDS_PER_CODEC)
    assert rebalances(other) == before
    assert not revoked(again)
