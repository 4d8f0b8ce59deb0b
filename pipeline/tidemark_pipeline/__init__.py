"""Reading the segment log with Spark: still to come."""
