# Generated from schemas/records/StreamsGroupMetadataKey.json and schemas/records/StreamsGroupMetadataValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, check_count, null, past_end, read_length, read_tag_count,
    read_text_length, read_uvarint, skip_tag, skip_tags, too_short, unfit, write_tags, write_text_length,
    write_uvarint,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class StreamsGroupMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
    )
    NAME: ClassVar = "StreamsGroupMetadataKey"
    API_KEY: ClassVar = 17
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""


class LastAssignmentConfig(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Key", "key", "string", None),
        ("Value", "value", "string", None),
    )
    key: str = ""
    value: str = ""


class StreamsGroupMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Epoch", "epoch", "int32", None),
        ("MetadataHash", "metadata_hash", "int64", None),
        ("ValidatedTopologyEpoch", "validated_topology_epoch", "int32", None),
        ("LastAssignmentConfigs", "last_assignment_configs", "[]struct", LastAssignmentConfig),
    )
    NAME: ClassVar = "StreamsGroupMetadataValue"
    API_KEY: ClassVar = 17
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    epoch: int = 0
    metadata_hash: int = 0
    validated_topology_epoch: int = -1
    last_assignment_configs: list[LastAssignmentConfig] | None = []


def decode_streams_group_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupMetadataKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = StreamsGroupMetadataKey(group_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_metadata_key_v0(out: bytearray, m: StreamsGroupMetadataKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("StreamsGroupMetadataKey", error) from error

StreamsGroupMetadataKey.DECODERS = {
    0: decode_streams_group_metadata_key_v0,
}

StreamsGroupMetadataKey.ENCODERS = {
    0: encode_streams_group_metadata_key_v0,
}



def decode_streams_group_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupMetadataValue, int]:
    try:
        epoch, metadata_hash = _read_iq(buf, pos)
        pos += 12
        validated_topology_epoch: int = -1
        last_assignment_configs: list[LastAssignmentConfig] | None = []
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    validated_topology_epoch, = _read_i(buf, pos)
                    pos += 4
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    last_assignment_configs = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        last_assignment_configs_list: list[LastAssignmentConfig] = []
                        last_assignment_configs_count = n
                        for _ in range(last_assignment_configs_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "Key")
                            if n < 0:
                                raise null("Key")
                            last_assignment_configs_key = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "Value")
                            if n < 0:
                                raise null("Value")
                            last_assignment_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            last_assignment_configs_list.append(LastAssignmentConfig(last_assignment_configs_key, last_assignment_configs_value))
                        last_assignment_configs = last_assignment_configs_list
                else:
                    pos = skip_tag(buf, pos, end)
        message = StreamsGroupMetadataValue(epoch, metadata_hash, validated_topology_epoch, last_assignment_configs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_metadata_value_v0(out: bytearray, m: StreamsGroupMetadataValue) -> None:
    try:
        out += _write_iq(m.epoch, m.metadata_hash)
        tags: list[tuple[int, bytearray]] = []
        if m.validated_topology_epoch != -1:
            outer = out
            out = bytearray()
            out += _write_i(m.validated_topology_epoch)
            tags.append((0, out))
            out = outer
        if m.last_assignment_configs is None or m.last_assignment_configs:
            outer = out
            out = bytearray()
            last_assignment_configs = m.last_assignment_configs
            if last_assignment_configs is None:
                out.append(0)
            else:
                n = len(last_assignment_configs) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for last_assignment_configs_item in last_assignment_configs:
                    text = last_assignment_configs_item.key.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Key")
                    out += text
                    text = last_assignment_configs_item.value.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Value")
                    out += text
                    out.append(0)
            tags.append((1, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("StreamsGroupMetadataValue", error) from error

StreamsGroupMetadataValue.DECODERS = {
    0: decode_streams_group_metadata_value_v0,
}

StreamsGroupMetadataValue.ENCODERS = {
    0: encode_streams_group_metadata_value_v0,
}

__all__ = [
    "LastAssignmentConfig", "StreamsGroupMetadataKey", "StreamsGroupMetadataValue",
]
