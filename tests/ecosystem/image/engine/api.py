"""Docker's HTTP API, as much of it as testcontainers' modules use, on a free port of this machine."""

from __future__ import annotations

import json
import re
import secrets
import signal
import struct
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from tests.ecosystem.image.engine.containers import Container, Output, listed, number_of
from tests.ecosystem.image.images import Store

CREATED: Final = "2026-01-01T00:00:00Z"
VERSION: Final = "1.47"
STREAM: Final = "application/vnd.docker.multiplexed-stream"
RAW_STREAM: Final = "application/vnd.docker.raw-stream"
SUBNET: Final = "172.17.0.0/16"
GATEWAY: Final = "172.17.0.1"
ADDRESS: Final = "172.17.0.2"
STOP_S: Final = 10


class NotFound(Exception):
    """The engine does not have what the request names."""


@dataclass
class Execution:
    """A process that was started in a container beside its first one."""

    container: Container
    wanted: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> Output:
        self.process, output, _ = self.container.execute(self.wanted)
        # Clients need not request the exit code, and a process without a wait is a ResourceWarning.
        threading.Thread(target=self.process.wait, daemon=True).start()
        return output


class Engine:
    """The images, containers and executions of one engine.

    Any name of an image refers to the one image.
    """

    def __init__(self, store: Store, image: str) -> None:
        self.store = store
        self.image = image
        self.config = store.config(image)
        self.containers: dict[str, Container] = {}
        self.executions: dict[str, Execution] = {}
        self.networks: dict[str, str] = {"bridge": "b" * 64}

    def container(self, name: str) -> Container:
        for each in self.containers.values():
            if each.id.startswith(name) or each.name == name.lstrip("/"):
                return each
        raise NotFound(f"No such container: {name}")

    def create(self, name: str, wanted: dict[str, Any]) -> Container:
        made = Container(self.store, self.image, self.config, name, wanted)
        self.containers[made.id] = made
        return made

    def remove(self, container: Container) -> None:
        del self.containers[container.id]
        container.remove()

    def close(self) -> None:
        for container in list(self.containers.values()):
            self.remove(container)

    # descriptions

    def describe_image(self, name: str) -> dict[str, Any]:
        return {
            "Id": f"sha256:{self.image:0<64}", "RepoTags": [name], "RepoDigests": [],
            "Created": "2026-01-01T00:00:00Z", "Architecture": "amd64", "Os": "linux", "Size": 1,
            "Config": self.config, "RootFS": {"Type": "layers", "Layers": []},
        }  # fmt: skip

    def describe_network(self, name: str) -> dict[str, Any]:
        for known, number in self.networks.items():
            if name in (known, number):
                return {
                    "Name": known, "Id": number, "Scope": "local", "Driver": "bridge", "Containers": {},
                    "Created": CREATED, "Options": {}, "Labels": {},
                    "IPAM": {"Driver": "default", "Config": [{"Subnet": SUBNET, "Gateway": GATEWAY}]},
                }  # fmt: skip
        raise NotFound(f"network {name} not found")

    def describe(self, container: Container) -> dict[str, Any]:
        state: dict[str, Any] = {
            "Status": "running" if container.running else "exited" if container.finished else "created",
            "Running": container.running, "Paused": False, "Restarting": False, "OOMKilled": False,
            "Dead": False,
            "Pid": container.pid, "ExitCode": container.exit_code, "Error": "",
            "StartedAt": container.started_at, "FinishedAt": container.finished_at,
        }  # fmt: skip
        if container.health is not None:
            state["Health"] = {"Status": container.health, "FailingStreak": 0, "Log": []}
        command = [*container.entry_point, *container.arguments]
        network = {
            "IPAddress": ADDRESS, "Gateway": GATEWAY, "IPPrefixLen": 16, "NetworkID": self.networks["bridge"],
            "EndpointID": "e" * 64, "MacAddress": "02:42:ac:11:00:02", "Aliases": None, "Links": None,
        }  # fmt: skip
        wanted = container.wanted
        return {
            "Id": container.id, "Name": f"/{container.name}", "Created": container.created, "State": state,
            "Path": command[0], "Args": command[1:], "Image": f"sha256:{self.image:0<64}",
            "Platform": "linux", "Driver": "overlay2", "RestartCount": 0, "Mounts": [],
            "HostConfig": {**(wanted.get("HostConfig") or {}), "NetworkMode": "bridge"},
            "Config": {
                "Hostname": container.hostname, "Image": wanted.get("Image", ""),
                "Env": container.environment, "Cmd": container.arguments, "Entrypoint": container.entry_point,
                "Tty": False,
                "Labels": wanted.get("Labels") or {},
                "ExposedPorts": {port: {} for port in container.exposed},
                "User": wanted.get("User") or self.config.get("User", ""), "WorkingDir": container.directory,
                "Healthcheck": self.config.get("Healthcheck"),
            },
            "NetworkSettings": {
                "Ports": {
                    port: [{"HostIp": "0.0.0.0", "HostPort": str(proxy.port)}]
                    for port, proxy in container.proxies.items()
                },
                "IPAddress": ADDRESS, "Gateway": GATEWAY, "Networks": {"bridge": network},
            },
        }  # fmt: skip

    def summary(self, container: Container) -> dict[str, Any]:
        full = self.describe(container)
        return {
            "Id": container.id, "Names": [full["Name"]], "Image": full["Config"]["Image"],
            "ImageID": full["Image"], "Command": full["Path"], "Created": 0,
            "Labels": full["Config"]["Labels"],
            "State": full["State"]["Status"], "Status": full["State"]["Status"],
            "Ports": [
                {"IP": "0.0.0.0", "PrivatePort": number_of(port), "PublicPort": proxy.port, "Type": "tcp"}
                for port, proxy in container.proxies.items()
            ],
            "NetworkSettings": {"Networks": full["NetworkSettings"]["Networks"]}, "Mounts": [],
            "HostConfig": {"NetworkMode": "bridge"},
        }  # fmt: skip


