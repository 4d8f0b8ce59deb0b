# Generated from schemas/records/StreamsGroupMemberMetadataKey.json and schemas/records/StreamsGroupMemberMetadataValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_length, read_text_length, skip_tags, too_short,
    unfit, write_text_length, write_uvarint, wrong_count,
)

_H = struct.Struct(">H")
_read_H = _H.unpack_from
_write_H = _H.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack


class StreamsGroupMemberMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
    )
    NAME: ClassVar = "StreamsGroupMemberMetadataKey"
    API_KEY: ClassVar = 19
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""


class Endpoint(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
    )
    host: str = ""
    port: int = 0


class KeyValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Key", "key", "string", None),
        ("Value", "value", "string", None),
    )
    key: str = ""
    value: str = ""


class StreamsGroupMemberMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("InstanceId", "instance_id", "string", None),
        ("RackId", "rack_id", "string", None),
        ("ClientId", "client_id", "string", None),
        ("ClientHost", "client_host", "string", None),
        ("RebalanceTimeoutMs", "rebalance_timeout_ms", "int32", None),
        ("TopologyEpoch", "topology_epoch", "int32", None),
        ("ProcessId", "process_id", "string", None),
        ("UserEndpoint", "user_endpoint", "struct", Endpoint),
        ("ClientTags", "client_tags", "[]struct", KeyValue),
    )
    NAME: ClassVar = "StreamsGroupMemberMetadataValue"
    API_KEY: ClassVar = 19
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    instance_id: str | None = ""
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology_epoch: int = 0
    process_id: str = ""
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] = []


def decode_streams_group_member_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupMemberMetadataKey, int]:
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
        message = StreamsGroupMemberMetadataKey(group_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_member_metadata_key_v0(out: bytearray, m: StreamsGroupMemberMetadataKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("StreamsGroupMemberMetadataKey", error) from error

StreamsGroupMemberMetadataKey.DECODERS = {
    0: decode_streams_group_member_metadata_key_v0,
}

StreamsGroupMemberMetadataKey.ENCODERS = {
    0: encode_streams_group_member_metadata_key_v0,
}



def decode_streams_group_member_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupMemberMetadataValue, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "InstanceId")
        instance_id: str | None = None
        if n >= 0:
            instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
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
        rebalance_timeout_ms, topology_epoch = _read_ii(buf, pos)
        pos += 8
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProcessId")
        if n < 0:
            raise null("ProcessId")
        process_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        mark = buf[pos]
        pos += 1
        user_endpoint: Endpoint | None = None
        if mark < 128:
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            user_endpoint_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            user_endpoint_port, = _read_H(buf, pos)
            pos += 2
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            user_endpoint = Endpoint(user_endpoint_host, user_endpoint_port)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ClientTags", n, pos, end)
        client_tags: list[KeyValue] = []
        client_tags_count = n
        for _ in range(client_tags_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Key")
            if n < 0:
                raise null("Key")
            client_tags_key = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Value")
            if n < 0:
                raise null("Value")
            client_tags_value = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            client_tags.append(KeyValue(client_tags_key, client_tags_value))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = StreamsGroupMemberMetadataValue(instance_id, rack_id, client_id, client_host, rebalance_timeout_ms, topology_epoch, process_id, user_endpoint, client_tags)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_member_metadata_value_v0(out: bytearray, m: StreamsGroupMemberMetadataValue) -> None:
    try:
        instance_id = m.instance_id
        if instance_id is None:
            out.append(0)
        else:
            text = instance_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "InstanceId")
            out += text
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
        out += _write_ii(m.rebalance_timeout_ms, m.topology_epoch)
        text = m.process_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ProcessId")
        out += text
        user_endpoint = m.user_endpoint
        if user_endpoint is None:
            out.append(255)
        else:
            out.append(1)
            text = user_endpoint.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_H(user_endpoint.port)
            out.append(0)
        client_tags = m.client_tags
        n = len(client_tags) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for client_tags_item in client_tags:
            text = client_tags_item.key.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Key")
            out += text
            text = client_tags_item.value.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Value")
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupMemberMetadataValue", error) from error

StreamsGroupMemberMetadataValue.DECODERS = {
    0: decode_streams_group_member_metadata_value_v0,
}

StreamsGroupMemberMetadataValue.ENCODERS = {
    0: encode_streams_group_member_metadata_value_v0,
}

__all__ = [
    "Endpoint", "KeyValue", "StreamsGroupMemberMetadataKey", "StreamsGroupMemberMetadataValue",
]
