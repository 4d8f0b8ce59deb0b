"""A data directory that Apache Kafka 4.4.0 wrote, with what Kafka answered after a restart on a copy of it.

`KAFKA_VERSION=4.4.0 python -m tests.kafkas_newest_directory` writes it again, with Java.
"""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.broker_process import two_free_ports
from tests.kafka_oracle import KAFKA_VERSION, NEWEST, KafkaNode
from tests.pipeline import kafka_story
from tests.pipeline.kafka_story import Committed
from tests.wire import Connection
from tidemark_protocol.messages.list_groups import ListGroupsRequest

GOLDEN: Final = Path(__file__).parent / "golden" / "kafka-4.4.0"
SETTINGS: Final = {
    "log.index.size.max.bytes": "96",
    # No member may time out on a slow machine, because that would add records.
    "group.consumer.max.session.timeout.ms": "1800000",
    "group.consumer.session.timeout.ms": "1800000",
}
LEFT: Final = "left-consumers"


def unpacked(place: Path) -> Path:
    """Return a copy of the directory below this place."""
    with tarfile.open(GOLDEN / "data.tar.gz") as archive:
        # Python has filters from 3.11.4 on, and warns from 3.12 on if none is given.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(place)
    return place / "data"


def groups() -> dict[str, list[str]]:
    """Return type, protocol type and state of each group."""
    found: dict[str, list[str]] = json.loads((GOLDEN / "told.json").read_text())["groups"]
    return found


def committed() -> Committed:
    """Return every committed offset."""
    rows = json.loads((GOLDEN / "told.json").read_text())["committed"]
    return {(group, topic, partition): (offset, epoch, metadata)
            for group, topic, partition, offset, epoch, metadata in rows}  # fmt: skip


def _tell(kafka: Connection) -> None:
    kafka_story.tell(kafka, consumers=True)
    kafka_story.join_consumer(kafka, LEFT)
    leave = kafka_story.ConsumerGroupHeartbeatRequest(LEFT, kafka_story.MEMBER_ID, -1)
    assert kafka.ask("ConsumerGroupHeartbeat", 0, leave).error_code == 0
    kafka_story.commit(kafka, LEFT, {2: 22})


def _told(kafka: Connection) -> dict[str, Any]:
    found: Committed = {}
    for group in (*kafka_story.GROUPS, LEFT):
        found |= kafka_story.committed_of(kafka, group)
    listed = kafka.ask("ListGroups", 5, ListGroupsRequest()).groups
    return {
        "groups": {each.group_id: [each.group_type, each.protocol_type, each.group_state]
                   for each in sorted(listed, key=lambda each: each.group_id)},
        "committed": [[*place, *offset] for place, offset in sorted(found.items())],
    }  # fmt: skip


def main() -> int:
    if KAFKA_VERSION != NEWEST:
        print(f"set KAFKA_VERSION={NEWEST}", file=sys.stderr)
        return 2
    GOLDEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        node = KafkaNode(Path(folder), two_free_ports(), SETTINGS)
        for step in (_tell, _told):
            node.start()
            try:
                with Connection(node.bootstrap) as kafka:
                    told = step(kafka)
            finally:
                node.stop()
            if step is _tell:
                with tarfile.open(GOLDEN / "data.tar.gz", "w:gz") as archive:
                    archive.add(node.data_dir, "data", filter=_without_owner)
    lines = {name: ",\n  ".join(map(json.dumps, rows)) for name, rows in told.items() if name == "committed"}
    groups = ",\n  ".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in told["groups"].items())
    text = f'{{\n "groups": {{\n  {groups}\n }},\n "committed": [\n  {lines["committed"]}\n ]\n}}\n'
    (GOLDEN / "told.json").write_text(text)
    return 0


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    sys.exit(main())
