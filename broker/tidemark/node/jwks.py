"""The keys that check the signatures of tokens: from a file, or from a server.

A file is read again when it has changed. A server is asked by a thread, so that it delays no client. If the
keys cannot be read, the last ones stay in use.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
)

from tidemark.security.signed_tokens import Key, read_keys
from tidemark.settings.oauthbearer import KeySource
from tidemark.settings.setting import ConfigError

KEYS_BYTES_MAX: Final = 1024 * 1024
READ_BYTES: Final = 64 * 1024
TIMEOUT_MS: Final = 10_000  # for the whole response
UNKNOWN_KEY_PAUSE_MS: Final = 10_000  # tokens with unknown keys cause no more requests than one in this time
NAME: Final = "sasl.oauthbearer.jwks.endpoint.url"


def keys_of(source: KeySource, host_ms: Callable[[], int], logger: Any) -> FileKeys | ServerKeys:
    return FileKeys(source.path, logger) if source.path else ServerKeys(source, host_ms, logger)


class FileKeys:
    """The keys in a file. It is local, so reading it does not take long."""

    def __init__(self, path: str, logger: Any) -> None:
        self._path = Path(path)
        self._logger = logger
        self._version: object = None
        self._trouble = ""  # logged once: anyone may send tokens
        self._keys: tuple[Key, ...] = ()

    def load(self) -> None:
        try:
            self._version = self._changed()
            self._keys = self._read()
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot read the keys of {NAME} from {self._path}: {_reason(error)}") from None

    def current(self) -> tuple[Key, ...]:
        try:
            version = self._changed()
            if version == self._version:
                return self._keys
            self._version = version
            self._keys = self._read()
        except (OSError, ValueError) as error:
            reason = _reason(error)
            if reason != self._trouble:
                self._logger.warning("keys of tokens not read", source=str(self._path), reason=reason)
            self._trouble = reason
        else:
            self._logger.info("keys of tokens read", source=str(self._path), keys=len(self._keys))
            self._trouble = ""
        return self._keys

    def missed(self, key_id: str) -> None:
        pass

    def close(self) -> None:
        pass

    def _changed(self) -> object:
        found = self._path.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read(self) -> tuple[Key, ...]:
        with self._path.open("rb") as file:
            text = file.read(KEYS_BYTES_MAX + 1)
        return _keys(text)


class ServerKeys:
    """The keys of a server, asked for at intervals, and when a token names a key that is not known.

    Kafka: `RefreshingHttpsJwks`.
    """

    def __init__(
        self,
        source: KeySource,
        host_ms: Callable[[], int],
        logger: Any,
        unknown_key_pause_ms: int = UNKNOWN_KEY_PAUSE_MS,
    ) -> None:
        self._source = source
        self._host_ms = host_ms
        self._logger = logger
        self._pause_ms = unknown_key_pause_ms
        self._keys: tuple[Key, ...] = ()
        self._closed = threading.Event()
        self._wanted = threading.Event()
        self._expedited = False
        # It ends with the process: no stop waits for a server.
        self._thread = threading.Thread(target=self._refresh, name="tidemark-keys", daemon=True)

    def load(self) -> None:
        try:
            self._keys = self._ask()
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot read the keys of {NAME}: {_reason(error)}") from None
        self._thread.start()

    def current(self) -> tuple[Key, ...]:
        return self._keys

    def missed(self, key_id: str) -> None:
        self._expedited = True
        self._wanted.set()

    def close(self) -> None:
        self._closed.set()
        self._wanted.set()

    def _refresh(self) -> None:
        """Ask for the keys until closed."""
        wait_ms, retry_ms = self._source.refresh_ms, self._source.retry_ms
        while True:
            self._wanted.wait(wait_ms / 1000)
            if self._closed.is_set():
                return
            try:
                self._keys = self._ask()
            except (OSError, ValueError) as error:
                self._logger.warning("keys of tokens not read", source=self._server, reason=_reason(error))
                wait_ms, retry_ms = retry_ms, min(2 * retry_ms, self._source.retry_max_ms)
            else:
                self._logger.info("keys of tokens read", source=self._server, keys=len(self._keys))
                wait_ms, retry_ms = self._source.refresh_ms, self._source.retry_ms
            if self._expedited and self._closed.wait(self._pause_ms / 1000):
                return
            self._expedited = False
            self._wanted.clear()

    @property
    def _server(self) -> str:
        return str(urlsplit(self._source.url).hostname)

    def _ask(self) -> tuple[Key, ...]:
        """Return the keys of the server. Blocks. Raises OSError, ValueError."""
        opener = OpenerDirector()
        for handler in (
            HTTPHandler,
            HTTPSHandler,
            HTTPRedirectHandler,
            HTTPErrorProcessor,
            HTTPDefaultErrorHandler,
        ):
            opener.add_handler(handler())
        deadline_ms = self._host_ms() + TIMEOUT_MS
        text = b""
        with opener.open(self._source.url, timeout=TIMEOUT_MS / 1000) as response:
            while len(text) <= KEYS_BYTES_MAX and (part := response.read1(READ_BYTES)):
                text += part
                if self._host_ms() > deadline_ms:
                    raise TimeoutError(f"the response took longer than {TIMEOUT_MS} ms")
        return _keys(text)


def _keys(text: bytes) -> tuple[Key, ...]:
    if len(text) > KEYS_BYTES_MAX:
        raise ValueError(f"the keys have more than {KEYS_BYTES_MAX} bytes")
    found = read_keys(text)
    if not found:
        raise ValueError("there is no key that can check a signature")
    return found


def _reason(error: Exception) -> str:
    if isinstance(error, URLError):
        return str(error.reason)
    return str(getattr(error, "strerror", None) or error)
