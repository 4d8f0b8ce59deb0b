"""`tidemark dump-log`: prints the content of segment files as kafka-dump-log does. It needs no broker.

Damage ends the dump as it ends Kafka's: with the exception's name and message, but without a stack trace.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TextIO

from tidemark_protocol.batch import (
    APPEND_TIME,
    HEADER_BYTES,
    BatchError,
    BatchHeader,
    ControlType,
    LogRecord,
    check_crc,
    control_type,
)
from tidemark_protocol.compression import Codec
from tidemark_protocol.kafka_json import kafka_json
from tidemark_protocol.kafka_json import text as json_text
from tidemark_protocol.wire import WireError
from tidemark_tools.client.errors import Failed
from tidemark_tools.dump.log_file import BYTES_MAX, MAGIC_2, OFFSET_DIGITS, File, LogFile, Thrown
from tidemark_tools.options import DONE, JoptTool, OptionError, Parsed, comma_separated, require, run, table

STRING_DECODER: Final = "org.apache.kafka.tools.api.StringDecoder"
TOOL: Final = JoptTool(
    "This tool helps to parse a log file and dump its contents to the console, useful for debugging a "
    "seemingly corrupt log segment.",
    table("""
    files <file1, file2, ...>  REQUIRED: The files to dump, separated by commas.
    print-data-log  Print the records. Implied by any decoder.
    deep-iteration  Read each record and not only batches. Implied by --print-data-log.
    skip-record-metadata  Print keys and values only; control records become empty lines.
    offsets-decoder  The files belong to __consumer_offsets.
    transaction-log-decoder  The files belong to __transaction_state.
    cluster-metadata-decoder  The files belong to __cluster_metadata.
    remote-log-metadata-decoder  The files belong to __remote_log_metadata.
    share-group-state-decoder  The files belong to __share_group_state.
    verify-index-only  Compare an index with its log and print the differences, not the index.
    index-sanity-check  Check an index as a broker does at start-up, and do not print it.
    max-bytes <Integer: size>  Read batches up to this many bytes. (default: 2147483647)
    max-message-size <Integer: size>  Size of the largest batch. (default: 5242880)
    key-decoder-class [String]  Only the default works. (default: org.apache.kafka.tools.api.StringDecoder)
    value-decoder-class [String]  Only the default works. (default: org.apache.kafka.tools.api.StringDecoder)
"""),
    lambda parsed: require(parsed, "files"),
    quiet=True,
)
# If several are given, the first of these counts.
DECODERS: Final = (
    "offsets-decoder",
    "transaction-log-decoder",
    "cluster-metadata-decoder",
    "remote-log-metadata-decoder",
    "share-group-state-decoder",
)
PRINTING: Final = ("print-data-log", "key-decoder-class", "value-decoder-class", *DECODERS)
CODECS: Final = {codec.value: codec.name.lower() for codec in Codec}
BOOTSTRAP: Final = "bootstrap.checkpoint"
CHECKPOINT: Final = ".checkpoint"

# The title that is printed for each of KRaft's control records, and the message in its value.
CONTROL_MESSAGES: Final = {
    ControlType.LEADER_CHANGE: ("LeaderChange:", "LeaderChangeMessage"),
    ControlType.SNAPSHOT_HEADER: ("SnapshotHeader", "SnapshotHeaderRecord"),
    ControlType.SNAPSHOT_FOOTER: ("SnapshotFooter", "SnapshotFooterRecord"),
    ControlType.KRAFT_VERSION: ("KRaftVersion", "KRaftVersionRecord"),
    ControlType.KRAFT_VOTERS: ("KRaftVoters", "VotersRecord"),
}
MARKERS: Final = {ControlType.ABORT: "ABORT", ControlType.COMMIT: "COMMIT"}

Content = tuple[str | None, str | None]  # key and payload; None: the line has none
Decode = Callable[[LogRecord], Content]


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code: 1 for a wrong command line and for damage that ends the dump."""

    def act(parsed: Parsed) -> int:
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        return dump(parsed, sys.stdout, sys.stderr)

    return run(TOOL, arguments, act, _died)


def _died(error: Failed) -> None:
    sys.stdout.flush()
    thrown = Thrown(error.java_class, str(error)) if isinstance(error, OptionError) else error
    started = 'Exception in thread "main" ' if isinstance(thrown, Thrown) else ""
    print(f"{started}{thrown}", file=sys.stderr)


def dump(parsed: Parsed, out: TextIO, err: TextIO) -> int:
    """Print all files, then the inconsistencies found in them. Return the exit code."""
    run = Dump(parsed, err, any(parsed.has(name) for name in PRINTING))
    for given in comma_separated(parsed.text("files")):
        file = File(given)
        out.write(f"Dumping {file.shown}\n")
        out.writelines(f"{line}\n" for line in run.lines(file))
    err.writelines(f"{line}\n" for line in run.complaints())
    return DONE


