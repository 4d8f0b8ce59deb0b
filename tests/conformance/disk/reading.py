"""Read the records of a story in a data directory, in a comparable form.

They are decoded by us or printed by kafka-dump-log. `__consumer_offsets` and `__transaction_state` yield a
list of batches with the records that contain names of the story, and the markers of its producers.
`__cluster_metadata` yields a list of records only, since Kafka's controller writes other records in between.
`__share_group_state` yields a list of records for each share partition, which are spread at random.
The logs of a story with transactions are decoded, since they contain producer ids and times.

Ids are replaced by the name of their object, times by <time>, and positions in a file are left out. What has
the order of one of Kafka's hash maps is sorted.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from typing import Any, Final, TypeVar

from tests.kafka_oracle import run_tool
from tidemark_protocol import decode, to_dict
from tidemark_protocol.batch import BatchHeader, LogRecord, control_type, headers, records
from tidemark_protocol.stored import RECORD_TYPES, decode_coordinator, decode_metadata

OFFSETS: Final = "__consumer_offsets-*"
TRANSACTIONS: Final = "__transaction_state-*"
SHARES: Final = "__share_group_state-*"
METADATA: Final = "__cluster_metadata-0"
# Kafka's brokers and controllers write these for each other: registrations and leaders.
BETWEEN_NODES: Final = (
    "NoOpRecord",
    "RegisterControllerRecord",
    "RegisterBrokerRecord",
    "BrokerRegistrationChangeRecord",
    "PartitionChangeRecord",
)
# Kafka increments a partition's leader epoch at each start, and draws the topic's id at random.
DIFFERENT_FILES: Final = ("leader-epoch-checkpoint", "partition.metadata")
PROBE: Final = ".probe"  # in the names of groups that only wait for a topic (consumers.known_topic)
SHORT_BYTES: Final = 200  # a longer file is represented by its size and SHA-256
DECODERS: Final = {
    OFFSETS: "--offsets-decoder",
    METADATA: "--cluster-metadata-decoder",
    TRANSACTIONS: "--transaction-log-decoder",
    SHARES: "--share-group-state-decoder",
}
SHARE_RECORDS: Final = ("ShareSnapshot", "ShareUpdate")  # by their type
ABORTED: Final = Struct(">hqqqq")  # an entry of .txnindex: version, producer id, first, last, last stable
SNAPSHOT: Final = Struct(">hIi")  # version, checksum, number of producers
PRODUCER: Final = Struct(">qhiqiqiq")  # an entry of .snapshot
PRODUCER_FIELDS: Final = (
    "ProducerId", "epoch", "last sequence", "last offset", "offset delta", "time", "coordinator epoch",
    "first offset of the open transaction",
)  # fmt: skip

T = TypeVar("T")
Trace = list[dict[str, Any]]


@dataclass(slots=True)
class Found:
    """One record of a log."""

    file: Path
    header: BatchHeader
    offset: int
    shown: dict[str, Any]
    text: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = str(self.shown)  # each story searches it for its names


class Directory:
    """The logs of a broker that has stopped."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir
        self._names: dict[str, str] = {}  # topic id, in either form -> <id of the topic>
        self._found = {
            folder: list(self._read(folder)) for folder in (METADATA, OFFSETS, TRANSACTIONS, SHARES)
        }
        self._dumps: dict[str, list[str]] = {}

    def trace(self, story: str) -> dict[str, Any]:
        """Return a story's records in each log, and the files of its topics."""
        comparable = _Comparable(self._names)
        metadata = [comparable.value(one.shown) for one in self._of(story, METADATA)]
        trace = {
            "offsets": self._batches(story, OFFSETS),
            "metadata": _sorted(metadata, _kind_and_name),
            "files": self._files(story),
        }
        if shares := self._shares(story):
            trace["shares"] = shares
        if transactions := self._batches(story, TRANSACTIONS):
            return {"transactions": transactions, **trace, "files": self._decoded_files(story)}
        return trace

    def _shares(self, story: str) -> dict[str, Trace]:
        """Return the records of each share partition, sorted by its key."""
        comparable = _Comparable(self._names)
        found: dict[str, Trace] = {}
        for one in self._of(story, SHARES):
            key, *value = comparable.value(one.shown).items()
            found.setdefault(":".join(map(str, key[1].values())), []).append({key[0]: key[1], **dict(value)})
        return dict(sorted(found.items()))

    def _files(self, story: str) -> dict[str, str]:
        """Return the contents of the files of partitions that have records."""
        found = {}
        for log in sorted(self._folder.glob(f"{story}.*/*.log")):
            for path in sorted(log.parent.iterdir()) if log.stat().st_size else ():
                if path.name not in DIFFERENT_FILES:
                    found[f"{log.parent.name}/{path.name}"] = _contents(path.read_bytes())
        return found

    def _decoded_files(self, story: str) -> dict[str, Any]:
        """Return the batches, aborted transactions and producers in the logs of the story's topics."""
        comparable = _Comparable(self._names)
        found: dict[str, Any] = {}
        for path in sorted(self._folder.glob(f"{story}.*/*")):
            decode_file = _FILE_DECODERS.get(path.suffix)
            is_deleted = path.parent.name.endswith("-delete")
            if decode_file is not None and not is_deleted and path.stat().st_size:
                decoded = decode_file(path.read_bytes())
                found[f"{path.parent.name}/{path.name}"] = comparable.value(decoded)
        return found

    def dumped(self, story: str) -> list[str]:
        """Return the same records as kafka-dump-log prints them."""
        comparable = _Comparable(self._names)
        offsets = _lines_of(self._dump(OFFSETS), self._places(story, OFFSETS))
        metadata = _lines_of(self._dump(METADATA), self._places(story, METADATA))
        payloads = (comparable.dumped(line.partition("payload: ")[2]) for line in metadata)
        transactions = self._places(story, TRANSACTIONS)
        shares = self._places(story, SHARES)
        return [
            *(
                sorted(map(comparable.dumped, _records_of(self._dump(SHARES), shares)), key=_share_key)
                if shares
                else ()
            ),
            *(
                map(comparable.dumped, _lines_of(self._dump(TRANSACTIONS), transactions))
                if transactions
                else ()
            ),
            *map(comparable.dumped, offsets),
            *_sorted(list(filter(None, payloads)), _dumped_kind_and_name),
        ]

    def of_no_story(self, stories: Iterable[str]) -> Trace:
        """Return the metadata records about the cluster itself, including the first ones."""
        told = {id(one) for story in stories for one in self._of(story, METADATA)}
        rest = [one for one in self._found[METADATA] if id(one) not in told and not _is_between_nodes(one)]
        comparable = _Comparable(self._names)
        return _sorted([comparable.value(one.shown) for one in rest], _kind_and_name)

    def _batches(self, story: str, folder: str) -> Trace:
        comparable = _Comparable(self._names)
        trace: Trace = []
        last: BatchHeader | None = None
        for one in self._of(story, folder):
            if one.header is not last:
                last = one.header
                trace.append({"batch": comparable.value(_shape(one.header)), "records": []})
            trace[-1]["records"].append(_assignments_sorted(comparable.value(one.shown)))
        return trace

    def _places(self, story: str, folder: str) -> set[tuple[str, int]]:
        return {(str(one.file), one.offset) for one in self._of(story, folder)}

    def _of(self, story: str, folder: str) -> Iterator[Found]:
        own = [f"{story}.", *(topic_id for topic_id, name in self._names.items() if f" {story}." in name)]
        producers = self._producers(own[0]) if folder == OFFSETS else set()
        for one in self._found[folder]:
            is_marker = one.header.is_control and one.header.producer_id in producers
            is_named = any(name in one.text for name in own)
            if is_marker or (is_named and not (_is_between_nodes(one) or PROBE in one.text)):
                yield one

    def _producers(self, prefix: str) -> set[int]:
        """Return the producer ids of a story's transactional ids."""
        return {
            fields["ProducerId"]
            for one in self._found[TRANSACTIONS]
            if str(one.shown["TransactionLogKey"]["TransactionalId"]).startswith(prefix)
            for name, fields in one.shown.items()
            if name.startswith("TransactionLogValue")
        }

    def _read(self, folder: str) -> Iterator[Found]:
        for path in sorted(self._folder.glob(f"{folder}/*.log")):
            data = path.read_bytes()
            for pos, header in headers(data):
                for record in records(data, pos, header):
                    if header.is_control and folder != METADATA:
                        yield Found(path, header, record.offset, {"marker": _marker(record)})
                    elif not header.is_control:
                        yield Found(path, header, record.offset, self._shown(folder, record))

    def _shown(self, folder: str, record: LogRecord) -> dict[str, Any]:
        if folder == METADATA:
            return self._metadata(record)
        if folder == SHARES:
            return _share(record)
        return _coordinator(record) if folder == OFFSETS else _transaction(record)

    def _metadata(self, record: LogRecord) -> dict[str, Any]:
        assert record.value is not None
        decoded = decode_metadata(record.value)
        shown = to_dict(decoded)
        if decoded.NAME == "TopicRecord":
            self._names[str(uuid.UUID(bytes=decoded.topic_id))] = f"<id of {decoded.name}>"
            self._names[_short(decoded.topic_id)] = f"<id of {decoded.name}>"
        shown.pop("CreationTimeMs", None)  # KIP-1327, a tagged field that 4.3 ignores
        shown.pop("BrokerEpoch", None)  # an offset of the log, where Kafka has other records in between
        return {f"{decoded.NAME} v{record.value[2]}": shown}

    def _dump(self, folder: str) -> list[str]:
        if folder not in self._dumps:
            files = [
                str(path) for path in sorted(self._folder.glob(f"{folder}/*.log")) if path.stat().st_size
            ]
            ended = run_tool("kafka-dump-log", "--files", ",".join(files), DECODERS[folder])
            assert ended.returncode == 0, ended.stdout + ended.stderr
            self._dumps[folder] = ended.stdout.splitlines()
        return self._dumps[folder]


