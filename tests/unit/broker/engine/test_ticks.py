"""The timer of the earliest deadline, on a whole node."""

from __future__ import annotations

from tests.unit.broker.whole import A_JOIN, SESSION_MS, running
from tidemark_testing.storage import MemoryStorage


async def test_a_deadline_is_met_after_a_tick_at_which_none_was_left() -> None:
    async with running(MemoryStorage(), group_initial_rebalance_delay_ms="0") as whole:
        client = await whole.client()
        await client.find()
        member_id = (await client.ask("JoinGroup", 4, A_JOIN))["MemberId"]
        left = await client.ask("LeaveGroup", 3, {"GroupId": "g", "Members": [{"MemberId": member_id}]})
        assert left["Members"][0]["ErrorCode"] == 0
        assert not whole.state.groups.deadlines.at
        await whole.passes(SESSION_MS + 1_000)
        member_id = (await client.ask("JoinGroup", 4, A_JOIN))["MemberId"]
        joined = await client.ask("JoinGroup", 4, A_JOIN | {"MemberId": member_id})
        assert (joined["ErrorCode"], joined["GenerationId"]) == (0, 1)
