"""Record the bytes of the messages that Kafka 4.4 added into golden/4.4/vectors.jsonl.

Run it as `python -m tests.unit.protocol.record_vectors`. It needs Java. Kafka's own classes of 4.4.0 write
messages that `drawn` draws. The vectors of all other messages are from 4.3.1.
"""

from __future__ import annotations

import base64
import json
import subprocess
import uuid
from pathlib import Path
from typing import Any, Final

from tests import kafka_oracle
from tests.kafka_oracle import NEWEST
from tests.unit.protocol.any_message import MESSAGES, drawn
from tests.unit.protocol.golden import NEW_VECTORS
from tests.unit.protocol.not_in_kafka import NEW_IN_4_4
from tidemark_protocol.generator.schema import Field, Struct

WRITER: Final = Path(__file__).parent / "java" / "WriteMessages.java"
EACH: Final = 4
# Our schemas keep the name of 4.3.1.
OTHER_NAMES: Final = {"GenerationId": "GenerationIdOrMemberEpoch"}


def main() -> None:
    lines: list[dict[str, Any]] = [
        {"message": name, "version": version, "case": f"drawn {number}", "value": value}
        for name, version in sorted(NEW_IN_4_4)
        for number, value in enumerate(drawn(name, version, EACH), 1)
    ]
    given = [{**line, "value": _of_kafka(MESSAGES[line["message"]].struct, line["value"])} for line in lines]
    written = subprocess.run(
        kafka_oracle.java(str(WRITER), version=NEWEST),
        input="".join(f"{json.dumps(line)}\n" for line in given),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    with NEW_VECTORS.open("w", encoding="utf-8") as file:
        for line, data in zip(lines, written, strict=True):
            ordered = {**line, "hex": data, "value": line["value"]}
            file.write(json.dumps(ordered, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(f"{len(lines)} vectors in {NEW_VECTORS}")


def _of_kafka(struct: Struct, value: dict[str, Any]) -> dict[str, Any]:
    """Return the value in the form that Kafka's JSON converters read."""
    fields = {field.name: field for field in struct.fields}
    return {
        name[0].lower() + name[1:]: _item(fields[given], item)
        for given, item in value.items()
        for name in (OTHER_NAMES.get(given, given),)
    }


def _item(field: Field, value: Any) -> Any:
    if isinstance(value, list):
        return [_item(field, each) for each in value]
    if value is None or (field.kind not in ("uuid", "bytes") and field.struct is None):
        return value
    if field.struct is not None:
        return _of_kafka(field.struct, value)
    if field.kind == "uuid":
        return base64.urlsafe_b64encode(uuid.UUID(value).bytes).decode().rstrip("=")
    return base64.b64encode(bytes.fromhex(value)).decode()


if __name__ == "__main__":
    main()