def _contents(data: bytes) -> str:
    if len(data) <= SHORT_BYTES:
        return data.hex()
    return f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}"


def _decoded_log(data: bytes) -> list[dict[str, Any]]:
    return [
        {
            "offset": header.base_offset,
            "ProducerId": header.producer_id,
            "epoch": header.producer_epoch,
            "sequence": header.base_sequence,
            "attributes": header.attributes,
            "time": header.max_timestamp,
            **(_control(data, pos, header) if header.is_control else {"count": header.count}),
        }
        for pos, header in headers(data)
    ]


def _control(data: bytes, pos: int, header: BatchHeader) -> dict[str, Any]:
    (record,) = records(data, pos, header)
    return {"marker": _marker(record)}


def _marker(record: LogRecord) -> str:
    value = record.value or b""
    return f"{'commit' if control_type(record.key) else 'abort'} {value.hex()}"


def _decoded_index(data: bytes) -> list[dict[str, Any]]:
    names = ("version", "ProducerId", "first", "last", "last stable")
    return [dict(zip(names, entry, strict=True)) for entry in ABORTED.iter_unpack(data)]


def _decoded_snapshot(data: bytes) -> dict[str, Any]:
    version, _, count = SNAPSHOT.unpack_from(data)
    entries = [
        dict(zip(PRODUCER_FIELDS, e, strict=True)) for e in PRODUCER.iter_unpack(data[SNAPSHOT.size :])
    ]
    assert len(entries) == count, f"{count} producers, and {len(entries)} entries"
    # Their order is that of a hash map of drawn ids.
    return {"version": version, "producers": sorted(entries, key=lambda e: (e["last offset"], e["epoch"]))}


