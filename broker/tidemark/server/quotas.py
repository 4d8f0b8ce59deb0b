"""Quotas of clients: delays clients that produce, fetch or request more than they may (KIP-13, KIP-124).

The response to a client above its quota is sent at once. It names the time for which the connection is then
muted (KIP-219). Each node throttles by its own rates, so a client may use its quota at each.
The interceptor is in the list of the process only while there are quotas: others pay nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from sys import getsizeof
from typing import TYPE_CHECKING, Any, Final, cast

from tidemark.clock import precise_ns
from tidemark.metadata.quotas import (
    CLIENT_ID,
    CONSUMER_BYTE_RATE,
    PRODUCER_BYTE_RATE,
    REQUEST_PERCENTAGE,
    USER,
)
from tidemark.metrics.rates import SECOND_MS, Rate
from tidemark.server.interceptors import (
    BODY_BYTES,
    BUSY_NS,
    Action,
    Call,
    Interception,
    Interceptor,
    Throttle,
)

if TYPE_CHECKING:
    from tidemark.core.context import Caller
    from tidemark.engine.request import PendingRequest
    from tidemark.server.session import Session


ENFORCED: Final = (PRODUCER_BYTE_RATE, CONSUMER_BYTE_RATE, REQUEST_PERCENTAGE)
# Client ids are the clients' own choice, and may have 32 KB each, which one emoji makes four times as large.
# A rate needs about 2 KB. Like Kafka, the broker forgets one after an hour without requests.
CLIENTS_BYTES_MAX: Final = 32_000_000
CLIENT_BYTES: Final = 2_500
RATE_UNUSED_MS: Final = 3_600_000
DATA_APIS: Final = frozenset({"Fetch", "Produce"})
# A request that is decided at once rarely takes longer. A client that would stay below its limit with so much
# more need not be throttled.
BUSY_NS_MAX: Final = 10_000_000
PERCENT_PER_NS: Final = 100 / 1e9
NONE: Final = float("-inf")
NO_RATE: Final = Rate(1, 1)
INT_MAX: Final = 2**31 - 1
SIZE_BYTES: Final = 4

ABSENT: Final = ""  # this part of an entity is not named: names are never empty
Named = tuple[str | None, str | None]  # user and client id: a name, None for the default, or ABSENT
RateKey = tuple[int, str, Named]  # of a node
Quota = tuple[tuple[tuple[str, str | None], ...], str, float]  # entity, key, value


@dataclass(slots=True, frozen=True)
class QuotaWindows:
    """Kafka's quota.window.num and quota.window.size.seconds."""

    samples: int
    size_s: int


class ClientLimits:
    """The limits of a client: those of the most specific entity. Kafka: `DefaultQuotaCallback`."""

    def __init__(self, quotas: Iterable[Quota]) -> None:
        self._limits: dict[str, dict[Named, float]] = {key: {} for key in ENFORCED}
        for entity, key, value in quotas:
            if key in self._limits:
                parts = dict(entity)
                named = parts.get(USER, ABSENT), parts.get(CLIENT_ID, ABSENT)
                self._limits[key][named] = value

    def __bool__(self) -> bool:
        return any(self._limits.values())

    @property
    def limits_requests(self) -> bool:
        """Return whether there are limits for requests of every API."""
        return bool(self._limits[REQUEST_PERCENTAGE])

    def of(self, user: str, client_id: str) -> dict[str, tuple[float, Named]]:
        """Return each limit by its key, and who shares it: all clients of a user, all users, or neither."""
        both, of_user, of_client = (user, client_id), (user, ABSENT), (ABSENT, client_id)
        order: tuple[tuple[Named, Named], ...] = (
            (both, both),
            ((user, None), both),
            (of_user, of_user),
            ((None, client_id), both),
            ((None, None), both),
            ((None, ABSENT), of_user),
            (of_client, of_client),
            ((ABSENT, None), of_client),
        )
        found: dict[str, tuple[float, Named]] = {}
        for key, limits in self._limits.items():
            for named, shared in order if limits else ():
                if named in limits:
                    found[key] = limits[named], shared
                    break
        return found


