"""`python streaming_child.py DIRECTORY OUT CHECKPOINT`: run a streaming query until it is killed."""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession

from tidemark_pipeline import register
from tidemark_pipeline.cli.session import BRIEF_JAVA

directory, out, checkpoint = sys.argv[1:]
os.environ["PYSPARK_PYTHON"] = sys.executable
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.memory", "512m")
    .config("spark.driver.extraJavaOptions", BRIEF_JAVA)
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
register(spark)
rows = spark.readStream.format("tidemark").option("maxOffsetsPerTrigger", 100).load(directory)
query = rows.writeStream.option("checkpointLocation", checkpoint).start(out)
query.awaitTermination()
