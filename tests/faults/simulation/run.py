"""Run one seed: a world, a machine, clients, and faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.faults.simulation import shares, streams
from tests.faults.simulation.actors import (
    Admin,
    Committer,
    Guest,
    Member,
    Operator,
    Producer,
    Reader,
    SetUp,
)
from tests.faults.simulation.brokers import BROKER_IDS, move
from tests.faults.simulation.clients import Actor, Client
from tests.faults.simulation.consumers import ClassicConsumer, Consumer
from tests.faults.simulation.laws import MIXED, Laws
from tests.faults.simulation.node import Node
from tests.faults.simulation.transactions import ALONE, SHARED, CommittedReader, Copier
from tests.faults.simulation.world import LawBroken, World

RUN_MS: Final = 12_000
SET_UP_MS_MAX: Final = 120_000
REST_MS_MAX: Final = 600_000
DRAIN_MS_MAX: Final = 120_000
FAULTS: Final = ("kill", "power", "within", "disk", "slow", "descriptors", "stop", "cut", "wall", "moves")
SEVERAL: Final = 0.3  # the probability of several brokers, which move leaders and coordinators
TRANSACTIONAL: Final = ("copier-1", "copier-2", "copier-3", "committed-1", "committed-2")
SHARING: Final = ("sharer-1", "sharer-2", "sharer-3", "sharefeed-1", "shareadmin-1")
SHARES: Final = 0.25  # the probability of a share group
LETTERS: Final = ("letters-1",)  # a reader of the dead-letter queue, which the share group has then
LETTERED: Final = 0.4  # the probability of that in a seed with a share group
STREAMING: Final = ("streamer-1", "streamer-2", "streamer-3", "streamer-4")
STREAMS: Final = 0.15  # the probability of a streams group
OTHERS: Final = (
    "committer-1", "committer-2", "admin", "producer-1", "producer-2", "reader",
    "team-1", "team-2", "team-3", "crew-1", "crew-2", "crew-3", "guests-1", "guests-2", "operator",
    "herd-1", "herd-2", "herd-3", "herd-4", "mixed-1", "mixed-2", "mixed-3", "mixed-4",
    *TRANSACTIONAL,
)  # fmt: skip
ACTORS: Final = (*OTHERS, *SHARING, *STREAMING, *LETTERS)


@dataclass(slots=True)
class Outcome:
    """The result of a seed. broken: None if every law held."""

    seed: int
    broken: LawBroken | None = None
    lines: list[str] = field(default_factory=list)
    counted: dict[str, int] = field(default_factory=dict)


def absent(seed: int) -> frozenset[str]:
    """Draw the actors that a seed of a campaign leaves out: of each kind, all or none. Most have one broker.

    With some kinds absent, the others meet more often, and a seed takes half of the time ("swarm testing").
    """
    rng = World(seed).rng("absent")
    others = dict.fromkeys(map(kind_of, OTHERS))
    away = {kind for kind in others if rng.random() < 0.5}
    if rng.random() >= SEVERAL:
        away.add("moves")
    rng = World(seed).rng("absent shares")
    if rng.random() >= SHARES:
        away |= {*map(kind_of, SHARING)}
    else:  # fewer others than in a seed without share groups, which takes as long then
        away |= {kind for kind in others if rng.random() < 0.35}
        if rng.random() < 0.4:
            away.add("shareadmin")
    rng = World(seed).rng("absent streams")
    if rng.random() >= STREAMS:
        away |= {*map(kind_of, STREAMING)}
    else:
        away |= {kind for kind in others if rng.random() < 0.35}
    rng = World(seed).rng("absent letters")
    if "sharer" in away or rng.random() >= LETTERED:
        away |= {*map(kind_of, LETTERS)}
    elif rng.random() < 0.6:
        away |= {"disk", "descriptors"}  # after these faults, dead letters may be missing
    return frozenset(name for name in (*ACTORS, *FAULTS) if kind_of(name) in away)


def kind_of(actor: str) -> str:
    """Return the name of an actor without its number."""
    return actor.partition("-")[0]


def run(seed: int, *, tracing: bool = False, without: frozenset[str] = frozenset()) -> Outcome:
    """Run a seed. without: actors and faults to leave out (ACTORS, FAULTS)."""
    world = World(seed, tracing=tracing)
    outcome = Outcome(seed, lines=world.lines, counted=world.counted)
    try:
        _Run(world, without).run()
    except LawBroken as broken:
        outcome.broken = broken
    return outcome


def _settings(world: World) -> dict[str, str]:
    """Draw the settings that change how often something happens."""
    rng = world.rng("settings")
    return {
        "group.min.session.timeout.ms": "100",
        "group.initial.rebalance.delay.ms": rng.choice(("0", "0", "500")),
        "group.max.size": rng.choice(("2", "1000", "1000", "1000")),
        "offsets.topic.num.partitions": rng.choice(("1", "1", "3")),
        "metadata.log.max.record.bytes.between.snapshots": rng.choice(("300", "2000", "20971520")),
        "log.flush.offset.checkpoint.interval.ms": rng.choice(("300", "3000", "60000")),
        "log.flush.scheduler.interval.ms": rng.choice(("200", "2000")),
        "tidemark.connection.requests.max": rng.choice(("2", "500", "500")),
        "tidemark.connection.unsent.max.bytes": rng.choice(("200", "1048576", "1048576")),
        "tidemark.as": rng.choice(("", "", "4.3")),
        "offsets.retention.check.interval.ms": rng.choice(("600000", "600000", "400")),
        "offsets.retention.minutes": rng.choice(("10080", "1")),
        "group.consumer.min.session.timeout.ms": "1",
        "group.consumer.min.heartbeat.interval.ms": "1",
        "group.consumer.heartbeat.interval.ms": "100",
        "group.consumer.session.timeout.ms": rng.choice(("600", "3000", "10000")),
        "group.consumer.assignment.interval.ms": rng.choice(("0", "0", "1000")),
        "group.consumer.max.size": rng.choice(("3", "1000", "1000", "1000")),
        "group.consumer.migration.policy": rng.choice(("bidirectional", "bidirectional", "upgrade")),
        "log.roll.ms": rng.choice(("604800000", "604800000", "400")),
        "log.cleaner.backoff.ms": rng.choice(("15000", "300")),
        "transaction.state.log.num.partitions": rng.choice(("1", "1", "3")),
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": rng.choice(("100", "1000", "10000")),
        "transaction.remove.expired.transaction.cleanup.interval.ms": rng.choice(("500", "3600000")),
        "transactional.id.expiration.ms": rng.choice(("604800000", "604800000", "300000")),
        "log.cleaner.delete.retention.ms": rng.choice(("86400000", "500")),
    }


class _Run:
    def __init__(self, world: World, without: frozenset[str]) -> None:
        self.world = world
        self.without = without
        self.rng = world.rng("fate")
        self.rng_of_slow = world.rng("slow disk")
        self.rng_of_descriptors = world.rng("no descriptors")
        self.rng_of_moves = world.rng("a move")
        settings = _settings(world)
        if "moves" not in without:
            settings["tidemark.brokers"] = str(len(BROKER_IDS))
            settings["broker.session.timeout.ms"] = world.rng("brokers").choice(("300", "3000"))
            settings["replica.lag.time.max.ms"] = world.rng("lag").choice(("200", "2000"))
            settings["share.coordinator.state.topic.replication.factor"] = world.rng("replicas").choice("133")
        self.has_shares = "sharer-1" not in without
        if self.has_shares:
            settings |= shares.settings(world.rng("share settings"))
            world.count("share groups")
        has_letters = self.has_shares and LETTERS[0] not in without and settings["tidemark.as"] != "4.3"
        if has_letters:
            settings |= shares.letter_settings(world.rng("letter settings"))
            world.count("dead-letter queues")
        else:
            self.without |= {*LETTERS}
        self.has_streams = "streamer-1" not in without
        if self.has_streams:
            settings |= streams.settings(world.rng("streams settings"))
            world.count("streams groups")
        world.trace("world", f"{settings}")
        self.laws = Laws(world, settings)
        if has_letters:
            self.laws.shares.letters.begin(
                shares.SHARED,
                shares.SHARERS,
                copies=world.rng("copies of letters").random() < 0.5,
                is_synced=settings["errors.deadletterqueue.auto.create.topics.enable"] == "false",
            )
        self.node = Node(world, self.laws, settings)
        self.clients: list[Client] = []

    def run(self) -> None:
        world = self.world
        self.node.start()
        more = [shares.set_up] if self.has_shares else []
        if LETTERS[0] not in self.without:
            more.append(shares.set_up_letters)
        set_up = SetUp(self._client("set-up"), more)
        world.spawn("set-up", set_up.run())
        self._plan()
        if not world.run(lambda: set_up.done.done, SET_UP_MS_MAX):
            raise LawBroken("no progress", "the topics could not be made")
        for name in ACTORS:
            if name not in self.without:
                world.spawn(name, self._actor(name).run())
        end_ms = world.clock.steady_ms() + RUN_MS
        world.run(lambda: world.clock.steady_ms() >= end_ms, RUN_MS + 1)
        self._come_to_rest()

    def _client(self, name: str) -> Client:
        client = Client(self.world, self.node, self.laws, name)
        self.clients.append(client)
        return client

    def _actor(self, name: str) -> Actor:
        client = self._client(name)
        kind, _, number = name.rpartition("-")
        if kind == "committer":
            return Committer(client)
        if name == "admin":
            return Admin(client)
        if kind == "producer":
            return Producer(client, idempotent=number == "1")
        if name == "reader":
            return Reader(client)
        if name == "operator":
            return Operator(client)
        if kind == "copier":
            return Copier(client, ALONE if number == "3" else SHARED)
        if kind == "sharer":
            return shares.ShareMember(client)
        if kind == "sharefeed":
            return shares.ShareProducer(client)
        if kind == "shareadmin":
            return shares.ShareOperator(client)
        if kind == "streamer":
            return streams.Streamer(client, self._place(number))
        if kind == "letters":
            return shares.LetterReader(client)
        if kind == "committed":
            return CommittedReader(client)
        if kind == "guests":
            return Guest(client, kind, None)
        if kind == "herd":
            return Consumer(client, kind, f"instance-{number}" if number in "34" else None)
        if kind == MIXED:
            instance = f"instance-{number}" if number == "3" else None
            return (ClassicConsumer if number in "13" else Consumer)(client, kind, instance)
        return Member(client, kind, instance=f"instance-{number}" if number == "3" else None)

    def _place(self, number: str) -> str | None:
        """Return the instance of a member of the streams group. Two members may have the same one."""
        if number in "12":
            return None
        return "place-4" if number == "4" and self.world.rng("places").random() < 0.6 else "place-3"

    # faults

    def _plan(self) -> None:
        """Schedule the next fault of each kind some time after the last, from a random stream of its own."""
        for fault in FAULTS:
            rng = self.world.rng(fault)
            every_ms = rng.choice(_EVERY_MS[fault])
            if every_ms and fault not in self.without:
                self._blow(fault, every_ms)

    def _blow(self, fault: str, every_ms: int) -> None:
        rng = self.world.rng(f"{fault} blows")
        strike: Callable[[], None] = getattr(self, f"_{fault}")

        def fall() -> None:
            if not self.world.over:
                strike()
                later()

        def later() -> None:
            self.world.after(1 + int(rng.expovariate(1 / every_ms)), fall)

        later()

    def _kill(self) -> None:
        self.node.kill(power_cut=False)

    def _power(self) -> None:
        self.node.kill(power_cut=True)

    def _within(self) -> None:
        """Make the process die within one of the next operations on the disk."""
        if self.node.process is not None and self.node.storage.die_after is None:
            self.node.power_cut = self.rng.random() < 0.5
            self.node.storage.die_after = self.rng.choice((0, 1, 2, 5, 20))
            self.world.trace("fate", f"death after {self.node.storage.die_after} operations")

    def _disk(self) -> None:
        operation = self.rng.choice(("append", "sync", "sync", "write", "name"))
        self.laws.shares.letters.may_fail = True
        self.node.storage.fail_next = {operation: self.rng.choice((0, 0, 1, 3))}
        self.node.storage.stays_broken = self.rng.random() < 0.5
        self.world.trace("fate", f"the disk fails: {self.node.storage.fail_next}")

    def _slow(self) -> None:
        """Let each operation on the disk take longer for a while, in the thread that does it."""
        self.node.disk_delay_ms = self.rng_of_slow.choice((100, 500, 2_000))
        self.world.trace("fate", f"the disk is slow: {self.node.disk_delay_ms} ms")
        self.world.after(self.rng_of_slow.choice((100, 1_000, 3_000)), self._fast)

    def _fast(self) -> None:
        self.node.disk_delay_ms = 0

    def _descriptors(self) -> None:
        """Leave the process without a descriptor for a while."""
        self.laws.shares.letters.may_fail = True
        self.node.storage.descriptors_left = False
        self.world.trace("fate", "no descriptor is left")
        self.world.after(self.rng_of_descriptors.choice((50, 500, 2_000)), self._give_descriptors)

    def _give_descriptors(self) -> None:
        self.node.storage.descriptors_left = True
        self.node.descriptors_back = self.world.moment()

    def _stop(self) -> None:
        self.node.stop("asked to")

    def _cut(self) -> None:
        connected = [client for client in self.clients if client.connection is not None]
        if connected:
            self.rng.choice(connected).hang_up()

    def _moves(self) -> None:
        """Move a leader or coordinator, or stop brokers for a while."""
        process = self.node.process
        if self.node.up and process is not None and process.started:
            self.world.count("moves")
            process.run(move(process, self.rng_of_moves, self.laws), "a move of leaders failed")

    def _wall(self) -> None:
        self.world.clock.advance_wall(self.rng.choice((1, 1_000, 600_000)))

    # the end

    def _come_to_rest(self) -> None:
        """End all faults, wait for all responses, end silent members, and check what is stored."""
        world, node = self.world, self.node
        world.trace("world", "comes to rest")
        world.over = True
        node.storage.fail_next.clear()
        self._fast()
        self._give_descriptors()
        node.storage.die_after = None
        self._serve()
        world.run(lambda: world.idle, REST_MS_MAX)
        self._serve()
        owed = [
            f"{client.name}: {each.correlation_id} {each.api}"
            for client in self.clients
            for each in client.due
        ]
        if owed:
            raise LawBroken("no answer", "; ".join(owed))
        for client in self.clients:
            client.hang_up()
        if self.has_shares:
            self._drain_shares()
        if self.has_streams:
            self._assign_all_tasks()
        process = node.process
        assert process is not None
        groups = process.state.groups.groups
        if not world.run(lambda: all(group.is_empty for group in groups.values()), REST_MS_MAX):
            states = {name: group.state_name for name, group in groups.items()}
            raise LawBroken("no rest", f"{states} though nobody is there")
        transactions = self.laws.transactions
        if not world.run(lambda: transactions.is_resting(process), REST_MS_MAX):
            raise LawBroken("no rest", transactions.what_moves(process))
        commit = process.group_commit
        assert commit is not None, "it is serving"
        if not world.run(lambda: commit.durable == commit.appended and not commit.pending, REST_MS_MAX):
            raise LawBroken("no rest", "something is never written")
        node.kill(power_cut=True)
        self._serve()
        assert node.process is not None
        if not transactions.is_resting(node.process):
            raise LawBroken("no rest", transactions.what_moves(node.process))
        transactions.check_all(node.process)
        self.laws.shares.letters.check_all(node.process)
        if left := self.laws.shares.what_is_left(node.process):
            raise LawBroken("share drained", f"no longer done after a power cut: {left}")
        if world.broken is not None:
            raise world.broken

    def _drain_shares(self) -> None:
        """Let one member stay, and accept what is left. Then every record is done."""
        last = shares.LastMember(self._client("sharer-last"))
        self.world.spawn("sharer-last", last.run())
        if not self.world.run(lambda: self.world.idle, DRAIN_MS_MAX):
            raise LawBroken("share drained", f"never done: {last.what_is_left()}")
        assert self.node.process is not None
        self.laws.shares.check_drained(self.node.process)

    def _assign_all_tasks(self) -> None:
        """Let two members of the streams group stay. Then each task is active at one of them."""
        last = [streams.LastStreamer(self._client(f"streamer-last-{number}")) for number in (1, 2)]
        for each in last:
            each.others = last
            self.world.spawn(each.client.name, each.run())
        if not self.world.run(lambda: self.world.idle, DRAIN_MS_MAX):
            raise LawBroken("streams rest", last[0].what_is_left())

    def _serve(self) -> None:
        """Start a process that serves. The last one may be in any state."""

        node, laws = self.node, self.laws
        if not self.world.run(lambda: node.up and node.process is laws.serving, SET_UP_MS_MAX):
            raise LawBroken("no progress", "the broker does not come up")


# The mean time between faults of each kind; 0: none in this seed.
_EVERY_MS: Final = {
    "kill": (0, 0, 0, 3_000, 8_000),
    "power": (0, 0, 3_000, 8_000),
    "within": (0, 2_000, 6_000),
    "disk": (0, 0, 0, 5_000),
    "slow": (0, 0, 4_000),
    "descriptors": (0, 0, 3_000),
    "stop": (0, 0, 0, 6_000),
    "cut": (0, 500, 3_000),
    "wall": (0, 2_000),
    "moves": (300, 1_000, 3_000),
}
