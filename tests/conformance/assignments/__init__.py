"""Assignments, hashes and regular expressions of Kafka's group coordinator, recorded from its own classes."""
