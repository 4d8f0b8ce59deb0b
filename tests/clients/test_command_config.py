"""The tools log in with the properties of `--command-config`, to tidemark and to Apache Kafka."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests import certificates, kafka_oracle
from tests.broker_process import BrokerProcess, free_port, two_free_ports
from tests.conformance.build_sasl import alter_users, upsertion
from tests.conformance.tools.jvm import Printed
from tests.conformance.tools.ours import OurTools
from tests.kafka_oracle import KafkaNode
from tidemark_protocol import from_dict
from tidemark_testing.client import Tidemark
from tidemark_tools.client.client import Client

pytestmark = [pytest.mark.contract, pytest.mark.slow]

SECRET: Final = "alice-secret"
WRONG: Final = "wrong-secret"
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
PLAIN_MODULE: Final = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM_MODULE: Final = "org.apache.kafka.common.security.scram.ScramLoginModule"
PLAIN_USER: Final = f'{PLAIN_MODULE} required user_alice="{SECRET}";'
OURS: Final = {
    "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": ",".join(MECHANISMS),
    "listener.name.plaintext.plain.sasl.jaas.config": PLAIN_USER,
    "tidemark.scram.users": (
        f"SCRAM-SHA-256=[name=alice,password={SECRET}],SCRAM-SHA-512=[name=alice,password={SECRET}]"
    ),
}
STORES: Final = certificates.SERVER_STORES
# Every tool that connects.
TOOLS: Final = {
    "kafka-acls": "--list",
    "kafka-broker-api-versions": "",
    "kafka-console-consumer": "--topic orders --timeout-ms 20000 --max-messages 1 --from-beginning",
    "kafka-console-producer": "--topic orders",
    "kafka-consumer-groups": "--list --timeout 20000",
    "kafka-consumer-perf-test": "--topic orders --num-records 1 --from-latest",
    "kafka-delete-records": "--offset-json-file FILE",
    "kafka-features": "describe",
    "kafka-get-offsets": "--topic orders",
    "kafka-groups": "--list",
    "kafka-log-dirs": "--describe",
    "kafka-producer-perf-test": "--topic orders --num-records 1 --throughput -1 --record-size 1",
    "kafka-topics": "--list",
    "kafka-transactions": "list",
    "kafka-verifiable-consumer": "--topic orders --max-messages 1 --group-id verifiable",
    "kafka-verifiable-producer": "--topic orders --max-messages 1",
}
SUBCOMMANDS: Final = ("kafka-features", "kafka-transactions")
_NUMBERS: Final = count()


class Listeners(NamedTuple):
    """The addresses for each protocol. mutual_tls: clients need a certificate."""

    plain: str
    sasl: str
    tls: str
    sasl_tls: str
    mutual_tls: str


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listeners]:
    tls = {**STORES, "listener.security.protocol.map": "PLAINTEXT:SSL"}
    brokers = []
    for settings in (
        {},
        OURS,
        tls,
        {**OURS, **STORES, "listener.security.protocol.map": "PLAINTEXT:SASL_SSL"},
        {**tls, "ssl.client.auth": "required"},
    ):
        address = f"localhost:{free_port()}"  # the name in the certificate
        advertised = {"advertised.listeners": f"PLAINTEXT://{address}"}
        brokers.append(BrokerProcess(tmp_path_factory.mktemp("broker"), {**settings, **advertised}))
        brokers[-1].bootstrap = address
    try:
        for each in brokers:
            each.start()
        yield Listeners(*(each.bootstrap for each in brokers))
    finally:
        for each in brokers:
            each.stop()


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listeners]:
    if (reason := kafka_oracle.missing()) is not None:
        pytest.skip(reason)
    port = two_free_ports()
    secured = {"SASL": free_port(), "TLS": free_port(), "SASLTLS": free_port(), "MUTUAL": free_port()}
    outer = [f"{name}://localhost:{number}" for name, number in secured.items()]
    node = KafkaNode(
        tmp_path_factory.mktemp("kafka"),
        port,
        {
            "listeners": ",".join(
                [f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{port + 1}", *outer]
            ),
            "advertised.listeners": ",".join([f"PLAINTEXT://127.0.0.1:{port}", *outer]),
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,"
            "SASL:SASL_PLAINTEXT,TLS:SSL,SASLTLS:SASL_SSL,MUTUAL:SSL",
            "inter.broker.listener.name": "PLAINTEXT",
            "sasl.enabled.mechanisms": ",".join(MECHANISMS),
            **STORES,
            "listener.name.mutual.ssl.client.auth": "required",
            **{f"listener.name.{name}.plain.sasl.jaas.config": PLAIN_USER for name in ("sasl", "sasltls")},
            **{
                f"listener.name.{name}.{mechanism.lower()}.sasl.jaas.config": f"{SCRAM_MODULE} required;"
                for name in ("sasl", "sasltls")
                for mechanism in MECHANISMS[1:]
            },
        },
    )
    node.start()
    try:
        with Client(node.bootstrap) as client:
            for mechanism in (1, 2):  # SHA-256, SHA-512
                name, _, request = alter_users([upsertion("alice", mechanism, password=SECRET)])
                response = client.call(from_dict(f"{name}Request", request))
                assert [each.error_code for each in response.results] == [0]
        yield Listeners(node.bootstrap, *(f"localhost:{number}" for number in secured.values()))
    finally:
        node.stop()


BROKERS: Final = [pytest.param("ours"), pytest.param("kafka", marks=pytest.mark.java)]


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest) -> Listeners:
    found: Listeners = request.getfixturevalue(request.param)
    return found


def sasl(
    mechanism: str = "PLAIN", password: str = SECRET, protocol: str = "SASL_PLAINTEXT"
) -> dict[str, str]:
    module = PLAIN_MODULE if mechanism == "PLAIN" else SCRAM_MODULE
    return {
        "security.protocol": protocol,
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": f'{module} required username="alice" password="{password}";',
    }


def tls(**more: str) -> dict[str, str]:
    return {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(certificates.CA),
        **{f"ssl.{name.replace('_', '.')}": text for name, text in more.items()},
    }


def run(folder: Path, address: str, settings: dict[str, str], tool: str = "kafka-topics") -> Printed:
    """Run a tool of ours with these properties. It prints no password."""
    config = folder / f"client-{next(_NUMBERS)}.properties"
    escaped = {name: text.replace("\\", "\\\\").replace("\n", "\\n") for name, text in settings.items()}
    config.write_text("".join(f"{name}={text}\n" for name, text in escaped.items()))
    deletions = folder / "deletions.json"
    deletions.write_text('{"partitions":[{"topic":"orders","partition":0,"offset":0}],"version":1}')
    connection = ["--bootstrap-server", address, "--command-config", str(config)]
    own = [str(deletions) if part == "FILE" else part for part in TOOLS[tool].split()]
    arguments = [*connection, *own] if tool in SUBCOMMANDS else [*own, *connection]
    printed = OurTools().run(tool, arguments, "a line\n")
    for secret in (SECRET, WRONG, certificates.KEY_PASSWORD, certificates.STORE_PASSWORD):
        assert secret not in printed.out + printed.err
    return printed


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_tool_logs_in_with_each_mechanism(mechanism: str, broker: Listeners, tmp_path: Path) -> None:
    printed = run(tmp_path, broker.sasl, sasl(mechanism))
    assert (printed.code, printed.err) == (0, "")


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_logs_in(tool: str, broker: Listeners, tmp_path: Path) -> None:
    assert run(tmp_path, broker.sasl, sasl(), "kafka-console-producer").code == 0
    printed = run(tmp_path, broker.sasl, sasl(), tool)
    if tool == "kafka-acls":
        assert "No Authorizer is configured" in printed.out
    else:
        assert printed.code == 0, printed


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_reports_a_wrong_password(tool: str, broker: Listeners, tmp_path: Path) -> None:
    printed = run(tmp_path, broker.sasl, sasl(password=WRONG), tool)
    assert printed.code == 1
    assert "Authentication failed: Invalid username or password" in printed.out + printed.err


@pytest.mark.parametrize("mechanism", MECHANISMS[1:])
def test_wrong_password_of_scram_is_reported_in_kafkas_words(
    mechanism: str, broker: Listeners, tmp_path: Path
) -> None:
    printed = run(tmp_path, broker.sasl, sasl(mechanism, WRONG))
    assert printed.code == 1
    assert printed.out == (
        "Error while executing topic command : Authentication failed during authentication due to invalid "
        f"credentials with SASL mechanism {mechanism}\n"
    )


def test_mechanism_that_the_broker_does_not_enable_is_reported(broker: Listeners, tmp_path: Path) -> None:
    settings = {
        **sasl("OAUTHBEARER"),
        "sasl.jaas.config": "OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=alice;",
    }
    printed = run(tmp_path, broker.sasl, settings)
    assert printed.code == 1
    assert (
        "Client SASL mechanism 'OAUTHBEARER' not enabled in the server, enabled mechanisms are ["
        in printed.out
    )
    assert all(mechanism in printed.out for mechanism in MECHANISMS)


def test_login_at_a_plaintext_listener_is_reported(broker: Listeners, tmp_path: Path) -> None:
    printed = run(tmp_path, broker.plain, sasl())
    assert (printed.code, printed.err) == (1, "")
    assert printed.out == (
        "Error while executing topic command : Unexpected handshake request with client mechanism PLAIN, "
        "enabled mechanisms are []\n"
    )


def test_client_without_a_login_learns_that_the_listener_may_require_one(
    broker: Listeners, tmp_path: Path
) -> None:
    printed = run(tmp_path, broker.sasl, {"default.api.timeout.ms": "1000"})
    assert (printed.code, printed.out) == (1, "")
    assert "closed the connection; does this listener require SASL?" in printed.err


def test_tls_at_a_plaintext_listener_is_reported(broker: Listeners, tmp_path: Path) -> None:
    printed = run(tmp_path, broker.plain, tls())
    assert (printed.code, printed.out) == (1, "")
    assert "closed the connection during the TLS handshake; does it serve TLS?" in printed.err


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_logs_in_over_tls(tool: str, broker: Listeners, tmp_path: Path) -> None:
    settings = {**tls(), **sasl("SCRAM-SHA-512", protocol="SASL_SSL")}
    assert run(tmp_path, broker.sasl_tls, settings, "kafka-console-producer").code == 0
    printed = run(tmp_path, broker.sasl_tls, settings, tool)
    assert printed.code == (1 if tool == "kafka-acls" else 0), printed


def test_plaintext_at_a_tls_listener_is_reported(broker: Listeners, tmp_path: Path) -> None:
    printed = run(tmp_path, broker.tls, {"default.api.timeout.ms": "1000"})
    assert (printed.code, printed.out) == (1, "")
    # Kafka sends an alert. Our broker closes the connection.
    assert re.search("requires TLS: set security.protocol to SSL|does this listener require TLS", printed.err)


def test_certificate_of_an_unknown_authority_is_refused(broker: Listeners, tmp_path: Path) -> None:
    printed = run(tmp_path, broker.tls, {"security.protocol": "SSL"})
    assert (printed.code, printed.out) == (1, "")
    assert "SSL handshake failed" in printed.err
    assert "self-signed certificate in certificate chain" in printed.err


def test_certificate_of_another_host_is_refused_unless_names_are_not_checked(
    broker: Listeners, tmp_path: Path
) -> None:
    address = broker.tls.replace("localhost", "127.0.0.1")
    printed = run(tmp_path, address, tls())
    assert (printed.code, printed.out) == (1, "")
    assert "certificate is not valid for '127.0.0.1'" in printed.err
    assert run(tmp_path, address, tls(endpoint_identification_algorithm="")).code == 0


def inline(path: Path) -> dict[str, str]:
    """Return properties with the PEM text itself, as a single line."""
    text = path.read_text().replace("\n", " ")
    at = text.index("-----BEGIN CERTIFICATE")
    return {"keystore_type": "PEM", "keystore_key": text[:at], "keystore_certificate_chain": text[at:]}


@pytest.mark.parametrize(
    "identity",
    [
        {"keystore_type": "PEM", "keystore_location": str(certificates.CLIENT)},
        {
            "keystore_type": "PEM",
            "keystore_location": str(certificates.CLIENT_LOCKED),
            "key_password": certificates.KEY_PASSWORD,
        },
        inline(certificates.CLIENT),
    ],
)
def test_client_with_a_certificate_is_accepted(
    identity: dict[str, str], broker: Listeners, tmp_path: Path
) -> None:
    settings = tls(**identity)
    del settings["ssl.truststore.location"]
    settings["ssl.truststore.certificates"] = certificates.CA.read_text()
    printed = run(tmp_path, broker.mutual_tls, settings)
    assert (printed.code, printed.err) == (0, "")


def test_client_with_a_pkcs12_file_is_accepted(broker: Listeners, tmp_path: Path) -> None:
    identity = {
        "keystore_type": "PKCS12",
        "keystore_location": str(certificates.CLIENT_PKCS12),
        "keystore_password": certificates.STORE_PASSWORD,
    }
    assert run(tmp_path, broker.mutual_tls, tls(**identity)).code == 0


def test_client_without_a_required_certificate_is_refused(broker: Listeners, tmp_path: Path) -> None:
    printed = run(tmp_path, broker.mutual_tls, tls())
    assert (printed.code, printed.out) == (1, "")
    assert "SSL handshake failed" in printed.err


def test_fixture_of_the_tests_logs_in(tmp_path: Path) -> None:
    with Tidemark.start(OURS, folder=tmp_path, client_settings=sasl("SCRAM-SHA-256")) as tidemark:
        topic = tidemark.topic("orders")
        tidemark.produce(topic, "a")
        assert [record.value for record in tidemark.records(topic)] == [b"a"]
