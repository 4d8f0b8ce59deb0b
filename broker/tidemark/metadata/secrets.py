"""Settings that hold secrets."""

from __future__ import annotations

from typing import Final

from tidemark.metadata.broker_settings import DYNAMIC, broker_setting_of, without_listener
from tidemark.metadata.resource_settings import CLIENT_METRICS_SETTINGS, GROUP_SETTINGS
from tidemark.settings.broker import BROKER_SETTINGS
from tidemark.settings.setting import Kind
from tidemark.settings.topic import TOPIC_SETTINGS

_LISTENER: Final = "listener.name."


def may_show(name: str) -> bool:
    """Return whether the value of a setting may be shown. The type of its resource does not matter.

    A name that is not known may be that of a plugin, and Kafka treats its value as a secret.
    """
    if name in TOPIC_SETTINGS or name in GROUP_SETTINGS or name in CLIENT_METRICS_SETTINGS:
        return True
    plain = without_listener(name) if name.startswith(_LISTENER) else name
    known = plain in DYNAMIC or plain in BROKER_SETTINGS
    return known and broker_setting_of(plain).kind not in (Kind.PASSWORD, Kind.UNKNOWN)
