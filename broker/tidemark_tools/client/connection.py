"""One connection to one broker: its address, TLS and SASL, requests and responses."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from struct import pack, unpack
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.frames import decode_response, encode_request
from tidemark_protocol.wire import WireError
from tidemark_tools.client.errors import (
    AuthenticationFailed,
    BadAddress,
    CannotConnect,
    ConfigError,
    ErrorResponse,
    UnsupportedVersion,
)

if TYPE_CHECKING:  # a client without TLS does not load it
    import ssl

    from tidemark_tools.client.sasl import Login

CONNECT_TIMEOUT_MS: Final = 10_000  # Kafka's socket.connection.setup.timeout.ms
# No response of Kafka's is longer. The first bytes that a TLS or HTTP server sends look like a longer one.
FRAME_BYTES_MAX: Final = 2**28
TLS_ALERT: Final = b"\x15\x03"  # how the response of a TLS server to anything else begins
# The part of a session after which the client authenticates again, as in Kafka's client (KIP-368).
SESSION_PART: Final = 0.85
PLAINTEXT: Final = "PLAINTEXT"
PROTOCOLS: Final = (PLAINTEXT, "SASL_PLAINTEXT", "SASL_SSL", "SSL")


class BrokerEndpoint(NamedTuple):
    """The address of a broker. node_id is -1 until Metadata has returned it.

    Kafka: Node, BrokerEndPoint.
    """

    node_id: int
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def addresses(bootstrap: str) -> list[BrokerEndpoint]:
    """Parse a `--bootstrap-server`: host:port, separated by commas. Raises BadAddress."""
    found = []
    for text in filter(None, map(str.strip, bootstrap.split(","))):
        host, colon, port = text.rpartition(":")
        if not (colon and host and port.isascii() and port.isdecimal() and int(port) <= 65535):
            raise BadAddress(f"Invalid url in bootstrap.servers: {text}")
        found.append(BrokerEndpoint(-1, host.removeprefix("[").removesuffix("]"), int(port)))
    return found


class Security(NamedTuple):
    """How a client connects and who it is. None: without TLS, without SASL."""

    tls: ssl.SSLContext | None = None
    login: Login | None = None


UNSECURED: Final = Security()


def read_security(settings: Mapping[str, str]) -> Security:
    """Return the security of a client with these settings, by Kafka's names. Raises ConfigError."""
    given = settings.get("security.protocol", PLAINTEXT).strip()
    protocol = given.upper()
    if protocol not in PROTOCOLS:
        raise ConfigError(
            f"Invalid value {given} for configuration security.protocol: String must be one of (case "
            f"insensitive): {', '.join(PROTOCOLS)}"
        )
    tls = login = None
    if protocol.endswith("SSL"):
        from tidemark_tools.client.tls import tls_context

        tls = tls_context(settings)
    if protocol.startswith("SASL"):
        from tidemark_tools.client.sasl import read_login

        login = read_login(settings)
    return Security(tls, login)


