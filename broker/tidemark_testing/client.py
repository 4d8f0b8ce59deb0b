"""The object behind the fixtures: a broker with its topics, records, groups and time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar

from tidemark.seeding import FIXTURE_CLIENT_ID
from tidemark.seeding.calls import Exchange, NewRecord, Record, Refused, produce
from tidemark.seeding.calls import read as read_records
from tidemark.seeding.document import Seed, new_record, read_seed, read_seed_file, sow
from tidemark_expiry.sentences import moment, shown
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.isolation import POLL_S, SNAPSHOT, Isolation, NotAvailable, pause, wait
from tidemark_testing.report import (
    counted,
    open_transactions,
    place,
    report,
    sent_instead,
    sentences,
    story,
    unlike,
)
from tidemark_testing.responses import (
    Group,
    Lag,
    Member,
    Moved,
    Offset,
    PartitionLag,
    Removal,
    SharePartition,
    ShareRecords,
    Transaction,
    read,
)
from tidemark_testing.server import (
    MODES,
    Mode,
    Restartable,
    Server,
    ServerState,
    checked_settings,
    new_server,
)
from tidemark_testing.wire import TIMEOUT_S, carry_out, create_topic
from tidemark_tools.client.connection import now_s, wall_ms
from tidemark_tools.client.errors import CannotConnect
from tidemark_tools.http_api import Api, ApiError, NoResponse

if TYPE_CHECKING:
    from tidemark.server.request_journal import Outcome
    from tidemark_protocol.names import ApiName, ErrorName
    from tidemark_testing.brokers import Brokers
    from tidemark_testing.chaos import Chaos, ChaosEvent, GroupProtocol
    from tidemark_testing.faults import Faults
    from tidemark_testing.metrics import Metrics
    from tidemark_testing.requests import Requests

__tracebackhide__ = True  # a failing test shows its own lines, not these

T = TypeVar("T")
Bytes = bytes | str | None
Headers = Mapping[str, Bytes] | Sequence[tuple[str, Bytes]]

MILLISECOND: Final = timedelta(milliseconds=1)
PAGE: Final = 1000
READ_S: Final = 1.0  # for a read that begins when the timeout is almost over
SEED_S: Final = 60.0
RECORDS_SHOWN: Final = 3
SHOWN: Final = 5  # partitions or members that a message shows
COMMITS: Final = ("OffsetCommit", "TxnOffsetCommit")
JOINS: Final = ("JoinGroup", "ConsumerGroupHeartbeat")
SETTLED: Final = ("Stable", "Empty")
SHARED: Final = ("ShareFetch", "ShareAcknowledge")
# Archived offsets with these causes are no records that a client could have accepted.
NO_RECORDS: Final = ("gap", "compacted", "aborted")


class Tidemark:
    """A broker for a test.

    bootstrap_servers  for any Kafka client
    http               host:port of /metrics and /v1, with https:// before it if that is TLS
    clock              its time

    pytest's fixture `tidemark` is one. Elsewhere, `Tidemark.start()` starts a broker.

    With Apache Kafka (external, without --tidemark-http) it can create topics, and write and read records. A
    test that uses anything else is skipped, and the skip reason names it.
    """

    def __init__(self, server: Server, isolation: Isolation = SNAPSHOT) -> None:
        self.server = server
        self.isolation = isolation
        self.clock = Clock(self)
        self.topics_made: list[str] = []
        self.chaos_made: list[Chaos] = []
        self.faults_made: list[int] = []  # the ids of the faults that this test has set
        self._numbers = count(1)
        self._folder: TemporaryDirectory[str] | None = None
        self._snapshots: list[str] = []
        self._moves: list[Moved] = []
        self.output_before = len(server.output())  # the output before this object

    @property
    def server_state(self) -> ServerState:
        """The facts that all objects for this server share."""
        return self.server.state

    @property
    def bootstrap_servers(self) -> str:
        """The address for Kafka clients, host:port."""
        return self.server.bootstrap_servers

    @property
    def http(self) -> str:
        """The address of /metrics and /v1: host:port, or https://host:port with tidemark.http.tls=true."""
        return self.api("http").address

    def api(self, wanted: str) -> Api:
        """Return the client of /v1. wanted: what the test used, for the skip reason if there is no /v1.

        Raises CannotConnect if the test has stopped the broker.
        """
        self._check_running()
        if self.server.http is None:
            raise NotAvailable(
                f"tidemark.{wanted} is not available: {self.bootstrap_servers} was given without an HTTP "
                "address, and Kafka's protocol can neither move time nor explain offsets. For a tidemark, "
                "pass --tidemark-http HOST:PORT"
            )
        settings = self.server_state.client_settings
        return Api(self.server.http, token=self.server.http_token, settings=settings)

    def _check_running(self) -> None:
        ended_by = self.server.state.ended_by
        if ended_by:
            since = "" if ended_by == "close()" else ", and not restart() since"
            raise CannotConnect(
                f"the broker at {self.bootstrap_servers} does not run: the test has called "
                f"tidemark.{ended_by}{since}"
            )

    def name(self, name: str) -> str:
        """Return the name of a topic or a group in this test.

        It is the same name, or with --tidemark-isolation prefix, the name with the prefix of this test.
        """
        return self.isolation.name(name)

    # its life

    @classmethod
    def start(
        cls,
        settings: Mapping[str, object] | None = None,
        *,
        mode: Mode = "thread",
        release: str | None = None,
        folder: str | Path | None = None,
        client_settings: Mapping[str, str] | None = None,
    ) -> Self:
        """Start a broker, for programs without pytest. Use it in a with statement, or call `close`.

        settings: Kafka's, by name. mode: thread or subprocess. release: the release of Kafka to behave like.
        folder: where it keeps its data, so that a later start finds them; by default a temporary directory.
        client_settings: TLS and SASL properties, by Kafka's names, for the connections of this object.
        Raises CannotServe if it cannot start, and ValueError for an unknown setting or mode.
        """
        if mode not in MODES:
            raise ValueError(f"mode must be {' or '.join(MODES)}, got {mode!r}")
        given = checked_settings(settings, "settings", release)
        temporary = TemporaryDirectory(prefix="tidemark-") if folder is None else None
        path = Path(temporary.name if temporary else folder or "")
        server = new_server(mode, path, given)
        tidemark = cls(server)
        tidemark._folder = temporary
        tidemark.server_state.client_settings = client_settings or {}
        try:
            server.start()
            tidemark.remember()
        except BaseException:
            tidemark.close()
            raise
        return tidemark

    def close(self) -> None:
        """Stop the broker, and delete its temporary directory. It cannot be restarted."""
        self.server.close()
        self.server.state.ended_by = "close()"
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stop(self) -> None:
        """Stop the broker cleanly, as SIGTERM does. Its ports refuse connections until `restart`."""
        self._leave("stop()").stop()
        self.server.state.ended_by = "stop()"

    def kill(self) -> None:
        """Stop the broker as SIGKILL does: it finishes nothing, and what it has not written is lost."""
        self._leave("kill()").kill()
        self.server.state.ended_by = "kill()"

    def restart(self) -> None:
        """Start the broker again, with the same data and addresses. Stop it first if it runs.

        Snapshots are lost. The next test starts with an empty broker, nevertheless.
        """
        server = self._leave("restart()")
        server.stop()
        server.start()
        server.state.ended_by = ""

    def remember(self) -> None:
        """Make the current state the one that `restore()` restores by default."""
        self.server_state.clean = self.api("snapshot()").post("/v1/snapshots")["id"]

    def renew(self) -> None:
        """Start the broker again on an empty directory, and remember that state."""
        server = self._restartable("restore()")
        server.stop()
        server.start_empty()
        server.state.ended_by = ""
        server.state.lost = False
        self.remember()

    def _leave(self, wanted: str) -> Restartable:
        """Return the server, whose snapshots are about to be lost."""
        server, state = self._restartable(wanted), self.server_state
        self.isolation.check_alone(wanted)
        if state.kept:
            raise RuntimeError(
                f"tidemark.{wanted} would lose the state of kept(), which other tests start with: use a "
                "broker of tidemark_factory() or Tidemark.start() for this test"
            )
        state.lost, state.clean = state.clean is not None or state.lost, None
        return server

    def _restartable(self, wanted: str) -> Restartable:
        if isinstance(self.server, Restartable):
            return self.server
        raise NotAvailable(
            f"tidemark.{wanted} is not available: this test run has not started the broker at "
            f"{self.bootstrap_servers} (--tidemark-mode {self.server.mode})"
        )

    # topics and records

    def topic(
        self, name: str | None = None, partitions: int = 1, configs: Mapping[str, object] | None = None
    ) -> str:
        """Create a topic and return its name once it is usable. Without a name, an unused one is chosen.

        Raises TopicRefused with Kafka's error if the broker does not create it.
        """
        if name is not None:
            chosen = self.name(name)
        elif self.server.mode == "external" and not self.isolation.prefix:
            from secrets import token_hex

            chosen = f"topic-{next(self._numbers)}-{token_hex(4)}"
        else:
            chosen = self.name(f"topic-{next(self._numbers)}")
        settings = self.server_state.client_settings
        self._check_running()
        with self._naming_faults():
            create_topic(self.bootstrap_servers, chosen, partitions, configs or {}, settings)
        self.topics_made.append(chosen)
        return chosen

    @contextmanager
    def _naming_faults(self) -> Iterator[None]:
        """Add a note to an exception that names the faults that apply to the fixture's own requests."""
        try:
            yield
        except Exception as error:
            for view in self._faults():
                fault = view["fault"]  # docs/faults.md explains which ones apply
                to_all = "refuse_connections" in fault or "disk" in fault
                if view["matched"] and (to_all or fault.get("client_id") == FIXTURE_CLIENT_ID):
                    error.add_note(f"fault {view['id']} applies to the fixture's own requests: {fault}")
            raise

    def _faults(self) -> list[Any]:
        try:
            return [] if self.server.http is None else self.api("faults").get("/v1/faults")["faults"]
        except (ApiError, NoResponse):  # it is no tidemark with the test API, or the fault has stopped it
            return []

    def produce(
        self,
        topic: str,
        *values: Bytes | NewRecord,
        key: Bytes = None,
        headers: Headers | None = None,
        timestamp: int | None = None,
        partition: int | None = None,
        timeout: float = TIMEOUT_S,
    ) -> list[Record]:
        """Write a record for each value, and return them with their offsets.

        values: bytes, text (stored as UTF-8), None for a tombstone, or `NewRecord` for one with fields of its
        own. key, headers, timestamp (milliseconds since the epoch) and partition apply to every plain value.
        Without a partition, the hash of the key selects it, as in Kafka's clients; records without a key go
        to the partitions in turn, beginning with 0. A topic that does not exist is created if
        auto.create.topics.enable is true, which is the default. Raises Refused with Kafka's error, or
        ClientError if the broker has not stored the records after `timeout` seconds.
        """
        common = {"key": key, "headers": headers, "timestamp": timestamp, "partition": partition}
        new = [
            value if isinstance(value, NewRecord) else new_record("produce()", {"value": value, **common})
            for value in values
        ]
        return self._carry_out(produce(self.name(topic), new, wall_ms()), timeout)

    def records(
        self,
        topic: str,
        partition: int | None = None,
        *,
        count: int | None = None,
        from_offset: int | None = None,
        committed: bool = False,
        timeout: float = 10.0,
    ) -> list[Record]:
        """Return the records of a topic, by partition and offset.

        count: wait until there are at least so many, also for a topic or a partition that does not exist yet;
        raises AssertionError after `timeout` seconds. Without it, those are returned that are there now, and
        Refused is raised if the topic does not exist. from_offset: skip records before it. committed: skip
        records of open and aborted transactions, as isolation.level=read_committed does. Raises ClientError
        if the broker does not respond within `timeout` seconds.
        """
        found: list[Record]
        exchange = partial(read_records, self.name(topic), partition, from_offset, committed=committed)
        deadline = now_s() + timeout
        while True:
            try:
                found = self._carry_out(exchange(), max(deadline - now_s(), READ_S))
                if count is None or len(found) >= count:
                    return found
                last = found[-RECORDS_SHOWN:]
                listed = ", ".join(f"{each.partition}:{each.offset} {each.value!r:.60}" for each in last)
                why = f". The last are {listed}" if found else ""
            except Refused as error:
                if not count or error.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                    raise
                found, why = [], f". {error}"
            if now_s() >= deadline:
                said = f"{shown(topic)} has {len(found)} records after {timeout:g} s, not {count}{why}"
                if self.server.http is not None:
                    held = open_transactions(self.api("transactions()")) if committed else []
                    said = sentences(said, sent_instead(self.api("requests()"), "Produce"), *held)
                raise AssertionError(said)
            pause(POLL_S)

    def create_topics(
        self, seed: Mapping[str, Any] | str | Path, *, timeout: float = SEED_S
    ) -> dict[str, str]:
        """Create topics with records, and commit offsets, as declared. Return the topics' names in this test.

        seed: a mapping, or the path of a .yaml or .json file with the same content:

            {"topics": {"orders": {"partitions": 2, "configs": {...}, "records": ["one order", {...}]}},
             "groups": {"billing": {"orders": {0: 1, 1: 0}}}}

        Raises SeedError, whose message is one line that names the wrong place. Then nothing was created,
        unless it was the broker that refused an entry, or that has not done everything after `timeout`
        seconds, which raises ClientError.
        """
        checked = read_seed(seed) if isinstance(seed, Mapping) else read_seed_file(Path(seed))
        names = {name: self.name(name) for name in checked.topics}
        self.topics_made += names.values()
        groups = {
            self.name(group): {(self.name(topic), at): new for (topic, at), new in offsets.items()}
            for group, offsets in checked.groups.items()
        }
        topics = {names[name]: each for name, each in checked.topics.items()}
        self._carry_out(sow(Seed(topics, groups), wall_ms()), timeout)
        return names

    def _carry_out(self, exchange: Exchange[T], timeout_s: float) -> T:
        self._check_running()
        with self._naming_faults():
            return carry_out(self.bootstrap_servers, exchange, self.server_state.client_settings, timeout_s)

    # time

    def expire_offsets(self) -> Moved:
        """Run the task that removes expired offsets once, now. Kafka runs it every ten minutes."""
        return self.move("/v1/cleanup", {}, "expire_offsets()")

    def move(self, path: str, body: dict[str, Any], wanted: str) -> Moved:
        self.isolation.check_alone(wanted)
        moved = read(Moved, self.api(wanted).post(path, body))
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
        return {(each.topic, each.partition): each for each in self._offsets("offsets()", self.name(group))}

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

    def _offsets(self, wanted: str, group: str | None = None, **query: Any) -> list[Offset]:
        """Return committed offsets; none if the group or the topic does not exist."""
        try:
            pages = self.api(wanted).pages("/v1/offsets", "offsets", limit=PAGE, group=group, **query)
            return [read(Offset, each) for each in pages]
        except ApiError as error:
            if error.status == 404:
                return []
            raise

    def lag(self, group: str, topic: str | None = None) -> int:
        """Return how many records the group has not committed, over all partitions.

        The lag of a partition is the end of its log minus the committed offset, as in Kafka's tools. The
        topics are those that the group has committed offsets of or is subscribed to, or only `topic`. Raises
        LookupError if the group or the topic does not exist, or if a partition with records has no committed
        offset: then its lag is not known. `lags` has the others.
        """
        found = self._lag(group, topic, "lag()")
        unknown = [each for each in found.partitions if each.is_unknown]
        if unknown:
            raise LookupError(f"the lag of group {shown(group)} is not known: {_listed(unknown)}")
        return found.lag or 0

    def lags(self, group: str, topic: str | None = None) -> dict[tuple[str, int], PartitionLag]:
        """Return the lag by (topic, partition), of the same partitions as `lag`.

        The lag of a partition without a committed offset is None. Raises LookupError if the group or the
        topic does not exist.
        """
        found = self._lag(group, topic, "lags()")
        return {(each.topic, each.partition): each for each in found.partitions}

    def wait_until_caught_up(self, group: str, topic: str | None = None, *, timeout: float = 10.0) -> None:
        """Wait until the group has committed every record: each partition has an offset, and the lag is 0.

        An empty partition needs no offset: consumers need not commit one. But a group that has not committed
        anything has not caught up. Raises AssertionError after `timeout` seconds.
        """

        def why_behind() -> str | None:
            try:
                found = self._lag(group, topic, "wait_until_caught_up()")
            except LookupError as error:  # the group or the topic does not exist
                return str(error) if self._group(group, "groups") else ""
            except ApiError as error:
                return str(error)
            if all(each.offset is None for each in found.partitions):
                return sentences("it has committed nothing", self._state_of(group))
            behind = [each for each in found.partitions if each.is_unknown or (each.lag or 0) > 0]
            if not behind:
                return None
            return sentences(f"its lag is {found.lag or 0} ({_listed(behind)})", self._state_of(group))

        reason = wait(why_behind, timeout)
        if reason is not None:
            said = sentences(reason, self._instead(group, *COMMITS))
            raise AssertionError(f"group {shown(group)} has not caught up after {timeout:g} s: {said}")

    def _lag(self, group: str, topic: str | None, wanted: str) -> Lag:
        """Raises LookupError if the group or the topic does not exist."""
        name = None if topic is None else self.name(topic)
        try:
            return read(Lag, self.api(wanted).get("/v1/lag", group=self.name(group), topic=name))
        except ApiError as error:
            raise LookupError(str(error)) if error.status == 404 else error from None

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
        query = {"topic": self.name(topic), "partition": partition}
        found: list[Offset] = []

        def why_not() -> str | None:
            found[:] = self._offsets("assert_committed()", self.name(group), **query)
            if not found:
                unknown = unlike(self.api("topics"), "topic", self.name(topic))
                others = [
                    f"{place(each)} at {each.offset}"
                    for each in self._offsets("assert_committed()", self.name(group))
                ]
                more = f", and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
                has = f"It has committed {', '.join(others[:SHOWN])}{more}" if others else ""
                return sentences("no offset is committed", unknown, has, self._state_of(group))
            committed = found[0]
            wrong = ""
            if offset is not None and committed.offset != offset:
                wrong = f"it has committed {committed.offset}, not {offset}"
            elif metadata is not None and committed.metadata != metadata:
                wrong = f"it has committed the metadata {committed.metadata!r}, not {metadata!r}"
            if not wrong:
                return None
            end = committed.log_end_offset
            until = "the partition does not exist" if end is None else f"the log ends at {end}"
            return f"{wrong}. The commit is of {moment(committed.committed_ms)}; {until}"

        reason = wait(why_not, timeout)
        if reason is not None:
            said = sentences(reason, self._instead(group, *COMMITS))
            raise AssertionError(f"{shown(topic)}-{partition} of group {shown(group)}: {said}")
        return found[0]

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
                return ""
            found[:] = [state]
            if state.generation <= since:
                return f"its generation is {state.generation}, not above {since}. {_shown_group(state)}"
            if state.state not in SETTLED:
                return f"the rebalance is not complete. {_shown_group(state)}"
            return None

        reason = wait(why_not, timeout)
        if reason is not None:
            said = sentences(reason, self._instead(group, *JOINS))
            raise AssertionError(f"group {shown(group)} has not rebalanced after {timeout:g} s: {said}")
        return found[0].generation

    def expel(self, group: str, member: str) -> Member:
        """Remove a member from its group, as if its session had timed out. Return the member as it was.

        member: a member id, a group.instance.id, or a client id that one member has. The other members get
        its partitions. The member learns of it with its next heartbeat or commit, and joins again. Raises
        LookupError, with similar names, if there is no such group or not exactly one such member.
        """
        name = self.name(group)
        try:
            found = self.api("expel()").post("/v1/groups/expel", {"group": name, "member": member})
        except ApiError as error:
            if error.status not in (404, 409):
                raise
            hint = unlike(self.api("expel()"), "group", name) if error.code == "unknown_group" else ""
            raise LookupError(hint or str(error)) from None
        return read(Member, found["member"])

    # share groups

    def share_records(
        self, group: str, topic: str | None = None, partition: int | None = None
    ) -> list[ShareRecords]:
        """Return the records that a share group has in flight, and the last ones that have ended.

        They are in the order of topics, partitions and offsets. None if the group does not exist.
        """
        return self._shared(group, "share_records()", "records", ShareRecords, topic, partition)

    def share_partitions(self, group: str, topic: str | None = None) -> dict[tuple[str, int], SharePartition]:
        """Return the partitions that a share group reads, by (topic, partition)."""
        found = self._shared(group, "share_partitions()", "partitions", SharePartition, topic)
        return {(each.topic, each.partition): each for each in found}

    def share_record(self, group: str, topic: str, offset: int, partition: int = 0) -> ShareRecords:
        """Return the state of one record. `str(...)` or `.explanation` says who has it, or how it ended.

        Raises LookupError if the group does not exist, or has not read the partition yet.
        """
        where = (group, "share_record()", "records", ShareRecords, topic, partition)
        found = self._shared(*where, offset=offset)
        if found:
            return found[0]
        said = self._instead(group, *SHARED)
        raise LookupError(
            f"{sentences(f'group {shown(group)} has not read {shown(topic)}-{partition}', said)}"
        )

    def assert_acknowledged(
        self,
        group: str,
        topic: str,
        offset: int | None = None,
        partition: int | None = None,
        *,
        timeout: float = 0.0,
    ) -> None:
        """Assert that a member of the share group has accepted this record, or every record of the topic.

        partition: by default, 0 with an offset, and all of the topic without one. Records below the offset
        at which the group began are not considered unless they are named. timeout: wait up to so many
        seconds. Raises AssertionError, whose message says who holds the record or why it is not delivered.
        """

        def why_not() -> str | None:
            if offset is None:
                return self._not_accepted(group, topic, partition)
            try:
                found = self.share_record(group, topic, offset, partition or 0)
            except LookupError as error:
                return str(error)
            return None if found.state == "acknowledged" and found.is_stored else found.explanation

        reason = wait(why_not, timeout)
        if reason is not None:
            where = "" if partition is None and offset is None else f"-{partition or 0}"
            name = f"{shown(topic)}{where}" if offset is None else f"offset {offset} of {shown(topic)}{where}"
            said = sentences(reason, sent_instead(self.api("requests()"), *SHARED))
            raise AssertionError(f"group {shown(group)} has not acknowledged {name}: {said}")

    def _not_accepted(self, group: str, topic: str, partition: int | None) -> str | None:
        """Return why the group has not accepted every record. None: it has."""
        partitions = [
            each
            for each in self.share_partitions(group, topic).values()
            if partition in (None, each.partition)
        ]
        if not partitions:
            return sentences("it does not read the topic", self._instead(group))
        for each in partitions:
            is_empty = each.log_end_offset == each.log_start_offset
            if each.undelivered is None and not is_empty:
                return f"it has not read {shown(topic)}-{each.partition} yet"
            if each.undelivered:
                records = counted(each.undelivered, "offset")
                return f"{records} of {shown(topic)}-{each.partition} were not delivered yet"
        for found in self.share_records(group, topic, partition):
            accepted = found.state == "acknowledged" and (found.is_stored or not found.in_flight)
            if not accepted and found.cause not in NO_RECORDS:
                return f"{shown(topic)}-{found.partition}: {found.explanation}"
        return None

    def expire_locks(self, group: str, topic: str | None = None, partition: int | None = None) -> int:
        """End the locks of acquired records, as if their time had passed. Return the number of records.

        They are available again at once, or archived after their last delivery. No clock moves, so members
        keep their sessions. A member that acknowledges one of them afterwards gets INVALID_RECORD_STATE.
        Raises LookupError if there is no such share group or topic.
        """
        where = {"topic": None if topic is None else self.name(topic), "partition": partition}
        body = {"group": self.name(group)} | {name: each for name, each in where.items() if each is not None}
        try:
            ended = self.api("expire_locks()").post("/v1/share-groups/expire_locks", body)["partitions"]
        except ApiError as error:
            raise LookupError(str(error)) if error.status == 404 else error from None
        return sum(each["records"] for each in ended)

    def _shared(
        self,
        group: str,
        wanted: str,
        what: str,
        kind: type[T],
        topic: str | None,
        partition: int | None = None,
        offset: int | None = None,
    ) -> list[T]:
        query = {
            "group": self.name(group),
            "topic": None if topic is None else self.name(topic),
            "partition": partition,
            "offset": offset,
        }
        given = {name: each for name, each in query.items() if each is not None}
        try:
            pages = self.api(wanted).pages(f"/v1/share-groups/{what}", what, limit=PAGE, **given)
            return [read(kind, each) for each in pages]
        except ApiError as error:
            if error.status == 404:
                return []
            raise

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
        return "" if state is None else _shown_group(state)

    def _instead(self, group: str, *apis: str) -> str:
        """Return the groups that are similar if there is no such group, and the requests of these APIs."""
        api = self.api("requests()")
        return sentences(unlike(api, "group", self.name(group)), sent_instead(api, *apis))

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
            selection = self._selection(group, topic, partition)
            raise LookupError(f"{selection}: {self._never_committed(selection)}")
        return gone[-1]

    def assert_expired(
        self, group: str, topic: str | None = None, partition: int | None = None
    ) -> list[Removal]:
        """Assert that every offset of the group (topic, partition) has expired. Return the removals."""
        selection = self._selection(group, topic, partition)
        for offset in selection.of(self._offsets("offsets()", selection.group)):
            due = " It is due, and the next pass of the cleanup task removes it: expire_offsets() runs one."
            raise AssertionError(
                f"{selection} has not expired. {offset.explanation}{due if offset.expired else ''}"
            )
        gone = last_of_each(selection.of(self.removals(group)))
        if not gone:
            raise AssertionError(f"{selection} has not expired: {self._never_committed(selection)}")
        for each in gone:
            if each.cause != "expired":
                raise AssertionError(f"{selection} was removed, but did not expire. {each.explanation}")
        return gone

    def assert_kept(self, group: str, topic: str | None = None, partition: int | None = None) -> list[Offset]:
        """Assert that no committed offset of the group (topic, partition) was removed. Return the offsets."""
        selection = self._selection(group, topic, partition)
        kept = selection.of(self._offsets("offsets()", selection.group))
        there = {(each.topic, each.partition) for each in kept}
        for gone in last_of_each(selection.of(self.removals(group))):
            if (gone.topic, gone.partition) not in there:
                raise AssertionError(f"{selection} was not kept. {gone.explanation}")
        if not kept:
            raise AssertionError(f"{selection} was not kept: {self._never_committed(selection)}")
        return kept

    def _never_committed(self, selection: Selection) -> str:
        """Return that there is no offset in the selection, with the names that are similar."""
        api, topic = self.api("requests()"), selection.topic
        unknown = "" if topic is None else unlike(api, "topic", topic)
        instead = self._instead(selection.group, *COMMITS)
        return sentences("nothing was ever committed for it", unknown, instead)

    def _selection(self, group: str, topic: str | None, partition: int | None) -> Selection:
        return Selection(self.name(group), None if topic is None else self.name(topic), partition)

    def report(self) -> str:
        """Return what a failing test shows: faults, failed requests, groups, and the output of the broker."""
        return "\n\n".join(f"{title}:\n{text}" for title, text in report(self))

    def story(self) -> str:
        """Return every group with its timeline."""
        now_ms = self.clock.now_ms
        groups = list(self.groups.values())
        return story(groups, self._offsets("offsets()"), self.removals(), self._moves, now_ms)

    # faults and requests

    @property
    def faults(self) -> Faults:
        """The faults that are set: `faults.add(...)` sets one.

        With --tidemark-isolation prefix, these are the faults of this test.
        """
        from tidemark_testing.faults import Faults

        return Faults(self.api("faults"), self.isolation, self.faults_made)

    @property
    def brokers(self) -> Brokers:
        """The brokers of the cluster, if the setting tidemark.brokers is greater than 1."""
        from tidemark_testing.brokers import Brokers  # most tests have one broker

        return Brokers(self)

    def requests(
        self,
        *,
        api: ApiName | None = None,
        group: str | None = None,
        transactional_id: str | None = None,
        topic: str | None = None,
        partition: int | None = None,
        client_id: str | None = None,
        connection: int | None = None,
        node_id: int | None = None,
        error: ErrorName | None = None,
        outcome: Outcome | None = None,
        after: int | None = None,
    ) -> Requests:
        """Return the recorded requests that pass all filters, oldest first.

        error: the name of an error code in the response. node_id: the broker that received it. after: only
        requests with a higher number. Raises ValueError if api, error or outcome is a name that does not
        exist.
        """
        filters = {**locals()}
        del filters["self"]
        named = [name for name in ("group", "topic") if filters[name] is not None]
        filters |= {name: self.name(filters[name]) for name in named}
        from tidemark_testing.requests import Requests

        return Requests(self.api("requests()"), filters)

    def chaos(
        self,
        group: str,
        topics: str | Sequence[str],
        *,
        seed: int | None = None,
        steps: int = 8,
        events: Collection[ChaosEvent] | None = None,
        protocol: GroupProtocol = "classic",
        outputs: str | Sequence[str] = (),
    ) -> Chaos:
        """Return chaos for a consumer group: use it in a `with` statement. docs/chaos.md explains it.

        topics: those that the group reads. seed: draws the steps; by default a new one, or that of the option
        --tidemark-chaos-seed. steps: how many. events: what may happen, of `CHAOS_EVENTS`; by default, all
        but "sessions" and "kill". protocol: the group protocol of the consumers. outputs: topics to which
        they write, so that Produce fails, too. Raises ValueError for an invalid argument; the `with`
        statement raises LookupError for a topic that does not exist, with similar names.
        """
        from tidemark_testing.chaos import DRAWN_SEEDS, Chaos

        first = None
        if seed is None:
            drawn = [each.first_seed for each in self.chaos_made if each.first_seed is not None]
            if drawn:
                first = drawn[0]
            elif (first := self.server_state.chaos_seed) is None:
                from secrets import randbelow

                first = randbelow(DRAWN_SEEDS)
            seed = first + len(drawn)  # so that the first seed of a test repeats all of it
        made = Chaos(
            self, group, topics, seed=seed, first_seed=first,
            steps=steps, events=events, protocol=protocol, outputs=outputs,
        )  # fmt: skip
        self.chaos_made.append(made)
        return made

    # snapshots

    def snapshot(self) -> str:
        """Take a snapshot of topics, data, groups, producers and time. Return its id for `restore`."""
        self.isolation.check_alone("snapshot()")
        taken: str = self.api("snapshot()").post("/v1/snapshots")["id"]
        self._snapshots.append(taken)
        return taken

    def restore(self, snapshot: str | None = None) -> None:
        """Restore a snapshot; by default the state at the start of the test, or of `Tidemark.start()`.

        This closes the connections of clients, which reconnect by themselves. If the broker was stopped or
        killed since, the default is an empty broker.
        """
        self.isolation.check_alone("restore()")
        state = self.server_state
        chosen = snapshot or state.clean
        if chosen is None and state.lost:
            self.renew()
            return
        api = self.api("restore()")
        if chosen is None:
            raise ApiError(404, "unknown_snapshot", None, "there is no snapshot to restore")
        api.post(f"/v1/snapshots/{chosen}/restore")

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Make the current state the one in which every `tidemark` starts, until the block ends.

        For fixtures that prepare a session or a module.
        """
        self.isolation.check_alone("kept()")
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


class TidemarkFactory(Protocol):
    """The fixture `tidemark_factory`."""

    def __call__(
        self,
        settings: Mapping[str, object] | None = None,
        *,
        brokers: int | None = None,
        release: str | None = None,
        client_settings: Mapping[str, str] | None = None,
    ) -> Tidemark:
        """Start a broker, which stops when the test ends.

        settings: Kafka's, by name. brokers: how many, as tidemark.brokers. release: the release of Kafka to
        behave like. client_settings: TLS and SASL properties, by Kafka's names, for the connections of the
        object itself. Raises ValueError for a setting that neither tidemark nor Kafka has.
        """


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
            return f"group {shown(self.group)}"
        where = shown(self.topic) if self.partition is None else f"{shown(self.topic)}-{self.partition}"
        return f"{where} of group {shown(self.group)}"

    def of(self, found: Iterable[Any]) -> list[Any]:
        return [
            each
            for each in found
            if self.topic in (None, each.topic) and self.partition in (None, each.partition)
        ]


def last_of_each(removals: Iterable[Removal]) -> list[Removal]:
    """Return the last removal of each offset: one may have been removed more than once."""
    return list({(each.topic, each.partition): each for each in removals}.values())


def _listed(partitions: list[PartitionLag]) -> str:
    listed = []
    for each in partitions[:SHOWN]:
        where, end = f"{each.topic}-{each.partition}", f"the log ends at {each.log_end_offset}"
        if each.lag is None:
            listed.append(f"{where} has no committed offset: {end}")
        else:
            listed.append(f"{where} lacks {each.lag}: committed {each.offset}, {end}")
    more = f", and {len(partitions) - SHOWN} more partitions" if len(partitions) > SHOWN else ""
    return ", ".join(listed) + more


def _shown_group(group: Group) -> str:
    members = [f"{shown(each.client_id or '')} at {each.client_host}" for each in group.members]
    listed = f": {', '.join(members[:SHOWN])}" if members else ""
    more = f", and {len(members) - SHOWN} more" if len(members) > SHOWN else ""
    size = counted(len(group.members), "member")
    return f"Group {shown(group.group)} is {group.state} with {size}{listed}{more}"