class QuotaInterceptor(Interceptor):
    """Records what clients do, and throttles those above a limit."""

    def __init__(self, limits: ClientLimits, windows: QuotaWindows, steady_ms: Callable[[], int]) -> None:
        self._windows = windows
        self._steady_ms = steady_ms
        self._rates: OrderedDict[RateKey, Rate] = OrderedDict()  # least recently used first
        self._rates_bytes = 0
        self.limit(limits)

    def limit(self, limits: ClientLimits) -> None:
        """Apply other limits to the rates that are known."""
        self._limits = limits
        self._of_clients: dict[Named, dict[str, tuple[float, Named]]] = {}
        self._of_clients_bytes = 0
        # The client of the last request that was decided here.
        self._last_caller: Caller | None = None
        self._last_client_id = ""
        self._last_rate: Rate | None = None
        self._last_total_max = 0.0
        self.apis = None if limits.limits_requests else DATA_APIS

    def decides(self, interception: Interception, pending: PendingRequest) -> bool:
        """Decide a request of a client that has no quota for it, or is far below its quota of time."""
        if pending.is_long or pending.served.route.name in DATA_APIS:
            return False
        session = cast("Session", pending.session)
        if session.caller is not self._last_caller or pending.client_id is not self._last_client_id:
            self._find(session.caller, pending.client_id)
        rate = self._last_rate
        if rate is None:
            interception.router.decide(pending)
            return True
        if not rate.total < self._last_total_max:
            return False
        began_ns = precise_ns()
        interception.router.decide(pending)
        busy_ns = precise_ns() - began_ns
        if pending.answered:
            rate.record(busy_ns * PERCENT_PER_NS, self._steady_ms())
        else:
            interception.follow(session, pending, {self: began_ns, BUSY_NS: busy_ns})
        return True

    def _find(self, caller: Caller, client_id: str) -> None:
        """Find the rate of a client, and the total below which it is far below its quota.

        None: it has no quota. A client mostly sends several requests in a row.
        """
        self._last_caller, self._last_client_id = caller, client_id
        limits = self._of_clients.get((caller.principal, client_id))
        if limits is None:
            limits = self._limits_of(caller.principal, client_id)
        self._last_rate = None
        if REQUEST_PERCENTAGE in limits:
            limit, shared = limits[REQUEST_PERCENTAGE]
            key = caller.node_id, REQUEST_PERCENTAGE, shared
            self._last_rate = rate = self._rates.get(key)
            if rate is None:
                self._last_caller = None  # look again: the first request makes the rate
                self._last_rate, self._last_total_max = NO_RATE, NONE
            else:
                self._rates.move_to_end(key)
                all_but_one_s = (self._windows.samples - 1) * self._windows.size_s
                self._last_total_max = limit * all_but_one_s - BUSY_NS_MAX * PERCENT_PER_NS

    def request(self, call: Call) -> Action | None:
        limits = self._of(call)
        if not limits:
            return None
        call.memory[self] = precise_ns()
        if call.api == "Fetch" and CONSUMER_BYTE_RATE in limits:
            self._bound(call.request, limits[CONSUMER_BYTE_RATE][0])
        return None

    def response(self, call: Call, response: Any) -> Action | None:
        limits = self._of(call)
        if not limits or self not in call.memory:
            return None
        now_ms = self._steady_ms()
        node_id = call.caller.node_id
        waits_ms = self._request_ms(call, limits, now_ms)
        if call.api == "Produce":
            waits_ms = max(waits_ms, self._record(node_id, PRODUCER_BYTE_RATE, limits, call.size, now_ms))
        elif call.api == "Fetch" and CONSUMER_BYTE_RATE in limits:
            size = SIZE_BYTES + call.memory[BODY_BYTES]
            waits_ms = max(waits_ms, self._record(node_id, CONSUMER_BYTE_RATE, limits, size, now_ms))
            if waits_ms:
                # The response is empty, so that its records do not count.
                self._record(node_id, CONSUMER_BYTE_RATE, limits, -size, now_ms)
        if not waits_ms:
            return None
        return Throttle(_throttled(call.api, response, waits_ms), waits_ms)

    def unanswered(self, call: Call) -> int:
        """Count a Produce without a response (acks=0)."""
        if call.api != "Produce" or self not in call.memory:
            return 0
        limits, now_ms = self._of(call), self._steady_ms()
        return self._record(call.caller.node_id, PRODUCER_BYTE_RATE, limits, call.size, now_ms)

    def _of(self, call: Call) -> dict[str, tuple[float, Named]]:
        found = self._of_clients.get((call.caller.principal, call.client_id))
        return self._limits_of(call.caller.principal, call.client_id) if found is None else found

    def _limits_of(self, principal: str, client_id: str) -> dict[str, tuple[float, Named]]:
        """Return the limits of a client that is not known yet."""
        who = principal, client_id
        size = _bytes_of(who)
        if self._of_clients_bytes + size > CLIENTS_BYTES_MAX:
            self._of_clients.clear()
            self._of_clients_bytes = 0
        self._of_clients_bytes += size
        found = self._of_clients[who] = self._limits.of(principal.partition(":")[2], client_id)
        return found

    def _bound(self, request: Any, limit: float) -> None:
        """Fetch no more than the quota allows in its windows."""
        windows = self._windows
        most = min(limit * (windows.samples - 1) * windows.size_s, INT_MAX)
        if most < request.max_bytes:
            request.max_bytes = int(most)
            request.min_bytes = min(request.min_bytes, request.max_bytes)

    def _request_ms(self, call: Call, limits: dict[str, tuple[float, Named]], now_ms: int) -> int:
        """Record the time that the request took on the event loop, in percent of a second."""
        if REQUEST_PERCENTAGE not in limits:
            return 0
        busy_ns = call.memory.get(BUSY_NS)
        if busy_ns is None:  # it is still being decided
            busy_ns = precise_ns() - call.memory[self]
        waits_ms = self._record(
            call.caller.node_id, REQUEST_PERCENTAGE, limits, busy_ns * PERCENT_PER_NS, now_ms
        )
        return min(waits_ms, self._windows.size_s * SECOND_MS)

    def _record(
        self, node_id: int, key: str, limits: dict[str, tuple[float, Named]], value: float, now_ms: int
    ) -> int:
        """Record a value at a node. Return the time for which the client must wait."""
        if key not in limits:
            return 0
        limit, shared = limits[key]
        rate_key = node_id, key, shared
        rate = self._rates.get(rate_key)
        if rate is None:
            self._rates_bytes += _bytes_of(shared)
            self._forget_rates(now_ms)
            rate = self._rates[rate_key] = Rate(self._windows.samples, self._windows.size_s * SECOND_MS)
        else:
            self._rates.move_to_end(rate_key)
        rate.record(value, now_ms)
        return min(rate.throttle_ms(limit, now_ms), INT_MAX)

    def _forget_rates(self, now_ms: int) -> None:
        """Forget the rates that were not used for an hour, and more of the oldest ones if memory is short."""
        rates = self._rates
        while rates:
            rate_key, rate = next(iter(rates.items()))
            if self._rates_bytes <= CLIENTS_BYTES_MAX and now_ms - rate.last_ms < RATE_UNUSED_MS:
                break
            self._remove(rate_key)

    def forget(self, node_id: int) -> None:
        """Forget the rates of a node that stops."""
        for rate_key in [each for each in self._rates if each[0] == node_id]:
            self._remove(rate_key)

    def _remove(self, rate_key: RateKey) -> None:
        self._last_caller = None
        del self._rates[rate_key]
        self._rates_bytes -= _bytes_of(rate_key[2])


def _bytes_of(client: Named) -> int:
    """Return the memory that is kept for a client. Only its names differ in size."""
    return CLIENT_BYTES + sum(map(getsizeof, client))


def _throttled(api: str, response: Any, throttle_ms: int) -> Any:
    """Return the response to a client that must wait. As in Kafka, that of a Fetch has no partitions."""
    changed = copy(response)
    if hasattr(response, "throttle_time_ms"):
        changed.throttle_time_ms = throttle_ms
    if api == "Fetch":
        changed.responses = []
    return changed