def framed(pieces: Iterable[tuple[int, bytes]], streams: set[int]) -> Iterator[bytes]:
    """Yield the pieces of these streams in Docker's frames."""
    for stream, piece in pieces:
        if stream in streams:
            yield struct.pack(">BxxxL", stream, len(piece)) + piece


Route = tuple[str, re.Pattern[str], Callable[..., None]]
ROUTES: Final[list[Route]] = []


def route(method: str, path: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Serve this method and path with the function. `{}` in the path is an argument of it."""
    pattern = re.compile(r"(?:/v[0-9.]+)?" + path.replace("{}", "(.+?)"))

    def add(function: Callable[..., None]) -> Callable[..., None]:
        ROUTES.append((method, pattern, function))
        return function

    return add


class Handler(BaseHTTPRequestHandler):
    """One connection. `engine` is set by `serving`."""

    protocol_version = "HTTP/1.1"
    engine: Engine

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):  # the client has stopped to follow a log
            self.close_connection = True

    def _serve(self) -> None:
        split = urlsplit(self.path)
        self.query = {name: values[-1] for name, values in parse_qs(split.query).items()}
        self.body = self._read()
        for method, pattern, function in ROUTES:
            if method == self.command and (match := pattern.fullmatch(split.path)):
                try:
                    return function(self, *map(unquote, match.groups()))
                except NotFound as error:
                    return self.json({"message": str(error)}, 404)
        return self.json({"message": f"the stand-in has no {self.command} {split.path}"}, 501)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _serve  # noqa: N815 the names of http.server

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    @property
    def wanted(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body or b"{}") or {}
        return found

    def asks(self, name: str) -> bool:
        return self.query.get(name, "").lower() in ("1", "true")

    # responses

    def json(self, content: Any, status: int = 200) -> None:
        self.send(json.dumps(content).encode(), "application/json", status)

    def empty(self) -> None:
        self.send_response(204)
        self._engine_headers()
        self.end_headers()

    def send(self, content: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self._engine_headers()
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def stream(self, pieces: Iterable[bytes], kind: str) -> None:
        self.send_response(200)
        self._engine_headers()
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def upgrade(self, pieces: Iterable[bytes]) -> None:
        """Send the pieces without HTTP's framing, then close the connection."""
        wants = "upgrade" in self.headers.get("Connection", "").lower()
        self.send_response(101 if wants else 200)
        self.send_header("Content-Type", RAW_STREAM)
        self.send_header("Connection", "Upgrade" if wants else "close")
        if wants:
            self.send_header("Upgrade", "tcp")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)
        self.close_connection = True

    def _engine_headers(self) -> None:
        self.send_header("Api-Version", VERSION)
        self.send_header("Ostype", "linux")
        self.send_header("Server", "Docker/27.3.0 (linux)")

    def log_message(self, *_: Any) -> None:
        """Print nothing: pytest shows the tests' own output."""


