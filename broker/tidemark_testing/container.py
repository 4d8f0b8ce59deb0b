"""A broker in a container, which testcontainers-python starts. It is imported when the container starts."""

from __future__ import annotations

import importlib
import io
import secrets
import shlex
import socket
import tarfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from time import sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from tidemark_testing.server import (
    OUTPUT_CHARS,
    SETTINGS,
    START_S,
    STOP_S,
    CannotServe,
    Restartable,
    checked_settings,
)
from tidemark_tools.client.connection import now_s
from tidemark_tools.http_api import HTTPS, Api, ApiError, NoResponse, serves_https

if TYPE_CHECKING:
    from tidemark_testing.client import Tidemark

Ports = tuple[int, int]

IMAGE: Final = "tidemark:8.0.0"
KAFKA_PORT: Final = 9092
HTTP_PORT: Final = 9464
POLL_S: Final = 0.02
# How often another program may take the chosen ports before the container has them.
ATTEMPTS: Final = 5
PORT_IN_USE: Final = ("already allocated", "already in use")
SCRIPT: Final = "tidemark-start.sh"
# The broker needs the address for its clients, and the host's address is known once the container runs.
WAITS: Final = f"until [ -f /tmp/{SCRIPT} ]; do sleep 0.02; done; exec sh /tmp/{SCRIPT}"
INSIDE: Final = {
    "listeners": f"PLAINTEXT://0.0.0.0:{KAFKA_PORT}",
    "tidemark.http.listener": f"0.0.0.0:{HTTP_PORT}",
    "tidemark.http.public": "false",
}
TOKEN_BYTES: Final = 24


def two_free_ports() -> Ports:
    """Return two ports that no program on this machine uses now."""
    with ExitStack() as bound:
        kafka, http = (bound.enter_context(socket.create_server(("", 0))).getsockname()[1] for _ in range(2))
    return kafka, http


class ContainerServer(Restartable):
    """A broker of a test in a container.

    `start` after `stop` or `kill` runs the same container again, which keeps the broker's data. The host's
    ports are fixed: an engine chooses others at each start, and clients would not find the broker there.

    Other machines may reach the ports, so HTTP needs a token, unless the settings have tidemark.http.public.

    free_ports: returns ports of the host for Kafka clients and for HTTP, again if one is in use
    """

    mode = "docker"

    def __init__(
        self, image: str, settings: Mapping[str, str], free_ports: Callable[[], Ports] = two_free_ports
    ) -> None:
        self.image = image
        self._settings = {**SETTINGS, **INSIDE, **settings}
        if self._settings["tidemark.http.public"].lower() != "true":
            self._settings.setdefault("tidemark.http.token", secrets.token_urlsafe(TOKEN_BYTES))
        self.http_token = self._settings.get("tidemark.http.token")
        self._free_ports = free_ports
        self._host_ports: Ports | None = None
        self._container: Any = None

    def start(self) -> None:
        """Return once the broker accepts connections. Raises CannotServe."""
        if self._container is not None:
            try:
                self._container.get_wrapped_container().start()
            except Exception as error:
                raise CannotServe(f"the container engine did not restart {self.image}: {error}") from error
            return self._wait_until_ready()
        self._container = self._started_container()
        try:
            self._put_script()
            self._wait_until_ready()
        except BaseException:
            self.close()
            raise

    def start_empty(self) -> None:
        """Start the broker in a new container, at the same addresses."""
        self.close()
        self.start()

    def stop(self) -> None:
        """Stop the broker as SIGTERM does."""
        if self._container is not None:
            self._container.get_wrapped_container().stop(timeout=int(STOP_S))

    def kill(self) -> None:
        """Stop the broker as SIGKILL does."""
        if self._container is not None and not self._has_ended():
            wrapped = self._container.get_wrapped_container()
            wrapped.kill()
            wrapped.wait()

    def close(self) -> None:
        """Remove the container, and with it the data of the broker."""
        if self._container is not None:
            self._container.stop()
            self._container = None

    def _started_container(self, attempts: int = ATTEMPTS) -> Any:
        ports = self._host_ports or self._free_ports()
        container = _new_container(self.image).with_command(["sh", "-c", WAITS])
        container.with_bind_ports(KAFKA_PORT, ports[0]).with_bind_ports(HTTP_PORT, ports[1])
        try:
            container.start()
        except Exception as error:
            container.stop()  # the engine may have created it
            if attempts > 1 and any(words in str(error) for words in PORT_IN_USE):
                return self._started_container(attempts - 1)
            raise CannotServe(f"the container engine did not start {self.image}: {error}") from error
        self._host_ports = ports
        return container

    def _put_script(self) -> None:
        """Let the container start the broker, also when it runs again."""
        host = self._container.get_container_host_ip()
        kafka, http = (self._container.get_exposed_port(port) for port in (KAFKA_PORT, HTTP_PORT))
        self.bootstrap_servers = f"{host}:{kafka}"
        self.http = f"{HTTPS if serves_https(self._settings) else ''}{host}:{http}"
        settings = {"advertised.listeners": f"PLAINTEXT://{self.bootstrap_servers}", **self._settings}
        script = start_script(settings).encode()
        self._container.get_wrapped_container().put_archive("/tmp", archive_of(SCRIPT, script))  # noqa: S108

    def _wait_until_ready(self) -> None:
        api = Api(self.http or "", settings=self.state.client_settings)
        deadline = now_s() + START_S
        while True:
            with suppress(ApiError, NoResponse):
                api.text("/readyz")
                return
            if self._has_ended():
                raise CannotServe(f"tidemark cannot start in {self.image}: {self.output()[-OUTPUT_CHARS:]}")
            if now_s() > deadline:
                raise CannotServe(
                    f"{self.image} is not ready after {START_S:.0f} s: {self.output()[-OUTPUT_CHARS:]}"
                )
            sleep(POLL_S)

    def _has_ended(self) -> bool:
        wrapped = self._container.get_wrapped_container()
        wrapped.reload()
        return bool(wrapped.status in ("exited", "dead"))

    def output(self) -> str:
        if self._container is None:
            return ""
        text: str = b"\n".join(self._container.get_logs()).decode(errors="replace")
        return text.strip()


