"""Applies one fault to the requests of a node."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.clock import Clock
from tidemark.faults.active import ActiveFault
from tidemark.faults.errors import Changed, Refused, fail, has_throttle_time
from tidemark.faults.matching import NO_TOPIC_ID, Facts, passes_filters
from tidemark.faults.model import Fault, InvalidFault, unknown_node
from tidemark.log.manager import LogManager
from tidemark.metadata.state import Cluster
from tidemark.server.interceptors import (
    FAULTS,
    Action,
    Call,
    Close,
    Delay,
    Drop,
    Duplicate,
    Examine,
    Hold,
    Interceptor,
    Replace,
    Respond,
    Throttle,
    Truncate,
)
from tidemark_protocol.errors import ErrorCode

if TYPE_CHECKING:
    from tidemark.share.open_partitions import SharePartitions
    from tidemark_protocol.messages.share_fetch import ShareFetchRequest

# The APIs that only the coordinator of a group serves.
COORDINATOR_APIS: Final = frozenset(
    {"AlterShareGroupOffsets", "ConsumerGroupDescribe", "ConsumerGroupHeartbeat", "DeleteGroups",
     "DeleteShareGroupOffsets", "DescribeGroups", "DescribeShareGroupOffsets", "Heartbeat", "JoinGroup",
     "LeaveGroup", "OffsetCommit", "OffsetDelete", "OffsetFetch", "ShareGroupDescribe",
     "ShareGroupHeartbeat", "StreamsGroupDescribe", "StreamsGroupHeartbeat",
     "StreamsGroupTopologyDescriptionUpdate", "SyncGroup", "TxnOffsetCommit"}
)  # fmt: skip
# The APIs that only the coordinator of a transactional id serves. InitProducerId without one is not for it.
TRANSACTION_APIS: Final = frozenset(
    {"AddOffsetsToTxn", "AddPartitionsToTxn", "DescribeTransactions", "EndTxn", "InitProducerId"}
)
ACKS_NONE: Final = 0
LATER: Final = "later faults"  # in the memory of a call: the faults that change its response
_PASSES: Final = object()  # the request passes the filters of a fault without an error
_Found = Any  # None (the fault does nothing), _PASSES, Close, Refused or Changed


class NodeView:
    """The clock, topics and fetch sessions of a node, as its faults and its journal see them.

    Call follow for each new incarnation of the node.
    """

    def follow(
        self, clock: Clock, cluster: Cluster, logs: LogManager, shares: Callable[[], SharePartitions | None]
    ) -> None:
        """shares: returns the share partitions in use. None: no client has fetched any"""
        self.clock = clock
        self._cluster = cluster
        self._logs = logs
        self._shares = shares

    def check_node(self, node_id: int) -> None:
        """Raises InvalidFault if no broker has this id."""
        known = self._cluster.node_ids
        if node_id not in known:
            raise InvalidFault("node_id", unknown_node(node_id, known))

    def steady_ms(self) -> int:
        """Return the time of the faults' bounds."""
        return self.clock.steady_ms()

    def name_of(self, topic_id: bytes) -> str | None:
        topic = self._cluster.topics_by_id.get(topic_id)
        return None if topic is None else topic.name

    def id_of(self, name: str) -> bytes:
        topic = self._cluster.topic(name)
        return NO_TOPIC_ID if topic is None else topic.topic_id

    def fetched(self, node_id: int, session_id: int) -> tuple[tuple[str | bytes, int], ...]:
        """Return the partitions of a fetch session of a broker, by the name or the id of their topics."""
        return self._logs.fetch_sessions[node_id].partitions_in(session_id)

    def shared(self, node_id: int, request: ShareFetchRequest) -> tuple[tuple[str | bytes, int], ...]:
        """Return the partitions of the share session of a request, by the id of their topics."""
        shares = self._shares()
        if shares is None or request.share_session_epoch <= 0:
            return ()
        session = shares.sessions(node_id).get((request.group_id or "", request.member_id or ""))
        return () if session is None else tuple(session.partitions)

    def facts(self, call: Call) -> Facts:
        session_id = getattr(call.request, "session_id", 0) if call.api == "Fetch" else 0
        node_id = call.caller.node_id
        fetched = self.fetched(node_id, session_id) if session_id else ()
        if call.api == "ShareFetch":
            fetched = self.shared(node_id, call.request)
        return Facts(
            api=call.api,
            version=call.version,
            client_id=call.client_id,
            principal=call.caller.principal,
            connection=call.caller.connection,
            request=call.request,
            node_id=node_id,
            name_of=self.name_of,
            id_of=self.id_of,
            fetched=fetched,
        )


