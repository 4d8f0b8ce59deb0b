"""Containers: a process in namespaces and a root file system of its own, its output, its published ports."""

from __future__ import annotations

import ctypes
import io
import os
import secrets
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from tests.ecosystem.image.images import Store

LAUNCHER: Final = Path(__file__).with_name("launcher.py")
NAMESPACES: Final = ("--net", "--pid", "--mount", "--uts", "--ipc")
HOSTS: Final = "127.0.0.1 localhost {hostname}\n"
STDOUT: Final = 1
STDERR: Final = 2
PIECE: Final = 1 << 16
WAIT_S: Final = 30
PATH: Final = "/usr/sbin:/usr/bin:/sbin:/bin"
NANOSECONDS: Final = 10**9
_libc: Final = ctypes.CDLL(None, use_errno=True)


@dataclass
class Output:
    """The output of a process: pieces with the stream that they belong to."""

    pieces: list[tuple[int, bytes]] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    open_streams: int = 2

    def collect(self, stream: int, source: IO[bytes]) -> None:
        while piece := os.read(source.fileno(), PIECE):
            with self.changed:
                self.pieces.append((stream, piece))
                self.changed.notify_all()
        source.close()
        with self.changed:
            self.open_streams -= 1
            self.changed.notify_all()

    def follow(self, *, until_end: bool) -> Iterator[tuple[int, bytes]]:
        """Yield the pieces that exist; with until_end, also later ones until the output is closed."""
        seen = 0
        while fresh := self._after(seen, wait=until_end):
            seen += len(fresh)
            yield from fresh

    def _after(self, seen: int, *, wait: bool) -> list[tuple[int, bytes]]:
        """Return the pieces after the first `seen`. With wait, none means that the output is closed."""
        with self.changed:
            if wait:
                self.changed.wait_for(lambda: len(self.pieces) > seen or not self.open_streams)
            return self.pieces[seen:]

    def text(self) -> str:
        return b"".join(piece for _, piece in self.pieces).decode(errors="replace")


