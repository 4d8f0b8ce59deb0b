from __future__ import annotations

from typing import SupportsIndex

from tidemark.authorization.acls import Acls, PatternType, PermissionType
from tidemark.core.context import Operation, ResourceType
from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord

TOPIC = ResourceType.TOPIC


def acl(
    number: int, name: str, principal: str = "User:alice", pattern: int = PatternType.LITERAL
) -> AccessControlEntryRecord:
    return AccessControlEntryRecord(
        number.to_bytes(16, "big"),
        TOPIC,
        name,
        pattern,
        principal,
        "*",
        Operation.READ,
        PermissionType.ALLOW,
    )


def numbers(acls: Acls, name: str) -> list[int]:
    """Return the numbers of the ACLs that apply to a topic."""
    patterns = acls.of_resource(TOPIC, name)
    found = [each for pattern in patterns for entries in pattern.values() for each in entries]
    return sorted(int.from_bytes(each.id, "big") for each in found)


def test_literal_wildcard_and_prefixed_patterns_apply() -> None:
    acls = Acls()
    for each in (
        acl(1, "orders"),
        acl(2, "*"),
        acl(3, "ord", pattern=PatternType.PREFIXED),
        acl(4, "orders", pattern=PatternType.PREFIXED),
        acl(5, "orders2", pattern=PatternType.PREFIXED),
        acl(6, "ord"),
        acl(7, "*", pattern=PatternType.PREFIXED),
    ):
        acls.add(each)
    assert numbers(acls, "orders") == [1, 2, 3, 4]
    assert numbers(acls, "ord") == [2, 3, 6]
    assert numbers(acls, "*x") == [2, 7]


def test_the_index_follows_each_change() -> None:
    acls = Acls()
    assert numbers(acls, "orders") == []
    acls.add(acl(1, "ord", pattern=PatternType.PREFIXED))
    acls.add(acl(2, "ord", "User:bob", PatternType.PREFIXED))
    acls.add(acl(3, "orders"))
    assert numbers(acls, "orders") == [1, 2, 3]
    acls.remove((1).to_bytes(16, "big"))
    acls.remove((3).to_bytes(16, "big"))
    assert numbers(acls, "orders") == [2]
    acls.remove((2).to_bytes(16, "big"))
    assert numbers(acls, "orders") == []


def test_an_acl_replaces_the_one_with_its_id() -> None:
    acls = Acls()
    acls.add(acl(1, "orders"))
    assert numbers(acls, "orders") == [1]
    acls.add(acl(1, "returns"))
    assert numbers(acls, "orders") == []
    assert numbers(acls, "returns") == [1]


def test_each_change_raises_the_version_and_nothing_else_does() -> None:
    acls = Acls()
    acls.add(acl(1, "orders"))
    first = acls.version
    acls.remove(b"no such acl of it")
    assert acls.version == first
    acls.remove((1).to_bytes(16, "big"))
    assert acls.version > first


def test_an_equal_acl_with_another_id_exists() -> None:
    acls = Acls()
    acls.add(acl(1, "orders"))
    assert acls.has(acl(2, "orders"))
    assert not acls.has(acl(2, "orders", "User:bob"))
    assert not acls.has(acl(2, "orders", pattern=PatternType.PREFIXED))


def test_prefixes_of_every_length_are_found_and_removed() -> None:
    acls = Acls()
    names = ["é" * length for length in range(1, 40)]
    for number, name in enumerate(names, 1):
        acls.add(acl(number, name, pattern=PatternType.PREFIXED))
    assert numbers(acls, "é" * 20 + "x") == [*range(1, 21)]
    for number in range(2, 40, 2):
        acls.remove(number.to_bytes(16, "big"))
    assert numbers(acls, "é" * 20 + "x") == [*range(1, 21, 2)]
    assert numbers(acls, "e" * 20) == []


class NameRead(str):
    """A name that counts the characters that are copied from it."""

    __slots__ = ()
    copied = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = super().__getitem__(key)
        NameRead.copied += len(part)
        return part


def test_a_long_name_is_not_copied_for_each_length_of_a_prefix() -> None:
    acls = Acls()
    longest = 2_000
    for length in range(1, longest):
        acls.add(acl(length, "x" * length, pattern=PatternType.PREFIXED))
    NameRead.copied = 0
    assert numbers(acls, NameRead("x" * longest)) == [*range(1, longest)]
    assert NameRead.copied <= longest
