"""Private keys and certificates, of a listener or of a client: PEM texts, PEM files and PKCS12 files.

The checks and their messages are those of Kafka's DefaultSslEngineFactory. Other errors name the setting and
the file, and no part of a key or password.
"""

from __future__ import annotations

import os
import re
import ssl
import stat
import sys
import tempfile
from base64 import b64decode, encodebytes
from binascii import Error as NotBase64
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tidemark import platform
from tidemark.settings.setting import ConfigError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates
    from cryptography.x509 import Certificate

PEM: Final = "PEM"
JKS: Final = "JKS"  # the default of Kafka; Java reads PKCS12 files with this type, too
STORE_TYPES: Final = (PEM, "PKCS12", JKS)
# Text around the blocks is allowed, and so are spaces in place of line breaks, as in Kafka.
_BLOCK: Final = re.compile(r"-+BEGIN ([A-Z0-9 ]+)-+\s(.*?)-+END \1-+", re.DOTALL)
_KEY: Final = "PRIVATE KEY"
_ENCRYPTED: Final = "ENCRYPTED PRIVATE KEY"
_CERTIFICATES: Final = ("CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE")
_JAVA_MAGICS: Final = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")  # JKS, JCEKS
_PEM_MAGIC: Final = b"-----BEGIN "
FILE_BYTES_MAX: Final = 16 * 1024 * 1024  # a truststore of all public authorities has 0.3 MB

Read = Callable[[str], str | None]  # a setting's name -> its value, None if it is not set


@dataclass(slots=True, frozen=True)
class Store:
    """A key store or trust store: a file, or texts in the settings.

    kind          the setting's prefix, for messages: ssl.keystore or ssl.truststore
    password      of a PKCS12 file
    key           the private key as PEM text
    certificates  as PEM text
    key_password  of an encrypted private key
    """

    kind: str
    type: str
    location: str | None = None
    password: str | None = field(default=None, repr=False)
    key: str | None = field(default=None, repr=False)
    certificates: str | None = field(default=None, repr=False)
    key_password: str | None = field(default=None, repr=False)


class StoreUnusable(ConfigError):
    """A store cannot be loaded. kafka: the name and the text of Kafka's exception."""

    def __init__(self, text: str, kafka: str) -> None:
        super().__init__(text)
        self.kafka = kafka


@dataclass(slots=True, frozen=True)
class KeyPair:
    """A private key and its certificate chain, as PEM. password: of the key. "" if it is not encrypted."""

    chain: bytes = field(repr=False)
    key: bytes = field(repr=False)
    password: str = field(repr=False)


def key_store(read: Read) -> Store | None:
    """Return the store of the own key and its certificates. None: none is set. Raises ConfigError."""
    store = Store(
        "ssl.keystore",
        _type(read, "ssl.keystore"),
        location=read("ssl.keystore.location") or None,
        password=read("ssl.keystore.password"),
        key=read("ssl.keystore.key"),
        certificates=read("ssl.keystore.certificate.chain"),
        key_password=read("ssl.key.password"),
    )
    inline, file = store.key is not None, store.location is not None
    _check(
        (
            inline and store.type != PEM,
            f"SSL private key can be specified only for PEM, but key store type is {store.type}.",
        ),
        (
            inline and store.certificates is None,
            "SSL private key is specified, but certificate chain is not specified.",
        ),
        (inline and file, "Both SSL key store location and separate private key are specified."),
        (
            not inline and store.certificates is not None,
            "SSL certificate chain is specified, but private key is not specified",
        ),
        (
            (inline or (file and store.type == PEM)) and store.password is not None,
            "SSL key store password cannot be specified with PEM format, only key password may be specified.",
        ),
        (
            not inline and not file and store.password is not None,
            "SSL key store is not specified, but key store password is specified.",
        ),
        (
            file and store.type != PEM and store.password is None,
            "SSL key store is specified, but key store password is not specified.",
        ),
    )
    return store if inline or file else None


