"""Record what releases of Kafka do in each story: `python -m tests.conformance.upgrades.record`. Needs Java.

KAFKA_VERSION chooses the release, whose facts replace those of the same release in recorded.json. A recording
takes two minutes.
"""

from __future__ import annotations

import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tests.broker_process import two_free_ports
from tests.conformance.case import Broker, Talk
from tests.conformance.upgrades.stories import SETTINGS, STORIES, Facts, played
from tests.kafka_oracle import KAFKA_VERSION, KafkaNode

FILE: Final = Path(__file__).with_name("recorded.json")


def recorded() -> dict[str, dict[str, Facts]]:
    """Return the facts by story and by version of Kafka."""
    found: dict[str, dict[str, Facts]] = json.loads(FILE.read_text())
    return found


def facts_of(name: str, broker: Broker) -> Facts:
    """Play a story on a broker."""
    talk = Talk(broker, name)
    try:
        return played(talk, STORIES[name])
    finally:
        talk.hang_up()


def main() -> int:
    settings = dict(SETTINGS)
    if KAFKA_VERSION < "4.1":  # which would refuse a setting that it does not know
        settings.pop("group.streams.initial.rebalance.delay.ms")
    with tempfile.TemporaryDirectory(prefix="record-") as folder:
        node = KafkaNode(Path(folder), two_free_ports(), settings)
        node.start()
        try:
            broker = Broker(node.bootstrap)
            with ThreadPoolExecutor(len(STORIES)) as pool:
                found = dict(
                    zip(STORIES, pool.map(lambda name: facts_of(name, broker), STORIES), strict=True)
                )
        finally:
            node.stop()
    before = recorded() if FILE.exists() else {}
    together = {}
    for name in STORIES:
        by_version = {**before.get(name, {}), KAFKA_VERSION: found[name]}
        together[name] = {version: by_version[version] for version in sorted(by_version)}
    stories = (
        f"{json.dumps(name)}: {{\n  "
        + ",\n  ".join(f"{json.dumps(version)}: {json.dumps(facts)}" for version, facts in versions.items())
        + "\n }"
        for name, versions in together.items()
    )
    FILE.write_text("{\n " + ",\n ".join(stories) + "\n}\n")
    print(f"recorded {len(found)} stories on Kafka {KAFKA_VERSION} in {FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
