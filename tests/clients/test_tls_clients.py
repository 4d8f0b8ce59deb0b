"""Client libraries and Kafka's tools connect over TLS: with a certificate, without, and by SASL."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.clientenv import REQUIREMENTS, client_python
from tests.clients.children import CLIENTS
from tests.clients.tls_broker import MECHANISMS, TOPIC, Tls, broker_with_tls
from tests.kafka_oracle import missing, run_tool

pytestmark = [pytest.mark.contract, pytest.mark.slow]

PROGRAM: Final = Path(CLIENTS, "connecting_over_tls.py")
DEADLINE_S: Final = 240


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tls]:
    with broker_with_tls(tmp_path_factory.mktemp("tls")) as running:
        yield running


def results(client: str, bootstrap: str, *logins: dict[str, str]) -> list[dict[str, Any]]:
    """Return what each login of a client library leads to."""
    done = subprocess.run(
        [str(client_python(client)), str(PROGRAM), client, bootstrap, json.dumps(logins)],
        check=True, capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("client", REQUIREMENTS)
def test_library_is_known_by_its_certificate(client: str, tls: Tls) -> None:
    assert results(client, tls.mutual, tls.anonymous, tls.alice) == [{"topics": []}, {"topics": [TOPIC]}]


@pytest.mark.parametrize("client", REQUIREMENTS)
def test_library_logs_in_over_tls(client: str, tls: Tls) -> None:
    assert results(client, tls.sasl, *tls.users) == [{"topics": [TOPIC]}] * len(MECHANISMS)


@pytest.mark.parametrize("client", REQUIREMENTS)
def test_library_with_a_forged_certificate_is_refused(client: str, tls: Tls) -> None:
    (told,) = results(client, tls.mutual, tls.forged)
    assert "topics" not in told


@pytest.mark.java
@pytest.mark.skipif(missing() is not None, reason=str(missing()))
@pytest.mark.parametrize("how", ["certificate", *MECHANISMS])
def test_kafkas_tools_connect_over_tls(how: str, tls: Tls) -> None:
    if how == "certificate":
        own = {
            "security.protocol": "SSL",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": tls.file("alice.both"),
        }
    else:
        module = "plain.PlainLoginModule" if how == "PLAIN" else "scram.ScramLoginModule"
        own = {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": how,
            "sasl.jaas.config": (
                f"org.apache.kafka.common.security.{module} required "
                'username="alice" password="alice-secret";'
            ),
        }
    settings = own | {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": tls.file("authority.pem"),
    }
    file = tls.folder / f"{how}.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    bootstrap = tls.mutual if how == "certificate" else tls.sasl
    done = run_tool("kafka-topics", "--bootstrap-server", bootstrap, "--command-config", str(file), "--list")
    assert done.stdout.split() == [TOPIC], done.stderr
