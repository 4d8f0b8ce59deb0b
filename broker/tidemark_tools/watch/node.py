"""A node without listeners for Kafka's clients: it replays the committed offsets of another cluster."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from tidemark.clock import turn
from tidemark.core.decision import Cause, Removal
from tidemark.engine.recovery import CannotLoad, replay_batch
from tidemark.groups.expirations import expiry_of
from tidemark.groups.loading import GroupsReplay
from tidemark.groups.state import Groups
from tidemark.log.segment import StoredBatch
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.metadata.state import Cluster
from tidemark.node.engine import Engine
from tidemark.node.environment import Environment, loading
from tidemark.node.incarnation import Incarnation, State, new_server, open_state
from tidemark.node.node import Http, Node
from tidemark_protocol.batch import BatchError, BatchHeader, check_crc, headers
from tidemark_protocol.loading import CoordinatorLogReader
from tidemark_protocol.records.group_metadata import GroupMetadataKey
from tidemark_protocol.records.offset_commit import OffsetCommitKey
from tidemark_protocol.wire import ZERO_UUID
from tidemark_tools.client.client import EARLIEST, Client, TopicPartition, check_topic
from tidemark_tools.client.consumer import OutOfRange
from tidemark_tools.client.errors import ClientError
from tidemark_tools.client.topic_log import Fetched, TopicLog, offsets_at
from tidemark_tools.watch import cluster as remote
from tidemark_tools.watch.cluster import Facts, RemoteLogs

WAIT_MS: Final = 500  # a fetch waits for records; a stop waits for the fetch
RETRY_MS: Final = 1_000
PROGRESS_MS: Final = 5_000
STALE_MS: Final = 30_000  # without a response, what is served is no longer the present
CUT: Final = f"{OFFSETS_TOPIC} was created again, or its log was cut: start anew to read it all"
LOST: Final = (
    f"the cleaner has removed records of {OFFSETS_TOPIC}-{{}} before they were read, and perhaps tombstones: "
    "start anew to read it all"
)
RECORDS_PER_TURN: Final = 2_000
BATCH_COST: Final = 10  # of a batch, in records


@dataclass(slots=True, frozen=True)
class Watched:
    """A cluster to watch. since_ms: begin with the records of this time; None: with the first ones.

    new_client: returns a client of the cluster. refresh_ms: the interval of looks at topics and ends of logs.
    follows_retention: the brokers may be asked for their retention.
    """

    bootstrap: str
    new_client: Callable[[], Client]
    since_ms: int | None
    refresh_ms: int
    follows_retention: bool


class Replay(GroupsReplay):
    """Replays one partition, and keeps the removals of offsets until their batch is replayed.

    Each record of a classic group replaces it. Only a coordinator has state of a group that the log lacks.
    """

    __slots__ = ("_removed",)

    def __init__(self, groups: Groups, cluster: Cluster, number: int) -> None:
        super().__init__(groups, cluster, number)
        self._removed: list[tuple[Removal, bytes]] = []

    def record(self, key: Any, value: Any, appended_ms: int) -> None:
        groups = self._groups
        if type(key) is GroupMetadataKey and value is not None:
            groups.groups.pop(key.group, None)
        elif type(key) is OffsetCommitKey and value is None:
            self._remember(key, appended_ms)
        super().record(key, value, appended_ms)

    def marker(self, producer: tuple[int, int], *, committed: bool) -> None:
        super().marker(producer, committed=committed)
        while self._groups.offsets.is_ending():
            self._groups.offsets.end_some()

    def _remember(self, key: OffsetCommitKey, at_ms: int) -> None:
        """Note a removal with the expiry before it. An offset that is not stored is not removed."""
        groups = self._groups
        place = key.topic, key.partition
        group, value = groups.groups.get(key.group), groups.offsets.get(key.group, *place)
        if value is None:
            return
        found = None if group is None else expiry_of(groups, group, place, value, at_ms)
        removal = Removal.of(key.group, place, value, Cause.OFFSET_DELETE, at_ms, inferred=True)
        if found is not None and found.expired(at_ms):
            removal.cause, removal.rule = Cause.EXPIRED, found.rule
            removal.since_ms, removal.due_ms = found.since_ms, found.due_ms
        self._removed.append((removal, value.topic_id))

    @property
    def needs_topics(self) -> bool:
        """True if the current topics tell how offsets of this batch were removed."""
        return any(self._by_client(each) for each, _ in self._removed)

    def _by_client(self, removal: Removal) -> bool:
        return removal.cause is Cause.OFFSET_DELETE and removal.group in self._groups.groups

    def removals(self) -> tuple[Removal, ...]:
        """Return the removals of the batch that was replayed, each with its cause.

        An offset that was due has expired: passes remove it within an interval. If the batch also removed
        its group, the group was deleted. If its topic is another one than at the commit, or none, the topic
        was deleted. Otherwise a client has deleted the offset.
        """
        removed, self._removed = self._removed, []
        for each, topic_id in removed:
            topic = self._cluster.topics.get(each.topic)
            if each.cause is Cause.EXPIRED:
                continue
            if not self._by_client(each):
                each.cause = Cause.GROUP_DELETE
            elif topic is None or topic_id not in (topic.topic_id, ZERO_UUID):
                each.cause = Cause.TOPIC_DELETE
        return tuple(each for each, _ in removed)


class WatchNode(Node):
    """Serves the HTTP API about another cluster, of which it reads `__consumer_offsets` to the end and on.

    It sends Metadata, ListOffsets, Fetch, DescribeConfigs and DescribeLogDirs, and nothing that changes
    anything.
    """

    def __init__(self, env: Environment, watched: Watched, new_http: Callable[[Node], Http | None]) -> None:
        super().__init__(env, new_http)
        self._watched = watched
        self._client = watched.new_client()
        self._log: TopicLog | None = None
        self._replays: dict[int, tuple[Replay, CoordinatorLogReader]] = {}
        self._reading: dict[int, int] = {}  # the high watermark of each partition that is not read to its end
        self._starts: dict[int, int] = {}
        self._replayed: dict[
            int, tuple[int, int]
        ] = {}  # partition -> next offset, time of the last record (ms)
        self._records = 0
        self._bytes = 0
        self._size: int | None = None
        self._responded_ms = 0
        self._trouble = ""
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def _state(self) -> State:
        return self.current.state

    async def start(self) -> None:
        """Look at the cluster once, and serve. Raises ClientError if that is not possible or not allowed."""
        env = self.env
        self.failed = asyncio.get_running_loop().create_future()
        self.started_ms = env.host.clock.host_ms()
        try:
            assert self.http is not None
            self.http.bind()
            state = open_state(env, RemoteLogs)
            engine = Engine(env, state, held=False, fail=self.fail)
            self._current = Incarnation(env, state, engine, new_server(env, state, engine))
            engine.metrics.watch("watch_silent", lambda: self._silent_ms() / 1000)
            described = await asyncio.to_thread(self._client.metadata, [OFFSETS_TOPIC])
            check_topic(described.topics[0])  # a list of all topics leaves out those that are not allowed
            await self._look(self._client)
            if self._log is not None:
                await self._read(self._log)
        except BaseException:
            await self.stop()
            raise
        self.http.start()
        engine.stalls.start()
        self._tasks = [asyncio.create_task(self._run(work)) for work in (self._follow_log, self._refresh)]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._client.close()
        if self._current is not None:
            await self.abandon()

    def ready(self) -> dict[str, Any]:
        assert self.http is not None
        return {
            "watches": self._watched.bootstrap,
            "http": self.http.address,
            "pid": os.getpid(),
            "cluster_id": self._state.cluster.identity.cluster_id,
            "event_loop": type(asyncio.get_running_loop()).__module__.partition(".")[0],
        }

    def unready(self) -> str | None:
        if self.failed.done():
            return self.failed.result()
        if self._reading:
            return f"reading {OFFSETS_TOPIC}: {self._percent()} %"
        silent_ms = self._silent_ms()
        if silent_ms > STALE_MS:
            return f"the cluster has not responded for {silent_ms // 1000} s: {self._trouble}"
        return None

    def fail(self, error: BaseException) -> None:
        if not self.failed.done():
            self.failed.set_result(str(error))
            self.env.logger.critical("the watch ends", reason=str(error))

    def watches(self) -> dict[str, Any]:
        """Return how far the log was read. behind: offsets up to the end; some of them have no record."""
        positions = {} if self._log is None else self._log.positions
        written = sum(positions.values())
        if self._watched.since_ms is not None:  # how many of the older ones are left is unknown
            written -= sum(self._starts[at] for at in positions)
        return {
            "bootstrap_servers": self._watched.bootstrap,
            "log_partitions": len(positions),
            "records": self._records,
            "bytes": self._bytes,
            "log_bytes": self._size,
            "compacted_percent": None if not written else round(100 * (1 - self._records / written), 1),
            "since_ms": self._watched.since_ms,
            "behind": sum(max(end - positions.get(at, end), 0) for at, end in self._reading.items()),
            "silent_ms": self._silent_ms(),
            "trouble": self._trouble or None,
        }

    def _silent_ms(self) -> int:
        return self.env.host.clock.host_ms() - self._responded_ms

    def _percent(self) -> int:
        assert self._log is not None
        total = sum(end - self._starts[at] for at, end in self._reading.items())
        done = sum(self._log.positions[at] - self._starts[at] for at in self._reading)
        return 100 * done // total if total else 0

    # The cluster.

    async def _look(self, client: Client) -> None:
        """Look at topics and ends of logs, and begin to read when there are committed offsets."""
        facts = await asyncio.to_thread(remote.look, client)
        state = self._state
        if self._log is None:
            self._responded_ms, self._trouble = self.env.host.clock.host_ms(), ""
        if OFFSETS_TOPIC in remote.follow(state.cluster, facts) and OFFSETS_TOPIC in facts.topics:
            self.fail(ClientError(CUT))
        assert isinstance(state.logs, RemoteLogs)
        state.logs.known = facts.ends
        if self._log is None and OFFSETS_TOPIC in facts.topics:
            await self._begin(facts)

    async def _begin(self, facts: Facts) -> None:
        """Find out where the log of committed offsets begins, and how much there is to read."""
        client = self._client
        count = len(facts.topics[OFFSETS_TOPIC][1])
        since_ms = self._watched.since_ms
        time_ms = EARLIEST if since_ms is None else since_ms
        found = await asyncio.to_thread(offsets_at, client, OFFSETS_TOPIC, count, time_ms)
        ends = {at: facts.ends.get(TopicPartition(OFFSETS_TOPIC, at), (0, 0))[1] for at in found}
        positions = {at: offset if offset >= 0 else ends[at] for at, offset in found.items()}
        self._starts = dict(positions)
        now_ms = self._state.clock.wall_ms()
        self._replayed = {at: (position, now_ms) for at, position in positions.items()}
        self._size = await asyncio.to_thread(remote.size_of, client, OFFSETS_TOPIC)
        self._reading = ends
        self._log = TopicLog(client, OFFSETS_TOPIC, positions)
        state = self._state
        state.groups.serve(count)
        for number in range(count):
            self._replays[number] = Replay(state.groups, state.cluster, number), CoordinatorLogReader()
        offsets = sum(max(end - positions[at], 0) for at, end in self._reading.items())
        self.env.logger.lifecycle(
            "reading committed offsets", log_partitions=count, records_max=offsets, log_bytes=self._size
        )

    async def _refresh(self) -> None:
        """Look again and again, with a client of its own: a fetch of the other one may wait."""
        client = self._watched.new_client()
        try:
            while True:
                await self._rest(self._watched.refresh_ms)
                try:
                    await self._look(client)
                    if self._watched.follows_retention:
                        await self._follow_retention(client)
                except ClientError as error:  # while there is a log, it has the same trouble
                    self._trouble = self._trouble or str(error)
        finally:
            client.close()

    async def _follow_retention(self, client: Client) -> None:
        """Use the retention that the brokers have now: a rolling restart may have changed it."""
        minutes = int((await asyncio.to_thread(remote.broker_settings, client))[remote.RETENTION])
        settings = self._state.groups.settings
        if minutes != settings.offsets_retention_minutes:
            self.env.logger.warning(
                "retention changed", before_minutes=settings.offsets_retention_minutes, minutes=minutes
            )
            settings.offsets_retention_minutes = minutes
            vars(settings).pop("offsets_retention_ms", None)  # cached since its first use

    # The log.

    async def _follow_log(self) -> None:
        with loading():
            await self._read_on(until_loaded=True)
        state = self._state
        state.skipped.warn()
        self.env.logger.lifecycle(
            "watching", groups=len(state.groups.groups), offsets=state.groups.offsets.count,
            records=self._records, cluster_id=state.cluster.identity.cluster_id,
        )  # fmt: skip
        await self._read_on(until_loaded=False)

    async def _read_on(self, *, until_loaded: bool) -> None:
        told_ms = self.env.host.clock.host_ms()
        while not until_loaded or self._reading:
            if self._log is None:
                if until_loaded:
                    return
                await self._rest(self._watched.refresh_ms)
                continue
            try:
                await self._read(self._log)
                self._trouble = ""
            except OutOfRange:
                self.fail(ClientError(CUT))
                return
            except ClientError as error:
                if not self._trouble:
                    self.env.logger.warning("cluster does not respond", reason=str(error))
                self._trouble = str(error)
                await self._rest(RETRY_MS)
            now_ms = self.env.host.clock.host_ms()
            if self._reading and now_ms - told_ms > PROGRESS_MS:
                told_ms = now_ms
                self.env.logger.lifecycle("reading", percent=self._percent(), records=self._records)

    async def _read(self, log: TopicLog) -> None:
        fetched = await asyncio.to_thread(log.read, WAIT_MS)
        self._responded_ms = self.env.host.clock.host_ms()
        for each in fetched:
            await self._replay(log, each)
        if not fetched:
            await turn()

    async def _replay(self, log: TopicLog, fetched: Fetched) -> None:
        number, state = fetched.partition, self._state
        replay, reader = self._replays[number]
        buf = memoryview(fetched.data)
        spent = 0
        try:
            for at, header in headers(fetched.data):
                if not check_crc(fetched.data, at, header):
                    raise CannotLoad(f"the batch at offset {header.base_offset} has a wrong CRC")
                if self._has_lost(number, header):
                    self.fail(ClientError(LOST.format(number)))
                    return
                count = replay_batch(StoredBatch(header, buf, at), reader, replay)
                self._replayed[number] = header.next_offset, header.max_timestamp
                self._records += header.count
                if replay.needs_topics and not self._reading:
                    with suppress(ClientError):
                        await self._look(self._client)
                self.current.engine.removals.add(replay.removals())
                spent += count + BATCH_COST
                if spent > RECORDS_PER_TURN:
                    await turn()
                    spent = 0
        except (BatchError, CannotLoad) as error:
            state.groups.failed(number)
            log.positions.pop(number, None)
            self._reading.pop(number, None)
            self.env.logger.error(
                "groups not served", topic=OFFSETS_TOPIC, partition=number, reason=str(error)
            )
            return
        self._bytes += len(fetched.data)
        if number in self._reading and log.positions[number] >= self._reading[number]:
            del self._reading[number]
            state.groups.loaded(number, self.current.engine.runtime.now())
            state.skipped.add(OFFSETS_TOPIC, number, reader.skipped)

    def _has_lost(self, number: int, following: BatchHeader) -> bool:
        """Return whether a tombstone may be missing before this batch.

        The cleaner leaves a gap where it removed records. A tombstone stays for delete.retention.ms, so no
        one is missing if the last record is younger. Gaps in the past of the log do no harm: the cleaner
        removes a tombstone after the commit before it.
        """
        next_offset, at_ms = self._replayed[number]
        age_ms = self._state.clock.wall_ms() - at_ms
        return (
            following.base_offset > next_offset
            and number not in self._reading
            and age_ms > self.env.config.log_cleaner_delete_retention_ms
        )

    async def _rest(self, ms: int) -> None:
        clock = self.env.host.clock
        await clock.sleep_until(clock.host_ms() + ms)

    async def _run(self, work: Callable[[], Any]) -> None:
        """Run one of the two loops. Its end by an error ends the process."""
        try:
            await work()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 a bug must not leave a watch that does not watch
            self.fail(error)
