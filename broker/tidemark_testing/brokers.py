"""The brokers of a cluster: they stop, die and start, and leaders and coordinators move between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tidemark_expiry.sentences import shown
from tidemark_protocol.java import partition_of_group
from tidemark_testing.isolation import wait
from tidemark_tools.http_api import ApiError

if TYPE_CHECKING:
    from tidemark_testing.client import Tidemark


__tracebackhide__ = True

OFFSETS_TOPIC: Final = "__consumer_offsets"
NOT_FOUND: Final = 404


@dataclass(frozen=True)
class Broker:
    """A broker, as it is now.

    leads, group_partitions, transaction_partitions: how many partitions it leads, of users' topics, and of
    those of coordinators. connections: of clients. cut_off: `reconnect` ends it.
    """

    node_id: int
    address: str
    running: bool
    leads: int
    group_partitions: int
    transaction_partitions: int
    connections: int
    cut_off: bool


class Brokers:
    """`tidemark.brokers`: as many as the setting tidemark.brokers says.

    Each method raises ApiError if the broker does not exist, or cannot do it.
    """

    def __init__(self, tidemark: Tidemark) -> None:
        self._tidemark = tidemark

    def all(self) -> list[Broker]:
        """Return all brokers in the order of their ids."""
        return self._result(self._tidemark.api("brokers").get("/v1/brokers"))

    def add(self, *, node_id: int | None = None, rack: str | None = None) -> Broker:
        """Add a broker to a cluster of at least two, and return it. It leads nothing at first.

        node_id: None is the lowest above all others. rack: None is that of the first broker.
        """
        response = self._tidemark.api("brokers").post("/v1/brokers", {"node_id": node_id, "rack": rack})
        return next(each for each in self._result(response) if each.node_id == response["node_id"])

    def remove(self, node_id: int) -> list[Broker]:
        """Stop a broker and remove it for good. Partitions keep the replicas that they had on it."""
        return self._result(self._tidemark.api("brokers").delete(f"/v1/brokers/{node_id}"))

    def stop(self, node_id: int) -> list[Broker]:
        """Let others lead the partitions of a broker, and close its connections. It refuses new ones."""
        return self._post(f"{node_id}/stop", {})

    def kill(self, node_id: int) -> list[Broker]:
        """Close the connections of a broker, as the death of its process would. It refuses new ones.

        It leads its partitions and is in their ISRs until `broker.session.timeout.ms` of the clock that
        tests move has passed.
        """
        return self._post(f"{node_id}/kill", {})

    def cut_off(self, node_id: int, *, from_: str = "clients") -> list[Broker]:
        """Cut a broker off from its clients: it leads, but refuses connections. `reconnect` ends it.

        from_="controller": it serves, but others lead once `broker.session.timeout.ms` has passed.
        from_="leaders": it leads and serves, but leaves the ISRs of partitions that it follows once
        `replica.lag.time.max.ms` has passed.
        """
        return self._post(f"{node_id}/cut_off", {"from": from_})

    def reconnect(self, node_id: int) -> list[Broker]:
        """End what `cut_off` began."""
        return self._post(f"{node_id}/reconnect", {})

    def start(self, node_id: int) -> list[Broker]:
        """Let a broker serve again, after `stop`. It leads nothing at first."""
        return self._post(f"{node_id}/start", {})

    def restart(self) -> list[Broker]:
        """Stop and start each broker, one after the other, as a rolling upgrade does."""
        return self._post("restart", {})

    def move_leader(self, topic: str, partition: int, *, to: int) -> list[Broker]:
        """Let another broker lead a partition: one with a replica in the ISR."""
        name = self._tidemark.name(topic)
        return self._post("leader", {"topic": name, "partition": partition, "to": to})

    def elect_preferred_leaders(self) -> list[Broker]:
        """Let the first replica of each partition lead again, if it is in the ISR."""
        return self._post("preferred", {})

    def move_coordinator(
        self, group: str | None = None, *, transactional_id: str | None = None, to: int
    ) -> list[Broker]:
        """Let another broker coordinate a group or a transactional id, and all others of its partition."""
        named = {"group": group, "transactional_id": transactional_id}
        body = {key: self._tidemark.name(name) for key, name in named.items() if name is not None}
        return self._post("coordinator", body | {"to": to})

    def move_controller(self, *, to: int) -> list[Broker]:
        """Let another broker be the controller: the leader of the quorum that DescribeQuorum names."""
        return self._post("controller", {"to": to})

    def controller(self) -> int:
        """Return the id of the broker that is the controller."""
        found: int = self._tidemark.api("brokers").get("/v1/brokers")["controller"]
        return found

    def shrink_isr(self, topic: str, partition: int, node_id: int) -> list[Broker]:
        """Take a follower out of the ISR, as if it had stopped fetching. `grow_isr` takes it in again."""
        return self._post("isr/shrink", self._replica(topic, partition, node_id))

    def grow_isr(self, topic: str, partition: int, node_id: int) -> list[Broker]:
        """Take a follower that runs into the ISR again."""
        return self._post("isr/grow", self._replica(topic, partition, node_id))

    def leader(self, topic: str, partition: int = 0) -> int:
        """Return the id of the broker that leads a partition; -1: none does.

        Raises LookupError if there is no such partition.
        """
        name = self._tidemark.name(topic)
        found = self._leaders(name)
        if partition in found:
            return found[partition]
        raise LookupError(f"there is no partition {shown(name)}-{partition}")

    def _replica(self, topic: str, partition: int, node_id: int) -> dict[str, Any]:
        return {"topic": self._tidemark.name(topic), "partition": partition, "node_id": node_id}

    def coordinator(self, group: str) -> int:
        """Return the id of the broker that coordinates a group; -1: none does.

        Raises LookupError if no group has had a coordinator yet.
        """
        try:
            found = self._leaders(OFFSETS_TOPIC)
        except ApiError as error:
            if error.status != NOT_FOUND:
                raise
            raise LookupError("no group has a coordinator yet: no client has looked for one") from None
        return found[partition_of_group(self._tidemark.name(group), len(found))]

    def assert_leader(self, topic: str, partition: int, node_id: int, *, timeout: float = 0.0) -> None:
        """Assert that a broker leads a partition, or does within timeout seconds. Raises AssertionError."""
        self._assert(lambda: self.leader(topic, partition), node_id, f"{topic}-{partition} is led", timeout)

    def assert_coordinator(self, group: str, node_id: int, *, timeout: float = 0.0) -> None:
        """Assert that a broker coordinates a group, or does within timeout seconds.

        Raises AssertionError.
        """
        self._assert(
            lambda: self.coordinator(group), node_id, f"group {shown(group)} is coordinated", timeout
        )

    def _assert(self, read: Callable[[], int], node_id: int, what: str, timeout: float) -> None:
        def why_not() -> str | None:
            found = read()
            if found == node_id:
                return None
            by = "no broker" if found < 0 else f"broker {found}"
            return f"{what} by {by}, not by broker {node_id}"

        reason = wait(why_not, timeout)
        if reason is not None:
            stopped = [str(each.node_id) for each in self.all() if not each.running]
            raise AssertionError(f"{reason}; stopped: {', '.join(stopped) or 'none'}")

    def _leaders(self, topic: str) -> dict[int, int]:
        """Return the leader of each partition of a topic."""
        found: dict[int, int] = {}
        cursor = None
        while True:
            page = self._tidemark.api("brokers").get("/v1/partitions", topic=topic, cursor=cursor)
            found |= {each["partition"]: each["leader"] for each in page["partitions"]}
            cursor = page["cursor"]
            if cursor is None:
                return found

    def _post(self, path: str, body: dict[str, Any]) -> list[Broker]:
        return self._result(self._tidemark.api("brokers").post(f"/v1/brokers/{path}", body))

    def _result(self, response: dict[str, Any]) -> list[Broker]:
        return [Broker(**each) for each in response["brokers"]]
