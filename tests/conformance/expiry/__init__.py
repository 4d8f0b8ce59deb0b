"""Offsets that must expire in Apache Kafka and in tidemark in the same minute. See stories.py."""
