"""`tidemark configs`: what differs from Kafka's tool. The rest is compared in tests/conformance/tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.broker_process import BrokerProcess
from tests.conformance.tools.jvm import Printed
from tests.conformance.tools.ours import OurTools
from tidemark_protocol.java import java_double
from tidemark_tools.configs import without_secrets

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path_factory.mktemp("broker"))
    running.start()
    yield running
    running.stop()


def configs(broker: BrokerProcess, *arguments: str) -> Printed:
    return OurTools().run("kafka-configs", [*arguments, "--bootstrap-server", broker.bootstrap])


def test_failure_shows_no_password(broker: BrokerProcess) -> None:
    both = "SCRAM-SHA-256=[iterations=5000,password=my-secret],SCRAM-SHA-512=[password=my-secret]"
    printed = configs(broker, "--alter", "--user", "alice", "--add-config", both)
    assert printed.code == 1
    assert "cannot be altered twice" in printed.err
    assert "SCRAM-SHA-256=[iterations=5000,password=[hidden]]" in printed.err
    assert "my-secret" not in printed.out + printed.err


def test_malformed_credential_shows_no_password(broker: BrokerProcess) -> None:
    printed = configs(broker, "--alter", "--user", "alice", "--add-config", "SCRAM-SHA-256=[pass=my-secret]")
    assert (printed.code, printed.out) == (1, "")
    assert printed.err == "Invalid credential property SCRAM-SHA-256=[hidden]\n"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("ssl.keystore.password=a-b,c=d", "ssl.keystore.password=[hidden],c=d"),
        (
            "listener.name.x.plain.sasl.jaas.config=[a,b],c=d",
            "listener.name.x.plain.sasl.jaas.config=[hidden],c=d",
        ),
        ("password.encoder.secret=x", "password.encoder.secret=[hidden]"),
        ("retention.ms=1,cleanup.policy=[compact,delete]", "retention.ms=1,cleanup.policy=[compact,delete]"),
    ],
)
def test_command_line_in_a_message_hides_secrets(given: str, shown: str) -> None:
    assert without_secrets(["--add-config", given]) == f"--add-config {shown}"


@pytest.mark.parametrize(
    "action", [["--describe", "--all"], ["--alter", "--add-config", "message.max.bytes=9"]]
)
def test_broker_that_does_not_exist_is_reported_at_once(action: list[str], broker: BrokerProcess) -> None:
    printed = configs(broker, *action, "--broker", "7")
    assert printed.code == 1
    assert printed.err.endswith("\nThere is no broker 7\n")


@pytest.mark.parametrize(
    ("value", "text"),
    # Double.toString of Java 17.
    [
        (1024.0, "1024.0"),
        (0.5, "0.5"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (12345678.5, "1.23456785E7"),
        (-2.5e-7, "-2.5E-7"),
        (1e300, "1.0E300"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_numbers_are_shown_as_in_java(value: float, text: str) -> None:
    assert java_double(value) == text
