from __future__ import annotations

from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.build_sasl import HASHES, ScramClient
from tidemark.security.sasl import AuthenticationRefused, InvalidCredentials, NoAnswer
from tidemark.security.scram import Account, Credential, Scram, credential, salted

NOW_MS = 1_800_000_000_000

SALT = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")


def stored(hash_name: str = "sha256", password: str = "pencil", iterations: int = 4096) -> Credential:
    return credential(hash_name, salted(hash_name, password, SALT, iterations), SALT, iterations)


def an_exchange(hash_name: str = "sha256", user: str = "user", nonce: str = "%hvYDpWUa2RaTC") -> Scram:
    account = Account(user, stored(hash_name))
    return Scram(hash_name, lambda name, _: account if name == user else None, lambda: nonce)


def test_exchange_of_rfc_7677() -> None:
    exchange = an_exchange(nonce="%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0")
    first = exchange.evaluate(b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO", NOW_MS)
    assert first == b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    assert exchange.user is None
    final = exchange.evaluate(
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
        b"p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        NOW_MS,
    )
    assert final == b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
    assert exchange.user == "user"


@pytest.mark.parametrize("mechanism", HASHES)
@pytest.mark.parametrize(("user", "sent"), [("user", "user"), ("a,b=c", "a=2Cb=3Dc")])
def test_client_and_broker_convince_each_other(mechanism: str, user: str, sent: str) -> None:
    exchange = an_exchange(HASHES[mechanism], user)
    client = ScramClient(mechanism, sent, "pencil")
    assert client.accepts(exchange.evaluate(client.final(exchange.evaluate(client.first(), NOW_MS)), NOW_MS))
    assert exchange.user == user


def test_wrong_password_is_refused_without_a_reason() -> None:
    exchange = an_exchange()
    client = ScramClient("SCRAM-SHA-256", "user", "wrong")
    with pytest.raises(InvalidCredentials) as refused:
        exchange.evaluate(client.final(exchange.evaluate(client.first(), NOW_MS)), NOW_MS)
    assert str(refused.value) == ""
    assert exchange.user is None


def final_of(exchange: Scram, **how: str) -> str:
    """Return the last message of a client that knows the password."""
    client = ScramClient("SCRAM-SHA-256", "user", "pencil")
    return client.final(exchange.evaluate(client.first(), NOW_MS), **how).decode()


@pytest.mark.parametrize("proof", ["", "AAAA", "A" * 40, "A" * 44, "A" * 200])
def test_proof_of_another_length_closes_the_connection(proof: str) -> None:
    exchange = an_exchange()
    final = final_of(exchange)
    with pytest.raises(NoAnswer, match="instead of 32"):
        exchange.evaluate(f"{final.rpartition(',p=')[0]},p={proof}".encode(), NOW_MS)


@pytest.mark.parametrize("channel", ["", "biws", "eSws", "biw=", "biws" * 50])
def test_any_channel_binding_is_accepted(channel: str) -> None:
    exchange = an_exchange()
    exchange.evaluate(final_of(exchange, channel=channel).encode(), NOW_MS)
    assert exchange.user == "user"


@pytest.mark.parametrize("channel", ["biw", "b", "=", "====", "biws=", "bi=s", "bj=="])
def test_channel_binding_that_is_not_base64_is_refused(channel: str) -> None:
    exchange = an_exchange()
    with pytest.raises(InvalidCredentials):
        exchange.evaluate(final_of(exchange, channel=channel).encode(), NOW_MS)


def test_proof_that_covers_extensions_of_the_last_message_is_refused() -> None:
    exchange, other = an_exchange(), an_exchange()
    with pytest.raises(InvalidCredentials):
        exchange.evaluate(final_of(exchange, signed=",x=y").encode(), NOW_MS)
    other.evaluate(final_of(other, unsigned=",x=y").encode(), NOW_MS)
    assert other.user == "user"


@pytest.mark.parametrize("name", ["zoë", "a\0", ""])
def test_name_that_is_not_ascii_is_refused(name: str) -> None:
    with pytest.raises(InvalidCredentials):
        an_exchange(user=name).evaluate(f"n,,n={name},r=nonce".encode(), NOW_MS)


@pytest.mark.parametrize("proof", ["A", "=", "ab==c", "A" * 43])
def test_proof_of_another_form_is_refused(proof: str) -> None:
    exchange = an_exchange()
    client = ScramClient("SCRAM-SHA-256", "user", "pencil")
    final = client.final(exchange.evaluate(client.first(), NOW_MS)).decode()
    with pytest.raises(InvalidCredentials):
        exchange.evaluate(f"{final.rpartition(',p=')[0]},p={proof}".encode(), NOW_MS)


def test_credential_with_few_iterations_is_refused() -> None:
    exchange = Scram("sha256", lambda *_: Account("user", stored(iterations=4095)), lambda: "nonce")
    with pytest.raises(InvalidCredentials):
        exchange.evaluate(b"n,,n=user,r=nonce", NOW_MS)


MESSAGES = st.sampled_from([b"n,,n=user,r=x", b"c=biws,r=x,p=AAAA"])


@given(st.lists(st.binary(max_size=60) | MESSAGES, max_size=4))
def test_any_tokens_are_answered_or_refused(tokens: list[bytes]) -> None:
    exchange = an_exchange()
    for token in tokens:
        try:
            exchange.evaluate(token, NOW_MS)
        except (AuthenticationRefused, NoAnswer):
            break
    assert exchange.user is None


def test_repr_of_a_credential_has_no_keys() -> None:
    made = stored()
    assert repr(made.stored_key) not in repr(made)
    assert repr(made.server_key) not in repr(made)
