"""Record writers: the log and the encoding of each state machine's records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidemark.core.apply import RecordsTooLarge
from tidemark.core.result import Record
from tidemark.engine.group_commit import Encoded, InternalLog
from tidemark.log.partition import PartitionLog
from tidemark_protocol.stored import CoordinatorCodec, encode_metadata
from tidemark_protocol.wire import WireError

METADATA_LEADER_EPOCH: Final = 1
METADATA_BATCH_BYTES_MAX: Final = 8 * 1024 * 1024  # Kafka's KafkaRaftClient.MAX_BATCH_SIZE_BYTES
METADATA_BASE_SEQUENCE: Final = -1


class OffsetsWriter:
    """Writes records of Groups to `__consumer_offsets`. open_log opens one of its partitions."""

    __slots__ = ("_codec", "_logs", "_open_log")

    def __init__(self, codec: CoordinatorCodec, open_log: Callable[[int], InternalLog]) -> None:
        self._codec = codec
        self._open_log = open_log
        self._logs: dict[int, InternalLog] = {}

    def encode(self, record: Record) -> Encoded:
        """Raises RecordsTooLarge for a name that is too long: each byte that is not UTF-8 becomes three."""
        try:
            return self._codec.encode(record.key, record.value)
        except WireError as error:
            raise RecordsTooLarge from error

    def log(self, partition: int) -> InternalLog:
        log = self._logs.get(partition)
        if log is None:
            log = self._logs[partition] = self._open_log(partition)
        return log


class MetadataWriter:
    """Writes records of Cluster to `__cluster_metadata-0`."""

    __slots__ = ("_log",)

    def __init__(self, log: PartitionLog) -> None:
        self._log = InternalLog(
            log,
            leader_epoch=METADATA_LEADER_EPOCH,
            base_sequence=METADATA_BASE_SEQUENCE,
        )

    def encode(self, record: Record) -> Encoded:
        return None, encode_metadata(record.value)

    def log(self, partition: int) -> InternalLog:
        return self._log
