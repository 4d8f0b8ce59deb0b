# Generated from schemas/messages/StreamsGroupHeartbeatRequest.json and schemas/messages/StreamsGroupHeartbeatResponse.json. Edit that, then run make generate.

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
_zi = struct.Struct(">?i")
_read_zi = _zi.unpack_from
_write_zi = _zi.pack
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
_iiii = struct.Struct(">iiii")
_read_iiii = _iiii.unpack_from
_write_iiii = _iiii.pack
_iiiq = struct.Struct(">iiiq")
_read_iiiq = _iiiq.unpack_from
_write_iiiq = _iiiq.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


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


class Topology(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Epoch", "epoch", "int32", None),
        ("Subtopologies", "subtopologies", "[]struct", Subtopology),
    )
    epoch: int = 0
    subtopologies: list[Subtopology] = []


class StreamsGroupHeartbeatRequestTaskIds(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SubtopologyId", "subtopology_id", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    subtopology_id: str = ""
    partitions: list[int] = []


class StreamsGroupHeartbeatRequestEndpoint(Struct, gc=False):
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


class StreamsGroupHeartbeatRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
        ("MemberEpoch", "member_epoch", "int32", None),
        ("EndpointInformationEpoch", "endpoint_information_epoch", "int32", None),
        ("InstanceId", "instance_id", "string", None),
        ("RackId", "rack_id", "string", None),
        ("RebalanceTimeoutMs", "rebalance_timeout_ms", "int32", None),
        ("Topology", "topology", "struct", Topology),
        ("ActiveTasks", "active_tasks", "[]struct", StreamsGroupHeartbeatRequestTaskIds),
        ("StandbyTasks", "standby_tasks", "[]struct", StreamsGroupHeartbeatRequestTaskIds),
        ("WarmupTasks", "warmup_tasks", "[]struct", StreamsGroupHeartbeatRequestTaskIds),
        ("ProcessId", "process_id", "string", None),
        ("UserEndpoint", "user_endpoint", "struct", StreamsGroupHeartbeatRequestEndpoint),
        ("ClientTags", "client_tags", "[]struct", KeyValue),
        ("TaskOffsets", "task_offsets", "[]struct", TaskOffset),
        ("TaskEndOffsets", "task_end_offsets", "[]struct", TaskOffset),
        ("ShutdownApplication", "shutdown_application", "bool", None),
    )
    NAME: ClassVar = "StreamsGroupHeartbeatRequest"
    API_KEY: ClassVar = 88
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    endpoint_information_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    topology: Topology | None = None
    active_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None
    standby_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None
    warmup_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None
    process_id: str | None = None
    user_endpoint: StreamsGroupHeartbeatRequestEndpoint | None = None
    client_tags: list[KeyValue] | None = None
    task_offsets: list[TaskOffset] | None = None
    task_end_offsets: list[TaskOffset] | None = None
    shutdown_application: bool = False


class Status(Struct, gc=False):
    FIELDS: ClassVar = (
        ("StatusCode", "status_code", "int8", None),
        ("StatusDetail", "status_detail", "string", None),
    )
    status_code: int = 0
    status_detail: str = ""


class StreamsGroupHeartbeatResponseTaskIds(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SubtopologyId", "subtopology_id", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    subtopology_id: str = ""
    partitions: list[int] = []


class StreamsGroupHeartbeatResponseEndpoint(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
    )
    host: str = ""
    port: int = 0


class TopicPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic: str = ""
    partitions: list[int] = []


class EndpointToPartitions(Struct, gc=False):
    FIELDS: ClassVar = (
        ("UserEndpoint", "user_endpoint", "struct", StreamsGroupHeartbeatResponseEndpoint),
        ("ActivePartitions", "active_partitions", "[]struct", TopicPartition),
        ("StandbyPartitions", "standby_partitions", "[]struct", TopicPartition),
    )
    user_endpoint: StreamsGroupHeartbeatResponseEndpoint = field(default_factory=StreamsGroupHeartbeatResponseEndpoint)
    active_partitions: list[TopicPartition] = []
    standby_partitions: list[TopicPartition] = []


class StreamsGroupHeartbeatResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("MemberId", "member_id", "string", None),
        ("MemberEpoch", "member_epoch", "int32", None),
        ("HeartbeatIntervalMs", "heartbeat_interval_ms", "int32", None),
        ("AcceptableRecoveryLagLegacy", "acceptable_recovery_lag_legacy", "int32", None),
        ("TaskOffsetIntervalMs", "task_offset_interval_ms", "int32", None),
        ("AcceptableRecoveryLag", "acceptable_recovery_lag", "int64", None),
        ("Status", "status", "[]struct", Status),
        ("ActiveTasks", "active_tasks", "[]struct", StreamsGroupHeartbeatResponseTaskIds),
        ("StandbyTasks", "standby_tasks", "[]struct", StreamsGroupHeartbeatResponseTaskIds),
        ("WarmupTasks", "warmup_tasks", "[]struct", StreamsGroupHeartbeatResponseTaskIds),
        ("TopologyDescriptionRequired", "topology_description_required", "bool", None),
        ("EndpointInformationEpoch", "endpoint_information_epoch", "int32", None),
        ("PartitionsByUserEndpoint", "partitions_by_user_endpoint", "[]struct", EndpointToPartitions),
    )
    NAME: ClassVar = "StreamsGroupHeartbeatResponse"
    API_KEY: ClassVar = 88
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    member_id: str = ""
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    acceptable_recovery_lag_legacy: int = 0
    task_offset_interval_ms: int = 0
    acceptable_recovery_lag: int = -1
    status: list[Status] | None = []
    active_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None
    standby_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None
    warmup_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None
    topology_description_required: bool = False
    endpoint_information_epoch: int = 0
    partitions_by_user_endpoint: list[EndpointToPartitions] | None = None


