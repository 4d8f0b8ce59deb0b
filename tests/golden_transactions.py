"""Logs with transactions that Apache Kafka 4.3.1 wrote (golden/transactions), opened by tidemark."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Final

from tidemark.log.load import LogLocation, Start
from tidemark.log.partition import PartitionLog
from tidemark.log.segment import SegmentCache
from tidemark.log.settings import LogSettings
from tidemark.log.storage import FileStorage
from tidemark_protocol.checkpoints import decode_partition_metadata

GOLDEN: Final = Path(__file__).parent / "golden" / "transactions"
SETTINGS: Final = LogSettings(segment_bytes=1500, index_interval_bytes=200)


def unpacked(place: Path) -> Path:
    """Return the directory of the states, in a copy below this place."""
    with tarfile.open(GOLDEN / "data.tar.gz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(place)
    return place


def opened(
    root: Path, partition: str, *, clean: bool = True, settings: LogSettings = SETTINGS
) -> PartitionLog:
    """Open a partition whose directory is root/partition. It was stopped cleanly, or killed."""
    topic, _, index = partition.rpartition("-")
    location = LogLocation(FileStorage(root), SegmentCache(100), partition, topic, int(index))
    topic_id = decode_partition_metadata((root / partition / "partition.metadata").read_bytes())
    return PartitionLog(location, topic_id, settings, Start(clean=clean))
