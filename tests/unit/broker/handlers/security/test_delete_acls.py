"""tests/conformance/cases/acls.py compares the responses with Kafka's."""

from __future__ import annotations

import pytest

from tests.unit.broker.handlers.security.acl_story import AclStory
from tidemark.core.context import CLUSTER_NAME, Operation, ResourceType
from tidemark.core.decision import CloseConnection
from tidemark.handlers.security.delete_acls import delete_acls
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest


def test_each_filter_reports_what_it_found_and_each_acl_is_removed_once() -> None:
    story = AclStory()
    story.create("orders", "returns", "payments")
    written = len(story.log)
    response = story.delete("orders", "orders", "nosuch")
    found = [[acl.resource_name for acl in each.matching_acls] for each in response.filter_results]
    assert found == [["orders"], ["orders"], []]
    assert len(story.log) == written + 1
    assert story.names == ["returns", "payments"]
    assert story.restarted().hard_state() == story.cluster.hard_state()


def test_many_acls_are_removed_in_parts() -> None:
    story = AclStory()
    story.create(*(f"t{number}" for number in range(1050)))
    assert len(story.delete(None).filter_results[0].matching_acls) == 1050
    assert story.names == []


def test_alter_on_the_cluster_is_the_only_permission_checked() -> None:
    story = AclStory()
    story.create("orders")
    checked: list[tuple[int, int, str | None]] = []

    def allowed(operation: int, resource_type: int, name: str | None) -> bool:
        checked.append((operation, resource_type, name))
        return False

    story.allowed = allowed
    response = story.delete(None, "orders")
    assert checked == [(Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME)]
    codes = [each.error_code for each in response.filter_results]
    assert codes == [ErrorCode.CLUSTER_AUTHORIZATION_FAILED] * 2
    assert story.names == ["orders"]


def test_without_an_authorizer_there_are_no_acls() -> None:
    story = AclStory()
    story.has_authorizer = False
    assert [each.error_code for each in story.delete(None).filter_results] == [ErrorCode.SECURITY_DISABLED]


@pytest.mark.parametrize("field", range(4))
def test_the_code_unknown_closes_the_connection(field: int) -> None:
    codes = [1, 1, 1, 1]
    codes[field] = 0
    kind, pattern, operation, permission = codes
    wanted = DeleteAclsFilter(kind, "orders", pattern, None, None, operation, permission)
    with pytest.raises(CloseConnection):
        AclStory().ask(delete_acls, DeleteAclsRequest([wanted]), 3)
