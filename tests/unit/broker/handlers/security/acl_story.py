"""A cluster with an authorizer. Its caller may do everything with ACLs."""

from __future__ import annotations

from tests.unit.broker.cluster_story import ClusterStory
from tidemark.handlers.security.create_acls import create_acls
from tidemark.handlers.security.delete_acls import delete_acls
from tidemark.handlers.security.describe_acls import describe_acls
from tidemark_protocol.messages.create_acls import AclCreation, CreateAclsRequest, CreateAclsResponse
from tidemark_protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest, DeleteAclsResponse
from tidemark_protocol.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse

ANY, LITERAL, READ, ALLOW, TOPIC = 1, 3, 3, 3, 2


class AclStory(ClusterStory):
    def __init__(self) -> None:
        super().__init__()
        self.has_authorizer = True

    def create(self, *names: str, principal: str = "User:alice") -> CreateAclsResponse:  # type: ignore[override]
        acls = [AclCreation(TOPIC, name, LITERAL, principal, "*", READ, ALLOW) for name in names]
        response: CreateAclsResponse = self.response(create_acls, CreateAclsRequest(acls), 3)
        return response

    def delete(self, *names: str | None) -> DeleteAclsResponse:
        filters = [DeleteAclsFilter(ANY, name, ANY, None, None, ANY, ANY) for name in names]
        response: DeleteAclsResponse = self.response(delete_acls, DeleteAclsRequest(filters), 3)
        return response

    def describe(self, name: str | None = None) -> DescribeAclsResponse:
        request = DescribeAclsRequest(ANY, name, ANY, None, None, ANY, ANY)
        response: DescribeAclsResponse = self.response(describe_acls, request, 3)
        return response

    @property
    def names(self) -> list[str]:
        """The topics of the ACLs that exist."""
        return [acl.resource_name for acl in self.cluster.acls.by_id.values()]
