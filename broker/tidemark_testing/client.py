"""The object behind the fixtures: it creates topics, moves time, and explains offsets and removals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from tidemark_testing.broker import SNAPSHOT, Broker, Isolation
from tidemark_testing.group_assertions import GroupAssertions
from tidemark_testing.http import ApiError
from tidemark_testing.lifecycle import Lifecycle
from tidemark_testing.record_methods import RecordMethods
from tidemark_testing.responses import Group, Moved, Offset, Removal, Transaction, read
from tidemark_testing.server import Server
from tidemark_testing.story import story

if TYPE_CHECKING:
    from tidemark_testing.faults import Faults
    from tidemark_testing.metrics import Metrics
    from tidemark_testing.requests import Requests

__tracebackhide__ = True  # a failing test shows its own lines, not these

MILLISECOND: Final = timedelta(milliseconds=1)
PAGE: Final = 1000


class Tidemark(RecordMethods, GroupAssertions, Lifecycle, Broker):
    """A broker for a test.

    bootstrap_servers  for any Kafka client
    http               host:port of /metrics and /v1
    clock              its time

    pytest's fixture `tidemark` is one. Elsewhere, `Tidemark.start()` starts a broker.

    With Apache Kafka (external, without --tidemark-http) it can create topics, and write and read records. A
    test that uses anything else is skipped, and the skip reason names it.
    """

    def __init__(self, server: Server, isolation: Isolation = SNAPSHOT) -> None:
        super().__init__(server, isolation)
        self.clock = Clock(self)
        self._snapshots: list[str] = []
        self._moves: list[Moved] = []

    # time

    def expire_offsets(self) -> Moved:
        """Run the task that removes expired offsets once, now. Kafka runs it every ten minutes."""
        return self.move("/v1/cleanup", {}, "expire_offsets()")

    def move(self, path: str, body: dict[str, Any], wanted: str) -> Moved:
        self.check_alone(wanted)
        response = self.api(wanted).post(path, body)
        response["offsets"] = [read(Removal, each) for each in response["offsets"]]
        moved = read(Moved, response)
        if moved.moved_ms:
            self._moves.append(moved)
        return moved

    # state

    @property
    def groups(self) -> dict[str, Group]:
        """Every group, by name."""
        found = self.api("groups").pages("/v1/groups", "groups", limit=PAGE)
        return {each["group"]: read(Group, each) for each in found}

    def offsets(self, group: str) -> dict[tuple[str, int], Offset]:
        """Return the group's committed offsets by (topic, partition); none if the group does not exist."""
        return {(each.topic, each.partition): each for each in self._offsets(group=self.name(group))}

    def transactions(self) -> list[Transaction]:
        """Return every transactional id, by name, then the hanging transactions, which have no id."""
        found = self.api("transactions()").pages("/v1/transactions", "transactions", limit=PAGE)
        return [read(Transaction, each) for each in found]

    def removals(self, group: str | None = None) -> list[Removal]:
        """Return the removed offsets, oldest first: what they were, when and why they were removed."""
        name = None if group is None else self.name(group)
        found = self.api("removals()").pages("/v1/expiry/log", "removals", group=name, limit=PAGE)
        return [read(Removal, each) for each in found]

    @property
    def metrics(self) -> Metrics:
        """The current samples of /metrics."""
        from tidemark_testing.metrics import read_metrics

        return read_metrics(self.api("metrics").text("/metrics"))

    def _offsets(self, **query: str | None) -> list[Offset]:
        try:
            found = list(self.api("offsets()").pages("/v1/offsets", "offsets", limit=PAGE, **query))
        except ApiError as error:
            if error.status == 404:
                return []
            raise
        return [read(Offset, each) for each in found]

    # faults and requests

    @property
    def faults(self) -> Faults:
        """The faults that are set: `faults.add(...)` sets one.

        With --tidemark-isolation prefix, these are the faults of this test.
        """
        from tidemark_testing.faults import Faults

        return Faults(self.api("faults"), self)

    def requests(
        self,
        *,
        api: str | None = None,
        group: str | None = None,
        transactional_id: str | None = None,
        topic: str | None = None,
        partition: int | None = None,
        client_id: str | None = None,
        connection: int | None = None,
        error: str | None = None,
        outcome: str | None = None,
        after: int | None = None,
    ) -> Requests:
        """Return the recorded requests that pass all filters, oldest first.

        error: the name of an error code in the response. after: only requests with a higher number.
        """
        from tidemark_testing.requests import Requests

        return Requests(
            self.api("requests()"),
            {
                "api": api,
                "group": None if group is None else self.name(group),
                "transactional_id": transactional_id,
                "topic": None if topic is None else self.name(topic),
                "partition": partition,
                "client_id": client_id,
                "connection": connection,
                "error": error,
                "outcome": outcome,
                "after": after,
            },
        )

    # explanations

    def explain(self, group: str, topic: str, partition: int = 0) -> Offset | Removal:
        """Return the committed offset, or its last removal.

        `str(...)` or `.explanation` explains it in one sentence. Raises LookupError if the group never
        committed this partition.
        """
        topic = self.name(topic)
        offset = self.offsets(group).get((topic, partition))
        if offset is not None:
            return offset
        gone = [each for each in self.removals(group) if (each.topic, each.partition) == (topic, partition)]
        if not gone:
            raise LookupError(f"group {group} has committed no offset of {topic}-{partition}")
        return gone[-1]

    def assert_expired(
        self, group: str, topic: str | None = None, partition: int | None = None
    ) -> list[Removal]:
        """Assert that every offset of the group (topic, partition) has expired. Return the removals."""
        selection = self._selection(group, topic, partition)
        for offset in selection.of(self._offsets(group=selection.group)):
            raise AssertionError(f"{selection} has not expired. {offset.explanation}{_no_pass_yet(offset)}")
        gone = last_of_each(selection.of(self.removals(group)))
        if not gone:
            raise AssertionError(f"{selection} has not expired: nothing was ever committed for it")
        for each in gone:
            if each.cause != "expired":
                raise AssertionError(f"{selection} was removed, but did not expire. {each.explanation}")
        return gone

    def assert_kept(self, group: str, topic: str | None = None, partition: int | None = None) -> list[Offset]:
        """Assert that no committed offset of the group (topic, partition) was removed. Return the offsets."""
        selection = self._selection(group, topic, partition)
        kept = selection.of(self._offsets(group=selection.group))
        there = {(each.topic, each.partition) for each in kept}
        for gone in last_of_each(selection.of(self.removals(group))):
            if (gone.topic, gone.partition) not in there:
                raise AssertionError(f"{selection} was not kept. {gone.explanation}")
        if not kept:
            raise AssertionError(f"{selection} was not kept: nothing was ever committed for it")
        return kept

    def _selection(self, group: str, topic: str | None, partition: int | None) -> Selection:
        return Selection(self.name(group), None if topic is None else self.name(topic), partition)

    def story(self) -> str:
        """Return every group with its timeline, as a failing test shows it."""
        now_ms = self.clock.now_ms
        groups = list(self.groups.values())
        return story(groups, self._offsets(), self.removals(), self._moves, now_ms)

    # snapshots

    def snapshot(self) -> str:
        """Take a snapshot of topics, data, groups, producers and time. Return its id for `restore`."""
        self.check_alone("snapshot()")
        taken: str = self.api("snapshot()").post("/v1/snapshots")["id"]
        self._snapshots.append(taken)
        return taken

    def restore(self, snapshot: str | None = None) -> None:
        """Restore a snapshot; by default the state at the start of the test, or of `Tidemark.start()`.

        This closes the connections of clients, which reconnect by themselves. If the broker was stopped or
        killed since, the default is an empty broker.
        """
        self.check_alone("restore()")
        api, state = self.api("restore()"), self.server_state
        chosen = snapshot or state.clean
        if chosen is not None:
            api.post(f"/v1/snapshots/{chosen}/restore")
        elif state.lost:
            self.renew()
        else:
            raise ApiError(404, "unknown_snapshot", None, "there is no snapshot to restore")

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Make the current state the one in which every `tidemark` starts, until the block ends.

        For fixtures that prepare a session or a module.
        """
        self.check_alone("kept()")
        state = self.server_state
        before = state.clean
        self.remember()
        state.kept += 1
        try:
            yield
        finally:
            state.kept -= 1
            kept, state.clean = state.clean, before
            if before is not None:
                self.restore()
            self.api("kept()").delete(f"/v1/snapshots/{kept}")

    @property
    def clean(self) -> str | None:
        """The snapshot that `restore()` restores by default."""
        return self.server_state.clean

    @property
    def is_reset(self) -> bool:
        """Whether `restore()` can restore the state at the start of the test."""
        return self.server_state.clean is not None or self.server_state.lost

    def forget(self) -> None:
        """Delete the snapshots that this object has taken."""
        taken, self._snapshots = self._snapshots, []
        if not self.server_state.lost:  # else the stop has deleted them
            for snapshot in taken:
                self.api("snapshot()").delete(f"/v1/snapshots/{snapshot}")


class Clock:
    """The broker's wall time. Moving it does not expire members' sessions, unless sessions=True."""

    def __init__(self, tidemark: Tidemark) -> None:
        self._tidemark = tidemark

    @property
    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        now: int = self._tidemark.api("clock").get("/v1/clock")["now_ms"]
        return now

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.now_ms / 1000, tz=UTC)

    def advance(
        self,
        by: timedelta | None = None,
        *,
        days: float | None = None,
        hours: float | None = None,
        minutes: float | None = None,
        seconds: float | None = None,
        ms: float | None = None,
        cleanup: bool = True,
        sessions: bool = False,
        logs: bool = False,
    ) -> Moved:
        """Move time forward by a timedelta, by units, or by the sum of both.

        cleanup: run the expiration of offsets once at the new time. sessions: sessions and rebalances that
        become due in the span end. logs: records in topics age, too. Raises TypeError without a span, and
        ValueError if it is negative or rounds to 0 ms.
        """
        units = {"days": days, "hours": hours, "minutes": minutes, "seconds": seconds, "milliseconds": ms}
        span_ms = _span_ms(by, {unit: value for unit, value in units.items() if value is not None})
        body = {"ms": span_ms, "cleanup": cleanup, "sessions": sessions, "logs": logs}
        return self._tidemark.move("/v1/clock/advance", body, "clock.advance()")

    def to_expiry(self, group: str, *, minus_ms: int = 0, cleanup: bool = True) -> Moved:
        """Move the clock to the time at which the group's next offset expires, or minus_ms before it."""
        body = {
            "to": "next_expiry",
            "group": self._tidemark.name(group),
            "minus_ms": minus_ms,
            "cleanup": cleanup,
        }
        return self._tidemark.move("/v1/clock/advance", body, "clock.to_expiry()")

    def set(self, to: datetime | str | int) -> Moved:
        """Move to a datetime with a time zone, ISO text, or milliseconds since the epoch."""
        if isinstance(to, datetime):
            to = to.isoformat()
        body = {"to": to} if isinstance(to, str) else {"to_ms": to}
        return self._tidemark.move("/v1/clock/set", body, "clock.set()")

    def freeze(self) -> None:
        """Stop wall time until `resume` or a move."""
        self._tidemark.api("clock.freeze()").post("/v1/clock/freeze")

    def resume(self) -> None:
        self._tidemark.api("clock.resume()").post("/v1/clock/resume")


