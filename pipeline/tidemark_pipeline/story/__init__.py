"""The story of committed offsets, told from the records of a log, without Spark."""
