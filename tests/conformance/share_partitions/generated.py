"""Scripts for a share partition: random ones (`generated`), and some that are rare among those (`RARE`)."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conformance.share_partitions.scripts import Player, Script
from tidemark.share.partition import ACQUIRED

MEMBERS = ("a", "b", "c")


def _rare(log: list[tuple[int, int]], *operations: list[Any]) -> Script:
    return {
        "limits": [100, 4, 40, True],
        "start": log[0][0],
        "stored": [],
        "log": [[first, last, "plain", -1] for first, last in log],
        "aborted": [],
        "operations": [*operations],
    }


def _acquire(member: str, batches: int) -> list[Any]:
    return ["acquire", member, 0, 100, 500, batches, 0, 0]


RARE = [
    # Records beyond those that were read have been delivered more often. They do not slow down.
    _rare(
        [(0, 1), (2, 5), (6, 9)],
        _acquire("a", 1),
        _acquire("a", 2),
        ["acknowledge", "a", [[6, 9, [2]]], "ok"],
        _acquire("a", 1),
        ["acknowledge", "a", [[0, 1, [2]], [2, 5, [2]], [6, 9, [2]]], "ok"],
        _acquire("a", 2),
        _acquire("a", 3),
    ),
    # An acknowledgement begins below a start offset that is between batches.
    _rare(
        [(5, 9), (20, 29)],
        _acquire("a", 1),
        _acquire("b", 1),
        ["log start", 15],
        ["acknowledge", "b", [[12, 29, [1]]], "ok"],
        ["advance", 100, "ok"],
    ),
    # The same, between batches that were both acquired.
    _rare(
        [(5, 9), (20, 29)],
        _acquire("a", 1),
        _acquire("b", 1),
        ["acknowledge", "b", [[12, 29, [1]]], "ok"],
        ["acknowledge", "a", [[5, 9, [1]]], "ok"],
    ),
]


def generated(seed: int) -> Script:
    """Return a script. It acknowledges mostly what our share partition has acquired at that point."""
    return _Generator(Random(seed)).script


class _Generator:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.members = MEMBERS[: random.randint(1, 3)]
        self.strict = random.choice((0, 0.3, 0.3, 1))
        self.batches_max = random.choice((2, 4, 8))
        self.later = random.choice((0, 0.15, 0.4))
        limits = [100, random.randint(2, 6), random.randint(5, 40), random.random() < 0.9]
        start = random.choice((0, 3, random.randint(5, 30)))
        stored = self._stored(start, limits[1]) if random.random() < 0.5 else []
        log, aborted = self._log(max(0, start - random.randint(0, 8)))
        self.script: Script = {
            "limits": limits,
            "start": start,
            "stored": stored,
            "log": log,
            "aborted": aborted,
            "operations": [],
        }
        self.player = Player(self.script)
        length = random.randint(20, 60)
        while len(self.script["operations"]) < length and not self.player.ends:
            self._step()

    def _stored(self, start: int, deliveries_max: int) -> list[list[int]]:
        random, at = self.random, start
        stored = []
        gap = random.choice((0, 0.3, 0.8))
        for _ in range(random.randint(1, 5)):
            if random.random() < gap:
                at += random.choice((1, 2, 4, 12, 25))
            last = at + random.randint(0, 7)
            stored.append([at, last, random.choice((0, 0, 2, 4)), random.randint(0, deliveries_max)])
            at = last + 1
        return stored

    def _log(self, at: int) -> tuple[list[Any], list[Any]]:
        random = self.random
        log: list[Any] = []
        aborted = []
        begun: dict[int, int] = {}
        hole = random.choice((0, 0.1, 0.3))
        transactional = random.choice((0, 0, 0.5))
        end = at + 160
        while at < end:
            if random.random() < hole:
                at += random.randint(1, 5)
            if begun and random.random() < 0.3:
                producer = random.choice(sorted(begun))
                kind = random.choice(("commit", "abort", "abort"))
                if kind == "abort":
                    aborted.append([producer, begun[producer], at])
                del begun[producer]
                log.append([at, at, kind, producer])
            else:
                producer, kind = -1, "plain"
                if random.random() < transactional:
                    producer, kind = random.choice((7, 8)), "transactional"
                    begun.setdefault(producer, at)
                last = at + random.randint(0, 9) if random.random() < 0.8 else at
                log.append([at, last, kind, producer])
                at = last
            at += 1
        return log, aborted

    def _add(self, *operation: Any) -> None:
        self.script["operations"].append(list(operation))
        if not self.player.ends:
            self.player.run(list(operation))

    def _step(self) -> None:
        random = self.random
        kind = random.choices(
            ("acquire", "acknowledge", "release", "advance", "log start", "limits", "complete", "stale"),
            (30, 34, 4, 11, 3, 1.5, 14, 3),
        )[0]
        if kind == "acquire":
            self._acquire(remembered=False)
        elif kind == "acknowledge":
            self._acknowledge()
        elif kind == "release":
            self._add("release", random.choice(self.members), self._outcome())
        elif kind == "advance":
            self._advance()
        elif kind == "log start":
            self._log_start()
        elif kind == "limits":
            limits = list(self.script["limits"])
            limits[random.randrange(3)] = random.randint(2, 6)
            self._add("limits", limits)
        elif kind == "complete" and self.player.pending:
            self._add("complete", random.randint(0, 3), random.random() < 0.6)
        elif kind == "stale":
            self._add("remember")
            for _ in range(random.randint(1, 2)):
                random.choices((self._acknowledge, self._advance, self._log_start), (5, 5, 2))[0]()
            self._acquire(remembered=True)

    def _log_start(self) -> None:
        start = self.player.partition.start_offset
        self._add("log start", max(0, start + self.random.choice((-1, 1, 2, 3, 5, 8, 13))))

    def _outcome(self) -> str:
        if self.random.random() < self.later:
            return "later"
        return "fails" if self.random.random() < 0.15 else "ok"

    def _acquire(self, *, remembered: bool) -> None:
        random = self.random
        self._add(
            "acquire",
            random.choice(self.members),
            int(random.random() < self.strict),
            random.choice((1, 3, 5, 10, 100)),
            random.choice((1, 2, 2, 3, 3, 5, 5, 8, 8, 13, 500, 0)),
            random.randint(1, self.batches_max),
            int(random.random() < 0.5),
            int(remembered),
        )

    def _advance(self) -> None:
        random, now_ms = self.random, self.player.now_ms
        end = self.player.partition.next_lock_end()
        lock_ms = self.player.partition.limits.lock_ms
        later = now_ms + random.choice((1, lock_ms // 3, lock_ms // 2, lock_ms))
        if end is not None and random.random() < 0.3:
            later = max(now_ms, end - random.randint(0, 1))
        self._add("advance", later, self._outcome())

    def _acknowledge(self) -> None:
        random = self.random
        member = random.choice(self.members)
        partition = self.player.partition
        if random.random() < 0.12:
            ranges = self._any_ranges(partition.start_offset, partition.end_offset)
        else:
            ranges = self._acquired_ranges(member)
            if not ranges:
                return
        renews = 1 if partition.limits.renews else 0.05
        weights = random.choice(
            ((1, 5, 4, 2, 3 * renews), (0, 0, 1, 0, 0), (0, 1, 0, 0, 0), (0, 1, 3, 0, renews))
        )
        batches = []
        for first, last in ranges:
            length = last - first + 1 if random.random() < 0.5 else 1
            batches.append([first, last, random.choices(range(5), weights, k=length)])
        self._add("acknowledge", member, batches, self._outcome())

    def _any_ranges(self, start: int, end: int) -> list[tuple[int, int]]:
        random, ranges = self.random, []
        at = max(0, start - random.randint(0, 5))
        for _ in range(random.randint(1, 3)):
            first = at + random.randint(0, max(1, end - start))
            last = first + random.randint(0, 6)
            ranges.append((first, last))
            at = last + 1
        return ranges

    def _acquired_ranges(self, member: str) -> list[tuple[int, int]]:
        """Return neighbours of what the member has acquired: whole, without an end, or joined."""
        random = self.random
        held = [
            (run.first, run.last)
            for run in self.player.partition.runs()
            if run.state == ACQUIRED and run.member_id == member and run.transition is None
        ]
        if not held:
            return []
        at = random.randrange(len(held))
        ranges: list[tuple[int, int]] = []
        for first, last in held[at : at + random.randint(1, 4)]:
            if ranges and ranges[-1][1] + 1 == first and random.random() < 0.6:
                ranges[-1] = (ranges[-1][0], last)
                continue
            if random.random() < 0.4:
                first = random.randint(first, last)
            if random.random() < 0.4:
                last = random.randint(first, last)
            ranges.append((first, last))
        return ranges
