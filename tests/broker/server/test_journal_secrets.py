"""The journal of requests shows no password."""

from __future__ import annotations

import json

from tidemark.server.request_journal import message_text
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
