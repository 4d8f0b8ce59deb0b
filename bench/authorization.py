"""The cost of authorization.

Measures what a cached and an uncached decision cost with 1,000 ACLs, and the CPU time of OffsetCommit
without an authorizer, with one, and with 1,000 ACLs. Commits are decided in memory, so that the disk does not
count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.rows import Effort, Row
from tests.broker.group_story import Story
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
ROUNDS: Final = 7
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


def _best(work: Callable[[], None], calls: int) -> float:
    """Return microseconds of CPU per call: the best of a few rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) / calls * 1e6


def _cached(allowed: Authorizer) -> None:
    for _ in range(CALLS):
        allowed(Operation.READ, ResourceType.TOPIC, "orders")


def _uncached(authorizer: StandardAuthorizer) -> None:
    for _ in range(CALLS // 10):
        authorizer.allows(PRINCIPAL, "127.0.0.1", Operation.READ, ResourceType.TOPIC, "orders")


def _commits(allowed: Authorizer) -> Callable[[], None]:
    story = Story({"orders": 1})
    partition = OffsetCommitRequestPartition(0, 5, committed_metadata="")
    request = OffsetCommitRequest(
        "billing", topics=[OffsetCommitRequestTopic("orders", partitions=[partition])]
    )

    def work() -> None:
        for _ in range(COMMITS):
            story.ask(offset_commit, 8, request, allowed)

    return work


def authorization(folder: Path, effort: Effort) -> list[Row]:
    authorizer = _authorizer(ACLS)
    allowed = authorizer.of_caller(PRINCIPAL, "/127.0.0.1")
    few = _authorizer(2).of_caller(PRINCIPAL, "/127.0.0.1")
    free, two, many = (_best(_commits(decides), COMMITS) for decides in (everything_is_allowed, few, allowed))
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
        Row("authorization: a commit in memory without an authorizer", free, "us"),
        Row("authorization: the same, 2 ACLs", two, "us"),
        Row("authorization: the same, 1,000 ACLs", many, "us"),
        Row("cost of 1,000 ACLs for commits in memory", (many / free - 1) * 100, "%"),
    ]
