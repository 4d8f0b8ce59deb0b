"""The records and commits that a group of consumers reported, and the checks on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.clients.children import Child


@dataclass(slots=True)
class Delivery:
    """One record that a consumer received, and when."""

    at: float
    member: str
    partition: int
    offset: int
    n: int
    codec: str


@dataclass(slots=True)
class Commit:
    """An acknowledged commit, and when its consumer learned of it. `offset` is the next one to read."""

    at: float
    member: str
    partition: int
    offset: int


@dataclass(slots=True)
class Reading:
    deliveries: list[Delivery]
    commits: list[Commit]

    @classmethod
    def of(cls, children: Iterable[Child]) -> Reading:
        """Collect everything that these consumers have reported so far, and check keys and values."""
        deliveries, commits = [], []
        for child in children:
            for fact in list(child.facts):
                if fact["event"] == "records":
                    deliveries += [delivery(child.name, fact["at"], row) for row in fact["records"]]
                elif fact["event"] == "committed":
                    result = fact["offsets"].items()
                    commits += [Commit(fact["at"], child.name, int(p), offset) for p, offset in result]
        return cls(deliveries, commits)

    def numbers(self) -> set[int]:
        return {delivered.n for delivered in self.deliveries}

    def repeats_of_committed_work(self) -> list[tuple[Delivery, Commit]]:
        """Return records before a committed offset that were delivered after the commit was acknowledged.

        Consumers stamp a delivery after the poll, and a commit after its response. A partition has one owner
        at a time, and the next one fetches the offset only when the last one can no longer commit. So the
        stamps may hide a repeat, but show no false one, as long as no session expires. If the broker is down
        for longer than the session, a new owner may read a partition while the old one reports its records.
        """
        events: list[Delivery | Commit] = [*self.deliveries, *self.commits]
        events.sort(key=lambda event: event.at)
        reached: dict[int, Commit] = {}
        repeats: list[tuple[Delivery, Commit]] = []
        for event in events:
            if isinstance(event, Commit):
                if event.partition not in reached or reached[event.partition].offset < event.offset:
                    reached[event.partition] = event
            elif event.partition in reached and event.offset < reached[event.partition].offset:
                repeats.append((event, reached[event.partition]))
        return repeats


def delivery(member: str, at: float, row: list[object]) -> Delivery:
    partition, offset, key, value, headers = row
    assert isinstance(partition, int)
    assert isinstance(offset, int)
    assert isinstance(headers, dict)
    n = int(headers["n"])
    assert (key, value) == (f"key-{n}", f"value-{n}"), row
    return Delivery(at, member, partition, offset, n, headers["codec"])
