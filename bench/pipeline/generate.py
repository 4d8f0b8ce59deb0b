"""Generate a `__consumer_offsets` as Kafka 4.3 writes it, of any size, in seconds.

`python -m bench.pipeline generate DIR [--records N] [--segments N] [--groups N] [--codec LZ4]`; from a test
`generate(DIR, ...)`. The same arguments give the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from crc32c import crc32c

from bench.pipeline.population import DAY_MS, Group, Template, Writer, groups
from tidemark_protocol.batch import CONTROL, CRC_POSITION, CRC_START, HEADER_BYTES, LOG_OVERHEAD_BYTES
from tidemark_protocol.compression import Codec, compress

NEWEST_MS: Final = 1_795_132_800_000  # 2026-11-20, so that the same arguments make the same bytes
SPAN_MS: Final = 14 * DAY_MS
RETENTION_MS: Final = 7 * DAY_MS  # after which the offsets of a stopped group expire
FORGOTTEN: Final = 0.003  # share of the commits that are tombstones instead: OffsetDelete
REWOUND: Final = 0.0003  # share of the commits with a lower offset than before
REWIND: Final = 10_000
REBALANCES: Final = 0.002  # for each record
MARKED: Final = 0.6  # share of transactional commits that end their transaction
ABORTED: Final = 0.1
CHUNK: Final = 8192  # batches that are filled in one step, about 20 MB

Longs = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(slots=True)
class Generated:
    """The result. Offsets include records of aborted and open transactions.

    records        all of them, including markers
    next_offsets   log partition -> the offset after its last record
    """

    directory: Path
    segments: list[Path] = field(default_factory=list)
    next_offsets: dict[int, int] = field(default_factory=dict)
    bytes: int = 0
    batches: int = 0
    offsets: int = 0
    tombstones: int = 0  # tombstones of offsets
    groups: int = 0
    control: int = 0
    transactional: int = 0
    aborted: int = 0
    open: int = 0

    @property
    def records(self) -> int:
        return self.offsets + self.groups + self.control


@dataclass(slots=True)
class Plan:
    """The content of one log: the template and the time after start_ms of each batch."""

    start_ms: int
    templates: list[Template] = field(default_factory=list)
    ids: list[Longs] = field(default_factory=list)
    times: list[Longs] = field(default_factory=list)

    def add(self, templates: Iterable[Template]) -> list[int]:
        first = len(self.templates)
        self.templates += templates
        return list(range(first, len(self.templates)))

    def at(self, ids: Longs | Sequence[int], times: Longs | Sequence[int]) -> None:
        self.ids.append(np.asarray(ids, np.int64))
        self.times.append(np.asarray(times, np.int64))

    def once(self, template: Template | None, time_ms: int) -> None:
        if template is not None:
            self.at(self.add([template]), [time_ms])

    def in_order(self) -> tuple[Longs, Longs]:
        ids, times = np.concatenate(self.ids), np.concatenate(self.times)
        order = np.argsort(times, kind="stable")
        return ids[order], times[order]


def generate(
    directory: Path,
    *,
    records: int = 2_000_000,
    segments: int = 8,
    group_count: int = 200,
    log_partitions: int = 4,
    batch_max: int = 100,
    codec: Codec = Codec.NONE,
    seed: int = 6,
    newest_ms: int = NEWEST_MS,
) -> Generated:
    """Write about so many records in so many segments, of the 14 days up to newest_ms.

    With a million records, the number is exact to one per cent. batch_max: a batch has 1 to so many records;
    1 is the worst case for a reader.
    """
    rng = np.random.default_rng(seed)
    population: dict[int, list[Group]] = {}
    for group in groups(rng, group_count, log_partitions, batch_max, SPAN_MS):
        population.setdefault(group.log_partition, []).append(group)
    made = Generated(directory)
    for log_partition, of_log in sorted(population.items()):
        share = records // len(population)
        plan = planned(rng, Plan(newest_ms - SPAN_MS), of_log, share, made)
        folder = directory / f"__consumer_offsets-{log_partition}"
        folder.mkdir(parents=True)
        (folder / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
        log = Log(plan, codec, rng)
        log.write(folder, max(1, segments // len(population)), made)
        made.next_offsets[log_partition] = log.next_offset
    return made


def planned(
    rng: np.random.Generator, plan: Plan, of_log: Sequence[Group], records: int, made: Generated
) -> Plan:
    """Return plan with all records of the groups of one log."""
    commits: list[int] = []
    stops: list[int] = []
    transactional: list[tuple[Writer, list[int]]] = []
    for group in of_log:
        writer = Writer(group, rng)
        ids = plan.add(writer.commits())
        commits += ids
        stops += [SPAN_MS if group.stops_ms is None else group.stops_ms] * len(ids)
        lifecycle(plan, writer, rng, rebalances=max(2, int(REBALANCES * records / len(of_log))))
        if group.kind == "transactional":
            transactional.append((writer, ids))
    ids, times = commit_times(rng, plan, np.array(commits), np.array(stops), records)
    plan.at(forgetting(plan, rng, of_log, ids, commits), times)
    for writer, own in transactional:
        markers(plan, writer, rng, ids, times, own, made)
    return plan


def lifecycle(plan: Plan, writer: Writer, rng: np.random.Generator, rebalances: int) -> None:
    """Plan a group's own records: its start, its rebalances, and perhaps its end."""
    ends = writer.group.stops_ms
    until = SPAN_MS if ends is None else ends
    times = np.sort(rng.integers(0, max(1, until), size=rebalances))
    times[0] = 0
    for number, at in enumerate(times, 1):
        plan.once(writer.rebalance(number, plan.start_ms + int(at)), int(at))
    if ends is None:
        return
    plan.once(writer.stop(rebalances + 1, plan.start_ms + ends), ends)
    if ends + RETENTION_MS < SPAN_MS:
        for gone in writer.expire():
            plan.once(gone, ends + RETENTION_MS)


