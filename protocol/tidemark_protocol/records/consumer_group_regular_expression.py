# Generated from schemas/records/ConsumerGroupRegularExpressionKey.json and schemas/records/ConsumerGroupRegularExpressionValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_length, read_text_length, skip_tags, too_short,
    unfit, write_text_length, write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_qq = struct.Struct(">qq")
_read_qq = _qq.unpack_from
_write_qq = _qq.pack


class ConsumerGroupRegularExpressionKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("RegularExpression", "regular_expression", "string", None),
    )
    NAME: ClassVar = "ConsumerGroupRegularExpressionKey"
    API_KEY: ClassVar = 16
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    regular_expression: str = ""


class ConsumerGroupRegularExpressionValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]string", None),
        ("Version", "version", "int64", None),
        ("Timestamp", "timestamp", "int64", None),
    )
    NAME: ClassVar = "ConsumerGroupRegularExpressionValue"
    API_KEY: ClassVar = 16
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[str] = []
    version: int = 0
    timestamp: int = 0


def decode_consumer_group_regular_expression_key_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupRegularExpressionKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("RegularExpression")
        regular_expression = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = ConsumerGroupRegularExpressionKey(group_id, regular_expression)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_regular_expression_key_v0(out: bytearray, m: ConsumerGroupRegularExpressionKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.regular_expression.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ConsumerGroupRegularExpressionKey", error) from error

ConsumerGroupRegularExpressionKey.DECODERS = {
    0: decode_consumer_group_regular_expression_key_v0,
}

ConsumerGroupRegularExpressionKey.ENCODERS = {
    0: encode_consumer_group_regular_expression_key_v0,
}



def decode_consumer_group_regular_expression_value_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupRegularExpressionValue, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[str] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Topics")
            if n < 0:
                raise null("Topics")
            topics_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics.append(topics_item)
        version, timestamp = _read_qq(buf, pos)
        pos += 16
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ConsumerGroupRegularExpressionValue(topics, version, timestamp)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_regular_expression_value_v0(out: bytearray, m: ConsumerGroupRegularExpressionValue) -> None:
    try:
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Topics")
            out += text
        out += _write_qq(m.version, m.timestamp)
        out.append(0)
    except UNFIT as error:
        raise unfit("ConsumerGroupRegularExpressionValue", error) from error

ConsumerGroupRegularExpressionValue.DECODERS = {
    0: decode_consumer_group_regular_expression_value_v0,
}

ConsumerGroupRegularExpressionValue.ENCODERS = {
    0: encode_consumer_group_regular_expression_value_v0,
}

__all__ = [
    "ConsumerGroupRegularExpressionKey", "ConsumerGroupRegularExpressionValue",
]
