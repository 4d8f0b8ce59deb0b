"""The field values of ordinary requests: values that a broker carries out, with names of existing things."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

from tests.faults.fuzz.population import (
    BIG_GROUP,
    BOMBS,
    EMPTY_SHARE_GROUP,
    NEWEST_EPOCH,
    OFFSETS_GROUP,
    PACKED,
    PRODUCERS,
    RECOMPRESSED,
    RECORDS_MS,
    SHARE_GROUP,
    SHARE_MEMBER,
    SHARED,
    SINGLE,
    STREAMS_GROUP,
    STREAMS_MEMBER,
    TRANSACTION,
    WIDE,
    Population,
    bomb,
    packed_batch,
    tiny_records,
)
from tests.faults.fuzz.schema_writer import NUMBERS
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.compression import Codec
from tidemark_protocol.generator.schema import Field

TOPIC_NAMES: Final = (
    "Name", "Topic", "TopicName", "TopicNames", "ResourceName", "SubscribedTopicNames", "SourceTopics",
)  # fmt: skip
GROUP_NAMES: Final = ("GroupId", "Groups", "GroupsNames", "GroupIds", "CoordinatorKeys", "Key")
PARTITION_NAMES: Final = ("Partition", "PartitionIndex", "Index", "PartitionIndexes", "Partitions")
CONFIGS: Final = (
    "retention.ms", "cleanup.policy", "segment.bytes", "compression.type", "max.message.bytes",
    "min.insync.replicas", "retention.bytes", "segment.ms", "delete.retention.ms", "file.delete.delay.ms",
)  # fmt: skip
# Kinds of request, by how an array is filled.
UNKNOWN: Final = "unknown names"
ONE: Final = "one that exists"
ALL: Final = "all that exist"
ALL_OF_ONE: Final = "one, all of it"
EVERYTHING: Final = "everything"
SMALLEST: Final = "smallest"
RANGES: Final = "ranges of one offset"
BY_ID: Final = "by id"
# Requests of a share session have the epochs 1, 2, ... in the place of this. The first one follows a
# ShareFetch that opens the session.
SESSION_EPOCH: Final = 0x16_3F_16_3E
NUMBERED: Final = "worst-numbered-????????"  # a member id; each of many requests in a row has another number
RECORDS_OF_A_FETCH: Final = 4000  # as many as may be in flight
BY_NAME_OR_ID: Final = ("Metadata", "DeleteTopics")  # elements of these requests have a name or an id
WRITTEN: Final = "not null"  # of a struct
ORDINARY_BATCH: Final = build_batch([LogRecord(0, RECORDS_MS, b"key", b"value", [])])

Values = dict[
    str, Any
]  # path ("Topics.Name"), end of a path ("Configs.Name") or name of a field to its value, or to a Made
Made = partial[Any]  # computes an expensive value when it is needed

# Values by the name of the field, unless the API has another value below.
USUAL: Final[Values] = {
    "Acks": -1, "CommitTimestamp": -1, "CommittedLeaderEpoch": -1, "CommittedMetadata": "some metadata",
    "Count": 5001, "CurrentLeaderEpoch": -1, "EndpointType": 1, "GenerationId": 1,
    "GenerationIdOrMemberEpoch": -1, "GroupInstanceId": None, "LastFetchedEpoch": -1, "LogStartOffset": -1,
    "MaxBytes": 57_671_680, "MemberEpoch": -1, "MinBytes": 1, "NumPartitions": 1,
    "PartitionMaxBytes": 1 << 20, "ProducerEpoch": -1, "ProducerId": -1, "ProtocolName": "range",
    "ProtocolType": "consumer", "RebalanceTimeoutMs": 30_000, "ReplicaId": -1, "ReplicationFactor": 1,
    "ResourceType": 2, "ResourceTypes": [2], "ResponsePartitionLimit": 2000, "RetentionTimeMs": -1,
    "SessionEpoch": -1, "SessionTimeoutMs": 30_000, "StatesFilter": ["Stable"], "TimeoutMs": 1000,
    "Timestamp": -1, "TransactionTimeoutMs": 60_000, "TransactionalId": None, "TypesFilter": ["classic"],
    "ValidateOnly": False, "validateOnly": False, "timeoutMs": 1000,
    "AllowAutoTopicCreation": True, "IncludeClusterAuthorizedOperations": True,
    "IncludeTopicAuthorizedOperations": True, "IncludeAuthorizedOperations": True,
    "IncludeSynonyms": True, "IncludeDocumentation": True, "IncludeFencedBrokers": True,
    "RequireStable": True, "Configs.Name": "retention.ms", "Configs.Value": "86400000",
    "Cursor": None, "GroupId": BIG_GROUP, "Groups": [BIG_GROUP], "GroupsNames": [BIG_GROUP],
    "GroupIds": [BIG_GROUP], "CoordinatorKeys": [BIG_GROUP], "Key": BIG_GROUP,
    "ClientSoftwareName": "worst", "ClientSoftwareVersion": "1",
    "ConfigurationKeys": None, "Reason": "because",
}  # fmt: skip
OF_ACLS: Final[Values] = {
    "ResourceTypeFilter": 2, "ResourceNameFilter": None, "PatternTypeFilter": 1, "PrincipalFilter": None,
    "HostFilter": None, "Operation": 1, "PermissionType": 1,
}  # fmt: skip
OF_SHARE_STATE: Final[Values] = {
    "GroupId": SHARE_GROUP, "StateEpoch": NEWEST_EPOCH, "LeaderEpoch": NEWEST_EPOCH, "DeliveryCount": 1,
}  # fmt: skip
OF_SHARE_SESSION: Final[Values] = {
    "GroupId": SHARE_GROUP, "MemberId": SHARE_MEMBER.format(0), "ShareSessionEpoch": SESSION_EPOCH,
    "MaxRecords": RECORDS_OF_A_FETCH, "BatchSize": 1, "MinBytes": 0, "MaxWaitMs": 0,
    "AcknowledgementBatches": (), "AcknowledgeTypes": [1], "ForgottenTopicsData": (),
}  # fmt: skip
OPENING: Final[Values] = {**OF_SHARE_SESSION, "ShareSessionEpoch": 0}
OF_TOPOLOGY: Final[Values] = {
    "SubtopologyId": WIDE.format(0), "SourceTopicRegex": (), "StateChangelogTopics": (),
    "RepartitionSinkTopics": (), "RepartitionSourceTopics": (), "CopartitionGroups": (), "TopicConfigs": (),
    "StateChangelogTopics.Name": "worst-changelog", "RepartitionSourceTopics.Name": "worst-repartition",
    "RepartitionSinkTopics[]": "worst-repartition", "RepartitionSourceTopics.Partitions": 1,
    "StateChangelogTopics.Partitions": 0,
}  # fmt: skip
JOINING: Final[Values] = {
    "GroupId": "worst-new-streams-group", "MemberId": NUMBERED, "MemberEpoch": 0, "Topology": WRITTEN,
    "ProcessId": "process", "RebalanceTimeoutMs": 30_000,
}  # fmt: skip
TRANSACTIONAL: Final = (
    "AddOffsetsToTxn", "AddPartitionsToTxn", "EndTxn", "TxnOffsetCommit", "WriteTxnMarkers",
)  # fmt: skip
OF_API: Final[dict[str, Values]] = {
    "AlterClientQuotas": {
        "EntityType": "client-id",
        "EntityName": "worst-limited",
        "Ops.Key": "request_percentage",
        "Ops.Value": 50.0,
    },
    "AlterUserScramCredentials": {
        "Name": "worst-user",
        "Mechanism": 1,
        "Iterations": 4096,
        "Salt": b"s" * 16,
        "SaltedPassword": b"p" * 32,
    },
    "ConsumerGroupHeartbeat": {
        "GroupId": "worst-heartbeat",
        "MemberId": "",
        "MemberEpoch": 0,
        "InstanceId": None,
        "RackId": None,
        "SubscribedTopicNames": None,
        "SubscribedTopicRegex": "worst-.*-[0-9]+",
        "ServerAssignor": None,
        "TopicPartitions": (),
    },
    "CreateAcls": {
        "ResourceType": 2,
        "ResourceName": "worst-acl",
        "ResourcePatternType": 3,
        "Principal": "User:somebody",
        "Host": "*",
        "Operation": 3,
        "PermissionType": 3,
    },
    "CreateDelegationToken": {
        "OwnerPrincipalType": None,
        "OwnerPrincipalName": None,
        "Renewers": (),
        "PrincipalType": "User",
        "PrincipalName": "somebody",
        "MaxLifetimeMs": -1,
    },
    "DeleteAcls": OF_ACLS,
    "DescribeAcls": OF_ACLS,
    "DescribeClientQuotas": {"EntityType": "client-id", "MatchType": 2, "Match": None},
    "AlterShareGroupOffsets": {"GroupId": EMPTY_SHARE_GROUP},
    "DeleteShareGroupOffsets": {"GroupId": EMPTY_SHARE_GROUP},
    "DescribeShareGroupOffsets": {"GroupId": EMPTY_SHARE_GROUP},
    "DeleteShareGroupState": OF_SHARE_STATE,
    "InitializeShareGroupState": OF_SHARE_STATE,
    "ReadShareGroupState": OF_SHARE_STATE,
    "ReadShareGroupStateSummary": OF_SHARE_STATE,
    "WriteShareGroupState": OF_SHARE_STATE,
    "ShareAcknowledge": OF_SHARE_SESSION,
    "ShareFetch": OF_SHARE_SESSION,
    "ShareGroupDescribe": {"GroupIds": [SHARE_GROUP]},
    "ShareGroupHeartbeat": {
        "GroupId": SHARE_GROUP,
        "MemberId": SHARE_MEMBER.format(0),
        "RackId": None,
        "SubscribedTopicNames": None,
    },
    "StreamsGroupDescribe": {"GroupIds": [STREAMS_GROUP]},
    "StreamsGroupHeartbeat": {
        "GroupId": STREAMS_GROUP,
        "MemberId": STREAMS_MEMBER.format(0),
        "EndpointInformationEpoch": -1,  # the response has the endpoints of all members
        "InstanceId": None,
        "RackId": None,
        "RebalanceTimeoutMs": -1,
        "Topology": None,
        "ActiveTasks": (),
        "StandbyTasks": (),
        "WarmupTasks": (),
        "ProcessId": None,
        "UserEndpoint": None,
        "ClientTags": None,
        "TaskOffsets": None,
        "TaskEndOffsets": None,
        **OF_TOPOLOGY,
    },
    "StreamsGroupTopologyDescriptionUpdate": {
        "GroupId": STREAMS_GROUP,
        "MemberId": STREAMS_MEMBER.format(0),
    },
    "DescribeTransactions": {"TransactionalIds": [TRANSACTION]},
    "CreatePartitions": {"Topics.Assignments": None},
    "CreateTopics": {"Topics.Name": "worst-created", "Topics.Assignments": (), "Topics.Configs": ()},
    "DeleteTopics": {"TopicNames": [SINGLE.format(0)]},
    "JoinGroup": {
        "GroupId": "worst-joined",
        "Protocols.Name": "range",
        "Protocols.Metadata": b"m" * 30,
        "MemberId": "",
    },
    "OffsetCommit": {"GroupId": "worst-committed"},
    "OffsetDelete": {"GroupId": OFFSETS_GROUP},
    "OffsetFetch": {"GroupId": OFFSETS_GROUP, "MemberId": None},
}
# Values of elements with a filled array, without which a broker would ignore the array.
WITHIN: Final[dict[tuple[str, str], Values]] = {
    ("CreateTopics", "Topics.Assignments"): {"NumPartitions": -1, "ReplicationFactor": -1},
    ("CreateTopics", "Topics.Assignments.BrokerIds"): {"NumPartitions": -1, "ReplicationFactor": -1},
}
TOPIC_OF: Final = {
    "ListOffsets": PACKED, "Fetch": PACKED, "OffsetForLeaderEpoch": PACKED, "DeleteRecords": PACKED,
    "DescribeProducers": PRODUCERS, "DeleteTopics": SINGLE.format(0), "ShareFetch": SHARED,
    "ShareAcknowledge": SHARED, "WriteShareGroupState": SHARED, "ReadShareGroupState": SHARED,
    "ReadShareGroupStateSummary": SHARED,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Variant:
    """Other values for an API's requests.

    only          the kinds of request that use them, if not the usual ones
    is_pipelined  many such requests are sent in a row, too. Without `only`, they always are
    """

    label: str
    values: Values
    topic: str | None = None
    only: tuple[str, ...] = ()
    is_pipelined: bool = False
    of_streams_group: bool = False  # by a member of the large streams group


PLAIN: Final = Variant("", {})


class Ordinary:
    """The values of one API's requests. `use` chooses a variant, and the array to fill."""

    def __init__(self, api: str, population: Population) -> None:
        self._api = api
        self._population = population
        self._transaction: Values = {}
        self._group: Values = {}
        if api == "ShareGroupHeartbeat":
            self._group = {"MemberEpoch": population.share_epoch}
        elif api == "StreamsGroupHeartbeat":
            self._group = {"MemberEpoch": population.streams_epoch}
        if api in TRANSACTIONAL:
            self._transaction = {
                below + name: value
                for below in ("", "V3AndBelow")
                for name, value in (
                    ("TransactionalId", TRANSACTION),
                    ("ProducerId", population.producer_id),
                    ("ProducerEpoch", population.producer_epoch),
                )
            }
        self.use(PLAIN)

    def use(self, variant: Variant, path: str = "") -> None:
        self._variant = variant
        within, of_api = WITHIN.get((self._api, path), {}), OF_API.get(self._api, {})
        values = dict(variant.values)
        if variant.of_streams_group:
            values |= {
                "GroupId": STREAMS_GROUP,
                "MemberId": STREAMS_MEMBER.format(0),
                "MemberEpoch": self._population.streams_epoch,
                "GenerationIdOrMemberEpoch": self._population.streams_epoch,
            }
        self._known = (values, within, of_api, self._group, self._transaction, USUAL)

    @property
    def is_distinct(self) -> bool:
        """Return whether a request that names something twice is refused as a whole."""
        return self._variant.values.get("ShareSessionEpoch") == OPENING["ShareSessionEpoch"]

    def value(self, field: Field, path: str) -> Any:
        """Return the most specific value for the field."""
        end = ".".join(path.split(".")[-2:])
        for values in self._known:
            for key in (path, end, field.name):
                if key in values:
                    found = values[key]
                    return _made(found) if isinstance(found, partial) else found
        return self._of_population(field)

    def existing(self, field: Field, path: str) -> list[Any] | None:
        """Return every value of this field that names an existing thing; None if the field names nothing."""
        population, name = self._population, field.name
        if name == "TopicId":
            return [population.topic_ids[each] for each in population.topics]
        if name in PARTITION_NAMES and field.kind == "int32":
            return list(range(population.topics[self._topic()]))
        if name in GROUP_NAMES:
            return population.groups
        if name == "MemberId":
            return population.member_ids
        if name == "SubtopologyId":
            return population.subtopologies
        if "Configs" in path or name == "ConfigurationKeys":
            return list(CONFIGS)
        if name in TOPIC_NAMES and field.kind == "string" and "Protocols" not in path:
            return list(population.topics)
        return None

    def partitions_of(self, topic: str | bytes) -> int:
        """Return the partitions of a topic, by its name or id."""
        name = self._population.names[topic] if isinstance(topic, bytes) else topic
        return self._population.topics[name]

    def _of_population(self, field: Field) -> Any:
        name = field.name
        if field.struct is not None and not field.array:
            return None
        if name == "TopicId":
            by_name = self._api in BY_NAME_OR_ID and self._variant.label != BY_ID
            return bytes(16) if by_name else self._population.topic_ids[self._topic()]
        if name in TOPIC_NAMES and field.kind == "string":
            return [self._topic()] if field.array else self._topic()
        if name == "MemberId":
            return self._population.member_ids[0]
        if name == "Records":
            return ORDINARY_BATCH
        if field.array:
            return [0] if field.kind in NUMBERS else [""]
        return {"string": "", "bytes": b"", "uuid": bytes(16)}.get(field.kind, 0)

    def _topic(self) -> str:
        return self._variant.topic or TOPIC_OF.get(self._api, WIDE.format(0))