def trust_store(read: Read) -> Store | None:
    """Return the store of the certificates that are trusted. None: none is set. Raises ConfigError."""
    store = Store(
        "ssl.truststore",
        _type(read, "ssl.truststore"),
        location=read("ssl.truststore.location") or None,
        password=read("ssl.truststore.password"),
        certificates=read("ssl.truststore.certificates"),
    )
    inline, file = store.certificates is not None, store.location is not None
    _check(
        (
            inline and store.type != PEM,
            f"SSL trust store certs can be specified only for PEM, but trust store type is {store.type}.",
        ),
        (inline and file, "Both SSL trust store location and separate trust certificates are specified."),
        (
            (inline or (file and store.type == PEM)) and store.password is not None,
            "SSL trust store password cannot be specified for PEM format.",
        ),
        (
            not inline and not file and store.password is not None,
            "SSL trust store is not specified, but trust store password is specified.",
        ),
    )
    return store if inline or file else None


def _check(*checks: tuple[bool, str]) -> None:
    """Raise ConfigError with the text of the first check that fails."""
    for wrong, text in checks:
        if wrong:
            raise ConfigError(text)


def _type(read: Read, prefix: str) -> str:
    given = read(f"{prefix}.type") or JKS
    if given.upper() not in STORE_TYPES:
        raise ConfigError(f"{prefix}.type must be one of {', '.join(STORE_TYPES)}, got {given}")
    return given.upper()


def read_keys(store: Store) -> KeyPair:
    """Return the key of a key store. Raises ConfigError."""
    if store.type != PEM:
        return _pkcs12_keys(store)
    key_text, certificate_text = store.key, store.certificates
    if key_text is None or certificate_text is None:
        key_text = certificate_text = _pem_file(store)
    keys = [(label, data) for label, data in _blocks(store, key_text) if label.endswith(_KEY)]
    if len(keys) != 1:
        raise _wrong(store, f"Expected one private key, but found {len(keys)}")
    label, data = keys[0]
    if label == _ENCRYPTED and not store.key_password:
        raise _wrong(store, "the private key is encrypted. Set ssl.key.password")
    chain = b"".join(_pem("CERTIFICATE", one) for one in _certificates(store, certificate_text))
    return KeyPair(chain, _pem(label, data), store.key_password or "")


def read_certificates(store: Store) -> list[bytes]:
    """Return the certificates of a trust store in DER. Raises ConfigError."""
    if store.type == PEM:
        text = store.certificates if store.certificates is not None else _pem_file(store)
        return _certificates(store, text)
    from cryptography.hazmat.primitives.serialization import Encoding

    found = _pkcs12(store)
    everything = ([] if found.cert is None else [found.cert]) + found.additional_certs
    if not everything:
        raise _wrong(store, "the file has no certificate")
    return [one.certificate.public_bytes(Encoding.DER) for one in everything]


def _pem_file(store: Store) -> str:
    return _file(store).decode("utf-8", "replace")


def _file(store: Store) -> bytes:
    assert store.location is not None, "a store without texts is a file"
    try:
        with os.fdopen(
            os.open(store.location, os.O_RDONLY | platform.OPEN_FLAGS | platform.NO_WAIT), "rb"
        ) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise _wrong(store, "it is no regular file")
            data = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise _wrong(store, error.strerror or str(error)) from None
    if len(data) > FILE_BYTES_MAX:
        raise _wrong(store, f"the file is larger than {FILE_BYTES_MAX} bytes")
    return data


def _blocks(store: Store, text: str) -> list[tuple[str, bytes]]:
    """Return label and content of each block of PEM."""
    found = []
    for label, body in _BLOCK.findall(text):
        try:
            found.append((label, b64decode("".join(body.split()), validate=True)))
        except NotBase64:
            how = " Convert the key with: openssl pkcs8 -topk8" if label.endswith(_KEY) else ""
            raise _wrong(store, f"the block {label} is not plain base64.{how}") from None
    return found


def _certificates(store: Store, text: str) -> list[bytes]:
    found = [data for label, data in _blocks(store, text) if label in _CERTIFICATES]
    if not found:
        raise _wrong(store, "No matching CERTIFICATE entries in PEM file")
    return found


