"""The fixture's files match `truth()`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import dump, metadata_dump, truth


def test_the_directory_and_the_dump_belong_together(tmp_path: Path) -> None:
    sizes: Counter[str] = Counter()
    for batch in {(line["partition"], line["segment"], line["position"], line["size"]) for line in dump()}:
        sizes[f"__consumer_offsets-{batch[0]}/{batch[1]:020}.log"] += batch[3]
    directory = unpacked(tmp_path)
    found = {str(path.relative_to(directory)): path for path in directory.glob("__consumer_offsets-*/*.log")}
    assert {name: path.stat().st_size for name, path in found.items() if path.stat().st_size} == sizes


def test_the_metadata_dump_covers_the_logs_that_it_names() -> None:
    assert {line["log"] for line in metadata_dump()} >= {"__cluster_metadata", "__transaction_state"}
    assert (
        truth()["offsetFetch"] if "offsetFetch" in truth() else truth()["afterRestartOnCopy"]["offsetFetch"]
    )
