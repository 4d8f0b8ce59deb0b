"""Run the matrix on a broker: each caller sends each request, and what is comparable of the response is kept.

A cell's record is a list of [response, callers], because most callers receive one of a few responses.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from tests.conformance.build import Request, commit
from tests.conformance.build_acls import ANY, STANDARD_AUTHORIZER, acl_filter
from tests.conformance.build_admin import create, new
from tests.conformance.build_data import batch, produce
from tests.conformance.build_share import share_heartbeat
from tests.conformance.build_transactions import init
from tests.conformance.case import ZERO_UUID, in_order
from tests.conformance.consumers import consumer_heartbeat
from tests.conformance.permissions.callers import ANONYMOUS, Caller, callers
from tests.conformance.permissions.cells import GROUPS, OURS, TOPICS, TRANSACTIONS, UNKNOWN_ID, Cell, Ids
from tests.wire import Connection, correlation_id, request, response
from tidemark_protocol import to_dict
from tidemark_protocol.errors import ErrorCode

DEADLINE_S: Final = 60
LONG_MS: Final = "1800000"  # the consumer of the matrix sends no heartbeat
SETTINGS: Final = {
    "authorizer.class.name": STANDARD_AUTHORIZER,
    # Until the administrator has created the first ACLs.
    "allow.everyone.if.no.acl.found": "true",
    "auto.create.topics.enable": "true",
    "group.consumer.max.session.timeout.ms": LONG_MS,
    "group.consumer.session.timeout.ms": LONG_MS,
    "group.share.max.session.timeout.ms": LONG_MS,
    "group.share.session.timeout.ms": LONG_MS,
    "log.initial.task.delay.ms": "86400000",  # the records are old: retention would delete them
    "offsets.topic.num.partitions": "4",
}
# Fields that no two brokers or runs have in common, or that other requests of the matrix change.
_DROPPED: Final = frozenset(
    (
        "ThrottleTimeMs", "Brokers", "NodeEndpoints", "ClusterId", "ControllerId", "Host", "Port",
        "ProducerId", "ProducerEpoch", "MemberId", "LogAppendTimeMs", "BaseOffset", "LogDir", "TotalBytes",
        "UsableBytes", "PartitionSize", "LogStartOffset", "ApiKeys", "Members",
    )
)  # fmt: skip
# Kafka's message contains the addresses of objects. Ours is the text of the error code.
_A_REQUEST: Final = re.compile(r"^Request .* (is not authorized|needs \w+ permission)\.$")
_AN_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
KNOWN_IDS: Final = (UNKNOWN_ID, ZERO_UUID)
_SORTED: Final = ("Groups", "ConfigResources", "TransactionStates", "TopicPartitions", "Responses", "Results")
_ORDERED: Final = ("DescribeGroups", "ConsumerGroupDescribe")  # their order follows from the request
_NAMES: Final = ("Name", "TopicName", "GroupId", "TransactionalId", "ResourceName")

Fields = dict[str, Any]
Record = list[tuple[Any, list[str]]]


class Client:
    """A connection from an address of its own."""

    def __init__(self, bootstrap: str, source: str) -> None:
        self._connection = Connection(bootstrap, source)
        self._number = 0

    def ask(self, asked: Request) -> Fields:
        """Return the response. Raises ConnectionError if the broker closes the connection instead."""
        self.send(asked)
        return self.receive()

    def send(self, asked: Request) -> None:
        """Send a request without waiting for its response."""
        self._api, self._version, fields = asked
        self._number += 1
        self._connection.send(request(self._api, self._version, fields, self._number))

    def receive(self) -> Fields:
        """Return the response to the last request."""
        frame = self._connection.answer()
        assert correlation_id(frame) == self._number
        return to_dict(response(self._api, self._version, frame))

    def close(self) -> None:
        self._connection.socket.close()


def run(bootstrap: str, cells: Iterable[Cell], *, together: bool) -> dict[str, Record]:
    """Return the records of cells.

    together: the callers send a request at the same time, which is faster. Kafka then refuses some requests
    of one transactional id as concurrent.
    """
    everyone = callers()
    administrator = Client(bootstrap, everyone[0].host)
    cells = list(cells)
    ids = _prepare(administrator, everyone)
    if any(cell.api == "ShareGroupHeartbeat" for cell in cells):
        _share(administrator)
    clients = [(caller, Client(bootstrap, caller.host)) for caller in everyone[1:]]
    found = {cell.name: _record(cell, clients, ids, together=together) for cell in cells}
    for _, client in clients:
        client.close()
    administrator.close()
    return found


def _record(cell: Cell, clients: list[tuple[Caller, Client]], ids: Ids, *, together: bool) -> Record:
    by_response: dict[str, list[str]] = {}
    if together:
        for number, (_, client) in enumerate(clients, 1):
            client.send(cell.request(number, ids))
    for number, (caller, client) in enumerate(clients, 1):
        try:
            received = client.receive() if together else client.ask(cell.request(number, ids))
        except TimeoutError as error:
            raise AssertionError(f"{caller.name} got no response in {cell.name}") from error
        outcome = _comparable(cell, received, number, ids)
        by_response.setdefault(json.dumps(outcome), []).append(caller.name)
    return [(json.loads(outcome), names) for outcome, names in by_response.items()]


# The cluster of the matrix.


def _prepare(client: Client, everyone: list[Caller]) -> dict[str, str]:
    """Create ACLs, topics, groups and transactional ids. Return the ids of topics by name."""
    acls = [each for caller in everyone for each in caller.acls]
    client.ask(("CreateAcls", 3, {"Creations": acls}))
    _until(lambda: _acl_count(client) == len(acls))
    numbers = range(1, len(everyone))
    names = [*TOPICS, *(f"{name}.{number}" for name in ("named", "identified") for number in numbers)]
    client.ask(create(*(new(name) for name in names)))
    ids = {name: _id_of(client, name) for name in names}
    for name in ("read", "other", "written"):
        _until(lambda name=name: _succeeds(client, produce({name: {0: batch()}})))  # type: ignore[misc]
    offsets = {"read": {0: 1}, "other": {0: 1}}
    for group in ("group", "other-group", "deleted", *(f"grouped.{number}" for number in numbers)):
        _coordinate(client, 0, group)
        _until(lambda group=group: _succeeds(client, commit(group, offsets)))  # type: ignore[misc]
    _coordinate(client, 0, "consumers")
    joined = consumer_heartbeat("consumers", "m", 0, topics=["read", "other"], rebalance_ms=9000, owns={})
    _until(lambda: client.ask(joined)["Assignment"] is not None)
    for name in ("id", "other-id", "initialised"):
        _coordinate(client, 1, name)
        _until(lambda name=name: _succeeds(client, init(name)))  # type: ignore[misc]
    for group in ("joined", "committed", "nosuch", ""):
        _coordinate(client, 0, group)
    return ids


def _share(client: Client) -> None:
    """Create a share group whose member has topics, and the topic of the share coordinators."""
    _coordinate(client, 0, "sharers")
    epoch = 0

    def has_topics() -> bool:
        nonlocal epoch
        response = client.ask(share_heartbeat("sharers", "m", epoch, ["read", "other"]))
        epoch = response["MemberEpoch"] if response["ErrorCode"] == 0 else 0
        return len((response["Assignment"] or {"TopicPartitions": []})["TopicPartitions"]) == 2

    _until(has_topics)


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < deadline, "the cluster of the matrix is not ready in time"
        time.sleep(0.02)


def _acl_count(client: Client) -> int:
    wanted = acl_filter(None, ANONYMOUS, kind=ANY, pattern=ANY)
    return sum(len(each["Acls"]) for each in client.ask(("DescribeAcls", 3, wanted))["Resources"])


def _succeeds(client: Client, asked: Request) -> bool:
    """Return whether a response contains no error."""
    text = json.dumps(client.ask(asked))
    return text.count('"ErrorCode": 0') == text.count('"ErrorCode": ')


def _coordinate(client: Client, kind: int, key: str) -> None:
    _until(lambda: _succeeds(client, ("FindCoordinator", 4, {"KeyType": kind, "CoordinatorKeys": [key]})))


def _id_of(client: Client, name: str) -> str:
    asked: Request = ("Metadata", 12, {"Topics": [{"Name": name}], "AllowAutoTopicCreation": False})
    _until(lambda: client.ask(asked)["Topics"][0]["ErrorCode"] == 0)
    topic_id: str = client.ask(asked)["Topics"][0]["TopicId"]
    return topic_id


# What is comparable of a response.


def _comparable(cell: Cell, response: Fields, number: int, ids: Ids) -> Any:
    names = {topic_id: name for name, topic_id in ids.items()}

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: field(key, kept(each)) for key, each in value.items() if key not in _DROPPED}
        if isinstance(value, list):
            return [kept(each) for each in value if not (cell.listed and _is_foreign(each))]
        if isinstance(value, str) and _A_REQUEST.search(value):
            return ErrorCode.CLUSTER_AUTHORIZATION_FAILED.text
        if isinstance(value, str) and _AN_ID.fullmatch(value) and value not in (*names, *KNOWN_IDS):
            return "a new id"
        if isinstance(value, str):
            return names.get(value, value).removesuffix(f".{number}")
        return value

    def field(key: str, value: Any) -> Any:
        if key == "Records":
            return bool(value)
        if key in _SORTED and isinstance(value, list) and cell.api not in _ORDERED:
            return sorted(value, key=json.dumps)
        return value

    return in_order(kept(response))


def _is_foreign(item: Any) -> bool:
    """Return whether an item of a list is none of the matrix's."""
    if not isinstance(item, dict):
        return False
    return any(name in item and item[name] not in OURS for name in _NAMES)


__all__ = ["GROUPS", "SETTINGS", "TRANSACTIONS", "Client", "run"]
