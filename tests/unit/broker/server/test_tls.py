"""Listeners with TLS, over real sockets: clients that are served, and clients that are refused."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.x509.oid import NameOID

from tests.authorities import Authority, Signed
from tests.unit.broker.whole import DEADLINE_S, Client, Whole, running
from tidemark.server import certificates
from tidemark.server.certificates import CHECK_MS
from tidemark.settings.setting import ConfigError
from tidemark.settings.tls import TlsSettings
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_testing.storage import MemoryStorage

CA: Final = Authority()
SERVER: Final = CA.sign()
ALICE: Final = CA.sign((NameOID.ORGANIZATION_NAME, "Org, Inc."), (NameOID.COMMON_NAME, "alice"))
HANDSHAKE_MS: Final = 30_000
REFUSED = "connection closed after invalid input"
ILLEGAL_SASL_STATE = 34


def keys(signed: Signed = SERVER, password: str | None = None) -> dict[str, str]:
    found = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": signed.key(password),
        "ssl.keystore.certificate.chain": signed.chain,
    }
    return found if password is None else found | {"ssl.key.password": password}


def trusts(client_auth: str, authority: Authority = CA) -> dict[str, str]:
    return {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": authority.pem,
        "ssl.client.auth": client_auth,
    }


@asynccontextmanager
async def tls_broker(settings: dict[str, str] | None = None) -> AsyncIterator[Whole]:
    """Start a node whose first listener has TLS, and whose second has not."""
    values = {
        "listeners": "SSL://127.0.0.1:0,PLAINTEXT://127.0.0.1:0",
        **({} if settings and "ssl.keystore.type" in settings else keys()),
        **(settings or {}),
    }
    names = {name.replace(".", "_"): value for name, value in values.items()}
    async with running(MemoryStorage(), **names) as whole:
        yield whole


def port_of(whole: Whole, listener: str) -> int:
    return next(bound.number for address, bound in whole.node.listeners if address.name == listener)


def trusting(tmp_path: Path, signed: Signed | None = None, authority: Authority = CA) -> ssl.SSLContext:
    """Return the context of a client, which may have a certificate."""
    context = ssl.create_default_context(cadata=authority.pem)
    if signed is not None:
        file = tmp_path / "client.pem"
        file.write_text(signed.key() + signed.chain)
        context.load_cert_chain(file)
    return context


async def connect(whole: Whole, context: ssl.SSLContext) -> Client:
    made = await asyncio.open_connection("127.0.0.1", port_of(whole, "SSL"), ssl=context)
    whole._clients.append(client := Client(*made))
    return client


async def plain(whole: Whole, listener: str = "PLAINTEXT") -> Client:
    made = await asyncio.open_connection("127.0.0.1", port_of(whole, listener))
    whole._clients.append(client := Client(*made))
    return client


async def is_served(client: Client) -> bool:
    return bool((await client.ask("ApiVersions", 0, {}))["ErrorCode"] == 0)


async def has_ended(client: Client) -> bool:
    """Return whether the broker closes the connection. It may send an alert before."""
    async with asyncio.timeout(10):
        try:
            while await client.reader.read(1000):
                pass
        except (ConnectionError, ssl.SSLError):
            pass
    return True


async def until(condition: Any) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.001)


def reasons(whole: Whole) -> list[str]:
    return [line["reason"] for line in whole.lines.of(REFUSED)]


# Clients that are served.


@pytest.mark.parametrize("use_rsa", [False, True], ids=["ECDSA", "RSA"])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_client_is_served_over_tls(version: ssl.TLSVersion, use_rsa: bool, tmp_path: Path) -> None:
    context = trusting(tmp_path)
    context.minimum_version = context.maximum_version = version
    async with tls_broker(keys(CA.sign(use_rsa=use_rsa))) as whole:
        client = await connect(whole, context)
        assert await client.make_topic() == 0
        await client.find()
        assert await client.commit("g", 7) == 0
        assert await client.committed("g") == 7
        assert sum(whole.metrics.bad_input.values()) == 0


async def test_listener_without_tls_works_beside_it(tmp_path: Path) -> None:
    async with tls_broker() as whole:
        over_tls, without = await connect(whole, trusting(tmp_path)), await plain(whole)
        for client, listener in ((over_tls, "SSL"), (without, "PLAINTEXT")):
            (node,) = (await client.ask("Metadata", 1, {"Topics": []}))["Brokers"]
            assert node["Port"] == port_of(whole, listener)


@pytest.mark.parametrize(
    ("listener", "advertised", "host"),
    [
        ("localhost", "", "localhost"),
        ("0.0.0.0", "", "127.0.0.1"),
        ("localhost", "example.com:9093", "example.com"),
    ],
)
async def test_name_of_the_listener_is_advertised_because_clients_check_it(
    listener: str, advertised: str, host: str, tmp_path: Path
) -> None:
    settings = {"listeners": f"SSL://{listener}:0,PLAINTEXT://localhost:0"}
    if advertised:
        settings["advertised.listeners"] = f"SSL://{advertised}"
    async with tls_broker(settings) as whole:
        client = await connect(whole, trusting(tmp_path))
        (node,) = (await client.ask("Metadata", 1, {"Topics": []}))["Brokers"]
        assert node["Host"] == host
        (node,) = (await (await plain(whole)).ask("Metadata", 1, {"Topics": []}))["Brokers"]
        assert node["Host"] == "127.0.0.1"


async def test_chain_with_an_intermediate_authority_is_sent(tmp_path: Path) -> None:
    signed = Authority("Below", above=CA).sign()
    async with tls_broker(keys(signed)) as whole:
        assert await is_served(await connect(whole, trusting(tmp_path)))


async def test_hello_in_single_bytes_is_accepted(tmp_path: Path) -> None:
    async with tls_broker() as whole:
        raw = await plain(whole, "SSL")
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = trusting(tmp_path).wrap_bio(incoming, outgoing, server_hostname="localhost")
        async with asyncio.timeout(10):
            while True:
                try:
                    session.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    for byte in outgoing.read():
                        raw.writer.write(bytes([byte]))
                        await asyncio.sleep(0)
                    incoming.write(await raw.reader.read(65536))
        assert session.version() == "TLSv1.3"


async def test_large_requests_and_responses_arrive_whole(tmp_path: Path) -> None:
    value = bytes(range(256)) * (20 * 1024)
    async with tls_broker({"message.max.bytes": "20000000"}) as whole:
        client = await connect(whole, trusting(tmp_path))
        assert await client.make_topic() == 0
        batch = build_batch([LogRecord(0, 0, None, value)])
        partition = {"Index": 0, "Records": batch.hex()}
        produced = await client.ask(
            "Produce",
            9,
            {
                "Acks": -1,
                "TimeoutMs": 1000,
                "TopicData": [{"Name": "orders", "PartitionData": [partition]}],
            },
        )
        assert produced["Responses"][0]["PartitionResponses"][0]["ErrorCode"] == 0
        fetch = {
            "ReplicaId": -1,
            "MaxWaitMs": 0,
            "MinBytes": 1,
            "MaxBytes": 50_000_000,
            "Topics": [
                {
                    "Topic": "orders",
                    "Partitions": [{"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 50_000_000}],
                }
            ],
        }
        for _ in range(3):
            client.send("Fetch", 4, fetch)
        for _ in range(3):
            fetched = await client.answer("Fetch", 4)
            (found,) = fetched["Responses"][0]["Partitions"]
            assert value.hex() in found["Records"]


async def test_client_that_reads_nothing_holds_back_itself_only(tmp_path: Path) -> None:
    async with tls_broker({"tidemark.connection.unsent.max.bytes": "100000"}) as whole:
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # so that the system holds little
        raw.connect(("127.0.0.1", port_of(whole, "SSL")))
        made = await asyncio.open_connection(
            sock=raw, ssl=trusting(tmp_path), server_hostname="localhost", limit=1 << 14
        )
        whole._clients.append(client := Client(*made))
        await client.make_topic("wide", 300)
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        sent = 0
        async with asyncio.timeout(30):
            while whole.server.unsent.total < 50_000:
                client.send("Metadata", 1, {"Topics": None})  # each response has about 8 kB
                sent += 1
                await asyncio.sleep(0)
        assert await is_served(await plain(whole))
        assert whole.server.unsent.total < 1_000_000
        client.writer.transport.resume_reading()  # type: ignore[attr-defined]
        for _ in range(sent):
            assert len((await client.answer("Metadata", 1))["Topics"][0]["Partitions"]) == 300


async def test_client_that_closes_gets_no_line_in_the_log(tmp_path: Path) -> None:
    async with tls_broker() as whole:
        client = await connect(whole, trusting(tmp_path))
        assert await is_served(client)
        client.writer.close()
        await until(lambda: not whole.metrics.connections["SSL"])
        assert reasons(whole) == []


# Principals. A super user may create a topic, the others may not.


async def principal_is(whole: Whole, context: ssl.SSLContext) -> bool:
    """Return whether the principal of a client is the super user."""
    client = await connect(whole, context)
    topic = {"Name": "new", "NumPartitions": 1, "ReplicationFactor": 1}
    answered = await client.ask("CreateTopics", 7, {"Topics": [topic], "validateOnly": True})
    return bool(answered["Topics"][0]["ErrorCode"] == 0)


def super_user(name: str) -> dict[str, str]:
    return {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": name,
    }


@pytest.mark.parametrize("client_auth", ["requested", "required"])
async def test_principal_is_the_name_in_the_certificate(client_auth: str, tmp_path: Path) -> None:
    name = super_user("User:CN=alice,O=Org\\, Inc.")
    async with tls_broker(name | trusts(client_auth)) as whole:
        assert await principal_is(whole, trusting(tmp_path, ALICE))
        bob = CA.sign((NameOID.COMMON_NAME, "bob"))
        assert not await principal_is(whole, trusting(tmp_path, bob))


async def test_principal_without_a_certificate_is_anonymous(tmp_path: Path) -> None:
    name = super_user("User:ANONYMOUS")
    async with tls_broker(name | trusts("requested")) as whole:
        assert await principal_is(whole, trusting(tmp_path))
        assert not await principal_is(whole, trusting(tmp_path, ALICE))


async def test_certificate_that_was_not_requested_is_ignored(tmp_path: Path) -> None:
    async with tls_broker(super_user("User:ANONYMOUS") | trusts("none")) as whole:
        assert await principal_is(whole, trusting(tmp_path, ALICE))


async def test_rules_make_the_principal(tmp_path: Path) -> None:
    rules = {"ssl.principal.mapping.rules": "RULE:^CN=([^,]*),.*$/$1/U"}
    async with tls_broker(super_user("User:ALICE") | rules | trusts("required")) as whole:
        assert await principal_is(whole, trusting(tmp_path, ALICE))


async def test_certificate_to_which_no_rule_applies_is_refused(tmp_path: Path) -> None:
    rules = {"ssl.principal.mapping.rules": "RULE:^CN=bob$/bob/"}
    async with tls_broker(rules | trusts("required")) as whole:
        assert await has_ended(await connect(whole, trusting(tmp_path, ALICE)))
        (reason,) = reasons(whole)
        assert "based on SSL principal mapping rules" in reason
        assert whole.metrics.bad_input["tls"] == 1


async def test_listener_with_sasl_may_also_require_a_certificate(tmp_path: Path) -> None:
    settings = {
        **{name: value for name, value in trusts("required").items() if name != "ssl.client.auth"},
        "listener.name.ssl.ssl.client.auth": "required",
        "connection.failed.authentication.delay.ms": "0",
        "listener.security.protocol.map": "SSL:SASL_SSL,PLAINTEXT:PLAINTEXT",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    }
    async with tls_broker(settings) as whole:
        client = await connect(whole, trusting(tmp_path, ALICE))
        handshake = await client.ask("SaslHandshake", 1, {"Mechanism": "SCRAM-SHA-256"})
        assert handshake["Mechanisms"] == ["SCRAM-SHA-256"]
        client.send("ListGroups", 0, {})  # the certificate does not replace the login
        assert (await client.answer("ListGroups", 0))["ErrorCode"] == ILLEGAL_SASL_STATE
        assert await has_ended(client)
        assert "peer did not return a certificate" in await refused_handshake(whole, trusting(tmp_path))


# Clients that are refused.


async def refused_handshake(whole: Whole, context: ssl.SSLContext) -> str:
    """Connect, and return why the broker closes the connection.

    With TLS 1.3 the client learns of it with its first read.
    """
    try:
        assert await has_ended(await connect(whole, context))
    except (ssl.SSLError, ConnectionError):
        pass
    await until(lambda: reasons(whole))
    (reason,) = reasons(whole)
    assert whole.metrics.bad_input["tls"] == 1
    assert await is_served(await plain(whole))
    return reason


async def test_client_without_the_certificate_that_is_required_is_refused(tmp_path: Path) -> None:
    async with tls_broker(trusts("required")) as whole:
        reason = await refused_handshake(whole, trusting(tmp_path))
        assert reason == "TLS handshake failed: peer did not return a certificate"


@pytest.mark.parametrize("client_auth", ["requested", "required"])
async def test_certificate_that_does_not_chain_is_refused(client_auth: str, tmp_path: Path) -> None:
    forged = Authority().sign((NameOID.COMMON_NAME, "alice"))
    async with tls_broker(trusts(client_auth)) as whole:
        reason = await refused_handshake(whole, trusting(tmp_path, forged))
        assert reason.startswith("TLS handshake failed: certificate verify failed: ")


async def test_certificate_in_the_trust_store_needs_no_authority(tmp_path: Path) -> None:
    alice = Authority("Unknown").sign((NameOID.COMMON_NAME, "alice"))
    settings = {**trusts("required"), "ssl.truststore.certificates": alice.chain}
    async with tls_broker(settings) as whole:
        assert await is_served(await connect(whole, trusting(tmp_path, alice)))
        other = Authority("Unknown").sign((NameOID.COMMON_NAME, "alice"))
        await refused_handshake(whole, trusting(tmp_path, other))


async def test_certificate_that_has_expired_is_refused(tmp_path: Path) -> None:
    expired = CA.sign((NameOID.COMMON_NAME, "alice"), expired=True)
    async with tls_broker(trusts("required")) as whole:
        reason = await refused_handshake(whole, trusting(tmp_path, expired))
        assert reason == "TLS handshake failed: certificate verify failed: certificate has expired"


async def test_protocol_that_is_not_enabled_is_refused(tmp_path: Path) -> None:
    context = trusting(tmp_path)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    async with tls_broker({"ssl.enabled.protocols": "TLSv1.3", **keys()}) as whole:
        assert await refused_handshake(whole, context) == "TLS handshake failed: unsupported protocol"


async def test_client_without_a_common_cipher_suite_is_refused(tmp_path: Path) -> None:
    suite = {"ssl.cipher.suites": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"}
    context = trusting(tmp_path)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    async with tls_broker(suite | keys()) as whole:
        assert await is_served(await connect(whole, context))
        context.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256")
        assert await refused_handshake(whole, context) == "TLS handshake failed: no shared cipher"


async def test_client_that_does_not_trust_the_broker_is_logged(tmp_path: Path) -> None:
    context = trusting(tmp_path, authority=Authority("Stranger"))

    def distrust(port: int) -> None:
        # The client of asyncio would close the connection without an alert.
        with socket.create_connection(("127.0.0.1", port)) as raw, pytest.raises(ssl.SSLError):
            context.wrap_socket(raw, server_hostname="localhost")

    async with tls_broker() as whole:
        await asyncio.to_thread(distrust, port_of(whole, "SSL"))
        await until(lambda: reasons(whole))
        assert reasons(whole) == ["TLS handshake failed: tlsv1 alert unknown ca"]


HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
GARBAGE = {
    "a Kafka request": (b"\0\0\0\x0a\0\x12\0\0\0\0\0\x01\xff\xff", "the client does not use TLS"),
    "HTTP": (b"GET / HTTP/1.1\r\n\r\n", "the client does not use TLS: its first byte is 71"),
    "noise after the first byte": (b"\x16" + b"\xff" * 100, ""),
    "a record that is too long": (b"\x16\x03\x01\xff\xff" + b"\0" * 100, ""),
    "a hello of zeros": (b"\x16\x03\x01\x00\x40\x01\x00\x00\x3c" + bytes(60), ""),
    "a second message before the first": (b"\x16\x03\x03\x00\x04\x0e\x00\x00\x00", ""),
}


@pytest.mark.parametrize(("data", "why"), GARBAGE.values(), ids=GARBAGE.keys())
async def test_what_is_not_tls_is_counted_and_closes_only_its_connection(data: bytes, why: str) -> None:
    async with tls_broker() as whole:
        client = await plain(whole, "SSL")
        client.writer.write(data)
        assert await has_ended(client)
        (reason,) = reasons(whole)
        assert reason.startswith(f"TLS handshake failed: {why}")
        assert whole.metrics.bad_input["tls"] == 1
        assert await is_served(await plain(whole))


async def test_hello_without_end_is_refused() -> None:
    async with tls_broker() as whole:
        client = await plain(whole, "SSL")
        # Each record says that the hello has 16 MB.
        client.writer.write(b"\x16\x03\x01\x40\x00\x01\xff\xff\xff" + bytes(0x4000 - 4))
        client.writer.write((b"\x16\x03\x01\x40\x00" + bytes(0x4000)) * 40)
        assert await has_ended(client)
        assert len(reasons(whole)) == 1


async def test_hello_on_a_listener_without_tls_is_named_in_the_log(tmp_path: Path) -> None:
    async with tls_broker() as whole:
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await asyncio.open_connection(
                "127.0.0.1", port_of(whole, "PLAINTEXT"), ssl=trusting(tmp_path), server_hostname="localhost"
            )
        (reason,) = reasons(whole)
        assert reason.endswith("bytes is not allowed (the client uses TLS)")
        assert whole.metrics.bad_input["frame_size"] == 1


async def test_garbage_after_the_handshake_closes_the_connection(tmp_path: Path) -> None:
    async with tls_broker() as whole:
        client = await connect(whole, trusting(tmp_path))
        assert await is_served(client)
        raw = client.writer.transport.get_extra_info("socket")
        sent = socket.socket(fileno=socket.dup(raw.fileno()))
        sent.send(b"\x17\x03\x03\x00\x20" + b"x" * 32)
        sent.close()
        assert await has_ended(client)
        (reason,) = reasons(whole)
        assert reason == "TLS: decryption failed or bad record mac"
        assert whole.metrics.bad_input["tls"] == 1


# Clients that are silent.


async def test_half_a_hello_and_silence_is_closed_and_counted() -> None:
    async with tls_broker() as whole:
        client = await plain(whole, "SSL")
        client.writer.write(HELLO)
        await until(lambda: len(whole.server._handshakes or ()) == 1)
        await whole.passes(HANDSHAKE_MS - 1000)
        assert reasons(whole) == []
        await whole.passes(2000)
        assert await has_ended(client)
        assert reasons(whole) == [f"TLS handshake failed: not complete after {HANDSHAKE_MS} ms"]
        assert whole.metrics.bad_input["tls"] == 1


async def test_client_that_sends_nothing_is_closed_without_a_line() -> None:
    async with tls_broker() as whole:
        client = await plain(whole, "SSL")
        await until(lambda: len(whole.server._handshakes or ()) == 1)
        await whole.passes(HANDSHAKE_MS + 2000)
        assert await has_ended(client)
        assert reasons(whole) == []


async def test_client_that_hangs_up_within_its_hello_is_counted() -> None:
    async with tls_broker() as whole:
        client = await plain(whole, "SSL")
        client.writer.write(HELLO)
        client.writer.write_eof()
        assert await has_ended(client)
        assert reasons(whole) == ["TLS handshake failed: the client closed the connection"]


async def test_one_address_may_have_half_of_the_handshakes(tmp_path: Path) -> None:
    async with tls_broker({"tidemark.tls.handshakes.max": "8"}) as whole:
        silent = [await plain(whole, "SSL") for _ in range(6)]
        assert await has_ended(silent[0])
        assert await has_ended(silent[1])
        assert await is_served(await connect(whole, trusting(tmp_path)))
        await until(lambda: len(whole.server._handshakes or ()) == 3)  # of those that are left, one made room


async def test_limit_of_connections_holds_before_the_handshake() -> None:
    async with tls_broker({"max.connections.per.ip": "1"}) as whole:
        await plain(whole, "SSL")
        assert await has_ended(await plain(whole, "SSL"))
        assert whole.metrics.bad_input["connections"] == 1


async def test_commits_go_on_while_hundreds_of_handshakes_are_incomplete(tmp_path: Path) -> None:
    async with tls_broker() as whole:
        committing = await plain(whole)
        await committing.make_topic()
        await committing.find()
        halves = []
        for number in range(300):
            half = await plain(whole, "SSL")
            half.writer.write(HELLO[: 1 + number % len(HELLO)])
            halves.append(half)
            assert await committing.commit("g", number) == 0
        await until(lambda: len(whole.server._handshakes or ()) == 300)
        late = await connect(whole, trusting(tmp_path))
        await late.find()
        assert await late.committed("g") == 299
        for half in halves:
            half.writer.close()


async def test_handshakes_that_begin_at_once_are_all_served(tmp_path: Path) -> None:
    context = trusting(tmp_path)
    async with tls_broker(keys(CA.sign(use_rsa=True))) as whole:
        committing = await plain(whole)
        await committing.make_topic()
        await committing.find()

        async def one() -> bool:
            return await is_served(await connect(whole, context))

        handshakes = asyncio.gather(*(one() for _ in range(100)))
        commits = 0
        while not handshakes.done():
            assert await committing.commit("g", commits) == 0
            commits += 1
        assert all(await handshakes)
        assert commits > 1


# Keys and certificates.


def write_keys(file: Path, signed: Signed) -> dict[str, str]:
    """Write a key store, as a tool that renews certificates does. Return its settings."""
    new = file.with_suffix(".new")
    new.write_text(signed.key() + signed.chain)
    new.rename(file)
    return {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(file)}


async def serial_number(whole: Whole, context: ssl.SSLContext) -> int:
    """Return the serial number of the certificate that a new client receives."""
    client = await connect(whole, context)
    found: Any = client.writer.get_extra_info("peercert")
    return int(found["serialNumber"], 16)


async def test_new_certificate_is_used_without_a_restart(tmp_path: Path) -> None:
    first, second = CA.sign(), CA.sign()
    file = tmp_path / "broker.pem"
    async with tls_broker(write_keys(file, first)) as whole:
        context = trusting(tmp_path)
        early = await connect(whole, context)
        assert await serial_number(whole, context) == first.certificate.serial_number
        write_keys(file, second)
        whole.clock.advance(CHECK_MS)
        assert await serial_number(whole, context) == second.certificate.serial_number
        assert whole.lines.of("certificates reloaded") == [{"listener": "SSL"}]
        assert await is_served(early)


async def test_certificate_that_cannot_be_used_leaves_the_old_one(tmp_path: Path) -> None:
    first = CA.sign()
    file = tmp_path / "broker.pem"
    async with tls_broker(write_keys(file, first)) as whole:
        context = trusting(tmp_path)
        other = CA.sign()
        for content in ("nonsense", CA.sign().key() + other.chain, other.chain, ""):
            file.write_text(content)
            whole.clock.advance(CHECK_MS)
            for _ in range(2):
                assert await serial_number(whole, context) == first.certificate.serial_number
                whole.clock.advance(CHECK_MS)
        refused = whole.lines.of("certificates not reloaded")
        assert len(refused) == 4
        assert all(line["reason"].startswith("Listener SSL: Failed to load ssl.keystore") for line in refused)
        write_keys(file, other)
        assert await serial_number(whole, context) == other.certificate.serial_number


async def test_files_that_cannot_be_read_in_time_leave_the_old_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = CA.sign(), CA.sign()
    file = tmp_path / "broker.pem"
    monkeypatch.setattr(certificates, "READ_S", 0.2)
    readable = threading.Event()
    look = certificates._look

    def hangs(settings: TlsSettings) -> tuple[certificates.State, ...]:
        assert readable.wait(DEADLINE_S)
        return look(settings)

    async with tls_broker(write_keys(file, first)) as whole:
        context = trusting(tmp_path)
        monkeypatch.setattr(certificates, "_look", hangs)
        write_keys(file, second)
        for _ in range(3):
            whole.clock.advance(CHECK_MS)
            assert await serial_number(whole, context) == first.certificate.serial_number
        (refused,) = whole.lines.of("certificates not reloaded")
        assert refused["reason"] == "the files cannot be read within 0.2 seconds"
        threads = [each for each in threading.enumerate() if each.name == "tidemark-patience"]
        assert [each.daemon for each in threads] == [True]  # they do not delay the end of the process
        readable.set()
        threads[0].join(DEADLINE_S)
        whole.clock.advance(CHECK_MS)
        assert await serial_number(whole, context) == second.certificate.serial_number


async def altered(client: Client, **settings: str) -> tuple[int, str | None]:
    """Change settings of the listener. Return the error code and the message."""
    configs = [
        {"Name": f"listener.name.ssl.ssl.{name.replace('_', '.')}", "ConfigOperation": 0, "Value": value}
        for name, value in settings.items()
    ]
    resource = {"ResourceType": 4, "ResourceName": "1", "Configs": configs}
    answered = await client.ask("IncrementalAlterConfigs", 1, {"Resources": [resource]})
    (response,) = answered["Responses"]
    return response["ErrorCode"], response["ErrorMessage"]


async def alter(client: Client, **settings: str) -> int:
    """Change settings of the listener. Return the error code."""
    return (await altered(client, **settings))[0]


UNUSABLE: Final = (
    "Invalid value org.apache.kafka.common.config.ConfigException: Validation of dynamic config update of "
    "SSLFactory failed: org.apache.kafka.common.{} for configuration Invalid dynamic configuration"
)


async def test_settings_that_cannot_be_used_are_refused_in_kafkas_words(tmp_path: Path) -> None:
    """Kafka waits forever for the writer of a FIFO. Otherwise the messages are those of Kafka 4.3.1."""
    fifo, missing, rubbish = tmp_path / "fifo.p12", tmp_path / "missing.p12", tmp_path / "rubbish.p12"
    good = tmp_path / "good.p12"
    os.mkfifo(fifo)
    rubbish.write_text("rubbish")
    good.write_bytes(SERVER.pkcs12("secret"))
    own = {"listener.name.ssl.ssl.keystore.location": str(good)}
    own |= {"listener.name.ssl.ssl.keystore.password": "secret"}
    async with tls_broker({"ssl.keystore.type": "PKCS12", **own}) as whole:
        client, context = await plain(whole), trusting(tmp_path)
        serial = await serial_number(whole, context)
        for location in (missing, rubbish, tmp_path, fifo):
            text = f"KafkaException: Failed to load SSL keystore {location} of type PKCS12"
            assert await altered(client, keystore_location=str(location)) == (42, UNUSABLE.format(text))
        text = f"KafkaException: Failed to load SSL keystore {good} of type PKCS12"
        assert await altered(client, keystore_password="wrong") == (42, UNUSABLE.format(text))
        text = (
            "errors.InvalidConfigurationException: SSL key store password cannot be specified with PEM "
            "format, only key password may be specified."
        )
        assert await altered(client, keystore_type="PEM") == (42, UNUSABLE.format(text))
        reasons = [line["reason"] for line in whole.lines.of("certificates refused")]
        assert [reason.rpartition(": ")[2] for reason in reasons[:4]] == [
            "No such file or directory",
            "the password is wrong, or the file is not PKCS12",
            "Is a directory",
            "it is no regular file",
        ]
        assert len(reasons) == 6
        assert not whole.state.cluster.overrides(4, "1")
        assert await alter(client, keystore_location=str(good)) == 0
        whole.clock.advance(CHECK_MS)
        assert await serial_number(whole, context) == serial
        assert not whole.lines.of("certificates not reloaded")


async def test_other_clients_are_served_while_a_changed_key_store_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    second, readable = CA.sign(), threading.Event()
    build = certificates.build_context

    def slow(settings: TlsSettings) -> ssl.SSLContext:
        assert readable.wait(DEADLINE_S)
        return build(settings)

    own = {f"listener.name.ssl.{name}": value for name, value in keys().items()}
    async with tls_broker({"ssl.keystore.type": "JKS", **own}) as whole:
        client, other = await plain(whole), await plain(whole)
        changed = {"keystore_key": second.key(), "keystore_certificate_chain": second.chain}
        with monkeypatch.context() as patched:
            patched.setattr(certificates, "build_context", slow)
            altering = asyncio.ensure_future(alter(client, **changed))
            for _ in range(10):
                assert await is_served(other)
            assert not altering.done()
            readable.set()
            assert await altering == 0
        whole.clock.advance(CHECK_MS)
        assert await serial_number(whole, trusting(tmp_path)) == second.certificate.serial_number


async def test_stop_does_not_wait_for_a_changed_key_store(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, readable = threading.Event(), threading.Event()

    def hanging(settings: TlsSettings) -> ssl.SSLContext:
        reading.set()
        assert readable.wait(DEADLINE_S)
        raise ConfigError("too late")

    own = {f"listener.name.ssl.{name}": value for name, value in keys().items()}
    try:
        async with tls_broker({"ssl.keystore.type": "JKS", **own}) as whole:
            client = await plain(whole)
            monkeypatch.setattr(certificates, "build_context", hanging)
            altering = asyncio.ensure_future(alter(client, keystore_key=CA.sign().key()))
            while not reading.is_set():
                assert await is_served(await plain(whole))
            async with asyncio.timeout(DEADLINE_S / 2):
                await whole.node.stop()
            with pytest.raises(ConnectionError):
                await altering
    finally:
        readable.set()


async def test_key_store_that_cannot_be_read_in_time_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    readable = threading.Event()

    def hanging(settings: TlsSettings) -> ssl.SSLContext:
        assert readable.wait(DEADLINE_S)
        raise ConfigError("too late")

    own = {f"listener.name.ssl.{name}": value for name, value in keys().items()}
    async with tls_broker({"ssl.keystore.type": "JKS", **own}) as whole:
        for address, _ in whole.node.listeners:
            if address.tls is not None:
                address.tls._trial._seconds = 0.01
        client = await plain(whole)
        with monkeypatch.context() as patched:
            patched.setattr(certificates, "build_context", hanging)
            for _ in range(2):
                code, message = await altered(client, keystore_key=CA.sign().key())
                assert code == 42
                assert "the files cannot be read within" in str(message)
            readable.set()


async def test_certificate_in_the_settings_is_changed_by_a_client(tmp_path: Path) -> None:
    first, second = CA.sign(), CA.sign()
    own = {f"listener.name.ssl.{name}": value for name, value in keys(first).items()}
    async with tls_broker({"ssl.keystore.type": "JKS", **own}) as whole:
        context = trusting(tmp_path)
        assert await serial_number(whole, context) == first.certificate.serial_number
        client = await plain(whole)
        assert await alter(client, keystore_key=second.key(), keystore_certificate_chain=second.chain) == 0
        whole.clock.advance(CHECK_MS)
        assert await serial_number(whole, context) == second.certificate.serial_number
        assert await alter(client, keystore_key=first.key()) == 42
        for _ in range(3):
            whole.clock.advance(CHECK_MS)
            assert await serial_number(whole, context) == second.certificate.serial_number
        (refused,) = whole.lines.of("certificates refused")
        assert "key values mismatch" in refused["reason"]


async def test_changed_certificate_is_used_after_a_restart(tmp_path: Path) -> None:
    storage = MemoryStorage()
    first, second = CA.sign(), CA.sign()
    settings = {"listeners": "SSL://127.0.0.1:0,PLAINTEXT://127.0.0.1:0", **keys(first)}
    names = {name.replace(".", "_"): value for name, value in settings.items()}
    context = trusting(tmp_path)
    async with running(storage, **names) as whole:
        changed = {"keystore_key": second.key(), "keystore_certificate_chain": second.chain}
        assert await alter(await plain(whole), **changed) == 0
    async with running(storage, **names) as whole:
        assert await serial_number(whole, context) == second.certificate.serial_number


async def test_authority_that_is_added_is_trusted_without_a_restart(tmp_path: Path) -> None:
    other = Authority("Other")
    bob = other.sign((NameOID.COMMON_NAME, "bob"))
    file = tmp_path / "trusted.pem"
    file.write_text(CA.pem)
    settings = {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(file),
        "ssl.client.auth": "required",
    }
    async with tls_broker(settings) as whole:
        await refused_handshake(whole, trusting(tmp_path, bob))
        file.write_text(CA.pem + other.pem)
        whole.clock.advance(CHECK_MS)
        assert await is_served(await connect(whole, trusting(tmp_path, bob)))


async def test_pkcs12_and_encrypted_keys_are_read(tmp_path: Path) -> None:
    store, trusted = tmp_path / "broker.p12", tmp_path / "trusted.pem"
    store.write_bytes(Authority("Below", above=CA).sign().pkcs12("store-secret"))
    trusted.write_text(CA.pem)
    # Java opens PKCS12 files also if their type is given as JKS, which is the default.
    files = {"ssl.keystore.location": str(store), "ssl.keystore.password": "store-secret"}
    for settings in (files | {"ssl.keystore.type": "PKCS12"}, files | {"ssl.keystore.type": "JKS"},
                     keys(password="key-secret")):  # fmt: skip
        async with tls_broker(settings) as whole:
            assert await is_served(await connect(whole, trusting(tmp_path)))


async def test_blocks_may_have_spaces_in_place_of_line_breaks(tmp_path: Path) -> None:
    in_one_line = {name: " ".join(value.split()) for name, value in keys().items()}
    async with tls_broker(in_one_line) as whole:
        assert await is_served(await connect(whole, trusting(tmp_path)))


def stored(content: bytes, file: Path, **more: str) -> dict[str, str]:

    file.write_bytes(content)
    return {"ssl.keystore.location": str(file), "ssl.keystore.password": "secret-1", **more}


async def test_store_that_cannot_be_used_is_refused_at_the_start(tmp_path: Path) -> None:
    p12 = SERVER.pkcs12("secret-2")
    cases = {
        "JKS files are not supported. Convert the file with: keytool -importkeystore -srckeystore": stored(
            b"\xfe\xed\xfe\xed" + bytes(50), tmp_path / "a", **{"ssl.keystore.type": "JKS"}
        ),
        "the password is wrong, or the file is not PKCS12": stored(
            p12, tmp_path / "b", **{"ssl.keystore.type": "PKCS12"}
        ),
        "No such file": {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(tmp_path / "none")},
        "the private key is encrypted. Set ssl.key.password": {
            **keys(),
            "ssl.keystore.key": SERVER.key("secret-3"),
        },
        "ssl.key.password": keys(password="secret-4") | {"ssl.key.password": "secret-5"},
        "key values mismatch": {**keys(), "ssl.keystore.key": ALICE.key()},
        "Expected one private key, but found 0": {**keys(), "ssl.keystore.key": "x"},
        "No matching CERTIFICATE entries in PEM file": {**keys(), "ssl.keystore.certificate.chain": "x"},
    }
    for text, settings in cases.items():
        with pytest.raises(ConfigError) as refused:
            async with tls_broker({"ssl.keystore.type": "JKS", **settings}):
                pass
        assert text in str(refused.value)
        assert "secret-" not in str(refused.value)


async def test_describe_configs_shows_no_key(tmp_path: Path) -> None:
    own = {f"listener.name.ssl.{name}": value for name, value in keys(password="key-secret").items()}
    async with tls_broker({"ssl.keystore.type": "PEM", **own}) as whole:
        client = await connect(whole, trusting(tmp_path))
        resource = {"ResourceType": 4, "ResourceName": "1", "ConfigurationKeys": None}
        described = await client.ask("DescribeConfigs", 4, {"Resources": [resource], "IncludeSynonyms": True})
        found = {one["Name"]: one for one in described["Results"][0]["Configs"]}
        secret = [name for name in own if not name.endswith("type")]
        assert len(secret) == 3
        for name in secret:
            assert found[name]["IsSensitive"]
            assert found[name]["Value"] is None
            assert all(synonym["Value"] is None for synonym in found[name]["Synonyms"])
        assert "key-secret" not in str(described)
        assert "BEGIN" not in str(described)


def test_suite_that_openssl_does_not_have_is_refused() -> None:
    async def start() -> None:
        async with tls_broker({**keys(), "ssl.cipher.suites": "TLS_RSA_WITH_RC4_128_MD5"}):
            pass

    with pytest.raises(ConfigError, match="Unsupported CipherSuite: TLS_RSA_WITH_RC4_128_MD5"):
        asyncio.run(start())