def decode_streams_group_heartbeat_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[StreamsGroupHeartbeatRequest, int]:
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
        member_epoch, endpoint_information_epoch = _read_ii(buf, pos)
        pos += 8
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
        rebalance_timeout_ms, = _read_i(buf, pos)
        pos += 4
        mark = buf[pos]
        pos += 1
        topology: Topology | None = None
        if mark < 128:
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
            topology_subtopologies: list[Subtopology] = []
            topology_subtopologies_count = n
            for _ in range(topology_subtopologies_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                topology_subtopologies_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("SourceTopics", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topology_subtopologies_source_topics: list[str] = []
                topology_subtopologies_source_topics_count = n
                for _ in range(topology_subtopologies_source_topics_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SourceTopics")
                    if n < 0:
                        raise null("SourceTopics")
                    topology_subtopologies_source_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    topology_subtopologies_source_topics.append(topology_subtopologies_source_topics_item)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("SourceTopicRegex", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topology_subtopologies_source_topic_regex: list[str] = []
                topology_subtopologies_source_topic_regex_count = n
                for _ in range(topology_subtopologies_source_topic_regex_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SourceTopicRegex")
                    if n < 0:
                        raise null("SourceTopicRegex")
                    topology_subtopologies_source_topic_regex_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    topology_subtopologies_source_topic_regex.append(topology_subtopologies_source_topic_regex_item)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("StateChangelogTopics", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topology_subtopologies_state_changelog_topics: list[TopicInfo] = []
                topology_subtopologies_state_changelog_topics_count = n
                for _ in range(topology_subtopologies_state_changelog_topics_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    if n < 0:
                        raise null("Name")
                    topology_subtopologies_state_changelog_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    topology_subtopologies_state_changelog_topics_partitions, topology_subtopologies_state_changelog_topics_replication_factor = _read_ih(buf, pos)
                    pos += 6
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("TopicConfigs", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topology_subtopologies_state_changelog_topics_topic_configs: list[KeyValue] = []
                    topology_subtopologies_state_changelog_topics_topic_configs_count = n
                    for _ in range(topology_subtopologies_state_changelog_topics_topic_configs_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Key")
                        if n < 0:
                            raise null("Key")
                        topology_subtopologies_state_changelog_topics_topic_configs_key = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Value")
                        if n < 0:
                            raise null("Value")
                        topology_subtopologies_state_changelog_topics_topic_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        if buf[pos]:
                            pos, left = skip_tags_within(buf, pos, end, left)
                        else:
                            pos += 1
                        topology_subtopologies_state_changelog_topics_topic_configs.append(KeyValue(topology_subtopologies_state_changelog_topics_topic_configs_key, topology_subtopologies_state_changelog_topics_topic_configs_value))
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    topology_subtopologies_state_changelog_topics.append(TopicInfo(topology_subtopologies_state_changelog_topics_name, topology_subtopologies_state_changelog_topics_partitions, topology_subtopologies_state_changelog_topics_replication_factor, topology_subtopologies_state_changelog_topics_topic_configs))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("RepartitionSinkTopics", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topology_subtopologies_repartition_sink_topics: list[str] = []
                topology_subtopologies_repartition_sink_topics_count = n
                for _ in range(topology_subtopologies_repartition_sink_topics_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "RepartitionSinkTopics")
                    if n < 0:
                        raise null("RepartitionSinkTopics")
                    topology_subtopologies_repartition_sink_topics_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    topology_subtopologies_repartition_sink_topics.append(topology_subtopologies_repartition_sink_topics_item)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("RepartitionSourceTopics", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topology_subtopologies_repartition_source_topics: list[TopicInfo] = []
                topology_subtopologies_repartition_source_topics_count = n
                for _ in range(topology_subtopologies_repartition_source_topics_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    if n < 0:
                        raise null("Name")
                    topology_subtopologies_repartition_source_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    topology_subtopologies_repartition_source_topics_partitions, topology_subtopologies_repartition_source_topics_replication_factor = _read_ih(buf, pos)
                    pos += 6
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("TopicConfigs", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topology_subtopologies_repartition_source_topics_topic_configs: list[KeyValue] = []
                    topology_subtopologies_repartition_source_topics_topic_configs_count = n
                    for _ in range(topology_subtopologies_repartition_source_topics_topic_configs_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Key")
                        if n < 0:
                            raise null("Key")
                        topology_subtopologies_repartition_source_topics_topic_configs_key = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Value")
                        if n < 0:
                            raise null("Value")
                        topology_subtopologies_repartition_source_topics_topic_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        if buf[pos]:
                            pos, left = skip_tags_within(buf, pos, end, left)
                        else:
                            pos += 1
                        topology_subtopologies_repartition_source_topics_topic_configs.append(KeyValue(topology_subtopologies_repartition_source_topics_topic_configs_key, topology_subtopologies_repartition_source_topics_topic_configs_value))
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    topology_subtopologies_repartition_source_topics.append(TopicInfo(topology_subtopologies_repartition_source_topics_name, topology_subtopologies_repartition_source_topics_partitions, topology_subtopologies_repartition_source_topics_replication_factor, topology_subtopologies_repartition_source_topics_topic_configs))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("CopartitionGroups", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topology_subtopologies_copartition_groups: list[CopartitionGroup] = []
                topology_subtopologies_copartition_groups_count = n
                for _ in range(topology_subtopologies_copartition_groups_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("SourceTopics", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topology_subtopologies_copartition_groups_source_topics: list[int] = list(struct.unpack_from(f">{n}h", buf, pos))
                    pos += 2 * n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("SourceTopicRegex", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topology_subtopologies_copartition_groups_source_topic_regex: list[int] = list(struct.unpack_from(f">{n}h", buf, pos))
                    pos += 2 * n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("RepartitionSourceTopics", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topology_subtopologies_copartition_groups_repartition_source_topics: list[int] = list(struct.unpack_from(f">{n}h", buf, pos))
                    pos += 2 * n
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    topology_subtopologies_copartition_groups.append(CopartitionGroup(topology_subtopologies_copartition_groups_source_topics, topology_subtopologies_copartition_groups_source_topic_regex, topology_subtopologies_copartition_groups_repartition_source_topics))
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topology_subtopologies.append(Subtopology(topology_subtopologies_subtopology_id, topology_subtopologies_source_topics, topology_subtopologies_source_topic_regex, topology_subtopologies_state_changelog_topics, topology_subtopologies_repartition_sink_topics, topology_subtopologies_repartition_source_topics, topology_subtopologies_copartition_groups))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topology = Topology(topology_epoch, topology_subtopologies)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        active_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            active_tasks_list: list[StreamsGroupHeartbeatRequestTaskIds] = []
            active_tasks_count = n
            for _ in range(active_tasks_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                active_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                active_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                active_tasks_list.append(StreamsGroupHeartbeatRequestTaskIds(active_tasks_subtopology_id, active_tasks_partitions))
            active_tasks = active_tasks_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        standby_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            standby_tasks_list: list[StreamsGroupHeartbeatRequestTaskIds] = []
            standby_tasks_count = n
            for _ in range(standby_tasks_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                standby_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                standby_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                standby_tasks_list.append(StreamsGroupHeartbeatRequestTaskIds(standby_tasks_subtopology_id, standby_tasks_partitions))
            standby_tasks = standby_tasks_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        warmup_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            warmup_tasks_list: list[StreamsGroupHeartbeatRequestTaskIds] = []
            warmup_tasks_count = n
            for _ in range(warmup_tasks_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                warmup_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                warmup_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                warmup_tasks_list.append(StreamsGroupHeartbeatRequestTaskIds(warmup_tasks_subtopology_id, warmup_tasks_partitions))
            warmup_tasks = warmup_tasks_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProcessId")
        process_id: str | None = None
        if n >= 0:
            process_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        mark = buf[pos]
        pos += 1
        user_endpoint: StreamsGroupHeartbeatRequestEndpoint | None = None
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
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            user_endpoint = StreamsGroupHeartbeatRequestEndpoint(user_endpoint_host, user_endpoint_port)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        client_tags: list[KeyValue] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            client_tags_list: list[KeyValue] = []
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
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                client_tags_list.append(KeyValue(client_tags_key, client_tags_value))
            client_tags = client_tags_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        task_offsets: list[TaskOffset] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            task_offsets_list: list[TaskOffset] = []
            task_offsets_count = n
            for _ in range(task_offsets_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                task_offsets_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                task_offsets_partition, task_offsets_offset = _read_iq(buf, pos)
                pos += 12
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                task_offsets_list.append(TaskOffset(task_offsets_subtopology_id, task_offsets_partition, task_offsets_offset))
            task_offsets = task_offsets_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        task_end_offsets: list[TaskOffset] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            task_end_offsets_list: list[TaskOffset] = []
            task_end_offsets_count = n
            for _ in range(task_end_offsets_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                task_end_offsets_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                task_end_offsets_partition, task_end_offsets_offset = _read_iq(buf, pos)
                pos += 12
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                task_end_offsets_list.append(TaskOffset(task_end_offsets_subtopology_id, task_end_offsets_partition, task_end_offsets_offset))
            task_end_offsets = task_end_offsets_list
        shutdown_application, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = StreamsGroupHeartbeatRequest(group_id, member_id, member_epoch, endpoint_information_epoch, instance_id, rack_id, rebalance_timeout_ms, topology, active_tasks, standby_tasks, warmup_tasks, process_id, user_endpoint, client_tags, task_offsets, task_end_offsets, shutdown_application)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_heartbeat_request_v0_v1(out: bytearray, m: StreamsGroupHeartbeatRequest) -> None:
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
        out += _write_ii(m.member_epoch, m.endpoint_information_epoch)
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
        out += _write_i(m.rebalance_timeout_ms)
        topology = m.topology
        if topology is None:
            out.append(255)
        else:
            out.append(1)
            out += _write_i(topology.epoch)
            topology_subtopologies = topology.subtopologies
            n = len(topology_subtopologies) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topology_subtopologies_item in topology_subtopologies:
                text = topology_subtopologies_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                topology_subtopologies_source_topics = topology_subtopologies_item.source_topics
                n = len(topology_subtopologies_source_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topology_subtopologies_source_topics_item in topology_subtopologies_source_topics:
                    text = topology_subtopologies_source_topics_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SourceTopics")
                    out += text
                topology_subtopologies_source_topic_regex = topology_subtopologies_item.source_topic_regex
                n = len(topology_subtopologies_source_topic_regex) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topology_subtopologies_source_topic_regex_item in topology_subtopologies_source_topic_regex:
                    text = topology_subtopologies_source_topic_regex_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SourceTopicRegex")
                    out += text
                topology_subtopologies_state_changelog_topics = topology_subtopologies_item.state_changelog_topics
                n = len(topology_subtopologies_state_changelog_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topology_subtopologies_state_changelog_topics_item in topology_subtopologies_state_changelog_topics:
                    text = topology_subtopologies_state_changelog_topics_item.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
                    out += text
                    out += _write_ih(topology_subtopologies_state_changelog_topics_item.partitions, topology_subtopologies_state_changelog_topics_item.replication_factor)
                    topology_subtopologies_state_changelog_topics_topic_configs = topology_subtopologies_state_changelog_topics_item.topic_configs
                    n = len(topology_subtopologies_state_changelog_topics_topic_configs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for topology_subtopologies_state_changelog_topics_topic_configs_item in topology_subtopologies_state_changelog_topics_topic_configs:
                        text = topology_subtopologies_state_changelog_topics_topic_configs_item.key.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Key")
                        out += text
                        text = topology_subtopologies_state_changelog_topics_topic_configs_item.value.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Value")
                        out += text
                        out.append(0)
                    out.append(0)
                topology_subtopologies_repartition_sink_topics = topology_subtopologies_item.repartition_sink_topics
                n = len(topology_subtopologies_repartition_sink_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topology_subtopologies_repartition_sink_topics_item in topology_subtopologies_repartition_sink_topics:
                    text = topology_subtopologies_repartition_sink_topics_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "RepartitionSinkTopics")
                    out += text
                topology_subtopologies_repartition_source_topics = topology_subtopologies_item.repartition_source_topics
                n = len(topology_subtopologies_repartition_source_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topology_subtopologies_repartition_source_topics_item in topology_subtopologies_repartition_source_topics:
                    text = topology_subtopologies_repartition_source_topics_item.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
                    out += text
                    out += _write_ih(topology_subtopologies_repartition_source_topics_item.partitions, topology_subtopologies_repartition_source_topics_item.replication_factor)
                    topology_subtopologies_repartition_source_topics_topic_configs = topology_subtopologies_repartition_source_topics_item.topic_configs
                    n = len(topology_subtopologies_repartition_source_topics_topic_configs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for topology_subtopologies_repartition_source_topics_topic_configs_item in topology_subtopologies_repartition_source_topics_topic_configs:
                        text = topology_subtopologies_repartition_source_topics_topic_configs_item.key.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Key")
                        out += text
                        text = topology_subtopologies_repartition_source_topics_topic_configs_item.value.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Value")
                        out += text
                        out.append(0)
                    out.append(0)
                topology_subtopologies_copartition_groups = topology_subtopologies_item.copartition_groups
                n = len(topology_subtopologies_copartition_groups) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topology_subtopologies_copartition_groups_item in topology_subtopologies_copartition_groups:
                    topology_subtopologies_copartition_groups_source_topics = topology_subtopologies_copartition_groups_item.source_topics
                    n = len(topology_subtopologies_copartition_groups_source_topics) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topology_subtopologies_copartition_groups_source_topics)}h", *topology_subtopologies_copartition_groups_source_topics)
                    topology_subtopologies_copartition_groups_source_topic_regex = topology_subtopologies_copartition_groups_item.source_topic_regex
                    n = len(topology_subtopologies_copartition_groups_source_topic_regex) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topology_subtopologies_copartition_groups_source_topic_regex)}h", *topology_subtopologies_copartition_groups_source_topic_regex)
                    topology_subtopologies_copartition_groups_repartition_source_topics = topology_subtopologies_copartition_groups_item.repartition_source_topics
                    n = len(topology_subtopologies_copartition_groups_repartition_source_topics) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topology_subtopologies_copartition_groups_repartition_source_topics)}h", *topology_subtopologies_copartition_groups_repartition_source_topics)
                    out.append(0)
                out.append(0)
            out.append(0)
        active_tasks = m.active_tasks
        if active_tasks is None:
            out.append(0)
        else:
            n = len(active_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for active_tasks_item in active_tasks:
                text = active_tasks_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                active_tasks_partitions = active_tasks_item.partitions
                n = len(active_tasks_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(active_tasks_partitions)}i", *active_tasks_partitions)
                out.append(0)
        standby_tasks = m.standby_tasks
        if standby_tasks is None:
            out.append(0)
        else:
            n = len(standby_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for standby_tasks_item in standby_tasks:
                text = standby_tasks_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                standby_tasks_partitions = standby_tasks_item.partitions
                n = len(standby_tasks_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(standby_tasks_partitions)}i", *standby_tasks_partitions)
                out.append(0)
        warmup_tasks = m.warmup_tasks
        if warmup_tasks is None:
            out.append(0)
        else:
            n = len(warmup_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for warmup_tasks_item in warmup_tasks:
                text = warmup_tasks_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                warmup_tasks_partitions = warmup_tasks_item.partitions
                n = len(warmup_tasks_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(warmup_tasks_partitions)}i", *warmup_tasks_partitions)
                out.append(0)
        process_id = m.process_id
        if process_id is None:
            out.append(0)
        else:
            text = process_id.encode()
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
        if client_tags is None:
            out.append(0)
        else:
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
        task_offsets = m.task_offsets
        if task_offsets is None:
            out.append(0)
        else:
            n = len(task_offsets) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for task_offsets_item in task_offsets:
                text = task_offsets_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                out += _write_iq(task_offsets_item.partition, task_offsets_item.offset)
                out.append(0)
        task_end_offsets = m.task_end_offsets
        if task_end_offsets is None:
            out.append(0)
        else:
            n = len(task_end_offsets) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for task_end_offsets_item in task_end_offsets:
                text = task_end_offsets_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                out += _write_iq(task_end_offsets_item.partition, task_end_offsets_item.offset)
                out.append(0)
        out += _write_z(m.shutdown_application)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupHeartbeatRequest", error) from error

StreamsGroupHeartbeatRequest.DECODERS = {
    0: decode_streams_group_heartbeat_request_v0_v1, 1: decode_streams_group_heartbeat_request_v0_v1,
}

StreamsGroupHeartbeatRequest.ENCODERS = {
    0: encode_streams_group_heartbeat_request_v0_v1, 1: encode_streams_group_heartbeat_request_v0_v1,
}



def decode_streams_group_heartbeat_response_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupHeartbeatResponse, int]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        member_epoch, heartbeat_interval_ms, acceptable_recovery_lag_legacy, task_offset_interval_ms = _read_iiii(buf, pos)
        pos += 16
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        status: list[Status] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            status_list: list[Status] = []
            status_count = n
            for _ in range(status_count):
                status_status_code, = _read_b(buf, pos)
                pos += 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "StatusDetail")
                if n < 0:
                    raise null("StatusDetail")
                status_status_detail = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                status_list.append(Status(status_status_code, status_status_detail))
            status = status_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        active_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            active_tasks_list: list[StreamsGroupHeartbeatResponseTaskIds] = []
            active_tasks_count = n
            for _ in range(active_tasks_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                active_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                active_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                active_tasks_list.append(StreamsGroupHeartbeatResponseTaskIds(active_tasks_subtopology_id, active_tasks_partitions))
            active_tasks = active_tasks_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        standby_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            standby_tasks_list: list[StreamsGroupHeartbeatResponseTaskIds] = []
            standby_tasks_count = n
            for _ in range(standby_tasks_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                standby_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                standby_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                standby_tasks_list.append(StreamsGroupHeartbeatResponseTaskIds(standby_tasks_subtopology_id, standby_tasks_partitions))
            standby_tasks = standby_tasks_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        warmup_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            warmup_tasks_list: list[StreamsGroupHeartbeatResponseTaskIds] = []
            warmup_tasks_count = n
            for _ in range(warmup_tasks_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                warmup_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                warmup_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                warmup_tasks_list.append(StreamsGroupHeartbeatResponseTaskIds(warmup_tasks_subtopology_id, warmup_tasks_partitions))
            warmup_tasks = warmup_tasks_list
        endpoint_information_epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        partitions_by_user_endpoint: list[EndpointToPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            partitions_by_user_endpoint_list: list[EndpointToPartitions] = []
            partitions_by_user_endpoint_count = n
            for _ in range(partitions_by_user_endpoint_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Host")
                if n < 0:
                    raise null("Host")
                partitions_by_user_endpoint_user_endpoint_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                partitions_by_user_endpoint_user_endpoint_port, = _read_H(buf, pos)
                pos += 2
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                partitions_by_user_endpoint_user_endpoint = StreamsGroupHeartbeatResponseEndpoint(partitions_by_user_endpoint_user_endpoint_host, partitions_by_user_endpoint_user_endpoint_port)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ActivePartitions", n, pos, end)
                partitions_by_user_endpoint_active_partitions: list[TopicPartition] = []
                partitions_by_user_endpoint_active_partitions_count = n
                for _ in range(partitions_by_user_endpoint_active_partitions_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Topic")
                    if n < 0:
                        raise null("Topic")
                    partitions_by_user_endpoint_active_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    partitions_by_user_endpoint_active_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    partitions_by_user_endpoint_active_partitions.append(TopicPartition(partitions_by_user_endpoint_active_partitions_topic, partitions_by_user_endpoint_active_partitions_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("StandbyPartitions", n, pos, end)
                partitions_by_user_endpoint_standby_partitions: list[TopicPartition] = []
                partitions_by_user_endpoint_standby_partitions_count = n
                for _ in range(partitions_by_user_endpoint_standby_partitions_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Topic")
                    if n < 0:
                        raise null("Topic")
                    partitions_by_user_endpoint_standby_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    partitions_by_user_endpoint_standby_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    partitions_by_user_endpoint_standby_partitions.append(TopicPartition(partitions_by_user_endpoint_standby_partitions_topic, partitions_by_user_endpoint_standby_partitions_partitions))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                partitions_by_user_endpoint_list.append(EndpointToPartitions(partitions_by_user_endpoint_user_endpoint, partitions_by_user_endpoint_active_partitions, partitions_by_user_endpoint_standby_partitions))
            partitions_by_user_endpoint = partitions_by_user_endpoint_list
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = StreamsGroupHeartbeatResponse(throttle_time_ms, error_code, error_message, member_id, member_epoch, heartbeat_interval_ms, acceptable_recovery_lag_legacy, task_offset_interval_ms, -1, status, active_tasks, standby_tasks, warmup_tasks, False, endpoint_information_epoch, partitions_by_user_endpoint)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_heartbeat_response_v0(out: bytearray, m: StreamsGroupHeartbeatResponse) -> None:
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
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
        out += _write_iiii(m.member_epoch, m.heartbeat_interval_ms, m.acceptable_recovery_lag_legacy, m.task_offset_interval_ms)
        status = m.status
        if status is None:
            out.append(0)
        else:
            n = len(status) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for status_item in status:
                out += _write_b(status_item.status_code)
                text = status_item.status_detail.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "StatusDetail")
                out += text
                out.append(0)
        active_tasks = m.active_tasks
        if active_tasks is None:
            out.append(0)
        else:
            n = len(active_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for active_tasks_item in active_tasks:
                text = active_tasks_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                active_tasks_partitions = active_tasks_item.partitions
                n = len(active_tasks_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(active_tasks_partitions)}i", *active_tasks_partitions)
                out.append(0)
        standby_tasks = m.standby_tasks
        if standby_tasks is None:
            out.append(0)
        else:
            n = len(standby_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for standby_tasks_item in standby_tasks:
                text = standby_tasks_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                standby_tasks_partitions = standby_tasks_item.partitions
                n = len(standby_tasks_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(standby_tasks_partitions)}i", *standby_tasks_partitions)
                out.append(0)
        warmup_tasks = m.warmup_tasks
        if warmup_tasks is None:
            out.append(0)
        else:
            n = len(warmup_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for warmup_tasks_item in warmup_tasks:
                text = warmup_tasks_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                warmup_tasks_partitions = warmup_tasks_item.partitions
                n = len(warmup_tasks_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(warmup_tasks_partitions)}i", *warmup_tasks_partitions)
                out.append(0)
        out += _write_i(m.endpoint_information_epoch)
        partitions_by_user_endpoint = m.partitions_by_user_endpoint
        if partitions_by_user_endpoint is None:
            out.append(0)
        else:
            n = len(partitions_by_user_endpoint) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for partitions_by_user_endpoint_item in partitions_by_user_endpoint:
                partitions_by_user_endpoint_user_endpoint = partitions_by_user_endpoint_item.user_endpoint
                text = partitions_by_user_endpoint_user_endpoint.host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Host")
                out += text
                out += _write_H(partitions_by_user_endpoint_user_endpoint.port)
                out.append(0)
                partitions_by_user_endpoint_active_partitions = partitions_by_user_endpoint_item.active_partitions
                n = len(partitions_by_user_endpoint_active_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for partitions_by_user_endpoint_active_partitions_item in partitions_by_user_endpoint_active_partitions:
                    text = partitions_by_user_endpoint_active_partitions_item.topic.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Topic")
                    out += text
                    partitions_by_user_endpoint_active_partitions_partitions = partitions_by_user_endpoint_active_partitions_item.partitions
                    n = len(partitions_by_user_endpoint_active_partitions_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(partitions_by_user_endpoint_active_partitions_partitions)}i", *partitions_by_user_endpoint_active_partitions_partitions)
                    out.append(0)
                partitions_by_user_endpoint_standby_partitions = partitions_by_user_endpoint_item.standby_partitions
                n = len(partitions_by_user_endpoint_standby_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for partitions_by_user_endpoint_standby_partitions_item in partitions_by_user_endpoint_standby_partitions:
                    text = partitions_by_user_endpoint_standby_partitions_item.topic.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Topic")
                    out += text
                    partitions_by_user_endpoint_standby_partitions_partitions = partitions_by_user_endpoint_standby_partitions_item.partitions
                    n = len(partitions_by_user_endpoint_standby_partitions_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(partitions_by_user_endpoint_standby_partitions_partitions)}i", *partitions_by_user_endpoint_standby_partitions_partitions)
                    out.append(0)
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupHeartbeatResponse", error) from error


def decode_streams_group_heartbeat_response_v1(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupHeartbeatResponse, int]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        member_epoch, heartbeat_interval_ms, task_offset_interval_ms, acceptable_recovery_lag = _read_iiiq(buf, pos)
        pos += 20
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        status: list[Status] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            status_list: list[Status] = []
            status_count = n
            for _ in range(status_count):
                status_status_code, = _read_b(buf, pos)
                pos += 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "StatusDetail")
                if n < 0:
                    raise null("StatusDetail")
                status_status_detail = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                status_list.append(Status(status_status_code, status_status_detail))
            status = status_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        active_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            active_tasks_list: list[StreamsGroupHeartbeatResponseTaskIds] = []
            active_tasks_count = n
            for _ in range(active_tasks_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                active_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                active_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                active_tasks_list.append(StreamsGroupHeartbeatResponseTaskIds(active_tasks_subtopology_id, active_tasks_partitions))
            active_tasks = active_tasks_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        standby_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            standby_tasks_list: list[StreamsGroupHeartbeatResponseTaskIds] = []
            standby_tasks_count = n
            for _ in range(standby_tasks_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                standby_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                standby_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                standby_tasks_list.append(StreamsGroupHeartbeatResponseTaskIds(standby_tasks_subtopology_id, standby_tasks_partitions))
            standby_tasks = standby_tasks_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        warmup_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            warmup_tasks_list: list[StreamsGroupHeartbeatResponseTaskIds] = []
            warmup_tasks_count = n
            for _ in range(warmup_tasks_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
                if n < 0:
                    raise null("SubtopologyId")
                warmup_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                warmup_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                warmup_tasks_list.append(StreamsGroupHeartbeatResponseTaskIds(warmup_tasks_subtopology_id, warmup_tasks_partitions))
            warmup_tasks = warmup_tasks_list
        topology_description_required, endpoint_information_epoch = _read_zi(buf, pos)
        pos += 5
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        partitions_by_user_endpoint: list[EndpointToPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            partitions_by_user_endpoint_list: list[EndpointToPartitions] = []
            partitions_by_user_endpoint_count = n
            for _ in range(partitions_by_user_endpoint_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Host")
                if n < 0:
                    raise null("Host")
                partitions_by_user_endpoint_user_endpoint_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                partitions_by_user_endpoint_user_endpoint_port, = _read_H(buf, pos)
                pos += 2
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                partitions_by_user_endpoint_user_endpoint = StreamsGroupHeartbeatResponseEndpoint(partitions_by_user_endpoint_user_endpoint_host, partitions_by_user_endpoint_user_endpoint_port)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ActivePartitions", n, pos, end)
                partitions_by_user_endpoint_active_partitions: list[TopicPartition] = []
                partitions_by_user_endpoint_active_partitions_count = n
                for _ in range(partitions_by_user_endpoint_active_partitions_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Topic")
                    if n < 0:
                        raise null("Topic")
                    partitions_by_user_endpoint_active_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    partitions_by_user_endpoint_active_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    partitions_by_user_endpoint_active_partitions.append(TopicPartition(partitions_by_user_endpoint_active_partitions_topic, partitions_by_user_endpoint_active_partitions_partitions))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("StandbyPartitions", n, pos, end)
                partitions_by_user_endpoint_standby_partitions: list[TopicPartition] = []
                partitions_by_user_endpoint_standby_partitions_count = n
                for _ in range(partitions_by_user_endpoint_standby_partitions_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Topic")
                    if n < 0:
                        raise null("Topic")
                    partitions_by_user_endpoint_standby_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    partitions_by_user_endpoint_standby_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    partitions_by_user_endpoint_standby_partitions.append(TopicPartition(partitions_by_user_endpoint_standby_partitions_topic, partitions_by_user_endpoint_standby_partitions_partitions))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                partitions_by_user_endpoint_list.append(EndpointToPartitions(partitions_by_user_endpoint_user_endpoint, partitions_by_user_endpoint_active_partitions, partitions_by_user_endpoint_standby_partitions))
            partitions_by_user_endpoint = partitions_by_user_endpoint_list
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = StreamsGroupHeartbeatResponse(throttle_time_ms, error_code, error_message, member_id, member_epoch, heartbeat_interval_ms, 0, task_offset_interval_ms, acceptable_recovery_lag, status, active_tasks, standby_tasks, warmup_tasks, topology_description_required, endpoint_information_epoch, partitions_by_user_endpoint)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_heartbeat_response_v1(out: bytearray, m: StreamsGroupHeartbeatResponse) -> None:
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
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
        out += _write_iiiq(m.member_epoch, m.heartbeat_interval_ms, m.task_offset_interval_ms, m.acceptable_recovery_lag)
        status = m.status
        if status is None:
            out.append(0)
        else:
            n = len(status) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for status_item in status:
                out += _write_b(status_item.status_code)
                text = status_item.status_detail.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "StatusDetail")
                out += text
                out.append(0)
        active_tasks = m.active_tasks
        if active_tasks is None:
            out.append(0)
        else:
            n = len(active_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for active_tasks_item in active_tasks:
                text = active_tasks_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                active_tasks_partitions = active_tasks_item.partitions
                n = len(active_tasks_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(active_tasks_partitions)}i", *active_tasks_partitions)
                out.append(0)
        standby_tasks = m.standby_tasks
        if standby_tasks is None:
            out.append(0)
        else:
            n = len(standby_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for standby_tasks_item in standby_tasks:
                text = standby_tasks_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                standby_tasks_partitions = standby_tasks_item.partitions
                n = len(standby_tasks_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(standby_tasks_partitions)}i", *standby_tasks_partitions)
                out.append(0)
        warmup_tasks = m.warmup_tasks
        if warmup_tasks is None:
            out.append(0)
        else:
            n = len(warmup_tasks) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for warmup_tasks_item in warmup_tasks:
                text = warmup_tasks_item.subtopology_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubtopologyId")
                out += text
                warmup_tasks_partitions = warmup_tasks_item.partitions
                n = len(warmup_tasks_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(warmup_tasks_partitions)}i", *warmup_tasks_partitions)
                out.append(0)
        out += _write_zi(m.topology_description_required, m.endpoint_information_epoch)
        partitions_by_user_endpoint = m.partitions_by_user_endpoint
        if partitions_by_user_endpoint is None:
            out.append(0)
        else:
            n = len(partitions_by_user_endpoint) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for partitions_by_user_endpoint_item in partitions_by_user_endpoint:
                partitions_by_user_endpoint_user_endpoint = partitions_by_user_endpoint_item.user_endpoint
                text = partitions_by_user_endpoint_user_endpoint.host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Host")
                out += text
                out += _write_H(partitions_by_user_endpoint_user_endpoint.port)
                out.append(0)
                partitions_by_user_endpoint_active_partitions = partitions_by_user_endpoint_item.active_partitions
                n = len(partitions_by_user_endpoint_active_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for partitions_by_user_endpoint_active_partitions_item in partitions_by_user_endpoint_active_partitions:
                    text = partitions_by_user_endpoint_active_partitions_item.topic.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Topic")
                    out += text
                    partitions_by_user_endpoint_active_partitions_partitions = partitions_by_user_endpoint_active_partitions_item.partitions
                    n = len(partitions_by_user_endpoint_active_partitions_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(partitions_by_user_endpoint_active_partitions_partitions)}i", *partitions_by_user_endpoint_active_partitions_partitions)
                    out.append(0)
                partitions_by_user_endpoint_standby_partitions = partitions_by_user_endpoint_item.standby_partitions
                n = len(partitions_by_user_endpoint_standby_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for partitions_by_user_endpoint_standby_partitions_item in partitions_by_user_endpoint_standby_partitions:
                    text = partitions_by_user_endpoint_standby_partitions_item.topic.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Topic")
                    out += text
                    partitions_by_user_endpoint_standby_partitions_partitions = partitions_by_user_endpoint_standby_partitions_item.partitions
                    n = len(partitions_by_user_endpoint_standby_partitions_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(partitions_by_user_endpoint_standby_partitions_partitions)}i", *partitions_by_user_endpoint_standby_partitions_partitions)
                    out.append(0)
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupHeartbeatResponse", error) from error

StreamsGroupHeartbeatResponse.DECODERS = {
    0: decode_streams_group_heartbeat_response_v0,
    1: decode_streams_group_heartbeat_response_v1,
}

StreamsGroupHeartbeatResponse.ENCODERS = {
    0: encode_streams_group_heartbeat_response_v0,
    1: encode_streams_group_heartbeat_response_v1,
}

__all__ = [
    "CopartitionGroup", "EndpointToPartitions", "KeyValue", "Status", "StreamsGroupHeartbeatRequest",
    "StreamsGroupHeartbeatRequestEndpoint", "StreamsGroupHeartbeatRequestTaskIds",
    "StreamsGroupHeartbeatResponse", "StreamsGroupHeartbeatResponseEndpoint",
    "StreamsGroupHeartbeatResponseTaskIds", "Subtopology", "TaskOffset", "TopicInfo", "TopicPartition",
    "Topology",
]
