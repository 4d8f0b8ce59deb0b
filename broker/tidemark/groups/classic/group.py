"""A classic group as the rest of the coordinator sees it: its data, and the decisions about it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from tidemark.core.context import Context, Now
from tidemark.core.result import Record, Result
from tidemark.groups.classic.join import join
from tidemark.groups.classic.leave import leaver, removal
from tidemark.groups.classic.model import ClassicModel
from tidemark.groups.classic.projection import creation_record, group_record
from tidemark.groups.classic.responses import refuse_assignment
from tidemark.groups.classic.settle import settle_group
from tidemark.groups.classic.sync import sync
from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode

if TYPE_CHECKING:
    from tidemark.groups.store import GroupStore
    from tidemark_protocol.messages.join_group import JoinGroupRequest
    from tidemark_protocol.messages.sync_group import SyncGroupRequest


@dataclass(slots=True, eq=False)
class ClassicGroup(ClassicModel):
    def tombstones(self) -> tuple[Record, ...]:
        return (group_record(self.group_id, None),)

    def settle(self, now: Now, armed_ms: int | None) -> Result[None]:
        return settle_group(self, now, armed_ms)

    def unwritten(self, code: ErrorCode, now: Now) -> Result[None]:
        return refuse_assignment(self, code, now)

    def join(self, ctx: Context, request: JoinGroupRequest) -> Result[Any]:
        return join(ctx, self, request)

    def sync(self, ctx: Context, request: SyncGroupRequest) -> Result[Any]:
        return sync(ctx, self, request)

    def leaver(self, member_id: str, instance_id: str | None, left: Collection[str | None]) -> str:
        return leaver(self, member_id, instance_id, left)

    def removal(self, now: Now, member_ids: Collection[str]) -> Result[Any]:
        return removal(self, member_ids)


def create_by_join(
    store: GroupStore, ctx: Context, request: JoinGroupRequest, before: tuple[Record, ...] = ()
) -> Result[Any]:
    """Create a group for a member without an id. Kafka creates it even if it then refuses the join.

    before: records that must precede those of the group
    """
    partition = store.partition_for(request.group_id)
    joined = ClassicGroup(request.group_id, partition, ctx.wall_ms, store=store).join(ctx, request)
    joined.records = (*before, creation_record(request.group_id, ctx.wall_ms))
    return joined
