"""Decisions about random ACLs equal those of Kafka's StandardAuthorizer, also while ACLs come and go."""

from __future__ import annotations

from typing import Any

from tests.conformance.authorizer.record import recorded
from tests.conformance.authorizer.worlds import QUESTIONS, WORLDS, worlds
from tidemark.authorization.acls import Acls
from tidemark.authorization.standard import StandardAuthorizer
from tidemark.settings.broker import principals_of
from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord


def _acl(number: int, fields: list[Any]) -> AccessControlEntryRecord:
    kind, name, pattern, principal, host, operation, permission = fields
    return AccessControlEntryRecord(
        number.to_bytes(16, "big"), kind, name, pattern, principal, host, operation, permission
    )


def _authorizer(acls: Acls, world: dict[str, Any]) -> StandardAuthorizer:
    super_users = frozenset(principals_of(world["super_users"]))
    allow_without_acl = world["allow_without_acl"].lower() == "true"
    return StandardAuthorizer(acls, super_users, allow_without_acl=allow_without_acl)


def _decisions(authorizer: StandardAuthorizer, world: dict[str, Any]) -> str:
    return "".join(
        "01"[authorizer.of_caller(principal, f"/{host}")(operation, kind, name)]
        for principal, host, operation, kind, name in world["asked"]
    )


def test_decisions_equal_kafkas() -> None:
    wanted = recorded()
    assert [len(each) for each in wanted] == [QUESTIONS] * WORLDS
    for world, decisions in zip(worlds(), wanted, strict=True):
        acls = Acls()
        for number, fields in enumerate(world["acls"]):
            acls.add(_acl(number, fields))
        authorizer = _authorizer(acls, world)
        assert _decisions(authorizer, world) == decisions
        assert _decisions(authorizer, world) == decisions  # from the cache


def test_decisions_follow_each_change() -> None:
    """All worlds one after the other in one set of ACLs, with an index that exists from the start."""
    acls = Acls()
    for world, decisions in zip(worlds(), recorded(), strict=True):
        authorizer = _authorizer(acls, world)
        for number, fields in enumerate(world["acls"]):
            acls.add(_acl(number, fields))
            authorizer.of_caller("User:alice", "/127.0.0.1")(3, 2, "a")
        assert _decisions(authorizer, world) == decisions
        for acl_id in list(acls.by_id):
            acls.remove(acl_id)
    assert not list(acls.of_resource(2, "a"))
