"""Brokers, partitions, and the addresses that an option names."""

from __future__ import annotations

from typing import NamedTuple

from tidemark_tools.client.errors import BadAddress


class BrokerEndpoint(NamedTuple):
    """The address of a broker. node_id is -1 until Metadata has returned it.

    Kafka: Node, BrokerEndPoint.
    """

    node_id: int
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class TopicPartition(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class ListedOffset(NamedTuple):
    """The result of ListOffsets for one partition. offset and timestamp are -1 if there is none."""

    offset: int
    timestamp: int
    leader_epoch: int
    error_code: int


def addresses(bootstrap: str) -> list[BrokerEndpoint]:
    """Parse a `--bootstrap-server`: host:port, separated by commas. Raises BadAddress."""
    return [_address(part.strip()) for part in bootstrap.split(",") if part.strip()]


def _address(text: str) -> BrokerEndpoint:
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isascii() and port.isdecimal() and int(port) <= 65535):
        raise BadAddress(f"Invalid url in bootstrap.servers: {text}")
    return BrokerEndpoint(-1, host.removeprefix("[").removesuffix("]"), int(port))
