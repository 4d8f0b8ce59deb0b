"""Share partitions: what Kafka's class returns, writes and keeps, operation by operation."""
