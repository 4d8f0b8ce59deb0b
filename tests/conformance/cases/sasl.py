"""Authentication by SASL, and the SCRAM credentials of users.

The listener of these cases is named PLAINTEXT, like that of the harness; its protocol is SASL_PLAINTEXT.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tests.conformance.build_data import batch, produce
from tests.conformance.build_sasl import (
    ScramClient,
    alter_users,
    authenticate,
    describe_users,
    handshake,
    plain,
    upsertion,
)
from tests.conformance.case import Fields, Peer, Talk, case
from tests.wire import sized

PLAIN_MODULE: Final = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM_MODULE: Final = "org.apache.kafka.common.security.scram.ScramLoginModule"
SASL: Final = {
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "listener.name.plaintext.plain.sasl.jaas.config": (
        f'{PLAIN_MODULE} required username="admin" password="admin-secret" user_admin="admin-secret" '
        'user_alice="alice-secret" user_bob="bob-secret";'
    ),
    "listener.name.plaintext.scram-sha-256.sasl.jaas.config": f"{SCRAM_MODULE} required;",
    "listener.name.plaintext.scram-sha-512.sasl.jaas.config": f"{SCRAM_MODULE} required;",
    "listener.name.plaintext.plain.connections.max.reauth.ms": "600000",
}
ALICE: Final = plain("alice", "alice-secret")
TOPIC_ID: Final = "00000000-0000-0000-0000-00000000000a"
LISTING: Final = ("ListGroups", 0, {})
PASSWORD: Final = "pencil"
of_logins: Final = partial(case, in_process=False)


def _served(peer: Peer) -> None:
    """Keep whether the connection serves requests that need authentication."""
    peer.ask("DescribeCluster", 0, {}, keep=lambda response: response["ErrorCode"])


def _login(peer: Peer) -> None:
    peer.do(*handshake())
    assert peer.do(*authenticate(ALICE))["ErrorCode"] == 0


@of_logins(settings=SASL, versions=range(3))
def sasl_plain_login(k: Talk, version: int) -> None:
    k.ask(*handshake())
    k.ask(*authenticate(ALICE, version))
    _served(k)


@of_logins(settings=SASL)
def sasl_plain_tokens_that_fail(k: Talk) -> None:
    for token in (
        plain("alice", "wrong"),
        plain("nobody", "alice-secret"),
        plain("", "alice-secret"),
        plain("alice", ""),
        plain("alice", "alice-secret", "bob"),
        b"",
        b"alice",
        b"\0alice",
        b"a\0b\0c\0d",
        b"a\0b\0c\0d\0e",
        b"\0\xff\xfe\0secret",
    ):
        peer = k.connect()
        peer.ask(*handshake())
        peer.ask(*authenticate(token))
        peer.closed()


@of_logins(settings=SASL)
def sasl_plain_with_an_authorization_id(k: Talk) -> None:
    k.ask(*handshake())
    k.ask(*authenticate(plain("alice", "alice-secret", "alice")))
    _served(k)


@of_logins(settings=SASL, versions=range(2))
def sasl_handshake_with_an_unsupported_mechanism(k: Talk, version: int) -> None:
    for mechanism in ("GSSAPI", "plain", ""):
        peer = k.connect()
        peer.ask(*handshake(mechanism, version))
        peer.closed()


@of_logins(settings=SASL)
def sasl_requests_before_the_handshake(k: Talk) -> None:
    for request in (LISTING, ("Metadata", 1, {"Topics": []}), authenticate(ALICE)):
        peer = k.connect()
        peer.send_raw(peer.frame(*request))
        peer.closed()


@of_logins(settings=SASL)
def sasl_requests_after_the_handshake(k: Talk) -> None:
    for request in (LISTING, ("Metadata", 1, {"Topics": []}), handshake(), ("ApiVersions", 0, {})):
        peer = k.connect()
        peer.ask(*handshake())
        peer.ask(*request)
        peer.closed()


@of_logins(settings=SASL)
def sasl_api_versions_in_an_unknown_version_after_the_handshake(k: Talk) -> None:
    for version in (5, 99, -1):
        peer = k.connect()
        peer.ask(*handshake())
        known = {"ClientSoftwareName": "cases", "ClientSoftwareVersion": "1"}
        frame = bytearray(peer.frame("ApiVersions", 0 if version < 0 else 3, known if version >= 0 else {}))
        frame[6:8] = version.to_bytes(2, "big", signed=True)
        peer.send_raw(bytes(frame))
        k.keep(f"v{version}", peer.frame_or_fate())
        peer.closed()


@of_logins(settings=SASL)
def sasl_produce_after_the_handshake(k: Talk) -> None:
    for acks in (1, -1, 0):
        peer = k.connect()
        peer.ask(*handshake())
        peer.send_raw(peer.frame(*produce({"orders": {0: batch(), 1: batch()}}, acks=acks)))
        k.keep(f"acks={acks}", peer.frame_or_fate())
        peer.closed()


@of_logins(settings=SASL)
def sasl_requests_for_partitions_after_the_handshake(k: Talk) -> None:
    numbered = {"Topics": [{"Name": "orders", "Partitions": [{"PartitionIndex": 1}, {"PartitionIndex": 0}]}]}
    offsets = {"GroupId": "g", "Topics": [{"Name": "orders", "PartitionIndexes": [1, 0]}]}
    groups = {"Groups": [{"GroupId": "g", "Topics": [{"Name": "orders", "PartitionIndexes": [1, 0]}]}]}
    for request in (
        ("DeleteRecords", 2, numbered),
        ("ListOffsets", 7, numbered),
        ("OffsetDelete", 0, {"GroupId": "g", **numbered}),
        ("OffsetForLeaderEpoch", 4, {"Topics": [{"Topic": "orders", "Partitions": [{"Partition": 1}]}]}),
        ("OffsetFetch", 7, offsets),
        ("OffsetFetch", 8, groups),
        ("Metadata", 12, {"Topics": [{"Name": "orders"}, {"Name": "orders"}]}),
        ("Metadata", 13, {"Topics": [{"Name": "orders"}]}),
        ("Fetch", 4, {"Topics": [{"Topic": "orders", "Partitions": [{"Partition": 1}]}]}),
        ("Fetch", 13, {"Topics": [{"TopicId": TOPIC_ID, "Partitions": [{"Partition": 1}]}]}),
        ("Fetch", 12, {"Topics": [{"Topic": "orders", "Partitions": [{"Partition": 1}]}]}),
        ("DescribeTopicPartitions", 0, {"Topics": [{"Name": "orders"}]}),
        ("DescribeLogDirs", 4, {"Topics": [{"Topic": "orders", "Partitions": [0]}]}),
        ("LeaveGroup", 3, {"GroupId": "g", "Members": [{"MemberId": "m"}]}),
    ):
        peer = k.connect()
        peer.do(*handshake())
        peer.ask(*request)
        peer.closed()


@of_logins(settings=SASL)
def sasl_api_versions_before_the_handshake(k: Talk) -> None:
    refused = {"ClientSoftwareName": "", "ClientSoftwareVersion": ""}
    k.ask("ApiVersions", 3, refused)
    k.ask("ApiVersions", 0, {}, keep=lambda response: response["ErrorCode"])
    k.ask(*handshake())
    k.ask(*authenticate(ALICE))
    _served(k)


@of_logins(settings=SASL)
def sasl_api_versions_twice_before_the_handshake(k: Talk) -> None:
    known = {"ClientSoftwareName": "cases", "ClientSoftwareVersion": "1"}
    refused = {"ClientSoftwareName": "", "ClientSoftwareVersion": ""}
    for first in (0, 3, 4):
        for second in (0, 3, 4):
            peer = k.connect()
            peer.ask("ApiVersions", first, known if first else {}, keep=lambda told: told["ErrorCode"])
            peer.send_raw(peer.frame("ApiVersions", second, known if second else {}))
            peer.closed()
    peer = k.connect()
    peer.do("ApiVersions", 3, known)
    peer.send_raw(peer.frame("ApiVersions", 3, refused))
    peer.closed()
    peer = k.connect()
    for _ in range(3):
        peer.ask("ApiVersions", 3, refused)
    for _ in range(2):
        frame = bytearray(peer.frame("ApiVersions", 3, known))
        frame[6:8] = (99).to_bytes(2, "big")
        peer.send_raw(bytes(frame))
        peer.expect("ApiVersions", 3)
        peer.receive(keep=lambda told: told["ErrorCode"])
    peer.ask("ApiVersions", 3, known, keep=lambda told: told["ErrorCode"])
    frame = bytearray(peer.frame("ApiVersions", 3, known))
    frame[6:8] = (99).to_bytes(2, "big")
    peer.send_raw(bytes(frame))
    peer.closed()


@of_logins(settings=SASL)
def sasl_api_versions_twice_and_the_handshake_in_one_piece(k: Talk) -> None:
    known = {"ClientSoftwareName": "cases", "ClientSoftwareVersion": "1"}
    k.send_raw(k.frame("ApiVersions", 3, known) + k.frame("ApiVersions", 3, known) + k.frame(*handshake()))
    k.keep("first", k.fate())
    k.closed()


@of_logins(settings=SASL)
def sasl_api_versions_after_login_as_often_as_wanted(k: Talk) -> None:
    _login(k)
    for _ in range(3):
        k.ask("ApiVersions", 0, {}, keep=lambda response: response["ErrorCode"])
    k.ask(*handshake())
    k.send_raw(k.frame("ApiVersions", 0, {}))
    k.closed()


@of_logins(settings=SASL)
def sasl_tokens_without_headers(k: Talk) -> None:
    k.ask(*handshake(version=0))
    k.send_raw(sized(ALICE))
    k.keep("token", k.frame_or_fate())
    _served(k)
    for token in (plain("alice", "wrong"), b"", k.frame(*authenticate(ALICE))[4:]):
        peer = k.connect()
        peer.ask(*handshake(version=0))
        peer.send_raw(sized(token))
        peer.closed()


@of_logins(settings=SASL)
def sasl_frames_above_the_limit(k: Talk) -> None:
    for size in (524_289, -1):
        k.connect().send_raw(size.to_bytes(4, "big", signed=True))
        peer = k.connect()
        peer.send_raw(size.to_bytes(4, "big", signed=True))
        peer.closed()
    peer = k.connect()
    peer.ask(*handshake(version=0))
    peer.send_raw((524_289).to_bytes(4, "big"))
    peer.closed()


@of_logins(settings=SASL)
def sasl_login_again(k: Talk) -> None:
    _login(k)
    k.ask(*handshake())
    k.ask(*authenticate(ALICE))
    _served(k)


@of_logins(settings=SASL)
def sasl_login_again_that_fails(k: Talk) -> None:
    for mechanism, token in (
        ("PLAIN", plain("alice", "wrong")),
        ("PLAIN", plain("bob", "bob-secret")),
        ("PLAIN", b"x"),
    ):
        peer = k.connect()
        _login(peer)
        peer.ask(*handshake(mechanism))
        peer.ask(*authenticate(token))
        peer.closed()


@of_logins(settings=SASL)
def sasl_login_again_with_another_mechanism(k: Talk) -> None:
    _login(k)
    k.ask(*handshake("SCRAM-SHA-256"))
    k.send_raw(k.frame(*authenticate(b"n,,n=alice,r=nonce")))
    k.closed()
    peer = k.connect()
    _login(peer)
    peer.send_raw(peer.frame(*handshake("GSSAPI")))
    peer.closed()


@of_logins(settings=SASL)
def sasl_login_again_and_another_request(k: Talk) -> None:
    _login(k)
    k.ask(*handshake())
    k.ask(*LISTING)
    k.closed()


@of_logins(settings=SASL)
def sasl_authenticate_without_a_handshake_after_login(k: Talk) -> None:
    _login(k)
    k.ask(*authenticate(ALICE))
    _served(k)


def _scram_user(k: Talk, *mechanisms: int) -> str:
    """Create a user with these credentials. Return its name once it can log in."""
    user = k.name("user")
    _login(k)
    for mechanism in mechanisms:
        assert k.do(*alter_users([upsertion(user, mechanism)]))["Results"][0]["ErrorCode"] == 0
        name = "SCRAM-SHA-256" if mechanism == 1 else "SCRAM-SHA-512"
        k.until(lambda name=name: _can_begin(k, name, user), bool)  # type: ignore[misc]
    return user


def _can_begin(k: Talk, mechanism: str, user: str) -> bool:
    peer = k.connect()
    peer.do(*handshake(mechanism))
    return bool(peer.do(*authenticate(ScramClient(mechanism, user, "").first()))["ErrorCode"] == 0)


def _scram(peer: Peer, mechanism: str, client: ScramClient, nonce: tuple[str, str] = ("", "")) -> None:
    """Log in, and keep what the broker responds but for its nonce. nonce: replaced in the last message."""
    peer.ask(*handshake(mechanism))
    begun = peer.ask(*authenticate(client.first()), keep=_without_nonce)
    final = client.final(bytes.fromhex(begun["AuthBytes"])).decode().replace(*nonce)
    peer.ask(
        *authenticate(final.encode()),
        keep=lambda told: {
            **told,
            "AuthBytes": client.accepts(bytes.fromhex(told["AuthBytes"])) if told["AuthBytes"] else "",
        },
    )


def _without_nonce(told: Fields) -> Any:
    parts = bytes.fromhex(told["AuthBytes"]).decode().split(",")
    return {**told, "AuthBytes": [parts[0][: len("r=clientnonce")], *parts[1:]]}


@of_logins(settings=SASL)
def sasl_scram_login(k: Talk) -> None:
    user = _scram_user(k, 1, 2)
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
        for extensions in ("", ",x=y"):
            peer = k.connect()
            _scram(peer, mechanism, ScramClient(mechanism, user, PASSWORD, extensions))
            _served(peer)
            peer.ask(*handshake(mechanism))
            peer.ask(*authenticate(b""))


@of_logins(settings=SASL)
def sasl_scram_proofs_that_fail(k: Talk) -> None:
    user = _scram_user(k, 1)
    for password, nonce in (("wrong", ("", "")), (PASSWORD, ("r=client", "r=tneilc"))):
        peer = k.connect()
        _scram(peer, "SCRAM-SHA-256", ScramClient("SCRAM-SHA-256", user, password), nonce)
        peer.closed()
    peer = k.connect()
    peer.do(*handshake("SCRAM-SHA-256"))
    peer.do(*authenticate(ScramClient("SCRAM-SHA-256", user, PASSWORD).first()))
    peer.ask(*authenticate(b"nonsense"))
    peer.closed()


@of_logins(settings=SASL)
def sasl_scram_first_messages_that_fail(k: Talk) -> None:
    user = _scram_user(k, 1)
    for message in (
        b"",
        b"nonsense",
        b"\xff\xfe",
        b"n,,n=nobody,r=nonce",
        f"y,,n={user},r=nonce".encode(),
        f"p=tls-unique,,n={user},r=nonce".encode(),
        f"n,a=bob,n={user},r=nonce".encode(),
        f"n,,n={user},r=nonce,tokenauth=true".encode(),
        f"n,,n={user}".encode(),
        f"n,,n={user}=,r=nonce".encode(),
        f"n,,r=nonce,n={user}".encode(),
    ):
        peer = k.connect()
        peer.do(*handshake("SCRAM-SHA-256"))
        peer.ask(*authenticate(message))
        peer.closed()
    peer = k.connect()
    peer.do(*handshake("SCRAM-SHA-512"))
    peer.ask(*authenticate(f"n,,n={user},r=nonce".encode()))
    peer.closed()


def _last(k: Talk, user: str, change: Callable[[ScramClient, bytes], bytes]) -> None:
    """Begin to log in, and keep what the broker does with the last message that `change` returns."""
    client, peer = ScramClient("SCRAM-SHA-256", user, PASSWORD), k.connect()
    peer.do(*handshake("SCRAM-SHA-256"))
    begun = peer.do(*authenticate(client.first()))
    peer.send(*authenticate(change(client, bytes.fromhex(begun["AuthBytes"]))))
    try:
        told = peer.take()
    except ConnectionError:
        k.keep("last message", "closed")
        return
    accepted = client.accepts(bytes.fromhex(told["AuthBytes"]))
    k.keep("last message", [told["ErrorCode"], told["ErrorMessage"], accepted])


def _final(**how: str) -> Callable[[ScramClient, bytes], bytes]:
    return lambda client, first: client.final(first, **how)


def _edited(edit: Callable[[bytes], bytes]) -> Callable[[ScramClient, bytes], bytes]:
    return lambda client, first: edit(client.final(first))


@of_logins(settings=SASL)
def sasl_scram_last_messages_with_extensions(k: Talk) -> None:
    """Kafka's proof does not cover them, so that a client that follows RFC 5802 is refused."""
    user = _scram_user(k, 1)
    texts = ("", ",x=y", ",tokenauth=true", ",x=y,z=a", ",x=a=b", ",x=", ",=y", ",x1=y", ",x", ",", ",x=\x7f")
    for text in (*texts, ",x=ü"):
        _last(k, user, _final(signed=text))
        _last(k, user, _final(unsigned=text))


