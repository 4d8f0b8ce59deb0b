"""Record what Kafka stores on disk after each story.

Run it as `python -m tests.conformance.disk.record [--only TEXT] [--ours]`.

KAFKA_VERSION=4.4.0 records the stories that differ from the usual release. Its kafka-dump-log cannot be had,
so the output of this tool is recorded of the usual release only.

With --only, only the stories whose name contains the text are recorded. With --ours nothing is recorded: the
stories run on tidemark, and the differences are printed.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from tests.broker_process import BrokerProcess, OracleBroker, two_free_ports
from tests.conformance.by_release import changed, write_changed
from tests.conformance.case import Broker, Talk
from tests.conformance.disk.consumer_stories import CONSUMER_STORIES
from tests.conformance.disk.reading import Directory
from tests.conformance.disk.share_stories import SHARE_STORIES
from tests.conformance.disk.stories import STORIES as OTHER_STORIES
from tests.conformance.disk.stories import Story
from tests.conformance.disk.streams_stories import STREAMS_STORIES
from tests.conformance.disk.transaction_stories import TRANSACTION_STORIES
from tests.kafka_oracle import KAFKA_VERSION, USUAL

STORIES: Final = {
    **OTHER_STORIES,
    **CONSUMER_STORIES,
    **TRANSACTION_STORIES,
    **SHARE_STORIES,
    **STREAMS_STORIES,
}
FOLDER: Final = Path(__file__).parent
FILE: Final = FOLDER / "recorded.json"
DUMPS: Final = FOLDER / "recorded_dumps.json"
SHOWN_LINES_MAX: Final = 60  # of the difference in one story

# Settings of both brokers. kafka_oracle.NODE_SETTINGS contains some of them already.
SETTINGS: Final = {
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
}

CLUSTER: Final = "of the cluster as such"  # listed with the stories
Traces = dict[str, Any]


def by_settings(stories: Iterable[Story]) -> list[tuple[dict[str, str], list[Story]]]:
    """Group the stories that can share a broker, with its settings."""
    together: dict[tuple[tuple[str, str], ...], list[Story]] = {}
    for each in stories:
        together.setdefault(tuple(sorted(each.settings.items())), []).append(each)
    return [({**SETTINGS, **dict(settings)}, found) for settings, found in sorted(together.items())]


def tell(stories: list[Story], broker: BrokerProcess | OracleBroker) -> Directory:
    """Run the stories one after the other, restart the broker, and return its logs.

    The restart must not add records to the stories.
    """
    broker.start()
    try:
        for each in stories:
            talk = Talk(Broker(broker.bootstrap), each.name)
            try:
                each.run(talk)
            finally:
                talk.hang_up()
        broker.stop()
        broker.start()
    finally:
        broker.stop()
    return Directory(broker.data_dir)


def of_kafka(stories: list[Story], port: int | None) -> tuple[Traces, Traces]:
    """Return what Kafka stores, decoded by us, and for the usual release also dumped by its own tool."""
    traces: Traces = {}
    dumps: Traces = {}
    for settings, together in by_settings(stories):
        with tempfile.TemporaryDirectory(prefix="record-") as folder:
            found = tell(together, OracleBroker(Path(folder), port or two_free_ports(), settings))
            traces |= {each.name: found.trace(each.name) for each in together}
            if len(stories) == len(STORIES) and settings == SETTINGS:
                traces[CLUSTER] = found.of_no_story(STORIES)
            if KAFKA_VERSION == USUAL:
                dumps |= {each.name: found.dumped(each.name) for each in together}
    return traces, dumps


def of_ours(profile: str, folder: Path) -> dict[str, Directory]:
    """Return what tidemark stores, by story. profile: the value of `tidemark.as`."""
    found: dict[str, Directory] = {}
    for number, (settings, together) in enumerate(by_settings(STORIES.values())):
        broker = BrokerProcess(folder / f"broker{number}", {**settings, "tidemark.as": profile})
        found |= dict.fromkeys((each.name for each in together), tell(together, broker))
    return found


def read(path: Path) -> Traces:
    """Return what is recorded of the usual release in this file."""
    found: Traces = json.loads(path.read_text()) if path.exists() else {}
    return found


def traces_of(version: str) -> Traces:
    """Return the recorded traces of this version of Kafka."""
    return read(FILE) | {name: story.responses for name, story in changed(FOLDER, version).items()}


def write(path: Path, traces: Traces) -> None:
    """Write a line for each record, so that diffs are readable."""
    path.write_text(_text(traces) + "\n")


def _text(value: Any, depth: int = 0) -> str:
    """Return JSON that has line breaks down to the level of records."""
    inner = " " * (depth + 1)
    if isinstance(value, dict) and depth < 3 and not any(" v" in name for name in value):
        lines = [f"{inner}{json.dumps(name)}: {_text(item, depth + 1)}" for name, item in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}" if lines else "{}"
    if isinstance(value, list) and value and depth < 6:
        return "[\n" + ",\n".join(inner + _text(item, depth + 1) for item in value) + "\n" + " " * depth + "]"
    return json.dumps(value, ensure_ascii=False)


def show_ours() -> None:
    """Print where tidemark differs from the recorded traces."""
    differ = 0
    recorded, dumps = read(FILE), read(DUMPS)
    with tempfile.TemporaryDirectory(prefix="record-") as folder:
        for name, directory in of_ours("4.3", Path(folder)).items():
            pairs = (recorded.get(name), directory.trace(name)), (dumps.get(name), directory.dumped(name))
            cluster = recorded.get(CLUSTER), directory.of_no_story(STORIES)
            for theirs, here in (*pairs, cluster)[: 3 if name == next(iter(STORIES)) else 2]:
                diff = list(difflib.unified_diff(_text(theirs).splitlines(), _text(here).splitlines(),
                                                 "kafka", "ours", lineterm="", n=1))  # fmt: skip
                differ += bool(diff)
                if diff:
                    print("\n".join([f"== {name}", *diff[:SHOWN_LINES_MAX]]))
    print(f"{differ} differences")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.disk.record", description=__doc__)
    parser.add_argument("--port", type=int, help="port of Kafka's broker; the controller uses the next one")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="record only the stories whose name contains TEXT"
    )
    parser.add_argument("--ours", action="store_true", help="run tidemark and show the differences")
    arguments = parser.parse_args()
    if arguments.ours:
        show_ours()
        return 0
    before = traces_of(KAFKA_VERSION)
    found, dumps = of_kafka([s for s in STORIES.values() if arguments.only in s.name], arguments.port)
    traces = json.loads(json.dumps(found))
    known = {*STORIES, CLUSTER}
    if KAFKA_VERSION == USUAL:
        write(FILE, {name: told for name, told in {**before, **traces}.items() if name in known})
        write(DUMPS, {name: told for name, told in {**read(DUMPS), **dumps}.items() if name in known})
    else:
        write_changed(FOLDER, read(FILE), traces, _text)
    different = sorted(name for name, told in traces.items() if before.get(name) != told)
    print(f"recorded in {FOLDER}, {len(different)} stories new or changed")
    for name in different:
        print(f"  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
