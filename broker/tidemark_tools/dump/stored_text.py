"""Records of Kafka's internal topics as its tools print them: decoded, then JSON.

kafka-dump-log (`--offsets-decoder` and similar) and the console consumer's formatters read the same records.
They differ in how they print versions and bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark_protocol.batch import LogRecord
from tidemark_protocol.by_name import message_class
from tidemark_protocol.kafka_json import kafka_json, uuid_text
from tidemark_protocol.stored import METADATA, RECORD_TYPES, UnknownRecordType
from tidemark_protocol.subscriptions import CONSUMER
from tidemark_protocol.wire import WireError, read_uvarint

VERSION_BYTES: Final = 2

WITHOUT_SCHEMA: Final = (9, 18)  # Kafka 4.3's tools no longer know these

# Key version -> stem of the two classes, by topic.
GROUP_RECORDS: Final = {
    version: stem for version, stem in RECORD_TYPES.items() if version not in WITHOUT_SCHEMA
}
TRANSACTION_RECORDS: Final = {0: "TransactionLog"}
SHARE_RECORDS: Final = {0: "ShareSnapshot", 1: "ShareUpdate"}

# API key -> class. These records have no key; frame version, API key and version precede each of them.
METADATA_RECORDS: Final = {api_key: name for api_key, (_, name) in METADATA.items()}
REMOTE_LOG_RECORDS: Final = {
    0: "RemoteLogSegmentMetadataRecord",
    1: "RemoteLogSegmentMetadataUpdateRecord",
    2: "RemotePartitionDeleteMetadataRecord",
}
FRAME_VERSION: Final = 1

MEMBER_FIELDS: Final = (
    ("subscription", "ConsumerProtocolSubscription"),
    ("assignment", "ConsumerProtocolAssignment"),
)

SEGMENT_STATES: Final = (
    "COPY_SEGMENT_STARTED",
    "COPY_SEGMENT_FINISHED",
    "DELETE_SEGMENT_STARTED",
    "DELETE_SEGMENT_FINISHED",
)
PARTITION_STATES: Final = ("DELETE_PARTITION_MARKED", "DELETE_PARTITION_STARTED", "DELETE_PARTITION_FINISHED")


@dataclass(slots=True)
class StoredRecord:
    """A decoded record. key_type: the version before the key. value_version: None for a tombstone."""

    key_type: int
    key: Any
    value_version: int | None
    value: Any

    def key_json(self) -> dict[str, Any]:
        return kafka_json(self.key, 0)

    def value_json(self) -> dict[str, Any] | None:
        """Return the value as JSON, with subscriptions and assignments as bytes; None for a tombstone."""
        if self.value is None or self.value_version is None:
            return None
        return kafka_json(self.value, self.value_version)


def read_stored(types: Mapping[int, str], key: bytes, value: bytes | None) -> StoredRecord:
    """Decode a coordinator's record.

    Raises UnknownRecordType, and WireError, with Kafka's message where there is one.
    """
    key_type = _version(key, "key")
    stem = types.get(key_type)
    if stem is None:
        raise UnknownRecordType(str(key_type))
    decoded_key = _read(f"{stem}Key", 0, key, "key")
    if value is None:
        return StoredRecord(key_type, decoded_key, None, None)
    version = _version(value, "value")
    if version not in message_class(f"{stem}Value").DECODERS:
        raise WireError(f"Found an unknown record version {version} for {key_type} type")
    return StoredRecord(key_type, decoded_key, version, _read(f"{stem}Value", version, value, "value"))


def read_framed(types: Mapping[int, str], data: bytes) -> tuple[Any, int]:
    """Decode a record of __cluster_metadata or __remote_log_metadata; return it and its version.

    Raises WireError.
    """
    frame, pos = _framing(data, 0, "frame version")
    if frame == 0:
        raise WireError(
            "Could not deserialize metadata record with frame version 0. Note that upgrades from the preview "
            "release of KRaft in 2.8 to newer versions are not supported."
        )
    if frame != FRAME_VERSION:
        raise WireError(
            f"Could not deserialize metadata record due to unknown frame version {frame}(only frame version "
            f"{FRAME_VERSION} is supported)"
        )
    api_key, pos = _framing(data, pos, "type")
    version, pos = _framing(data, pos, "version")
    if api_key not in types:
        raise WireError(
            f"org.apache.kafka.common.errors.UnsupportedVersionException: Unknown metadata id {api_key}"
        )
    try:
        message, pos = message_class(types[api_key]).DECODERS[version](data, pos, len(data))
    except (WireError, KeyError):
        raise WireError(f"Failed to deserialize record with type {api_key}") from None
    if pos < len(data):
        raise WireError(f"Found {len(data) - pos} byte(s) of garbage after {api_key}")
    return message, version


def _framing(data: bytes, pos: int, what: str) -> tuple[int, int]:
    try:
        value, pos = read_uvarint(data, pos)
    except (WireError, IndexError):
        raise WireError(f"Error while reading {what}") from None
    if not 0 <= value < 1 << 15:
        raise WireError(f"Value for {what} was too large.")
    return value, pos


def with_protocols(result: dict[str, Any], value: Any) -> dict[str, Any]:
    """Decode the members' subscriptions and assignments in the JSON of a GroupMetadataValue, if possible."""
    if result.get("protocolType") != CONSUMER:
        return result
    for member_told, member in zip(result["members"], value.members, strict=True):
        for field, name in MEMBER_FIELDS:
            decoded = _protocol_json(name, getattr(member, field))
            if decoded is not None:
                member_told[field] = decoded
    return result