@of_logins(settings=SASL)
def sasl_scram_last_messages_with_another_channel_binding(k: Talk) -> None:
    user = _scram_user(k, 1)
    texts = ("", "biws", "eSws", "bi==", "bj==", "biw=", "biw", "b", "=", "====", "biws=", "bi=s", "b?ws")
    for text in (*texts, "biws" * 50):
        _last(k, user, _final(channel=text))


@of_logins(settings=SASL)
def sasl_scram_last_messages_with_another_proof(k: Talk) -> None:
    user = _scram_user(k, 1)
    of_lengths = (b64encode(bytes(length)) for length in (0, 1, 31, 32, 33, 64, 3000))
    for proof in (*of_lengths, b"=", b"a", b"ab", b"abc", b"ab==c", b"a?==", b"abcd=", b"===="):
        _last(k, user, _edited(lambda final, proof=proof: final.rpartition(b",p=")[0] + b",p=" + proof))  # type: ignore[misc]


@of_logins(settings=SASL)
def sasl_scram_last_messages_in_other_forms(k: Talk) -> None:
    user = _scram_user(k, 1)
    for old, new in (
        (b"c=biws,", b""),
        (b"c=biws", b"C=biws"),
        (b",r=", b",R="),
        (b",r=", b",x=y,r="),
        (b",p=", b",v="),
        (b",p=", b",p=,p="),
        (b",r=client", b",r="),
        (b",r=client", b",r=x,client"),
        (b"c=biws,", b"c=biws,,"),
        (b"c=biws,", b"m=x,c=biws,"),
    ):
        _last(k, user, _edited(lambda final, old=old, new=new: final.replace(old, new)))  # type: ignore[misc]
    for text in (b",", b",x=y", b"\n", b" ", b"\0"):
        _last(k, user, _edited(lambda final, text=text: final + text))  # type: ignore[misc]