def commit_times(
    rng: np.random.Generator, plan: Plan, commits: Longs, stops: Longs, records: int
) -> tuple[Longs, Longs]:
    """Return the member and the time of each commit. All members commit at the same rate until they stop."""
    sizes = np.array([plan.templates[at].count for at in commits])
    told = sum(len(each) and plan.templates[int(each[0])].count for each in plan.ids)
    alive = stops / SPAN_MS
    each = alive @ sizes / max(alive.sum(), 1e-9)
    wanted = max(1, int((records - told) / each))
    drawn = rng.choice(len(commits), size=wanted, p=alive / alive.sum())
    times = (rng.random(wanted) * stops[drawn]).astype(np.int64)
    order = np.argsort(times, kind="stable")
    return commits[drawn[order]], times[order]


def markers(
    plan: Plan,
    writer: Writer,
    rng: np.random.Generator,
    ids: Longs,
    times: Longs,
    own: Sequence[int],
    made: Generated,
) -> None:
    """End the group's transactions before its next commit. The last one stays open."""
    mine = np.flatnonzero(np.isin(ids, own))
    if not len(mine):
        return
    begins = times[mine]
    counts = np.array([plan.templates[at].count for at in ids[mine]])
    ends = begins[:-1] + ((begins[1:] - begins[:-1]) * rng.random(len(mine) - 1)).astype(np.int64)
    ended = np.flatnonzero((rng.random(len(mine) - 1) < MARKED) & (begins[1:] > begins[:-1]))
    aborts = rng.random(len(ended)) < ABORTED
    commit, abort = plan.add([writer.marker("commit"), writer.marker("abort")])
    plan.at(np.where(aborts, abort, commit), ends[ended])
    decided_by = np.searchsorted(ended, np.arange(len(mine)))  # the first marker at or behind each
    made.transactional += int(counts.sum())
    made.open += int(counts[decided_by == len(ended)].sum())
    made.aborted += int(counts[np.append(aborts, False)[decided_by]].sum())


def forgetting(
    plan: Plan, rng: np.random.Generator, of_log: Sequence[Group], ids: Longs, commits: Sequence[int]
) -> Longs:
    """Return ids with a few of them replaced by tombstones of the same offsets."""
    tombstones = plan.add(
        forgets
        for group in of_log
        for share in group.shares
        for forgets in [Writer(group, rng).forgets(share)]
    )
    plain = np.array([not plan.templates[at].transactional for at in commits])
    of_commit = np.arange(len(plan.templates))
    of_commit[np.array(commits)[plain]] = np.array(tombstones)[plain]
    return np.where(rng.random(len(ids)) < FORGOTTEN, of_commit[ids], ids)


