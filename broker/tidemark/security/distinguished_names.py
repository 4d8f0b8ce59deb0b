"""The subject of an X.509 certificate as text, as Java's X500Principal.getName() writes it (RFC 2253).

`ssl` returns the subject of a certificate with names of its own for attributes, and without their types. So
this module reads the DER encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

# Tags of DER.
_OBJECT_IDENTIFIER: Final = 0x06
_SEQUENCE: Final = 0x30
_VERSION: Final = 0xA0
# Attributes that RFC 2253 names. Java writes any other as its number, with the encoded value.
_KEYWORDS: Final = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.1": "UID",
    "0.9.2342.19200300.100.1.25": "DC",
}
# UTF8String, PrintableString, T61String, IA5String, GeneralString, BMPString. Java reads all as UTF-8.
_TEXTS: Final = frozenset({0x0C, 0x13, 0x14, 0x16, 0x1B, 0x1E})
_ESCAPED: Final = frozenset(',=+<>#;"\\')
_BLANKS: Final = " \r"


class MalformedCertificate(Exception):
    """The bytes are not the DER encoding of a certificate. OpenSSL has accepted them, so this is rare."""


def subject_of(certificate: bytes) -> str:
    """Return the subject of a certificate in DER. Raises MalformedCertificate."""
    try:
        return name_text(_subject(certificate))
    except (IndexError, ValueError) as error:
        raise MalformedCertificate(f"the subject of the certificate cannot be read: {error}") from None


def name_text(encoded: bytes) -> str:
    """Return the attributes of a Name in DER, the last one first. Raises IndexError, ValueError."""
    sets = [value for _, value in _items(encoded)]
    return ",".join("+".join(_attribute(each) for _, each in _items(one)) for one in reversed(sets))


def _subject(certificate: bytes) -> bytes:
    (tag, outer), *_ = _items(certificate)
    if tag != _SEQUENCE:
        raise ValueError("no sequence")
    (_, signed), *_ = _items(outer)
    fields = [field for field in _items(signed) if field[0] != _VERSION]
    return fields[4][1]  # after serial number, signature, issuer and validity


def _items(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield tag and value of each item of a sequence. Raises IndexError, ValueError."""
    pos = 0
    while pos < len(data):
        tag, start, end = _span(data, pos)
        yield tag, data[start:end]
        pos = end


def _span(data: bytes, pos: int) -> tuple[int, int, int]:
    """Return the tag of the item at pos, and where its value starts and ends."""
    tag, size = data[pos], data[pos + 1]
    start = pos + 2
    if size >= 0x80:
        digits = size & 0x7F
        size = int.from_bytes(data[start : start + digits], "big")
        start += digits
    if start + size > len(data):
        raise ValueError("an item exceeds its sequence")
    return tag, start, start + size


def _attribute(data: bytes) -> str:
    kind, start, end = _span(data, 0)
    if kind != _OBJECT_IDENTIFIER:
        raise ValueError("an attribute without a type")
    identifier = _identifier(data[start:end])
    encoded = data[end:]
    tag, start, end = _span(encoded, 0)
    keyword = _KEYWORDS.get(identifier)
    if keyword is None or tag not in _TEXTS:
        return f"{keyword or identifier}=#{encoded.hex()}"
    return f"{keyword}={_escaped(encoded[start:end].decode('utf-8', 'replace'))}"


def _identifier(data: bytes) -> str:
    """Return an object identifier as numbers with dots."""
    numbers, number = [], 0
    for byte in data:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))


def _escaped(text: str) -> str:
    leading = len(text) - len(text.lstrip(_BLANKS))
    trailing = len(text.rstrip(_BLANKS))
    return "".join(
        "\\00"
        if char == "\0"
        else f"\\{char}"
        if char in _ESCAPED or (char in _BLANKS and not leading <= at < trailing)
        else char
        for at, char in enumerate(text)
    )
