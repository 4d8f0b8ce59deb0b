"""Methods of the fixture about groups: lag, committed offsets and rebalances."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from tidemark_testing.broker import Broker
from tidemark_testing.http import ApiError
from tidemark_testing.responses import Group, Lag, Offset, PartitionLag, read
from tidemark_tools.client.connection import now_s

__tracebackhide__ = True

POLL_S: Final = 0.01
SHOWN: Final = 5  # partitions or members that a message shows
SETTLED: Final = ("Stable", "Empty")


class GroupAssertions(Broker):
    """Assertions about consumer groups. One that fails reports what it found instead."""

    def lag(self, group: str, topic: str | None = None) -> int:
        """Return how many records the group has not committed, over all partitions.

        The lag of a partition is the end of its log minus the committed offset, as in Kafka's tools. The
        topics are those that the group has committed offsets of or is subscribed to, or only `topic`. Raises
        LookupError if the group or the topic does not exist, or if a partition with records has no committed
        offset: then its lag is not known. `lags` has the others.
        """
        try:
            found = self._lag(group, topic, "lag()")
        except ApiError as error:
            raise _as_lookup_error(error) from None
        unknown = [each for each in found.partitions if each.is_unknown]
        if unknown:
            raise LookupError(f"the lag of group {group} is not known: {_listed(unknown)}")
        return found.lag or 0

    def lags(self, group: str, topic: str | None = None) -> dict[tuple[str, int], PartitionLag]:
        """Return the lag by (topic, partition), of the same partitions as `lag`.

        The lag of a partition without a committed offset is None. Raises LookupError if the group or the
        topic does not exist.
        """
        try:
            found = self._lag(group, topic, "lags()")
        except ApiError as error:
            raise _as_lookup_error(error) from None
        return {(each.topic, each.partition): each for each in found.partitions}

    def wait_until_caught_up(self, group: str, topic: str | None = None, *, timeout: float = 10.0) -> None:
        """Wait until the group has committed every record: each partition has an offset, and the lag is 0.

        An empty partition needs no offset: consumers need not commit one. But a group that has not committed
        anything has not caught up. Raises AssertionError after `timeout` seconds.
        """
        deadline = now_s() + timeout
        while True:
            missing = self._why_behind(group, topic)
            if missing is None:
                return
            if now_s() >= deadline:
                raise AssertionError(f"group {group} has not caught up after {timeout:g} s: {missing}")
            time.sleep(POLL_S)

    def _why_behind(self, group: str, topic: str | None) -> str | None:
        """Return what the group lacks, None if it has caught up."""
        try:
            found = self._lag(group, topic, "wait_until_caught_up()")
        except ApiError as error:
            return str(_as_lookup_error(error))
        if all(each.offset is None for each in found.partitions):
            return f"it has committed nothing. {self._state_of(group)}"
        behind = [each for each in found.partitions if each.is_unknown or (each.lag or 0) > 0]
        if not behind:
            return None
        return f"its lag is {found.lag or 0} ({_listed(behind)}). {self._state_of(group)}"

    def _lag(self, group: str, topic: str | None, wanted: str) -> Lag:
        name = None if topic is None else self.name(topic)
        response = self.api(wanted).get("/v1/lag", group=self.name(group), topic=name)
        response["partitions"] = [read(PartitionLag, each) for each in response["partitions"]]
        return read(Lag, response)

    def assert_committed(
        self,
        group: str,
        topic: str,
        offset: int | None = None,
        partition: int = 0,
        *,
        metadata: str | None = None,
        timeout: float = 0.0,
    ) -> Offset:
        """Assert that the group has committed this offset, or any offset, of the partition. Return it.

        timeout: wait up to so many seconds for the commit. Raises AssertionError.
        """
        found: dict[str, Any] = {}

        def why_not() -> str | None:
            found["offset"] = committed = self._committed(group, topic, partition)
            if committed is None:
                return f"it has committed no offset of it. {self._state_of(group)}"
            if offset is not None and committed.offset != offset:
                return f"it has committed {committed.offset}, not {offset}. {committed.explanation}"
            if metadata is not None and committed.metadata != metadata:
                return f"it has committed the metadata {committed.metadata!r}, not {metadata!r}"
            return None

        reason = _wait(why_not, timeout)
        if reason is not None:
            raise AssertionError(f"{topic}-{partition} of group {group}: {reason}")
        committed: Offset = found["offset"]
        return committed

    def _committed(self, group: str, topic: str, partition: int) -> Offset | None:
        query = {"group": self.name(group), "topic": self.name(topic), "partition": partition}
        try:
            found = self.api("assert_committed()").get("/v1/offsets", **query)["offsets"]
        except ApiError as error:
            if error.status == 404:
                return None
            raise
        return read(Offset, found[0]) if found else None

    def assert_rebalanced(self, group: str, since: int = 0, *, timeout: float = 10.0) -> int:
        """Assert that the group has completed a rebalance, and return its generation.

        since: an earlier generation, so that only later rebalances count. timeout: in seconds.
        The generation of a group of the consumer protocol is its epoch. Raises AssertionError.

            before = tidemark.assert_rebalanced("billing")
            consumers.append(another_consumer())
            tidemark.assert_rebalanced("billing", since=before)
        """
        found: list[Group] = []

        def why_not() -> str | None:
            state = self._group(group, "assert_rebalanced()")
            if state is None:
                return "there is no such group"
            found[:] = [state]
            if state.generation <= since:
                return f"its generation is {state.generation}, not above {since}. {_shown_group(state)}"
            if state.state not in SETTLED:
                return f"the rebalance is not complete. {_shown_group(state)}"
            return None

        reason = _wait(why_not, timeout)
        if reason is not None:
            raise AssertionError(f"group {group} has not rebalanced after {timeout:g} s: {reason}")
        return found[0].generation

    def _group(self, group: str, wanted: str) -> Group | None:
        try:
            (found,) = self.api(wanted).get("/v1/groups", group=self.name(group))["groups"]
        except ApiError as error:
            if error.status == 404:
                return None
            raise
        return read(Group, found)

    def _state_of(self, group: str) -> str:
        state = self._group(group, "groups")
        return "There is no such group" if state is None else _shown_group(state)


def _as_lookup_error(error: ApiError) -> Exception:
    return LookupError(str(error)) if error.status == 404 else error


def _wait(why_not: Callable[[], str | None], timeout: float) -> str | None:
    """Call until it returns None, for at most so many seconds. Return what it returned last."""
    deadline = now_s() + timeout
    while True:
        reason = why_not()
        if reason is None or now_s() >= deadline:
            return reason
        time.sleep(POLL_S)


def _listed(partitions: list[PartitionLag]) -> str:
    more = f", and {len(partitions) - SHOWN} more partitions" if len(partitions) > SHOWN else ""
    return ", ".join(map(_shown_lag, partitions[:SHOWN])) + more


def _shown_lag(each: PartitionLag) -> str:
    where, end = f"{each.topic}-{each.partition}", f"the log ends at {each.log_end_offset}"
    if each.lag is None:
        return f"{where} has no committed offset: {end}"
    return f"{where} lacks {each.lag}: committed {each.offset}, {end}"


def _shown_group(group: Group) -> str:
    members = [f"{each['client_id']} at {each['client_host']}" for each in group.members]
    listed = f": {', '.join(members[:SHOWN])}" if members else ""
    more = f", and {len(members) - SHOWN} more" if len(members) > SHOWN else ""
    return f"Group {group.group} is {group.state} with {len(members)} members{listed}{more}"
