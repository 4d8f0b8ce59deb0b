"""The creation of the internal topics of streams groups. Imported once a streams group lacks one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.decision import Decision, Steps
from tidemark.groups.state import Groups
from tidemark.groups.streams.heartbeat import CreateInternalTopics
from tidemark.handlers.topics.create_topics import create_topics
from tidemark.metadata.state import Cluster
from tidemark.turns import Turns
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.create_topics import CreateTopicsRequest

if TYPE_CHECKING:
    from tidemark.engine.coordinator import Runtime

CREATION_TIMEOUT_MS: Final = 30_000  # Kafka's request.timeout.ms


class InternalTopics:
    """Creates the internal topics of streams groups (KIP-1071), within the budget of long work.

    Kafka: DefaultAutoTopicCreationManager.createStreamsInternalTopics.
    """

    def __init__(self, groups: Groups, cluster: Cluster, runtime: Runtime, turns: Turns) -> None:
        self._groups = groups
        self._cluster = cluster
        self._runtime = runtime
        self._turns = turns
        self._in_flight: set[str] = set()

    def carry_out(self, effect: CreateInternalTopics) -> None:
        """Begin in a later turn, after the response to the heartbeat."""
        group: Any = self._groups.groups.get(effect.group_id)
        failed = getattr(group, "creation_errors", {})
        topics = [
            topic
            for name, topic in effect.topics.items()
            if name not in self._in_flight and (name not in failed or failed[name][1] <= effect.ctx.wall_ms)
        ]
        if topics:
            self._in_flight.update(topic.name for topic in topics)
            request = CreateTopicsRequest(topics=topics, timeout_ms=CREATION_TIMEOUT_MS)
            steps = create_topics(self._cluster, effect.ctx, request)
            self._turns.later(partial(self._work, effect, request, steps))

    def _work(self, effect: CreateInternalTopics, request: Any, steps: Steps[Decision[Any]]) -> None:
        try:
            last = self._some_steps(steps)
            if last is None:
                self._turns.later(partial(self._work, effect, request, steps))
                return
            errors = {
                topic.name: topic.error_message or ErrorCode(topic.error_code).text
                for topic in self._runtime.apply("Cluster", last).topics
                if topic.error_code
            }
        except KafkaError as error:  # as in Kafka, all of them have failed then
            errors = dict.fromkeys((topic.name for topic in request.topics), str(error))
        self._in_flight.difference_update(topic.name for topic in request.topics)
        group: Any = self._groups.groups.get(effect.group_id)
        if group is not None and group.type_name == "streams":
            group.creation_errors = {name: (text, effect.until_ms) for name, text in errors.items()}

    def _some_steps(self, steps: Steps[Decision[Any]]) -> Decision[Any] | None:
        """Apply parts of the decision until the budget is used up. Return the last part, or None."""
        while True:
            try:
                step = next(steps)
            except StopIteration as last:
                decided: Decision[Any] = last.value
                return decided
            if isinstance(step, Decision):
                self._runtime.apply("Cluster", step)
            if self._turns.spend():
                return None