def _span_ms(by: timedelta | None, units: dict[str, float]) -> int:
    if by is not None and not isinstance(by, timedelta):
        raise TypeError(f"clock.advance({by!r}) has no unit: pass days=, hours=, ... or a timedelta")
    if by is None and not units:
        raise TypeError(
            "clock.advance() needs a span: pass days=, hours=, minutes=, seconds=, ms= or a timedelta"
        )
    span = (by or timedelta()) + timedelta(**units)
    if span < timedelta():
        raise ValueError(f"clock.advance() cannot go back by {-span}: restore() returns to an earlier state")
    span_ms = round(span / MILLISECOND)
    if span and not span_ms:
        raise ValueError(f"clock.advance() needs at least one millisecond, got {span}")
    return span_ms


@dataclass(frozen=True)
class Selection:
    """The offsets that an assertion is about. None: all."""

    group: str
    topic: str | None
    partition: int | None

    def __str__(self) -> str:
        if self.topic is None:
            return f"group {self.group}"
        where = self.topic if self.partition is None else f"{self.topic}-{self.partition}"
        return f"{where} of group {self.group}"

    def of(self, found: Iterable[Any]) -> list[Any]:
        return [
            each
            for each in found
            if self.topic in (None, each.topic) and self.partition in (None, each.partition)
        ]


def last_of_each(removals: Iterable[Removal]) -> list[Removal]:
    """Return the last removal of each offset: one may have been removed more than once."""
    return list({(each.topic, each.partition): each for each in removals}.values())


def _no_pass_yet(offset: Offset) -> str:
    if not offset.expired:
        return ""
    return " It is due, and the next pass of the cleanup task removes it: expire_offsets() runs one."
