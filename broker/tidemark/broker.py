"""Broker: builds everything, starts it in order and stops it in order. No other file wires."""

from __future__ import annotations

import asyncio
import base64
import gc
import os
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from socket import socket
from typing import Any, Final

from tidemark import limits
from tidemark.cleanup.offset_expiry import OffsetExpiry
from tidemark.cleanup.task import Housekeeping
from tidemark.clock import Clock, MovableClock, SystemClock, turn
from tidemark.config import Config
from tidemark.control.moves import load_moves
from tidemark.control.opening import open_as_found
from tidemark.control.snapshots import StoredSnapshots
from tidemark.control.time import MovingTime
from tidemark.core.context import Context
from tidemark.core.result import (
    NOTHING,
    CloseConnection,
    NotServed,
    OffsetsTopicCreated,
    Record,
    Result,
    TopicsDeleted,
)
from tidemark.groups.state import Groups
from tidemark.handlers import routes
from tidemark.http.ports import Ports
from tidemark.http.server import HttpServer
from tidemark.http.site import Site
from tidemark.ids import Ids, RandomIds
from tidemark.log.directory import open_directory
from tidemark.log.errors import CorruptLog, Recovered
from tidemark.log.flusher import Flusher
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.storage import FileStorage, Storage
from tidemark.log.takeover import Opening
from tidemark.log.traffic import COUNTED as TRAFFIC
from tidemark.metadata.bootstrap import Endpoint, NodeStart, adoption_records, start_records
from tidemark.metadata.model import METADATA_TOPIC, OFFSETS_TOPIC
from tidemark.metadata.state import Cluster
from tidemark.metrics.registry import Metrics
from tidemark.metrics.stalls import StallWatch
from tidemark.runtime import cluster_logs
from tidemark.runtime.after_durable import AfterDurable
from tidemark.runtime.effects import Effects, TopicDeletions, serve_groups
from tidemark.runtime.event_log import (
    GroupEvents,
    NotServedLog,
    listed,
    log_deleted_topics,
    log_topics,
)
from tidemark.runtime.journal import Journal
from tidemark.runtime.record_writers import MetadataWriter, OffsetsWriter
from tidemark.runtime.recovery import CannotLoad, GroupsReplay, load_metadata, load_offsets
from tidemark.runtime.removals import Removals
from tidemark.runtime.runtime import Callbacks, DurableMachine, LongRequests, Runtime, States
from tidemark.runtime.snapshot import MetadataSnapshot, load_snapshot
from tidemark.server.listener import Address, Server, bind
from tidemark.server.router import Router
from tidemark.server.unsent import Unsent
from tidemark.settings.listeners import in_brackets
from tidemark.turns import Turns
from tidemark_protocol.stored import VERSIONS_OF, CoordinatorCodec

SNAPSHOT_AT_STOP_BYTES: Final = 256 * 1024  # a clean stop leaves no longer metadata log than this
# What a request leaves behind stays (an offset), or is freed by its count: nothing of ours makes cycles. So
# only the young are looked through, 3 ms at a time. To look at a million offsets takes half a second.
GC_THRESHOLDS: Final = (3_000, 1_000_000, 1_000_000)
HANG_UP_TURNS: Final = 4  # of the loop: what a closed connection waited for has been told so
HELD_MS: Final = 2**62  # steady: a session that begins then does not end while nobody lets it
LOST_NAMED_MAX: Final = 20
SWITCH_INTERVAL_S: Final = 0.0005  # the sync thread asks for the interpreter when its sync is done