class TidemarkContainer:
    """A container of testcontainers-python with a broker.

        with TidemarkContainer("tidemark:8.0.0", {"offsets.retention.minutes": 60}) as container:
            ...  # container.get_bootstrap_server() is for any client
            container.tidemark.clock.advance(minutes=61)

    tidemark  everything that the pytest fixture has: clock, explanations, snapshots, assertions, restarts
    """

    def __init__(self, image: str = IMAGE, settings: Mapping[str, object] | None = None) -> None:
        """settings: Kafka's, by name. Raises ValueError for a setting that neither tidemark nor Kafka has."""
        from tidemark_testing.client import Tidemark

        self._server = ContainerServer(image, checked_settings(settings, "settings"))
        self.tidemark: Tidemark = Tidemark(self._server)

    def start(self) -> Self:
        """Return once the broker accepts connections. Raises CannotServe."""
        self._server.start()
        try:
            self.tidemark.remember()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Remove the container. `tidemark.stop()` stops the broker in it, so that it can be restarted."""
        self._server.close()

    def get_bootstrap_server(self) -> str:
        """Return the address for Kafka clients, as testcontainers' KafkaContainer does."""
        return self._server.bootstrap_servers

    def get_http_address(self) -> str:
        """Return host:port of /v1, /metrics and the pages."""
        return self._server.http or ""

    def get_http_token(self) -> str | None:
        """Return the token for that address: tidemark.http.token of the settings, or a new one.

        None if the settings have tidemark.http.public=true, and no token.
        """
        return self._server.http_token

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start_script(settings: Mapping[str, str]) -> str:
    """Return the script that starts the broker in the image with these settings."""
    options = [f"--set={name}={value}" for name, value in settings.items()]
    return shlex.join(["exec", "/etc/kafka/docker/run", *options]) + "\n"


def archive_of(name: str, content: bytes) -> bytes:
    """Return a tar archive with one file."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        member = tarfile.TarInfo(name)
        member.size, member.mode = len(content), 0o755
        tar.addfile(member, io.BytesIO(content))
    return archive.getvalue()


def _new_container(image: str) -> Any:
    try:
        module = importlib.import_module("testcontainers.core.container")
    except ImportError as error:
        raise CannotServe(f"{error}: a broker in a container needs `pip install testcontainers`") from None
    try:
        return module.DockerContainer(image)
    except Exception as error:
        raise CannotServe(f"there is no container engine: {error}") from error
