"""The check of `--bootstrap-server` that some of Kafka's tools do before anything else."""

from __future__ import annotations

from tidemark_tools.options import UsageError


def check_bootstrap(addresses: str) -> None:
    """Raise UsageError with Kafka's message, which ends in an empty line."""
    if not addresses:
        raise UsageError("Error while validating the bootstrap address\n")
    for address in addresses.split(","):
        host, _, port = address.rpartition(":")
        if not (host and port.isascii() and port.isdecimal()):
            raise UsageError("Please provide valid host:port like host1:9091,host2:9092\n ")
