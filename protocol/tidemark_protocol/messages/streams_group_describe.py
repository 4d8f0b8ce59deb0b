# Generated from schemas/messages/StreamsGroupDescribeRequest.json and schemas/messages/StreamsGroupDescribeResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_zz = struct.Struct(">??")
_read_zz = _zz.unpack_from
_write_zz = _zz.pack
_H = struct.Struct(">H")
_read_H = _H.unpack_from
_write_H = _H.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class StreamsGroupDescribeRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupIds", "group_ids", "[]string", None),
        ("IncludeAuthorizedOperations", "include_authorized_operations", "bool", None),
        ("IncludeTopologyDescription", "include_topology_description", "bool", None),
    )
    NAME: ClassVar = "StreamsGroupDescribeRequest"
    API_KEY: ClassVar = 89
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_ids: list[str] = []
    include_authorized_operations: bool = False
    include_topology_description: bool = False


class KeyValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Key", "key", "string", None),
        ("Value", "value", "string", None),
    )
    key: str = ""
    value: str = ""


class TopicInfo(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "int32", None),
        ("ReplicationFactor", "replication_factor", "int16", None),
        ("TopicConfigs", "topic_configs", "[]struct", KeyValue),
    )
    name: str = ""
    partitions: int = 0
    replication_factor: int = 0
    topic_configs: list[KeyValue] = []


class Subtopology(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SubtopologyId", "subtopology_id", "string", None),
        ("SourceTopics", "source_topics", "[]string", None),
        ("RepartitionSinkTopics", "repartition_sink_topics", "[]string", None),
        ("StateChangelogTopics", "state_changelog_topics", "[]struct", TopicInfo),
        ("RepartitionSourceTopics", "repartition_source_topics", "[]struct", TopicInfo),
    )
    subtopology_id: str = ""
    source_topics: list[str] = []
    repartition_sink_topics: list[str] = []
    state_changelog_topics: list[TopicInfo] = []
    repartition_source_topics: list[TopicInfo] = []


class Topology(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Epoch", "epoch", "int32", None),
        ("Subtopologies", "subtopologies", "[]struct", Subtopology),
    )
    epoch: int = 0
    subtopologies: list[Subtopology] | None = None


class Endpoint(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
    )
    host: str = ""
    port: int = 0


class TaskOffset(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SubtopologyId", "subtopology_id", "string", None),
        ("Partition", "partition", "int32", None),
        ("Offset", "offset", "int64", None),
    )
    subtopology_id: str = ""
    partition: int = 0
    offset: int = 0


class TaskIds(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SubtopologyId", "subtopology_id", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    subtopology_id: str = ""
    partitions: list[int] = []


class Assignment(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ActiveTasks", "active_tasks", "[]struct", TaskIds),
        ("StandbyTasks", "standby_tasks", "[]struct", TaskIds),
        ("WarmupTasks", "warmup_tasks", "[]struct", TaskIds),
    )
    active_tasks: list[TaskIds] = []
    standby_tasks: list[TaskIds] = []
    warmup_tasks: list[TaskIds] = []


class Member(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberId", "member_id", "string", None),
        ("MemberEpoch", "member_epoch", "int32", None),
        ("InstanceId", "instance_id", "string", None),
        ("RackId", "rack_id", "string", None),
        ("ClientId", "client_id", "string", None),
        ("ClientHost", "client_host", "string", None),
        ("TopologyEpoch", "topology_epoch", "int32", None),
        ("ProcessId", "process_id", "string", None),
        ("UserEndpoint", "user_endpoint", "struct", Endpoint),
        ("ClientTags", "client_tags", "[]struct", KeyValue),
        ("TaskOffsets", "task_offsets", "[]struct", TaskOffset),
        ("TaskEndOffsets", "task_end_offsets", "[]struct", TaskOffset),
        ("Assignment", "assignment", "struct", Assignment),
        ("TargetAssignment", "target_assignment", "struct", Assignment),
        ("IsClassic", "is_classic", "bool", None),
    )
    member_id: str = ""
    member_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    topology_epoch: int = 0
    process_id: str = ""
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] = []
    task_offsets: list[TaskOffset] = []
    task_end_offsets: list[TaskOffset] = []
    assignment: Assignment = field(default_factory=Assignment)
    target_assignment: Assignment = field(default_factory=Assignment)
    is_classic: bool = False


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


class DescribedGroup(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("GroupId", "group_id", "string", None),
        ("GroupState", "group_state", "string", None),
        ("GroupEpoch", "group_epoch", "int32", None),
        ("AssignmentEpoch", "assignment_epoch", "int32", None),
        ("Topology", "topology", "struct", Topology),
        ("Members", "members", "[]struct", Member),
        ("AuthorizedOperations", "authorized_operations", "int32", None),
        ("TopologyDescription", "topology_description", "struct", TopologyDescription),
        ("TopologyDescriptionStatus", "topology_description_status", "int8", None),
        ("AssignorName", "assignor_name", "string", None),
    )
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    group_epoch: int = 0
    assignment_epoch: int = 0
    topology: Topology | None = None
    members: list[Member] = []
    authorized_operations: int = -2147483648
    topology_description: TopologyDescription | None = None
    topology_description_status: int = 0
    assignor_name: str | None = None


class StreamsGroupDescribeResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Groups", "groups", "[]struct", DescribedGroup),
    )
    NAME: ClassVar = "StreamsGroupDescribeResponse"
    API_KEY: ClassVar = 89
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = []


def decode_streams_group_describe_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[StreamsGroupDescribeRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("GroupIds", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        group_ids: list[str] = []
        group_ids_count = n
        for _ in range(group_ids_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupIds")
            if n < 0:
                raise null("GroupIds")
            group_ids_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            group_ids.append(group_ids_item)
        include_authorized_operations, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = StreamsGroupDescribeRequest(group_ids, include_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_describe_request_v0(out: bytearray, m: StreamsGroupDescribeRequest) -> None:
    try:
        group_ids = m.group_ids
        n = len(group_ids) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for group_ids_item in group_ids:
            text = group_ids_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupIds")
            out += text
        out += _write_z(m.include_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupDescribeRequest", error) from error


def decode_streams_group_describe_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[StreamsGroupDescribeRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("GroupIds", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        group_ids: list[str] = []
        group_ids_count = n
        for _ in range(group_ids_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupIds")
            if n < 0:
                raise null("GroupIds")
            group_ids_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            group_ids.append(group_ids_item)
        include_authorized_operations, include_topology_description = _read_zz(buf, pos)
        pos += 2
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = StreamsGroupDescribeRequest(group_ids, include_authorized_operations, include_topology_description)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_describe_request_v1(out: bytearray, m: StreamsGroupDescribeRequest) -> None:
    try:
        group_ids = m.group_ids
        n = len(group_ids) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for group_ids_item in group_ids:
            text = group_ids_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupIds")
            out += text
        out += _write_zz(m.include_authorized_operations, m.include_topology_description)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupDescribeRequest", error) from error

StreamsGroupDescribeRequest.DECODERS = {
    0: decode_streams_group_describe_request_v0,
    1: decode_streams_group_describe_request_v1,
}

StreamsGroupDescribeRequest.ENCODERS = {
    0: encode_streams_group_describe_request_v0,
    1: encode_streams_group_describe_request_v1,
}



def decode_streams_group_describe_response_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupDescribeResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            groups_error_message: str | None = None
            if n >= 0:
                groups_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupState")
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups_group_epoch, groups_assignment_epoch = _read_ii(buf, pos)
            pos += 8
            mark = buf[pos]
            pos += 1
            groups_topology: Topology | None = None
            if mark < 128:
                groups_topology_epoch, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                groups_topology_subtopologies: list[Subtopology] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    groups_topology_subtopologies_list: list[Subtopology] = []
                    groups_topology_subtopologies_count = n
                    for _ in range(groups_topology_subtopologies_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                        if n < 0:
                            raise null("SubtopologyId")
                        groups_topology_subtopologies_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("SourceTopics", n, pos, end)
                        groups_topology_subtopologies_source_topics: list[str] = []
                        groups_topology_subtopologies_source_topics_count = n
                        for _ in range(groups_topology_subtopologies_source_topics_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                            if n < 0:
                                raise null("SourceTopics")
                            groups_topology_subtopologies_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_subtopologies_source_topics.append(groups_topology_subtopologies_source_topics_item)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("RepartitionSinkTopics", n, pos, end)
                        groups_topology_subtopologies_repartition_sink_topics: list[str] = []
                        groups_topology_subtopologies_repartition_sink_topics_count = n
                        for _ in range(groups_topology_subtopologies_repartition_sink_topics_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "RepartitionSinkTopics")
                            if n < 0:
                                raise null("RepartitionSinkTopics")
                            groups_topology_subtopologies_repartition_sink_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_subtopologies_repartition_sink_topics.append(groups_topology_subtopologies_repartition_sink_topics_item)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("StateChangelogTopics", n, pos, end)
                        groups_topology_subtopologies_state_changelog_topics: list[TopicInfo] = []
                        groups_topology_subtopologies_state_changelog_topics_count = n
                        for _ in range(groups_topology_subtopologies_state_changelog_topics_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "Name")
                            if n < 0:
                                raise null("Name")
                            groups_topology_subtopologies_state_changelog_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_subtopologies_state_changelog_topics_partitions, groups_topology_subtopologies_state_changelog_topics_replication_factor = _read_ih(buf, pos)
                            pos += 6
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_length(buf, pos - 1)
                            if not 0 <= n <= end - pos:
                                raise wrong_count("TopicConfigs", n, pos, end)
                            groups_topology_subtopologies_state_changelog_topics_topic_configs: list[KeyValue] = []
                            groups_topology_subtopologies_state_changelog_topics_topic_configs_count = n
                            for _ in range(groups_topology_subtopologies_state_changelog_topics_topic_configs_count):
                                n = buf[pos] - 1
                                pos += 1
                                if n > 126:
                                    n, pos = read_text_length(buf, pos - 1, "Key")
                                if n < 0:
                                    raise null("Key")
                                groups_topology_subtopologies_state_changelog_topics_topic_configs_key = buf[pos : pos + n].decode("utf-8", "java")
                                pos += n
                                n = buf[pos] - 1
                                pos += 1
                                if n > 126:
                                    n, pos = read_text_length(buf, pos - 1, "Value")
                                if n < 0:
                                    raise null("Value")
                                groups_topology_subtopologies_state_changelog_topics_topic_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                                pos += n
                                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                                groups_topology_subtopologies_state_changelog_topics_topic_configs.append(KeyValue(groups_topology_subtopologies_state_changelog_topics_topic_configs_key, groups_topology_subtopologies_state_changelog_topics_topic_configs_value))
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            groups_topology_subtopologies_state_changelog_topics.append(TopicInfo(groups_topology_subtopologies_state_changelog_topics_name, groups_topology_subtopologies_state_changelog_topics_partitions, groups_topology_subtopologies_state_changelog_topics_replication_factor, groups_topology_subtopologies_state_changelog_topics_topic_configs))
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("RepartitionSourceTopics", n, pos, end)
                        groups_topology_subtopologies_repartition_source_topics: list[TopicInfo] = []
                        groups_topology_subtopologies_repartition_source_topics_count = n
                        for _ in range(groups_topology_subtopologies_repartition_source_topics_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "Name")
                            if n < 0:
                                raise null("Name")
                            groups_topology_subtopologies_repartition_source_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_subtopologies_repartition_source_topics_partitions, groups_topology_subtopologies_repartition_source_topics_replication_factor = _read_ih(buf, pos)
                            pos += 6
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_length(buf, pos - 1)
                            if not 0 <= n <= end - pos:
                                raise wrong_count("TopicConfigs", n, pos, end)
                            groups_topology_subtopologies_repartition_source_topics_topic_configs: list[KeyValue] = []
                            groups_topology_subtopologies_repartition_source_topics_topic_configs_count = n
                            for _ in range(groups_topology_subtopologies_repartition_source_topics_topic_configs_count):
                                n = buf[pos] - 1
                                pos += 1
                                if n > 126:
                                    n, pos = read_text_length(buf, pos - 1, "Key")
                                if n < 0:
                                    raise null("Key")
                                groups_topology_subtopologies_repartition_source_topics_topic_configs_key = buf[pos : pos + n].decode("utf-8", "java")
                                pos += n
                                n = buf[pos] - 1
                                pos += 1
                                if n > 126:
                                    n, pos = read_text_length(buf, pos - 1, "Value")
                                if n < 0:
                                    raise null("Value")
                                groups_topology_subtopologies_repartition_source_topics_topic_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                                pos += n
                                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                                groups_topology_subtopologies_repartition_source_topics_topic_configs.append(KeyValue(groups_topology_subtopologies_repartition_source_topics_topic_configs_key, groups_topology_subtopologies_repartition_source_topics_topic_configs_value))
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            groups_topology_subtopologies_repartition_source_topics.append(TopicInfo(groups_topology_subtopologies_repartition_source_topics_name, groups_topology_subtopologies_repartition_source_topics_partitions, groups_topology_subtopologies_repartition_source_topics_replication_factor, groups_topology_subtopologies_repartition_source_topics_topic_configs))
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        groups_topology_subtopologies_list.append(Subtopology(groups_topology_subtopologies_subtopology_id, groups_topology_subtopologies_source_topics, groups_topology_subtopologies_repartition_sink_topics, groups_topology_subtopologies_state_changelog_topics, groups_topology_subtopologies_repartition_source_topics))
                    groups_topology_subtopologies = groups_topology_subtopologies_list
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_topology = Topology(groups_topology_epoch, groups_topology_subtopologies)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Members", n, pos, end)
            groups_members: list[Member] = []
            groups_members_count = n
            for _ in range(groups_members_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "MemberId")
                if n < 0:
                    raise null("MemberId")
                groups_members_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                groups_members_member_epoch, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "InstanceId")
                groups_members_instance_id: str | None = None
                if n >= 0:
                    groups_members_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "RackId")
                groups_members_rack_id: str | None = None
                if n >= 0:
                    groups_members_rack_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientId")
                if n < 0:
                    raise null("ClientId")
                groups_members_client_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientHost")
                if n < 0:
                    raise null("ClientHost")
                groups_members_client_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                groups_members_topology_epoch, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ProcessId")
                if n < 0:
                    raise null("ProcessId")
                groups_members_process_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                mark = buf[pos]
                pos += 1
                groups_members_user_endpoint: Endpoint | None = None
                if mark < 128:
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Host")
                    if n < 0:
                        raise null("Host")
                    groups_members_user_endpoint_host = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    groups_members_user_endpoint_port, = _read_H(buf, pos)
                    pos += 2
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_user_endpoint = Endpoint(groups_members_user_endpoint_host, groups_members_user_endpoint_port)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ClientTags", n, pos, end)
                groups_members_client_tags: list[KeyValue] = []
                groups_members_client_tags_count = n
                for _ in range(groups_members_client_tags_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Key")
                    if n < 0:
                        raise null("Key")
                    groups_members_client_tags_key = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Value")
                    if n < 0:
                        raise null("Value")
                    groups_members_client_tags_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_client_tags.append(KeyValue(groups_members_client_tags_key, groups_members_client_tags_value))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("TaskOffsets", n, pos, end)
                groups_members_task_offsets: list[TaskOffset] = []
                groups_members_task_offsets_count = n
                for _ in range(groups_members_task_offsets_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_task_offsets_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    groups_members_task_offsets_partition, groups_members_task_offsets_offset = _read_iq(buf, pos)
                    pos += 12
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_task_offsets.append(TaskOffset(groups_members_task_offsets_subtopology_id, groups_members_task_offsets_partition, groups_members_task_offsets_offset))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("TaskEndOffsets", n, pos, end)
                groups_members_task_end_offsets: list[TaskOffset] = []
                groups_members_task_end_offsets_count = n
                for _ in range(groups_members_task_end_offsets_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_task_end_offsets_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    groups_members_task_end_offsets_partition, groups_members_task_end_offsets_offset = _read_iq(buf, pos)
                    pos += 12
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_task_end_offsets.append(TaskOffset(groups_members_task_end_offsets_subtopology_id, groups_members_task_end_offsets_partition, groups_members_task_end_offsets_offset))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ActiveTasks", n, pos, end)
                groups_members_assignment_active_tasks: list[TaskIds] = []
                groups_members_assignment_active_tasks_count = n
                for _ in range(groups_members_assignment_active_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_assignment_active_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_assignment_active_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_assignment_active_tasks.append(TaskIds(groups_members_assignment_active_tasks_subtopology_id, groups_members_assignment_active_tasks_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("StandbyTasks", n, pos, end)
                groups_members_assignment_standby_tasks: list[TaskIds] = []
                groups_members_assignment_standby_tasks_count = n
                for _ in range(groups_members_assignment_standby_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_assignment_standby_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_assignment_standby_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_assignment_standby_tasks.append(TaskIds(groups_members_assignment_standby_tasks_subtopology_id, groups_members_assignment_standby_tasks_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("WarmupTasks", n, pos, end)
                groups_members_assignment_warmup_tasks: list[TaskIds] = []
                groups_members_assignment_warmup_tasks_count = n
                for _ in range(groups_members_assignment_warmup_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_assignment_warmup_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_assignment_warmup_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_assignment_warmup_tasks.append(TaskIds(groups_members_assignment_warmup_tasks_subtopology_id, groups_members_assignment_warmup_tasks_partitions))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members_assignment = Assignment(groups_members_assignment_active_tasks, groups_members_assignment_standby_tasks, groups_members_assignment_warmup_tasks)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ActiveTasks", n, pos, end)
                groups_members_target_assignment_active_tasks: list[TaskIds] = []
                groups_members_target_assignment_active_tasks_count = n
                for _ in range(groups_members_target_assignment_active_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_target_assignment_active_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_target_assignment_active_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_target_assignment_active_tasks.append(TaskIds(groups_members_target_assignment_active_tasks_subtopology_id, groups_members_target_assignment_active_tasks_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("StandbyTasks", n, pos, end)
                groups_members_target_assignment_standby_tasks: list[TaskIds] = []
                groups_members_target_assignment_standby_tasks_count = n
                for _ in range(groups_members_target_assignment_standby_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_target_assignment_standby_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_target_assignment_standby_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_target_assignment_standby_tasks.append(TaskIds(groups_members_target_assignment_standby_tasks_subtopology_id, groups_members_target_assignment_standby_tasks_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("WarmupTasks", n, pos, end)
                groups_members_target_assignment_warmup_tasks: list[TaskIds] = []
                groups_members_target_assignment_warmup_tasks_count = n
                for _ in range(groups_members_target_assignment_warmup_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_target_assignment_warmup_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_target_assignment_warmup_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_target_assignment_warmup_tasks.append(TaskIds(groups_members_target_assignment_warmup_tasks_subtopology_id, groups_members_target_assignment_warmup_tasks_partitions))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members_target_assignment = Assignment(groups_members_target_assignment_active_tasks, groups_members_target_assignment_standby_tasks, groups_members_target_assignment_warmup_tasks)
                groups_members_is_classic, = _read_z(buf, pos)
                pos += 1
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members.append(Member(groups_members_member_id, groups_members_member_epoch, groups_members_instance_id, groups_members_rack_id, groups_members_client_id, groups_members_client_host, groups_members_topology_epoch, groups_members_process_id, groups_members_user_endpoint, groups_members_client_tags, groups_members_task_offsets, groups_members_task_end_offsets, groups_members_assignment, groups_members_target_assignment, groups_members_is_classic))
            groups_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(DescribedGroup(groups_error_code, groups_error_message, groups_group_id, groups_group_state, groups_group_epoch, groups_assignment_epoch, groups_topology, groups_members, groups_authorized_operations))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = StreamsGroupDescribeResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_describe_response_v0(out: bytearray, m: StreamsGroupDescribeResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            out += _write_h(groups_item.error_code)
            groups_error_message = groups_item.error_message
            if groups_error_message is None:
                out.append(0)
            else:
                text = groups_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            text = groups_item.group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupState")
            out += text
            out += _write_ii(groups_item.group_epoch, groups_item.assignment_epoch)
            groups_topology = groups_item.topology
            if groups_topology is None:
                out.append(255)
            else:
                out.append(1)
                out += _write_i(groups_topology.epoch)
                groups_topology_subtopologies = groups_topology.subtopologies
                if groups_topology_subtopologies is None:
                    out.append(0)
                else:
                    n = len(groups_topology_subtopologies) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for groups_topology_subtopologies_item in groups_topology_subtopologies:
                        text = groups_topology_subtopologies_item.subtopology_id.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "SubtopologyId")
                        out += text
                        groups_topology_subtopologies_source_topics = groups_topology_subtopologies_item.source_topics
                        n = len(groups_topology_subtopologies_source_topics) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_subtopologies_source_topics_item in groups_topology_subtopologies_source_topics:
                            text = groups_topology_subtopologies_source_topics_item.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "SourceTopics")
                            out += text
                        groups_topology_subtopologies_repartition_sink_topics = groups_topology_subtopologies_item.repartition_sink_topics
                        n = len(groups_topology_subtopologies_repartition_sink_topics) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_subtopologies_repartition_sink_topics_item in groups_topology_subtopologies_repartition_sink_topics:
                            text = groups_topology_subtopologies_repartition_sink_topics_item.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "RepartitionSinkTopics")
                            out += text
                        groups_topology_subtopologies_state_changelog_topics = groups_topology_subtopologies_item.state_changelog_topics
                        n = len(groups_topology_subtopologies_state_changelog_topics) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_subtopologies_state_changelog_topics_item in groups_topology_subtopologies_state_changelog_topics:
                            text = groups_topology_subtopologies_state_changelog_topics_item.name.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "Name")
                            out += text
                            out += _write_ih(groups_topology_subtopologies_state_changelog_topics_item.partitions, groups_topology_subtopologies_state_changelog_topics_item.replication_factor)
                            groups_topology_subtopologies_state_changelog_topics_topic_configs = groups_topology_subtopologies_state_changelog_topics_item.topic_configs
                            n = len(groups_topology_subtopologies_state_changelog_topics_topic_configs) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_uvarint(out, n)
                            for groups_topology_subtopologies_state_changelog_topics_topic_configs_item in groups_topology_subtopologies_state_changelog_topics_topic_configs:
                                text = groups_topology_subtopologies_state_changelog_topics_topic_configs_item.key.encode()
                                n = len(text) + 1
                                if n < 128:
                                    out.append(n)
                                else:
                                    write_text_length(out, n, "Key")
                                out += text
                                text = groups_topology_subtopologies_state_changelog_topics_topic_configs_item.value.encode()
                                n = len(text) + 1
                                if n < 128:
                                    out.append(n)
                                else:
                                    write_text_length(out, n, "Value")
                                out += text
                                out.append(0)
                            out.append(0)
                        groups_topology_subtopologies_repartition_source_topics = groups_topology_subtopologies_item.repartition_source_topics
                        n = len(groups_topology_subtopologies_repartition_source_topics) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_subtopologies_repartition_source_topics_item in groups_topology_subtopologies_repartition_source_topics:
                            text = groups_topology_subtopologies_repartition_source_topics_item.name.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "Name")
                            out += text
                            out += _write_ih(groups_topology_subtopologies_repartition_source_topics_item.partitions, groups_topology_subtopologies_repartition_source_topics_item.replication_factor)
                            groups_topology_subtopologies_repartition_source_topics_topic_configs = groups_topology_subtopologies_repartition_source_topics_item.topic_configs
                            n = len(groups_topology_subtopologies_repartition_source_topics_topic_configs) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_uvarint(out, n)
                            for groups_topology_subtopologies_repartition_source_topics_topic_configs_item in groups_topology_subtopologies_repartition_source_topics_topic_configs:
                                text = groups_topology_subtopologies_repartition_source_topics_topic_configs_item.key.encode()
                                n = len(text) + 1
                                if n < 128:
                                    out.append(n)
                                else:
                                    write_text_length(out, n, "Key")
                                out += text
                                text = groups_topology_subtopologies_repartition_source_topics_topic_configs_item.value.encode()
                                n = len(text) + 1
                                if n < 128:
                                    out.append(n)
                                else:
                                    write_text_length(out, n, "Value")
                                out += text
                                out.append(0)
                            out.append(0)
                        out.append(0)
                out.append(0)
            groups_members = groups_item.members
            n = len(groups_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_members_item in groups_members:
                text = groups_members_item.member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "MemberId")
                out += text
                out += _write_i(groups_members_item.member_epoch)
                groups_members_instance_id = groups_members_item.instance_id
                if groups_members_instance_id is None:
                    out.append(0)
                else:
                    text = groups_members_instance_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "InstanceId")
                    out += text
                groups_members_rack_id = groups_members_item.rack_id
                if groups_members_rack_id is None:
                    out.append(0)
                else:
                    text = groups_members_rack_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "RackId")
                    out += text
                text = groups_members_item.client_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientId")
                out += text
                text = groups_members_item.client_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientHost")
                out += text
                out += _write_i(groups_members_item.topology_epoch)
                text = groups_members_item.process_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ProcessId")
                out += text
                groups_members_user_endpoint = groups_members_item.user_endpoint
                if groups_members_user_endpoint is None:
                    out.append(255)
                else:
                    out.append(1)
                    text = groups_members_user_endpoint.host.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Host")
                    out += text
                    out += _write_H(groups_members_user_endpoint.port)
                    out.append(0)
                groups_members_client_tags = groups_members_item.client_tags
                n = len(groups_members_client_tags) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_client_tags_item in groups_members_client_tags:
                    text = groups_members_client_tags_item.key.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Key")
                    out += text
                    text = groups_members_client_tags_item.value.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Value")
                    out += text
                    out.append(0)
                groups_members_task_offsets = groups_members_item.task_offsets
                n = len(groups_members_task_offsets) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_task_offsets_item in groups_members_task_offsets:
                    text = groups_members_task_offsets_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    out += _write_iq(groups_members_task_offsets_item.partition, groups_members_task_offsets_item.offset)
                    out.append(0)
                groups_members_task_end_offsets = groups_members_item.task_end_offsets
                n = len(groups_members_task_end_offsets) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_task_end_offsets_item in groups_members_task_end_offsets:
                    text = groups_members_task_end_offsets_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    out += _write_iq(groups_members_task_end_offsets_item.partition, groups_members_task_end_offsets_item.offset)
                    out.append(0)
                groups_members_assignment = groups_members_item.assignment
                groups_members_assignment_active_tasks = groups_members_assignment.active_tasks
                n = len(groups_members_assignment_active_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_assignment_active_tasks_item in groups_members_assignment_active_tasks:
                    text = groups_members_assignment_active_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_assignment_active_tasks_partitions = groups_members_assignment_active_tasks_item.partitions
                    n = len(groups_members_assignment_active_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_assignment_active_tasks_partitions)}i", *groups_members_assignment_active_tasks_partitions)
                    out.append(0)
                groups_members_assignment_standby_tasks = groups_members_assignment.standby_tasks
                n = len(groups_members_assignment_standby_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_assignment_standby_tasks_item in groups_members_assignment_standby_tasks:
                    text = groups_members_assignment_standby_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_assignment_standby_tasks_partitions = groups_members_assignment_standby_tasks_item.partitions
                    n = len(groups_members_assignment_standby_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_assignment_standby_tasks_partitions)}i", *groups_members_assignment_standby_tasks_partitions)
                    out.append(0)
                groups_members_assignment_warmup_tasks = groups_members_assignment.warmup_tasks
                n = len(groups_members_assignment_warmup_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_assignment_warmup_tasks_item in groups_members_assignment_warmup_tasks:
                    text = groups_members_assignment_warmup_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_assignment_warmup_tasks_partitions = groups_members_assignment_warmup_tasks_item.partitions
                    n = len(groups_members_assignment_warmup_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_assignment_warmup_tasks_partitions)}i", *groups_members_assignment_warmup_tasks_partitions)
                    out.append(0)
                out.append(0)
                groups_members_target_assignment = groups_members_item.target_assignment
                groups_members_target_assignment_active_tasks = groups_members_target_assignment.active_tasks
                n = len(groups_members_target_assignment_active_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_target_assignment_active_tasks_item in groups_members_target_assignment_active_tasks:
                    text = groups_members_target_assignment_active_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_target_assignment_active_tasks_partitions = groups_members_target_assignment_active_tasks_item.partitions
                    n = len(groups_members_target_assignment_active_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_target_assignment_active_tasks_partitions)}i", *groups_members_target_assignment_active_tasks_partitions)
                    out.append(0)
                groups_members_target_assignment_standby_tasks = groups_members_target_assignment.standby_tasks
                n = len(groups_members_target_assignment_standby_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_target_assignment_standby_tasks_item in groups_members_target_assignment_standby_tasks:
                    text = groups_members_target_assignment_standby_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_target_assignment_standby_tasks_partitions = groups_members_target_assignment_standby_tasks_item.partitions
                    n = len(groups_members_target_assignment_standby_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_target_assignment_standby_tasks_partitions)}i", *groups_members_target_assignment_standby_tasks_partitions)
                    out.append(0)
                groups_members_target_assignment_warmup_tasks = groups_members_target_assignment.warmup_tasks
                n = len(groups_members_target_assignment_warmup_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_target_assignment_warmup_tasks_item in groups_members_target_assignment_warmup_tasks:
                    text = groups_members_target_assignment_warmup_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_target_assignment_warmup_tasks_partitions = groups_members_target_assignment_warmup_tasks_item.partitions
                    n = len(groups_members_target_assignment_warmup_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_target_assignment_warmup_tasks_partitions)}i", *groups_members_target_assignment_warmup_tasks_partitions)
                    out.append(0)
                out.append(0)
                out += _write_z(groups_members_item.is_classic)
                out.append(0)
            out += _write_i(groups_item.authorized_operations)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupDescribeResponse", error) from error


def decode_streams_group_describe_response_v1(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupDescribeResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            groups_error_message: str | None = None
            if n >= 0:
                groups_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupState")
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups_group_epoch, groups_assignment_epoch = _read_ii(buf, pos)
            pos += 8
            mark = buf[pos]
            pos += 1
            groups_topology: Topology | None = None
            if mark < 128:
                groups_topology_epoch, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                groups_topology_subtopologies: list[Subtopology] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    groups_topology_subtopologies_list: list[Subtopology] = []
                    groups_topology_subtopologies_count = n
                    for _ in range(groups_topology_subtopologies_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                        if n < 0:
                            raise null("SubtopologyId")
                        groups_topology_subtopologies_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("SourceTopics", n, pos, end)
                        groups_topology_subtopologies_source_topics: list[str] = []
                        groups_topology_subtopologies_source_topics_count = n
                        for _ in range(groups_topology_subtopologies_source_topics_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                            if n < 0:
                                raise null("SourceTopics")
                            groups_topology_subtopologies_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_subtopologies_source_topics.append(groups_topology_subtopologies_source_topics_item)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("RepartitionSinkTopics", n, pos, end)
                        groups_topology_subtopologies_repartition_sink_topics: list[str] = []
                        groups_topology_subtopologies_repartition_sink_topics_count = n
                        for _ in range(groups_topology_subtopologies_repartition_sink_topics_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "RepartitionSinkTopics")
                            if n < 0:
                                raise null("RepartitionSinkTopics")
                            groups_topology_subtopologies_repartition_sink_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_subtopologies_repartition_sink_topics.append(groups_topology_subtopologies_repartition_sink_topics_item)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("StateChangelogTopics", n, pos, end)
                        groups_topology_subtopologies_state_changelog_topics: list[TopicInfo] = []
                        groups_topology_subtopologies_state_changelog_topics_count = n
                        for _ in range(groups_topology_subtopologies_state_changelog_topics_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "Name")
                            if n < 0:
                                raise null("Name")
                            groups_topology_subtopologies_state_changelog_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_subtopologies_state_changelog_topics_partitions, groups_topology_subtopologies_state_changelog_topics_replication_factor = _read_ih(buf, pos)
                            pos += 6
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_length(buf, pos - 1)
                            if not 0 <= n <= end - pos:
                                raise wrong_count("TopicConfigs", n, pos, end)
                            groups_topology_subtopologies_state_changelog_topics_topic_configs: list[KeyValue] = []
                            groups_topology_subtopologies_state_changelog_topics_topic_configs_count = n
                            for _ in range(groups_topology_subtopologies_state_changelog_topics_topic_configs_count):
                                n = buf[pos] - 1
                                pos += 1
                                if n > 126:
                                    n, pos = read_text_length(buf, pos - 1, "Key")
                                if n < 0:
                                    raise null("Key")
                                groups_topology_subtopologies_state_changelog_topics_topic_configs_key = buf[pos : pos + n].decode("utf-8", "java")
                                pos += n
                                n = buf[pos] - 1
                                pos += 1
                                if n > 126:
                                    n, pos = read_text_length(buf, pos - 1, "Value")
                                if n < 0:
                                    raise null("Value")
                                groups_topology_subtopologies_state_changelog_topics_topic_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                                pos += n
                                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                                groups_topology_subtopologies_state_changelog_topics_topic_configs.append(KeyValue(groups_topology_subtopologies_state_changelog_topics_topic_configs_key, groups_topology_subtopologies_state_changelog_topics_topic_configs_value))
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            groups_topology_subtopologies_state_changelog_topics.append(TopicInfo(groups_topology_subtopologies_state_changelog_topics_name, groups_topology_subtopologies_state_changelog_topics_partitions, groups_topology_subtopologies_state_changelog_topics_replication_factor, groups_topology_subtopologies_state_changelog_topics_topic_configs))
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("RepartitionSourceTopics", n, pos, end)
                        groups_topology_subtopologies_repartition_source_topics: list[TopicInfo] = []
                        groups_topology_subtopologies_repartition_source_topics_count = n
                        for _ in range(groups_topology_subtopologies_repartition_source_topics_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "Name")
                            if n < 0:
                                raise null("Name")
                            groups_topology_subtopologies_repartition_source_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_subtopologies_repartition_source_topics_partitions, groups_topology_subtopologies_repartition_source_topics_replication_factor = _read_ih(buf, pos)
                            pos += 6
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_length(buf, pos - 1)
                            if not 0 <= n <= end - pos:
                                raise wrong_count("TopicConfigs", n, pos, end)
                            groups_topology_subtopologies_repartition_source_topics_topic_configs: list[KeyValue] = []
                            groups_topology_subtopologies_repartition_source_topics_topic_configs_count = n
                            for _ in range(groups_topology_subtopologies_repartition_source_topics_topic_configs_count):
                                n = buf[pos] - 1
                                pos += 1
                                if n > 126:
                                    n, pos = read_text_length(buf, pos - 1, "Key")
                                if n < 0:
                                    raise null("Key")
                                groups_topology_subtopologies_repartition_source_topics_topic_configs_key = buf[pos : pos + n].decode("utf-8", "java")
                                pos += n
                                n = buf[pos] - 1
                                pos += 1
                                if n > 126:
                                    n, pos = read_text_length(buf, pos - 1, "Value")
                                if n < 0:
                                    raise null("Value")
                                groups_topology_subtopologies_repartition_source_topics_topic_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                                pos += n
                                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                                groups_topology_subtopologies_repartition_source_topics_topic_configs.append(KeyValue(groups_topology_subtopologies_repartition_source_topics_topic_configs_key, groups_topology_subtopologies_repartition_source_topics_topic_configs_value))
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            groups_topology_subtopologies_repartition_source_topics.append(TopicInfo(groups_topology_subtopologies_repartition_source_topics_name, groups_topology_subtopologies_repartition_source_topics_partitions, groups_topology_subtopologies_repartition_source_topics_replication_factor, groups_topology_subtopologies_repartition_source_topics_topic_configs))
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        groups_topology_subtopologies_list.append(Subtopology(groups_topology_subtopologies_subtopology_id, groups_topology_subtopologies_source_topics, groups_topology_subtopologies_repartition_sink_topics, groups_topology_subtopologies_state_changelog_topics, groups_topology_subtopologies_repartition_source_topics))
                    groups_topology_subtopologies = groups_topology_subtopologies_list
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_topology = Topology(groups_topology_epoch, groups_topology_subtopologies)
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Members", n, pos, end)
            groups_members: list[Member] = []
            groups_members_count = n
            for _ in range(groups_members_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "MemberId")
                if n < 0:
                    raise null("MemberId")
                groups_members_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                groups_members_member_epoch, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "InstanceId")
                groups_members_instance_id: str | None = None
                if n >= 0:
                    groups_members_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "RackId")
                groups_members_rack_id: str | None = None
                if n >= 0:
                    groups_members_rack_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientId")
                if n < 0:
                    raise null("ClientId")
                groups_members_client_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientHost")
                if n < 0:
                    raise null("ClientHost")
                groups_members_client_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                groups_members_topology_epoch, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ProcessId")
                if n < 0:
                    raise null("ProcessId")
                groups_members_process_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                mark = buf[pos]
                pos += 1
                groups_members_user_endpoint: Endpoint | None = None
                if mark < 128:
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Host")
                    if n < 0:
                        raise null("Host")
                    groups_members_user_endpoint_host = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    groups_members_user_endpoint_port, = _read_H(buf, pos)
                    pos += 2
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_user_endpoint = Endpoint(groups_members_user_endpoint_host, groups_members_user_endpoint_port)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ClientTags", n, pos, end)
                groups_members_client_tags: list[KeyValue] = []
                groups_members_client_tags_count = n
                for _ in range(groups_members_client_tags_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Key")
                    if n < 0:
                        raise null("Key")
                    groups_members_client_tags_key = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Value")
                    if n < 0:
                        raise null("Value")
                    groups_members_client_tags_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_client_tags.append(KeyValue(groups_members_client_tags_key, groups_members_client_tags_value))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("TaskOffsets", n, pos, end)
                groups_members_task_offsets: list[TaskOffset] = []
                groups_members_task_offsets_count = n
                for _ in range(groups_members_task_offsets_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_task_offsets_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    groups_members_task_offsets_partition, groups_members_task_offsets_offset = _read_iq(buf, pos)
                    pos += 12
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_task_offsets.append(TaskOffset(groups_members_task_offsets_subtopology_id, groups_members_task_offsets_partition, groups_members_task_offsets_offset))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("TaskEndOffsets", n, pos, end)
                groups_members_task_end_offsets: list[TaskOffset] = []
                groups_members_task_end_offsets_count = n
                for _ in range(groups_members_task_end_offsets_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_task_end_offsets_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    groups_members_task_end_offsets_partition, groups_members_task_end_offsets_offset = _read_iq(buf, pos)
                    pos += 12
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_task_end_offsets.append(TaskOffset(groups_members_task_end_offsets_subtopology_id, groups_members_task_end_offsets_partition, groups_members_task_end_offsets_offset))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ActiveTasks", n, pos, end)
                groups_members_assignment_active_tasks: list[TaskIds] = []
                groups_members_assignment_active_tasks_count = n
                for _ in range(groups_members_assignment_active_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_assignment_active_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_assignment_active_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_assignment_active_tasks.append(TaskIds(groups_members_assignment_active_tasks_subtopology_id, groups_members_assignment_active_tasks_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("StandbyTasks", n, pos, end)
                groups_members_assignment_standby_tasks: list[TaskIds] = []
                groups_members_assignment_standby_tasks_count = n
                for _ in range(groups_members_assignment_standby_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_assignment_standby_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_assignment_standby_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_assignment_standby_tasks.append(TaskIds(groups_members_assignment_standby_tasks_subtopology_id, groups_members_assignment_standby_tasks_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("WarmupTasks", n, pos, end)
                groups_members_assignment_warmup_tasks: list[TaskIds] = []
                groups_members_assignment_warmup_tasks_count = n
                for _ in range(groups_members_assignment_warmup_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_assignment_warmup_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_assignment_warmup_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_assignment_warmup_tasks.append(TaskIds(groups_members_assignment_warmup_tasks_subtopology_id, groups_members_assignment_warmup_tasks_partitions))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members_assignment = Assignment(groups_members_assignment_active_tasks, groups_members_assignment_standby_tasks, groups_members_assignment_warmup_tasks)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ActiveTasks", n, pos, end)
                groups_members_target_assignment_active_tasks: list[TaskIds] = []
                groups_members_target_assignment_active_tasks_count = n
                for _ in range(groups_members_target_assignment_active_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_target_assignment_active_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_target_assignment_active_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_target_assignment_active_tasks.append(TaskIds(groups_members_target_assignment_active_tasks_subtopology_id, groups_members_target_assignment_active_tasks_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("StandbyTasks", n, pos, end)
                groups_members_target_assignment_standby_tasks: list[TaskIds] = []
                groups_members_target_assignment_standby_tasks_count = n
                for _ in range(groups_members_target_assignment_standby_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_target_assignment_standby_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_target_assignment_standby_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_target_assignment_standby_tasks.append(TaskIds(groups_members_target_assignment_standby_tasks_subtopology_id, groups_members_target_assignment_standby_tasks_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("WarmupTasks", n, pos, end)
                groups_members_target_assignment_warmup_tasks: list[TaskIds] = []
                groups_members_target_assignment_warmup_tasks_count = n
                for _ in range(groups_members_target_assignment_warmup_tasks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_members_target_assignment_warmup_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_target_assignment_warmup_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_target_assignment_warmup_tasks.append(TaskIds(groups_members_target_assignment_warmup_tasks_subtopology_id, groups_members_target_assignment_warmup_tasks_partitions))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members_target_assignment = Assignment(groups_members_target_assignment_active_tasks, groups_members_target_assignment_standby_tasks, groups_members_target_assignment_warmup_tasks)
                groups_members_is_classic, = _read_z(buf, pos)
                pos += 1
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members.append(Member(groups_members_member_id, groups_members_member_epoch, groups_members_instance_id, groups_members_rack_id, groups_members_client_id, groups_members_client_host, groups_members_topology_epoch, groups_members_process_id, groups_members_user_endpoint, groups_members_client_tags, groups_members_task_offsets, groups_members_task_end_offsets, groups_members_assignment, groups_members_target_assignment, groups_members_is_classic))
            groups_authorized_operations, = _read_i(buf, pos)
            pos += 4
            mark = buf[pos]
            pos += 1
            groups_topology_description: TopologyDescription | None = None
            if mark < 128:
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Subtopologies", n, pos, end)
                groups_topology_description_subtopologies: list[TopologyDescriptionSubtopology] = []
                groups_topology_description_subtopologies_count = n
                for _ in range(groups_topology_description_subtopologies_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                    if n < 0:
                        raise null("SubtopologyId")
                    groups_topology_description_subtopologies_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Nodes", n, pos, end)
                    groups_topology_description_subtopologies_nodes: list[TopologyDescriptionNode] = []
                    groups_topology_description_subtopologies_nodes_count = n
                    for _ in range(groups_topology_description_subtopologies_nodes_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Name")
                        if n < 0:
                            raise null("Name")
                        groups_topology_description_subtopologies_nodes_name = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        groups_topology_description_subtopologies_nodes_node_type, = _read_b(buf, pos)
                        pos += 1
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("SourceTopics", n, pos, end)
                        groups_topology_description_subtopologies_nodes_source_topics: list[str] = []
                        groups_topology_description_subtopologies_nodes_source_topics_count = n
                        for _ in range(groups_topology_description_subtopologies_nodes_source_topics_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                            if n < 0:
                                raise null("SourceTopics")
                            groups_topology_description_subtopologies_nodes_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_description_subtopologies_nodes_source_topics.append(groups_topology_description_subtopologies_nodes_source_topics_item)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "SinkTopic")
                        groups_topology_description_subtopologies_nodes_sink_topic: str | None = None
                        if n >= 0:
                            groups_topology_description_subtopologies_nodes_sink_topic = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("Stores", n, pos, end)
                        groups_topology_description_subtopologies_nodes_stores: list[str] = []
                        groups_topology_description_subtopologies_nodes_stores_count = n
                        for _ in range(groups_topology_description_subtopologies_nodes_stores_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "Stores")
                            if n < 0:
                                raise null("Stores")
                            groups_topology_description_subtopologies_nodes_stores_item = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_description_subtopologies_nodes_stores.append(groups_topology_description_subtopologies_nodes_stores_item)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        if not 0 <= n <= end - pos:
                            raise wrong_count("Successors", n, pos, end)
                        groups_topology_description_subtopologies_nodes_successors: list[str] = []
                        groups_topology_description_subtopologies_nodes_successors_count = n
                        for _ in range(groups_topology_description_subtopologies_nodes_successors_count):
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_text_length(buf, pos - 1, "Successors")
                            if n < 0:
                                raise null("Successors")
                            groups_topology_description_subtopologies_nodes_successors_item = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                            groups_topology_description_subtopologies_nodes_successors.append(groups_topology_description_subtopologies_nodes_successors_item)
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        groups_topology_description_subtopologies_nodes.append(TopologyDescriptionNode(groups_topology_description_subtopologies_nodes_name, groups_topology_description_subtopologies_nodes_node_type, groups_topology_description_subtopologies_nodes_source_topics, groups_topology_description_subtopologies_nodes_sink_topic, groups_topology_description_subtopologies_nodes_stores, groups_topology_description_subtopologies_nodes_successors))
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_topology_description_subtopologies.append(TopologyDescriptionSubtopology(groups_topology_description_subtopologies_subtopology_id, groups_topology_description_subtopologies_nodes))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("GlobalStores", n, pos, end)
                groups_topology_description_global_stores: list[TopologyDescriptionGlobalStore] = []
                groups_topology_description_global_stores_count = n
                for _ in range(groups_topology_description_global_stores_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    if n < 0:
                        raise null("Name")
                    groups_topology_description_global_stores_source_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    groups_topology_description_global_stores_source_node_type, = _read_b(buf, pos)
                    pos += 1
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("SourceTopics", n, pos, end)
                    groups_topology_description_global_stores_source_source_topics: list[str] = []
                    groups_topology_description_global_stores_source_source_topics_count = n
                    for _ in range(groups_topology_description_global_stores_source_source_topics_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                        if n < 0:
                            raise null("SourceTopics")
                        groups_topology_description_global_stores_source_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        groups_topology_description_global_stores_source_source_topics.append(groups_topology_description_global_stores_source_source_topics_item)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SinkTopic")
                    groups_topology_description_global_stores_source_sink_topic: str | None = None
                    if n >= 0:
                        groups_topology_description_global_stores_source_sink_topic = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Stores", n, pos, end)
                    groups_topology_description_global_stores_source_stores: list[str] = []
                    groups_topology_description_global_stores_source_stores_count = n
                    for _ in range(groups_topology_description_global_stores_source_stores_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Stores")
                        if n < 0:
                            raise null("Stores")
                        groups_topology_description_global_stores_source_stores_item = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        groups_topology_description_global_stores_source_stores.append(groups_topology_description_global_stores_source_stores_item)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Successors", n, pos, end)
                    groups_topology_description_global_stores_source_successors: list[str] = []
                    groups_topology_description_global_stores_source_successors_count = n
                    for _ in range(groups_topology_description_global_stores_source_successors_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Successors")
                        if n < 0:
                            raise null("Successors")
                        groups_topology_description_global_stores_source_successors_item = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        groups_topology_description_global_stores_source_successors.append(groups_topology_description_global_stores_source_successors_item)
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_topology_description_global_stores_source = TopologyDescriptionNode(groups_topology_description_global_stores_source_name, groups_topology_description_global_stores_source_node_type, groups_topology_description_global_stores_source_source_topics, groups_topology_description_global_stores_source_sink_topic, groups_topology_description_global_stores_source_stores, groups_topology_description_global_stores_source_successors)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    if n < 0:
                        raise null("Name")
                    groups_topology_description_global_stores_processor_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    groups_topology_description_global_stores_processor_node_type, = _read_b(buf, pos)
                    pos += 1
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("SourceTopics", n, pos, end)
                    groups_topology_description_global_stores_processor_source_topics: list[str] = []
                    groups_topology_description_global_stores_processor_source_topics_count = n
                    for _ in range(groups_topology_description_global_stores_processor_source_topics_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                        if n < 0:
                            raise null("SourceTopics")
                        groups_topology_description_global_stores_processor_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        groups_topology_description_global_stores_processor_source_topics.append(groups_topology_description_global_stores_processor_source_topics_item)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SinkTopic")
                    groups_topology_description_global_stores_processor_sink_topic: str | None = None
                    if n >= 0:
                        groups_topology_description_global_stores_processor_sink_topic = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Stores", n, pos, end)
                    groups_topology_description_global_stores_processor_stores: list[str] = []
                    groups_topology_description_global_stores_processor_stores_count = n
                    for _ in range(groups_topology_description_global_stores_processor_stores_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Stores")
                        if n < 0:
                            raise null("Stores")
                        groups_topology_description_global_stores_processor_stores_item = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        groups_topology_description_global_stores_processor_stores.append(groups_topology_description_global_stores_processor_stores_item)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Successors", n, pos, end)
                    groups_topology_description_global_stores_processor_successors: list[str] = []
                    groups_topology_description_global_stores_processor_successors_count = n
                    for _ in range(groups_topology_description_global_stores_processor_successors_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Successors")
                        if n < 0:
                            raise null("Successors")
                        groups_topology_description_global_stores_processor_successors_item = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        groups_topology_description_global_stores_processor_successors.append(groups_topology_description_global_stores_processor_successors_item)
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_topology_description_global_stores_processor = TopologyDescriptionNode(groups_topology_description_global_stores_processor_name, groups_topology_description_global_stores_processor_node_type, groups_topology_description_global_stores_processor_source_topics, groups_topology_description_global_stores_processor_sink_topic, groups_topology_description_global_stores_processor_stores, groups_topology_description_global_stores_processor_successors)
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_topology_description_global_stores.append(TopologyDescriptionGlobalStore(groups_topology_description_global_stores_source, groups_topology_description_global_stores_processor))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_topology_description = TopologyDescription(groups_topology_description_subtopologies, groups_topology_description_global_stores)
            groups_topology_description_status, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "AssignorName")
            groups_assignor_name: str | None = None
            if n >= 0:
                groups_assignor_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(DescribedGroup(groups_error_code, groups_error_message, groups_group_id, groups_group_state, groups_group_epoch, groups_assignment_epoch, groups_topology, groups_members, groups_authorized_operations, groups_topology_description, groups_topology_description_status, groups_assignor_name))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = StreamsGroupDescribeResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_describe_response_v1(out: bytearray, m: StreamsGroupDescribeResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            out += _write_h(groups_item.error_code)
            groups_error_message = groups_item.error_message
            if groups_error_message is None:
                out.append(0)
            else:
                text = groups_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            text = groups_item.group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupState")
            out += text
            out += _write_ii(groups_item.group_epoch, groups_item.assignment_epoch)
            groups_topology = groups_item.topology
            if groups_topology is None:
                out.append(255)
            else:
                out.append(1)
                out += _write_i(groups_topology.epoch)
                groups_topology_subtopologies = groups_topology.subtopologies
                if groups_topology_subtopologies is None:
                    out.append(0)
                else:
                    n = len(groups_topology_subtopologies) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for groups_topology_subtopologies_item in groups_topology_subtopologies:
                        text = groups_topology_subtopologies_item.subtopology_id.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "SubtopologyId")
                        out += text
                        groups_topology_subtopologies_source_topics = groups_topology_subtopologies_item.source_topics
                        n = len(groups_topology_subtopologies_source_topics) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_subtopologies_source_topics_item in groups_topology_subtopologies_source_topics:
                            text = groups_topology_subtopologies_source_topics_item.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "SourceTopics")
                            out += text
                        groups_topology_subtopologies_repartition_sink_topics = groups_topology_subtopologies_item.repartition_sink_topics
                        n = len(groups_topology_subtopologies_repartition_sink_topics) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_subtopologies_repartition_sink_topics_item in groups_topology_subtopologies_repartition_sink_topics:
                            text = groups_topology_subtopologies_repartition_sink_topics_item.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "RepartitionSinkTopics")
                            out += text
                        groups_topology_subtopologies_state_changelog_topics = groups_topology_subtopologies_item.state_changelog_topics
                        n = len(groups_topology_subtopologies_state_changelog_topics) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_subtopologies_state_changelog_topics_item in groups_topology_subtopologies_state_changelog_topics:
                            text = groups_topology_subtopologies_state_changelog_topics_item.name.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "Name")
                            out += text
                            out += _write_ih(groups_topology_subtopologies_state_changelog_topics_item.partitions, groups_topology_subtopologies_state_changelog_topics_item.replication_factor)
                            groups_topology_subtopologies_state_changelog_topics_topic_configs = groups_topology_subtopologies_state_changelog_topics_item.topic_configs
                            n = len(groups_topology_subtopologies_state_changelog_topics_topic_configs) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_uvarint(out, n)
                            for groups_topology_subtopologies_state_changelog_topics_topic_configs_item in groups_topology_subtopologies_state_changelog_topics_topic_configs:
                                text = groups_topology_subtopologies_state_changelog_topics_topic_configs_item.key.encode()
                                n = len(text) + 1
                                if n < 128:
                                    out.append(n)
                                else:
                                    write_text_length(out, n, "Key")
                                out += text
                                text = groups_topology_subtopologies_state_changelog_topics_topic_configs_item.value.encode()
                                n = len(text) + 1
                                if n < 128:
                                    out.append(n)
                                else:
                                    write_text_length(out, n, "Value")
                                out += text
                                out.append(0)
                            out.append(0)
                        groups_topology_subtopologies_repartition_source_topics = groups_topology_subtopologies_item.repartition_source_topics
                        n = len(groups_topology_subtopologies_repartition_source_topics) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_subtopologies_repartition_source_topics_item in groups_topology_subtopologies_repartition_source_topics:
                            text = groups_topology_subtopologies_repartition_source_topics_item.name.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "Name")
                            out += text
                            out += _write_ih(groups_topology_subtopologies_repartition_source_topics_item.partitions, groups_topology_subtopologies_repartition_source_topics_item.replication_factor)
                            groups_topology_subtopologies_repartition_source_topics_topic_configs = groups_topology_subtopologies_repartition_source_topics_item.topic_configs
                            n = len(groups_topology_subtopologies_repartition_source_topics_topic_configs) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_uvarint(out, n)
                            for groups_topology_subtopologies_repartition_source_topics_topic_configs_item in groups_topology_subtopologies_repartition_source_topics_topic_configs:
                                text = groups_topology_subtopologies_repartition_source_topics_topic_configs_item.key.encode()
                                n = len(text) + 1
                                if n < 128:
                                    out.append(n)
                                else:
                                    write_text_length(out, n, "Key")
                                out += text
                                text = groups_topology_subtopologies_repartition_source_topics_topic_configs_item.value.encode()
                                n = len(text) + 1
                                if n < 128:
                                    out.append(n)
                                else:
                                    write_text_length(out, n, "Value")
                                out += text
                                out.append(0)
                            out.append(0)
                        out.append(0)
                out.append(0)
            groups_members = groups_item.members
            n = len(groups_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_members_item in groups_members:
                text = groups_members_item.member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "MemberId")
                out += text
                out += _write_i(groups_members_item.member_epoch)
                groups_members_instance_id = groups_members_item.instance_id
                if groups_members_instance_id is None:
                    out.append(0)
                else:
                    text = groups_members_instance_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "InstanceId")
                    out += text
                groups_members_rack_id = groups_members_item.rack_id
                if groups_members_rack_id is None:
                    out.append(0)
                else:
                    text = groups_members_rack_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "RackId")
                    out += text
                text = groups_members_item.client_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientId")
                out += text
                text = groups_members_item.client_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientHost")
                out += text
                out += _write_i(groups_members_item.topology_epoch)
                text = groups_members_item.process_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ProcessId")
                out += text
                groups_members_user_endpoint = groups_members_item.user_endpoint
                if groups_members_user_endpoint is None:
                    out.append(255)
                else:
                    out.append(1)
                    text = groups_members_user_endpoint.host.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Host")
                    out += text
                    out += _write_H(groups_members_user_endpoint.port)
                    out.append(0)
                groups_members_client_tags = groups_members_item.client_tags
                n = len(groups_members_client_tags) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_client_tags_item in groups_members_client_tags:
                    text = groups_members_client_tags_item.key.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Key")
                    out += text
                    text = groups_members_client_tags_item.value.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Value")
                    out += text
                    out.append(0)
                groups_members_task_offsets = groups_members_item.task_offsets
                n = len(groups_members_task_offsets) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_task_offsets_item in groups_members_task_offsets:
                    text = groups_members_task_offsets_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    out += _write_iq(groups_members_task_offsets_item.partition, groups_members_task_offsets_item.offset)
                    out.append(0)
                groups_members_task_end_offsets = groups_members_item.task_end_offsets
                n = len(groups_members_task_end_offsets) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_task_end_offsets_item in groups_members_task_end_offsets:
                    text = groups_members_task_end_offsets_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    out += _write_iq(groups_members_task_end_offsets_item.partition, groups_members_task_end_offsets_item.offset)
                    out.append(0)
                groups_members_assignment = groups_members_item.assignment
                groups_members_assignment_active_tasks = groups_members_assignment.active_tasks
                n = len(groups_members_assignment_active_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_assignment_active_tasks_item in groups_members_assignment_active_tasks:
                    text = groups_members_assignment_active_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_assignment_active_tasks_partitions = groups_members_assignment_active_tasks_item.partitions
                    n = len(groups_members_assignment_active_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_assignment_active_tasks_partitions)}i", *groups_members_assignment_active_tasks_partitions)
                    out.append(0)
                groups_members_assignment_standby_tasks = groups_members_assignment.standby_tasks
                n = len(groups_members_assignment_standby_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_assignment_standby_tasks_item in groups_members_assignment_standby_tasks:
                    text = groups_members_assignment_standby_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_assignment_standby_tasks_partitions = groups_members_assignment_standby_tasks_item.partitions
                    n = len(groups_members_assignment_standby_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_assignment_standby_tasks_partitions)}i", *groups_members_assignment_standby_tasks_partitions)
                    out.append(0)
                groups_members_assignment_warmup_tasks = groups_members_assignment.warmup_tasks
                n = len(groups_members_assignment_warmup_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_assignment_warmup_tasks_item in groups_members_assignment_warmup_tasks:
                    text = groups_members_assignment_warmup_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_assignment_warmup_tasks_partitions = groups_members_assignment_warmup_tasks_item.partitions
                    n = len(groups_members_assignment_warmup_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_assignment_warmup_tasks_partitions)}i", *groups_members_assignment_warmup_tasks_partitions)
                    out.append(0)
                out.append(0)
                groups_members_target_assignment = groups_members_item.target_assignment
                groups_members_target_assignment_active_tasks = groups_members_target_assignment.active_tasks
                n = len(groups_members_target_assignment_active_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_target_assignment_active_tasks_item in groups_members_target_assignment_active_tasks:
                    text = groups_members_target_assignment_active_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_target_assignment_active_tasks_partitions = groups_members_target_assignment_active_tasks_item.partitions
                    n = len(groups_members_target_assignment_active_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_target_assignment_active_tasks_partitions)}i", *groups_members_target_assignment_active_tasks_partitions)
                    out.append(0)
                groups_members_target_assignment_standby_tasks = groups_members_target_assignment.standby_tasks
                n = len(groups_members_target_assignment_standby_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_target_assignment_standby_tasks_item in groups_members_target_assignment_standby_tasks:
                    text = groups_members_target_assignment_standby_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_target_assignment_standby_tasks_partitions = groups_members_target_assignment_standby_tasks_item.partitions
                    n = len(groups_members_target_assignment_standby_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_target_assignment_standby_tasks_partitions)}i", *groups_members_target_assignment_standby_tasks_partitions)
                    out.append(0)
                groups_members_target_assignment_warmup_tasks = groups_members_target_assignment.warmup_tasks
                n = len(groups_members_target_assignment_warmup_tasks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_target_assignment_warmup_tasks_item in groups_members_target_assignment_warmup_tasks:
                    text = groups_members_target_assignment_warmup_tasks_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_members_target_assignment_warmup_tasks_partitions = groups_members_target_assignment_warmup_tasks_item.partitions
                    n = len(groups_members_target_assignment_warmup_tasks_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_target_assignment_warmup_tasks_partitions)}i", *groups_members_target_assignment_warmup_tasks_partitions)
                    out.append(0)
                out.append(0)
                out += _write_z(groups_members_item.is_classic)
                out.append(0)
            out += _write_i(groups_item.authorized_operations)
            groups_topology_description = groups_item.topology_description
            if groups_topology_description is None:
                out.append(255)
            else:
                out.append(1)
                groups_topology_description_subtopologies = groups_topology_description.subtopologies
                n = len(groups_topology_description_subtopologies) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_topology_description_subtopologies_item in groups_topology_description_subtopologies:
                    text = groups_topology_description_subtopologies_item.subtopology_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubtopologyId")
                    out += text
                    groups_topology_description_subtopologies_nodes = groups_topology_description_subtopologies_item.nodes
                    n = len(groups_topology_description_subtopologies_nodes) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for groups_topology_description_subtopologies_nodes_item in groups_topology_description_subtopologies_nodes:
                        text = groups_topology_description_subtopologies_nodes_item.name.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Name")
                        out += text
                        out += _write_b(groups_topology_description_subtopologies_nodes_item.node_type)
                        groups_topology_description_subtopologies_nodes_source_topics = groups_topology_description_subtopologies_nodes_item.source_topics
                        n = len(groups_topology_description_subtopologies_nodes_source_topics) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_description_subtopologies_nodes_source_topics_item in groups_topology_description_subtopologies_nodes_source_topics:
                            text = groups_topology_description_subtopologies_nodes_source_topics_item.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "SourceTopics")
                            out += text
                        groups_topology_description_subtopologies_nodes_sink_topic = groups_topology_description_subtopologies_nodes_item.sink_topic
                        if groups_topology_description_subtopologies_nodes_sink_topic is None:
                            out.append(0)
                        else:
                            text = groups_topology_description_subtopologies_nodes_sink_topic.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "SinkTopic")
                            out += text
                        groups_topology_description_subtopologies_nodes_stores = groups_topology_description_subtopologies_nodes_item.stores
                        n = len(groups_topology_description_subtopologies_nodes_stores) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_description_subtopologies_nodes_stores_item in groups_topology_description_subtopologies_nodes_stores:
                            text = groups_topology_description_subtopologies_nodes_stores_item.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "Stores")
                            out += text
                        groups_topology_description_subtopologies_nodes_successors = groups_topology_description_subtopologies_nodes_item.successors
                        n = len(groups_topology_description_subtopologies_nodes_successors) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_uvarint(out, n)
                        for groups_topology_description_subtopologies_nodes_successors_item in groups_topology_description_subtopologies_nodes_successors:
                            text = groups_topology_description_subtopologies_nodes_successors_item.encode()
                            n = len(text) + 1
                            if n < 128:
                                out.append(n)
                            else:
                                write_text_length(out, n, "Successors")
                            out += text
                        out.append(0)
                    out.append(0)
                groups_topology_description_global_stores = groups_topology_description.global_stores
                n = len(groups_topology_description_global_stores) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_topology_description_global_stores_item in groups_topology_description_global_stores:
                    groups_topology_description_global_stores_source = groups_topology_description_global_stores_item.source
                    text = groups_topology_description_global_stores_source.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
                    out += text
                    out += _write_b(groups_topology_description_global_stores_source.node_type)
                    groups_topology_description_global_stores_source_source_topics = groups_topology_description_global_stores_source.source_topics
                    n = len(groups_topology_description_global_stores_source_source_topics) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for groups_topology_description_global_stores_source_source_topics_item in groups_topology_description_global_stores_source_source_topics:
                        text = groups_topology_description_global_stores_source_source_topics_item.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "SourceTopics")
                        out += text
                    groups_topology_description_global_stores_source_sink_topic = groups_topology_description_global_stores_source.sink_topic
                    if groups_topology_description_global_stores_source_sink_topic is None:
                        out.append(0)
                    else:
                        text = groups_topology_description_global_stores_source_sink_topic.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "SinkTopic")
                        out += text
                    groups_topology_description_global_stores_source_stores = groups_topology_description_global_stores_source.stores
                    n = len(groups_topology_description_global_stores_source_stores) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for groups_topology_description_global_stores_source_stores_item in groups_topology_description_global_stores_source_stores:
                        text = groups_topology_description_global_stores_source_stores_item.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Stores")
                        out += text
                    groups_topology_description_global_stores_source_successors = groups_topology_description_global_stores_source.successors
                    n = len(groups_topology_description_global_stores_source_successors) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for groups_topology_description_global_stores_source_successors_item in groups_topology_description_global_stores_source_successors:
                        text = groups_topology_description_global_stores_source_successors_item.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Successors")
                        out += text
                    out.append(0)
                    groups_topology_description_global_stores_processor = groups_topology_description_global_stores_item.processor
                    text = groups_topology_description_global_stores_processor.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
                    out += text
                    out += _write_b(groups_topology_description_global_stores_processor.node_type)
                    groups_topology_description_global_stores_processor_source_topics = groups_topology_description_global_stores_processor.source_topics
                    n = len(groups_topology_description_global_stores_processor_source_topics) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for groups_topology_description_global_stores_processor_source_topics_item in groups_topology_description_global_stores_processor_source_topics:
                        text = groups_topology_description_global_stores_processor_source_topics_item.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "SourceTopics")
                        out += text
                    groups_topology_description_global_stores_processor_sink_topic = groups_topology_description_global_stores_processor.sink_topic
                    if groups_topology_description_global_stores_processor_sink_topic is None:
                        out.append(0)
                    else:
                        text = groups_topology_description_global_stores_processor_sink_topic.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "SinkTopic")
                        out += text
                    groups_topology_description_global_stores_processor_stores = groups_topology_description_global_stores_processor.stores
                    n = len(groups_topology_description_global_stores_processor_stores) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for groups_topology_description_global_stores_processor_stores_item in groups_topology_description_global_stores_processor_stores:
                        text = groups_topology_description_global_stores_processor_stores_item.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Stores")
                        out += text
                    groups_topology_description_global_stores_processor_successors = groups_topology_description_global_stores_processor.successors
                    n = len(groups_topology_description_global_stores_processor_successors) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for groups_topology_description_global_stores_processor_successors_item in groups_topology_description_global_stores_processor_successors:
                        text = groups_topology_description_global_stores_processor_successors_item.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Successors")
                        out += text
                    out.append(0)
                    out.append(0)
                out.append(0)
            out += _write_b(groups_item.topology_description_status)
            groups_assignor_name = groups_item.assignor_name
            if groups_assignor_name is None:
                out.append(0)
            else:
                text = groups_assignor_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "AssignorName")
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupDescribeResponse", error) from error

StreamsGroupDescribeResponse.DECODERS = {
    0: decode_streams_group_describe_response_v0,
    1: decode_streams_group_describe_response_v1,
}

StreamsGroupDescribeResponse.ENCODERS = {
    0: encode_streams_group_describe_response_v0,
    1: encode_streams_group_describe_response_v1,
}

__all__ = [
    "Assignment", "DescribedGroup", "Endpoint", "KeyValue", "Member", "StreamsGroupDescribeRequest",
    "StreamsGroupDescribeResponse", "Subtopology", "TaskIds", "TaskOffset", "TopicInfo", "Topology",
    "TopologyDescription", "TopologyDescriptionGlobalStore", "TopologyDescriptionNode",
    "TopologyDescriptionSubtopology",
]
