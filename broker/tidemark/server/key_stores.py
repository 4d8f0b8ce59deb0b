"""Reads the private key and the certificates of a listener: PEM texts, PEM files and PKCS12 files.

Errors name the setting and the file, and no part of a key or password.
"""

from __future__ import annotations

import re
from base64 import b64decode, encodebytes
from binascii import Error as NotBase64
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tidemark.settings.setting import ConfigError
from tidemark.settings.tls import PEM, Store

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates
    from cryptography.x509 import Certificate

# Text around the blocks is allowed, and so are spaces in place of line breaks, as in Kafka.
_BLOCK: Final = re.compile(r"-+BEGIN ([A-Z0-9 ]+)-+\s(.*?)-+END \1-+", re.DOTALL)
_KEY: Final = "PRIVATE KEY"
_ENCRYPTED: Final = "ENCRYPTED PRIVATE KEY"
_CERTIFICATES: Final = ("CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE")
_JAVA_MAGICS: Final = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")  # JKS, JCEKS
FILE_BYTES_MAX: Final = 16 * 1024 * 1024  # a truststore of all public authorities has 0.3 MB


@dataclass(slots=True, frozen=True)
class KeyPair:
    """A private key and its certificate chain, as PEM. password: of the key. "" if it is not encrypted."""

    chain: bytes = field(repr=False)
    key: bytes = field(repr=False)
    password: str = field(repr=False)


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
    assert store.location is not None, "read_tls has checked it"
    try:
        with Path(store.location).open("rb") as file:
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


def _wrong(store: Store, why: str) -> ConfigError:
    where = f" {store.location}" if store.location else ""
    return ConfigError(f"Failed to load {store.kind}{where} of type {store.type}: {why}")
