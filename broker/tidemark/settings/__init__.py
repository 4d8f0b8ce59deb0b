"""Definitions of all settings, sources of their values, listeners, and the releases of Kafka that `--as`
names.
"""