# the engine


@route("GET", "/_ping")
@route("HEAD", "/_ping")
def ping(h: Handler) -> None:
    h.send(b"OK", "text/plain")


@route("GET", "/version")
def version(h: Handler) -> None:
    h.json({
        "Version": "27.3.0", "ApiVersion": VERSION, "MinAPIVersion": "1.24", "Os": "linux", "Arch": "amd64",
        "KernelVersion": "6.0", "GoVersion": "go1", "GitCommit": "0", "BuildTime": "2026-01-01T00:00:00Z",
        "Components": [{"Name": "Engine", "Version": "27.3.0", "Details": {"ApiVersion": VERSION}}],
    })  # fmt: skip


@route("GET", "/info")
def info(h: Handler) -> None:
    h.json({
        "ID": "stand-in", "Name": "stand-in", "ServerVersion": "27.3.0", "OperatingSystem": "Debian",
        "OSType": "linux", "Architecture": "x86_64", "NCPU": 2, "MemTotal": 8 << 30, "Driver": "overlay2",
        "IndexServerAddress": "", "RegistryConfig": {}, "Labels": [], "SecurityOptions": [],
        "Containers": len(h.engine.containers), "Images": 1, "Plugins": {}, "Runtimes": {},
    })  # fmt: skip


@route("POST", "/auth")
def auth(h: Handler) -> None:
    h.json({"Status": "Login Succeeded", "IdentityToken": ""})


@route("GET", "/events")
def events(h: Handler) -> None:
    h.stream([], "application/json")


# images


@route("GET", "/images/json")
def list_images(h: Handler) -> None:
    h.json([])


@route("GET", "/images/{}/json")
def inspect_image(h: Handler, name: str) -> None:
    h.json(h.engine.describe_image(name))


@route("POST", "/images/create")
def pull(h: Handler) -> None:
    h.stream([b'{"status":"Pull complete"}\r\n'], "application/json")


# networks


@route("GET", "/networks")
def list_networks(h: Handler) -> None:
    h.json([h.engine.describe_network(name) for name in h.engine.networks])


@route("POST", "/networks/create")
def create_network(h: Handler) -> None:
    name = h.wanted["Name"]
    h.engine.networks[name] = secrets.token_hex(32)
    h.json({"Id": h.engine.networks[name], "Warning": ""}, 201)


@route("POST", "/networks/{}/connect")
def connect_network(h: Handler, _: str) -> None:
    h.json({})


@route("GET", "/networks/{}")
def inspect_network(h: Handler, name: str) -> None:
    h.json(h.engine.describe_network(name))


@route("DELETE", "/networks/{}")
def remove_network(h: Handler, name: str) -> None:
    del h.engine.networks[h.engine.describe_network(name)["Name"]]
    h.empty()


# containers


@route("GET", "/containers/json")
def list_containers(h: Handler) -> None:
    h.json([h.engine.summary(each) for each in h.engine.containers.values() if each.running or h.asks("all")])


@route("POST", "/containers/create")
def create(h: Handler) -> None:
    h.json({"Id": h.engine.create(h.query.get("name", ""), h.wanted).id, "Warnings": []}, 201)