def _pem(label: str, data: bytes) -> bytes:
    return b"-----BEGIN %b-----\n%b-----END %b-----\n" % (label.encode(), encodebytes(data), label.encode())


def _pkcs12(store: Store) -> PKCS12KeyAndCertificates:
    """Return the content of a file that is PKCS12, also if its type is given as JKS, as Java does."""
    data = _file(store)
    if data.startswith(_JAVA_MAGICS):
        raise _wrong(
            store,
            f"JKS files are not supported. Convert the file with: keytool -importkeystore "
            f"-srckeystore {store.location} -destkeystore {store.location}.p12 -deststoretype PKCS12",
        )
    from cryptography.exceptions import UnsupportedAlgorithm

    if _PEM_MAGIC in data:
        raise _wrong(store, f"it is a PEM file. Set {store.kind}.type=PEM")
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

    try:
        return load_pkcs12(data, None if store.password is None else store.password.encode())
    except UnsupportedAlgorithm as error:
        raise _wrong(store, f"its encryption is not supported: {error}") from None
    except ValueError:
        raise _wrong(store, f"the password is wrong, or the file is not {store.type}") from None


def _pkcs12_keys(store: Store) -> KeyPair:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    found = _pkcs12(store)
    if found.key is None or found.cert is None:
        raise _wrong(store, "the file has no private key with a certificate")
    key = found.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    others = [one.certificate for one in found.additional_certs]
    chain = [one.public_bytes(Encoding.PEM) for one in _ordered(found.cert.certificate, others)]
    return KeyPair(b"".join(chain), key, "")


def _ordered(first: Certificate, others: list[Certificate]) -> list[Certificate]:
    """Return a certificate, its issuer, the issuer of that one, and so on. The file has them in any order."""
    chain = [first]
    while (
        found := next((one for one in others if one.subject == chain[-1].issuer and one not in chain), None)
    ) is not None:
        chain.append(found)
    return chain


def _wrong(store: Store, why: str) -> StoreUnusable:
    where = f" {store.location}" if store.location else ""
    if store.type != PEM:
        kafka = f"KafkaException: Failed to load SSL keystore{where} of type {store.type}"
    elif store.location:
        kafka = f"errors.InvalidConfigurationException: Failed to load PEM SSL keystore{where}"
    else:
        kafka = f"errors.InvalidConfigurationException: {why}"
    return StoreUnusable(f"Failed to load {store.kind}{where} of type {store.type}: {why}", kafka)


def load_trusted(context: ssl.SSLContext, store: Store) -> None:
    """Let a context trust the certificates of a trust store. Raises ConfigError.

    As in Java, every one of them is trusted, not only a root.
    """
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(cadata=b"".join(read_certificates(store)))
    except ssl.SSLError as error:
        raise _wrong(store, reason_of(error)) from None


def reason_of(error: ssl.SSLError) -> str:
    """Return OpenSSL's reason in words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate verify failed: {error.verify_message}"
    return (error.reason or "unknown error").replace("_", " ").lower()


def load_keys(context: ssl.SSLContext, store: Store) -> None:
    """Give a context the private key and the chain of a key store. Raises ConfigError."""
    pair = read_keys(store)
    with ExitStack() as files:
        chain, key = (files.enter_context(_as_file(data)) for data in (pair.chain, pair.key))
        try:
            # Without a password, OpenSSL would ask for it on the terminal.
            context.load_cert_chain(chain, key, password=lambda: pair.password)
        except ssl.SSLError as error:
            raise _wrong(
                store,
                f"{reason_of(error)}. Check that the key belongs to the first certificate, "
                "and ssl.key.password",
            ) from None


@contextmanager
def _as_file(data: bytes) -> Iterator[str]:
    """Yield the path of a file with this content: in memory on Linux, otherwise one that only we can read.

    Python's ssl module reads private keys from files only.
    """
    if sys.platform == "linux":
        number = os.memfd_create("tidemark-tls", os.MFD_CLOEXEC)
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            yield f"/proc/self/fd/{number}"
    else:
        with tempfile.NamedTemporaryFile("wb") as file:
            file.write(data)
            file.flush()
            yield file.name
