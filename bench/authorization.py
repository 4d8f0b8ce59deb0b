"""The cost of authorization.

Measures what a cached and an uncached decision cost with 1,000 ACLs, and the CPU time of OffsetCommit
without an authorizer, with one, and with 1,000 ACLs. Commits are decided in memory, so that the disk does not
count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

from bench.rows import Effort, Row
from tests.unit.broker.group_story import GroupStory
from tidemark.authorization.acls import Acls, PatternType, PermissionType
from tidemark.authorization.standard import StandardAuthorizer
from tidemark.core.context import Authorizer, Operation, ResourceType, everything_is_allowed
from tidemark.handlers.groups.offset_commit import offset_commit
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord

ACLS: Final = 1000
ROUNDS: Final = 25
CALLS: Final = 20_000
COMMITS: Final = 2_000
PRINCIPAL: Final = "User:application"


def acls(count: int) -> Acls:
    """Return ACLs of many principals, topics and prefixes, and two that allow the commits."""
    found = Acls()
    kinds = (PatternType.LITERAL, PatternType.PREFIXED)
    for number in range(count - 2):
        pattern, principal = kinds[number % 2], f"User:{number % 50}"
        found.add(_acl(number, ResourceType.TOPIC, f"topic-{number // 4}", pattern, principal))
    found.add(_acl(count, ResourceType.TOPIC, "or", PatternType.PREFIXED, PRINCIPAL))
    found.add(_acl(count + 1, ResourceType.GROUP, "*", PatternType.LITERAL, PRINCIPAL))
    return found


def _acl(number: int, kind: int, name: str, pattern: int, principal: str) -> AccessControlEntryRecord:
    return AccessControlEntryRecord(
        number.to_bytes(16, "big"), kind, name, pattern, principal, "*", Operation.READ, PermissionType.ALLOW
    )


def _authorizer(count: int) -> StandardAuthorizer:
    return StandardAuthorizer(acls(count), frozenset(), allow_without_acl=False)


def _rounds(calls: int, *works: Callable[[], None]) -> list[list[float]]:
    """Return microseconds of CPU per call of each work, by round. They take turns in each round."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, found in zip(works, times, strict=True):
            start = time.process_time()
            work()
            found.append((time.process_time() - start) / calls * 1e6)
    return times


def _best(work: Callable[[], None], calls: int) -> float:
    return min(_rounds(calls, work)[0])


def _cached(allowed: Authorizer) -> None:
    for _ in range(CALLS):
        allowed(Operation.READ, ResourceType.TOPIC, "orders")


def _uncached(authorizer: StandardAuthorizer) -> None:
    for _ in range(CALLS // 10):
        authorizer.allows(PRINCIPAL, "127.0.0.1", Operation.READ, ResourceType.TOPIC, "orders")


def _commits(allowed: Authorizer) -> Callable[[], None]:
    story = GroupStory({"orders": 1})
    partition = OffsetCommitRequestPartition(0, 5, committed_metadata="")
    request = OffsetCommitRequest(
        "billing", topics=[OffsetCommitRequestTopic("orders", partitions=[partition])]
    )

    def work() -> None:
        for _ in range(COMMITS):
            story.ask(offset_commit, request, 8, allowed)

    return work


def authorization(folder: Path, effort: Effort) -> list[Row]:
    authorizer = _authorizer(ACLS)
    allowed = authorizer.of_caller(PRINCIPAL, "/127.0.0.1")
    few = _authorizer(2).of_caller(PRINCIPAL, "/127.0.0.1")
    free, two, many = _rounds(COMMITS, *map(_commits, (everything_is_allowed, few, allowed)))
    cost = median(with_acls / without for with_acls, without in zip(many, free, strict=True)) - 1
    return [
        Row(
            "authorization: a cached decision",
            _best(lambda: _cached(allowed), CALLS),
            "us",
            note=f"{ACLS} ACLs",
        ),
        Row(
            "authorization: an uncached decision",
            _best(lambda: _uncached(authorizer), CALLS // 10),
            "us",
            note=f"{ACLS} ACLs",
        ),
        Row("authorization: a commit in memory without an authorizer", min(free), "us"),
        Row("authorization: the same, 2 ACLs", min(two), "us"),
        Row("authorization: the same, 1,000 ACLs", min(many), "us"),
        Row("cost of 1,000 ACLs for commits in memory", cost * 100, "%"),
    ]
