"""The facts about a watched cluster that are not in its log."""

from __future__ import annotations

from typing import cast

import pytest

from tidemark_tools.client.client import Client
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import Unreachable
from tidemark_tools.watch.cluster import broker_settings


class EmptyCluster:
    """The last responses of a broker that stops name no broker."""

    def nodes(self) -> list[BrokerEndpoint]:
        return []


def test_settings_of_a_cluster_without_brokers_cannot_be_described() -> None:
    with pytest.raises(Unreachable, match="no broker at the moment"):
        broker_settings(cast(Client, EmptyCluster()))
