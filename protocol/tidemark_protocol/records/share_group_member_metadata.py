# Generated from schemas/records/ShareGroupMemberMetadataKey.json and schemas/records/ShareGroupMemberMetadataValue.json. Edit that, then run make generate.

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


class ShareGroupMemberMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
    )
    NAME: ClassVar = "ShareGroupMemberMetadataKey"
    API_KEY: ClassVar = 10
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""


class ShareGroupMemberMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("RackId", "rack_id", "string", None),
        ("ClientId", "client_id", "string", None),
        ("ClientHost", "client_host", "string", None),
        ("SubscribedTopicNames", "subscribed_topic_names", "[]string", None),
    )
    NAME: ClassVar = "ShareGroupMemberMetadataValue"
    API_KEY: ClassVar = 10
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = []


def decode_share_group_member_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupMemberMetadataKey, int]:
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
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = ShareGroupMemberMetadataKey(group_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_member_metadata_key_v0(out: bytearray, m: ShareGroupMemberMetadataKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ShareGroupMemberMetadataKey", error) from error

ShareGroupMemberMetadataKey.DECODERS = {
    0: decode_share_group_member_metadata_key_v0,
}

ShareGroupMemberMetadataKey.ENCODERS = {
    0: encode_share_group_member_metadata_key_v0,
}



def decode_share_group_member_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupMemberMetadataValue, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "RackId")
        rack_id: str | None = None
        if n >= 0:
            rack_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClientId")
        if n < 0:
            raise null("ClientId")
        client_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClientHost")
        if n < 0:
            raise null("ClientHost")
        client_host = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("SubscribedTopicNames", n, pos, end)
        subscribed_topic_names: list[str] = []
        subscribed_topic_names_count = n
        for _ in range(subscribed_topic_names_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SubscribedTopicNames")
            if n < 0:
                raise null("SubscribedTopicNames")
            subscribed_topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            subscribed_topic_names.append(subscribed_topic_names_item)
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ShareGroupMemberMetadataValue(rack_id, client_id, client_host, subscribed_topic_names)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_member_metadata_value_v0(out: bytearray, m: ShareGroupMemberMetadataValue) -> None:
    try:
        rack_id = m.rack_id
        if rack_id is None:
            out.append(0)
        else:
            text = rack_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "RackId")
            out += text
        text = m.client_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClientId")
        out += text
        text = m.client_host.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClientHost")
        out += text
        subscribed_topic_names = m.subscribed_topic_names
        n = len(subscribed_topic_names) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for subscribed_topic_names_item in subscribed_topic_names:
            text = subscribed_topic_names_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubscribedTopicNames")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareGroupMemberMetadataValue", error) from error

ShareGroupMemberMetadataValue.DECODERS = {
    0: decode_share_group_member_metadata_value_v0,
}

ShareGroupMemberMetadataValue.ENCODERS = {
    0: encode_share_group_member_metadata_value_v0,
}

__all__ = [
    "ShareGroupMemberMetadataKey", "ShareGroupMemberMetadataValue",
]
