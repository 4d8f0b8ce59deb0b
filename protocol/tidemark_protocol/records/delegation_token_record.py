# Generated from schemas/records/DelegationTokenRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_length, read_text_length, skip_tags, too_short,
    unfit, write_text_length, write_uvarint, wrong_count,
)

_qqq = struct.Struct(">qqq")
_read_qqq = _qqq.unpack_from
_write_qqq = _qqq.pack


class DelegationTokenRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Owner", "owner", "string", None),
        ("Requester", "requester", "string", None),
        ("Renewers", "renewers", "[]string", None),
        ("IssueTimestamp", "issue_timestamp", "int64", None),
        ("MaxTimestamp", "max_timestamp", "int64", None),
        ("ExpirationTimestamp", "expiration_timestamp", "int64", None),
        ("TokenId", "token_id", "string", None),
    )
    NAME: ClassVar = "DelegationTokenRecord"
    API_KEY: ClassVar = 10
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    owner: str = ""
    requester: str = ""
    renewers: list[str] = []
    issue_timestamp: int = 0
    max_timestamp: int = 0
    expiration_timestamp: int = 0
    token_id: str = ""


def decode_delegation_token_record_v0(buf: bytes, pos: int, end: int) -> tuple[DelegationTokenRecord, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Owner")
        if n < 0:
            raise null("Owner")
        owner = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Requester")
        if n < 0:
            raise null("Requester")
        requester = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Renewers", n, pos, end)
        renewers: list[str] = []
        renewers_count = n
        for _ in range(renewers_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Renewers")
            if n < 0:
                raise null("Renewers")
            renewers_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            renewers.append(renewers_item)
        issue_timestamp, max_timestamp, expiration_timestamp = _read_qqq(buf, pos)
        pos += 24
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TokenId")
        if n < 0:
            raise null("TokenId")
        token_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DelegationTokenRecord(owner, requester, renewers, issue_timestamp, max_timestamp, expiration_timestamp, token_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delegation_token_record_v0(out: bytearray, m: DelegationTokenRecord) -> None:
    try:
        text = m.owner.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Owner")
        out += text
        text = m.requester.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Requester")
        out += text
        renewers = m.renewers
        n = len(renewers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for renewers_item in renewers:
            text = renewers_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Renewers")
            out += text
        out += _write_qqq(m.issue_timestamp, m.max_timestamp, m.expiration_timestamp)
        text = m.token_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TokenId")
        out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("DelegationTokenRecord", error) from error

DelegationTokenRecord.DECODERS = {
    0: decode_delegation_token_record_v0,
}

DelegationTokenRecord.ENCODERS = {
    0: encode_delegation_token_record_v0,
}

__all__ = [
    "DelegationTokenRecord",
]
