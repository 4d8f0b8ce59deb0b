"""The settings of listeners with SASL, and the first SCRAM users."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tidemark.config import Config, ConfigError, load
from tidemark.settings.jaas import read_jaas
from tidemark.settings.sasl import ScramUser, read_scram_users

MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
JAAS = "listener.name.internal.plain.sasl.jaas.config"
BASE = {
    "listeners": "PLAINTEXT://:9092,INTERNAL://:9093",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INTERNAL:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN",
    JAAS: f'{MODULE} required user_alice="alice-secret";',
}


def sasl(**values: str) -> Any:
    config = Config(BASE | values)
    plain, internal = config.listeners_served
    assert plain.sasl is None
    return internal.sasl


def test_users_of_plain_are_in_the_jaas_configuration() -> None:
    read = sasl()
    assert read.mechanisms == ("PLAIN",)
    assert read.plain_users == {"alice": "alice-secret"}
    assert "alice-secret" not in repr(read)


def test_setting_of_a_mechanism_precedes_that_of_its_listener_and_of_the_broker() -> None:
    mechanisms = {"sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"}
    name = "connections.max.reauth.ms"
    every = {name: "1"}
    listeners = every | {f"listener.name.internal.{name}": "2"}
    own = listeners | {f"listener.name.internal.scram-sha-256.{name}": "3"}
    assert set(sasl(**mechanisms, **every).max_reauth_ms.values()) == {1}
    assert set(sasl(**mechanisms, **listeners).max_reauth_ms.values()) == {2}
    assert sasl(**mechanisms, **own).max_reauth_ms["SCRAM-SHA-256"] == 3
    assert sasl(**mechanisms, **own).max_reauth_ms["PLAIN"] == 2


def test_scram_needs_no_jaas_configuration() -> None:
    values = {**BASE, "sasl.enabled.mechanisms": "SCRAM-SHA-512"}
    del values[JAAS]
    assert Config(values).listeners_served[1].sasl.mechanisms == ("SCRAM-SHA-512",)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"sasl.enabled.mechanisms": "GSSAPI"}, "Listener INTERNAL uses the SASL mechanism GSSAPI"),
        ({"sasl.enabled.mechanisms": ""}, "Configuration 'sasl.enabled.mechanisms' must not be empty"),
        ({JAAS: f"{MODULE} required user_alice=secret"}, "must end with a semicolon"),
        ({JAAS: "secret"}, "must have the form: MODULE required"),
        ({JAAS: "a.ScramLoginModule required;"}, "must name the module PlainLoginModule"),
        ({JAAS: f'{MODULE} required user_alice="secret;'}, "cannot be read from character"),
        ({JAAS: f"{MODULE} required user_alice;"}, "option 1 has no value"),
        ({JAAS: f'{MODULE} required a="secret"; {MODULE} required;'}, "must have one login module"),
        (
            {"connections.max.reauth.ms": "soon"},
            "Invalid value soon for configuration connections.",
        ),
        (
            {"listener.name.internal.connection.failed.authentication.delay.ms": "-1"},
            "listener.name.internal.connection.failed.authentication.delay.ms: Value must be at least 0",
        ),
    ],
)
def test_wrong_setting_is_refused_in_one_line_without_its_secret(values: dict[str, str], text: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(text)) as refused:
        sasl(**values)
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_missing_users_of_plain_are_reported_with_the_setting_that_names_them() -> None:
    values = dict(BASE)
    del values[JAAS]
    with pytest.raises(ConfigError, match=f"enables PLAIN, but {re.escape(JAAS)} is not set"):
        Config(values)


def test_settings_of_a_listener_may_come_from_variables(tmp_path: Path) -> None:
    variables = {
        f"KAFKA_{name.upper().replace('.', '_')}": value for name, value in BASE.items() if name != JAAS
    }
    variables["KAFKA_LISTENER_NAME_INTERNAL_PLAIN_SASL_JAAS_CONFIG"] = BASE[JAAS]
    read = load([], variables).listeners_served[1].sasl
    assert read is not None
    assert read.plain_users == {"alice": "alice-secret"}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("A required;", {}),
        ('A REQUIRED\n  b=c\n  d="e f";', {"b": "c", "d": "e f"}),
        (r'A required b="a\"b\\c\u" ;', {"b": 'a"b\\cu'}),
        ("A required b='c;d'; // a comment", {"b": "c;d"}),
        ('A /* a comment */ optional "user_a b"="c";', {"user_a b": "c"}),
    ],
)
def test_jaas_configuration_is_read_as_java_reads_it(text: str, options: dict[str, str]) -> None:
    assert read_jaas("name", text) == ("A", options)


def test_first_scram_users_have_the_form_of_kafka_storage() -> None:
    text = (
        'SCRAM-SHA-256=[name=alice,password="alice-secret"],'
        "SCRAM-SHA-512=[name=bob,iterations=8192,salt=c2FsdA==,saltedpassword=AAEC]"
    )
    assert read_scram_users("tidemark.scram.users", text) == (
        ScramUser("SCRAM-SHA-256", "alice", 4096, None, "alice-secret"),
        ScramUser("SCRAM-SHA-512", "bob", 8192, b"salt", None, b"\0\1\2"),
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("alice:secret", "must have the form"),
        (
            "SCRAM-SHA-1=[name=alice,password=secret]",
            "SCRAM-SHA-1. Use SCRAM-SHA-256 or SCRAM-SHA-512.",
        ),
        ("SCRAM-SHA-256=[password=secret]", "name is missing"),
        ("SCRAM-SHA-256=[name=alice]", "either password or saltedpassword"),
        ("SCRAM-SHA-256=[name=alice,password=secret,iterations=1]", "from 4096 to 16384, got 1"),
        ("SCRAM-SHA-256=[name=alice,password=secret,salt=?]", "salt must be base64"),
        ("SCRAM-SHA-256=[name=alice,secret]", "each field must be"),
        ("SCRAM-SHA-256=[name=alice,saltedpassword=AAEC]", "needs its salt"),
        ("SCRAM-SHA-256=[name=a,password=secret],SCRAM-SHA-256=[name=a,password=secret]", "a twice"),
    ],
)
def test_wrong_first_users_are_refused_without_their_passwords(text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(reason)) as refused:
        Config({"tidemark.scram.users": text})
    assert "secret" not in str(refused.value)
