"""Compares what clients with each single permission, and without each, may do on Kafka and on tidemark."""
