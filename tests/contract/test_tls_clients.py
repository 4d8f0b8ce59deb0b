"""Client libraries and Kafka's tools connect over TLS: with a certificate of their own, without, and by SASL.

With an authorizer, a client sees the topics that its principal may describe. So the topics that it lists show
who it is.
"""

from __future__ import annotations

import json
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.x509.oid import NameOID

from tests.authorities import Authority
from tests.broker_process import BrokerProcess, two_free_ports
from tests.clientenv import REQUIREMENTS, client_python
from tests.contract.children import CLIENTS
from tests.contract.wire import Connection
from tests.kafka.build_acls import STANDARD_AUTHORIZER
from tests.kafka_oracle import missing, run_tool
from tidemark_protocol import from_dict

pytestmark = [pytest.mark.contract, pytest.mark.slow]

PROGRAM: Final = Path(CLIENTS, "connecting_over_tls.py")
DEADLINE_S: Final = 240
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
TOPIC: Final = "orders"
# The principal that Kafka 4.3.1 gives to a client with this certificate. With this super user, and with no
# other order of the attributes, it may create topics there.
ALICE: Final = "User:CN=alice,O=Org"


@dataclass(frozen=True)
class Tls:
    """A broker with two listeners, and the files of its clients."""

    mutual: str
    sasl: str
    folder: Path

    def file(self, name: str) -> str:
        return str(self.folder / name)


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tls]:
    folder = tmp_path_factory.mktemp("tls")
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


def results(client: str, bootstrap: str, *logins: dict[str, str]) -> list[dict[str, Any]]:
    """Return what each login of a client library leads to."""
    done = subprocess.run(
        [str(client_python(client)), str(PROGRAM), client, bootstrap, json.dumps(logins)],
        check=True, capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("client", REQUIREMENTS)
def test_library_is_known_by_its_certificate(client: str, tls: Tls) -> None:
    anonymous = {"cafile": tls.file("authority.pem")}
    alice = anonymous | {"certfile": tls.file("alice.pem"), "keyfile": tls.file("alice.key")}
    told = results(client, tls.mutual, anonymous, alice)
    assert told == [{"topics": []}, {"topics": [TOPIC]}]


@pytest.mark.parametrize("client", REQUIREMENTS)
def test_library_logs_in_over_tls(client: str, tls: Tls) -> None:
    login = {"cafile": tls.file("authority.pem"), "user": "alice", "password": "alice-secret"}
    told = results(client, tls.sasl, *({**login, "mechanism": mechanism} for mechanism in MECHANISMS))
    assert told == [{"topics": [TOPIC]}] * len(MECHANISMS)


@pytest.mark.parametrize("client", REQUIREMENTS)
def test_library_with_a_forged_certificate_is_refused(client: str, tls: Tls) -> None:
    forged = {
        "cafile": tls.file("authority.pem"),
        "certfile": tls.file("forged.pem"),
        "keyfile": tls.file("forged.key"),
    }
    (told,) = results(client, tls.mutual, forged)
    assert "topics" not in told


@pytest.mark.java
@pytest.mark.skipif(missing() is not None, reason=str(missing()))
@pytest.mark.parametrize("listener", ["mutual", "sasl"])
def test_kafkas_tools_connect_over_tls(listener: str, tls: Tls) -> None:
    own = {
        "mutual": {
            "security.protocol": "SSL",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": tls.file("alice.both"),
        },
        "sasl": {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.jaas.config": (
                "org.apache.kafka.common.security.scram.ScramLoginModule required "
                'username="alice" password="alice-secret";'
            ),
        },
    }
    settings = own[listener] | {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": tls.file("authority.pem"),
    }
    file = tls.folder / f"{listener}.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    bootstrap = tls.mutual if listener == "mutual" else tls.sasl
    done = run_tool("kafka-topics", "--bootstrap-server", bootstrap, "--command-config", str(file), "--list")
    assert done.stdout.split() == [TOPIC], done.stderr
