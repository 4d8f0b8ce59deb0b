"""A small Kafka-compatible broker and group coordinator."""

__version__ = "0.1.0"
