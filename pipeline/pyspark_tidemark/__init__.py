"""By this package Spark finds `format("tidemark")` without being told: it looks for `pyspark_*`."""
