"""Offsets, groups and expiry in each release of Kafka since 3.9: docs/upgrading-kafka.md."""
