"""Delegation tokens (KIP-48, KIP-373, KIP-900): create, renew, expire, describe, and log in with them."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final

from tests.conformance.build_acls import CREATE_TOKENS, DELEGATION_TOKEN, DESCRIBE, DESCRIBE_TOKENS, USER, acl
from tests.conformance.build_sasl import ScramClient, authenticate, handshake, plain
from tests.conformance.build_tokens import create_token, describe_tokens, expire_token, renew_token
from tests.conformance.case import Fields, Peer, Talk, case
from tests.conformance.cases.sasl import SASL

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
TOKENS: Final = {
    **SASL,
    "delegation.token.secret.key": "token-secret",
    "delegation.token.max.lifetime.ms": str(3 * DAY_MS),
}
AUTHORIZED: Final = {
    **TOKENS,
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:admin;User:ANONYMOUS",
}
TOLERATED_MS: Final = 600_000
NOBODY: Final = bytes(64)


def _login(peer: Peer, user: str = "alice") -> Peer:
    peer.do(*handshake())
    assert peer.do(*authenticate(plain(user, f"{user}-secret")))["ErrorCode"] == 0
    return peer


def _span(ms: int, since_ms: int) -> int:
    """Return a time as the span since a moment, rounded: a slow machine must not change it."""
    return ms if ms <= 0 else round((ms - since_ms) / TOLERATED_MS) * TOLERATED_MS


def _created(told: Fields) -> Any:
    issued = told["IssueTimestampMs"]
    return {
        **told,
        "IssueTimestampMs": min(issued, 1),
        "ExpiryTimestampMs": _span(told["ExpiryTimestampMs"], issued),
        "MaxTimestampMs": _span(told["MaxTimestampMs"], issued),
        "TokenId": len(told["TokenId"]),
        "Hmac": len(told["Hmac"]),
    }


def _described(told: Fields) -> Any:
    tokens = [
        {
            **token,
            "IssueTimestamp": min(token["IssueTimestamp"], 1),
            "ExpiryTimestamp": _span(token["ExpiryTimestamp"], token["IssueTimestamp"]),
            "MaxTimestamp": _span(token["MaxTimestamp"], token["IssueTimestamp"]),
            "TokenId": len(token["TokenId"]),
            "Hmac": len(token["Hmac"]),
        }
        for token in sorted(told["Tokens"], key=lambda token: int(token["IssueTimestamp"]))
    ]
    return {**told, "Tokens": tokens}


def _create(k: Talk, peer: Peer, **fields: Any) -> Fields:
    """Create a token, and wait until it can be described."""
    token = peer.do(*create_token(**fields))
    assert token["ErrorCode"] == 0
    _until_known(k, peer, token["TokenId"])
    return token


def _until_known(k: Talk, peer: Peer, token_id: str, *, known: bool = True) -> None:
    k.until(
        lambda: peer.do(*describe_tokens(None))["Tokens"],
        lambda tokens: (token_id in [token["TokenId"] for token in tokens]) is known,
    )


def _expires(token: Fields) -> Any:
    """Return a function that shows the time of a response as the span since the token was issued."""

    def shown(told: Fields) -> Any:
        return {**told, "ExpiryTimestampMs": _span(told["ExpiryTimestampMs"], token["IssueTimestampMs"])}

    return shown


@case(settings=SASL)
def delegation_tokens_that_are_disabled(k: Talk) -> None:
    _login(k)
    k.ask(*create_token())
    k.ask(*create_token(owner=("User", "bob")))
    k.ask(*create_token(renewers=[("Group", "a")]))
    k.ask(*renew_token(NOBODY))
    k.ask(*expire_token(NOBODY))
    k.ask(*describe_tokens(None))
    k.ask(*describe_tokens([]))


@case
def delegation_tokens_on_a_plaintext_listener(k: Talk) -> None:
    k.ask(*create_token())
    k.ask(*create_token(owner=("User", "bob"), renewers=[("Group", "a")]))
    k.ask(*renew_token(NOBODY))
    k.ask(*expire_token(NOBODY))
    k.ask(*describe_tokens(None))


@case(settings=TOKENS, versions=range(1, 4))
def delegation_token_is_created(k: Talk, version: int) -> None:
    _login(k)
    k.ask(*create_token(version=version), keep=_created)
    k.ask(*create_token(HOUR_MS, [("User", "bob"), ("User", "carol")], version=version), keep=_created)
    k.ask(*create_token(10 * DAY_MS, version=version), keep=_created)
    k.ask(*create_token(2 * DAY_MS, version=version), keep=_created)
    k.ask(*create_token(0, version=version), keep=_created)
    k.ask(*create_token(2**63 - 1, version=version), keep=_created)
    k.ask(*create_token(renewers=[("User", "bob"), ("Group", "a")], version=version), keep=_created)
    k.ask(*create_token(renewers=[("user", "bob")], version=version), keep=_created)
    k.ask(*create_token(renewers=[("", "")], version=version), keep=_created)


@case(settings=TOKENS)
def delegation_token_of_another_owner(k: Talk) -> None:
    _login(k)
    for owner in (
        ("User", "bob"),
        ("User", ""),
        ("", ""),
        (None, None),
        ("User", None),
        ("Group", "a"),
        (None, "bob"),
    ):
        k.keep("owner", list(owner))
        k.ask(*create_token(owner=owner), keep=_created)


@case(settings=TOKENS, versions=range(1, 4))
def delegation_tokens_are_described(k: Talk, version: int) -> None:
    owner, other = k.name("owner"), k.name("other")
    _login(k)
    _create(k, k, owner=("User", owner), renewers=[("User", "bob")])
    _create(k, k, owner=("User", other))
    for owners in ([owner], [other], [owner, other], ["nobody"], []):
        k.ask(*describe_tokens([("User", name) for name in owners], version), keep=_described)
    k.ask(*describe_tokens([("Group", owner)], version), keep=_described)
    bob = _login(k.connect(), "bob")
    bob.ask(*describe_tokens([("User", owner)], version), keep=_described)


@case(settings=TOKENS, versions=range(1, 3))
def delegation_token_is_renewed(k: Talk, version: int) -> None:
    _login(k)
    token = _create(k, k, max_ms=2 * DAY_MS, renewers=[("User", "bob")])
    hmac, shown = bytes.fromhex(token["Hmac"]), _expires(token)
    for ms in (HOUR_MS, -1, 0, 10 * DAY_MS, 2**62):
        k.ask(*renew_token(hmac, ms, version), keep=shown)
    bob, admin = _login(k.connect(), "bob"), _login(k.connect(), "admin")
    bob.ask(*renew_token(hmac, HOUR_MS, version), keep=shown)
    admin.ask(*renew_token(hmac, HOUR_MS, version), keep=shown)
    for unknown in (NOBODY, b"", hmac[:-1]):
        k.ask(*renew_token(unknown, HOUR_MS, version))


@case(settings=TOKENS, versions=range(1, 3))
def delegation_token_expires(k: Talk, version: int) -> None:
    _login(k)
    token = _create(k, k, renewers=[("User", "bob")])
    hmac, shown = bytes.fromhex(token["Hmac"]), _expires(token)
    for ms in (HOUR_MS, 10 * DAY_MS, 2**63 - 1):
        k.ask(*expire_token(hmac, ms, version), keep=shown)
    bob, admin = _login(k.connect(), "bob"), _login(k.connect(), "admin")
    admin.ask(*expire_token(hmac, HOUR_MS, version))
    admin.ask(*expire_token(hmac, -1, version))
    k.ask(*expire_token(NOBODY, -1, version))
    bob.ask(*expire_token(hmac, -1, version), keep=shown)
    _until_known(k, k, token["TokenId"], known=False)
    k.ask(*expire_token(hmac, -1, version))
    k.ask(*renew_token(hmac, HOUR_MS, version))


@case(settings=TOKENS)
def delegation_token_that_has_expired(k: Talk) -> None:
    _login(k)
    token = _create(k, k)
    hmac, shown = bytes.fromhex(token["Hmac"]), _expires(token)
    k.ask(*expire_token(hmac, 0), keep=shown)
    k.until(lambda: k.do(*renew_token(hmac, 0))["ErrorCode"], lambda code: code != 0)
    k.ask(*renew_token(hmac, HOUR_MS), keep=shown)
    k.ask(*expire_token(hmac, HOUR_MS), keep=shown)
    _until_known(k, k, token["TokenId"])
    peer = k.connect()
    _token_login(peer, token, "SCRAM-SHA-256")
    peer.send_raw(peer.frame("DescribeCluster", 0, {}))
    peer.closed()
    k.ask(*expire_token(hmac, -1), keep=shown)


def _token_login(
    peer: Peer, token: Fields, mechanism: str, extension: str = ",tokenauth=true", password: str | None = None
) -> bool:
    """Log in with a token, and keep what the broker responds. Return whether the login is complete."""
    secret = b64encode(bytes.fromhex(token["Hmac"])).decode() if password is None else password
    client = ScramClient(mechanism, token["TokenId"], secret, extension)
    peer.do(*handshake(mechanism))
    begun = peer.ask(*authenticate(client.first()), keep=lambda told: told["ErrorMessage"])
    if begun["ErrorCode"]:
        peer.closed()
        return False
    ended = peer.ask(
        *authenticate(client.final(bytes.fromhex(begun["AuthBytes"]))),
        keep=lambda told: {
            **told,
            "AuthBytes": client.accepts(bytes.fromhex(told["AuthBytes"])) if told["AuthBytes"] else "",
            "SessionLifetimeMs": _span(told["SessionLifetimeMs"], 0),
        },
    )
    if ended["ErrorCode"]:
        peer.closed()
        return False
    return True


@case(settings=AUTHORIZED)
def delegation_tokens_and_permissions(k: Talk) -> None:
    admin = _login(k.connect(), "admin")
    alice, bob = _login(k.connect()), _login(k.connect(), "bob")
    alice.ask(*create_token(), keep=_created)
    alice.ask(*create_token(owner=("User", "alice")), keep=_created)
    alice.ask(*create_token(owner=("User", "bob")), keep=_created)
    alice.ask(*create_token(owner=("User", "bob"), renewers=[("Group", "a")]), keep=_created)
    theirs = _create(k, admin, owner=("User", "carol"))
    alice.ask(*renew_token(bytes.fromhex(theirs["Hmac"])))
    alice.ask(*expire_token(bytes.fromhex(theirs["Hmac"])))
    carol = [("User", "carol")]
    alice.ask(*describe_tokens(carol), keep=_described)
    admin.ask(*describe_tokens(carol), keep=_described)
    for granted in (
        acl(theirs["TokenId"], "User:alice", DESCRIBE, kind=DELEGATION_TOKEN),
        acl("User:carol", "User:bob", DESCRIBE_TOKENS, kind=USER),
        acl("User:bob", "User:alice", CREATE_TOKENS, kind=USER),
    ):
        assert admin.do("CreateAcls", 3, {"Creations": [granted]})["Results"][0]["ErrorCode"] == 0
    for peer in (alice, bob):
        k.until(lambda peer=peer: peer.do(*describe_tokens(carol))["Tokens"], bool)  # type: ignore[misc]
        peer.ask(*describe_tokens(carol), keep=_described)
    alice.ask(*create_token(owner=("User", "bob")), keep=_created)
    alice.ask(*create_token(owner=("User", "carol")), keep=_created)


@case(settings=TOKENS)
def delegation_token_login(k: Talk) -> None:
    _login(k)
    token = _create(k, k, owner=("User", "bob"))
    hmac = bytes.fromhex(token["Hmac"])
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
        for extension in (
            ",tokenauth=true",
            ",tokenauth=TRUE",
            ",tokenauth=false",
            "",
        ):
            k.keep("extension", extension)
            _token_login(k.connect(), token, mechanism, extension)
        _token_login(k.connect(), token, mechanism, password="wrong")
        _token_login(k.connect(), {**token, "TokenId": "nothing"}, mechanism)
        _token_login(k.connect(), {**token, "TokenId": "alice"}, mechanism)
    peer = k.connect()
    _token_login(peer, token, "SCRAM-SHA-256")
    peer.ask("DescribeCluster", 0, {}, keep=lambda told: told["ErrorCode"])
    peer.ask(*create_token())
    peer.ask(*renew_token(hmac))
    peer.ask(*expire_token(hmac))
    peer.ask(*describe_tokens(None))
    _token_login(peer, token, "SCRAM-SHA-256")
    _login(bob := k.connect(), "bob")
    assert bob.do(*expire_token(hmac))["ErrorCode"] == 0
    _until_known(k, bob, token["TokenId"], known=False)
    _token_login(k.connect(), token, "SCRAM-SHA-256")


@case(settings=TOKENS, draws=True)
def delegation_token_login_with_another_extension(k: Talk) -> None:
    """Each JVM of Kafka has its own order of the extensions (Map.copyOf).

    If it is not that of the client, Kafka refuses the proof.
    """
    _login(k)
    token = _create(k, k, owner=("User", "bob"))
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
        _token_login(k.connect(), token, mechanism, ",tokenauth=true,x=y")


@case(settings=TOKENS)
def delegation_token_after_a_restart(k: Talk) -> Any:
    _login(k)
    token = _create(k, k, owner=("User", "bob"))
    yield
    again = _login(k.connect())
    again.ask(*renew_token(bytes.fromhex(token["Hmac"]), HOUR_MS), keep=lambda told: told["ErrorCode"])
    peer = k.connect()
    _token_login(peer, token, "SCRAM-SHA-512")
