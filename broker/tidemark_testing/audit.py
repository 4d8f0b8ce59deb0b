"""The judge of a consumer group: which records were lost, skipped, or processed twice.

`Recording` reads the journal of requests while a test runs, because the journal keeps only the last requests.
`judge` compares what it has read with the records that exist and with those that the test has processed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, Literal, get_args

from tidemark.seeding.calls import Call, Exchange
from tidemark_expiry.sentences import shown
from tidemark_protocol.batch import BatchError, headers
from tidemark_testing.requests import NotRecorded
from tidemark_tools.http_api import Api

__tracebackhide__ = True

PAGE: Final = 500
NO_OFFSET: Final = -1
NEW_SESSION: Final = (0, -1)  # epochs of a Fetch that names all of its partitions
# The requests that name the group of their client.
OF_MEMBERS: Final = (
    "ConsumerGroupHeartbeat", "Heartbeat", "JoinGroup", "LeaveGroup", "OffsetCommit", "OffsetFetch",
    "SyncGroup", "TxnOffsetCommit",
)  # fmt: skip

Kind = Literal["lost", "skipped", "repeated", "unprocessed"]
KINDS: Final = get_args(Kind)
Where = tuple[str, int]  # topic and partition
Place = tuple[str, int, int]  # and offset


@dataclass(frozen=True)
class Finding:
    """One record of which a group has not made what it should. `str()` of it is a sentence.

    lost         it was committed, and never processed
    skipped      it was committed by a client to which it was never delivered
    repeated     it was processed more than once
    unprocessed  it was neither committed nor processed
    """

    kind: Kind
    topic: str
    partition: int
    offset: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Delivery:
    """Records in a Fetch response. at: the order of requests; number: of the request in the journal."""

    at: int
    number: int
    client_id: str
    where: Where
    first: int
    last: int


@dataclass(frozen=True)
class Commit:
    """A committed offset in a request. is_stored: None if the client got no response, so cannot know."""

    at: int
    number: int
    client_id: str
    where: Where
    offset: int
    is_stored: bool | None
    in_transaction: bool = False

    def __str__(self) -> str:
        lost = ", whose response was lost" if self.is_stored is None else ""
        return f"committed by {shown(self.client_id)} (offset {self.offset}, request {self.number}{lost})"


class Recording:
    """The deliveries and commits of a group in the journal of a broker, from the creation of this object on.

    Call `read` often enough: what the journal evicts in between is not known. `unknown` says why something is
    not known; then `check` raises NotRecorded.
    """

    def __init__(self, api: Api, group: str, topic_ids: Mapping[str, str]) -> None:
        """topic_ids: the names of the topics, by their ids in hexadecimal digits."""
        self._api = api
        self._group = group
        self._names = topic_ids
        self._topics = frozenset(topic_ids.values())
        self.deliveries: list[Delivery] = []
        self.commits: list[Commit] = []
        self.clients: dict[str, None] = {}  # that have sent requests for the group
        self.by_fault: dict[int, dict[str, Any]] = {}  # the first request to which each fault was applied
        self.unknown = ""
        self._waiting: dict[int, dict[str, Any]] = {}  # requests without a response
        self._begin()
        page = api.get("/v1/requests", limit=1, after=0)
        self._after = self._seen = page["count"]
        if not page["recording"]:
            self.unknown = "the broker records no requests: tidemark.requests.max must be positive"
        self._at = 0

    def _begin(self) -> None:
        self._after = self._seen = 0
        self._settled: set[int] = set()
        self._orders: dict[int, int] = {}
        self._sessions: dict[int, dict[Where, int]] = {}  # the positions of each connection
        self._positions: dict[int, dict[Where, int]] = {}  # of each Fetch

    def restarted(self) -> None:
        """Continue with the journal of a broker that has been started again. Call `read` before its end."""
        for number, at in self._orders.items():
            if number in self._waiting:
                self._see_commits(self._waiting[number], at)
        self._begin()

    def read(self) -> None:
        """Read what is new in the journal."""
        cursor = None
        self._waiting = {}
        while True:
            page = self._api.get("/v1/requests", limit=PAGE, cursor=cursor, after=self._after)
            if page["count"] < self._seen:
                self.unknown = "the test has restarted the broker, whose journal begins anew"
                self._begin()
                return
            if page["evicted"]:
                self.unknown = (
                    f"{page['evicted']} requests were evicted from the journal before they were read: raise "
                    "tidemark.requests.max or tidemark.requests.max.bytes"
                )
            for entry in page["requests"]:
                self._see(entry)
            cursor = page["cursor"]
            if cursor is None:
                break
        self._seen = max(self._seen, page["count"])
        while self._after + 1 in self._settled:
            self._after += 1
            self._settled.discard(self._after)

    def sender(self, fault: int, api: str) -> str:
        """Return the id of the member that waits for a response to such a request; "" if there is none.

        fault: the id of the fault that holds it back.
        """
        waiting = [each for each in self._waiting.values() if each["api"] == api]
        held = [each for each in waiting if fault in each["faults"]] or waiting
        request = held[-1]["request"] if held else None
        return "" if request is None else str(request["MemberId"])

    def check(self) -> None:
        """Raise NotRecorded if a request was not read that could matter."""
        if self.unknown:
            raise NotRecorded(f"it is not known what became of the records: {self.unknown}")

    def _see(self, entry: dict[str, Any]) -> None:
        number, api = entry["number"], entry["api"]
        if number in self._settled:
            return
        if number not in self._orders:
            self._at += 1
            self._orders[number] = self._at
            if api == "Fetch":
                self._see_positions(entry)
            if api in OF_MEMBERS and self._group in entry["groups"]:
                self.clients[entry["client_id"]] = None
        for fault in entry["faults"]:
            self.by_fault.setdefault(fault, entry)
        if entry["outcome"] == "pending":
            self._waiting[number] = entry
            return
        self._settled.add(number)
        at = self._orders.pop(number)
        if api == "Fetch":
            self._see_delivery(entry, at)
        self._see_commits(entry, at)

    def _partitions(self, topics: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Where, dict[str, Any]]]:
        """Yield the partitions of the watched topics in a message."""
        for topic in topics:
            name = self._names.get(topic.get("TopicId", ""), topic.get("Topic") or topic.get("Name") or "")
            for each in topic["Partitions"] if name in self._topics else ():
                partition = each["Partition"] if "Partition" in each else each["PartitionIndex"]
                yield (name, partition), each

    def _see_positions(self, entry: dict[str, Any]) -> None:
        """Remember from which offset a Fetch reads each partition: a fetch session names only changes."""
        request = entry["request"]
        if request is None:
            self.unknown = f"request {entry['number']}, a Fetch, is too long for the journal"
            return
        session = self._sessions.setdefault(entry["connection"], {})
        if request["SessionEpoch"] in NEW_SESSION:
            session.clear()
        for where, each in self._partitions(request["Topics"]):
            session[where] = each["FetchOffset"]
        self._positions[entry["number"]] = dict(session)

    def _see_delivery(self, entry: dict[str, Any], at: int) -> None:
        positions = self._positions.pop(entry["number"], {})
        if entry["outcome"] != "responded":
            return
        if entry["response"] is None:
            if {each["topic"] for each in entry["topics"]} & self._topics:
                self.unknown = (
                    f"the response to request {entry['number']}, a Fetch, is too long for the journal"
                )
            return
        for where, each in self._partitions(entry["response"]["Responses"]):
            first, last = _offsets(each["Records"])
            if last is None:
                self.unknown = (
                    f"request {entry['number']}, a Fetch, delivered too many batches of {where[0]}-{where[1]}"
                )
            elif last >= 0:
                first = max(first, positions.get(where, 0))
                self.deliveries.append(Delivery(at, entry["number"], entry["client_id"], where, first, last))

    def _see_commits(self, entry: dict[str, Any], at: int) -> None:
        if entry["api"] not in ("OffsetCommit", "TxnOffsetCommit") or self._group not in entry["groups"]:
            return
        request, response = entry["request"], entry["response"]
        if request is None:
            self.unknown = f"request {entry['number']}, an {entry['api']}, is too long for the journal"
            return
        codes: dict[Where, int] = {}
        if response is not None and entry["outcome"] == "responded":
            codes = {where: each["ErrorCode"] for where, each in self._partitions(response["Topics"])}
        for where, each in self._partitions(request["Topics"]):
            stored = None if where not in codes else codes[where] == 0
            self.commits.append(
                Commit(
                    at, entry["number"], entry["client_id"], where, each["CommittedOffset"], stored,
                    entry["api"] == "TxnOffsetCommit",
                )
            )  # fmt: skip


def _offsets(records: Any) -> tuple[int, int | None]:
    """Return the first and the last offset of records in the journal: NO_OFFSET, or None if not known."""
    if not records:
        return NO_OFFSET, NO_OFFSET
    if isinstance(records, dict):
        return records["first_offset"] or 0, records["last_offset"]
    try:
        found = [header for _, header in headers(bytes.fromhex(records))]
    except BatchError:
        return NO_OFFSET, NO_OFFSET
    return (found[0].base_offset, found[-1].next_offset - 1) if found else (NO_OFFSET, NO_OFFSET)


def topic_ids(topics: Sequence[str]) -> Exchange[dict[str, str]]:
    """Return the names of the topics by their ids in hexadecimal digits."""
    from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

    asked = MetadataRequest(topics=[MetadataRequestTopic(name=name) for name in topics])
    response = yield Call(asked)
    return {bytes(each.topic_id).hex(): each.name for each in response.topics}


# The records that a test has processed.


def places(processed: Iterable[Any], topics: Sequence[str], ends: Mapping[Where, int]) -> list[Place]:
    """Return topic, partition and offset of each processed record.

    processed: tuples of these three, or records of a client library: with attributes or methods of these
    names. Raises TypeError for anything else, and ValueError for a record that does not exist.
    """
    found: list[Place] = []
    for record in processed:
        topic, partition, offset = place = _place(record)
        if topic not in topics:
            close = get_close_matches(topic, topics, n=1)
            hint = f"did you mean {close[0]}?" if close else f"its topics are {', '.join(topics)}"
            raise ValueError(
                f"processed has a record of topic {topic}, which the chaos does not watch; {hint}"
            )
        if (topic, partition) not in ends:
            raise ValueError(f"processed has a record of {topic}-{partition}, which does not exist")
        if not 0 <= offset < ends[topic, partition]:
            end = ends[topic, partition]
            raise ValueError(
                f"processed has offset {offset} of {topic}-{partition}, which does not exist: the log ends "
                f"at {end}"
            )
        found.append(place)
    return found


def _place(record: Any) -> Place:
    values = record if isinstance(record, tuple) else ()
    if hasattr(record, "offset"):
        values = tuple(getattr(record, name, None) for name in ("topic", "partition", "offset"))
        values = tuple(value() if callable(value) else value for value in values)
    if len(values) != 3 or [type(value) for value in values] != [str, int, int]:
        raise TypeError(
            "processed must have (topic, partition, offset), or records with these attributes or methods, "
            f"got {record!r:.80}"
        )
    topic, partition, offset = values
    return topic, partition, offset


# The judge.


@dataclass(frozen=True)
class Facts:
    """The records and offsets that the judge compares, all by topic and partition.

    existing   the offsets of the records, without those of aborted transactions
    begins     where the group was at the beginning
    committed  where it is now
    """

    existing: Mapping[Where, Sequence[int]]
    begins: Mapping[Where, int]
    committed: Mapping[Where, int]


def judge(facts: Facts, recording: Recording, processed: Sequence[Place] | None) -> list[Finding]:
    """Return what went wrong, in the order of topics, partitions and offsets.

    processed: None if the test does not say: then only skipped records are found.
    """
    counts = Counter(processed or ())
    found: list[Finding] = []
    for where, offsets in facts.existing.items():
        story = _Story(where, recording, facts.begins.get(where, 0))
        committed = facts.committed.get(where, 0)
        for offset in offsets:
            if offset < story.begin:
                continue
            times = counts[(*where, offset)]
            kind: Kind
            if processed is None:
                if offset not in story.skipped:
                    continue
                kind, what = "skipped", story.skipped[offset]
            elif times == 1:
                continue
            elif times > 1:
                kind, what = "repeated", f"was processed {times} times. {story.received(offset)}"
            elif offset >= committed:
                kind, what = "unprocessed", f"was neither processed nor committed. {story.received(offset)}"
            elif offset in story.skipped:
                kind, what = "lost", f"{story.skipped[offset]}, and it was never processed"
            else:
                kind, what = (
                    "lost",
                    f"was {story.committed(offset)}, but never processed. {story.received(offset)}",
                )
            found.append(Finding(kind, *where, offset, f"offset {offset} of {where[0]}-{where[1]} {what}"))
    return found


class _Story:
    """The deliveries and commits of one partition.

    skipped  the offsets that were committed by a client to which they had not been delivered, each with why
    """

    def __init__(self, where: Where, recording: Recording, begin: int) -> None:
        self.begin = begin
        self._receipts: dict[int, list[Delivery]] = defaultdict(list)
        for delivery in recording.deliveries:
            if delivery.where == where:
                for offset in range(delivery.first, delivery.last + 1):
                    self._receipts[offset].append(delivery)
        commits = [each for each in recording.commits if each.where == where and each.is_stored is not False]
        self._commits = sorted(commits, key=lambda each: each.at)
        self.skipped: dict[int, str] = {}
        position = begin
        for commit in self._commits:
            for offset in range(position, commit.offset):
                before = [each for each in self._receipts.get(offset, ()) if each.at < commit.at]
                # A transaction commits for a consumer, whose client id it does not name.
                if not any(commit.in_transaction or each.client_id == commit.client_id for each in before):
                    others = [
                        f" (but to {shown(each.client_id)}, request {each.number})" for each in before[-1:]
                    ]
                    self.skipped[offset] = f"was {commit}, but never delivered to it{''.join(others)}"
            position = commit.offset

    def received(self, offset: int) -> str:
        to = [f"{shown(each.client_id)} (request {each.number})" for each in self._receipts.get(offset, ())]
        return f"It was delivered to {', then to '.join(to)}" if to else "It was delivered to no client"

    def committed(self, offset: int) -> str:
        return next((str(each) for each in self._commits if each.offset > offset), "committed")
