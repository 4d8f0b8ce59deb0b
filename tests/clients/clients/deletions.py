"""Deletes groups and offsets by a client library.

Each library gets the same calls. The test compares the output with Kafka's results. Errors are Kafka's codes.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

Place = tuple[str, int]
NOT_OFFERED = "not offered by this library"


class Client(Protocol):
    def create_topic(self, topic: str, partitions: int) -> None: ...

    def commit(self, group: str, offsets: dict[Place, int]) -> None:
        """Commit offsets of a group without members."""

    def member(self, group: str, topic: str) -> AbstractContextManager[None]:
        """Run a member with an assignment, which leaves at the end."""

    def offsets(self, group: str) -> dict[Place, int]: ...

    def delete_offsets(self, group: str, places: list[Place]) -> dict[Place, int] | int | str:
        """Return the error of each offset, or that of the group, or NOT_OFFERED."""

    def delete_groups(self, groups: list[str]) -> dict[str, int]: ...


def tell_all(client: Client, prefix: str) -> None:
    """Run all calls and print the results. prefix: of all names, because other tests use the same broker."""
    read, other, missing = (f"{prefix}-{name}" for name in ("read", "other", "missing"))
    simple, stable, nobody = (f"{prefix}-{name}" for name in ("simple", "stable", "nobody"))

    def tell(what: str, found: dict[Place, int] | dict[str, int] | int | str) -> None:
        if isinstance(found, dict):
            found = ", ".join(sorted(f"{_named(key)} {value}" for key, value in found.items())) or "nothing"
        print(f"{what}: {found}".replace(f"{prefix}-", ""), flush=True)

    client.create_topic(read, 2)
    client.create_topic(other, 1)
    client.commit(stable, {(read, 0): 1, (other, 0): 2})
    client.commit(simple, {(read, 0): 3, (read, 1): 4, (other, 0): 5})
    with client.member(stable, read):
        tell("with a member", client.delete_offsets(stable, [(read, 0), (other, 0), (missing, 0)]))
        tell("group with a member", client.delete_groups([stable]))
        tell("left", client.offsets(stable))
    tell("simple group", client.delete_offsets(simple, [(read, 0)]))
    tell("left", client.offsets(simple))
    tell("unknown group", client.delete_offsets(nobody, [(read, 0)]))
    tell("groups", client.delete_groups([simple, nobody, stable]))
    tell("groups again", client.delete_groups([simple]))
    tell("left", client.offsets(simple))


def _named(key: Place | str) -> str:
    return key if isinstance(key, str) else f"{key[0]}-{key[1]}"
