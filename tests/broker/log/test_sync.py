"""Syncs of one log that several threads ask for at once: the flusher, a produce request, a scheduled task."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.broker.log.builders import a_batch, a_log
from tidemark.log.storage import FileStorage


def test_syncs_of_one_log_do_not_get_into_each_others_way(tmp_path: Path) -> None:
    log = a_log(FileStorage(tmp_path))
    with ThreadPoolExecutor(4) as threads:
        for _ in range(30):
            for _ in range(4):
                log.append(a_batch(b"v" * 200), leader_epoch=0, now_ms=0)
                log.roll(0)
            ends = [future.result() for future in [threads.submit(log.sync) for _ in range(4)]]
            assert ends == [log.log_end_offset] * 4
            log.mark_synced(ends[0])
    log.close()
