# Generated from schemas/records/StreamsGroupTopologyKey.json and schemas/records/StreamsGroupTopologyValue.json. Edit that, then run make generate.

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
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class StreamsGroupTopologyKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
    )
    NAME: ClassVar = "StreamsGroupTopologyKey"
    API_KEY: ClassVar = 23
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""


class TopicConfig(Struct, gc=False):
    FIELDS: ClassVar = (
        ("key", "key", "string", None),
        ("value", "value", "string", None),
    )
    key: str = ""
    value: str = ""


class TopicInfo(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "int32", None),
        ("ReplicationFactor", "replication_factor", "int16", None),
        ("TopicConfigs", "topic_configs", "[]struct", TopicConfig),
    )
    name: str = ""
    partitions: int = 0
    replication_factor: int = 0
    topic_configs: list[TopicConfig] = []


class CopartitionGroup(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SourceTopics", "source_topics", "[]int16", None),
        ("SourceTopicRegex", "source_topic_regex", "[]int16", None),
        ("RepartitionSourceTopics", "repartition_source_topics", "[]int16", None),
    )
    source_topics: list[int] = []
    source_topic_regex: list[int] = []
    repartition_source_topics: list[int] = []


class Subtopology(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SubtopologyId", "subtopology_id", "string", None),
        ("SourceTopics", "source_topics", "[]string", None),
        ("SourceTopicRegex", "source_topic_regex", "[]string", None),
        ("StateChangelogTopics", "state_changelog_topics", "[]struct", TopicInfo),
        ("RepartitionSinkTopics", "repartition_sink_topics", "[]string", None),
        ("RepartitionSourceTopics", "repartition_source_topics", "[]struct", TopicInfo),
        ("CopartitionGroups", "copartition_groups", "[]struct", CopartitionGroup),
    )
    subtopology_id: str = ""
    source_topics: list[str] = []
    source_topic_regex: list[str] = []
    state_changelog_topics: list[TopicInfo] = []
    repartition_sink_topics: list[str] = []
    repartition_source_topics: list[TopicInfo] = []
    copartition_groups: list[CopartitionGroup] = []


class StreamsGroupTopologyValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Epoch", "epoch", "int32", None),
        ("Subtopologies", "subtopologies", "[]struct", Subtopology),
    )
    NAME: ClassVar = "StreamsGroupTopologyValue"
    API_KEY: ClassVar = 23
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    epoch: int = 0
    subtopologies: list[Subtopology] = []