_FILE_DECODERS: Final[dict[str, Callable[[bytes], Any]]] = {
    ".log": _decoded_log,
    ".txnindex": _decoded_index,
    ".snapshot": _decoded_snapshot,
}


def _is_between_nodes(one: Found) -> bool:
    return next(iter(one.shown)).startswith(BETWEEN_NODES)


def _coordinator(record: LogRecord) -> dict[str, Any]:
    assert record.key is not None
    name = RECORD_TYPES.get(int.from_bytes(record.key[:2], "big"), "")
    if name.startswith("ShareGroup"):
        return _of_name(name, record)
    key, value = decode_coordinator(record.key, record.value)
    shown = {key.NAME: to_dict(key)}
    if record.value is None:
        return {**shown, "tombstone": True}
    version = int.from_bytes(record.value[:2], "big")
    fields = to_dict(value)
    if fields.get("expireTimestamp", -1) != -1:  # two times: the request contains their difference
        fields["expireTimestamp"] -= fields["commitTimestamp"]
    if "members" in fields:
        fields["members"].sort(key=_client)
    return {**shown, f"{value.NAME} v{version}": fields}


def _transaction(record: LogRecord) -> dict[str, Any]:
    """Return a record of the transaction log. Its partitions are sorted: they are a hash set in Kafka."""
    assert record.key is not None
    key = {"TransactionLogKey": to_dict(decode("TransactionLogKey", 0, record.key[2:]))}
    if record.value is None:
        return {**key, "tombstone": True}
    version = int.from_bytes(record.value[:2], "big")
    fields = to_dict(decode("TransactionLogValue", version, record.value[2:]))
    partitions = fields["TransactionPartitions"]
    fields["TransactionPartitions"] = partitions and sorted(
        (one["Topic"], sorted(one["PartitionIds"])) for one in partitions
    )
    return {**key, f"TransactionLogValue v{version}": fields}


