"""The brokers of a cluster: they stop, die and start, and leaders and coordinators move between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidemark_expiry.sentences import shown

if TYPE_CHECKING:
    from tidemark_testing.client import Tidemark


@dataclass(frozen=True)
class Broker:
    """A broker, as it is now.

    leads, group_partitions, transaction_partitions: how many partitions it leads, of users' topics, and of
    those of coordinators. connections: of clients.
    """

    node_id: int
    address: str
    running: bool
    leads: int
    group_partitions: int
    transaction_partitions: int
    connections: int


class Brokers:
    """`tidemark.brokers`: as many as the setting tidemark.brokers says.

    Each method raises ApiError if the broker does not exist, or cannot do it.
    """

    def __init__(self, tidemark: Tidemark) -> None:
        self._tidemark = tidemark

    def all(self) -> list[Broker]:
        """Return all brokers in the order of their ids."""
        return self._result(self._tidemark.api("brokers").get("/v1/brokers"))

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

    def move_coordinator(
        self, group: str | None = None, *, transactional_id: str | None = None, to: int
    ) -> list[Broker]:
        """Let another broker coordinate a group or a transactional id, and all others of its partition."""
        named = {"group": group, "transactional_id": transactional_id}
        body = {key: self._tidemark.name(name) for key, name in named.items() if name is not None}
        return self._post("coordinator", body | {"to": to})

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
        for each in self._tidemark.api("brokers").get("/v1/partitions", topic=name)["partitions"]:
            if each["partition"] == partition:
                leader: int = each["leader"]
                return leader
        raise LookupError(f"there is no partition {shown(name)}-{partition}")

    def _replica(self, topic: str, partition: int, node_id: int) -> dict[str, Any]:
        return {"topic": self._tidemark.name(topic), "partition": partition, "node_id": node_id}

    def _post(self, path: str, body: dict[str, Any]) -> list[Broker]:
        return self._result(self._tidemark.api("brokers").post(f"/v1/brokers/{path}", body))

    def _result(self, response: dict[str, Any]) -> list[Broker]:
        return [Broker(**each) for each in response["brokers"]]
