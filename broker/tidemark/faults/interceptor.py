"""Applies one fault to the requests of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from tidemark.faults.active import ActiveFault
from tidemark.faults.errors import Changed, Refused, fail
from tidemark.faults.matching import (
    Facts,
    IdOf,
    NameOf,
    TopicPartition,
    no_ids,
    no_names,
    passes_filters,
)
from tidemark.faults.model import Fault
from tidemark.server.interceptors import (
    Action,
    Alone,
    Call,
    Close,
    Delay,
    Drop,
    Duplicate,
    Hold,
    Interceptor,
    Replace,
    Respond,
    Throttle,
    Truncate,
)
from tidemark.server.request_journal import FAULTS
from tidemark_protocol.errors import ErrorCode

# The APIs that only the coordinator of a group serves.
COORDINATOR_APIS: Final = frozenset(
    {"ConsumerGroupDescribe", "ConsumerGroupHeartbeat", "DeleteGroups", "DescribeGroups", "Heartbeat",
     "JoinGroup", "LeaveGroup", "OffsetCommit", "OffsetDelete", "OffsetFetch", "SyncGroup",
     "TxnOffsetCommit"}
)  # fmt: skip
# The APIs that only the coordinator of a transactional id serves. InitProducerId without one is not for it.
TRANSACTION_APIS: Final = frozenset(
    {"AddOffsetsToTxn", "AddPartitionsToTxn", "DescribeTransactions", "EndTxn", "InitProducerId"}
)
ACKS_NONE: Final = 0


def _nothing_fetched(session_id: int) -> Iterable[TopicPartition]:
    return ()


@dataclass(slots=True, frozen=True)
class Surroundings:
    """The parts of a node that faults need.

    steady_ms()          the clock of the faults' bounds
    name_of, id_of       topics by id and by name
    fetched(session id)  the partitions of a fetch session
    """

    steady_ms: Callable[[], int]
    name_of: NameOf = no_names
    id_of: IdOf = no_ids
    fetched: Callable[[int], Iterable[TopicPartition]] = _nothing_fetched

    def facts(self, call: Call) -> Facts:
        session_id = getattr(call.request, "session_id", 0) if call.api == "Fetch" else 0
        return Facts(
            api=call.api,
            version=call.version,
            client_id=call.client_id,
            principal=call.caller.principal,
            connection=call.caller.connection,
            request=call.request,
            name_of=self.name_of,
            id_of=self.id_of,
            more=self.fetched(session_id) if session_id else (),
        )


class FaultInterceptor(Interceptor):
    """Applies one fault. Its counts and end are in `active`."""

    def __init__(self, active: ActiveFault, surroundings: Surroundings) -> None:
        self.active = active
        self._surroundings = surroundings
        self._fault = active.fault

    def request(self, call: Call) -> Action | None:
        facts = self._surroundings.facts(call)
        now_ms = self._surroundings.steady_ms()
        if self._fault.coordinator_away:
            return self._away(call, facts, now_ms)
        if not self.active.applies_to(facts, now_ms):
            return None
        call.memory[self] = _as_it_is
        note(call, self.active)
        if self._fault.throttle_ms is not None:
            return Alone()
        if self._fault.error is not None:
            return self._fail(self._fault, call, facts)
        if self._fault.pause:
            return Hold(self.active.gate)
        return self._at("before")

    def response(self, call: Call, response: Any) -> Action | None:
        change = call.memory.get(self)
        fault = self._fault
        if change is None:
            return self._paused(call)
        if fault.error is not None or fault.coordinator_away:
            return Replace(change(response))
        if fault.throttle_ms is not None:
            return _throttled(response, fault.throttle_ms)
        if fault.drop:
            return Drop()
        if fault.truncate_bytes is not None:
            return Truncate(fault.truncate_bytes)
        if fault.duplicate:
            return Duplicate()
        return self._at("after")

    def _paused(self, call: Call) -> Action | None:
        """Hold the response to a request that was decided, or waited, when the pause began."""
        if not self._fault.pause or self.active.is_over(self._surroundings.steady_ms()):
            return None
        passes = passes_filters(self._fault, self._surroundings.facts(call))
        return Hold(self.active.gate) if passes else None

    def _at(self, when: str) -> Action | None:
        fault = self._fault
        if fault.when != when:
            return None
        if fault.delay_ms is not None:
            return Delay(fault.delay_ms)
        if fault.close:
            return Close()
        return Hold(self.active.gate) if fault.block else None

    def _fail(self, fault: Fault, call: Call, facts: Facts) -> Action | None:
        if call.api == "Produce" and call.request.acks == ACKS_NONE:
            return Close()  # Kafka closes the connection, because there is no response to carry the error
        match fail(fault, facts, call.error_response):
            case Refused(response=response):
                return Respond(response)
            case Changed(request=request, change=change):
                call.memory[self] = change
                return Replace(request)
        return None

    def _away(self, call: Call, facts: Facts, now_ms: int) -> Action | None:
        if not self._is_for_coordinator(call.api, facts):
            return None
        finds = call.api == "FindCoordinator"
        active = self.active
        if active.is_over(now_ms) or not active.applies_to(facts, now_ms):
            return None
        note(call, active)
        loading = active.is_loading(now_ms)
        if finds:
            if loading:
                return None  # it is found again, and loads
            code = ErrorCode.COORDINATOR_NOT_AVAILABLE
        else:
            code = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS if loading else ErrorCode.NOT_COORDINATOR
        moved = Fault(error=code, group=self._fault.group, transactional_id=self._fault.transactional_id)
        return self._fail(moved, call, facts)

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


def note(call: Call, active: ActiveFault) -> None:
    """Remember the fault for the journal of requests."""
    call.memory.setdefault(FAULTS, []).append(active.id)


def _as_it_is(response: Any) -> Any:
    return response


def _throttled(response: Any, throttle_ms: int) -> Action | None:
    if not hasattr(response, "throttle_time_ms"):
        return None
    changed = response.copy()
    changed.throttle_time_ms = throttle_ms
    return Throttle(changed, throttle_ms)
