"""Client libraries log in by SASL, each in its own environment, at one broker."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import kafka_oracle
from tests.broker_process import RunningBroker, start_broker
from tests.clientenv import REQUIREMENTS, client_python
from tests.oauth.tokens import JWKS, claims, signed, unsecured
from tests.wire import Connection
from tidemark_protocol import from_dict

pytestmark = [pytest.mark.contract, pytest.mark.slow]

PROGRAM = Path(__file__).parent / "clients" / "logging_in.py"
JAVA = Path(__file__).parent / "java"
PACKAGE = "org.apache.kafka.common.security.oauthbearer"
UNSECURED_LOGIN = f'{PACKAGE}.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="alice";'
SCRAM_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule"
OAUTH = "listener.name.plaintext.oauthbearer."
DEADLINE_S = 240
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
SETTINGS = {
    "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": ",".join([*MECHANISMS, "OAUTHBEARER"]),
    "listener.name.plaintext.plain.sasl.jaas.config": (
        'org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="alice-secret";'
    ),
    "tidemark.scram.users": (
        "SCRAM-SHA-256=[name=alice,password=alice-secret],SCRAM-SHA-512=[name=alice,password=alice-secret]"
    ),
}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    running = start_broker(tmp_path_factory.mktemp("sasl"), SETTINGS)
    yield running
    running.stop()


def logins(client: str, broker: RunningBroker, *wanted: tuple[str, str, str]) -> list[dict[str, object]]:
    """Return what each login of a client library leads to."""
    given = json.dumps([[*login, {}] for login in wanted])
    done = subprocess.run(
        [str(client_python(client)), str(PROGRAM), client, broker.bootstrap, given],
        check=True, capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("client", REQUIREMENTS)
def test_library_logs_in_with_each_mechanism(client: str, broker: RunningBroker) -> None:
    wanted = [(mechanism, "alice", "alice-secret") for mechanism in MECHANISMS]
    assert logins(client, broker, *wanted) == [{"topics": 0}] * len(MECHANISMS)


def test_library_reports_a_wrong_password(broker: RunningBroker) -> None:
    refused = [(mechanism, "alice", "wrong") for mechanism in MECHANISMS]
    told = logins("confluent-kafka", broker, *refused)
    assert told == [{"error": "PermissionError _AUTHENTICATION"}] * len(MECHANISMS)


SIGNED_LISTENER = {
    "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "OAUTHBEARER",
    f"{OAUTH}sasl.server.callback.handler.class": f"{PACKAGE}.OAuthBearerValidatorCallbackHandler",
    "sasl.oauthbearer.jwks.endpoint.url": JWKS.as_uri(),
    "sasl.oauthbearer.expected.audience": "kafka",
    "sasl.oauthbearer.allow.unverified.issuer": "true",
}


@pytest.fixture(scope="module")
def signed_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    running = start_broker(tmp_path_factory.mktemp("oauth"), SIGNED_LISTENER)
    yield running
    running.stop()


@pytest.mark.parametrize("client", REQUIREMENTS)
def test_library_logs_in_with_a_signed_token(client: str, signed_broker: RunningBroker) -> None:
    token = signed(claims(aud="kafka"))
    assert logins(client, signed_broker, ("OAUTHBEARER", "alice", token)) == [{"topics": 0}]


@pytest.mark.parametrize("client", ["aiokafka", "confluent-kafka"])  # kafka-python retries for 30 s
def test_library_reports_a_token_that_is_refused(client: str, signed_broker: RunningBroker) -> None:
    for token in (
        signed(claims(aud="kafka"), "other"),
        signed(claims(aud="kafka", exp=1, iat=0)),
        unsecured(claims()),
    ):
        (told,) = logins(client, signed_broker, ("OAUTHBEARER", "alice", token))
        assert "error" in told


def test_library_logs_in_with_a_token_of_its_own(broker: RunningBroker) -> None:
    assert logins("confluent-kafka", broker, ("OAUTHBEARER", "alice", "")) == [{"topics": 0}]


def java_login(broker: RunningBroker, mechanism: str, sessions: int, *settings: str) -> dict[str, object]:
    """Log in with Kafka's Java client, and authenticate again so many times. Return what it prints."""
    command = kafka_oracle.java(
        str(JAVA / "Logins.java"), broker.bootstrap, str(sessions), "security.protocol=SASL_PLAINTEXT",
        f"sasl.mechanism={mechanism}", *settings,
    )  # fmt: skip
    url = next(
        (each.partition("=")[2] for each in settings if each.startswith("sasl.oauthbearer.token.")), ""
    )
    allowed = f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={url}"
    done = subprocess.run(
        [command[0], allowed, *command[1:]], check=True, capture_output=True, text=True, timeout=DEADLINE_S
    )
    told: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return told


@pytest.mark.java
@pytest.mark.skipif(bool(kafka_oracle.missing()), reason=str(kafka_oracle.missing()))
class TestKafkasClient:
    def test_logs_in_with_an_unsecured_token(self, broker: RunningBroker) -> None:
        assert java_login(broker, "OAUTHBEARER", 0, f"sasl.jaas.config={UNSECURED_LOGIN}") == {
            "topics": 0,
            "sessions": 0,
        }

    def test_logs_in_with_a_signed_token_of_a_file(
        self, signed_broker: RunningBroker, tmp_path: Path
    ) -> None:
        settings = (
            f"sasl.jaas.config={PACKAGE}.OAuthBearerLoginModule required;",
            f"sasl.login.callback.handler.class={PACKAGE}.OAuthBearerLoginCallbackHandler",
            f"sasl.oauthbearer.jwt.retriever.class={PACKAGE}.FileJwtRetriever",
            f"sasl.oauthbearer.token.endpoint.url={(tmp_path / 'token').as_uri()}",
        )
        (tmp_path / "token").write_text(signed(claims(aud="kafka")))
        assert java_login(signed_broker, "OAUTHBEARER", 0, *settings) == {"topics": 0, "sessions": 0}
        (tmp_path / "token").write_text(signed(claims(aud="kafka"), "other"))
        assert java_login(signed_broker, "OAUTHBEARER", 0, *settings) == {
            "error": "SaslAuthenticationException"
        }

    @pytest.mark.parametrize("mechanism", ["OAUTHBEARER", "SCRAM-SHA-256"])
    def test_authenticates_again_before_its_session_ends(
        self, mechanism: str, short_sessions: RunningBroker
    ) -> None:
        if mechanism == "OAUTHBEARER":
            jaas = UNSECURED_LOGIN
        else:
            jaas = f'{SCRAM_MODULE} required username="alice" password="alice-secret";'
        told = java_login(short_sessions, mechanism, 2, f"sasl.jaas.config={jaas}")
        assert told["topics"] == 0
        assert int(str(told["sessions"])) >= 2


@pytest.fixture(scope="module")
def short_sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    running = start_broker(
        tmp_path_factory.mktemp("short"), {**SETTINGS, "connections.max.reauth.ms": "3000"}
    )
    yield running
    running.stop()


def test_client_without_a_login_is_served_nothing(broker: RunningBroker) -> None:
    with Connection(broker.bootstrap) as raw, pytest.raises(ConnectionError):
        raw.ask("ListGroups", 0, from_dict("ListGroupsRequest", {}))
