"""Damaged TLS records on a running broker: of the hello, of the second flight, and of requests after that.

Each connection is closed or waits for more. Another client is served all the time, and the broker logs no
error of its own.
"""

from __future__ import annotations

import _ssl
import ctypes
import random
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.authorities import Authority
from tests.broker_process import BrokerProcess, two_free_ports
from tests.faults.fuzz.campaign import OWN_FAILURES, RSS_BYTES_MAX
from tests.faults.fuzz.healthy import HealthyClient
from tests.wire import request
from tidemark_protocol.messages.api_versions import ApiVersionsRequest

pytestmark = [pytest.mark.slow]

ROUNDS: Final = 300
ANSWER_TIMEOUT_S: Final = 30
KEPT_OPEN: Final = 40
KEY_UPDATES_MAX: Final = 5_000_000  # 200 MB; the buffers of the kernel take the first 10 MB or so
KEY_UPDATES_AT_ONCE: Final = 2_000
UPDATE_REQUESTED: Final = 1  # SSL_KEY_UPDATE_REQUESTED
SSL_OBJECT_OFFSET: Final = 24  # of the SSL pointer in CPython's PySSLSocket
REQUEST: Final = request("ApiVersions", 0, ApiVersionsRequest())


class Client:
    """A TLS client whose records a test changes before they are sent."""

    def __init__(self, port: int, context: ssl.SSLContext) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_TIMEOUT_S)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.session = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")

    def hello(self) -> bytes:
        """Return the first flight."""
        with pytest.raises(ssl.SSLWantReadError):
            self.session.do_handshake()
        return self.outgoing.read()

    def second_flight(self) -> bytes:
        """Return what completes the handshake, on the client's side."""
        while True:
            self._receive()
            try:
                self.session.do_handshake()
            except ssl.SSLWantReadError:
                if self.outgoing.pending:  # TLS 1.2: the server has to answer
                    return self.outgoing.read()
            else:
                return self.outgoing.read()

    def _receive(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the broker has closed the connection")
        self.incoming.write(data)

    def request(self) -> bytes:
        """Return the records of a request, after the handshake."""
        try:
            self.session.do_handshake()
        except ssl.SSLWantReadError:  # TLS 1.2
            self._receive()
            self.session.do_handshake()
        self.session.write(REQUEST)
        return self.outgoing.read()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return records with one kind of damage."""
    at = chance.randrange(len(data))
    match chance.randrange(6):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        case 2:
            return data[:at] + chance.randbytes(chance.randrange(1, 50)) + data[at:]
        case 3:
            return data + data
        case 4:
            return data[:at] + data[at + chance.randrange(1, 20) :]
        case _:
            length = chance.randrange(1 << 16).to_bytes(2, "big")
            return data[:3] + length + data[5:] + chance.randbytes(chance.randrange(2000))


@pytest.mark.parametrize("seed", [1, 2])
def test_damaged_records_end_their_connection_only(seed: int, tmp_path: Path) -> None:
    said = attacked(tmp_path, lambda port, authority: attack(port, authority, random.Random(seed)))
    assert "TLS handshake failed" in said


def test_client_that_requests_new_keys_and_reads_nothing_is_closed(tmp_path: Path) -> None:
    said = attacked(tmp_path, request_new_keys)
    assert "requests new keys and reads nothing" in said


def attacked(tmp_path: Path, attack: Callable[[int, Authority], None]) -> str:
    """Start a broker, attack its listener with TLS, and return what it logs. Another client is served."""
    authority, port = Authority(), two_free_ports()
    keys = tmp_path / "keys.pem"
    signed = authority.sign()
    keys.write_text(signed.key() + signed.chain)
    settings = {
        "listeners": f"PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:{port}",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(keys),
        "tidemark.sync": "never",
    }
    broker = BrokerProcess(tmp_path / "broker", settings, forked=False)
    broker.start()
    healthy = HealthyClient(broker.bootstrap)
    healthy.start()
    try:
        attack(port, authority)
        healthy.stop()
        healthy.check(broker.bootstrap)
        pages = int(Path("/proc", str(broker.pid), "statm").read_text().split()[1])
        assert pages * 4096 < RSS_BYTES_MAX
    finally:
        healthy.stop()
        broker.stop()
    said = broker.said()
    assert not [words for words in OWN_FAILURES if words in said]
    return said


def request_new_keys(port: int, authority: Authority) -> None:
    """Send KeyUpdate messages (RFC 8446, 4.6.3) until the broker closes the connection.

    Python's ssl has no function for it, so this calls OpenSSL's with the SSL object of the session.
    """
    openssl = ctypes.CDLL(_ssl.__file__)
    openssl.SSL_key_update.argtypes = [ctypes.c_void_p, ctypes.c_int]
    client = Client(port, ssl.create_default_context(cadata=authority.pem))
    for flight in (client.hello, client.second_flight):
        client.socket.sendall(flight())
    session = client.session
    address = ctypes.c_void_p.from_address(id(session._sslobj) + SSL_OBJECT_OFFSET).value  # type: ignore[attr-defined]

    def request_all() -> None:
        for number in range(KEY_UPDATES_MAX):
            assert openssl.SSL_key_update(address, UPDATE_REQUESTED) == 1
            session.do_handshake()
            if number % KEY_UPDATES_AT_ONCE == 0:
                client.socket.sendall(client.outgoing.read())

    with client.socket, pytest.raises(ConnectionError):
        request_all()


def attack(port: int, authority: Authority, chance: random.Random) -> None:
    context = ssl.create_default_context(cadata=authority.pem)
    older = ssl.create_default_context(cadata=authority.pem)
    older.maximum_version = ssl.TLSVersion.TLSv1_2
    still_open: list[Client] = []
    for _ in range(ROUNDS):
        client = Client(port, chance.choice((context, older)))
        still_open.append(client)
        stage = chance.randrange(3)
        try:
            for number, flight in enumerate((client.hello, client.second_flight, client.request)):
                data = flight()
                client.socket.sendall(damaged(data, chance) if number == stage else data)
                if number == stage:
                    break
        except (ConnectionError, ssl.SSLError):
            pass  # the broker has closed the connection
        if len(still_open) > KEPT_OPEN:
            still_open.pop(chance.randrange(KEPT_OPEN)).socket.close()
    whole = Client(port, context)
    for flight in (whole.hello, whole.second_flight, whole.request):
        whole.socket.sendall(flight())
    assert whole.socket.recv(1)
    for client in (*still_open, whole):
        client.socket.close()
