"""The SSL context of a listener, which follows its files and settings: a new certificate needs no restart.

Both are checked when a client connects, at most once per CHECK_MS. If the new ones cannot be used, the old
context stays.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from tidemark.security.distinguished_names import subject_of
from tidemark.settings.key_stores import StoreUnusable, load_keys, load_trusted
from tidemark.settings.setting import ConfigError
from tidemark.settings.tls import TlsSettings, principal_name
from tidemark.workers import Patience

CHECK_MS: Final = 1000
READ_S: Final = 5.0  # clients wait meanwhile
USER: Final = "User:"
ANONYMOUS: Final = USER + "ANONYMOUS"
_VERSIONS: Final = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_AUTH: Final = {"none": ssl.CERT_NONE, "requested": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}
# TLS 1.3 suites have names of this form, without the key exchange.
_TLS_1_3: Final = ("TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256")
# Parts of the names of Java's suites, and those of OpenSSL.
_KEY_EXCHANGES: Final = {
    "TLS_ECDHE_ECDSA_WITH_": "ECDHE-ECDSA-",
    "TLS_ECDHE_RSA_WITH_": "ECDHE-RSA-",
    "TLS_DHE_RSA_WITH_": "DHE-RSA-",
    "TLS_RSA_WITH_": "",
}
_ENCRYPTIONS: Final = {
    "AES_128_GCM_SHA256": "AES128-GCM-SHA256",
    "AES_256_GCM_SHA384": "AES256-GCM-SHA384",
    "CHACHA20_POLY1305_SHA256": "CHACHA20-POLY1305",
    "AES_128_CBC_SHA256": "AES128-SHA256",
    "AES_256_CBC_SHA384": "AES256-SHA384",
    "AES_256_CBC_SHA256": "AES256-SHA256",
    "AES_128_CBC_SHA": "AES128-SHA",
    "AES_256_CBC_SHA": "AES256-SHA",
}
State = tuple[int, int, int] | None  # of a file: what changes with its content


class Certificates:
    """The SSL context of one listener. Call `when_current` on the loop only."""

    def __init__(self, settings: TlsSettings, steady_ms: Callable[[], int], logger: Any) -> None:
        """Raises ConfigError."""
        self.settings = settings
        self._read_settings: Callable[[], TlsSettings] = lambda: settings
        self._refused = ""
        self._patience = Patience(READ_S)
        self._steady_ms = steady_ms
        self._logger = logger
        self._seen: tuple[TlsSettings, tuple[State, ...]] | None = (settings, _look(settings))
        self.context = build_context(settings)
        self._check_ms = steady_ms() + CHECK_MS
        self._waiting: list[Callable[[], None]] = []
        self._check: asyncio.Task[None] | None = None
        self._trial = Patience(READ_S)
        self._trials = asyncio.Lock()

    def follow(self, read_settings: Callable[[], TlsSettings]) -> None:
        """Use the settings that read_settings returns, from the next client on. It may raise ConfigError."""
        self._read_settings = read_settings
        self._check_ms = self._steady_ms()

    def is_current(self) -> bool:
        """Return whether `context` may be used. False: it is time to check the files."""
        return self._check is None and self._steady_ms() < self._check_ms

    def when_current(self, ready: Callable[[], None]) -> None:
        """Check the files, and then call ready."""
        self._waiting.append(ready)
        if self._check is None:
            self._check = asyncio.get_running_loop().create_task(self._follow())

    async def _follow(self) -> None:
        try:
            settings = self._read_settings()
            seen = (settings, await self._patience.run(partial(_look, settings)))
            if seen != self._seen:
                self._seen = seen
                self.context = await self._patience.run(partial(build_context, settings))
                self.settings = settings
                self._logger.lifecycle("certificates reloaded", listener=settings.listener)
            self._refused = ""
        except ConfigError as error:
            # Frames that refer to the error, and to the clients that wait: a cycle.
            error.__traceback__ = error.__context__ = None
            self._refuse(str(error))
        except TimeoutError:
            self._seen = None  # read them again
            self._refuse(f"the files cannot be read within {READ_S} seconds")
        finally:
            self._check = None
            self._check_ms = self._steady_ms() + CHECK_MS
            waiting, self._waiting = self._waiting, []
            for ready in waiting:
                ready()

    async def refusal(self, read_settings: Callable[[], TlsSettings]) -> str | None:
        """Return the exception with which Kafka refuses settings that cannot be used. None: they can be."""
        async with self._trials:
            try:
                await self._trial.run(lambda: build_context(read_settings()))
            except ConfigError as error:
                error.__traceback__ = error.__context__ = None  # as in `_follow`
                text = str(error)
                if isinstance(error, StoreUnusable):
                    kafka = error.kafka
                else:
                    own = text.removeprefix(f"Listener {self.settings.listener}: ")
                    kafka = f"errors.InvalidConfigurationException: {own}"
            except TimeoutError:
                text = f"the files cannot be read within {READ_S} seconds"
                kafka = f"KafkaException: {text}"
            else:
                return None
        self._logger.warning("certificates refused", listener=self.settings.listener, reason=text)
        return f"org.apache.kafka.common.{kafka}"

    def _refuse(self, reason: str) -> None:
        if reason != self._refused:
            self._refused = reason
            self._logger.error("certificates not reloaded", listener=self.settings.listener, reason=reason)

    def principal(self, certificate: bytes | None) -> str:
        """Return the principal of a client with this certificate in DER.

        Raises NoMatchingRule and MalformedCertificate.
        """
        if certificate is None:
            return ANONYMOUS
        return USER + principal_name(self.settings.rules, subject_of(certificate))


def build_context(settings: TlsSettings) -> ssl.SSLContext:
    """Return a new context. Reads files. Raises ConfigError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.options |= ssl.OP_NO_RENEGOTIATION
    protocols = _set_ciphers(context, settings)
    context.minimum_version = _VERSIONS[protocols[0]]
    context.maximum_version = _VERSIONS[protocols[-1]]
    try:
        load_keys(context, settings.keys)
        if settings.trusts is not None:
            context.verify_mode = _AUTH[settings.client_auth]
            load_trusted(context, settings.trusts)
    except StoreUnusable as error:
        raise StoreUnusable(f"Listener {settings.listener}: {error}", error.kafka) from None
    except (ConfigError, OSError, ValueError) as error:  # too many open files, a password that is too long
        raise ConfigError(f"Listener {settings.listener}: {error}") from None
    return context