@of_logins(settings=SASL)
def sasl_scram_login_with_a_reserved_extension(k: Talk) -> None:
    """Kafka's proof does not cover it."""
    user = _scram_user(k, 1)
    for signed in (False, True):
        client, peer = ScramClient("SCRAM-SHA-256", user, PASSWORD), k.connect()
        peer.do(*handshake("SCRAM-SHA-256"))
        first = client.first().replace(b"n,,", b"n,,m=x,")
        if signed:
            client.bare = f"m=x,{client.bare}"
        begun = peer.do(*authenticate(first))
        final = client.final(bytes.fromhex(begun["AuthBytes"]))
        peer.ask(*authenticate(final), keep=lambda told: told["ErrorCode"])


@of_logins(settings=SASL)
def sasl_scram_first_messages_in_other_forms(k: Talk) -> None:
    user = _scram_user(k, 1)
    for message in (
        f"n,a={user},n={user},r=nonce",
        f"n,a=,n={user},r=nonce",
        f"n,,m=x,n={user},r=nonce",
        f"n,,m=,n={user},r=nonce",
        f"n,,m=a=b,n={user},r=nonce",
        f"n,,n={user},r=nonce,x=y",
        f"n,,n={user},r=nonce,x=",
        f"n,,n={user},r=nonce,=y",
        f"n,,n={user},r=nonce,x1=y",
        f"n,,n={user},r=nonce,x=a=b",
        f"n,,n={user},r=nonce,x=ü",
        f"n,,n={user},r=nonce,",
        f"n,,n={user},r=",
        f"n,,n={user},r=a b",
        f"n,,n={user},r=ü",
        f"n,,n={user},r=no=nce",
        f"n,,n={user}ü,r=nonce",
        f"n,,n={user}=2c,r=nonce",
        f"n,,n={user},r=nonce\n",
        f"N,,n={user},r=nonce",
        f"n,n={user},r=nonce",
    ):
        peer = k.connect()
        peer.do(*handshake("SCRAM-SHA-256"))
        told = peer.do(*authenticate(message.encode()))
        k.keep(message, [told["ErrorCode"], told["ErrorMessage"]])


