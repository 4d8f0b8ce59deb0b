"""What became of committed offsets, read out of the segments of `__consumer_offsets` with Spark."""