def decode_streams_group_topology_key_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupTopologyKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = StreamsGroupTopologyKey(group_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_topology_key_v0(out: bytearray, m: StreamsGroupTopologyKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("StreamsGroupTopologyKey", error) from error

StreamsGroupTopologyKey.DECODERS = {
    0: decode_streams_group_topology_key_v0,
}

StreamsGroupTopologyKey.ENCODERS = {
    0: encode_streams_group_topology_key_v0,
}



def decode_streams_group_topology_value_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupTopologyValue, int]:
    try:
        epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Subtopologies", n, pos, end)
        subtopologies: list[Subtopology] = []
        subtopologies_count = n
        for _ in range(subtopologies_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
            if n < 0:
                raise null("SubtopologyId")
            subtopologies_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("SourceTopics", n, pos, end)
            subtopologies_source_topics: list[str] = []
            subtopologies_source_topics_count = n
            for _ in range(subtopologies_source_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                if n < 0:
                    raise null("SourceTopics")
                subtopologies_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                subtopologies_source_topics.append(subtopologies_source_topics_item)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("SourceTopicRegex", n, pos, end)
            subtopologies_source_topic_regex: list[str] = []
            subtopologies_source_topic_regex_count = n
            for _ in range(subtopologies_source_topic_regex_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SourceTopicRegex")
                if n < 0:
                    raise null("SourceTopicRegex")
                subtopologies_source_topic_regex_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                subtopologies_source_topic_regex.append(subtopologies_source_topic_regex_item)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("StateChangelogTopics", n, pos, end)
            subtopologies_state_changelog_topics: list[TopicInfo] = []
            subtopologies_state_changelog_topics_count = n
            for _ in range(subtopologies_state_changelog_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                subtopologies_state_changelog_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                subtopologies_state_changelog_topics_partitions, subtopologies_state_changelog_topics_replication_factor = _read_ih(buf, pos)
                pos += 6
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("TopicConfigs", n, pos, end)
                subtopologies_state_changelog_topics_topic_configs: list[TopicConfig] = []
                subtopologies_state_changelog_topics_topic_configs_count = n
                for _ in range(subtopologies_state_changelog_topics_topic_configs_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "key")
                    if n < 0:
                        raise null("key")
                    subtopologies_state_changelog_topics_topic_configs_key = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "value")
                    if n < 0:
                        raise null("value")
                    subtopologies_state_changelog_topics_topic_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    subtopologies_state_changelog_topics_topic_configs.append(TopicConfig(subtopologies_state_changelog_topics_topic_configs_key, subtopologies_state_changelog_topics_topic_configs_value))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                subtopologies_state_changelog_topics.append(TopicInfo(subtopologies_state_changelog_topics_name, subtopologies_state_changelog_topics_partitions, subtopologies_state_changelog_topics_replication_factor, subtopologies_state_changelog_topics_topic_configs))
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("RepartitionSinkTopics", n, pos, end)
            subtopologies_repartition_sink_topics: list[str] = []
            subtopologies_repartition_sink_topics_count = n
            for _ in range(subtopologies_repartition_sink_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "RepartitionSinkTopics")
                if n < 0:
                    raise null("RepartitionSinkTopics")
                subtopologies_repartition_sink_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                subtopologies_repartition_sink_topics.append(subtopologies_repartition_sink_topics_item)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("RepartitionSourceTopics", n, pos, end)
            subtopologies_repartition_source_topics: list[TopicInfo] = []
            subtopologies_repartition_source_topics_count = n
            for _ in range(subtopologies_repartition_source_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                subtopologies_repartition_source_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                subtopologies_repartition_source_topics_partitions, subtopologies_repartition_source_topics_replication_factor = _read_ih(buf, pos)
                pos += 6
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("TopicConfigs", n, pos, end)
                subtopologies_repartition_source_topics_topic_configs: list[TopicConfig] = []
                subtopologies_repartition_source_topics_topic_configs_count = n
                for _ in range(subtopologies_repartition_source_topics_topic_configs_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "key")
                    if n < 0:
                        raise null("key")
                    subtopologies_repartition_source_topics_topic_configs_key = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "value")
                    if n < 0:
                        raise null("value")
                    subtopologies_repartition_source_topics_topic_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    subtopologies_repartition_source_topics_topic_configs.append(TopicConfig(subtopologies_repartition_source_topics_topic_configs_key, subtopologies_repartition_source_topics_topic_configs_value))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                subtopologies_repartition_source_topics.append(TopicInfo(subtopologies_repartition_source_topics_name, subtopologies_repartition_source_topics_partitions, subtopologies_repartition_source_topics_replication_factor, subtopologies_repartition_source_topics_topic_configs))
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("CopartitionGroups", n, pos, end)
            subtopologies_copartition_groups: list[CopartitionGroup] = []
            subtopologies_copartition_groups_count = n
            for _ in range(subtopologies_copartition_groups_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("SourceTopics", n, pos, end)
                subtopologies_copartition_groups_source_topics: list[int] = list(struct.unpack_from(f">{n}h", buf, pos))
                pos += 2 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("SourceTopicRegex", n, pos, end)
                subtopologies_copartition_groups_source_topic_regex: list[int] = list(struct.unpack_from(f">{n}h", buf, pos))
                pos += 2 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("RepartitionSourceTopics", n, pos, end)
                subtopologies_copartition_groups_repartition_source_topics: list[int] = list(struct.unpack_from(f">{n}h", buf, pos))
                pos += 2 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                subtopologies_copartition_groups.append(CopartitionGroup(subtopologies_copartition_groups_source_topics, subtopologies_copartition_groups_source_topic_regex, subtopologies_copartition_groups_repartition_source_topics))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            subtopologies.append(Subtopology(subtopologies_subtopology_id, subtopologies_source_topics, subtopologies_source_topic_regex, subtopologies_state_changelog_topics, subtopologies_repartition_sink_topics, subtopologies_repartition_source_topics, subtopologies_copartition_groups))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = StreamsGroupTopologyValue(epoch, subtopologies)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_topology_value_v0(out: bytearray, m: StreamsGroupTopologyValue) -> None:
    try:
        out += _write_i(m.epoch)
        subtopologies = m.subtopologies
        n = len(subtopologies) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for subtopologies_item in subtopologies:
            text = subtopologies_item.subtopology_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubtopologyId")
            out += text
            subtopologies_source_topics = subtopologies_item.source_topics
            n = len(subtopologies_source_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for subtopologies_source_topics_item in subtopologies_source_topics:
                text = subtopologies_source_topics_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SourceTopics")
                out += text
            subtopologies_source_topic_regex = subtopologies_item.source_topic_regex
            n = len(subtopologies_source_topic_regex) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for subtopologies_source_topic_regex_item in subtopologies_source_topic_regex:
                text = subtopologies_source_topic_regex_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SourceTopicRegex")
                out += text
            subtopologies_state_changelog_topics = subtopologies_item.state_changelog_topics
            n = len(subtopologies_state_changelog_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for subtopologies_state_changelog_topics_item in subtopologies_state_changelog_topics:
                text = subtopologies_state_changelog_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                out += _write_ih(subtopologies_state_changelog_topics_item.partitions, subtopologies_state_changelog_topics_item.replication_factor)
                subtopologies_state_changelog_topics_topic_configs = subtopologies_state_changelog_topics_item.topic_configs
                n = len(subtopologies_state_changelog_topics_topic_configs) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for subtopologies_state_changelog_topics_topic_configs_item in subtopologies_state_changelog_topics_topic_configs:
                    text = subtopologies_state_changelog_topics_topic_configs_item.key.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "key")
                    out += text
                    text = subtopologies_state_changelog_topics_topic_configs_item.value.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "value")
                    out += text
                    out.append(0)
                out.append(0)
            subtopologies_repartition_sink_topics = subtopologies_item.repartition_sink_topics
            n = len(subtopologies_repartition_sink_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for subtopologies_repartition_sink_topics_item in subtopologies_repartition_sink_topics:
                text = subtopologies_repartition_sink_topics_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "RepartitionSinkTopics")
                out += text
            subtopologies_repartition_source_topics = subtopologies_item.repartition_source_topics
            n = len(subtopologies_repartition_source_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for subtopologies_repartition_source_topics_item in subtopologies_repartition_source_topics:
                text = subtopologies_repartition_source_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                out += _write_ih(subtopologies_repartition_source_topics_item.partitions, subtopologies_repartition_source_topics_item.replication_factor)
                subtopologies_repartition_source_topics_topic_configs = subtopologies_repartition_source_topics_item.topic_configs
                n = len(subtopologies_repartition_source_topics_topic_configs) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for subtopologies_repartition_source_topics_topic_configs_item in subtopologies_repartition_source_topics_topic_configs:
                    text = subtopologies_repartition_source_topics_topic_configs_item.key.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "key")
                    out += text
                    text = subtopologies_repartition_source_topics_topic_configs_item.value.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "value")
                    out += text
                    out.append(0)
                out.append(0)
            subtopologies_copartition_groups = subtopologies_item.copartition_groups
            n = len(subtopologies_copartition_groups) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for subtopologies_copartition_groups_item in subtopologies_copartition_groups:
                subtopologies_copartition_groups_source_topics = subtopologies_copartition_groups_item.source_topics
                n = len(subtopologies_copartition_groups_source_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(subtopologies_copartition_groups_source_topics)}h", *subtopologies_copartition_groups_source_topics)
                subtopologies_copartition_groups_source_topic_regex = subtopologies_copartition_groups_item.source_topic_regex
                n = len(subtopologies_copartition_groups_source_topic_regex) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(subtopologies_copartition_groups_source_topic_regex)}h", *subtopologies_copartition_groups_source_topic_regex)
                subtopologies_copartition_groups_repartition_source_topics = subtopologies_copartition_groups_item.repartition_source_topics
                n = len(subtopologies_copartition_groups_repartition_source_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(subtopologies_copartition_groups_repartition_source_topics)}h", *subtopologies_copartition_groups_repartition_source_topics)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupTopologyValue", error) from error

StreamsGroupTopologyValue.DECODERS = {
    0: decode_streams_group_topology_value_v0,
}

StreamsGroupTopologyValue.ENCODERS = {
    0: encode_streams_group_topology_value_v0,
}

__all__ = [
    "CopartitionGroup", "StreamsGroupTopologyKey", "StreamsGroupTopologyValue", "Subtopology", "TopicConfig",
    "TopicInfo",
]