def until_there(k: Talk, user: str) -> None:
    """Wait until the broker knows the new user."""
    k.until(lambda: k.do(*describe_users([user]))["Results"][0]["ErrorCode"], lambda code: not code)


@of_logins(settings=SASL)
def sasl_scram_users_with_odd_names(k: Talk) -> None:
    """Each has a credential."""
    _login(k)
    for name in ("a,b", "a=b", "ü", "a b", "a\tb", "=2C"):
        user = k.name(name)
        assert k.do(*alter_users([upsertion(user)]))["Results"][0]["ErrorCode"] == 0
        until_there(k, user)
        quoted = user.replace("=", "=3D").replace(",", "=2C")
        peer = k.connect()
        peer.do(*handshake("SCRAM-SHA-256"))
        told = peer.do(*authenticate(ScramClient("SCRAM-SHA-256", quoted, PASSWORD).first()))
        k.keep(name, [told["ErrorCode"], told["ErrorMessage"]])


@of_logins(settings=SASL)
def sasl_scram_without_headers(k: Talk) -> None:
    user = _scram_user(k, 1)
    client = ScramClient("SCRAM-SHA-256", user, PASSWORD)
    peer = k.connect()
    peer.ask(*handshake("SCRAM-SHA-256", 0))
    peer.send_raw(sized(client.first()))
    peer.send_raw(sized(client.final(bytes.fromhex(peer.frame_or_fate()))))
    k.keep("accepted", client.accepts(bytes.fromhex(peer.frame_or_fate())))
    _served(peer)


