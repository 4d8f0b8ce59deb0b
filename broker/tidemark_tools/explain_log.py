"""`tidemark explain-log`: what happened to committed offsets, without Java.

It reads the log directories of brokers, or copies `__consumer_offsets` of a running cluster into one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tidemark_tools.options import FAILED, JoptTool, Parsed, UsageError, run, table

if TYPE_CHECKING:
    from tidemark_pipeline.cli.explain_log import Wire
    from tidemark_pipeline.cli.progress import Progress
    from tidemark_tools.client.client import Client
    from tidemark_tools.client.errors import Failed

PROGRAM: Final = "tidemark explain-log"
OFFSETS_TOPIC: Final = "__consumer_offsets"
OF_A_CLUSTER: Final = ("command-config", "since")
TIMEOUT_MS: Final = 15_000  # of a request, while no broker responds
WAIT_MS: Final = 500  # of a fetch
STALLED_S: Final = 30.0  # without a record: leaders move within that time
PAUSE_S: Final = 0.1
MB: Final = 10**6
BYTES_MAX: Final = 500 * MB  # of a copy
NOT_ALLOWED: Final = (
    f"this client may not read {OFFSETS_TOPIC}: it needs Read on that topic (kafka-acls --add "
    f"--allow-principal User:NAME --operation Read --topic {OFFSETS_TOPIC})"
)
NO_COMMIT_YET: Final = (
    f"this cluster has no {OFFSETS_TOPIC}, because no group has joined or committed an offset yet"
)


def _check(parsed: Parsed) -> None:
    parsed.duration_ms("since")
    if parsed.has("bootstrap-server"):
        if parsed.words:
            raise UsageError(
                f"--bootstrap-server names a running cluster, and {parsed.words[0]} is a log directory: use "
                "one or the other"
            )
        return
    for name in OF_A_CLUSTER:
        if parsed.has(name):
            raise UsageError(f"--{name} requires --bootstrap-server")
    if not parsed.words:
        raise UsageError(
            f"Name the log directories: {PROGRAM} DIR ..., or a running cluster: "
            f"{PROGRAM} --bootstrap-server HOST:PORT"
        )


TOOL: Final = JoptTool(
    "Say what happened to committed offsets, from the log directories of brokers, or from a running cluster, "
    "which is only read.",
    table("""
    bootstrap-server <HOST:PORT>  Read __consumer_offsets of this cluster. No directory is named then.
    command-config <Client property file>  A properties file with settings of the client.
    since <7d>  Read only the records of this time from the cluster: older offsets are then unknown.
    group <name>  What happened to this group, in order.
    retention <7d>  The broker's offsets.retention.minutes, as 7d, 36h or 90min. (A cluster is asked for it.)
    config <server.properties>  The broker's file of settings, for the retention.
    as-of <time>  The current time: log (of the newest record), now, or ISO 8601. (default: log)
    show <Integer: count>  How many groups to print. (default: 20)
    json  Print JSON.
