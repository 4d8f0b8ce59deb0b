"""A KIP-848 group as the rest of the coordinator sees it: its data, and the decisions about it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidemark.core.context import Context, Now
from tidemark.core.result import After, Event, Record, Result, Steps
from tidemark.groups.consumer.classic_joins import join
from tidemark.groups.consumer.classic_members import heartbeat, identified, leaver, sync
from tidemark.groups.consumer.commits import check_commit, check_transactional_commit
from tidemark.groups.consumer.facts import member_facts, waits_for
from tidemark.groups.consumer.leaving import members_left
from tidemark.groups.consumer.model import ConsumerGroupModel
from tidemark.groups.consumer.records import group_tombstones
from tidemark.groups.consumer.settle import settle_group
from tidemark.groups.group import MemberFacts
from tidemark_protocol.errors import ErrorCode

if TYPE_CHECKING:
    from tidemark.groups.group import Commits, TransactionalCommits
    from tidemark_protocol.messages.heartbeat import HeartbeatResponse
    from tidemark_protocol.messages.join_group import JoinGroupRequest
    from tidemark_protocol.messages.offset_commit import OffsetCommitRequest
    from tidemark_protocol.messages.sync_group import SyncGroupRequest
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest


@dataclass(slots=True, eq=False)
class ConsumerGroup(ConsumerGroupModel):
    def check_commit(self, ctx: Context, request: OffsetCommitRequest, commits: Commits) -> After:
        """Check the member. As in Kafka, only heartbeats extend its session."""
        check_commit(self, ctx, request, commits)
        return ()

    def check_transactional_commit(
        self, request: TxnOffsetCommitRequest, commits: TransactionalCommits
    ) -> None:
        check_transactional_commit(self, request, commits)

    def check_fetch(self, member_id: str | None, epoch: int) -> ErrorCode:
        """Check the member. A client that names no member may fetch."""
        if member_id is None:
            return ErrorCode.NONE if epoch < 0 else ErrorCode.UNKNOWN_SERVER_ERROR
        member = self.members.get(member_id)
        if member is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if member.epoch == epoch:
            return ErrorCode.NONE
        return ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH

    def check_offset_delete(self) -> ErrorCode:
        return ErrorCode.NONE

    def member_facts(self) -> list[MemberFacts]:
        return [member_facts(self, member) for member in self.members.values()]

    def waits_for(self, topic_name: Callable[[bytes], str], wall_ms: int) -> str | None:
        return waits_for(self, topic_name, wall_ms)

    def tombstones(self) -> tuple[Record, ...]:
        return group_tombstones(self)

    def settle(self, now: Now, armed_ms: int | None) -> Result[None]:
        return settle_group(self, now, armed_ms)

    def join(self, ctx: Context, request: JoinGroupRequest) -> Result[Any] | Steps[Result[Any]]:
        return join(ctx, self, request)

    def sync(self, ctx: Context, request: SyncGroupRequest) -> Result[Any]:
        return sync(ctx, self, request)

    def heartbeat(
        self, member_id: str, instance_id: str | None, generation: int, steady_ms: int
    ) -> Result[HeartbeatResponse]:
        return heartbeat(self, identified(self, member_id, instance_id), generation, steady_ms)

    def leaver(self, member_id: str, instance_id: str | None, left: Collection[str | None]) -> str:
        return leaver(self, member_id, instance_id)

    def removal(self, now: Now, member_ids: Collection[str]) -> Result[Any]:
        known = [self.members[each] for each in member_ids if each in self.members]
        return members_left(self, known, now, "member left") if known else Result()

    def start_sessions(self, now: Now) -> tuple[Event, ...]:
        if not self.members or self.store is None:
            return ()
        self.start_timers(now.steady_ms, self.store.limits_of(self.group_id).session_timeout_ms)
        return ()