class Log:
    """Writes the segments of one log."""

    def __init__(self, plan: Plan, codec: Codec, rng: np.random.Generator) -> None:
        self._plan = plan
        self._codec = codec
        self._rng = rng
        templates = plan.templates
        self._ids, self._times = plan.in_order()
        self._batches = [each.batch for each in templates]
        self._sizes = np.array([len(each.batch) for each in templates])
        counts = np.array([each.count for each in templates])[self._ids]
        self._next = np.cumsum(counts)
        self._bases = self._next - counts
        self._times_at = Ragged([each.times_at for each in templates])
        self._time_deltas = Ragged([each.time_deltas for each in templates])
        self._offsets_at = Ragged([each.offsets_at for each in templates])
        self._offset_bases = Ragged([each.offset_bases for each in templates])
        self._offset_rates = Ragged([each.offset_rates for each in templates])

    @property
    def next_offset(self) -> int:
        return int(self._next[-1])

    def write(self, folder: Path, segments: int, made: Generated) -> None:
        """Write segments with about the same number of records."""
        edges = np.unique(np.searchsorted(self._bases, np.linspace(0, self.next_offset, segments + 1)))
        for first, end in pairwise(edges):
            path = folder / f"{self._bases[first]:020}.log"
            with path.open("wb") as file:
                self._write(file, int(first), int(end))
            made.segments.append(path)
            made.bytes += path.stat().st_size
        self._count(made)

    def _write(self, file: BinaryIO, first: int, end: int) -> None:
        for at in range(first, end, CHUNK):
            filled, starts = self._filled(slice(at, min(end, at + CHUNK)))
            if self._codec:
                file.writelines(
                    compressed(filled[begin:behind], self._codec) for begin, behind in pairwise(starts)
                )
            else:
                file.write(filled)

    def _filled(self, chunk: slice) -> tuple[bytearray, list[int]]:
        """Return the batches of a chunk, where each begins, and the end."""
        ids, times = self._ids[chunk], self._times[chunk]
        data = bytearray(b"".join([self._batches[at] for at in ids.tolist()]))
        view = np.frombuffer(data, np.uint8)
        starts = np.append(0, np.cumsum(self._sizes[ids]))
        put(view, starts[:-1], self._bases[chunk], ">i8")
        row, at = self._times_at.of(ids)
        put(view, starts[row] + at, self._plan.start_ms + times[row] + self._time_deltas.of(ids)[1], ">i8")
        row, at = self._offsets_at.of(ids)
        rewind = np.where(self._rng.random(len(ids)) < REWOUND, REWIND, 0)
        grown = self._offset_bases.of(ids)[1] + times[row] * self._offset_rates.of(ids)[1] // 1000
        put(view, starts[row] + at, np.maximum(0, grown - rewind[row]), ">i8")
        edges: list[int] = starts.tolist()
        put(view, starts[:-1] + CRC_POSITION, np.array(checksums(data, edges)), ">u4")
        return data, edges

    def _count(self, made: Generated) -> None:
        made.batches += len(self._ids)
        for at, times in Counter(self._ids.tolist()).items():
            template = self._plan.templates[at]
            count = times * template.count
            match template.kind:
                case "offsets":
                    made.offsets += count
                    made.tombstones += times * template.tombstones
                case "groups":
                    made.groups += count
                case _:
                    made.control += count


class Ragged:
    """The numbers of each template. For a run of templates, also the position of each number in the run."""

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        self._lengths = np.array([len(row) for row in rows])
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._numbers = np.array([number for row in rows for number in row], np.int64)

    def of(self, ids: Longs) -> tuple[Longs, Longs]:
        lengths = self._lengths[ids]
        row = np.repeat(np.arange(len(ids)), lengths)
        before = np.cumsum(lengths) - lengths
        at = np.arange(lengths.sum()) - before[row] + self._starts[ids][row]
        return row, self._numbers[at]


def put(view: np.ndarray[Any, Any], places: Longs, numbers: Longs, kind: str) -> None:
    """Write each number at its position, in the byte order of kind."""
    raw = numbers.astype(kind).view(np.uint8).reshape(-1, np.dtype(kind).itemsize)
    view[places[:, None] + np.arange(raw.shape[1])] = raw


def checksums(data: bytearray, edges: Sequence[int]) -> list[int]:
    view = memoryview(data)
    return [crc32c(view[begin + CRC_START : end]) for begin, end in pairwise(edges)]


def compressed(batch: bytearray, codec: Codec) -> bytes:
    """Return the batch with compressed records. Control batches are never compressed."""
    if batch[CRC_START + 1] & CONTROL:
        return bytes(batch)
    out = batch[:HEADER_BYTES] + compress(codec, bytes(batch[HEADER_BYTES:]))
    out[8:12] = (len(out) - LOG_OVERHEAD_BYTES).to_bytes(4, "big")
    out[CRC_START + 1] |= codec
    out[CRC_POSITION:CRC_START] = crc32c(bytes(out[CRC_START:])).to_bytes(4, "big")
    return bytes(out)