def _protocol_json(name: str, data: bytes) -> dict[str, Any] | None:
    """Return the JSON, or None if the bytes are not a consumer's. Unknown versions are read as the newest."""
    cls = message_class(name)
    try:
        version = _version(data, name)
        decoder = cls.DECODERS[min(version, cls.HIGHEST)]
        return kafka_json(decoder(data, VERSION_BYTES, len(data))[0], version)
    except (WireError, KeyError):
        return None


def _version(data: bytes, which: str) -> int:
    if len(data) < VERSION_BYTES:
        raise WireError(f"Could not read version from {which}'s buffer.")
    return int.from_bytes(data[:VERSION_BYTES], "big", signed=True)


def _read(name: str, version: int, data: bytes, which: str) -> Any:
    cls = message_class(name)
    try:
        message = cls.DECODERS[version](data, VERSION_BYTES, len(data))[0]
    except WireError as error:
        found = _version(data, which)
        raise WireError(
            f"Could not read record with version {found} from {which}'s buffer due to: {error}."
        ) from None
    return message


def remote_log_content(record: LogRecord) -> tuple[str | None, str | None]:
    """Return the key, which is None, and the record as its toString in Kafka prints it (KIP-405)."""
    try:
        message, _ = read_framed(REMOTE_LOG_RECORDS, record.value or b"")
    except WireError as error:
        return None, f"Error at offset {record.offset}, skipping. {error}"
    return None, _TOLD[message.NAME](message)


def _segment(m: Any) -> str:
    epochs = ", ".join(
        f"{e.leader_epoch}={e.offset}" for e in sorted(m.segment_leader_epochs, key=lambda e: e.leader_epoch)
    )
    return (
        f"RemoteLogSegmentMetadata{{remoteLogSegmentId={_segment_id(m.remote_log_segment_id)}, "
        f"startOffset={m.start_offset}, endOffset={m.end_offset}, brokerId={m.broker_id}, "
        f"maxTimestampMs={m.max_timestamp_ms}, eventTimestampMs={m.event_timestamp_ms}, "
        f"segmentLeaderEpochs={{{epochs}}}, segmentSizeInBytes={m.segment_size_in_bytes}, "
        f"customMetadata={_custom(m.custom_metadata)}, state={SEGMENT_STATES[m.remote_log_segment_state]}, "
        f"txnIdxEmpty={'true' if m.txn_index_empty else 'false'}}}"
    )


def _update(m: Any) -> str:
    return (
        f"RemoteLogSegmentMetadataUpdate{{remoteLogSegmentId={_segment_id(m.remote_log_segment_id)}, "
        f"customMetadata={_custom(m.custom_metadata)}, state={SEGMENT_STATES[m.remote_log_segment_state]}, "
        f"eventTimestampMs={m.event_timestamp_ms}, brokerId={m.broker_id}}}"
    )


def _deletion(m: Any) -> str:
    return (
        f"RemotePartitionDeleteMetadata{{topicPartition={_partition(m.topic_id_partition)}, "
        f"state={PARTITION_STATES[m.remote_partition_delete_state]}, "
        f"eventTimestampMs={m.event_timestamp_ms}, brokerId={m.broker_id}}}"
    )


def _segment_id(m: Any) -> str:
    partition = _partition(m.topic_id_partition)
    return f"RemoteLogSegmentId{{topicIdPartition={partition}, id={uuid_text(m.id)}}}"


def _partition(m: Any) -> str:
    return f"{uuid_text(m.id)}:{m.name}-{m.partition}"


def _custom(data: bytes | None) -> str:
    return "Optional.empty" if data is None else f"Optional[CustomMetadata{{{len(data)} bytes}}]"


_TOLD: Final[dict[str, Callable[[Any], str]]] = {
    "RemoteLogSegmentMetadataRecord": _segment,
    "RemoteLogSegmentMetadataUpdateRecord": _update,
    "RemotePartitionDeleteMetadataRecord": _deletion,
}
