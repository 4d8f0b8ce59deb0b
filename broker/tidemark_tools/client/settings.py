"""The settings of a client: a properties file, and the few that every tool reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tidemark_tools.client.errors import CannotRead, ClientError

TIMEOUT_MS: Final = 60_000  # Kafka's default.api.timeout.ms


def client_settings(path: str | None) -> dict[str, str]:
    """Return the settings in a `--command-config` file; no file means no settings.

    Raises CannotRead. `Client` checks the settings.
    """
    if path is None:
        return {}
    from tidemark_protocol.java_properties import read_properties

    return read_properties(read_text(path))


def read_text(path: str) -> str:
    """Return the text of a file that an option names. Raises CannotRead."""
    from pathlib import Path

    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise CannotRead(path, error.strerror or str(error), missing=missing) from None
    except UnicodeDecodeError:
        raise CannotRead(path, "it is not UTF-8") from None


def default_timeout_ms(settings: Mapping[str, str]) -> int:
    text = settings.get("default.api.timeout.ms", str(TIMEOUT_MS)).strip()
    if not (text.isascii() and text.isdecimal()):
        raise ClientError(f"default.api.timeout.ms must be a number of milliseconds, got {text!r}")
    return int(text)
