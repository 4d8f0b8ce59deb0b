"""The view of a node that the HTTP API has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tidemark.control.snapshots import StoredSnapshots
from tidemark.control.time import MovingTime, Owner, Passes, States
from tidemark.node.incarnation import Incarnation
from tidemark.node.on_request import OnRequest
from tidemark.server.local import LocalClient
from tidemark_http.ports import Ports


def ports_of(
    incarnation: Incarnation,
    snapshots: StoredSnapshots,
    lock: asyncio.Lock,
    is_current: Callable[[], bool],
    fail: Callable[[BaseException], None],
    on_request: OnRequest | None = None,
) -> Ports:
    env, state, engine = incarnation.env, incarnation.state, incarnation.engine
    time = MovingTime(
        States(state.groups, state.cluster, engine.transactions_state),
        state.clock,
        env.host.storage,
        Passes(
            expire=engine.offset_expiry.run,
            retain_logs=engine.housekeeping.retain,
            expire_transactions=engine.expire_transactions,
            expire_tokens=engine.expire_tokens,
            timed_out=engine.transactions_timed_out,
            settled=engine.settled,
            durable=engine.group_commit.drain,
            next_ms=lambda: engine.housekeeping.next_expiry_at_ms,
        ),
        Owner(
            lock=lock,
            is_current=is_current,
            held=lambda: incarnation.held,
            release=incarnation.resume,
            failed=fail,
        ),
    )
    return Ports(
        groups=state.groups,
        cluster=state.cluster,
        time=time,
        log_ends=state.logs.ends,
        logs=state.logs.logs,
        log=state.logs.written,
        transactions=lambda: None if engine.transactions is None else engine.transactions.transactions,
        steady_ms=state.clock.steady_ms,
        local=lambda: LocalClient(incarnation.server),
        removals=lambda: engine.removals,
        rebalances=engine.rebalances.newest_first,
        snapshots=snapshots,
        test_api=env.config.tidemark_test_api,
        assumed_retention=env.assumes_retention,
        groups_max=env.config.tidemark_metrics_groups_max,
        faults=None if on_request is None else on_request.faults,
        requests=None if on_request is None else on_request.journals,
    )
