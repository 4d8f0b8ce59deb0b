"""Read and write with Spark: streaming_with_spark.py BOOTSTRAP JARS CHECKPOINT. Prints facts as JSON.

From the topic "words", which has two records with a header, to "counts".
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

bootstrap, jars, checkpoint = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.jars", jars)
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    .getOrCreate()
)
TO = {"kafka.bootstrap.servers": bootstrap}
HEADERS = F.array(F.struct(F.lit("origin").alias("key"), F.lit(b"spark").alias("value")))


def write(*words: str) -> None:
    frame = spark.createDataFrame([(word, word) for word in words], "key string, value string")
    frame.withColumn("headers", HEADERS).write.format("kafka").options(**TO).option("topic", "words").save()


def read(topic: str, **options: str) -> list[str]:
    frame = spark.read.format("kafka").options(**TO, subscribe=topic, **options).load()
    return [row.value.decode() for row in values(frame).collect()]


def values(frame: DataFrame) -> DataFrame:
    return frame.orderBy("partition", "offset").select("value")


def stream() -> None:
    """Copy in capital letters what is new since the checkpoint."""
    source = (
        spark.readStream.format("kafka").options(**TO, subscribe="words", startingOffsets="earliest").load()
    )
    upper = source.select("key", F.upper(source.value.cast("string")).alias("value"))
    sink = upper.writeStream.format("kafka").options(**TO, topic="counts", checkpointLocation=checkpoint)
    sink.trigger(availableNow=True).start().awaitTermination()


write("ebb", "flow")
with_headers = spark.read.format("kafka").options(**TO, subscribe="words", includeHeaders="true").load()
facts: dict[str, Any] = {
    "version": spark.version,
    "headers": [[[each.key, each.value.decode()] for each in row.headers] for row in with_headers.collect()],
    "from offset": read("words", startingOffsets='{"words": {"0": 1}}'),
    "until offset": read("words", endingOffsets='{"words": {"0": 1}}'),
    "from timestamp": read("words", startingTimestamp="1"),
}
stream()
write("neap")
stream()
facts["copied"] = read("counts")
print(json.dumps(facts))
