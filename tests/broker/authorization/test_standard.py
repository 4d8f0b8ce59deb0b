"""tests/kafka/authorizer compares decisions with Kafka's; these tests are about the rest."""

from __future__ import annotations

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