@cache
def _made(value: Made) -> Any:
    return value()


def _records(codec: Codec) -> Iterator[Variant]:
    """Return batches of one codec that inflate as much as a batch of a megabyte can."""
    ratio = {Codec.ZSTD: 9000, Codec.GZIP: 900, Codec.LZ4: 200, Codec.SNAPPY: 18}[codec]
    inflating = partial(bomb, codec, min(95_000_000, ratio * 1_000_000))
    packed = partial(packed_batch, codec)
    name = codec.name.lower()
    only = ("all that exist", "everything")
    for acks in (-1, 0):
        result = "" if acks else ", acks=0"
        yield Variant(f"{name} that inflates{result}", {"Records": inflating, "Acks": acks}, only=only)
    yield Variant(f"{name}, 10,000 records each", {"Records": packed}, only=only)
    yield Variant(f"{name}, 10,000 records each, compressed anew", {"Records": packed}, RECOMPRESSED, only)
    yield Variant(f"{name} that inflates, compressed anew", {"Records": inflating}, RECOMPRESSED, only)
    if codec is Codec.ZSTD:
        yield Variant(
            f"{name}, a million empty records",
            {"Records": partial(tiny_records, codec, 1_000_000)},
            only=only,
        )


def _produced() -> Iterator[Variant]:
    """Return the batches for Produce."""
    tiny = partial(tiny_records, Codec.NONE, 125_000)
    everything = ("all that exist", "everything")
    yield Variant("125,000 records each", {"Records": tiny}, only=("all that exist",))
    yield Variant("small batches, acks=0", {"Acks": 0}, only=everything)
    for codec in (Codec.ZSTD, Codec.GZIP, Codec.LZ4, Codec.SNAPPY):
        yield from _records(codec)


