"""TLS of a client, by Kafka's `ssl.*` properties: PEM in files or in the properties, and PKCS12.

Kafka: `SslConfigs`, `DefaultSslEngineFactory`. Messages name no password and no key.
"""

from __future__ import annotations

import os
import re
import socket
import ssl
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tidemark.client.addresses import BrokerEndpoint
from tidemark.client.errors import CannotConnect, ConfigError, HandshakeCutOff

if TYPE_CHECKING:  # slow to import, and PEM does not need it
    from cryptography.hazmat.primitives.serialization.pkcs12 import (
        PKCS12Certificate,
        PKCS12KeyAndCertificates,
    )

PEM: Final = "PEM"
PKCS12: Final = "PKCS12"
DEFAULT_TYPE: Final = "JKS"
JAVA_STORES: Final = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")  # how a JKS and a JCEKS file begin
# A block of a PEM text. In a property, blanks may stand for the ends of lines.
BLOCK: Final = re.compile(r"-+BEGIN ([A-Z0-9 ]+)-+\s+((?:[^-]|-(?!-))+?)\s*-+END \1-+")


def tls_context(settings: Mapping[str, str]) -> ssl.SSLContext:
    """Return the context of a client with these settings. Raises ConfigError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    algorithm = settings.get("ssl.endpoint.identification.algorithm", "https").strip()
    if algorithm.lower() not in ("", "https"):
        raise ConfigError(
            "ssl.endpoint.identification.algorithm must be https, or empty to accept every host name, got "
            f"{algorithm!r}"
        )
    context.check_hostname = bool(algorithm)
    _trust(context, settings)
    _identify(context, settings)
    return context


def _trust(context: ssl.SSLContext, settings: Mapping[str, str]) -> None:
    """Load the certificates that the client trusts: of the truststore, or else of the system."""
    location, inline = (
        _value(settings, "ssl.truststore.location"),
        _value(settings, "ssl.truststore.certificates"),
    )
    kind = _value(settings, "ssl.truststore.type").upper() or DEFAULT_TYPE
    if location and inline:
        raise ConfigError("Both SSL trust store location and separate trust certificates are specified.")
    if inline and kind != PEM:
        raise ConfigError(f"SSL trust certs can be specified only for PEM, but trust store type is {kind}.")
    if not (location or inline):
        context.load_default_certs()
        return
    name = "ssl.truststore.location" if location else "ssl.truststore.certificates"
    if kind == PEM:
        text = _read(name, location).decode("utf-8", "replace") if location else inline
        certificates = _blocks(text, "CERTIFICATE")
    else:
        store = _pkcs12("ssl.truststore", location, kind, _value(settings, "ssl.truststore.password"))
        certificates = _certificates([store.cert, *store.additional_certs])
    if not certificates:
        raise ConfigError(f"{name} has no certificates")
    with _invalid(name):
        context.load_verify_locations(cadata="\n".join(certificates))


def _identify(context: ssl.SSLContext, settings: Mapping[str, str]) -> None:
    """Load the client's certificate and its key, if there are any."""
    location = _value(settings, "ssl.keystore.location")
    chain, key = (_value(settings, f"ssl.keystore.{name}") for name in ("certificate.chain", "key"))
    kind = _value(settings, "ssl.keystore.type").upper() or DEFAULT_TYPE
    password = _value(settings, "ssl.key.password")
    if location and (chain or key):
        raise ConfigError(
            "Both SSL key store location and separate private key or certificate are specified."
        )
    if (chain or key) and kind != PEM:
        raise ConfigError(
            f"SSL certificate and key can be specified only for PEM, but key store type is {kind}."
        )
    if bool(chain) != bool(key):
        raise ConfigError("ssl.keystore.certificate.chain and ssl.keystore.key must be set together")
    if not (location or chain):
        return
    name = "ssl.keystore.location" if location else "ssl.keystore.key"
    if kind == PEM:
        text = _read(name, location).decode("utf-8", "replace") if location else f"{key}\n{chain}"
        blocks = [*_blocks(text, "PRIVATE KEY"), *_blocks(text, "CERTIFICATE")]
    else:
        store = _pkcs12("ssl.keystore", location, kind, _value(settings, "ssl.keystore.password"))
        password = os.urandom(16).hex()  # the key is in a file for a moment
        blocks = _key_and_chain(name, store, password)
    with _temporary("\n".join(blocks)) as path, _invalid(name):
        # Without a password OpenSSL would ask for one on the terminal.
        context.load_cert_chain(path, password=lambda: password)


