"""The settings of a producer for a load, from properties with Kafka's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tidemark_tools.client.producer import ProducerSettings
from tidemark_tools.console.console_producer import ACKS, CODECS
from tidemark_tools.console.properties import InvalidProperty, number_of

# Kafka's defaults. Our producer repeats a batch only after an error that the broker returned.
DEFAULTS: Final = {
    "acks": "all",
    "compression.type": "none",
    "batch.size": "16384",
    "request.timeout.ms": "30000",
    "retries": "10",
    "max.block.ms": "60000",
}


def producer_settings(properties: Mapping[str, str]) -> ProducerSettings:
    """Return the settings. Raises InvalidProperty."""
    given = {**DEFAULTS, **properties}
    for name, allowed in (("acks", ACKS), ("compression.type", CODECS)):
        if given[name] not in allowed:
            raise InvalidProperty(
                f"Invalid value {given[name]} for configuration {name}: String must be one of: "
                f"{', '.join(allowed)}"
            )
    return ProducerSettings(
        ACKS[given["acks"]],
        CODECS[given["compression.type"]],
        number_of(given, "batch.size", "INT"),
        number_of(given, "request.timeout.ms", "INT"),
        number_of(given, "retries", "INT"),
        number_of(given, "max.block.ms", "LONG"),
    )
