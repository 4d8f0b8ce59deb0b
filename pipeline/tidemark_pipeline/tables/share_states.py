"""share_states and share_archived: the states of share partitions over time (KIP-932).

The state after an update depends on all records before it, so the records of a share partition are replayed
in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import ArrayType, StructType

from tidemark_pipeline.schemas import SHARE_STATE
from tidemark_pipeline.story.share_states import DELIVERY_LIMIT, archived_over_time, states_over_time
from tidemark_pipeline.tables.columns import SHARE_ARCHIVED, SHARE_STATES, Columns, ddl, names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Replay = Callable[[Iterable[Mapping[str, Any]]], Iterator[Mapping[str, Any]]]

OF_PARTITION: Final = ("log_partition", "group", "topic_id", "partition")


def share_states(records: DataFrame) -> DataFrame:
    """Return the state after each record of a share partition.

    records: the source's table `share_state`. In a log that was pruned, a share partition begins with a
    snapshot.
    """
    return _replayed(records, states_over_time, SHARE_STATES)


def share_archived(records: DataFrame, *, delivery_limit: int = DELIVERY_LIMIT) -> DataFrame:
    """Return the records of topics that share groups have archived, as ranges of offsets.

    records: as for `share_states`. delivery_limit: share.delivery.count.limit of the groups.
    """
    return _replayed(records, partial(archived_over_time, delivery_limit=delivery_limit), SHARE_ARCHIVED)


def _replayed(records: DataFrame, replay: Replay, columns: Columns) -> DataFrame:
    row = StructType.fromDDL(ddl(columns))
    whole = F.struct("log_offset", *(name for name in SHARE_STATE.names if name != "log_offset"))
    of_partition = records.groupBy(*OF_PARTITION).agg(F.array_sort(F.collect_list(whole)).alias("records"))
    kind, wanted = ArrayType(row), names(columns)
    arrow_kind = to_arrow_type(kind)

    def states(records: pa.Array) -> pa.Array:
        found = (
            [{name: each.get(name) for name in wanted} for each in replay(one)] for one in records.to_pylist()
        )
        return pa.array(found, arrow_kind)

    replayed = F.arrow_udf(states, kind)
    return of_partition.select(F.explode(replayed("records")).alias("row")).select("row.*")
