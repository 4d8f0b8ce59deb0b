"""Effects: work that a decision requires outside of its state machine. One table has their functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from tidemark.core.apply import Unwritten
from tidemark.core.context import Now
from tidemark.core.decision import (
    DecidePendingOffsets,
    Decision,
    Effect,
    OffsetsTopicCreated,
    ResolveRegularExpressions,
    Steps,
    TopicsDeleted,
)
from tidemark.groups.forgetting import Forgotten, forget_dead, forget_topics
from tidemark.groups.state import Groups
from tidemark.metadata.state import Cluster
from tidemark.turns import Turns

if TYPE_CHECKING:
    from tidemark.engine.coordinator import Runtime

E = TypeVar("E", bound=Effect)


class Effects:
    """The functions that carry out each type of effect, in the order of their registration.

    late: by the names of effects, functions that create the part which registers for them
    """

    def __init__(self, late: Mapping[str, Callable[[], object]] | None = None) -> None:
        self._functions: dict[type[Effect], list[Callable[[Any], None]]] = {}
        self._late = late or {}

    def register(self, effect: type[E], function: Callable[[E], None]) -> None:
        self._functions.setdefault(effect, []).append(function)

    def carry_out(self, effect: Effect) -> None:
        kind = type(effect)
        if kind not in self._functions:
            self._late[kind.__name__]()
        for function in self._functions[kind]:
            function(effect)


class TopicDeletions:
    """Deletes logs and committed offsets of topics once the deletion of these topics is durable.

    The offsets are deleted within the budget of long work. Topics whose deletions become durable meanwhile
    share one pass over all offsets.

    If offsets were deleted earlier, a power cut could undo the deletion of the topic, which is in the other
    log. The topic would then exist without its offsets.

    delete_logs(effect) deletes logs.
    """

    def __init__(
        self, groups: Groups, runtime: Runtime, turns: Turns, delete_logs: Callable[[TopicsDeleted], None]
    ) -> None:
        self._groups = groups
        self._runtime = runtime
        self._turns = turns
        self._delete_logs = delete_logs
        self._waiting: list[TopicsDeleted] = []
        self._forgetting: Iterator[Forgotten] | None = None
        self.is_working = False  # offsets of deleted topics wait for a turn
        self._is_stopping = False

    def carry_out(self, effect: TopicsDeleted) -> None:
        self._runtime.group_commit.call_when_durable(partial(self._finish, effect))

    def _finish(self, effect: TopicsDeleted) -> None:
        self._delete_logs(effect)
        if self._is_stopping:
            return
        self._waiting.append(effect)
        if not self.is_working:
            self._forget_some()

    def forget_dead(self, cluster: Cluster) -> None:
        """Delete the offsets of topics whose deletion a crash has interrupted. For a start: all at once."""
        for results in forget_dead(self._groups, cluster, self._runtime.now().wall_ms):
            for result in results:
                self._runtime.accept("Groups", result)

    def stop(self) -> None:
        """Delete no more offsets: the next start deletes the rest."""
        self._is_stopping = True
        self._waiting.clear()
        self._forgetting = None

    def _forget_some(self) -> None:
        """Delete some offsets now, before the response, and the rest in later turns of the loop."""
        self.is_working = False
        while self._waiting or self._forgetting is not None:  # neither if the broker is stopping
            if self._forgetting is None:
                names = [name for effect in self._waiting for name in effect.names]
                ids = [topic_id for effect in self._waiting for topic_id in effect.topic_ids]
                self._waiting.clear()
                self._forgetting = forget_topics(self._groups, names, ids, self._runtime.now().wall_ms)
            results = next(self._forgetting, None)
            if results is None:
                self._forgetting = None
            for result in results or ():
                # Unwritten: a tombstone is larger than a batch may be now. The next start deletes the offset.
                with suppress(Unwritten):
                    self._runtime.accept("Groups", result)
            if self._turns.spend():  # also after a pass that found nothing: it has looked at all partitions
                self.is_working = True
                self._turns.later(self._forget_some)
                return


class RegexResolutions:
    """Matches topics with regular expressions of consumer groups, within the budget of long work."""

    def __init__(self, groups: Groups, runtime: Runtime, turns: Turns) -> None:
        self._groups = groups
        self._runtime = runtime
        self._turns = turns

    def carry_out(self, effect: ResolveRegularExpressions) -> None:
        """Begin in a later turn, after the response to the heartbeat."""
        from tidemark.groups.consumer.resolving import resolve

        steps = resolve(self._groups, effect, self._runtime.now().wall_ms)
        self._turns.later(partial(self._work, effect, steps))

    def _work(self, effect: ResolveRegularExpressions, steps: Steps[None]) -> None:
        from tidemark.groups.consumer.resolving import not_resolved

        try:
            for step in steps:
                if isinstance(step, Decision):
                    self._runtime.accept("Groups", step)
                if self._turns.spend():
                    self._turns.later(partial(self._work, effect, steps))
                    return
        except Unwritten:
            self._runtime.accept("Groups", not_resolved(self._groups, effect, self._runtime.now().wall_ms))


class PendingOffsetDecisions:
    """Stores or drops the offsets of large transactions that have ended, within the budget of long work."""

    def __init__(self, groups: Groups, turns: Turns) -> None:
        self._groups = groups
        self._turns = turns
        self._is_working = False

    def carry_out(self, effect: DecidePendingOffsets) -> None:
        if not self._is_working:
            self._is_working = True
            self._turns.later(self._work)

    def _work(self) -> None:
        while self._groups.offsets.is_ending():
            self._groups.offsets.end_some()
            if self._turns.spend():
                self._turns.later(self._work)
                return
        self._is_working = False


def serve_groups(groups: Groups, now: Callable[[], Now], effect: OffsetsTopicCreated) -> None:
    """Serve groups from a new `__consumer_offsets`, which is empty."""
    groups.serve(effect.partitions)
    for partition in range(effect.partitions):
        groups.loaded(partition, now())
