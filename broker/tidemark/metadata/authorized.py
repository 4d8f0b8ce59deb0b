"""Bit fields of the operations that a client may perform: bit n is operation code n."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tidemark.core.context import (
    CLUSTER_NAME,
    Context,
    Operation,
    ResourceType,
    everything_is_allowed,
    quietly,
)

NOT_REQUESTED: Final = -(2**31)

_TOPIC_OPERATIONS: Final = (
    Operation.READ,
    Operation.WRITE,
    Operation.CREATE,
    Operation.DELETE,
    Operation.ALTER,
    Operation.DESCRIBE,
    Operation.DESCRIBE_CONFIGS,
    Operation.ALTER_CONFIGS,
)
_GROUP_OPERATIONS: Final = (
    Operation.READ,
    Operation.DELETE,
    Operation.DESCRIBE,
    Operation.DESCRIBE_CONFIGS,
    Operation.ALTER_CONFIGS,
)
_CLUSTER_OPERATIONS: Final = (
    Operation.CREATE,
    Operation.ALTER,
    Operation.DESCRIBE,
    Operation.CLUSTER_ACTION,
    Operation.DESCRIBE_CONFIGS,
    Operation.ALTER_CONFIGS,
    Operation.IDEMPOTENT_WRITE,
)


def _bits(operations: Iterable[int]) -> int:
    return sum(1 << operation for operation in operations)


ALL_TOPIC_OPERATIONS: Final = _bits(_TOPIC_OPERATIONS)
ALL_CLUSTER_OPERATIONS: Final = _bits(_CLUSTER_OPERATIONS)


def topic_operations(ctx: Context, name: str) -> int:
    if ctx.allowed is everything_is_allowed:
        return ALL_TOPIC_OPERATIONS
    allowed = quietly(ctx.allowed)
    return _bits(operation for operation in _TOPIC_OPERATIONS if allowed(operation, ResourceType.TOPIC, name))


def group_operations(ctx: Context, group_id: str) -> int:
    allowed = quietly(ctx.allowed)
    return _bits(
        operation for operation in _GROUP_OPERATIONS if allowed(operation, ResourceType.GROUP, group_id)
    )


def cluster_operations(ctx: Context) -> int:
    """Return 0 for a client that may not describe the cluster."""
    if ctx.allowed is everything_is_allowed:
        return ALL_CLUSTER_OPERATIONS
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return 0
    allowed = quietly(ctx.allowed)
    return _bits(
        operation
        for operation in _CLUSTER_OPERATIONS
        if allowed(operation, ResourceType.CLUSTER, CLUSTER_NAME)
    )


def topic_allowed(ctx: Context, operation: int, name: str) -> bool:
    return ctx.allowed(operation, ResourceType.TOPIC, name)


def cluster_allowed(ctx: Context, operation: int) -> bool:
    return ctx.allowed(operation, ResourceType.CLUSTER, CLUSTER_NAME)


def cluster_allowed_or_else(ctx: Context, operation: int) -> bool:
    """Like `cluster_allowed`, before a check of another permission that is enough."""
    return quietly(ctx.allowed)(operation, ResourceType.CLUSTER, CLUSTER_NAME)


def topic_visible(ctx: Context, name: str) -> bool:
    """Return whether a list may have this topic."""
    return quietly(ctx.allowed)(Operation.DESCRIBE, ResourceType.TOPIC, name)
