"""Names in certificates, as Java 17's X500Principal.getName() writes them.

distinguished_names.json holds pairs of a DER encoding and the text that `new X500Principal(der).getName()`
returned for it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from tests.authorities import Authority
from tidemark.security.distinguished_names import MalformedCertificate, name_text, subject_of

RECORDED = json.loads(Path(__file__).with_name("distinguished_names.json").read_text("ascii"))


@pytest.mark.parametrize(("encoded", "text"), RECORDED, ids=[text for _, text in RECORDED])
def test_name_is_written_as_java_writes_it(encoded: str, text: str) -> None:
    der = bytes.fromhex(encoded)
    header = 2 if der[1] < 0x80 else 2 + (der[1] & 0x7F)
    assert name_text(der[header:]) == text


def test_subject_of_a_certificate() -> None:
    signed = Authority().sign(
        (NameOID.COUNTRY_NAME, "US"), (NameOID.ORGANIZATION_NAME, "Org, Inc."), (NameOID.COMMON_NAME, "alice")
    )
    assert subject_of(signed.certificate.public_bytes(Encoding.DER)) == "CN=alice,O=Org\\, Inc.,C=US"


def test_certificate_that_is_cut_is_refused() -> None:
    whole = Authority().certificate.public_bytes(Encoding.DER)
    for size in range(len(whole) // 2):
        with pytest.raises(MalformedCertificate):
            subject_of(whole[:size])
