"""Kafka's own command line tools against us: what they print, held against what they print of Kafka."""