class Connection:
    """One socket to one broker, and the API versions that this broker serves.

    Its constructor connects and logs in. Raises OSError, CannotConnect, AuthenticationFailed.
    """

    def __init__(
        self, node: BrokerEndpoint, client_id: str, deadline: float, security: Security = UNSECURED
    ) -> None:
        left_s = min(CONNECT_TIMEOUT_MS / 1000, _left_s(deadline))
        self._socket = socket.create_connection((node.host, node.port), timeout=left_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client_id = client_id
        self._correlation_id = 0
        self._login = security.login
        self._login_again_at: float | None = None
        self.node = node
        self.is_new = True  # no `call` has returned a response
        self.ranges: dict[int, tuple[int, int]] = {}
        try:
            if security.tls is None:
                try:
                    self._negotiate(deadline)
                except ConnectionError as error:
                    raise ConnectionError(f"{error}; does this listener require TLS?") from None
            else:
                from tidemark_tools.client.tls import handshake_errors, secured

                self._socket = secured(self._socket, security.tls, node)
                with handshake_errors(node):
                    self._negotiate(deadline)
            if self._login is not None:
                self._log_in(self._login, deadline)
        except BaseException:
            self.close()
            raise

    def _negotiate(self, deadline: float) -> None:
        from tidemark_protocol.messages.api_versions import ApiVersionsRequest

        request = ApiVersionsRequest(client_software_name="tidemark", client_software_version="1")
        response = self._exchange(request, 3, deadline)
        if response.error_code == ErrorCode.UNSUPPORTED_VERSION:  # older than 2.4, or much newer
            response = self._exchange(request, 0, deadline)
        if response.error_code:
            raise ErrorResponse(response.error_code)
        self.ranges = {api.api_key: (api.min_version, api.max_version) for api in response.api_keys}

    def _log_in(self, login: Login, deadline: float) -> None:
        from tidemark_protocol.messages.sasl_authenticate import SaslAuthenticateRequest
        from tidemark_protocol.messages.sasl_handshake import SaslHandshakeRequest
        from tidemark_tools.client.sasl import refusal

        handshake = SaslHandshakeRequest(login.mechanism)
        response = self._exchange(handshake, self.version(handshake, min_version=1), deadline)
        if response.error_code:
            raise refusal(login.mechanism, response.error_code, response.mechanisms)
        started = now_s()
        exchange = login.exchange(wall_ms() // 1000)
        token = next(exchange)
        try:
            while True:
                request = SaslAuthenticateRequest(token)
                response = self._exchange(request, self.version(request), deadline)
                if response.error_code:
                    raise AuthenticationFailed(response.error_code, response.error_message)
                token = exchange.send(response.auth_bytes)
        except StopIteration:
            lifetime_s = response.session_lifetime_ms / 1000
            self._login_again_at = started + SESSION_PART * lifetime_s if lifetime_s else None

    def _keep_session(self, deadline: float) -> None:
        """Log in again if the session is about to expire."""
        if self._login is not None and not self.session_is_fresh():
            self._log_in(self._login, deadline)

    def session_is_fresh(self) -> bool:
        """Return whether the next request needs no login before it."""
        return self._login_again_at is None or now_s() < self._login_again_at

    def version(self, request: Any, max_version: int | None = None, min_version: int = 0) -> int:
        """Return the version to use. Raises UnsupportedVersion if the broker serves none of those wanted."""
        lowest, highest = self.ranges.get(request.API_KEY, (0, -1))
        chosen = min(highest, request.HIGHEST if max_version is None else min(max_version, request.HIGHEST))
        if chosen < max(lowest, request.LOWEST, min_version):
            name = api_name(request)
            served = f"serves it in versions {lowest} to {highest}" if highest >= 0 else "does not serve it"
            needed = f"; version {min_version} is needed" if min_version and highest >= 0 else ""
            raise UnsupportedVersion(f"{name}: the broker at {self.node} {served}{needed}")
        return int(chosen)

    def call(
        self, request: Any, deadline: float, max_version: int | None = None, min_version: int = 0
    ) -> Any:
        """Send the request and return its response. After an OSError the connection is unusable."""
        self._keep_session(deadline)
        response = self._exchange(request, self.version(request, max_version, min_version), deadline)
        self.is_new = False
        return response

    def _exchange(self, request: Any, version: int, deadline: float) -> Any:
        self._send(request, version, deadline)
        return self.receive(request, version, deadline)

    def send(self, request: Any, version: int, deadline: float) -> None:
        """Send a request without waiting: it has acks 0, or `receive` is called later."""
        self._keep_session(deadline)
        self._send(request, version, deadline)

    def _send(self, request: Any, version: int, deadline: float) -> None:
        self._correlation_id += 1
        out = encode_request(request, version, self._correlation_id, self._client_id)
        self._socket.settimeout(_left_s(deadline))
        self._socket.sendall(pack(">i", len(out)) + out)

    def receive(self, request: Any, version: int, deadline: float) -> Any:
        """Return the response to the request that was sent last. Raises OSError if it does not arrive."""
        head = self._exactly(4, deadline)
        size = unpack(">i", head)[0]
        if head.startswith(TLS_ALERT):
            raise CannotConnect(
                f"the server at {self.node} requires TLS: set security.protocol to SSL or SASL_SSL"
            )
        if not 4 <= size <= FRAME_BYTES_MAX:
            raise self._is_no_kafka()
        frame = self._exactly(size, deadline)
        if int.from_bytes(frame[:4], "big") != self._correlation_id:
            raise self._is_no_kafka()
        try:
            return decode_response(request, version, frame)
        except (WireError, IndexError):
            raise self._is_no_kafka() from None

    def _is_no_kafka(self) -> CannotConnect:
        return CannotConnect(f"the server at {self.node} does not speak Kafka's protocol")

    def _exactly(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._socket.settimeout(_left_s(deadline))
            chunk = self._socket.recv(min(size - len(data), 2**20))
            if not chunk:
                raise ConnectionError("the broker hung up")
            data += chunk
        return bytes(data)

    def close(self) -> None:
        self._socket.close()


def now_s() -> float:
    """Return steady time in seconds. Importing Clock would load asyncio and double the start-up time."""
    return time.monotonic()  # noqa: TID251


def wall_ms() -> int:
    """Return the time of day in ms since 1970."""
    return time.time_ns() // 1_000_000  # noqa: TID251


def _left_s(deadline: float) -> float:
    left = deadline - now_s()
    if left <= 0:
        raise TimeoutError("no response in time")
    return left


def api_name(request: Any) -> str:
    return str(request.NAME.removesuffix("Request"))