def _share(record: LogRecord) -> dict[str, Any]:
    """Return a record of the share coordinator's log."""
    assert record.key is not None
    return _of_name(SHARE_RECORDS[int.from_bytes(record.key[:2], "big")], record)


def _of_name(name: str, record: LogRecord) -> dict[str, Any]:
    assert record.key is not None
    key = {f"{name}Key": to_dict(decode(f"{name}Key", 0, record.key[2:]))}
    if record.value is None:
        return {**key, "tombstone": True}
    version = int.from_bytes(record.value[:2], "big")
    return {**key, f"{name}Value v{version}": to_dict(decode(f"{name}Value", version, record.value[2:]))}


def _records_of(dump: list[str], places: set[tuple[str, int]]) -> list[str]:
    """Return the lines of records, without those of their batches."""
    return [line for line in _lines_of(dump, places) if line.startswith("|")]


def _share_key(line: str) -> str:
    return re.sub(r'.*"data":(\{[^}]*"partition":\d+\}).*', r"\1", line)


def _shape(header: BatchHeader) -> dict[str, Any]:
    names = ("count", "size", "attributes", "producer_id", "producer_epoch", "base_sequence", "leader_epoch")
    return {name: getattr(header, name) for name in names}


_FILE: Final = re.compile(r"Dumping (.+)")
_RECORD: Final = re.compile(r"\| offset: (\d+) ")


def _lines_of(dump: list[str], wanted: set[tuple[str, int]]) -> Iterator[str]:
    """Yield the lines of these records, each batch's line before its first record."""
    file, batch = "", ""
    for line in dump:
        named, record = _FILE.match(line), _RECORD.match(line)
        if named:
            file = named[1]
        elif not record:
            batch = line
        elif (file, int(record[1])) in wanted:
            if batch:
                yield batch
            yield line
            batch = ""


def _kind_and_name(record: dict[str, Any]) -> tuple[str, str]:
    """Return the kind of a metadata record, and a sort key for records whose order is arbitrary."""
    kind, fields = next(iter(record.items()))
    if kind.startswith("ConfigRecord"):
        return f"{kind} {fields['ResourceName']}", fields["Name"]
    return kind, fields["TopicId"] if kind.startswith("RemoveTopicRecord") else ""


def _dumped_kind_and_name(line: str) -> tuple[str, str]:
    told = json.loads(line.replace("<time>", "0"))
    if told["type"] == "CONFIG_RECORD":
        return f"{told['type']} {told['data']['resourceName']}", told["data"]["name"]
    return told["type"], told["data"]["topicId"] if told["type"] == "REMOVE_TOPIC_RECORD" else ""


def _sorted(given: list[T], kind_and_name: Callable[[T], tuple[str, str]]) -> list[T]:
    """Sort each run of records of one kind by name. Records with the same name keep their order."""
    runs = itertools.groupby(given, lambda one: kind_and_name(one)[0])
    return [one for _, run in runs for one in sorted(run, key=lambda one: kind_and_name(one)[1])]


def _client(member: dict[str, Any]) -> str:
    name: str = member["clientId"]
    return name


# A hash of topic ids, which are random, and an offset of the metadata log, which differs.
_HIDDEN: Final = {"MetadataHash": "<hash>", "Version": "<version>"}
_PRODUCER_IDS: Final = ("ProducerId", "PreviousProducerId", "NextProducerId", "producer_id")
_PARTITIONS: Final = ("Partitions", "partitions")  # in a record, and as kafka-dump-log prints it
_EPOCHS: Final = ("AssignmentEpochs", "assignmentEpochs")


