"""A whole node in a thread of its own, with clients that call it over HTTP and Kafka's protocol."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from tests.unit.broker.group_story import subscription
from tests.unit.broker.whole import Client, Whole, start
from tidemark_testing.clock import LoopClock
from tidemark_testing.storage import MemoryStorage

T = TypeVar("T")
TIMEOUT_S: Final = 20
NOV_1: Final = 1_793_527_200_000  # date -u -d 2026-11-01T10:00:00Z +%s
DAY_MS: Final = 86_400_000
WEEK_MS: Final = 7 * DAY_MS


class Answer:
    """An HTTP response. value: its JSON, if it is JSON."""

    def __init__(self, response: HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.content_type = response.headers.get("content-type", "")
        self.raw = response.read()
        is_json = self.content_type == "application/json"
        self.value: Any = json.loads(self.raw) if is_json and self.raw else None

    @property
    def text(self) -> str:
        return self.raw.decode()

    def __getitem__(self, name: str) -> Any:
        assert self.status == 200, self.text
        return self.value[name]

    @property
    def refusal(self) -> tuple[int, str, str | None]:
        """Return status, code and field of an error."""
        error = self.value["error"]
        assert set(error) == {"code", "field", "message", "documentation"}
        assert error["message"]
        return self.status, error["code"], error["field"]

    @property
    def why(self) -> str:
        message: str = self.value["error"]["message"]
        return message


class Asked:
    """A node and its clients. The host's time is NOV_1 until a test moves it."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._settings = {"tidemark_http_listener": "127.0.0.1:0", **settings}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._clients: list[Client] = []

    def begin(self) -> None:
        self._thread.start()
        self.whole: Whole = self.run(start(MemoryStorage(), LoopClock(NOV_1), **self._settings))
        self.address = self.whole.http.address

    def end(self) -> None:
        try:
            self.run(self._stop())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _stop(self) -> None:
        for client in self._clients:
            client.writer.close()
        await self.whole.node.stop()

    def run(self, story: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(story, self._loop).result(TIMEOUT_S)

    # HTTP

    def ask(
        self, method: str, target: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        connection = HTTPConnection(self.address, timeout=TIMEOUT_S)
        try:
            connection.request(method, target, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path: str, **query: object) -> Answer:
        return self.ask("GET", f"/v1{path}?{urlencode(query)}" if query else f"/v1{path}")

    def post(self, path: str, **body: object) -> Answer:
        return self.ask("POST", f"/v1{path}", json.dumps(body).encode())

    def pages(self, path: str, key: str, **query: object) -> Iterator[list[Any]]:
        answer = self.get(path, **query)
        while True:
            yield answer[key]
            if answer["cursor"] is None:
                return
            answer = self.get(path, **query, cursor=answer["cursor"])

    # State to query.

    def client(self) -> Client:
        client = self.run(self.whole.client())
        self._clients.append(client)
        self.run(client.find())
        return client

    def asks(self, api: str, version: int, request: dict[str, Any]) -> None:
        """Send a request without waiting for its response."""
        asyncio.run_coroutine_threadsafe(self.client().ask(api, version, request), self._loop)

    def topics(self, **partitions: int) -> None:
        client = self.client()
        for name, count in partitions.items():
            assert self.run(client.make_topic(name, count)) == 0

    def commit(self, group: str, topic: str = "orders", partition: int = 0, offset: int = 42) -> None:
        """Commit an offset as a standalone consumer does."""
        where = {"PartitionIndex": partition, "CommittedOffset": offset, "CommittedMetadata": ""}
        request = {"GroupId": group, "Topics": [{"Name": topic, "Partitions": [where]}]}
        answer = self.run(self.client().ask("OffsetCommit", 8, request))
        assert answer["Topics"][0]["Partitions"][0]["ErrorCode"] == 0, answer

    def join(self, group: str, *topics: str, metadata: bytes | None = None, assignment: bytes = b"") -> str:
        """Join the group as its only member. Return the member id. The session timeout is 10 s."""
        client = self.client()
        said = subscription(topics) if metadata is None else metadata
        joined = self.run(client.ask("JoinGroup", 3, join_request(group, said)))
        member = {"GroupId": group, "MemberId": joined["MemberId"], "GenerationId": joined["GenerationId"]}
        synced = {**member, "Assignments": [{"MemberId": joined["MemberId"], "Assignment": assignment.hex()}]}
        assert self.run(client.ask("SyncGroup", 2, synced))["ErrorCode"] == 0
        member_id: str = joined["MemberId"]
        return member_id

    def leave(self, group: str, member_id: str) -> None:
        request = {"GroupId": group, "MemberId": member_id}
        assert self.run(self.client().ask("LeaveGroup", 2, request))["ErrorCode"] == 0

    def passes(self, ms: int) -> None:
        """Advance the host's time, and let the node's loop notice it."""

        async def advance() -> None:
            self.whole.clock.advance(ms)
            await self.whole.reads()

        self.run(advance())


def join_request(group: str, metadata: bytes) -> dict[str, Any]:
    return {
        "GroupId": group,
        "SessionTimeoutMs": 10_000,
        "RebalanceTimeoutMs": 10_000,
        "ProtocolType": "consumer",
        "Protocols": [{"Name": "range", "Metadata": metadata.hex()}],
    }


@contextmanager
def asked(**settings: str) -> Iterator[Asked]:
    """Run a node. settings: Kafka's names, with underscores for dots."""
    broker = Asked(settings)
    broker.begin()
    try:
        yield broker
    finally:
        broker.end()
