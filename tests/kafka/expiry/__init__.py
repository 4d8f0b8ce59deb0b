"""Offsets that expire in Apache Kafka and in tidemark in the same minute. stories.py tells what of."""
