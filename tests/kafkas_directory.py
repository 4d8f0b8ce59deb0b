"""A data directory that Apache Kafka 4.3.1 wrote. GOLDEN also has the output of Kafka's tools for it."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Final

GOLDEN: Final = Path(__file__).parent / "golden" / "kafka-4.3.1"


def unpacked(place: Path) -> Path:
    """Return a copy of the directory below this place."""
    with tarfile.open(GOLDEN / "data.tar.gz") as archive:
        # Python has filters from 3.11.4 on, and warns from 3.12 on if none is given.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(place)
    return place / "data"
