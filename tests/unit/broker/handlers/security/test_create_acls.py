"""tests/conformance/cases/acls.py compares the responses with Kafka's."""

from __future__ import annotations

import pytest

from tests.unit.broker.handlers.security.acl_story import AclStory
from tidemark.core.context import CLUSTER_NAME, Operation, ResourceType
from tidemark.core.decision import CloseConnection
from tidemark.handlers.security.create_acls import create_acls
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_acls import AclCreation, CreateAclsRequest


def test_acls_survive_a_restart() -> None:
    story = AclStory()
    story.create("orders", "returns")
    assert story.names == ["orders", "returns"]
    assert story.restarted().hard_state() == story.cluster.hard_state()


def test_an_acl_that_exists_is_not_written_again() -> None:
    story = AclStory()
    story.create("orders", "orders")
    written = len(story.log)
    story.create("orders")
    assert len(story.log) == written
    assert story.names == ["orders"]


def test_many_acls_are_written_in_parts() -> None:
    story = AclStory()
    response = story.create(*(f"t{number}" for number in range(1050)))
    assert len(response.results) == 1050
    assert len(story.names) == 1050
    assert len({acl.id for acl in story.cluster.acls.by_id.values()}) == 1050


def test_alter_on_the_cluster_is_the_only_permission_checked() -> None:
    story = AclStory()
    checked: list[tuple[int, int, str | None]] = []

    def allowed(operation: int, resource_type: int, name: str | None) -> bool:
        checked.append((operation, resource_type, name))
        return False

    story.allowed = allowed
    response = story.create("orders", "")
    assert checked == [(Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME)]
    assert [each.error_code for each in response.results] == [ErrorCode.CLUSTER_AUTHORIZATION_FAILED] * 2
    assert story.names == []


def test_without_an_authorizer_there_are_no_acls() -> None:
    story = AclStory()
    story.has_authorizer = False
    response = story.create("orders")
    assert [each.error_code for each in response.results] == [ErrorCode.SECURITY_DISABLED]
    assert story.names == []


@pytest.mark.parametrize("field", range(4))
def test_the_code_unknown_closes_the_connection(field: int) -> None:
    codes = [2, 3, 3, 3]
    codes[field] = 0
    kind, pattern, operation, permission = codes
    creation = AclCreation(kind, "orders", pattern, "User:alice", "*", operation, permission)
    with pytest.raises(CloseConnection):
        AclStory().ask(create_acls, CreateAclsRequest([creation]), 3)