def _assignments_sorted(given: Any) -> Any:
    """Sort topics and partitions. Kafka's immutable sets have another order in each process."""
    if isinstance(given, list):
        items = [_assignments_sorted(item) for item in given]
        is_assignment = all(isinstance(item, dict) and any(p in item for p in _PARTITIONS) for item in items)
        return sorted(items, key=str) if is_assignment else items
    if not isinstance(given, dict):
        return given
    for partitions, epochs in zip(_PARTITIONS, _EPOCHS, strict=True):
        if given.get(epochs):
            pairs = sorted(zip(given[partitions], given[epochs], strict=True))
            return {**given, partitions: [p for p, _ in pairs], epochs: [epoch for _, epoch in pairs]}
        if partitions in given and isinstance(given[partitions], list):
            return {**given, partitions: sorted(given[partitions])}
    return {name: _assignments_sorted(item) for name, item in given.items()}


def _dumped_assignments_sorted(found: re.Match[str]) -> str:
    shown = _assignments_sorted(json.loads(found[1]))
    return f"payload: {json.dumps(shown, separators=(',', ':'), ensure_ascii=False)}"


def _members_sorted(found: re.Match[str]) -> str:
    members = sorted(json.loads(found[1]), key=_client)
    return f'"members":{json.dumps(members, separators=(",", ":"), ensure_ascii=False)}'


_ASSIGNMENTS: Final = re.compile(r'payload: (\{.*"topicId":.*"partitions":.*\})$')
_MEMBERS: Final = re.compile(r'"members":(\[.*\])')
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NOW_MS: Final = range(1_600_000_000_000, 2_500_000_000_000)
_REPLACED: Final = [
    (re.compile(pattern), by)
    for pattern, by in (
        (r"(?<=ffset: )\d+", "<n>"),
        (r"(?<=position: )\d+", "<n>"),
        (r"(?<=crc: )\d+", "<crc>"),
        (r"(?<=roducerId: )\d+", "<producer>"),
        (r'(?<=roducerId":)\d+', "<producer>"),
        (r'(?<="metadataHash":)-?[1-9]\d*', "<hash>"),
        (r'(?<="version":)\d+(?=,"timestamp")', "<version>"),
        (r"\b(1[6-9]|2[0-4])\d{11}\b", "<time>"),
        (r'(?<="directories":\[")[\w-]{22}', "<id of the directory>"),
    )
]


class _Comparable:
    """Replaces ids by the name of their object or by their order of appearance, and times by <time>."""

    def __init__(self, names: dict[str, str]) -> None:
        self._known = dict(names)
        self._count = 0
        self._producers: dict[int, str] = {}

    def value(self, given: Any) -> Any:
        if isinstance(given, dict):
            fields = {
                name: self._producer(item) if name in _PRODUCER_IDS else self.value(item)
                for name, item in given.items()
            }
            return {name: _HIDDEN.get(name, item) if item else item for name, item in fields.items()}
        if isinstance(given, list | tuple):
            return [self.value(item) for item in given]
        if isinstance(given, str):
            return _UUID.sub(self._id, given)
        return "<time>" if isinstance(given, int) and given in _NOW_MS else given

    def _producer(self, given: int) -> int | str:
        if given < 0:
            return given
        return self._producers.setdefault(given, f"<producer {len(self._producers) + 1}>")

    def dumped(self, line: str) -> str:
        line = _MEMBERS.sub(_members_sorted, line)
        for pattern, by in _REPLACED:
            line = pattern.sub(by, line)
        for known, name in self._known.items():
            line = line.replace(known, name)
        line = _ASSIGNMENTS.sub(_dumped_assignments_sorted, line)
        return _UUID.sub(self._id, line)

    def _id(self, found: re.Match[str]) -> str:
        text = found[0]
        if uuid.UUID(text).int < 100:  # those that Kafka has given a meaning
            return text
        if text not in self._known:
            self._count += 1
            self._known[text] = f"<id {self._count}>"
        return self._known[text]


def _short(topic_id: bytes) -> str:
    return base64.urlsafe_b64encode(topic_id).decode().rstrip("=")