def _value(settings: Mapping[str, str], name: str) -> str:
    return settings.get(name, "").strip()


def _read(name: str, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{name}: cannot read {path}: {error.strerror or error}") from None


def _blocks(text: str, label: str) -> list[str]:
    """Return the PEM blocks whose label ends like this, with lines of 64 characters."""
    found = []
    for name, content in BLOCK.findall(text):
        if name.endswith(label):
            # A key in the old format of OpenSSL has headers, and lines that must stay.
            packed = "".join(content.split())
            lines = content if ":" in content else "\n".join(re.findall(".{1,64}", packed))
            found.append(f"-----BEGIN {name}-----\n{lines}\n-----END {name}-----\n")
    return found


def _pkcs12(prefix: str, path: str, kind: str, password: str) -> PKCS12KeyAndCertificates:
    """Return the content of a PKCS12 file. As in Java, the type JKS means this format, too."""
    data = _read(f"{prefix}.location", path)
    if kind not in (PKCS12, DEFAULT_TYPE):
        raise ConfigError(f"{prefix}.type must be PEM or PKCS12, got {kind!r}")
    if data.startswith(JAVA_STORES):
        raise ConfigError(
            f"{prefix}.location: {path} is a Java keystore, which only Java can read. Convert it with: "
            f"keytool -importkeystore -srckeystore {path} -destkeystore {Path(path).stem}.p12 -deststoretype "
            "PKCS12"
        )
    if b"-----BEGIN " in data:
        raise ConfigError(f"{prefix}.location: {path} is a PEM file. Set {prefix}.type=PEM")
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

    try:
        return load_pkcs12(data, password.encode() if password else None)
    except ValueError:
        raise ConfigError(
            f"{prefix}.location: {path} is no PKCS12 file, or {prefix}.password is not its password"
        ) from None


def _certificates(entries: Iterable[PKCS12Certificate | None]) -> list[str]:
    from cryptography.hazmat.primitives.serialization import Encoding

    return [each.certificate.public_bytes(Encoding.PEM).decode() for each in entries if each is not None]


def _key_and_chain(name: str, store: PKCS12KeyAndCertificates, password: str) -> list[str]:
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        PrivateFormat,
    )

    if store.key is None or store.cert is None:
        raise ConfigError(f"{name} has no private key")
    encryption = BestAvailableEncryption(password.encode())
    key = store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption).decode()
    return [key, *_certificates([store.cert, *store.additional_certs])]


@contextmanager
def _temporary(text: str) -> Iterator[str]:
    """Write a file that only this user can read, because `ssl` reads keys from files only."""
    with tempfile.TemporaryDirectory(prefix="tidemark-") as folder:
        path = Path(folder, "key.pem")
        path.touch(0o600)
        path.write_text(text)
        yield str(path)


@contextmanager
def _invalid(name: str) -> Iterator[None]:
    """Raise ConfigError for a key or a certificate that OpenSSL refuses."""
    try:
        yield
    except (ssl.SSLError, ValueError) as error:
        reason = getattr(error, "reason", None) or "it is not valid"
        raise ConfigError(
            f"{name} cannot be loaded: {reason}. Check the format, and ssl.key.password"
        ) from None


def secured(raw: socket.socket, context: ssl.SSLContext, node: BrokerEndpoint) -> ssl.SSLSocket:
    """Do the handshake. Raises CannotConnect, or HandshakeCutOff, which may be temporary."""
    with handshake_errors(node):
        try:
            return context.wrap_socket(raw, server_hostname=node.host)
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionError):
            raise HandshakeCutOff(
                f"{node} closed the connection during the TLS handshake; does it serve TLS?"
            ) from None


@contextmanager
def handshake_errors(node: BrokerEndpoint) -> Iterator[None]:
    """Raise CannotConnect for a failed handshake. In TLS 1.3 it may fail with the first response."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise CannotConnect(f"SSL handshake failed with {node}: {error.verify_message}") from None
    except ssl.SSLError as error:
        reason = (error.reason or str(error)).replace("_", " ").lower()
        raise CannotConnect(f"SSL handshake failed with {node}: {reason}") from None
