# Generated from schemas/messages/StreamsGroupTopologyDescriptionUpdateRequest.json and schemas/messages/StreamsGroupTopologyDescriptionUpdateResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class TopologyDescriptionNode(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("NodeType", "node_type", "int8", None),
        ("SourceTopics", "source_topics", "[]string", None),
        ("SinkTopic", "sink_topic", "string", None),
        ("Stores", "stores", "[]string", None),
        ("Successors", "successors", "[]string", None),
    )
    name: str = ""
    node_type: int = 0
    source_topics: list[str] = []
    sink_topic: str | None = None
    stores: list[str] = []
    successors: list[str] = []


class TopologyDescriptionSubtopology(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SubtopologyId", "subtopology_id", "string", None),
        ("Nodes", "nodes", "[]struct", TopologyDescriptionNode),
    )
    subtopology_id: str = ""
    nodes: list[TopologyDescriptionNode] = []


class TopologyDescriptionGlobalStore(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Source", "source", "struct", TopologyDescriptionNode),
        ("Processor", "processor", "struct", TopologyDescriptionNode),
    )
    source: TopologyDescriptionNode = field(default_factory=TopologyDescriptionNode)
    processor: TopologyDescriptionNode = field(default_factory=TopologyDescriptionNode)


class TopologyDescription(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Subtopologies", "subtopologies", "[]struct", TopologyDescriptionSubtopology),
        ("GlobalStores", "global_stores", "[]struct", TopologyDescriptionGlobalStore),
    )
    subtopologies: list[TopologyDescriptionSubtopology] = []
    global_stores: list[TopologyDescriptionGlobalStore] = []


class StreamsGroupTopologyDescriptionUpdateRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
        ("TopologyEpoch", "topology_epoch", "int32", None),
        ("TopologyDescription", "topology_description", "struct", TopologyDescription),
    )
    NAME: ClassVar = "StreamsGroupTopologyDescriptionUpdateRequest"
    API_KEY: ClassVar = 93
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""
    topology_epoch: int = 0
    topology_description: TopologyDescription = field(default_factory=TopologyDescription)


class StreamsGroupTopologyDescriptionUpdateResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    NAME: ClassVar = "StreamsGroupTopologyDescriptionUpdateResponse"
    API_KEY: ClassVar = 93
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None