"""),
    _check,
)


def main(arguments: list[str]) -> int:
    def report(error: Failed) -> None:
        sentence = f"{PROGRAM}: {error}"
        if "--json" in arguments:
            from tidemark_pipeline.cli.options import error_document

            sentence = error_document(str(error), FAILED)
        print(sentence, file=sys.stderr)

    return run(TOOL, arguments, _explain, report)


def _explain(parsed: Parsed) -> int:
    lacking = [name for name in ("numpy", "pyarrow") if find_spec(name) is None]
    if lacking:
        hint = "pip install 'tidemark-broker[log]'"
        print(f"{PROGRAM} needs {' and '.join(lacking)}: {hint}", file=sys.stderr)
        return FAILED
    from tidemark_pipeline.cli.explain_log import explain, options_of

    options_for = partial(options_of, retention=parsed.value("retention"), as_of=parsed.text("as-of"))
    explained = partial(
        explain, group=parsed.value("group"), show=parsed.number("show") or 0, as_json=parsed.has("json")
    )
    config: str | None = parsed.value("config")
    try:
        if not parsed.has("bootstrap-server"):
            return explained(options_for(parsed.words, config=config))
        options_for([""], config=config)  # a wrong value is refused before the cluster is read
    except SystemExit as said:
        return int(said.code or 0)
    with TemporaryDirectory(prefix="tidemark-explain-log-") as name:
        folder = Path(name)
        settings, wire = _read(parsed, folder)
        return explained(options_for([str(folder / "log")], config=config or settings), wire=wire)


# A running cluster.


def _read(parsed: Parsed, folder: Path) -> tuple[str | None, Wire]:
    """Copy the log of a cluster to folder/log. Return the file of its brokers' settings, if they may be
    described, and facts about the cluster.
    """
    from tidemark_pipeline.cli.explain_log import Wire
    from tidemark_pipeline.cli.progress import shown
    from tidemark_protocol.batch import BatchError
    from tidemark_protocol.checkpoints import uuid_text
    from tidemark_protocol.errors import ErrorCode
    from tidemark_protocol.wire import ZERO_UUID
    from tidemark_tools.client.client import Client, client_settings
    from tidemark_tools.client.connection import wall_ms
    from tidemark_tools.client.consumer import OutOfRange
    from tidemark_tools.client.errors import ErrorResponse, Failed

    address = parsed.text("bootstrap-server")
    duration_ms = parsed.duration_ms("since")
    since_ms = None if duration_ms is None else max(wall_ms() - duration_ms, 0)
    settings = client_settings(parsed.value("command-config"))
    try:
        with (
            Client(address, timeout_ms=TIMEOUT_MS, settings=settings) as client,
            shown(PROGRAM, shows=not parsed.has("json")) as progress,
        ):
            progress.step(f"connecting to {address}")
            count = _copy(client, address, folder / "log", since_ms, progress)
            # A topic that exists once everything was read was not deleted before.
            described = client.metadata().topics
            is_needed = not (parsed.has("retention") or parsed.has("config"))
            config = _settings(client, folder, is_needed=is_needed)
    except ErrorResponse as error:
        if error.code != ErrorCode.TOPIC_AUTHORIZATION_FAILED:
            raise
        raise Failed(NOT_ALLOWED) from None
    except OutOfRange as error:
        raise Failed(f"{error} was cut, or created again, while it was read: run the command again") from None
    except BatchError as error:
        raise Failed(f"a batch of {OFFSETS_TOPIC} cannot be read: {error}") from None
    except OSError as error:
        raise Failed(
            f"cannot copy {OFFSETS_TOPIC} to {folder}: {error.strerror}; TMPDIR names another directory"
        ) from None
    topics = {
        uuid_text(topic.topic_id): topic.name
        for topic in described
        if not topic.error_code and topic.topic_id != ZERO_UUID  # before Kafka 2.8
    }
    return config, Wire(address, count, topics, since_ms)


def _settings(client: Client, folder: Path, *, is_needed: bool) -> str | None:
    """Write those settings of the brokers that decide when offsets expire to a file. Return its path.

    None, after a warning if they are needed, if they may not be described.
    """
    from tidemark_tools.client.errors import ClientError, Unreachable
    from tidemark_tools.watch.cluster import broker_settings

    try:
        settings = broker_settings(client)
    except Unreachable:
        raise
    except ClientError as error:
        if is_needed:
            print(
                f"WARN the settings of the brokers may not be described ({error}): the retention is "
                "inferred, or Kafka's default is assumed; --retention names the one of the cluster",
                file=sys.stderr,
            )
        return None
    path = folder / "server.properties"
    path.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    return str(path)


def _copy(client: Client, address: str, log_dir: Path, since_ms: int | None, progress: Progress) -> int:
    """Write the log, up to the high watermarks of now, as Kafka would have. Return the number of partitions.

    A partition is one segment. Raises Failed if there is no such topic or it is too large, and as `_batches`
    does.
    """
    from tidemark_protocol.batch import headers
    from tidemark_protocol.checkpoints import encode_offsets
    from tidemark_protocol.errors import ErrorCode
    from tidemark_protocol.log_files import LOG, LOG_STARTS, directory_name, file_name
    from tidemark_tools.client.client import EARLIEST, LATEST, check_topic
    from tidemark_tools.client.errors import Failed
    from tidemark_tools.client.topic_log import offsets_at
    from tidemark_tools.watch.cluster import size_of

    (described,) = client.metadata([OFFSETS_TOPIC]).topics
    if described.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        raise Failed(NO_COMMIT_YET)
    check_topic(described)
    count = len(described.partitions)
    size = size_of(client, OFFSETS_TOPIC)
    if since_ms is None and size is not None and size > BYTES_MAX:
        raise Failed(_too_large(f"{OFFSETS_TOPIC} has {size // MB:,} MB", address, "--since 7d"))
    ends = offsets_at(client, OFFSETS_TOPIC, count, LATEST)
    starts = offsets_at(client, OFFSETS_TOPIC, count, EARLIEST if since_ms is None else since_ms)
    starts = {at: ends[at] if start < 0 else start for at, start in starts.items()}  # no record is as young

    folders = {at: log_dir / directory_name(OFFSETS_TOPIC, at) for at in range(count)}
    for folder in folders.values():
        folder.mkdir(parents=True)
    segments: dict[int, Path] = {}
    copied, of_size = 0, f" of {size // MB:,}" if size else ""
    progress.step(f"reading {OFFSETS_TOPIC}")
    for at, data in _batches(client, starts, ends):
        if at not in segments:  # the first batch may begin before the offset that was requested
            first = min(starts[at], next(headers(data))[1].base_offset)
            segments[at] = folders[at] / file_name(first, LOG)
        with segments[at].open("ab") as file:
            file.write(data)
        copied += len(data)
        progress.step(f"reading {OFFSETS_TOPIC}, {copied // MB:,}{of_size} MB")
        if copied > BYTES_MAX:
            read = f"{OFFSETS_TOPIC} has more than {BYTES_MAX // MB} MB"
            shorter = "--since 7d" if since_ms is None else "a shorter --since"
            raise Failed(_too_large(read, address, shorter))
    for at in folders.keys() - segments.keys():
        (folders[at] / file_name(starts[at], LOG)).touch()
    if since_ms is not None:
        if not copied:
            raise Failed(f"{OFFSETS_TOPIC} has no record of that time: name a longer --since")
        begun = {(OFFSETS_TOPIC, at): start for at, start in starts.items()}
        (log_dir / LOG_STARTS).write_bytes(encode_offsets(begun))
    return count


def _batches(
    client: Client, starts: Mapping[int, int], ends: Mapping[int, int]
) -> Iterator[tuple[int, bytes]]:
    """Yield complete batches, each with its partition, until all partitions are read to their ends.

    Raises Failed if no record arrives for STALLED_S; ErrorResponse, OutOfRange and BatchError as
    `TopicLog.read` does.
    """
    from tidemark_protocol.batch import headers
    from tidemark_protocol.log_files import directory_name
    from tidemark_tools.client.connection import now_s
    from tidemark_tools.client.errors import Failed, Unreachable
    from tidemark_tools.client.topic_log import TopicLog

    log = TopicLog(client, OFFSETS_TOPIC, {at: start for at, start in starts.items() if start < ends[at]})
    arrived_s, trouble = now_s(), "no records"
    while log.positions:
        try:
            found = [each for each in log.read(WAIT_MS) if each.data]
        except Unreachable as error:
            found, trouble = [], str(error)
        for at, data, _ in found:
            arrived_s = now_s()
            if log.positions[at] >= ends[at]:
                del log.positions[at]
                data = data[: next((pos for pos, it in headers(data) if it.base_offset >= ends[at]), None)]
            if data:
                yield at, data
        if not found:
            if now_s() - arrived_s > STALLED_S:
                left = directory_name(OFFSETS_TOPIC, min(log.positions))
                raise Failed(f"{left}: its leader has sent nothing for {STALLED_S:.0f} s ({trouble})")
            time.sleep(PAUSE_S)


def _too_large(what: str, address: str, shorter: str) -> str:
    return (
        f"{what}, and this command reads {BYTES_MAX // MB} MB: use {shorter} to read less, or "
        f"tidemark-pipeline report --bootstrap-server {address} --out report.html, which needs Java"
    )
