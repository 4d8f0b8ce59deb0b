"""A broker with TLS for client libraries: one listener that asks for certificates, and one with SASL.

With an authorizer, a client sees the topics that its principal may describe. So the topics that it lists show
who it is.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.x509.oid import NameOID

from tests.authorities import Authority
from tests.broker_process import BrokerProcess, two_free_ports
from tests.conformance.build_acls import STANDARD_AUTHORIZER
from tests.wire import Connection
from tidemark_protocol import from_dict

MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
TOPIC: Final = "orders"
# The principal that Kafka 4.3.1 gives to a client with this certificate. With this super user, and with no
# other order of the attributes, it may create topics there.
ALICE: Final = "User:CN=alice,O=Org"


@dataclass(frozen=True)
class Tls:
    """The addresses of the two listeners, and the files of clients."""

    mutual: str
    sasl: str
    folder: Path

    @property
    def anonymous(self) -> dict[str, str]:
        """The login of a client without a certificate, as connecting_over_tls.py documents it."""
        return {"cafile": self.file("authority.pem")}

    @property
    def alice(self) -> dict[str, str]:
        return self.anonymous | {"certfile": self.file("alice.pem"), "keyfile": self.file("alice.key")}

    @property
    def forged(self) -> dict[str, str]:
        return self.anonymous | {"certfile": self.file("forged.pem"), "keyfile": self.file("forged.key")}

    @property
    def users(self) -> list[dict[str, str]]:
        """Logins by each mechanism."""
        user = {"user": "alice", "password": "alice-secret"}
        return [self.anonymous | user | {"mechanism": mechanism} for mechanism in MECHANISMS]

    def file(self, name: str) -> str:
        return str(self.folder / name)


@contextmanager
def broker_with_tls(folder: Path) -> Iterator[Tls]:
    """Start the broker, and create the topic as alice."""
    authority = Authority()
    broker_keys = authority.sign(use_rsa=True)
    alice = authority.sign((NameOID.ORGANIZATION_NAME, "Org"), (NameOID.COMMON_NAME, "alice"))
    forged = Authority().sign((NameOID.ORGANIZATION_NAME, "Org"), (NameOID.COMMON_NAME, "alice"))
    for name, content in {
        "broker.pem": broker_keys.key() + broker_keys.chain,
        "authority.pem": authority.pem,
        "alice.pem": alice.chain,
        "alice.key": alice.key(),
        "alice.both": alice.key() + alice.chain,
        "forged.pem": forged.chain,
        "forged.key": forged.key(),
    }.items():
        (folder / name).write_text(content)
    port = two_free_ports()
    settings = {
        "listeners": f"PLAINTEXT://127.0.0.1:0,MUTUAL://127.0.0.1:{port},LOGIN://127.0.0.1:{port + 1}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,MUTUAL:SSL,LOGIN:SASL_SSL",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(folder / "broker.pem"),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(folder / "authority.pem"),
        "listener.name.mutual.ssl.client.auth": "requested",
        "sasl.enabled.mechanisms": ",".join(MECHANISMS),
        "listener.name.login.plain.sasl.jaas.config": (
            'org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="alice-secret";'
        ),
        "tidemark.scram.users": (
            "SCRAM-SHA-256=[name=alice,password=alice-secret],"
            "SCRAM-SHA-512=[name=alice,password=alice-secret]"
        ),
        "authorizer.class.name": STANDARD_AUTHORIZER,
        "super.users": f"{ALICE};User:alice",
    }
    running = BrokerProcess(folder / "broker", settings)
    running.start()
    made = Tls(f"127.0.0.1:{port}", f"127.0.0.1:{port + 1}", folder)
    try:
        create_topic(made)
        yield made
    finally:
        running.stop()


def create_topic(tls: Tls) -> None:
    context = ssl.create_default_context(cafile=tls.file("authority.pem"))
    context.load_cert_chain(tls.file("alice.pem"), tls.file("alice.key"))
    topic = {"Name": TOPIC, "NumPartitions": 1, "ReplicationFactor": 1}
    with Connection(tls.mutual) as connection:
        connection.socket = context.wrap_socket(connection.socket, server_hostname="localhost")
        created = connection.ask("CreateTopics", 5, from_dict("CreateTopicsRequest", {"Topics": [topic]}))
    assert created.topics[0].error_code == 0