def decode_streams_group_topology_description_update_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[StreamsGroupTopologyDescriptionUpdateRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        topology_epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Subtopologies", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topology_description_subtopologies: list[TopologyDescriptionSubtopology] = []
        topology_description_subtopologies_count = n
        for _ in range(topology_description_subtopologies_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
            if n < 0:
                raise null("SubtopologyId")
            topology_description_subtopologies_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Nodes", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topology_description_subtopologies_nodes: list[TopologyDescriptionNode] = []
            topology_description_subtopologies_nodes_count = n
            for _ in range(topology_description_subtopologies_nodes_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                topology_description_subtopologies_nodes_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topology_description_subtopologies_nodes_node_type, = _read_b(buf, pos)
                pos += 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("SourceTopics", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topology_description_subtopologies_nodes_source_topics: list[str] = []
                topology_description_subtopologies_nodes_source_topics_count = n
                for _ in range(topology_description_subtopologies_nodes_source_topics_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                    if n < 0:
                        raise null("SourceTopics")
                    topology_description_subtopologies_nodes_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    topology_description_subtopologies_nodes_source_topics.append(topology_description_subtopologies_nodes_source_topics_item)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SinkTopic")
                topology_description_subtopologies_nodes_sink_topic: str | None = None
                if n >= 0:
                    topology_description_subtopologies_nodes_sink_topic = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Stores", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topology_description_subtopologies_nodes_stores: list[str] = []
                topology_description_subtopologies_nodes_stores_count = n
                for _ in range(topology_description_subtopologies_nodes_stores_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Stores")
                    if n < 0:
                        raise null("Stores")
                    topology_description_subtopologies_nodes_stores_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    topology_description_subtopologies_nodes_stores.append(topology_description_subtopologies_nodes_stores_item)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Successors", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topology_description_subtopologies_nodes_successors: list[str] = []
                topology_description_subtopologies_nodes_successors_count = n
                for _ in range(topology_description_subtopologies_nodes_successors_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Successors")
                    if n < 0:
                        raise null("Successors")
                    topology_description_subtopologies_nodes_successors_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    topology_description_subtopologies_nodes_successors.append(topology_description_subtopologies_nodes_successors_item)
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topology_description_subtopologies_nodes.append(TopologyDescriptionNode(topology_description_subtopologies_nodes_name, topology_description_subtopologies_nodes_node_type, topology_description_subtopologies_nodes_source_topics, topology_description_subtopologies_nodes_sink_topic, topology_description_subtopologies_nodes_stores, topology_description_subtopologies_nodes_successors))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topology_description_subtopologies.append(TopologyDescriptionSubtopology(topology_description_subtopologies_subtopology_id, topology_description_subtopologies_nodes))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("GlobalStores", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topology_description_global_stores: list[TopologyDescriptionGlobalStore] = []
        topology_description_global_stores_count = n
        for _ in range(topology_description_global_stores_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topology_description_global_stores_source_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topology_description_global_stores_source_node_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("SourceTopics", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topology_description_global_stores_source_source_topics: list[str] = []
            topology_description_global_stores_source_source_topics_count = n
            for _ in range(topology_description_global_stores_source_source_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                if n < 0:
                    raise null("SourceTopics")
                topology_description_global_stores_source_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topology_description_global_stores_source_source_topics.append(topology_description_global_stores_source_source_topics_item)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SinkTopic")
            topology_description_global_stores_source_sink_topic: str | None = None
            if n >= 0:
                topology_description_global_stores_source_sink_topic = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Stores", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topology_description_global_stores_source_stores: list[str] = []
            topology_description_global_stores_source_stores_count = n
            for _ in range(topology_description_global_stores_source_stores_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Stores")
                if n < 0:
                    raise null("Stores")
                topology_description_global_stores_source_stores_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topology_description_global_stores_source_stores.append(topology_description_global_stores_source_stores_item)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Successors", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topology_description_global_stores_source_successors: list[str] = []
            topology_description_global_stores_source_successors_count = n
            for _ in range(topology_description_global_stores_source_successors_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Successors")
                if n < 0:
                    raise null("Successors")
                topology_description_global_stores_source_successors_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topology_description_global_stores_source_successors.append(topology_description_global_stores_source_successors_item)
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topology_description_global_stores_source = TopologyDescriptionNode(topology_description_global_stores_source_name, topology_description_global_stores_source_node_type, topology_description_global_stores_source_source_topics, topology_description_global_stores_source_sink_topic, topology_description_global_stores_source_stores, topology_description_global_stores_source_successors)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topology_description_global_stores_processor_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topology_description_global_stores_processor_node_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("SourceTopics", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topology_description_global_stores_processor_source_topics: list[str] = []
            topology_description_global_stores_processor_source_topics_count = n
            for _ in range(topology_description_global_stores_processor_source_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                if n < 0:
                    raise null("SourceTopics")
                topology_description_global_stores_processor_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topology_description_global_stores_processor_source_topics.append(topology_description_global_stores_processor_source_topics_item)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SinkTopic")
            topology_description_global_stores_processor_sink_topic: str | None = None
            if n >= 0:
                topology_description_global_stores_processor_sink_topic = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Stores", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topology_description_global_stores_processor_stores: list[str] = []
            topology_description_global_stores_processor_stores_count = n
            for _ in range(topology_description_global_stores_processor_stores_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Stores")
                if n < 0:
                    raise null("Stores")
                topology_description_global_stores_processor_stores_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topology_description_global_stores_processor_stores.append(topology_description_global_stores_processor_stores_item)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Successors", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topology_description_global_stores_processor_successors: list[str] = []
            topology_description_global_stores_processor_successors_count = n
            for _ in range(topology_description_global_stores_processor_successors_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Successors")
                if n < 0:
                    raise null("Successors")
                topology_description_global_stores_processor_successors_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topology_description_global_stores_processor_successors.append(topology_description_global_stores_processor_successors_item)
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topology_description_global_stores_processor = TopologyDescriptionNode(topology_description_global_stores_processor_name, topology_description_global_stores_processor_node_type, topology_description_global_stores_processor_source_topics, topology_description_global_stores_processor_sink_topic, topology_description_global_stores_processor_stores, topology_description_global_stores_processor_successors)
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topology_description_global_stores.append(TopologyDescriptionGlobalStore(topology_description_global_stores_source, topology_description_global_stores_processor))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        topology_description = TopologyDescription(topology_description_subtopologies, topology_description_global_stores)
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = StreamsGroupTopologyDescriptionUpdateRequest(group_id, member_id, topology_epoch, topology_description)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_topology_description_update_request_v0(out: bytearray, m: StreamsGroupTopologyDescriptionUpdateRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
        out += _write_i(m.topology_epoch)
        topology_description = m.topology_description
        topology_description_subtopologies = topology_description.subtopologies
        n = len(topology_description_subtopologies) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topology_description_subtopologies_item in topology_description_subtopologies:
            text = topology_description_subtopologies_item.subtopology_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubtopologyId")
            out += text
            topology_description_subtopologies_nodes = topology_description_subtopologies_item.nodes
            n = len(topology_description_subtopologies_nodes) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topology_description_subtopologies_nodes_item in topology_description_subtopologies_nodes:
                text = topology_description_subtopologies_nodes_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                out += _write_b(topology_description_subtopologies_nodes_item.node_type)
                topology_description_subtopologies_nodes_source_topics = topology_description_subtopologies_nodes_item.source_topics
                n = len(topology_description_subtopologies_nodes_source_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topology_description_subtopologies_nodes_source_topics_item in topology_description_subtopologies_nodes_source_topics:
                    text = topology_description_subtopologies_nodes_source_topics_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SourceTopics")
                    out += text
                topology_description_subtopologies_nodes_sink_topic = topology_description_subtopologies_nodes_item.sink_topic
                if topology_description_subtopologies_nodes_sink_topic is None:
                    out.append(0)
                else:
                    text = topology_description_subtopologies_nodes_sink_topic.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SinkTopic")
                    out += text
                topology_description_subtopologies_nodes_stores = topology_description_subtopologies_nodes_item.stores
                n = len(topology_description_subtopologies_nodes_stores) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topology_description_subtopologies_nodes_stores_item in topology_description_subtopologies_nodes_stores:
                    text = topology_description_subtopologies_nodes_stores_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Stores")
                    out += text
                topology_description_subtopologies_nodes_successors = topology_description_subtopologies_nodes_item.successors
                n = len(topology_description_subtopologies_nodes_successors) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topology_description_subtopologies_nodes_successors_item in topology_description_subtopologies_nodes_successors:
                    text = topology_description_subtopologies_nodes_successors_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Successors")
                    out += text
                out.append(0)
            out.append(0)
        topology_description_global_stores = topology_description.global_stores
        n = len(topology_description_global_stores) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topology_description_global_stores_item in topology_description_global_stores:
            topology_description_global_stores_source = topology_description_global_stores_item.source
            text = topology_description_global_stores_source.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_b(topology_description_global_stores_source.node_type)
            topology_description_global_stores_source_source_topics = topology_description_global_stores_source.source_topics
            n = len(topology_description_global_stores_source_source_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topology_description_global_stores_source_source_topics_item in topology_description_global_stores_source_source_topics:
                text = topology_description_global_stores_source_source_topics_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SourceTopics")
                out += text
            topology_description_global_stores_source_sink_topic = topology_description_global_stores_source.sink_topic
            if topology_description_global_stores_source_sink_topic is None:
                out.append(0)
            else:
                text = topology_description_global_stores_source_sink_topic.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SinkTopic")
                out += text
            topology_description_global_stores_source_stores = topology_description_global_stores_source.stores
            n = len(topology_description_global_stores_source_stores) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topology_description_global_stores_source_stores_item in topology_description_global_stores_source_stores:
                text = topology_description_global_stores_source_stores_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Stores")
                out += text
            topology_description_global_stores_source_successors = topology_description_global_stores_source.successors
            n = len(topology_description_global_stores_source_successors) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topology_description_global_stores_source_successors_item in topology_description_global_stores_source_successors:
                text = topology_description_global_stores_source_successors_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Successors")
                out += text
            out.append(0)
            topology_description_global_stores_processor = topology_description_global_stores_item.processor
            text = topology_description_global_stores_processor.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_b(topology_description_global_stores_processor.node_type)
            topology_description_global_stores_processor_source_topics = topology_description_global_stores_processor.source_topics
            n = len(topology_description_global_stores_processor_source_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topology_description_global_stores_processor_source_topics_item in topology_description_global_stores_processor_source_topics:
                text = topology_description_global_stores_processor_source_topics_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SourceTopics")
                out += text
            topology_description_global_stores_processor_sink_topic = topology_description_global_stores_processor.sink_topic
            if topology_description_global_stores_processor_sink_topic is None:
                out.append(0)
            else:
                text = topology_description_global_stores_processor_sink_topic.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SinkTopic")
                out += text
            topology_description_global_stores_processor_stores = topology_description_global_stores_processor.stores
            n = len(topology_description_global_stores_processor_stores) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topology_description_global_stores_processor_stores_item in topology_description_global_stores_processor_stores:
                text = topology_description_global_stores_processor_stores_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Stores")
                out += text
            topology_description_global_stores_processor_successors = topology_description_global_stores_processor.successors
            n = len(topology_description_global_stores_processor_successors) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topology_description_global_stores_processor_successors_item in topology_description_global_stores_processor_successors:
                text = topology_description_global_stores_processor_successors_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Successors")
                out += text
            out.append(0)
            out.append(0)
        out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupTopologyDescriptionUpdateRequest", error) from error

StreamsGroupTopologyDescriptionUpdateRequest.DECODERS = {
    0: decode_streams_group_topology_description_update_request_v0,
}

StreamsGroupTopologyDescriptionUpdateRequest.ENCODERS = {
    0: encode_streams_group_topology_description_update_request_v0,
}



def decode_streams_group_topology_description_update_response_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupTopologyDescriptionUpdateResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = StreamsGroupTopologyDescriptionUpdateResponse(throttle_time_ms, error_code, error_message)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_topology_description_update_response_v0(out: bytearray, m: StreamsGroupTopologyDescriptionUpdateResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ErrorMessage")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupTopologyDescriptionUpdateResponse", error) from error

StreamsGroupTopologyDescriptionUpdateResponse.DECODERS = {
    0: decode_streams_group_topology_description_update_response_v0,
}

StreamsGroupTopologyDescriptionUpdateResponse.ENCODERS = {
    0: encode_streams_group_topology_description_update_response_v0,
}

__all__ = [
    "StreamsGroupTopologyDescriptionUpdateRequest", "StreamsGroupTopologyDescriptionUpdateResponse",
    "TopologyDescription", "TopologyDescriptionGlobalStore", "TopologyDescriptionNode",
    "TopologyDescriptionSubtopology",
]
