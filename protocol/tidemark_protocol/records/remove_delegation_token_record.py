# Generated from schemas/records/RemoveDelegationTokenRecord.json. Edit that, then run make generate.

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_text_length, skip_tags, too_short, unfit,
    write_text_length,
)



class RemoveDelegationTokenRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TokenId", "token_id", "string", None),
    )
    NAME: ClassVar = "RemoveDelegationTokenRecord"
    API_KEY: ClassVar = 26
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    token_id: str = ""


def decode_remove_delegation_token_record_v0(buf: bytes, pos: int, end: int) -> tuple[RemoveDelegationTokenRecord, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TokenId")
        if n < 0:
            raise null("TokenId")
        token_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RemoveDelegationTokenRecord(token_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_remove_delegation_token_record_v0(out: bytearray, m: RemoveDelegationTokenRecord) -> None:
    try:
        text = m.token_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TokenId")
        out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("RemoveDelegationTokenRecord", error) from error

RemoveDelegationTokenRecord.DECODERS = {
    0: decode_remove_delegation_token_record_v0,
}

RemoveDelegationTokenRecord.ENCODERS = {
    0: encode_remove_delegation_token_record_v0,
}

__all__ = [
    "RemoveDelegationTokenRecord",
]
