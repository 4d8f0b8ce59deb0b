"""Certificates for tests: an authority, and keys with certificates that it has signed."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
HOSTS: Final = (x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1")))
DAY: Final = dt.timedelta(days=1)


@dataclass(frozen=True)
class Signed:
    """A key with its certificate, and those of its issuers, as PEM."""

    private: Key
    certificate: x509.Certificate
    issuers: tuple[x509.Certificate, ...] = ()

    def key(self, password: str | None = None) -> str:
        encryption = NoEncryption() if password is None else BestAvailableEncryption(password.encode())
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption).decode()

    @property
    def chain(self) -> str:
        everything = (self.certificate, *self.issuers)
        return "".join(one.public_bytes(Encoding.PEM).decode() for one in everything)

    def pkcs12(self, password: str) -> bytes:
        return pkcs12.serialize_key_and_certificates(
            b"broker",
            self.private,
            self.certificate,
            self.issuers,
            BestAvailableEncryption(password.encode()),
        )


class Authority:
    """Signs certificates. Its own is `pem`."""

    def __init__(self, name: str = "Test CA", above: Authority | None = None) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.issuers: tuple[x509.Certificate, ...] = (
            () if above is None else (above.certificate, *above.issuers)
        )
        signer = self if above is None else above
        self.certificate = (
            _builder(self.name, signer.name, self.private)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(signer.private, hashes.SHA256())
        )

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(Encoding.PEM).decode()

    def sign(
        self, *names: tuple[x509.ObjectIdentifier, str], use_rsa: bool = False, expired: bool = False
    ) -> Signed:
        """Return a new key whose certificate has these attributes, and the addresses of this host."""
        private: Key = (
            rsa.generate_private_key(65537, 2048) if use_rsa else ec.generate_private_key(ec.SECP256R1())
        )
        attributes = [x509.NameAttribute(kind, value) for kind, value in names]
        subject = x509.Name(attributes or [x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        certificate = (
            _builder(subject, self.name, private, expired=expired)
            .add_extension(x509.SubjectAlternativeName(HOSTS), critical=False)
            .sign(self.private, hashes.SHA256())
        )
        # A peer that checks the chain has the root in its trust store.
        above = (self.certificate, *self.issuers)[:-1]
        return Signed(private, certificate, above)


def _builder(
    subject: x509.Name, issuer: x509.Name, private: Key, *, expired: bool = False
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 3 * DAY)
        .not_valid_after(now - DAY if expired else now + 300 * DAY)
    )