def _set_ciphers(context: ssl.SSLContext, settings: TlsSettings) -> tuple[str, ...]:
    """Enable the cipher suites of the settings. Return the protocols that have some. Raises ConfigError."""
    if not settings.ciphers:
        return settings.protocols
    older = [_openssl_name(name) for name in settings.ciphers if name not in _TLS_1_3]
    enabled = {"TLSv1.2": bool(older), "TLSv1.3": len(older) < len(settings.ciphers)}
    protocols = tuple(protocol for protocol in settings.protocols if enabled[protocol])
    if not protocols:
        raise ConfigError(
            f"Listener {settings.listener}: ssl.cipher.suites has no suite of the enabled protocols "
            f"{', '.join(settings.protocols)}"
        )
    for name, ours in zip((n for n in settings.ciphers if n not in _TLS_1_3), older, strict=True):
        try:
            context.set_ciphers(ours)
        except ssl.SSLError:
            raise ConfigError(f"Listener {settings.listener}: Unsupported CipherSuite: {name}") from None
    if older:
        context.set_ciphers(":".join(older))
    return protocols


def _openssl_name(name: str) -> str:
    """Return OpenSSL's name of a cipher suite. A name that is not Java's may already be OpenSSL's."""
    for prefix, key_exchange in _KEY_EXCHANGES.items():
        if name.startswith(prefix):
            return key_exchange + _ENCRYPTIONS.get(name.removeprefix(prefix), name)
    return name


def _look(settings: TlsSettings) -> tuple[State, ...]:
    """Return the states of the files."""
    stores = [settings.keys] if settings.trusts is None else [settings.keys, settings.trusts]
    return tuple(_state_of(Path(store.location)) for store in stores if store.location)


def _state_of(path: Path) -> State:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
