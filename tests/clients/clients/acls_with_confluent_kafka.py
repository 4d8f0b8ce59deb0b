"""Creates, lists and deletes ACLs with confluent-kafka, and prints them. Argument: the address."""

from __future__ import annotations

import sys

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

ANY = AclBindingFilter(
    ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
)


def shown(acls: list[AclBinding]) -> str:
    return ", ".join(
        sorted(
            f"{acl.restype.name} {acl.name} {acl.resource_pattern_type.name} {acl.principal} {acl.host} "
            f"{acl.operation.name} {acl.permission_type.name}"
            for acl in acls
        )
    )


def main() -> None:
    admin = AdminClient({"bootstrap.servers": sys.argv[1]})
    read, deny = (
        AclBinding(kind, name, pattern, "User:alice", "*", AclOperation.READ, permission)
        for kind, name, pattern, permission in (
            (ResourceType.TOPIC, "orders", ResourcePatternType.LITERAL, AclPermissionType.ALLOW),
            (ResourceType.GROUP, "app-", ResourcePatternType.PREFIXED, AclPermissionType.DENY),
        )
    )
    for created in admin.create_acls([read, deny]).values():
        assert created.result() is None
    print(f"listed: {shown(admin.describe_acls(ANY).result())}")
    wanted = AclBindingFilter(
        ResourceType.GROUP,
        "app-1",
        ResourcePatternType.MATCH,
        None,
        None,
        AclOperation.ANY,
        AclPermissionType.ANY,
    )
    (deleted,) = admin.delete_acls([wanted]).values()
    print(f"deleted: {shown(deleted.result())}")
    print(f"left: {shown(admin.describe_acls(ANY).result())}")


main()
