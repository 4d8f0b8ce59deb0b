"""Build ACLs and filters for requests, like build.py."""

from __future__ import annotations

from typing import Any, Final

STANDARD_AUTHORIZER: Final = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
CLUSTER_NAME: Final = "kafka-cluster"
UNKNOWN, ANY = range(2)  # in every kind of code
TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID, DELEGATION_TOKEN, USER = range(2, 8)  # resource types
MATCH, LITERAL, PREFIXED = range(2, 5)  # pattern types
DENY, ALLOW = range(2, 4)
ALL, READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, CLUSTER_ACTION = range(2, 10)
DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE, CREATE_TOKENS, DESCRIBE_TOKENS = range(10, 15)

Fields = dict[str, Any]


def acl(
    name: str,
    principal: str = "User:alice",
    operation: int = READ,
    *,
    kind: int = TOPIC,
    pattern: int = LITERAL,
    host: str = "*",
    permission: int = ALLOW,
) -> Fields:
    """Return an ACL for CreateAcls."""
    return {
        "ResourceType": kind,
        "ResourceName": name,
        "ResourcePatternType": pattern,
        "Principal": principal,
        "Host": host,
        "Operation": operation,
        "PermissionType": permission,
    }


def acl_filter(
    name: str | None,
    principal: str | None = None,
    operation: int = ANY,
    *,
    kind: int = TOPIC,
    pattern: int = LITERAL,
    host: str | None = None,
    permission: int = ANY,
) -> Fields:
    """Return a filter for DescribeAcls and DeleteAcls."""
    return {
        "ResourceTypeFilter": kind,
        "ResourceNameFilter": name,
        "PatternTypeFilter": pattern,
        "PrincipalFilter": principal,
        "HostFilter": host,
        "Operation": operation,
        "PermissionType": permission,
    }
