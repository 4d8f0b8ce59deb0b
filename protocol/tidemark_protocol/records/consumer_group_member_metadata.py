# Generated from schemas/records/ConsumerGroupMemberMetadataKey.json and schemas/records/ConsumerGroupMemberMetadataValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_length, read_tag_count, read_text_length,
    read_uvarint, skip_tag, skip_tags, too_short, unfit, write_tags, write_text_length, write_uvarint,
    wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class ConsumerGroupMemberMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
    )
    NAME: ClassVar = "ConsumerGroupMemberMetadataKey"
    API_KEY: ClassVar = 5
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""


class ClassicProtocol(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Metadata", "metadata", "bytes", None),
    )
    name: str = ""
    metadata: bytes = b""


class ClassicMemberMetadata(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SessionTimeoutMs", "session_timeout_ms", "int32", None),
        ("SupportedProtocols", "supported_protocols", "[]struct", ClassicProtocol),
    )
    session_timeout_ms: int = 0
    supported_protocols: list[ClassicProtocol] = []


class ConsumerGroupMemberMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("InstanceId", "instance_id", "string", None),
        ("RackId", "rack_id", "string", None),
        ("ClientId", "client_id", "string", None),
        ("ClientHost", "client_host", "string", None),
        ("SubscribedTopicNames", "subscribed_topic_names", "[]string", None),
        ("SubscribedTopicRegex", "subscribed_topic_regex", "string", None),
        ("RebalanceTimeoutMs", "rebalance_timeout_ms", "int32", None),
        ("ServerAssignor", "server_assignor", "string", None),
        ("ClassicMemberMetadata", "classic_member_metadata", "struct", ClassicMemberMetadata),
    )
    NAME: ClassVar = "ConsumerGroupMemberMetadataValue"
    API_KEY: ClassVar = 5
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    instance_id: str | None = ""
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = []
    subscribed_topic_regex: str | None = ""
    rebalance_timeout_ms: int = -1
    server_assignor: str | None = ""
    classic_member_metadata: ClassicMemberMetadata | None = field(default_factory=ClassicMemberMetadata)


def decode_consumer_group_member_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupMemberMetadataKey, int]:
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
        message = ConsumerGroupMemberMetadataKey(group_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_member_metadata_key_v0(out: bytearray, m: ConsumerGroupMemberMetadataKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ConsumerGroupMemberMetadataKey", error) from error

ConsumerGroupMemberMetadataKey.DECODERS = {
    0: decode_consumer_group_member_metadata_key_v0,
}

ConsumerGroupMemberMetadataKey.ENCODERS = {
    0: encode_consumer_group_member_metadata_key_v0,
}



def decode_consumer_group_member_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupMemberMetadataValue, int]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "SubscribedTopicRegex")
        subscribed_topic_regex: str | None = None
        if n >= 0:
            subscribed_topic_regex = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        rebalance_timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ServerAssignor")
        server_assignor: str | None = None
        if n >= 0:
            server_assignor = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        classic_member_metadata: ClassicMemberMetadata | None = ClassicMemberMetadata()
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    mark = buf[pos]
                    pos += 1
                    classic_member_metadata = None
                    if mark != 0:
                        classic_member_metadata_session_timeout_ms, = _read_i(buf, pos)
                        pos += 4
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("SupportedProtocols", n, pos, end)
                        classic_member_metadata_supported_protocols: list[ClassicProtocol] = []
                        classic_member_metadata_supported_protocols_count = n
                        for _ in range(classic_member_metadata_supported_protocols_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "Name")
                            if n < 0:
                                raise null("Name")
                            classic_member_metadata_supported_protocols_name = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_length(buf, pos - 1)
                            if n < 0:
                                raise null("Metadata")
                            classic_member_metadata_supported_protocols_metadata = buf[pos : pos + n]
                            pos += n
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            classic_member_metadata_supported_protocols.append(ClassicProtocol(classic_member_metadata_supported_protocols_name, classic_member_metadata_supported_protocols_metadata))
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        classic_member_metadata = ClassicMemberMetadata(classic_member_metadata_session_timeout_ms, classic_member_metadata_supported_protocols)
                else:
                    pos = skip_tag(buf, pos, end)
        message = ConsumerGroupMemberMetadataValue(instance_id, rack_id, client_id, client_host, subscribed_topic_names, subscribed_topic_regex, rebalance_timeout_ms, server_assignor, classic_member_metadata)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_member_metadata_value_v0(out: bytearray, m: ConsumerGroupMemberMetadataValue) -> None:
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
        subscribed_topic_regex = m.subscribed_topic_regex
        if subscribed_topic_regex is None:
            out.append(0)
        else:
            text = subscribed_topic_regex.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubscribedTopicRegex")
            out += text
        out += _write_i(m.rebalance_timeout_ms)
        server_assignor = m.server_assignor
        if server_assignor is None:
            out.append(0)
        else:
            text = server_assignor.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ServerAssignor")
            out += text
        tags: list[tuple[int, bytearray]] = []
        if m.classic_member_metadata != ClassicMemberMetadata():
            outer = out
            out = bytearray()
            classic_member_metadata = m.classic_member_metadata
            if classic_member_metadata is None:
                out.append(0)
            else:
                out.append(1)
                out += _write_i(classic_member_metadata.session_timeout_ms)
                classic_member_metadata_supported_protocols = classic_member_metadata.supported_protocols
                n = len(classic_member_metadata_supported_protocols) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for classic_member_metadata_supported_protocols_item in classic_member_metadata_supported_protocols:
                    text = classic_member_metadata_supported_protocols_item.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
                    out += text
                    classic_member_metadata_supported_protocols_metadata = classic_member_metadata_supported_protocols_item.metadata
                    n = len(classic_member_metadata_supported_protocols_metadata) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += classic_member_metadata_supported_protocols_metadata
                    out.append(0)
                out.append(0)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("ConsumerGroupMemberMetadataValue", error) from error

ConsumerGroupMemberMetadataValue.DECODERS = {
    0: decode_consumer_group_member_metadata_value_v0,
}

ConsumerGroupMemberMetadataValue.ENCODERS = {
    0: encode_consumer_group_member_metadata_value_v0,
}

__all__ = [
    "ClassicMemberMetadata", "ClassicProtocol", "ConsumerGroupMemberMetadataKey",
    "ConsumerGroupMemberMetadataValue",
]
