"""The data directory that Apache Kafka 4.3.1 wrote. Beside it in GOLDEN lies what Kafka's tools say of it."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Final

GOLDEN: Final = Path(__file__).parent / "golden" / "kafka-4.3.1"


def unpacked(place: Path) -> Path:
    """The directory, a copy of one's own under place."""
    with tarfile.open(GOLDEN / "data.tar.gz") as archive:
        # Python 3.11 has filters from 3.11.4 on, and from 3.12 on it warns where none is named.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(place)
    return place / "data"