class FaultInterceptor(Interceptor):
    """Applies one fault. Its counts and end are in `active`."""

    def __init__(self, active: ActiveFault, node: NodeView) -> None:
        self.active = active
        self._node = node
        self._fault = fault = active.fault
        if fault.api is not None:
            self.apis = frozenset({fault.api})
        elif fault.coordinator_away:
            self.apis = COORDINATOR_APIS | TRANSACTION_APIS | {"FindCoordinator"}

    def request(self, call: Call) -> Action | None:
        now_ms = self._node.steady_ms()
        if self.active.is_over(now_ms):
            return None
        facts = self._node.facts(call)
        return Examine(
            partial(self._examine, call, facts, now_ms),
            partial(self._apply, call),
            is_long=facts.is_long,
        )

    def _examine(self, call: Call, facts: Facts, now_ms: int) -> _Found:
        """Return what the fault does to a request, if it is chosen. It may run in a worker."""
        fault: Fault | None = self._fault
        assert fault is not None
        if not passes_filters(fault, facts):
            return None
        if fault.coordinator_away:
            fault = self._moved(call.api, facts, now_ms)
            if fault is None:
                return None
        elif fault.error is None:
            return _PASSES
        if _loses_response(call):
            return None  # an earlier fault lets the broker decide the request, and its response is lost
        if _is_without_response(call):
            return Close()  # as Kafka does, because there is no response to carry the error
        return fail(fault, facts, call.error_response)

    def _apply(self, call: Call, found: _Found) -> Action | None:
        """Count a request on which the fault can have an effect, and return the action."""
        if found is None:
            return None
        if isinstance(found, Changed) and found.has_place is not None:
            call.memory[self] = found  # its response tells whether the fault has an effect
            return None
        fault = self._fault
        if (found is _PASSES and not _has_effect(fault, call)) or not self._counts(call):
            return None
        if isinstance(found, Close):
            return found
        if isinstance(found, Refused):
            _take_back_later(call)
            return Respond(found.response)
        call.memory[self] = found
        if isinstance(found, Changed):
            return Replace(found.request)
        if _changes_response(fault):
            call.memory.setdefault(LATER, []).append(self.active)
        elif fault.close:
            _take_back_later(call)
        if fault.pause:
            return Hold(self.active.gate)
        return self._at("before")

    def response(self, call: Call, response: Any) -> Action | None:
        found = call.memory.get(self)
        fault = self._fault
        if found is None:
            return self._paused(call)
        if isinstance(found, Changed):
            change = Examine(partial(found.change, response), Replace, is_long=found.is_long)
            if found.has_place is None:
                return change
            return Examine(
                partial(found.has_place, response),
                lambda has_place: change if has_place and self._counts(call) else None,
                is_long=found.is_long,
            )
        if fault.throttle_ms is not None:
            return _throttled(response, fault.throttle_ms)
        if fault.drop:
            return Drop()
        if fault.truncate_bytes is not None:
            return Truncate(fault.truncate_bytes)
        if fault.duplicate:
            return Duplicate()
        return self._at("after")

    def _counts(self, call: Call) -> bool:
        """Count a request that passes the filters, and on which the fault can have an effect.

        Return whether the fault applies to it.
        """
        if not self.active.count(self._node.steady_ms()):
            return False
        note(call, self.active)
        return True

    def _paused(self, call: Call) -> Action | None:
        """Hold the response to a request that was decided, or waited, when the pause began."""
        if not self._fault.pause or self.active.is_over(self._node.steady_ms()):
            return None
        facts = self._node.facts(call)
        return Examine(
            partial(passes_filters, self._fault, facts),
            lambda passes: Hold(self.active.gate) if passes else None,
            is_long=facts.is_long,
        )

    def _at(self, when: str) -> Action | None:
        fault = self._fault
        if fault.when != when:
            return None
        if fault.delay_ms is not None:
            return Delay(fault.delay_ms)
        if fault.close:
            return Close()
        return Hold(self.active.gate) if fault.block else None

    def _moved(self, api: str, facts: Facts, now_ms: int) -> Fault | None:
        """Return the error of a coordinator that is away, for this request. None: it is for another one."""
        if not self._is_for_coordinator(api, facts):
            return None
        loading = self.active.is_loading(now_ms)
        if api == "FindCoordinator":
            if loading:
                return None  # it is found again, and loads
            code = ErrorCode.COORDINATOR_NOT_AVAILABLE
        else:
            code = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS if loading else ErrorCode.NOT_COORDINATOR
        return Fault(error=code, group=self._fault.group, transactional_id=self._fault.transactional_id)

    def _is_for_coordinator(self, api: str, facts: Facts) -> bool:
        """Return whether a request is for a coordinator that the fault can move, or looks for one.

        A fault of a group leaves the coordinators of transactional ids where they are, and vice versa:
        AddOffsetsToTxn and TxnOffsetCommit name both.
        """
        if api == "FindCoordinator":
            return bool(facts.groups() or facts.transactional_ids())
        if api in COORDINATOR_APIS:
            return self._fault.transactional_id is None
        return api in TRANSACTION_APIS and self._fault.group is None and bool(facts.transactional_ids())


