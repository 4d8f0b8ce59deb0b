"""tests/conformance/authorizer compares decisions with Kafka's; these tests are about the rest."""

from __future__ import annotations

from typing import ClassVar

from tidemark.authorization import standard
from tidemark.authorization.acls import Acls, PatternType, PermissionType
from tidemark.authorization.standard import CallerPermissions, StandardAuthorizer
from tidemark.core.context import Operation, ResourceType, everything_is_allowed
from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord

READ, WRITE, DESCRIBE = Operation.READ, Operation.WRITE, Operation.DESCRIBE
TOPIC, GROUP = ResourceType.TOPIC, ResourceType.GROUP
ALICE = "User:alice"
HOST = "/127.0.0.1"


def add(
    acls: Acls, name: str = "orders", operation: int = READ, permission: int = PermissionType.ALLOW
) -> None:
    number = acls.version + 1
    acls.add(
        AccessControlEntryRecord(
            number.to_bytes(16, "big"), TOPIC, name, PatternType.LITERAL, ALICE, "*", operation, permission
        )
    )


def authorizer(acls: Acls, *super_users: str) -> StandardAuthorizer:
    return StandardAuthorizer(acls, frozenset(super_users), allow_without_acl=False)


def test_a_super_user_pays_nothing() -> None:
    assert authorizer(Acls(), ALICE).of_caller(ALICE, HOST) is everything_is_allowed


def test_connections_of_one_principal_and_host_share_decisions() -> None:
    rules = authorizer(Acls())
    allowed = rules.of_caller(ALICE, HOST)
    assert rules.of_caller(ALICE, HOST) is allowed
    assert rules.of_caller(ALICE, "/10.0.0.1") is not allowed
    assert rules.of_caller("User:bob", HOST) is not allowed


def test_a_grant_and_its_removal_apply_to_connections_that_exist() -> None:
    acls = Acls()
    allowed = authorizer(acls).of_caller(ALICE, HOST)
    assert not allowed(READ, TOPIC, "orders")
    add(acls)
    assert allowed(READ, TOPIC, "orders")
    assert allowed(DESCRIBE, TOPIC, "orders")
    add(acls, operation=DESCRIBE, permission=PermissionType.DENY)
    assert allowed(READ, TOPIC, "orders")
    assert not allowed(DESCRIBE, TOPIC, "orders")
    for acl_id in list(acls.by_id):
        acls.remove(acl_id)
    assert not allowed(READ, TOPIC, "orders")


def test_the_cache_is_bounded() -> None:
    acls = Acls()
    add(acls)
    allowed = authorizer(acls).of_caller(ALICE, HOST)
    assert isinstance(allowed, CallerPermissions)
    for number in range(standard.DECISIONS_MAX + 10):
        assert not allowed(READ, TOPIC, f"t{number}")
    assert allowed(READ, TOPIC, "orders")
    assert len(allowed._decisions) <= standard.DECISIONS_MAX
    before = len(allowed._decisions)
    assert not allowed(READ, GROUP, "g" * (standard.NAME_CHARS_MAX + 1))
    assert len(allowed._decisions) == before


def test_some_topic_may_be_written() -> None:
    acls = Acls()
    allowed = authorizer(acls).of_caller(ALICE, HOST)
    assert not allowed(WRITE, TOPIC, None)
    add(acls, "nosuch", WRITE)
    assert allowed(WRITE, TOPIC, None)
    add(acls, "*", WRITE, PermissionType.DENY)
    assert not allowed(WRITE, TOPIC, None)


class ReadAcl(AccessControlEntryRecord):
    """An ACL that counts how often it is read."""

    reads: ClassVar = 0

    def __getattribute__(self, name: str) -> object:
        ReadAcl.reads += 1
        return super().__getattribute__(name)


def many(count: int, name: str, host: str, *, permission: int = PermissionType.ALLOW) -> Acls:
    """Return ACLs of Alice that differ in name or host, where these contain {}."""
    acls = Acls()
    for number in range(count):
        pattern = PatternType.PREFIXED if permission == PermissionType.DENY else PatternType.LITERAL
        where = (TOPIC, name.format(number), pattern)
        acls.add(
            ReadAcl(
                number.to_bytes(16, "big"), *where, ALICE, host.format(number), Operation.WRITE, permission
            )
        )
    return acls


def test_a_decision_reads_no_acls_of_other_hosts() -> None:
    acls = many(2_000, "orders", "10.0.0.{}")
    allowed = authorizer(acls).of_caller(ALICE, HOST)
    ReadAcl.reads = 0
    assert not allowed(WRITE, TOPIC, "orders")
    assert not allowed(WRITE, TOPIC, None)
    assert ReadAcl.reads == 0
    assert authorizer(acls).of_caller(ALICE, "/10.0.0.7")(WRITE, TOPIC, "orders")


def test_a_decision_about_some_topic_reads_only_acls_that_may_allow_it() -> None:
    acls = many(2_000, "t{}", "*")
    allowed = authorizer(acls).of_caller(ALICE, HOST)
    ReadAcl.reads = 0
    assert not allowed(READ, TOPIC, None)
    assert ReadAcl.reads == 0
    assert allowed(WRITE, TOPIC, None)


def test_an_equal_acl_is_found_without_reading_those_of_other_hosts() -> None:
    acls = many(2_000, "orders", "10.0.0.{}")
    one = next(iter(acls.by_id.values()))
    authorizer(acls)
    ReadAcl.reads = 0
    assert acls.has(one)
    acls.remove(one.id)
    assert not acls.has(one)
    assert ReadAcl.reads < 100


def test_a_denied_prefix_covers_longer_ones_and_names() -> None:
    acls = many(3, "t{}", "*", permission=PermissionType.DENY)
    allowed = authorizer(acls).of_caller(ALICE, HOST)
    for name in ("t1", "t10", "t1-orders", "t2"):
        add(acls, name, WRITE)
    assert not allowed(WRITE, TOPIC, None)
    add(acls, "t", WRITE)
    assert allowed(WRITE, TOPIC, None)
