"""The expected messages are those of Apache Kafka 4.3.1 for the same values."""

from __future__ import annotations

import pytest

from tidemark.config import Config, ConfigError, load
from tidemark.settings.listeners import Listener


def listeners(**given: str) -> list[Listener]:
    return Config({name.replace("_", "."): text for name, text in given.items()}).listeners_served


def refusal(**given: str) -> str:
    with pytest.raises(ConfigError) as error:
        listeners(**given)
    return str(error.value)


def test_a_listener_has_a_name_an_address_and_a_protocol() -> None:
    found = listeners(
        listeners="inside://:1,OUT://[::1]:0", listener_security_protocol_map="INSIDE:PLAINTEXT,OUT:plaintext"
    )
    assert [(one.name, one.host, one.port, one.protocol) for one in found] == [
        ("INSIDE", "", 1, "PLAINTEXT"),
        ("OUT", "::1", 0, "PLAINTEXT"),
    ]


def test_each_listener_may_have_its_own_advertised_address() -> None:
    found = listeners(
        listeners="A://:1,B://:2",
        listener_security_protocol_map="A:PLAINTEXT,B:PLAINTEXT",
        advertised_listeners="B://example.org:9000",
    )
    assert [one.advertised for one in found] == [None, ("example.org", 9000)]


def test_a_controller_listener_is_ignored_without_a_warning() -> None:
    both = "PLAINTEXT://:9092,CONTROLLER://:9093"
    assert [one.name for one in listeners(listeners=both, process_roles="broker,controller")] == ["PLAINTEXT"]
    assert [one.name for one in listeners(listeners=both, controller_listener_names="CONTROLLER")] == [
        "PLAINTEXT"
    ]


def test_advertised_listeners_in_the_environment_also_set_listeners() -> None:
    config = load(environment={"KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://example.org:9092"})
    assert [(one.host, one.port, one.advertised) for one in config.listeners_served] == [
        ("0.0.0.0", 9092, ("example.org", 9092))
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("foo", "Error creating broker listeners from '[foo]': Unable to parse foo to a broker endpoint"),
        (
            "X://:1",
            "Error creating broker listeners from '[X://:1]': No security protocol defined for listener X",
        ),
        (
            "PLAINTEXT://:1,PLAINTEXT://:2",
            "Error creating broker listeners from '[PLAINTEXT://:1, PLAINTEXT://:2]': "
            "Each listener must have a different name, listeners: [PLAINTEXT://:1, PLAINTEXT://:2]",
        ),
        (
            "PLAINTEXT://:1,SSL://:1",
            "Error creating broker listeners from '[PLAINTEXT://:1, SSL://:1]': "
            "Each listener must have a different port, listeners: [PLAINTEXT://:1, SSL://:1]",
        ),
    ],
)
def test_listeners_are_refused_in_kafkas_words(text: str, words: str) -> None:
    assert refusal(listeners=text) == words


def test_advertised_listeners_are_refused_in_kafkas_words() -> None:
    assert refusal(advertised_listeners="PLAINTEXT://0.0.0.0:1") == (
        "advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP address."
    )
    assert refusal(advertised_listeners="SSL://h:1") == (
        "advertised.listeners listener names must be equal to or a subset of the ones defined in listeners. "
        "Found SSL. The valid options based on the current configuration are PLAINTEXT"
    )


def test_a_security_protocol_that_does_not_exist_is_refused_in_kafkas_words() -> None:
    assert refusal(listener_security_protocol_map="PLAINTEXT:FOO") == (
        "Invalid security protocol `FOO` defined in listener.security.protocol.map"
    )
