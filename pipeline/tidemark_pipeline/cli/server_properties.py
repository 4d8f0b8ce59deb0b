"""The settings of a broker's server.properties that decide when offsets expire."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tidemark_pipeline.retention import CHECK_INTERVAL_MS, MINUTE_MS, SETTING, WEEK_MS
from tidemark_protocol.java_properties import read_properties

CHECK_INTERVAL: Final = "offsets.retention.check.interval.ms"
WEEK_MINUTES: Final = WEEK_MS // MINUTE_MS
INT_MAX: Final = 2**31 - 1
LONG_MAX: Final = 2**63 - 1


@dataclass(slots=True, frozen=True)
class Expiry:
    """The settings. Those that are not configured have Kafka's defaults."""

    retention_ms: int = WEEK_MS
    check_interval_ms: int = CHECK_INTERVAL_MS


def read_expiry(path: str) -> Expiry:
    """Return the settings of the file; other settings are ignored.

    Raises argparse.ArgumentTypeError if the file cannot be read or has a value that Kafka refuses.
    """
    try:
        settings = read_properties(Path(path).read_text("iso-8859-1"))  # as Java reads it
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path} cannot be read: {error.strerror}") from None
    try:
        return Expiry(
            _number(settings, SETTING, WEEK_MINUTES, INT_MAX) * MINUTE_MS,
            _number(settings, CHECK_INTERVAL, CHECK_INTERVAL_MS, LONG_MAX),
        )
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{path}: {error}") from None


def _number(settings: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = settings.get(name, str(default)).strip()
    number = int(text) if re.fullmatch(r"[+-]?\d{1,19}", text, re.ASCII) else 0
    if not 1 <= number <= most:
        raise ValueError(f"{name} must be a whole number from 1 to {most}, got {text!r}")
    return number
