"""`tidemark serve`: run a broker until a signal stops it, or with --stop-with-parent the end of its parent.

If it cannot start, it prints one line on stderr and exits with code 1. Once it accepts connections, it prints
its addresses as one JSON object, on stdout and to --ready-file. With tidemark.ready.lines=true, lines follow
by which testcontainers and other tools know that Kafka's images are ready. systemd is told, too.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import socket
import stat
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final

from tidemark.config import Config, ConfigError, load
from tidemark_tools import origins
from tidemark_tools.logs import Log
from tidemark_tools.ready_file import ReadyFile, ReadyFileInUse

if TYPE_CHECKING:
    from tidemark.log.takeover import Opening
    from tidemark.node.node import Node

STOPPED: Final = 0
FAILED: Final = 1
STDIN: Final = 0
PARENT_POLL_S: Final = 0.5
# testcontainers' modules wait for one of these, each for another: Kafka with KRaft logs the last two.
READY_LINES: Final = (
    "[KafkaServer id={node}] started",
    "Kafka Server started",
    "Transitioning from RECOVERY to RUNNING",
)


class CannotStart(Exception):
    """The broker cannot start. The text is for the user."""


def serve(arguments: argparse.Namespace) -> int:
    """Run the broker until it stops. Return the exit code."""
    ready_file = ReadyFile(arguments.ready_file)
    try:
        ready_file.clear()  # also if this run cannot start
        if arguments.origins:
            return _serve_copy(arguments, ready_file)
        if wrong := origins.check_options(arguments):
            raise CannotStart(wrong)
        return _run(arguments, _config(arguments, arguments.data_dir), ready_file)
    except (ConfigError, CannotStart, ReadyFileInUse) as error:
        print(f"tidemark: {error}", file=sys.stderr)
        return FAILED


def _serve_copy(arguments: argparse.Namespace, ready_file: ReadyFile) -> int:
    """Serve a copy of the directories that --from names."""
    from tidemark.log.errors import DirectoryRefused

    try:
        with origins.opened(arguments) as (opening, data_dir, flags):
            config = _config(arguments, data_dir, flags, origins.PLACE_SETTINGS)
            return _run(arguments, config, ready_file, opening)
    except DirectoryRefused as error:
        raise CannotStart(str(error)) from None


def _config(
    arguments: argparse.Namespace,
    data_dir: str | None,
    more_flags: Sequence[str] = (),
    not_from_file: Collection[str] = (),
) -> Config:
    flags = [*arguments.set, *more_flags]
    if arguments.release is not None:
        flags.append(f"tidemark.as={arguments.release}")
    if arguments.brokers is not None:
        flags.append(f"tidemark.brokers={arguments.brokers}")
    if arguments.test_api:
        flags.append("tidemark.test.api=true")
    return load(
        arguments.config,
        flags=flags,
        data_dir=data_dir,
        port=arguments.port,
        http_port=arguments.http_port,
        not_from_file=not_from_file,
    )


def _run(
    arguments: argparse.Namespace, config: Config, ready_file: ReadyFile, opening: Opening | None = None
) -> int:
    def broker(logger: Log) -> Node:
        from tidemark.node.environment import Environment, Host
        from tidemark.node.node import Node
        from tidemark_http import http_server

        env = Environment(config, logger, Host.real(config.data_dir), opening, owns_process=True)
        return Node(env, http_server)

    return run(config, ready_file, broker, stop_with_parent=arguments.stop_with_parent)


def run(
    config: Config, ready_file: ReadyFile, new_node: Callable[[Log], Node], *, stop_with_parent: bool
) -> int:
    """Run a node until it fails, or a signal stops it. Return the exit code. Raises CannotStart."""
    logger = Log(config.tidemark_log_level, config.tidemark_log_format)
    with asyncio.Runner(loop_factory=_loop_factory(config.tidemark_event_loop)) as runner:
        return runner.run(_serve(config, ready_file, logger, new_node, stop_with_parent=stop_with_parent))


def _loop_factory(choice: str) -> Callable[[], asyncio.AbstractEventLoop]:
    """Return the factory of the event loop: uvloop if it is installed, otherwise asyncio's loop of selectors.

    That loop is asyncio's default, but for Windows, whose default cannot watch the socket of HTTP.
    """
    if choice == "asyncio":
        return asyncio.SelectorEventLoop
    try:
        import uvloop
    except ImportError:
        if choice == "uvloop":
            raise CannotStart("tidemark.event.loop=uvloop, but uvloop is not installed") from None
        return asyncio.SelectorEventLoop
    return uvloop.new_event_loop


async def _serve(
    config: Config,
    ready_file: ReadyFile,
    logger: Log,
    new_node: Callable[[Log], Node],
    *,
    stop_with_parent: bool,
) -> int:
    from tidemark.node.environment import FewDescriptors

    stop: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    _stop_on_signals(stop)
    if stop_with_parent:
        _stop_with_parent(stop)
    try:
        node = new_node(logger)
    except FewDescriptors as error:
        raise CannotStart(str(error)) from None
    await _start(node)
    try:
        ready = node.ready()
        line = json.dumps(ready)
        try:
            ready_file.write(line + "\n")  # before the line: a reader of the line finds the file
        except OSError as error:
            raise CannotStart(f"cannot write {ready_file}: {error.strerror}") from None
        _print_lines([line])
        if config.tidemark_ready_lines:
            _print_lines(ready_lines(config.node_id, config.tidemark_log_format))
        await asyncio.to_thread(logger.prepared)
        if config.unknown:
            logger.warning("these configurations were supplied but are not used", names=config.unknown)
        logger.lifecycle("serving", **ready)
        status = f"Serving {ready.get('bootstrap_servers', ready['http'])}"
        _tell_systemd(f"READY=1\nSTATUS={status}")
        node.failed.add_done_callback(lambda failed: _end(stop, failed.result()))
        reason = await stop
    finally:
        _tell_systemd("STOPPING=1")
        ready_file.remove()
        await node.stop()
    logger.lifecycle("stopped", reason=reason)
    return FAILED if node.failed.done() else STOPPED


def _tell_systemd(state: str) -> None:
    """Report a state to the service manager, if it waits for that (Type=notify). Format: sd_notify(3)."""
    address = os.environ.get("NOTIFY_SOCKET")
    if address:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.connect(f"\0{address[1:]}" if address[0] == "@" else address)
            manager.send(state.encode())


def _end(stop: asyncio.Future[str], reason: str) -> None:
    if not stop.done():
        stop.set_result(reason)


def _stop_on_signals(stop: asyncio.Future[str]) -> None:
    """Stop at SIGTERM, SIGINT or SIGHUP. A second signal kills the process.

    Kafka stops cleanly for the same three. nohup makes the process ignore SIGHUP, which stays so. Windows has
    no SIGHUP. Ctrl-Break sends SIGBREAK there, and also another process can.
    """
    stop_signals = [signal.SIGTERM, signal.SIGINT]
    for name in ("SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            stop_signals.append(number)
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        _end(stop, "signal")
        for number in stop_signals:
            try:
                loop.remove_signal_handler(number)
            except NotImplementedError:
                signal.signal(number, signal.SIG_DFL)

    for number in stop_signals:
        try:
            loop.add_signal_handler(number, on_signal)
        except NotImplementedError:  # on Windows, a handler of Python's runs when the loop next wakes
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(on_signal))


def _stop_with_parent(stop: asyncio.Future[str]) -> None:
    """Stop when the process that has started this one ends, also if it is killed.

    Either sign is enough: the parent is gone, or stdin is a pipe and its last writer has closed it. The pipe
    also tells of the end of a program that has started this one through a shell or `uv run`. (Linux's
    PR_SET_PDEATHSIG follows the thread that has called fork, which may end earlier.)
    """
    loop, parent = asyncio.get_running_loop(), os.getppid()

    def end(reason: str = "the parent process has ended") -> None:
        loop.call_soon_threadsafe(_end, stop, reason)

    def read_stdin() -> None:
        with contextlib.suppress(OSError):
            while os.read(STDIN, 1024):  # unbuffered: at exit, Python would wait for the buffer's lock
                pass
        with contextlib.suppress(RuntimeError):  # the loop has ended
            end("stdin was closed")

    def poll() -> None:
        if os.getppid() == parent:
            loop.call_later(PARENT_POLL_S, poll)
        else:
            end()

    with contextlib.suppress(OSError):  # there is no stdin
        mode = os.fstat(STDIN).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            threading.Thread(target=read_stdin, daemon=True).start()
    try:
        exited = os.pidfd_open(parent)
    except (AttributeError, OSError):  # not Linux, an old one, or the parent is in another PID namespace
        poll()
        return

    def read_exited() -> None:
        loop.remove_reader(exited)
        os.close(exited)
        end()

    loop.add_reader(exited, read_exited)


async def _start(node: Node) -> None:
    """Start the node. Raises CannotStart for expected errors; any other exception is a bug."""
    from tidemark.engine.recovery import CannotLoad
    from tidemark.log.errors import CorruptLog, DirectoryRefused
    from tidemark.log.storage import DirectoryLocked
    from tidemark.server.network import CannotListen
    from tidemark_http import CannotServeHttp

    try:
        await node.start()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise CannotStart(f"{where}{error.strerror or error}") from None
    except (
        CannotListen, CannotLoad, CannotServeHttp, CorruptLog, DirectoryLocked, DirectoryRefused
    ) as error:  # fmt: skip
        raise CannotStart(str(error)) from None


def ready_lines(node: int, form: str) -> list[str]:
    """Return the lines, each a JSON object if the log's format is json."""
    lines = [line.format(node=node) for line in READY_LINES]
    return [json.dumps({"event": line, "level": "info"}) for line in lines] if form == "json" else lines


def _print_lines(lines: Sequence[str]) -> None:
    with contextlib.suppress(BrokenPipeError):  # the reader of stdout may have closed it
        print(*lines, sep="\n", flush=True)
