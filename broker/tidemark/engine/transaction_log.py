"""The log of transactions, `__transaction_state`, at a start."""

from __future__ import annotations

from collections.abc import Callable

from tidemark.core.result import Record
from tidemark.engine.recovery import CannotLoad, Loaded
from tidemark.log.partition import PartitionLog
from tidemark_protocol.batch import BatchError, records
from tidemark_protocol.stored import UnknownRecordType
from tidemark_protocol.stored_transactions import decode_transaction
from tidemark_protocol.wire import WireError


def load_transactions(log: PartitionLog, replay: Callable[[Record], None]) -> Loaded:
    """Replay the newest record of each transactional id in a partition of `__transaction_state`.

    Raises CannotLoad, before anything is replayed, if one of them cannot be read. Kafka would serve the
    partition without the records from that one on, and would leave open transactions open for ever.
    """
    newest: dict[bytes, tuple[int, bytes | None]] = {}
    for stored in log.batches(log.log_start_offset):
        if stored.header.is_control:
            continue
        try:
            for entry in records(stored.buf, stored.start, stored.header):
                if entry.key is None:
                    raise CannotLoad(f"the record at offset {entry.offset} has no key")
                newest[entry.key] = entry.offset, entry.value
        except BatchError as error:
            reason = f"the records from offset {stored.base_offset} on cannot be read: {error}"
            raise CannotLoad(reason) from None
    loaded = Loaded()
    found: list[Record] = []
    for key, (offset, value) in newest.items():
        try:
            record = Record(*decode_transaction(key, value))
        except UnknownRecordType as unknown:
            loaded.skip(unknown)
        except WireError as error:
            raise CannotLoad(f"the record at offset {offset} cannot be read: {error}") from None
        else:
            if record.value is not None:
                found.append(record)
    for record in found:
        replay(record)
    loaded.records = len(found)
    return loaded
