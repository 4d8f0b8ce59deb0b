"""Creates, lists and deletes ACLs with kafka-python, and prints them. Argument: the address."""

from __future__ import annotations

import sys

from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    KafkaAdminClient,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)

ANY = ACLFilter(
    None, None, ACLOperation.ANY, ACLPermissionType.ANY,
    ResourcePatternFilter(ResourceType.ANY, None, ACLResourcePatternType.ANY),
)  # fmt: skip


def shown(acls: list[ACL]) -> str:
    return ", ".join(
        sorted(
            f"{acl.resource_pattern.resource_type.name} {acl.resource_pattern.resource_name} "
            f"{acl.resource_pattern.pattern_type.name} {acl.principal} {acl.host} {acl.operation.name} "
            f"{acl.permission_type.name}"
            for acl in acls
        )
    )


def main() -> None:
    admin = KafkaAdminClient(bootstrap_servers=sys.argv[1])
    acls = [
        ACL("User:alice", "*", ACLOperation.READ, permission, ResourcePattern(kind, name, pattern))
        for kind, name, pattern, permission in (
            (ResourceType.TOPIC, "orders", ACLResourcePatternType.LITERAL, ACLPermissionType.ALLOW),
            (ResourceType.GROUP, "app-", ACLResourcePatternType.PREFIXED, ACLPermissionType.DENY),
        )
    ]
    assert len(admin.create_acls(acls)["succeeded"]) == 2
    print(f"listed: {shown(admin.describe_acls(ANY)[0])}")
    pattern = ResourcePatternFilter(ResourceType.GROUP, "app-1", ACLResourcePatternType.MATCH)
    ((_, deleted, _),) = admin.delete_acls(
        [ACLFilter(None, None, ACLOperation.ANY, ACLPermissionType.ANY, pattern)]
    )
    print(f"deleted: {shown(deleted)}")
    print(f"left: {shown(admin.describe_acls(ANY)[0])}")
    admin.close()


main()
