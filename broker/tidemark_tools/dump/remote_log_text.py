"""Records of __remote_log_metadata, printed as the toString of Kafka's classes prints them (KIP-405)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidemark_protocol.batch import LogRecord
from tidemark_protocol.kafka_json import uuid_text
from tidemark_protocol.wire import WireError
from tidemark_tools.dump.stored_text import REMOTE_LOG_RECORDS, read_framed

SEGMENT_STATES: Final = (
    "COPY_SEGMENT_STARTED",
    "COPY_SEGMENT_FINISHED",
    "DELETE_SEGMENT_STARTED",
    "DELETE_SEGMENT_FINISHED",
)
PARTITION_STATES: Final = ("DELETE_PARTITION_MARKED", "DELETE_PARTITION_STARTED", "DELETE_PARTITION_FINISHED")


def remote_log_content(record: LogRecord) -> tuple[str | None, str | None]:
    """Return the key, which is None, and the text of the record."""
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
