"""Opens a consumer of a group from properties with Kafka's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tidemark_tools.client.client import Client
from tidemark_tools.client.consumer import Consumer, Topics
from tidemark_tools.client.fetching import Fetcher
from tidemark_tools.console.consumer_settings import (
    DEFAULTS,
    consumer_settings,
    fetch_settings,
    group_settings,
    uses_consumer_protocol,
)

OWN_DEFAULTS: Final = {"isolation.level": "read_uncommitted", "auto.offset.reset": "latest"}


def opened(
    client: Client,
    properties: Mapping[str, str],
    *,
    topic: str | None = None,
    include: str | None = None,
    idle_ms: int | None = None,
) -> Consumer:
    """Return a consumer of a topic or of the topics that match. Raises InvalidProperty for wrong settings.

    idle_ms: it raises NoRecord if no record arrives for this time.
    """
    given = {**DEFAULTS, **OWN_DEFAULTS, **properties}
    settings = consumer_settings(given, idle_ms)
    group, fetching = group_settings(given), fetch_settings(given)
    topics = Topics(client, topic, include, create=settings.allow_auto_create)
    if uses_consumer_protocol(given):
        from tidemark_tools.client.heartbeats import ConsumerMembership

        membership = ConsumerMembership(client, group, topics.names, topics.names_of)
        return Consumer(client, Fetcher(client, fetching), topics, settings, membership, managed=True)
    from tidemark_tools.client.membership import Membership

    classic = Membership(client, group, topics.names, topics.counts)
    return Consumer(client, Fetcher(client, fetching), topics, settings, classic, managed=True)