@route("POST", "/containers/{}/start")
def start(h: Handler, name: str) -> None:
    container = h.engine.container(name)
    try:
        container.start()
    except OSError as error:
        return h.json({"message": f"failed to bind host port: {error}: port is already allocated"}, 500)
    return h.empty()


@route("GET", "/containers/{}/json")
def inspect(h: Handler, name: str) -> None:
    h.json(h.engine.describe(h.engine.container(name)))


@route("GET", "/containers/{}/logs")
def logs(h: Handler, name: str) -> None:
    pieces = h.engine.container(name).output.follow(until_end=h.asks("follow"))
    streams = {number for number, stream in ((1, "stdout"), (2, "stderr")) if h.asks(stream)}
    h.stream(framed(pieces, streams), STREAM)


@route("PUT", "/containers/{}/archive")
def put_archive(h: Handler, name: str) -> None:
    try:
        h.engine.container(name).put(h.body, h.query["path"])
    except FileNotFoundError as error:
        raise NotFound(f"Could not find the path {error} in container {name}") from None
    h.send(b"", "text/plain")


@route("POST", "/containers/{}/wait")
def wait(h: Handler, name: str) -> None:
    h.json({"StatusCode": h.engine.container(name).wait()})


@route("POST", "/containers/{}/stop")
def stop(h: Handler, name: str) -> None:
    h.engine.container(name).stop(float(h.query.get("t", STOP_S)))
    h.empty()


@route("POST", "/containers/{}/kill")
def kill(h: Handler, name: str) -> None:
    number = h.query.get("signal", "SIGKILL")
    chosen = (
        signal.Signals(int(number))
        if number.isdecimal()
        else signal.Signals[f"SIG{number.removeprefix('SIG')}"]
    )
    container = h.engine.container(name)
    if not container.running:
        return h.json({"message": f"container {container.id} is not running"}, 409)
    container.kill(chosen)
    return h.empty()


@route("DELETE", "/containers/{}")
def remove(h: Handler, name: str) -> None:
    h.engine.remove(h.engine.container(name))
    h.empty()


# other processes in a container


@route("POST", "/containers/{}/exec")
def create_exec(h: Handler, name: str) -> None:
    number = secrets.token_hex(32)
    h.engine.executions[number] = Execution(h.engine.container(name), h.wanted)
    h.json({"Id": number}, 201)


@route("POST", "/exec/{}/start")
def start_exec(h: Handler, number: str) -> None:
    output = h.engine.executions[number].start()
    if h.wanted.get("Detach"):
        return h.json({})
    return h.upgrade(framed(output.follow(until_end=True), {1, 2}))


@route("GET", "/exec/{}/json")
def inspect_exec(h: Handler, number: str) -> None:
    execution = h.engine.executions[number]
    process = execution.process
    # The output ends a moment before the process does.
    code = None if process is None else process.wait(STOP_S)
    h.json({
        "ID": number, "Running": False, "ExitCode": code, "ContainerID": execution.container.id,
        "ProcessConfig": {"entrypoint": listed(execution.wanted["Cmd"])[0], "arguments": []},
        "OpenStdout": True, "OpenStderr": True, "OpenStdin": False,
        "Pid": 0 if process is None else process.pid,
    })  # fmt: skip


@contextmanager
def serving(store: Store, image: str) -> Iterator[tuple[Engine, dict[str, str]]]:
    """Serve the API. Yield the engine and the variables with which a testcontainers module finds it."""
    engine = Engine(store, image)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"engine": engine}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield (
            engine,
            {
                "DOCKER_HOST": f"tcp://127.0.0.1:{server.server_port}",
                "TESTCONTAINERS_RYUK_DISABLED": "true",
                "TESTCONTAINERS_CHECKS_DISABLE": "true",
                # Modules that notice that they run in a container would use the address of the bridge.
                "TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1",
                "TESTCONTAINERS_CONNECTION_MODE": "docker_host",
            },
        )
    finally:
        engine.close()
        server.shutdown()
        server.server_close()
