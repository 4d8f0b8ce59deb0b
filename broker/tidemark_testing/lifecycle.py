"""Methods of the fixture that start, stop, kill and restart the broker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, Self

from tidemark_testing.broker import Broker, NotAvailable
from tidemark_testing.server import Restartable, Server

__tracebackhide__ = True

MODES: Final = ("thread", "subprocess")


class Lifecycle(Broker):
    """The broker's life. `kill`, `stop` and `restart` need a broker that this process has started."""

    _folder: TemporaryDirectory[str] | None = None

    @classmethod
    def start(
        cls,
        settings: Mapping[str, object] | None = None,
        *,
        mode: str = "thread",
        release: str | None = None,
        folder: str | Path | None = None,
        client_settings: Mapping[str, str] | None = None,
    ) -> Self:
        """Start a broker, for programs without pytest. Use it in a with statement, or call `close`.

        settings: Kafka's, by name. mode: thread or subprocess. release: the release of Kafka to behave like.
        folder: where it keeps its data, so that a later start finds them; by default a temporary directory.
        client_settings: TLS and SASL properties, by Kafka's names, for the connections of this object.
        Raises CannotServe if it cannot start, and ValueError for an unknown setting or mode.
        """
        if mode not in MODES:
            raise ValueError(f"mode must be {' or '.join(MODES)}, got {mode!r}")
        check_names(settings or {}, "settings")
        temporary = TemporaryDirectory(prefix="tidemark-") if folder is None else None
        server = new_server(
            mode, Path(temporary.name if temporary else folder or ""), settings or {}, release
        )
        tidemark = cls(server)
        tidemark._folder = temporary
        tidemark.server_state.client_settings = client_settings or {}
        try:
            server.start()
            tidemark.remember()
        except BaseException:
            tidemark.close()
            raise
        return tidemark

    def close(self) -> None:
        """Stop the broker, and delete its temporary directory. It cannot be restarted."""
        self.server.close()
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stop(self) -> None:
        """Stop the broker cleanly, as SIGTERM does. Its ports refuse connections until `restart`."""
        self._leave("stop()").stop()

    def kill(self) -> None:
        """Stop the broker as SIGKILL does: it finishes nothing, and what it has not written is lost."""
        self._leave("kill()").kill()

    def restart(self) -> None:
        """Start the broker again, with the same data and addresses. Stop it first if it runs.

        Snapshots are lost. The next test starts with an empty broker, nevertheless.
        """
        server = self._leave("restart()")
        server.stop()
        server.start()

    def remember(self) -> None:
        """Make the current state the one that `restore()` restores by default."""
        self.server_state.clean = self.api("snapshot()").post("/v1/snapshots")["id"]

    def renew(self) -> None:
        """Start the broker again on an empty directory, and remember that state."""
        server = self._restartable("restore()")
        server.stop()
        server.start_empty()
        self.server_state.lost = False
        self.remember()

    def _leave(self, wanted: str) -> Restartable:
        """Return the server, whose snapshots are about to be lost."""
        server, state = self._restartable(wanted), self.server_state
        self.check_alone(wanted)
        if state.kept:
            raise RuntimeError(
                f"tidemark.{wanted} would lose the state of kept(), which other tests start with: use a "
                "broker of tidemark_factory() or Tidemark.start() for this test"
            )
        state.lost, state.clean = state.clean is not None or state.lost, None
        return server

    def _restartable(self, wanted: str) -> Restartable:
        if isinstance(self.server, Restartable):
            return self.server
        raise NotAvailable(
            f"tidemark.{wanted} is not available: this test run has not started the broker at "
            f"{self.bootstrap_servers} (--tidemark-mode {self.server.mode})"
        )


def new_server(mode: str, folder: Path, settings: Mapping[str, object], release: str | None = None) -> Server:
    """Return a server that is not started yet."""
    from tidemark_testing.server import ProcessServer, ThreadServer
    from tidemark_testing.topics import text

    given = {key: text(value) for key, value in settings.items()}
    if release is not None:
        given["tidemark.as"] = release
    return (ThreadServer if mode == "thread" else ProcessServer)(folder, given)


def check_names(settings: Any, where: str) -> None:
    """Raise ValueError for a setting that neither tidemark nor Kafka has."""
    from tidemark.config import PREFIXES, SETTINGS, ignored_settings
    from tidemark.settings.suggestions import closest

    ours = {setting.name for setting in SETTINGS}
    for name in settings:
        if name not in ours and not name.startswith(PREFIXES) and name not in ignored_settings():
            raise ValueError(f"{where}: there is no setting {name!r}{closest(name, ours)}")