class SlowDisk(Interceptor):
    """Delays the next response by what the event loop's writes owe to a slow disk."""

    def __init__(self, active: ActiveFault) -> None:
        self._active = active

    def response(self, call: Call, response: Any) -> Action | None:
        owed_ms = self._active.take_delay()
        return Delay(owed_ms) if owed_ms else None


def note(call: Call, active: ActiveFault) -> None:
    """Remember the fault for the journal of requests."""
    call.memory.setdefault(FAULTS, []).append(active.id)


def _is_without_response(call: Call) -> bool:
    return call.api == "Produce" and bool(call.request.acks == ACKS_NONE)


def _has_effect(fault: Fault, call: Call) -> bool:
    """Return whether a fault without an error changes anything for this request."""
    if fault.throttle_ms is not None and not has_throttle_time(call.api):
        return False
    return not (_changes_response(fault) and (_is_without_response(call) or _loses_response(call)))


def _changes_response(fault: Fault) -> bool:
    return (
        fault.throttle_ms is not None
        or fault.drop
        or fault.truncate_bytes is not None
        or fault.duplicate
        or fault.when == "after"
    )


def _loses_response(call: Call) -> bool:
    """Return whether an earlier fault ends the request once it was decided, without a response."""
    earlier: list[ActiveFault] = call.memory.get(LATER, [])
    return any(each.fault.drop or each.fault.close for each in earlier)


def _take_back_later(call: Call) -> None:
    """Undo the counts of earlier faults that wait for the response: the request ends before it is decided."""
    for active in call.memory.pop(LATER, ()):
        active.take_back()
        call.memory[FAULTS].remove(active.id)


def _throttled(response: Any, throttle_ms: int) -> Action:
    changed = copy(response)
    changed.throttle_time_ms = throttle_ms
    return Throttle(changed, throttle_ms)