def started(
    command: Sequence[str], earlier: Sequence[tuple[int, bytes]] = ()
) -> tuple[subprocess.Popen[bytes], Output, list[threading.Thread]]:
    """Start a process and the threads that append its output to an earlier one."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": PATH},
    )
    output = Output(list(earlier))
    assert process.stdout is not None
    assert process.stderr is not None
    threads = [
        threading.Thread(target=output.collect, args=(stream, source), daemon=True)
        for stream, source in ((STDOUT, process.stdout), (STDERR, process.stderr))
    ]
    for thread in threads:
        thread.start()
    return process, output, threads


class Container:
    """One container.

    wanted   the body of the request that created it
    image    the configuration of the image
    """

    def __init__(
        self, store: Store, image_name: str, image: dict[str, Any], name: str, wanted: dict[str, Any]
    ) -> None:
        self.id = secrets.token_hex(32)
        self.name = name or f"container-{self.id[:8]}"
        self.image = image
        self.wanted = wanted
        self.hostname: str = wanted.get("Hostname") or self.id[:12]
        self.created = now()
        self.started_at = self.finished_at = "0001-01-01T00:00:00Z"
        self.health: str | None = None
        self.output = Output(open_streams=0)
        self.proxies: dict[str, Proxy] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._end: threading.Thread | None = None
        self._store = store
        self._working = store.call("from", "--pull-never", image_name)
        self.root = Path(store.call("mount", self._working))
        (self.root / "etc/hosts").write_text(HOSTS.format(hostname=self.hostname))
        (self.root / "etc/hostname").write_text(f"{self.hostname}\n")

    # Docker's rules for what a container runs

    @property
    def entry_point(self) -> list[str]:
        return listed(self.wanted.get("Entrypoint")) or listed(self.image.get("Entrypoint"))

    @property
    def arguments(self) -> list[str]:
        own = listed(self.wanted.get("Cmd"))
        # An entry point in the request also replaces the image's command.
        return own or ([] if listed(self.wanted.get("Entrypoint")) else listed(self.image.get("Cmd")))

    @property
    def environment(self) -> list[str]:
        merged = dict(
            each.partition("=")[::2]
            for each in [*listed(self.image.get("Env")), *listed(self.wanted.get("Env"))]
        )
        return [
            f"{name}={value}" for name, value in {"HOSTNAME": self.hostname, "HOME": "/", **merged}.items()
        ]

    @property
    def directory(self) -> str:
        return self.wanted.get("WorkingDir") or self.image.get("WorkingDir") or "/"

    @property
    def exposed(self) -> list[str]:
        host = self.wanted.get("HostConfig") or {}
        published = dict.fromkeys(host.get("PortBindings") or {})
        if host.get("PublishAllPorts"):
            published |= dict.fromkeys(
                [*(self.wanted.get("ExposedPorts") or {}), *(self.image.get("ExposedPorts") or {})]
            )
        return list(published)

    def _in_root(
        self, command: Sequence[str], more: Sequence[str] = (), user: str | None = None
    ) -> list[str]:
        chosen = user or self.wanted.get("User") or self.image.get("User") or "0:0"
        chroot = ["chroot", f"--userspec={self._numbers(chosen)}", "--groups=", str(self.root)]
        return [*chroot, "/usr/bin/env", "-i", "-C", self.directory, *self.environment, *more, *command]

    def _numbers(self, user: str) -> str:
        name, _, group = user.partition(":")
        for line in (self.root / "etc/passwd").read_text().splitlines():
            known, _, uid, gid, *_ = line.split(":")
            if name in (known, uid):
                return f"{uid}:{self._group(group) or gid}"
        return f"{name}:{self._group(group) or 0}"

    def _group(self, group: str) -> str:
        for line in (self.root / "etc/group").read_text().splitlines():
            if group == line.split(":")[0]:
                return line.split(":")[2]
        return group

    # its life

    def start(self) -> None:
        """Run the command, also if it has run before. Raises OSError if a host port is in use."""
        self._publish()
        command = [
            "unshare", *NAMESPACES, "--fork", "--kill-child", "--",
            sys.executable, "-I", "-S", str(LAUNCHER), str(self.root), self.hostname,
            *self._in_root([*self.entry_point, *self.arguments]),
        ]  # fmt: skip
        self._process, self.output, _ = started(command, self.output.pieces)
        self.started_at = now()
        self._end = threading.Thread(target=self._finish, args=(self._process,), daemon=True)
        self._end.start()
        if check := self.image.get("Healthcheck"):
            self.health = "starting"
            threading.Thread(target=self._watch_health, args=(self._process, check), daemon=True).start()

    def _publish(self) -> None:
        bindings = (self.wanted.get("HostConfig") or {}).get("PortBindings") or {}
        try:
            for port in self.exposed:
                given = [each.get("HostPort") for each in bindings.get(port) or [] if each.get("HostPort")]
                self.proxies[port] = Proxy(self, number_of(port), int(given[0]) if given else 0)
        except OSError:
            self._unpublish()
            raise

    def _unpublish(self) -> None:
        published, self.proxies = self.proxies, {}
        for proxy in published.values():
            proxy.close()

    def _finish(self, process: subprocess.Popen[bytes]) -> None:
        """Free the host's ports when the process ends, as Docker does."""
        process.wait()
        self.finished_at = now()
        self._unpublish()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def finished(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    @property
    def exit_code(self) -> int:
        code = None if self._process is None else self._process.poll()
        return 0 if code is None else code if code >= 0 else 128 - code

    @property
    def pid(self) -> int:
        """Return the id of the container's first process on the host, 0 if it does not run."""
        if self._process is None or self._process.poll() is not None:
            return 0
        own = self._process.pid
        try:
            children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
        except (FileNotFoundError, ProcessLookupError):  # it has ended in the meantime
            return 0
        return int(children[0]) if children else 0

    def kill(self, number: signal.Signals) -> None:
        if self.running and (pid := self.pid):
            os.kill(pid, number)

    def wait(self, timeout_s: float | None = None) -> int:
        if self._process is not None and self._end is not None:
            self._process.wait(timeout_s)
            self._end.join()
        return self.exit_code

    def stop(self, timeout_s: float) -> None:
        self.kill(signal.SIGTERM)
        try:
            self.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill(signal.SIGKILL)
            self.wait(WAIT_S)

    def remove(self) -> None:
        self.kill(signal.SIGKILL)
        self.wait(WAIT_S)
        self._store.call("umount", self._working)
        self._store.call("rm", self._working)

    # what others do in it

    def execute(
        self, wanted: dict[str, Any]
    ) -> tuple[subprocess.Popen[bytes], Output, list[threading.Thread]]:
        """Start another process in the container."""
        inside = self._in_root(listed(wanted["Cmd"]), listed(wanted.get("Env")), wanted.get("User") or None)
        return started(["nsenter", f"--target={self.pid}", *NAMESPACES, "--", *inside])

    def put(self, archive: bytes, path: str) -> None:
        """Unpack a tar archive below the path. Raises FileNotFoundError."""
        folder = self.root / path.lstrip("/")
        if not folder.is_dir():
            raise FileNotFoundError(path)
        with tarfile.open(fileobj=io.BytesIO(archive)) as unpacked:
            for member in unpacked:
                member.name = member.name.lstrip("/") or "."
                unpacked.extract(member, folder, filter="fully_trusted")

    def connect(self, port: int) -> socket.socket:
        """Connect to a port from inside. The calling thread stays in the container's network namespace."""
        with Path(f"/proc/{self.pid}/ns/net").open() as namespace:
            if _libc.setns(namespace.fileno(), 0):
                raise OSError(ctypes.get_errno(), "setns")
        return socket.create_connection(("127.0.0.1", port), WAIT_S)

    def _watch_health(self, process: subprocess.Popen[bytes], check: dict[str, Any]) -> None:
        """Run the health check an interval after the start, then after each check, as Docker does."""
        failed = 0
        while process.poll() is None:
            time.sleep(check["Interval"] / NANOSECONDS)
            if process.poll() is not None or not self.pid:
                return
            probe, _, _ = self.execute({"Cmd": check["Test"][1:]})
            failed = 0 if probe.wait() == 0 else failed + 1
            if not failed:
                self.health = "healthy"
            elif failed >= check.get("Retries", 3):
                self.health = "unhealthy"


class Proxy:
    """Passes connections to a port of this machine on to a port of a container."""

    def __init__(self, container: Container, port: int, host_port: int) -> None:
        self._container = container
        self._inside = port
        self._listener = socket.create_server(("127.0.0.1", host_port))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # close() ends the wait
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                broker = self._container.connect(self._inside)
            except OSError:  # nothing listens there yet
                return
            with broker:
                broker.settimeout(None)
                back = threading.Thread(target=passed_on, args=(broker, client), daemon=True)
                back.start()
                passed_on(client, broker)
                back.join()


def passed_on(source: socket.socket, target: socket.socket) -> None:
    """Pass on bytes until the source ends or the target is gone."""
    try:
        while piece := source.recv(PIECE):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


def number_of(port: str) -> int:
    """Return the number in a port such as 9092/tcp."""
    return int(port.partition("/")[0])


def listed(value: Any) -> list[str]:
    return [] if not value else [value] if isinstance(value, str) else list(value)


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f000Z")


__all__ = ["Container", "Output", "Proxy", "listed", "now", "number_of"]