class Broker:
    """One node. `start`, then `ready` tells where it is; `failed` is done when it had to stop by itself.

    owns_process: nothing else runs here, so that limits and garbage collector may be set for the broker.
    opening: begins with directories that another broker wrote; the data directory is new then.
    """

    def __init__(
        self,
        config: Config,
        log: Any,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        storage: Storage | None = None,
        owns_process: bool = False,
        opening: Opening | None = None,
    ) -> None:
        self.config = config
        self.host_clock = clock or SystemClock()
        self.ids = ids or RandomIds()
        self.storage = storage or FileStorage(config.data_dir)
        self.log = log
        self._logs_events: bool = log.wants("info")
        self._not_served = NotServedLog(log)
        self._owns_process = owns_process
        self._opening = opening
        self._to_adopt = opening is not None and not all(origin.ours for origin in opening.origins)
        self.held = opening is not None and opening.held
        self._sockets: list[tuple[Address, socket]] = []
        self.http: HttpServer | None = None
        self._one_at_a_time = asyncio.Lock()  # what moves time, or replaces the state
        self.snapshots = StoredSnapshots(
            self.storage,
            self._one_at_a_time,
            logs=lambda: self.logs,
            compacting=lambda: self.housekeeping.compacting,
            held=lambda: self.held,
            durable=self._all_whole_and_durable,
            rebuild=self._rebuild,
            sync=config.tidemark_sync != "never",
        )
        self._renew()

    def _renew(self) -> None:
        """What counts and remembers: it begins anew when the broker goes back to a snapshot."""
        config = self.config
        # With the test API time may be moved; connections and stalls go on by the host's.
        self.clock: Clock = (
            MovableClock(real=self.host_clock)
            if config.tidemark_test_api or self._opening is not None
            else self.host_clock
        )
        self.journal = Journal()
        self.turns = Turns(self.host_clock.host_ms)
        self.metrics = Metrics(
            self.clock.steady_ms, config.metrics_num_samples, config.metrics_sample_window_ms
        )
        self.removals = Removals(self.metrics, self.log, config.tidemark_removals_max)
        self._stalls = StallWatch(self.host_clock, self.metrics)
        self.flusher: Flusher | None = None
        self.server: Server | None = None

    # start

    async def start(self) -> None:
        """Reads the data directory, then listens. Raises what the person who started it has to read."""
        self.failed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        if self._owns_process:
            _raise_open_files()
            sys.setswitchinterval(SWITCH_INTERVAL_S)
        try:
            self._bind()
            if self._opening is not None:
                # In a thread: a large disk takes a while, and somebody may have had enough of it.
                await asyncio.to_thread(
                    open_as_found, self.storage, self._opening, self.ids.topic_id(), self.host_clock.wall_ms()
                )
            await self._begin()
        except BaseException:
            await self._give_up()
            raise
        self.snapshots.forget()
        if self.http is not None:
            self.http.start()
        self._run()

    async def _begin(self) -> None:
        """From the data directory to listening."""
        self._build()
        self._load_in_peace()
        await self._all_durable()
        await self._listen()

    def _load_in_peace(self) -> None:
        """What is loaded stays: the garbage collector does not look at it while it comes, nor ever after."""
        if not self._owns_process:
            self._load()
            return
        gc.disable()
        try:
            self._load()
        finally:
            gc.enable()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)

    async def _give_up(self) -> None:
        """The start has failed: nothing of it goes on, and the directory is free for the next one."""
        if self.flusher is not None:
            await self.flusher.close()
        self._unbind()
        if self.http is not None:
            await self.http.stop()
        self.storage.close()

    def _unbind(self) -> None:
        for _, bound in self._sockets:
            bound.close()

    def _bind(self) -> None:
        """First of all: a port in use is told before a directory is touched."""
        for each in self.config.listeners_served:
            address = Address(each.name, each.host, each.port, *(each.advertised or (None, None)))
            self._sockets.append((address, bind(address)))
        if self.config.http_address is not None:
            self.http = HttpServer(
                self.config.http_address,
                Site(
                    metrics=lambda: self.metrics,
                    clock=self.host_clock,
                    connections_max=self.config.tidemark_http_connections_max,
                    why_not_ready=lambda: self.failed.result() if self.failed.done() else None,
                    hosts=self.config.http_hosts,
                    ports=self._ports,
                ),
                public=self.config.tidemark_http_public,
            )
            self.http.bind()

    def _endpoints(self) -> tuple[Endpoint, ...]:
        """As the metadata log tells of them."""
        return tuple(
            Endpoint(
                address.name,
                address.advertised_host or _reachable(address.host),
                address.advertised_port or bound.getsockname()[1],
            )
            for address, bound in self._sockets
        )

    def _build(self) -> None:
        config = self.config
        self.directory = open_directory(
            self.storage,
            node_id=config.node_id,
            cluster_id=config.tidemark_cluster_id or _text_id(self.ids.topic_id()),
            directory_id=self.ids.topic_id(),
            now_ms=self.clock.wall_ms(),
        )
        if self.directory.restored:
            self.log.warning("interrupted restore of a snapshot finished")
        self._take_up_time()
        self.cluster = Cluster(
            limits.identity(self.directory, config),
            limits.cluster_limits(config),
            config.given,
            limits.default_settings(config),
        )
        self.groups = Groups(limits.group_limits(config))
        self.logs = LogManager(
            self.storage,
            limits.manager_settings(config),
            self.clock,
            partial(cluster_logs.log_settings, self.cluster, internal_waits=config.tidemark_sync == "always"),
        )
        self.logs.tell_damage = self._damaged
        self.logs.tell_recovered = self._recovered

    def _take_up_time(self) -> None:
        """Where tests have moved time to, it goes on; without the test API it is real again."""
        moves = load_moves(self.storage)
        if moves is None:
            return
        if isinstance(self.clock, MovableClock):
            self.clock.take_up(moves)
        else:
            self.log.warning(
                "time is real again", reason="the test API is off", moved_ms=moves.wall_ms,
                frozen_at_ms=moves.frozen_at_ms,
            )  # fmt: skip

    def _damaged(self, topic: str, partition: int, error: CorruptLog) -> None:
        self.log.error("partition not served", topic=topic, partition=partition, reason=str(error))

    def _recovered(self, cut: Recovered) -> None:
        self.log.warning(
            "recovered", topic=cut.topic, partition=cut.partition, file=cut.file, position=cut.position,
            bytes_dropped=cut.bytes_dropped, log_end_offset=cut.log_end_offset, reason=cut.reason,
        )  # fmt: skip

    def _load(self) -> None:
        self._skipped: Counter[str] = Counter()
        self.logs.read_directory()
        deleted = self._load_metadata()
        self._start_runtime(self.metadata)
        if self._to_adopt:
            self._adopt()
        node = NodeStart(self.ids.topic_id(), self._endpoints(), self.metadata.log_end_offset)
        self._accept_cluster(start_records(self.cluster, node))
        self._settle_disk(deleted)
        self._load_groups()
        self._warn_skipped()

    def _load_metadata(self) -> set[bytes]:
        """Replay the metadata snapshot and log. Return the ids of topics that the log deletes."""
        self.metadata = self.logs.create(METADATA_TOPIC, 0, cluster_logs.METADATA_TOPIC_ID)
        offset, snapshot = load_snapshot(self.storage, self.metadata.directory, self.cluster.replay)
        if self.metadata.log_end_offset < offset:
            # A power cut took records that the snapshot has. The next record must not get an offset below its
            # end: no later start would read it.
            self.log.warning(
                "metadata log begins at its snapshot", log_end_offset=self.metadata.log_end_offset,
                snapshot_end_offset=offset,
            )  # fmt: skip
            self.metadata = self.logs.start_at(METADATA_TOPIC, 0, offset)
        loaded = load_metadata(self.metadata, offset, self.cluster.replay)
        for found in (snapshot, loaded):
            self._count_skipped(METADATA_TOPIC, 0, found.skipped)
        return loaded.deleted

    def _start_runtime(self, metadata: PartitionLog) -> None:
        config = self.config
        self.flusher = flusher = Flusher(
            self.journal,
            self.clock,
            policy=config.tidemark_sync,  # type: ignore[arg-type]
            interval_ms=config.tidemark_sync_interval_ms,
            durable=self._durable,
            failed=self._fail,
            synced=self._synced,
        )
        codec = CoordinatorCodec(VERSIONS_OF[config.profile.name])
        offsets_log = partial(cluster_logs.offsets_log, self.cluster, self.logs)
        machines = {
            "Cluster": DurableMachine(self.cluster, MetadataWriter(metadata), self._cluster_changed),
            "Groups": DurableMachine(
                self.groups,
                OffsetsWriter(codec, offsets_log),
                observed=GroupEvents(self.groups, self.log) if self._logs_events else None,
            ),
        }
        effects = Effects()
        self.runtime = Runtime(
            self.clock,
            self.journal,
            States(machines, self.logs),
            self.metrics,
            LongRequests(self.turns, config.tidemark_response_max_bytes),
            Callbacks(flusher.wake, effects.carry_out, self.removals.add, self._unexpected),
        )
        self.runtime.held = self.held
        self.after_durable = AfterDurable(self.journal)
        self.deletions = TopicDeletions(
            self.groups,
            self.after_durable,
            accept=self._accept_groups,
            now=self.runtime.now,
            delete_logs=self._delete_logs,
        )
        if self._logs_events:
            effects.register(TopicsDeleted, partial(log_deleted_topics, self.log))
        effects.register(TopicsDeleted, self.deletions.carry_out)
        effects.register(OffsetsTopicCreated, partial(serve_groups, self.groups, self.runtime.now))
        effects.register(NotServed, self._not_served)
        self.offset_expiry = OffsetExpiry(self.groups, self.clock, self.metrics, self._accept_groups)

    def _adopt(self) -> None:
        """What is here is ours, whoever led it; what is not is told of, once."""
        self._to_adopt = False
        self._accept_cluster(adoption_records(self.cluster, self.logs.holds))
        lost = [
            f"{topic.name}-{partition.index}"
            for topic in self.cluster.topics.values()
            for partition in topic.partitions
            if partition.is_lost
        ]
        if lost:
            self.log.warning("partitions without a log", count=len(lost), first=lost[:LOST_NAMED_MAX])

    def _settle_disk(self, deleted: set[bytes]) -> None:
        """Directories that are not ours are set aside before anything in them is read."""
        for directory, renamed in cluster_logs.settle(self.cluster, self.logs, deleted):
            self.log.warning("stray directory kept", directory=directory, renamed_to=renamed)
        self.logs.recover()
        cut = [(c.topic, c.partition) for c in self.logs.recovered if c.topic in self.cluster.topics]
        if cut:
            self._accept_cluster(self.cluster.leader_epoch_records(cut))

    def _load_groups(self) -> None:
        topic = self.cluster.topic(OFFSETS_TOPIC)
        if topic is None:
            return
        self.groups.serve(len(topic.partitions))
        for partition in topic.partitions:
            log = self.logs.get(OFFSETS_TOPIC, partition.index)
            if log is None:
                self.groups.failed(partition.index)  # it is lost, and that was told
                continue
            try:
                loaded = load_offsets(log, GroupsReplay(self.groups, self.cluster, partition.index))
            except CannotLoad as error:
                self.groups.failed(partition.index)
                self.log.error(
                    "groups not served", topic=OFFSETS_TOPIC, partition=partition.index, reason=str(error)
                )
                continue
            self._count_skipped(OFFSETS_TOPIC, partition.index, loaded.skipped)
            now = self.runtime.now()
            self.groups.loaded(partition.index, replace(now, steady_ms=HELD_MS) if self.held else now)
        self._accept_groups(NOTHING)  # what was loaded is settled: its sessions begin to count
        if self._opening is None:  # Kafka forgets nothing either when it starts, and this is evidence
            self.deletions.forget_dead(self.cluster)

    def _count_skipped(self, topic: str, partition: int, skipped: dict[str, int]) -> None:
        self._skipped.update(skipped)
        for kind, count in sorted(skipped.items()):
            self.log.info("record type skipped", topic=topic, partition=partition, kind=kind, count=count)

    def _warn_skipped(self) -> None:
        """One line for all partitions: a directory of Kafka's has fifty with the same few kinds."""
        if self._skipped:
            kinds = listed(f"{kind}: {count}" for kind, count in sorted(self._skipped.items()))
            self.log.warning("records skipped", count=self._skipped.total(), kinds=kinds)

    def _accept_cluster(self, records: tuple[Record, ...]) -> None:
        self.runtime.accept("Cluster", Result(records=records))

    def _accept_groups(self, result: Result[None]) -> None:
        self.runtime.accept("Groups", result)

    async def _listen(self) -> None:
        config = self.config
        table = routes.load()
        versions = {key: config.profile.versions(route.name, route.versions) for key, route in table.items()}
        table = {key: route for key, route in table.items() if versions[key]}
        unsent = Unsent(config.tidemark_unsent_max_bytes, self.host_clock.steady_ms)
        context = Context(
            wall_ms=0,
            steady_ms=0,
            version=0,
            cluster=self.cluster,
            served=tuple(
                (key, _advertised_low(key, versions[key]), versions[key][-1]) for key in sorted(table)
            ),
            features_epoch=self.metadata.log_end_offset,
            new_id=self.ids.uuid_text,
            turns=self.turns,
            unsent=unsent,
        )
        router = self.router = Router(
            table, versions, self.runtime, context, self.clock.wall_ms, self.clock.steady_ms
        )
        self.server = Server(
            router,
            self.host_clock,
            self.turns,
            unsent,
            limits.server_limits(config),
            self.metrics,
            self.log,
        )
        for address, bound in self._sockets:
            await self.server.listen(address, bound)

    def _run(self) -> None:
        self.housekeeping = Housekeeping(
            self.logs,
            self.clock,
            limits.intervals(self.config),
            self.log,
            expire_offsets=self.offset_expiry.run_scheduled,
            snapshot=lambda: self._snapshot(self.config.metadata_log_max_record_bytes_between_snapshots),
            failed=self._fail,
        )
        if not self.held:
            self._let_go()
        self._watch()
        self._stalls.start()

    def _let_go(self) -> None:
        """From now on things happen by themselves."""
        self.runtime.held = False
        self.runtime.run_deadlines()
        self.housekeeping.start()

    def resume(self) -> None:
        """What was opened as found goes on from where it stands: every member gets a full session."""
        if self.held:
            self.held = False
            self.groups.start_sessions(self.runtime.now())
            self._accept_groups(NOTHING)
            self._let_go()
            self.log.lifecycle("resumed", now_ms=self.clock.wall_ms())

    @property
    def assumes_retention(self) -> bool:
        """How long offsets are kept stands in no directory, and nobody said it."""
        return self._opening is not None and "offsets.retention.minutes" not in self.config.given

    def ready(self) -> dict[str, Any]:
        """Where everything is, once it accepts."""
        first = self._endpoints()[0]
        return {
            "bootstrap_servers": f"{in_brackets(first.host)}:{first.port}",
            "http": None if self.http is None else self.http.address,
            "pid": os.getpid(),
            "cluster_id": self.directory.cluster_id,
            "data_dir": str(self.config.data_dir.absolute()),
        } | self._opened()

    def _opened(self) -> dict[str, Any]:
        """What somebody has to know who looks at a directory that another broker wrote."""
        if self._opening is None:
            return {}
        return {
            "from": [str(origin.path.absolute()) for origin in self._opening.origins],
            "held": self.held,
            "at_ms": self.clock.wall_ms(),
            "retention_minutes": self.config.offsets_retention_minutes,
            "assumed_retention": self.assumes_retention,
        }

    def _ports(self) -> Ports:
        """What the HTTP API reads, and moves."""
        groups = self.groups
        return Ports(
            groups=groups,
            cluster=self.cluster,
            time=MovingTime(
                groups,
                self.cluster,
                self.clock,
                self.storage,
                self._one_at_a_time,
                expire=self.offset_expiry.run,
                retain_logs=self._retain_logs,
                durable=self._all_durable,
                next_cleanup_ms=lambda: self.housekeeping.next_expiry_at_ms,
                failed=self._fail,
                is_current=lambda: self.groups is groups,
                held=lambda: self.held,
                release=self.resume,
            ),
            log_ends=self.logs.ends,
            logs=self.logs.logs,
            removals=lambda: self.removals,
            snapshots=self.snapshots,
            test_api=self.config.tidemark_test_api,
            assumed_retention=self.assumes_retention,
        )

    async def _retain_logs(self) -> None:
        await self.housekeeping.retain()

    async def _all_durable(self) -> None:
        assert self.flusher is not None
        await self.flusher.drain()

    async def _all_whole_and_durable(self) -> None:
        """Return at a moment at which no request is half done, and all that was decided is durable."""
        while True:
            await self.runtime.finish()
            await self._all_durable()
            if not self.runtime.half_done:
                return

    def _watch(self) -> None:
        """What is read off the state whenever somebody scrapes."""
        watch = self.metrics.watch
        watch("requests", self.router.requests)
        for name in TRAFFIC:
            watch(f"topic_{name}", partial(self._traffic, name))

    def _traffic(self, name: str) -> dict[Any, float]:
        return {**self.logs.traffic.reading(name)}

    def _snapshot(self, bytes_min: int) -> MetadataSnapshot | None:
        """Keeps the metadata log short, once it has grown by that much and all of it is durable.

        Not while topics are being deleted: the snapshot does not name them, so that a start after a crash
        would take their logs for strays.
        """
        log = self.metadata
        grown = log.available_bytes(log.log_start_offset, up_to=log.log_end_offset)
        if grown < bytes_min or self.journal.appended != self.journal.durable:
            return None
        if self.housekeeping.is_deleting:
            return None
        return MetadataSnapshot(self.storage, log, self.cluster.snapshot_records(), self.clock.wall_ms())

    # while it runs

    def _cluster_changed(self, records: tuple[Record, ...]) -> None:
        cluster_logs.follow(self.cluster, self.logs, records)
        if self._logs_events:
            log_topics(self.cluster, self.log, records)

    def _delete_logs(self, names: tuple[str, ...], topic_ids: tuple[bytes, ...]) -> None:
        """The deletion of these topics is durable."""
        ids = dict(zip(names, topic_ids, strict=True))
        self.housekeeping.delete((key, ids[key[0]]) for key in self.logs.partitions_of(frozenset(names)))

    def _durable(self) -> None:
        self.metrics.settle_meters(self.clock.steady_ms())
        try:
            self.after_durable.run()  # before responses: a client may send its next request at once
        except OSError as error:
            self._fail(error)
        self.runtime.release()

    def _synced(self, seconds: float, requests: int) -> None:
        self.metrics.flush_duration.observe(seconds)
        self.metrics.flush_records.observe(requests)

    def _unexpected(self, pending: Any, error: BaseException) -> None:
        if isinstance(error, OSError):
            self._fail(error)
        elif not isinstance(error, CloseConnection):
            self.log.error("a request failed", api=pending.served.route.name, exc_info=error)
        pending.session.abort(error if isinstance(error, CloseConnection) else None)

    def _fail(self, error: BaseException) -> None:
        """A write or sync failed. Nothing is taken any more; start-up replay is the only way back."""
        if self.failed.done():
            return
        self.failed.set_result(str(error))
        if self.server is not None:  # else the start says so, in its own words
            self.log.critical("cannot write, the broker stops", reason=str(error))
            self.server.drain()

    # stop

    async def stop(self) -> None:
        """Nothing that was answered is lost; all of it is on disk when this returns."""
        async with self._one_at_a_time:
            assert self.server is not None
            self.server.drain()
            await self.runtime.finish()
            await self._halt()
            assert self.flusher is not None
            await self.flusher.close()
            self.server.close()
        if self.http is not None:
            await self.http.stop()
        self.snapshots.forget()
        if not self.failed.done():
            try:
                self._leave_in_order()
            except OSError as error:
                self._fail(error)
        self.storage.close()

    async def _halt(self) -> None:
        """Takes no further request, and nothing happens by itself any more."""
        assert self.server is not None
        self.server.drain()
        self._stalls.stop()
        await self.housekeeping.stop()
        self.deletions.stop()
        self.runtime.close()

    async def _rebuild(self, swap: Callable[[], None], held: bool) -> None:  # noqa: FBT001
        """Begins anew with what swap makes of the data directory, held or not. The ports stay, connections do
        not; clients that come meanwhile wait to be accepted.
        """
        self._sockets = [(address, bound.dup()) for address, bound in self._sockets]
        try:
            await self._abandon()
            await asyncio.to_thread(swap)
            self.storage.close()
            self.held = held
            self._renew()
            await self._begin()
        except BaseException as error:
            self._fail(error)
            self._unbind()
            raise
        self._run()

    async def _abandon(self) -> None:
        """As a kill would: what waits to be written is lost."""
        await self._halt()
        assert self.flusher is not None
        await self.flusher.abandon()
        assert self.server is not None
        self.server.close()
        for _ in range(HANG_UP_TURNS):
            await turn()
        self.server.abort()
        self.logs.abandon()

    def _leave_in_order(self) -> None:
        self.housekeeping.finish_deletions()
        between = self.config.metadata_log_max_record_bytes_between_snapshots
        snapshot = self._snapshot(min(SNAPSHOT_AT_STOP_BYTES, between))
        if snapshot is not None:
            snapshot.write()
            snapshot.finish()
        self.logs.close()


def _advertised_low(api_key: int, versions: range) -> int:
    """Kafka advertises Produce from 0 though it refuses v0 to v2: older librdkafka stops compressing
    otherwise.
    """
    return 0 if api_key == 0 else versions[0]


def _text_id(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _reachable(host: str) -> str:
    return host if host not in ("", "0.0.0.0", "::") else "localhost"


def _raise_open_files() -> None:
    """The soft limit of open files is raised to the hard one."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


__all__ = ["Broker"]
