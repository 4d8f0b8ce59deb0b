"""The callers of the matrix: each has all permissions but one, or only one.

They differ by their host, because ACLs can name a host: every address of 127.0.0.0/8 is the loopback on
Linux. The administrator calls from 127.0.0.1. So no login is needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from tests.conformance.build_acls import (
    ALL,
    ALTER,
    ALTER_CONFIGS,
    CLUSTER,
    CLUSTER_ACTION,
    CLUSTER_NAME,
    CREATE,
    DELETE,
    DENY,
    DESCRIBE,
    DESCRIBE_CONFIGS,
    GROUP,
    IDEMPOTENT_WRITE,
    READ,
    TOPIC,
    TRANSACTIONAL_ID,
    WRITE,
    acl,
)

ANONYMOUS: Final = "User:ANONYMOUS"
ADMINISTRATOR: Final = "127.0.0.1"
KINDS: Final = {TOPIC: "Topic", GROUP: "Group", CLUSTER: "Cluster", TRANSACTIONAL_ID: "TransactionalId"}
OPERATIONS: Final = {
    READ: "Read",
    WRITE: "Write",
    CREATE: "Create",
    DELETE: "Delete",
    ALTER: "Alter",
    DESCRIBE: "Describe",
    CLUSTER_ACTION: "ClusterAction",
    DESCRIBE_CONFIGS: "DescribeConfigs",
    ALTER_CONFIGS: "AlterConfigs",
    IDEMPOTENT_WRITE: "IdempotentWrite",
}
SUPPORTED: Final = {
    TOPIC: (READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS),
    GROUP: (READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS),
    CLUSTER: (
        CREATE,
        DELETE,
        ALTER,
        DESCRIBE,
        CLUSTER_ACTION,
        DESCRIBE_CONFIGS,
        ALTER_CONFIGS,
        IDEMPOTENT_WRITE,
    ),
    TRANSACTIONAL_ID: (WRITE, DESCRIBE),
}
EVERY_KIND: Final = range(TOPIC, TRANSACTIONAL_ID + 3)


@dataclass(slots=True, frozen=True)
class Caller:
    """A caller, its address, and its ACLs."""

    name: str
    host: str
    acls: list[dict[str, Any]] = field(compare=False)


def _everything(host: str) -> list[dict[str, Any]]:
    return [acl(_all_of(kind), ANONYMOUS, ALL, kind=kind, host=host) for kind in EVERY_KIND]


def _all_of(kind: int) -> str:
    return CLUSTER_NAME if kind == CLUSTER else "*"


def callers() -> list[Caller]:
    """Return all callers. The administrator is the first one."""
    found = [Caller("administrator", ADMINISTRATOR, _everything(ADMINISTRATOR))]

    def add(name: str, *acls: dict[str, Any], everything: bool = False) -> None:
        host = f"127.0.1.{len(found)}"
        own = [{**each, "Host": host} for each in acls]
        found.append(Caller(name, host, [*(_everything(host) if everything else ()), *own]))

    add("nothing")
    add("everything", everything=True)
    for kind, operations in SUPPORTED.items():
        for operation in operations:
            name = f"{OPERATIONS[operation]} {KINDS[kind]}"
            add(f"only {name}", acl(_all_of(kind), ANONYMOUS, operation, kind=kind))
            denied = acl(_all_of(kind), ANONYMOUS, operation, kind=kind, permission=DENY)
            add(f"all but {name}", denied, everything=True)
    for kind, name in ((TOPIC, "other"), (GROUP, "other-group"), (TRANSACTIONAL_ID, "other-id")):
        add(f"all but {name}", acl(name, ANONYMOUS, ALL, kind=kind, permission=DENY), everything=True)
    return found