@dataclass(slots=True)
class Dump:
    """One run of the tool. gaps: by file, each offset before a gap and the offset after it."""

    parsed: Parsed
    err: TextIO
    prints_records: bool
    decode: Decode | None = None
    gaps: dict[str, dict[int, int]] = field(default_factory=dict)
    mismatches: Any = None  # dump_index.Mismatches; that module is imported only for an index

    def lines(self, file: File) -> Iterator[str]:
        """Return the lines for one file. Raises WrongFile, and CannotRead and Thrown while it reads."""
        file.check()
        match file.suffix:
            case ".log" | ".checkpoint":
                return self._log(file)
            case ".index" | ".timeindex":
                return self._index(file)
            case ".snapshot":
                return self._producers(file)
            case ".txnindex":
                from tidemark_tools.dump.dump_index import dump_aborted

                return dump_aborted(file)
        with file.reading():
            file.path.stat()
        print(f"Ignoring unknown file {file.shown}", file=self.err)
        return iter(())

    def complaints(self) -> Iterator[str]:
        """Yield the lines that stderr gets at the end."""
        if self.mismatches is not None:
            yield from self.mismatches.lines()
        for name, followers in self.gaps.items():
            yield f"Non-consecutive offsets in {name}"
            yield from (f"  {offset} is followed by {followers[offset]}" for offset in sorted(followers))

    def _log(self, file: File) -> Iterator[str]:
        bytes_max = self.parsed.number("max-bytes") or 0
        self.decode = self.decode or decoder_of(self.parsed)
        yield _title(file)
        with LogFile(file, bytes_max) as log:
            valid_bytes = 0
            before = -1
            for position, header in log.headers():
                valid = header.size >= HEADER_BYTES and check_crc(log.bytes_of(position, header), 0, header)
                yield _batch_line(position, header, valid)
                if self.prints_records or self.parsed.has("deep-iteration"):
                    for record in log.records(position, header):
                        if record.offset != before + 1:
                            self.gaps.setdefault(file.absolute, {})[before] = record.offset
                        before = record.offset
                        yield self._record_line(header, record)
                valid_bytes = position + header.size
            if log.end > valid_bytes and bytes_max == BYTES_MAX:
                yield f"Found {log.end - valid_bytes} invalid bytes at the end of {file.name}"

    def _record_line(self, header: BatchHeader, record: LogRecord) -> str:
        skips = self.parsed.has("skip-record-metadata")
        parts = [] if skips else [_metadata(header, record)]
        if self.prints_records and self.decode is not None and not header.is_control:
            key, payload = self.decode(record)
            parts += [] if key is None else [f"key: {key}"]
            parts += [] if payload is None else [f"payload: {payload}"]
        return f"| {' '.join(parts)}" if parts else ""

    def _index(self, file: File) -> Iterator[str]:
        """Yield the lines for an index. Nothing but differences is printed with --verify-index-only."""
        from tidemark_tools.dump import dump_index

        of_time = file.suffix == ".timeindex"
        file.start_offset()
        with LogFile(file.beside(".log")) as log:
            if not of_time and dump_index.is_empty(file):
                yield f"{file.shown} is empty."
                return
            if self.parsed.has("index-sanity-check"):
                (dump_index.check_time_index if of_time else dump_index.check_offset_index)(file)
                yield f"{file.shown} passed sanity check."
                return
            self.mismatches = self.mismatches or dump_index.Mismatches()
            if of_time:
                lines = dump_index.dump_time_index(file, log, self.mismatches)
            else:
                bytes_max = self.parsed.number("max-message-size") or 0
                lines = dump_index.dump_offset_index(file, log, self.mismatches, bytes_max)
            for line in lines:
                if not self.parsed.has("verify-index-only"):
                    yield line

    def _producers(self, file: File) -> Iterator[str]:
        from tidemark.log.producers import SnapshotCorrupt
        from tidemark_tools.dump.dump_index import dump_producers

        try:
            yield from dump_producers(file)
        except SnapshotCorrupt as error:
            print(error, file=self.err)


def _title(file: File) -> str:
    """Return the line that precedes the batches of a log or of a metadata snapshot."""
    if file.name.endswith(".log"):
        return f"Log starting offset: {file.start_offset()}"
    if file.name == BOOTSTRAP:
        return "KRaft bootstrap snapshot"
    offset, _, epoch = file.name.removesuffix(CHECKPOINT).partition("-")
    if not (offset.isdecimal() and epoch.isdecimal()):
        example = f"{0:0{OFFSET_DIGITS}}-{0:010}{CHECKPOINT}"
        snapshot = "a snapshot of the metadata log: its name must be an offset and an epoch, as in"
        raise file.misnamed(f"{snapshot} {example}")
    return f"Snapshot end offset: {int(offset)}, epoch: {int(epoch)}"


