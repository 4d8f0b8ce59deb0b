"""How to reach a running cluster, and what the exceptions of Kafka's client mean. Needs no Spark."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from tidemark_pipeline.model import PipelineError

GROUP_PREFIX: Final = "tidemark-pipeline"  # of Spark's consumers, for an ACL; none of them commits
CONNECT_S: Final = 5.0
# Kafka's own are 60 s. A file with settings may set others.
DEFAULTS: Final = {"default.api.timeout.ms": "20000", "request.timeout.ms": "15000"}
# Those that Spark or this module sets. Spark refuses some of them.
SET_HERE: Final = frozenset(
    {
        "bootstrap.servers",
        "group.id",
        "group.instance.id",
        "group.protocol",
        "auto.offset.reset",
        "enable.auto.commit",
        "interceptor.classes",
        "isolation.level",
        "key.deserializer",
        "value.deserializer",
    }
)
_RAISED: Final = re.compile(r"org\.apache\.kafka\.common\.(?:\w+\.)*(\w+(?:Exception|Error))(?:: ([^\n]*))?")
_NAMED: Final = {
    "TopicAuthorizationException": (
        "no permission to read __consumer_offsets: the principal needs the ACLs Describe and Read on this "
        "topic"
    ),
    "GroupAuthorizationException": (
        f"no permission for Spark's consumers: the principal needs the ACL Read on groups with the prefix "
        f"{GROUP_PREFIX}"
    ),
    "UnknownTopicOrPartitionException": (
        "the cluster has no topic __consumer_offsets: no group has committed an offset yet"
    ),
    "SaslAuthenticationException": "authentication failed: {said}",
    "SslAuthenticationException": "the TLS handshake failed: {said}",
    "UnsupportedVersionException": "the cluster is too old for this client: {said}",
    "ConfigException": "{said}",
    "KafkaException": "{said}",
    "TimeoutException": (
        "no response in time: a listener with TLS or SASL needs --command-config, and the brokers' "
        "advertised.listeners must be reachable from here ({said})"
    ),
}


@dataclass(slots=True, frozen=True)
class Cluster:
    """How to reach a cluster. properties: of a Kafka client, as in a --command-config file."""

    bootstrap: str
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)  # passwords

    def client_settings(self) -> dict[str, str]:
        """Return the settings of a Kafka client."""
        given = {name: value for name, value in self.properties.items() if name not in SET_HERE}
        return {**DEFAULTS, **given, "bootstrap.servers": self.bootstrap}

    def source_options(self, *, committed: bool) -> dict[str, str]:
        """Return the options of Spark's source, without those that say what to read.

        committed: without aborted and open transactions, and without what follows an open one.
        """
        return {
            **{f"kafka.{name}": value for name, value in self.client_settings().items()},
            "kafka.isolation.level": "read_committed" if committed else "read_uncommitted",
            "groupIdPrefix": GROUP_PREFIX,
        }

    def check_reachable(self) -> None:
        """Raise PipelineError if no bootstrap server accepts a connection. Spark would need a minute."""
        failed = []
        for address in self.bootstrap.split(","):
            host, _, port = address.strip().rpartition(":")
            try:
                socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
            except OSError as error:
                failed.append(f"{address.strip()}: {error.strerror or error}")
            else:
                return
        raise PipelineError(f"no broker can be reached at {'; '.join(failed)}")


@contextmanager
def explained(cluster: Cluster | None) -> Iterator[None]:
    """Raise PipelineError with one sentence for an exception of Kafka's client in the block.

    cluster None: no cluster is read.
    """
    try:
        yield
    except PipelineError:
        raise
    except Exception as error:
        if cluster is None:
            raise
        sentence = _sentence(f"{error}\n{getattr(error, '_stackTrace', None) or ''}")
        if sentence is None:
            raise
        raise PipelineError(f"{cluster.bootstrap}: {sentence}") from error


def _sentence(trace: str) -> str | None:
    """Return what Kafka's client has raised; None: it raised nothing.

    A trace names several exceptions. The most telling one counts: the order of _NAMED.
    """
    raised = {name: said.strip() for name, said in reversed(_RAISED.findall(trace))}
    for name, sentence in _NAMED.items():
        if name in raised:
            return sentence.format(said=raised[name] or name)
    return next((f"{name}: {said}" for name, said in raised.items()), None)
