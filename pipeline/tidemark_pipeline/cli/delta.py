"""Write Delta tables with Delta Lake's sink for Spark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def replace(table: DataFrame, out: str, facts: Mapping[str, object]) -> None:
    """Replace the table at this URL in one commit, or create it. Earlier versions stay readable.

    The facts are the `userMetadata` of the commit, as DESCRIBE HISTORY shows it.
    """
    writer: Any = table.write.format("delta").mode("overwrite")
    said = json.dumps(facts, ensure_ascii=False)
    writer.option("overwriteSchema", "true").option("userMetadata", said).save(out)


def newest_batch(out: Path) -> tuple[str, int] | None:
    """Return the query and the micro-batch that a local table has recorded last. Needs no Spark.

    None: no commit that Delta has kept as JSON was a micro-batch.
    """
    for commit in sorted((out / "_delta_log").glob("[0-9]*.json"), reverse=True):
        for action in _actions(commit):
            if "txn" in action:
                return action["txn"]["appId"], int(action["txn"]["version"])
    return None


def _actions(commit: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in commit.read_text("utf-8").splitlines() if line)
