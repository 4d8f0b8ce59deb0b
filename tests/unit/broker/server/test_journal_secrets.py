"""The journal of requests shows no password."""

from __future__ import annotations

import json

import pytest

from tidemark.server.request_journal import message_text
from tidemark_protocol.messages import alter_configs, incremental_alter_configs
from tidemark_protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from tidemark_protocol.messages.create_delegation_token import CreateDelegationTokenResponse
from tidemark_protocol.messages.describe_delegation_token import (
    DescribedDelegationToken,
    DescribeDelegationTokenResponse,
)
from tidemark_protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from tidemark_protocol.messages.renew_delegation_token import RenewDelegationTokenRequest
from tidemark_protocol.messages.sasl_authenticate import SaslAuthenticateRequest


def test_a_login_is_recorded_without_its_password() -> None:
    text, _ = message_text(SaslAuthenticateRequest(b"\0alice\0alice-secret"))
    assert json.loads(text) == {"AuthBytes": "[hidden]"}


def test_a_credential_is_recorded_without_its_password() -> None:
    upsertion = ScramCredentialUpsertion("alice", 1, 4096, b"salt", b"derived from the password")
    text, _ = message_text(AlterUserScramCredentialsRequest([], [upsertion]))
    shown = json.loads(text)["Upsertions"][0]
    assert (shown["Name"], shown["SaltedPassword"]) == ("alice", "[hidden]")
    assert b"derived from the password".hex() not in text


def test_delegation_tokens_are_recorded_without_their_secrets() -> None:
    secret = b"secret of the token"
    for message in (
        CreateDelegationTokenResponse(token_id="id", hmac=secret),
        DescribeDelegationTokenResponse(
            tokens=[DescribedDelegationToken(token_id="id", hmac=secret, renewers=[])]
        ),
        RenewDelegationTokenRequest(secret),
        ExpireDelegationTokenRequest(secret),
    ):
        text, _ = message_text(message)
        assert '"Hmac": "[hidden]"' in text or '"Hmac":"[hidden]"' in text
        assert secret.hex() not in text


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("retention.ms", False),
        ("consumer.session.timeout.ms", False),
        ("interval.ms", False),
        ("log.retention.ms", False),
        ("listener.name.clients.ssl.keystore.location", False),
        ("ssl.keystore.password", True),
        ("listener.name.clients.ssl.keystore.key", True),
        ("listener.name.clients.plain.sasl.jaas.config", True),
        ("tidemark.scram.users", True),
        ("password.of.a.plugin", True),
    ],
)
def test_a_setting_is_recorded_without_its_value_if_kafka_hides_it(name: str, hidden: bool) -> None:
    incremental = incremental_alter_configs.AlterableConfig(name, 0, "a value")
    full = alter_configs.AlterableConfig(name, "a value")
    removed = incremental_alter_configs.AlterableConfig(name, 1, None)
    shown = "[hidden]" if hidden else "a value"
    assert [json.loads(message_text(each)[0])["Value"] for each in (incremental, full, removed)] == [
        shown,
        shown,
        None,
    ]