# Without SASL.


@of_logins(versions=range(3))
def sasl_requests_on_a_plaintext_listener(k: Talk, version: int) -> None:
    k.ask(*handshake(version=min(version, 1)))
    k.ask(*authenticate(ALICE, version))
    _served(k)


@of_logins()
def scram_credentials_that_are_refused(k: Talk) -> None:
    user = k.name("user")
    k.ask(*alter_users([upsertion(f"{user}.{n}", 1, n) for n in (-1, 0, 4095, 16385)]))
    k.ask(*alter_users([upsertion("", 1), upsertion(f"{user}.0", 0), upsertion(f"{user}.3", 3)]))
    k.ask(*alter_users(deletions=[(user, 1), ("", 1), (f"{user}.0", 0), (f"{user}.3", 3)]))
    k.ask(*alter_users([{**upsertion(user), "SaltedPassword": ""}]))
    k.ask(*alter_users())


@of_logins()
def scram_credentials_that_are_altered_twice(k: Talk) -> None:
    user, other = k.name("user"), k.name("user")
    k.ask(*alter_users([upsertion(user), upsertion(user, 2)]))
    k.ask(*alter_users([upsertion(user), upsertion(user, 2, 1)]))
    k.ask(*alter_users([upsertion(user, 1, 1), upsertion(user, 2), upsertion(user, 2)]))
    k.ask(*alter_users([upsertion(user)]))
    k.ask(*alter_users([upsertion(user)], [(user, 1)]))
    k.ask(*alter_users([upsertion(user)], [(user, 2)]))
    k.ask(*alter_users(deletions=[(user, 1), (user, 1)]))
    k.ask(*alter_users([upsertion(other), upsertion(f"{other}.x", 1, 5)], [(user, 1), ("nobody", 1)]))


@of_logins()
def scram_credentials_are_described(k: Talk) -> None:
    user, other = k.name("user"), k.name("user")
    for mechanism, iterations in ((1, 4096), (2, 16384), (1, 5000)):
        k.ask(*alter_users([upsertion(user, mechanism, iterations)]))
    k.ask(*alter_users([upsertion(other, 2, 4096, salt=b"")]))
    described = {user: [5000, 16384], other: [4096]}
    for name, iterations_of in described.items():
        k.until(
            lambda name=name: k.do(*describe_users([name]))["Results"][0],  # type: ignore[misc]
            lambda told, expected=iterations_of: (  # type: ignore[misc]
                [each["Iterations"] for each in told["CredentialInfos"]] == expected
            ),
        )
    k.ask(*describe_users([user, other, "nobody", ""]))
    k.ask(*describe_users([user, other, user]))
    for everything in (None, []):
        k.ask(
            *describe_users(everything),
            keep=lambda told: [each for each in told["Results"] if each["User"] in described],
        )
    k.ask(*alter_users(deletions=[(user, 2)]))
    k.until(
        lambda: k.do(*describe_users([user]))["Results"][0],
        lambda told: len(told["CredentialInfos"]) == 1,
    )
    k.ask(*describe_users([user]))
