"""The notebook runs. Its outputs are those of the file, its numbers are Kafka's, its plots are not empty."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import pytest

from tests.clientenv import client_python
from tests.ecosystem.notebook import NOTEBOOK, executed, written
from tests.kafkas_directory import GOLDEN
from tests.pipeline.kafka_fixture import dump, truth

pytestmark = [pytest.mark.ecosystem, pytest.mark.java, pytest.mark.timeout(1000)]

BYTES_MAX: Final = 300_000
PLOTS: Final = 4
# In the notebook's environment: the share of pixels that are coloured, neither white nor black nor grey.
COLOURED: Final = """
import sys
from matplotlib.image import imread
for path in sys.argv[1:]:
    pixels = imread(path)[..., :3]
    print((pixels.max(axis=2) - pixels.min(axis=2) > 0.2).mean())
"""
COLOURED_MIN: Final = 0.003  # the thinnest plot has two lines


@pytest.fixture(scope="module")
def ran() -> dict[str, Any]:
    pytest.importorskip("pyspark")
    return executed()


def texts(notebook: dict[str, Any]) -> list[str]:
    """Return the text of each output of each cell."""
    return [
        "".join(each["text"] if "text" in each else each["data"]["text/plain"])
        for cell in notebook["cells"]
        for each in cell.get("outputs", ())
    ]


def plots(notebook: dict[str, Any]) -> list[bytes]:
    return [
        base64.b64decode(each["data"]["image/png"])
        for cell in notebook["cells"]
        for each in cell.get("outputs", ())
        if "image/png" in each.get("data", {})
    ]


def test_the_outputs_are_those_of_the_file(ran: dict[str, Any]) -> None:
    text = NOTEBOOK.read_text("utf-8")
    shown = json.loads(text)
    assert len(text) < BYTES_MAX
    assert text == written(shown)
    assert texts(ran) == texts(shown)
    assert len(plots(ran)) == len(plots(shown)) == PLOTS


def test_the_numbers_are_kafkas(ran: dict[str, Any]) -> None:
    said = "\n".join(texts(ran))
    committed = {
        (group, row["topic"], row["partition"]): row["offset"]
        for group, answer in truth()["afterRestartOnCopy"]["offsetFetch"].items()
        for row in answer["offsets"]
    }
    groups = {group for group, _, _ in committed}
    assert f"{len(committed)} committed offsets of {len(groups)} groups\n" in said
    records = [line for line in dump() if line["log"] == "__consumer_offsets" and "offset" in line]
    assert f"{len(records)} records in " in said
    removed = [line for line in records if line.get("keyVersion") in (0, 1) and line["value"] is None]
    assert f"{len(removed)} committed offsets were removed\n" in said
    behind = lag(committed)
    shown = re.findall(r"^(\S+) +(\d+)$", texts(ran)[-1], re.MULTILINE)
    assert [(group, int(number)) for group, number in shown] == [
        (group, behind[group]) for group in sorted(behind, key=behind.__getitem__, reverse=True)[:3]
    ]


def lag(committed: dict[tuple[str, str, int], int]) -> dict[str, int]:
    """Return the lag of each group by the offsets of the topics that Kafka reported."""
    topics = json.loads((GOLDEN / "topics.json").read_text())["topics"]
    ends = {
        (name, each["partition"]): (each["logStartOffset"], each["logEndOffset"])
        for name, topic in topics.items()
        for each in topic["partitions"]
    }
    behind: defaultdict[str, int] = defaultdict(int)
    for (group, topic, partition), offset in committed.items():
        start, end = ends.get((topic, partition), (0, 0))
        behind[group] += max(0, end - max(offset, start))
    return behind


def test_the_plots_show_something(ran: dict[str, Any], tmp_path: Path) -> None:
    files = []
    for number, plot in enumerate(plots(ran)):
        files.append(str(tmp_path / f"{number}.png"))
        Path(files[-1]).write_bytes(plot)
    command = [str(client_python("notebook")), "-c", COLOURED, *files]
    coloured = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert len(coloured) == PLOTS
    assert all(float(share) > COLOURED_MIN for share in coloured), coloured