@cache
def variants(api: str) -> tuple[Variant, ...]:
    return tuple(_produced()) if api == "Produce" else VARIANTS.get(api, ())


VARIANTS: Final[dict[str, tuple[Variant, ...]]] = {
    "AlterConfigs": (Variant("the broker", {"ResourceType": 4, "ResourceName": "1"}),),
    "CreatePartitions": (Variant("10,000 each", {"Count": 10_000}),
                         Variant("only checked", {"ValidateOnly": True})),
    "CreateTopics": (
        Variant("10,000 partitions each", {"NumPartitions": 10_000}, only=("unknown names",)),
        Variant("only checked", {"validateOnly": True}, only=("unknown names", "one that exists")),
    ),
    "DeleteRecords": (Variant("the end", {"Offset": -1}),),
    "DeleteTopics": (Variant(BY_ID, {"Topics.Name": None}),),
    "DescribeConfigs": (
        Variant("the broker", {"ResourceType": 4, "ResourceName": "1"}, only=("one that exists",)),
    ),
    "Fetch": (
        Variant("a session", {"SessionEpoch": 0}),
        # Not pipelined: thousands of them wait for a second each, one after the other.
        Variant("waiting", {"MaxWaitMs": 1000, "MinBytes": 1 << 30},
                only=("unknown names", "one that exists", "all that exist", "everything")),
        Variant("of inflating batches", {}, BOMBS),
    ),
    "FindCoordinator": (Variant("of transactions", {"KeyType": 1}),),
    "IncrementalAlterConfigs": (
        Variant("the broker", {"ResourceType": 4, "ResourceName": "1"}),
        Variant("append to a list", {"Configs.Name": "cleanup.policy", "ConfigOperation": 2,
                                     "Configs.Value": "compact"}),
    ),
    "DeleteGroups": (Variant("of share offsets", {"GroupsNames": [EMPTY_SHARE_GROUP]}, only=(ONE,)),),
    "DescribeShareGroupOffsets": (
        Variant("of a group with members", {"GroupId": SHARE_GROUP}, only=(ONE, ALL_OF_ONE)),
    ),
    "JoinGroup": (Variant("of a large group", {"GroupId": BIG_GROUP}),),
    "ListGroups": (
        Variant("of share groups", {"StatesFilter": (), "TypesFilter": ["share", "streams"]}, only=(ONE,)),
    ),
    "OffsetFetch": (Variant("of a streams group", {}, of_streams_group=True),),
    "ListOffsets": (
        Variant("by time", {"Timestamp": RECORDS_MS + 9000}),
        Variant("by time, of inflating batches", {"Timestamp": RECORDS_MS}, BOMBS),
        Variant("the largest timestamp", {"Timestamp": -3}),
        Variant("the earliest", {"Timestamp": -2}),
    ),
    "Metadata": (Variant(BY_ID, {"Topics.Name": None}),),
    "OffsetCommit": (
        Variant("long metadata", {"CommittedMetadata": "m" * 4000}),
        Variant("of a streams group", {}, of_streams_group=True),
    ),
    "ReadShareGroupState": (
        Variant("newer leaders", {"LeaderEpoch": NEWEST_EPOCH + 1}, only=(ALL, EVERYTHING)),
    ),
    "ShareFetch": (
        Variant("a new session", OPENING, only=(UNKNOWN, ALL, EVERYTHING), is_pipelined=True),
        Variant("a new session that waits", {**OPENING, "MaxWaitMs": 1000, "MinBytes": 1 << 30},
                only=(ALL, EVERYTHING)),
        Variant("many acknowledgements", {"AcknowledgementBatches": WRITTEN}, only=(ALL, EVERYTHING)),
        Variant("renewals", {"IsRenewAck": True, "MaxBytes": 0, "MaxRecords": 0}, only=(RANGES,)),
    ),
    "ShareAcknowledge": (
        Variant("releases", {"AcknowledgeTypes": [2]}, only=(RANGES,)),
        Variant("renewals", {"IsRenewAck": True, "AcknowledgeTypes": [4]}, only=(RANGES,)),
    ),
    "ShareGroupHeartbeat": (
        Variant("joining", {"MemberId": NUMBERED, "MemberEpoch": 0}, only=(UNKNOWN, ONE, ALL),
                is_pipelined=True),
    ),
    "StreamsGroupHeartbeat": (Variant("joining a new group", JOINING, only=(UNKNOWN, ONE, ALL, SMALLEST)),),
}  # fmt: skip