def _batch_line(position: int, header: BatchHeader, valid: bool) -> str:  # noqa: FBT001 - a part of the line
    horizon = header.delete_horizon_ms
    return (
        f"baseOffset: {header.base_offset} lastOffset: {header.last_offset} count: {header.count} "
        f"baseSequence: {header.base_sequence} lastSequence: {header.last_sequence} "
        f"producerId: {header.producer_id} producerEpoch: {header.producer_epoch} "
        f"partitionLeaderEpoch: {header.leader_epoch} isTransactional: {_java(header.is_transactional)} "
        f"isControl: {_java(header.is_control)} "
        f"deleteHorizonMs: {'OptionalLong.empty' if horizon is None else f'OptionalLong[{horizon}]'} "
        f"position: {position} {_time_kind(header)}: {header.max_timestamp} size: {header.size} "
        f"magic: {header.magic} compresscodec: {CODECS.get(header.compression, header.compression)} "
        f"crc: {header.crc} isvalid: {_java(valid)}"
    )


def _java(truth: bool) -> str:  # noqa: FBT001 - it is what is printed
    return "true" if truth else "false"


def _time_kind(header: BatchHeader) -> str:
    return "LogAppendTime" if header.attributes & APPEND_TIME else "CreateTime"


def _metadata(header: BatchHeader, record: LogRecord) -> str:
    names = ",".join(
        name.encode("utf-8", "surrogateescape").decode("utf-8", "java") for name, _ in record.headers
    )
    line = (
        f"offset: {record.offset} {_time_kind(header)}: {record.timestamp} keySize: {_size(record.key)} "
        f"valueSize: {_size(record.value)}"
    )
    if header.magic >= MAGIC_2:
        line += f" sequence: {_sequence(header, record)} headerKeys: [{names}]"
    return f"{line} {_control(record)}" if header.is_control else line


def _size(content: bytes | None) -> int:
    return -1 if content is None else len(content)


def _sequence(header: BatchHeader, record: LogRecord) -> int:
    """Sequences wrap from 2^31-1 to 0."""
    if header.base_sequence < 0:
        return -1
    return (header.base_sequence + record.offset - header.base_offset) & 0x7FFFFFFF


def _control(record: LogRecord) -> str:
    """Describe a control record."""
    try:
        kind = control_type(record.key)
    except BatchError as error:
        raise Thrown("org.apache.kafka.common.InvalidRecordException", str(error)) from None
    value = record.value or b""
    if kind in MARKERS:
        epoch = int.from_bytes(value[2:6], "big", signed=True)
        return f"endTxnMarker: {MARKERS[kind]} coordinatorEpoch: {epoch}"
    if kind in CONTROL_MESSAGES:
        from tidemark_protocol.by_name import decode

        title, name = CONTROL_MESSAGES[kind]
        message = decode(name, 0, value)
        return f"{title} {json_text(kafka_json(message, message.version))}"
    return f"controlType: UNKNOWN({kind})"


def decoder_of(parsed: Parsed) -> Decode:
    """Return the chosen decoder. Raises Thrown for the user's own decoder, which would be a Java class."""
    chosen = next((name for name in DECODERS if parsed.has(name)), None)
    if chosen == "cluster-metadata-decoder":
        return _metadata_content
    if chosen == "remote-log-metadata-decoder":
        from tidemark_tools.dump.stored_text import remote_log_content

        return remote_log_content
    if chosen is not None:
        from tidemark_tools.dump import stored_text

        types = {
            "offsets-decoder": stored_text.GROUP_RECORDS,
            "transaction-log-decoder": stored_text.TRANSACTION_RECORDS,
            "share-group-state-decoder": stored_text.SHARE_RECORDS,
        }
        decode: Decode = partial(_coordinator_content, stored_text, types[chosen])
        return decode
    for name in ("value-decoder-class", "key-decoder-class"):
        if parsed.value(name) not in (STRING_DECODER, None):
            raise Thrown("java.lang.RuntimeException", "Failed to load decoder class")
    return lambda record: (_text(record.key), _text(record.value))


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "java")


def _coordinator_content(stored_text: Any, types: dict[int, str], record: LogRecord) -> Content:
    if record.key is None:
        raise Thrown(
            "java.lang.RuntimeException",
            f"Failed to decode message at offset {record.offset} using the specified decoder (message had a "
            "missing key)",
        )
    try:
        stored = stored_text.read_stored(types, record.key, record.value)
    except stored_text.UnknownRecordType as error:
        return f"Unknown record type {error} at offset {record.offset}, skipping.", None
    except WireError as error:
        return f"Error at offset {record.offset}, skipping. {error}", None
    key = json_text({"type": str(stored.key_type), "data": stored.key_json()})
    result = stored.value_json()
    if result is None:
        return key, "<DELETE>"
    result = stored_text.with_protocols(result, stored.value)
    return key, json_text({"version": str(stored.value_version), "data": result})


def _metadata_content(record: LogRecord) -> Content:
    """Decode a record of the metadata log, which has no key."""
    from tidemark_tools.dump.stored_text import METADATA_RECORDS, read_framed

    try:
        message, version = read_framed(METADATA_RECORDS, record.value or b"")
    except WireError as error:
        return None, f"Error at {record.offset}, skipping. {error}"
    kind = type(message).__module__.rpartition(".")[2].upper()
    return None, json_text({"type": kind, "version": version, "data": kafka_json(message, version)})
