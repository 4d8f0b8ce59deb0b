"""A broker with scripted responses on a real socket, for rare situations of a real one."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from struct import pack, unpack
from types import TracebackType
from typing import Any, Final

from tests.wire import sized
from tidemark_protocol.apis import APIS
from tidemark_protocol.by_name import message_class
from tidemark_protocol.messages.api_versions import ApiVersion, ApiVersionsResponse
from tidemark_protocol.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from tidemark_protocol.messages.metadata import MetadataResponse, MetadataResponseBroker

NAMES: Final = {api.key: name for name, api in APIS.items()}
HANG_UP: Final = object()
SILENCE: Final = object()

Response = Callable[[Any], Any]


class ScriptedBroker:
    """answers: by API name, a function from request to response, or to HANG_UP or SILENCE.

    requests: every request, as (name, version, request). Metadata and FindCoordinator return it as node 1.
    """

    def __init__(
        self, responses: dict[str, Response], ranges: dict[str, tuple[int, int]] | None = None
    ) -> None:
        self.requests: list[tuple[str, int, Any]] = []
        self.client_ids: set[str] = set()
        self._answers = {"Metadata": self._metadata, "FindCoordinator": self._coordinator, **responses}
        self._ranges = ranges or {}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self._port}"

    def names(self) -> list[str]:
        """The requests so far, without ApiVersions."""
        return [name for name, _, _ in self.requests if name != "ApiVersions"]

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            while size := _exactly(connection, 4):
                response = self._answer(_exactly(connection, unpack(">i", size)[0]))
                if response is HANG_UP:
                    return
                if response is not SILENCE:
                    connection.sendall(sized(response))

    def _answer(self, frame: bytes) -> Any:
        api_key, version, correlation_id, client_id = unpack(">hhih", frame[:10])
        name = NAMES[api_key]
        asked = message_class(f"{name}Request")
        self.client_ids.add(frame[10 : 10 + client_id].decode())
        flexible = version >= asked.FLEXIBLE_FROM
        body, _ = asked.DECODERS[version](frame, 10 + max(client_id, 0) + flexible, len(frame))
        self.requests.append((name, version, body))
        response = self._api_versions(version) if name == "ApiVersions" else self._answers[name](body)
        if response is HANG_UP or response is SILENCE:
            return response
        out = bytearray(pack(">i", correlation_id))
        if flexible and name != "ApiVersions":
            out.append(0)
        highest = self._ranges.get("ApiVersions", (0, 4))[1]
        spoken = 0 if name == "ApiVersions" and version > highest else version
        response.ENCODERS[spoken](out, response)
        return bytes(out)

    def _api_versions(self, version: int) -> ApiVersionsResponse:
        """Respond to ApiVersions. An unknown version gets a response in version 0 with error 35 (KIP-511)."""
        ranges = {name: self._ranges.get(name, (api.lowest, api.highest)) for name, api in APIS.items()}
        keys = [ApiVersion(APIS[name].key, *bounds) for name, bounds in ranges.items() if bounds[1] >= 0]
        refused = version > ranges["ApiVersions"][1]
        return ApiVersionsResponse(error_code=35 if refused else 0, api_keys=[] if refused else keys)

    def _metadata(self, _: Any) -> MetadataResponse:
        return MetadataResponse(brokers=[MetadataResponseBroker(1, "127.0.0.1", self._port)])

    def _coordinator(self, request: Any) -> FindCoordinatorResponse:
        found = Coordinator(key=request.key, node_id=1, host="127.0.0.1", port=self._port)
        return FindCoordinatorResponse(
            node_id=1,
            host="127.0.0.1",
            port=self._port,
            coordinators=[found] if request.coordinator_keys else [],
        )

    def __enter__(self) -> ScriptedBroker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size and (chunk := connection.recv(size - len(data))):
        data += chunk
    return bytes(data)
