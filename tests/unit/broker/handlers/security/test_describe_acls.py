"""tests/conformance/cases/acls.py compares the responses with Kafka's."""

from __future__ import annotations

import pytest

from tests.unit.broker.handlers.security.acl_story import AclStory
from tidemark.core.context import CLUSTER_NAME, Operation, ResourceType
from tidemark.core.decision import CloseConnection
from tidemark.handlers.security.describe_acls import describe_acls
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_acls import DescribeAclsRequest


def test_acls_of_one_resource_are_listed_together() -> None:
    story = AclStory()
    story.create("orders", "returns")
    story.create("orders", principal="User:bob")
    response = story.describe()
    assert response.error_message == ""
    found = {each.resource_name: [acl.principal for acl in each.acls] for each in response.resources}
    assert found == {"orders": ["User:alice", "User:bob"], "returns": ["User:alice"]}
    assert [each.resource_name for each in story.describe("returns").resources] == ["returns"]


def test_describe_on_the_cluster_is_the_only_permission_checked() -> None:
    story = AclStory()
    story.create("orders")
    checked: list[tuple[int, int, str | None]] = []

    def allowed(operation: int, resource_type: int, name: str | None) -> bool:
        checked.append((operation, resource_type, name))
        return False

    story.allowed = allowed
    response = story.describe()
    assert checked == [(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME)]
    assert (response.error_code, response.resources) == (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, [])


def test_without_an_authorizer_there_are_no_acls() -> None:
    story = AclStory()
    story.has_authorizer = False
    assert story.describe().error_code == ErrorCode.SECURITY_DISABLED


@pytest.mark.parametrize("field", range(4))
def test_the_code_unknown_closes_the_connection(field: int) -> None:
    codes = [1, 1, 1, 1]
    codes[field] = 0
    kind, pattern, operation, permission = codes
    request = DescribeAclsRequest(kind, None, pattern, None, None, operation, permission)
    with pytest.raises(CloseConnection):
        AclStory().ask(describe_acls, request, 3)
