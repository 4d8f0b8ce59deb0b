from __future__ import annotations

import gc

from tidemark.metrics import Metrics
from tidemark.node.environment import PauseWatch


def test_a_collection_is_measured_from_start_to_stop() -> None:
    times_ns = iter((1_000_000, 4_000_000))
    metrics = Metrics()
    watch = PauseWatch(metrics, lambda: next(times_ns))
    watch.collected("start", {})
    watch.collected("stop", {})
    assert sum(metrics.gc_pause.counts) == 1
    assert metrics.gc_pause.total == 0.003


def test_collections_are_measured_until_the_watch_stops() -> None:
    now_ns, metrics = 0, Metrics()

    def tick() -> int:
        nonlocal now_ns
        now_ns += 1000
        return now_ns

    watch = PauseWatch(metrics, tick)
    watch.start()
    gc.collect()
    watch.stop()
    seen = sum(metrics.gc_pause.counts)
    gc.collect()
    assert seen >= 1
    assert sum(metrics.gc_pause.counts) == seen
    watch.stop()  # a second time changes nothing
