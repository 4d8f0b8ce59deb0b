"""Set up a case: records, commits, a group with a member."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import commit
from tests.conformance.build_data import batch, produce, record
from tests.conformance.members import Member, stable
from tests.conformance.tools.terminal import Terminal
from tests.unit.broker.group_story import subscription

START_MS: Final = 1_500_000_000_000  # of the first record; others follow by the second


def records(t: Terminal, topic: str, count: int, partition: int = 0) -> None:
    """Build this many records: k0=v0 at START_MS, k1=v1 a second later, ..."""
    given = [record(f"v{n}".encode(), f"k{n}".encode(), START_MS + 1000 * n) for n in range(count)]
    t.do(*produce({topic: {partition: batch(*given)}}))


def filled(t: Terminal, *counts: int) -> str:
    """Create a topic with this many records per partition. They never expire."""
    topic = t.topic(len(counts), retention_ms="-1")
    for partition, count in enumerate(counts):
        if count:
            records(t, topic, count, partition)
    return topic


def committed(t: Terminal, topic: str, *offsets: int) -> str:
    """Return a group without members that has committed these offsets, one per partition of the topic."""
    group = t.group()
    t.do(*commit(group, {topic: dict(enumerate(offsets))}))
    return group


def assignment(partitions: dict[str, list[int]]) -> str:
    """Return a consumer's assignment in hex: version 0, no user data."""
    out = b"\0\0" + len(partitions).to_bytes(4, "big")
    for topic, indexes in partitions.items():
        out += len(topic).to_bytes(2, "big") + topic.encode() + len(indexes).to_bytes(4, "big")
        out += b"".join(index.to_bytes(4, "big") for index in indexes)
    return (out + b"\xff\xff\xff\xff").hex()


def reader(t: Terminal, group: str, partitions: dict[str, list[int]], number: int = 1, **how: Any) -> Member:
    """Return a consumer that subscribes to these topics and will be assigned these partitions."""
    member = Member(t, group, number, protocols={"range": subscription(partitions).hex()}, **how)
    member.assignment = assignment(partitions)
    return member


def read_by(t: Terminal, topic: str, *partitions: int, **how: Any) -> Member:
    """Return a group with one member that is assigned these partitions and has committed 1 in each."""
    member = reader(t, t.group(), {topic: list(partitions)}, **how)
    stable(t, member)
    offsets = {topic: dict.fromkeys(partitions, 1)}
    t.do(*commit(member.group, offsets, member=member.id, generation=member.generation))
    return member
