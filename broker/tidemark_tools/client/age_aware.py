"""A consumer of confluent-kafka that reads young partitions from the beginning, by the draft of KIP-1327.

confluent-kafka is an optional dependency, the extra `confluent` of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tidemark_tools.client.client import EARLIEST, Client, TopicPartition
from tidemark_tools.client.connection import now_s
from tidemark_tools.client.errors import Unreachable
from tidemark_tools.client.librdkafka import kafkas_security
from tidemark_tools.client.reset_policy import (
    CONSUMER_PROTOCOL,
    MAX_AGE,
    PROTOCOL,
    RESET,
    Reason,
    ResetPolicy,
    reset_policy,
    start_of,
)
from tidemark_tools.client.topics import check_ages, partition_ages

try:
    import confluent_kafka
except ImportError as error:
    raise ImportError(
        "AgeAwareConsumer needs confluent-kafka, which is not installed: pip install 'confluent-kafka>=2.11'"
    ) from error

SLICE_S: Final = 0.5  # how long a poll may block before partitions without an age are tried again
CALL_TIMEOUT_MS: Final = 5_000  # for each of the two requests of a decision
# librdkafka's other names of the values of auto.offset.reset, which confluent-kafka accepts.
RESETS: Final = {
    "smallest": "earliest", "beginning": "earliest", "largest": "latest", "end": "latest", "error": "none",
}  # fmt: skip

Partitions = list[confluent_kafka.TopicPartition]
Callback = Callable[["AgeAwareConsumer", Partitions], object]


class AgeAwareConsumer(confluent_kafka.Consumer):  # type: ignore[misc]
    """`confluent_kafka.Consumer` with the setting `auto.offset.reset.latest.max.age`.

    The setting is a number of milliseconds; -1, the default, turns it off. It counts only with
    `auto.offset.reset=latest`. A partition without a committed offset that is at most that old then starts at
    the beginning, any other at the end. `group.protocol` is consumer unless you set it.

    The age comes from Metadata v14, which is requested for each assignment. Until it is known, the partition
    is not read, and `on_assign` is not called for it. Partitions that `assign` or `incremental_assign` name
    without an offset, or with OFFSET_STORED, start in the same way, with the next `poll` or `consume`: until
    then `assignment()` does not list them. A partition that you give an offset starts there.

    The age is requested over a connection of its own, with the same TLS and SASL settings: PLAIN, SCRAM, and
    keys in PEM or PKCS12.

    Raises ConfigError for wrong settings: a number below -1, the classic protocol with the setting, or TLS or
    SASL settings that only librdkafka has. With the setting on, `poll` and `consume` raise UnsupportedVersion
    if the broker has no Metadata v14, from the first call on.
    """

    def __init__(self, config: Mapping[str, Any], /, **more: Any) -> None:
        settings = {PROTOCOL: CONSUMER_PROTOCOL, **config}
        self._policy = _policy(settings)
        settings.pop(MAX_AGE, None)
        self._client = _client(settings) if self._policy.needs_ages else None
        self._undecided: Partitions = []  # assigned by the group or by hand, and not started yet
        self._has_ages = False  # the broker has said that it serves Metadata v14
        self._by_hand = False  # the application assigns partitions itself
        self._in_callback = False
        self._on_assign: Callback | None = None
        self._on_revoke: Callback | None = None
        self._on_lost: Callback | None = None
        self._callback_assigned = False
        super().__init__(settings, **more)

    def subscribe(
        self,
        topics: list[str],
        on_assign: Callback | None = None,
        on_revoke: Callback | None = None,
        on_lost: Callback | None = None,
    ) -> None:
        """Subscribe to topics. on_assign is called with partitions whose offset says where they start."""
        given = {"on_assign": on_assign, "on_revoke": on_revoke, "on_lost": on_lost}
        callbacks: dict[str, Any] = {
            name: callback for name, callback in given.items() if callback is not None
        }
        if self._client is not None:
            self._by_hand = False
            self._on_assign, self._on_revoke, self._on_lost = on_assign, on_revoke, on_lost
            callbacks = {"on_assign": self._assigned, "on_revoke": self._revoked, "on_lost": self._lost}
        super().subscribe(topics, **callbacks)

    def poll(self, timeout: float = -1) -> confluent_kafka.Message | None:
        """Return the next message, or None after the timeout. It may raise UnsupportedVersion."""
        if self._client is None:
            return super().poll(timeout)
        deadline = _deadline(timeout)
        while True:
            self._check_ages()
            self._start_undecided()
            message = super().poll(_slice_s(deadline))
            if message is not None or _is_over(deadline):
                return message

    def consume(self, num_messages: int = 1, timeout: float = -1) -> list[confluent_kafka.Message]:
        """Return up to num_messages messages, fewer after the timeout. It may raise UnsupportedVersion."""
        if self._client is None:
            return list(super().consume(num_messages, timeout))
        deadline = _deadline(timeout)
        messages: list[confluent_kafka.Message] = []
        while True:
            self._check_ages()
            self._start_undecided()
            messages += super().consume(num_messages - len(messages), _slice_s(deadline))
            if len(messages) >= num_messages or _is_over(deadline):
                return messages

    def assign(self, partitions: Partitions) -> None:
        """Assign these partitions. Within on_assign, this replaces what the consumer would assign."""
        if self._assigns_by_hand():
            self._undecided = []
        self._assign(partitions, super().assign)

    def incremental_assign(self, partitions: Partitions) -> None:
        """Add these partitions. Within on_assign, this replaces what the consumer would add."""
        self._assign(partitions, super().incremental_assign)

    def _assign(self, partitions: Partitions, assign: Callable[[Partitions], object]) -> None:
        self._callback_assigned = True
        if self._assigns_by_hand():
            self._by_hand = True
            self._undecided += [each for each in partitions if _has_no_start(each)]
            partitions = [each for each in partitions if not _has_no_start(each)]
        assign(partitions)

    def unassign(self) -> None:
        """Stop reading. Within on_revoke, this replaces what the consumer would remove."""
        self._callback_assigned = True
        if self._assigns_by_hand():
            self._undecided = []
        super().unassign()

    def incremental_unassign(self, partitions: Partitions) -> None:
        """Remove these partitions. Within on_revoke, this replaces what the consumer would remove."""
        self._callback_assigned = True
        if self._assigns_by_hand():
            partitions = self._forget(partitions)
        super().incremental_unassign(partitions)

    def _assigns_by_hand(self) -> bool:
        """Return whether an assignment now is one of the application, whose starts are decided here."""
        return self._client is not None and not self._in_callback

    def close(self) -> None:
        """Commit if `enable.auto.commit` is set, and leave the group."""
        try:
            super().close()
        finally:
            if self._client is not None:
                self._client.close()

    def __enter__(self) -> AgeAwareConsumer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _assigned(self, _: confluent_kafka.Consumer, partitions: Partitions) -> None:
        self._undecided += partitions
        started = False
        try:
            started = self._start_undecided()
        finally:
            # If nothing is assigned here, confluent-kafka starts all of them by auto.offset.reset.
            if not started:
                super().incremental_assign([])

    def _start_undecided(self) -> bool:
        """Start the partitions for which the decision can be made now. Return whether there is one."""
        starts = self._starts() if self._undecided else []
        if not starts:
            return False
        started = {_key(partition) for partition in starts}
        self._undecided = [each for each in self._undecided if _key(each) not in started]
        self._callback_assigned = False
        try:
            if self._on_assign is not None and not self._by_hand:
                self._run_callback(self._on_assign, starts)
        finally:
            if not self._callback_assigned:
                super().incremental_assign(starts)
        return True

    def _run_callback(self, callback: Callback, partitions: Partitions) -> None:
        self._in_callback = True
        try:
            callback(self, partitions)
        finally:
            self._in_callback = False

    def _check_ages(self) -> None:
        """Raise UnsupportedVersion if the broker has no ages. It is asked until it answers once."""
        if self._client is None or self._has_ages:
            return
        try:
            check_ages(self._client)
        except Unreachable:
            return
        self._has_ages = True

    def _starts(self) -> Partitions:
        """Return the undecided partitions whose start is known, with it as their offset."""
        committed = self._committed()
        fresh = [each for each in committed if each.error is None and each.offset < 0]
        ages = self._ages({each.topic for each in fresh})
        starts = []
        for found in committed:
            if found.error is not None:
                continue
            offset = confluent_kafka.OFFSET_STORED
            if found.offset < 0:
                key = TopicPartition(found.topic, found.partition)
                if key not in ages:
                    continue
                start = start_of(self._policy, Reason.NO_COMMITTED_OFFSET, ages[key])
                offset = confluent_kafka.OFFSET_BEGINNING if start == EARLIEST else confluent_kafka.OFFSET_END
            starts.append(confluent_kafka.TopicPartition(found.topic, found.partition, offset))
        return starts

    def _committed(self) -> Partitions:
        """Return the undecided partitions with their committed offsets. Temporary errors return none."""
        asked = [confluent_kafka.TopicPartition(each.topic, each.partition) for each in self._undecided]
        try:
            return list(self.committed(asked, timeout=CALL_TIMEOUT_MS / 1000))
        except confluent_kafka.KafkaException as error:
            if not _is_temporary(error.args[0]):
                raise
            return []

    def _ages(self, topics: set[str]) -> dict[TopicPartition, int]:
        if not topics or self._client is None:
            return {}
        try:
            return partition_ages(self._client, topics)
        except Unreachable:
            return {}

    def _revoked(self, _: confluent_kafka.Consumer, partitions: Partitions) -> None:
        self._stop(partitions, self._on_revoke)

    def _lost(self, _: confluent_kafka.Consumer, partitions: Partitions) -> None:
        self._stop(partitions, self._on_lost or self._on_revoke)

    def _stop(self, partitions: Partitions, callback: Callback | None) -> None:
        """Stop the partitions that have been started, and forget the others."""
        started = self._forget(partitions)
        self._callback_assigned = False
        try:
            if callback is not None and started:
                self._run_callback(callback, started)
        finally:
            if not self._callback_assigned:
                super().incremental_unassign(started)

    def _forget(self, partitions: Partitions) -> Partitions:
        """Forget those of these partitions that have not started, and return the others."""
        waiting = {_key(each) for each in self._undecided}
        revoked = {_key(each) for each in partitions}
        self._undecided = [each for each in self._undecided if _key(each) not in revoked]
        return [each for each in partitions if _key(each) not in waiting]


def _policy(settings: Mapping[str, Any]) -> ResetPolicy:
    reset = str(settings.get(RESET, "latest")).lower()
    return reset_policy({**settings, RESET: RESETS.get(reset, reset)})


def _client(settings: Mapping[str, Any]) -> Client:
    security = kafkas_security(settings)
    brokers = settings.get("bootstrap.servers") or settings.get("metadata.broker.list") or ""
    return Client(str(brokers), timeout_ms=CALL_TIMEOUT_MS, settings=security)


def _is_temporary(error: confluent_kafka.KafkaError) -> bool:
    local = (confluent_kafka.KafkaError._TIMED_OUT, confluent_kafka.KafkaError._TRANSPORT)
    return bool(error.retriable()) or error.code() in local


def _has_no_start(partition: confluent_kafka.TopicPartition) -> bool:
    return partition.offset in (confluent_kafka.OFFSET_INVALID, confluent_kafka.OFFSET_STORED)


def _key(partition: confluent_kafka.TopicPartition) -> tuple[str, int]:
    return partition.topic, partition.partition


def _deadline(timeout_s: float) -> float | None:
    """Return the end of a wait; None if it has none. As in confluent-kafka, that is a negative timeout."""
    return None if timeout_s < 0 else now_s() + timeout_s


def _slice_s(deadline: float | None) -> float:
    return SLICE_S if deadline is None else max(0.0, min(SLICE_S, deadline - now_s()))


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and now_s() >= deadline
