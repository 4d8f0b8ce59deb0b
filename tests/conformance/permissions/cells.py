"""The requests of the matrix: at least one for every served API. Each caller sends each of them.

Topics, groups and transactional ids named `other` and `nosuch` are the second and an unknown one in a
request. Requests that succeed change nothing that another response contains; a name of its own for each
caller is the name followed by a dot and the caller's number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.conformance.build import (
    Request,
    commit,
    delete_offsets,
    fetch_offsets,
    heartbeat,
    join,
    leave,
    subscribed,
    sync,
)
from tests.conformance.build_acls import ANY, acl, acl_filter
from tests.conformance.build_admin import (
    BROKER,
    BROKER_LOGGER,
    CLIENT_METRICS,
    GROUP,
    SET,
    TOPIC,
    alter,
    change,
    create,
    delete,
    delete_records,
    describe,
    grow,
    new,
)
from tests.conformance.build_data import batch, fetch, list_offsets, produce
from tests.conformance.build_share import (
    ACCEPT,
    SHARE,
    alter_share_offsets,
    delete_share_offsets,
    describe_share,
    describe_share_offsets,
    share_acknowledge,
    share_fetch,
    share_heartbeat,
    share_state,
)
from tests.conformance.build_streams import (
    describe_streams,
    internal,
    streams_heartbeat,
    subtopology,
    topology,
)
from tests.conformance.build_transactions import (
    add,
    add_all,
    add_offsets,
    commit_offsets,
    describe_producers,
    describe_transactions,
    end,
    init,
    list_transactions,
    marker,
    set_features,
    transaction,
    write_markers,
)
from tests.conformance.cases import client_quotas
from tests.conformance.cases.elections import elect, list_reassignments, move, reassign
from tests.conformance.cases.quorum import add_voter, describe_quorum, remove_voter
from tests.conformance.consumers import consumer_heartbeat

Ids = Mapping[str, str]
TOPICS: Final = ("read", "other", "written")
GROUPS: Final = ("group", "other-group", "consumers")
TRANSACTIONS: Final = ("id", "other-id")
UNKNOWN_ID: Final = "AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA".lower()
UNKNOWN_PRODUCER: Final = 987_654_321
LEADER_EPOCH: Final = {"LeaderEpoch": 0, "CurrentLeaderEpoch": -1}
RESOURCES: Final = (
    (TOPIC, "read"),
    (TOPIC, "other"),
    (TOPIC, "nosuch"),
    (BROKER, "1"),
    (BROKER, ""),
    (GROUP, "group"),
    (CLIENT_METRICS, "subscription"),
)
VALUES: Final = {
    TOPIC: ("retention.ms", "1000"),
    BROKER: ("log.retention.ms", "1000"),
    GROUP: ("consumer.session.timeout.ms", "50000"),
    CLIENT_METRICS: ("interval.ms", "1000"),
}
# Of topics, groups and transactional ids that exist besides those of the matrix.
OURS: Final = frozenset((*TOPICS, *GROUPS, *TRANSACTIONS, "1"))

# They need no permission, or Kafka does not have them: the matrix runs as Kafka 4.3.
# The cells of ShareGroupHeartbeat and ShareGroupDescribe are recorded with those of all of KIP-932.
WITHOUT_CELLS: Final = frozenset(
    ("GetTelemetrySubscriptions", "PushTelemetry", "ShareGroupDescribe", "ShareGroupHeartbeat",
     "StreamsGroupTopologyDescriptionUpdate", "UnregisterController")
)  # fmt: skip


@dataclass(slots=True, frozen=True)
class Cell:
    """A request that each caller sends.

    request   builds it from the caller's number and the ids of topics by name
    listed    the response is a list of everything: only what is in OURS is compared
    """

    name: str
    request: Callable[[int, Ids], Request]
    listed: bool = False

    @property
    def api(self) -> str:
        return self.request(1, defaultdict(lambda: UNKNOWN_ID))[0]


def _each(values: tuple[str, ...], partitions: dict[int, int]) -> dict[str, dict[int, int]]:
    return dict.fromkeys(values, partitions)


ASKED: Final = ("read", "other", "nosuch")
ALL_ZERO: Final = _each(ASKED, {0: 0})
PARTITIONS: Final = {name: [0] for name in ASKED}


def _metadata(*names: str, version: int = 12, **more: Any) -> Request:
    fields = {
        "Topics": [{"Name": name} for name in names],
        "AllowAutoTopicCreation": False,
        "IncludeTopicAuthorizedOperations": True,
    }
    return "Metadata", version, fields | more


def _coordinators(kind: int, *keys: str) -> Request:
    return "FindCoordinator", 4, {"KeyType": kind, "CoordinatorKeys": list(keys)}


def _share_state(api: str, version: int, **fields: Any) -> Callable[[int, Ids], Request]:
    """Return a request about the state of two partitions, whose topic no share group has read."""

    def build(_: int, ids: Ids) -> Request:
        partitions = [{"Partition": index, **fields} for index in (0, 1)]
        return (
            api,
            version,
            {"GroupId": "group", "Topics": [{"TopicId": ids["read"], "Partitions": partitions}]},
        )

    return build


def _described(*groups: str, version: int) -> Request:
    fields = {"Groups": list(groups), "IncludeAuthorizedOperations": True}
    return "DescribeGroups", version, fields


def cells() -> list[Cell]:
    """Return the requests. Those that change something when they succeed are the last ones."""
    found: list[Cell] = []

    def cell(name: str, request: Callable[[int, Ids], Request] | Request, *, listed: bool = False) -> None:
        build = request if callable(request) else lambda _caller, _ids: request
        found.append(Cell(name, build, listed))

    cell("ApiVersions", ("ApiVersions", 0, {}))
    cell("ListOffsets", list_offsets(_each(ASKED, {0: -1})))
    cell("Fetch by name", fetch(ALL_ZERO))
    cell("Fetch by id", lambda _, ids: fetch(
        {ids["read"]: {0: 0}, ids["other"]: {0: 0}, UNKNOWN_ID: {0: 0}}, version=13))  # fmt: skip
    cell("Fetch of a replica by name", fetch(ALL_ZERO, ReplicaId=9))
    cell("Fetch of a replica by id", lambda _, ids: fetch(
        {ids["read"]: {0: 0}, ids["other"]: {0: 0}, UNKNOWN_ID: {0: 0}}, version=17,
        ReplicaState={"ReplicaId": 9, "ReplicaEpoch": 1}))  # fmt: skip
    cell("OffsetForLeaderEpoch", ("OffsetForLeaderEpoch", 4, {"ReplicaId": -1, "Topics": [
        {"Topic": name, "Partitions": [{"Partition": 0, **LEADER_EPOCH}]} for name in ASKED]}))  # fmt: skip
    cell("Metadata", _metadata(*ASKED))
    cell("Metadata v8 with the cluster", _metadata(
        "read", "other", version=8, IncludeClusterAuthorizedOperations=True))  # fmt: skip
    cell("Metadata of invalid names", _metadata("", "no/name"))
    cell("Metadata by id", lambda _, ids: ("Metadata", 12, {"Topics": [
        {"TopicId": ids["read"], "Name": None}, {"TopicId": ids["other"], "Name": None},
        {"TopicId": UNKNOWN_ID, "Name": None}]}))  # fmt: skip
    cell("Metadata of all", ("Metadata", 12, {"Topics": None, "IncludeTopicAuthorizedOperations": True}),
         listed=True)  # fmt: skip
    cell("DescribeTopicPartitions", ("DescribeTopicPartitions", 0, {
        "Topics": [{"Name": name} for name in ASKED], "ResponsePartitionLimit": 100}))  # fmt: skip
    cell("DescribeTopicPartitions of all", ("DescribeTopicPartitions", 0, {
        "Topics": [], "ResponsePartitionLimit": 2000}), listed=True)  # fmt: skip
    cell("DescribeCluster", ("DescribeCluster", 1, {"IncludeClusterAuthorizedOperations": True}))
    cell("DescribeProducers", describe_producers(PARTITIONS))
    cell("DescribeLogDirs", ("DescribeLogDirs", 4, {"Topics": [{"Topic": "read", "Partitions": [0]}]}))
    cell("ListPartitionReassignments", ("ListPartitionReassignments", 0, {"TimeoutMs": 9000, "Topics": None}))
    cell("ListPartitionReassignments of some", list_reassignments(
        {"read": [0, 7], "nosuch": [0], "other": []}))  # fmt: skip

    cell("AlterPartitionReassignments", reassign(
        {"read": {0: None}, "other": {0: None}, "nosuch": {0: None}}))  # fmt: skip
    cell("ElectLeaders", elect({"read": [0], "other": [0], "nosuch": [0]}))
    cell("ElectLeaders v0", elect({"read": [0]}, version=0))
    cell("AlterReplicaLogDirs", move({"/nosuch": {"read": [0], "nosuch": [0]}}))
    cell("DescribeQuorum", describe_quorum(("nosuch", [0])))
    cell("AddRaftVoter", add_voter(9, None, "CONTROLLER"))
    cell("RemoveRaftVoter", remove_voter(9))
    cell("UnregisterBroker", ("UnregisterBroker", 0, {"BrokerId": 4711}))

    cell("FindCoordinator of groups", _coordinators(0, "group", "other-group"))
    cell("FindCoordinator of transactions", _coordinators(1, "id", "other-id"))
    cell("FindCoordinator v3 of a group", ("FindCoordinator", 3, {"Key": "other-group", "KeyType": 0}))
    cell("FindCoordinator v3 of a transaction", ("FindCoordinator", 3, {"Key": "other-id", "KeyType": 1}))
    cell("FindCoordinator v0", ("FindCoordinator", 0, {"Key": "group"}))
    cell("ListGroups", ("ListGroups", 5, {}), listed=True)
    cell("DescribeGroups v6", _described("group", "other-group", "consumers", "nosuch", version=6))
    cell("DescribeGroups v5", _described("group", "other-group", "consumers", "nosuch", version=5))
    cell("ConsumerGroupDescribe", ("ConsumerGroupDescribe", 1, {
        "GroupIds": ["consumers", "group", "other-group", "nosuch"],
        "IncludeAuthorizedOperations": True}))  # fmt: skip
    many = [f"g{n}" for n in range(8)]
    cell("DescribeGroups of many", _described(
        *many, "other-group", *many[::-1], "group", "", "group", version=6))  # fmt: skip
    cell("ConsumerGroupDescribe of many", ("ConsumerGroupDescribe", 1, {
        "GroupIds": [*many, "other-group", *many[::-1], "consumers", "", "consumers"]}))  # fmt: skip
    cell("ConsumerGroupHeartbeat", consumer_heartbeat(
        "group", "nobody", 5, topics=["read", "other", "nosuch"], rebalance_ms=9000))  # fmt: skip
    cell("ConsumerGroupHeartbeat of no topic", consumer_heartbeat("other-group", "nobody", 5))
    cell("ConsumerGroupHeartbeat with a regular expression", consumer_heartbeat(
        "consumers", "nobody", 5, regex="re.*", rebalance_ms=9000))  # fmt: skip
    cell("JoinGroup", join("joined", protocols=subscribed("read"), version=9))
    cell("JoinGroup without a name", join("", protocols=subscribed("read"), version=9))
    cell("SyncGroup", sync("group", "nobody", 1, version=5))
    cell("SyncGroup without a protocol", ("SyncGroup", 5, {
        "GroupId": "group", "GenerationId": 1, "MemberId": "nobody", "Assignments": []}))  # fmt: skip
    cell("Heartbeat", heartbeat("group", "nobody", 1))
    cell("LeaveGroup", leave("group", "nobody"))
    cell("LeaveGroup v1", ("LeaveGroup", 1, {"GroupId": "group", "MemberId": "nobody"}))
    for version in (1, 5, 7):
        cell(f"OffsetFetch v{version}", fetch_offsets("group", PARTITIONS, version=version))
    cell("OffsetFetch", ("OffsetFetch", 9, {"Groups": [
        {"GroupId": group, "Topics": [{"Name": name, "PartitionIndexes": [0]} for name in ASKED]}
        for group in ("group", "other-group", "nosuch")]}))  # fmt: skip
    cell("OffsetFetch of all topics", ("OffsetFetch", 9, {"Groups": [
        {"GroupId": group, "Topics": None} for group in ("group", "other-group")]}))  # fmt: skip
    cell("OffsetFetch v10", lambda _, ids: fetch_offsets(
        "group", {ids["read"]: [0], ids["other"]: [0], UNKNOWN_ID: [0]}, version=10))  # fmt: skip
    cell("OffsetCommit", commit("committed", ALL_ZERO))
    cell("OffsetCommit v2", commit("committed", ALL_ZERO, version=2))
    cell("OffsetCommit v10", lambda _, ids: commit(
        "committed", {ids["read"]: {0: 1}, ids["other"]: {0: 1}, UNKNOWN_ID: {0: 1}},
        version=10))  # fmt: skip
    cell("OffsetDelete", delete_offsets("deleted", ("read", [0]), ("other", [7]), ("nosuch", [0])))
    cell("OffsetDelete of an unknown group", delete_offsets("nosuch", ("read", [0])))

    cell("InitProducerId", init(None))
    cell("InitProducerId of a transaction", init("initialised"))
    cell("InitProducerId without a name", init(""))
    producer = ("id", UNKNOWN_PRODUCER, 0)
    cell("AddPartitionsToTxn", add(*producer, PARTITIONS, version=3))
    cell("AddPartitionsToTxn of a broker", add_all(
        transaction(*producer, {"read": [0]}, verify=True), version=5))  # fmt: skip
    cell("AddOffsetsToTxn", add_offsets(*producer, "group"))
    cell("TxnOffsetCommit", commit_offsets("id", "group", UNKNOWN_PRODUCER, 0, ALL_ZERO))
    cell("EndTxn", end(*producer, commit=True))
    cell("WriteTxnMarkers", write_markers(marker(UNKNOWN_PRODUCER, 0, {"nosuch": [0]})))
    cell("DescribeTransactions", describe_transactions("id", "other-id", "nosuch"))
    cell("ListTransactions", list_transactions(), listed=True)

    cell("FindCoordinator of share partitions", ("FindCoordinator", 6, {
        "KeyType": 2, "CoordinatorKeys": ["no share partition"]}))  # fmt: skip
    cell(
        "InitializeShareGroupState", _share_state("InitializeShareGroupState", 0, StateEpoch=0, StartOffset=0)
    )
    cell("ReadShareGroupState", _share_state("ReadShareGroupState", 0, LeaderEpoch=0))
    cell("WriteShareGroupState", _share_state(
        "WriteShareGroupState", 1, StateEpoch=0, LeaderEpoch=0, StartOffset=0, StateBatches=[]))  # fmt: skip
    cell("DeleteShareGroupState", _share_state("DeleteShareGroupState", 0))
    cell("ReadShareGroupStateSummary", _share_state("ReadShareGroupStateSummary", 1, LeaderEpoch=0))

    keys = {kind: [name] for kind, (name, _) in VALUES.items()}
    cell("DescribeConfigs", describe(*((kind, name, keys[kind]) for kind, name in RESOURCES)))
    cell("AlterConfigs", alter(
        *((kind, name, [VALUES[kind]]) for kind, name in RESOURCES), validate_only=True))  # fmt: skip
    cell("IncrementalAlterConfigs", change(*(
        (kind, name, [(VALUES[kind][0], SET, VALUES[kind][1])]) for kind, name in RESOURCES
    ), validate_only=True))  # fmt: skip
    cell("AlterConfigs that names a setting twice", alter(
        *((kind, name, [VALUES[kind]] * 2) for kind, name in RESOURCES), validate_only=True))  # fmt: skip
    cell("IncrementalAlterConfigs without a value", change(*(
        (kind, name, [(VALUES[kind][0], SET, None)]) for kind, name in RESOURCES
    ), validate_only=True))  # fmt: skip
    cell("IncrementalAlterConfigs of odd resources", change(
        (TOPIC, "", [("retention.ms", SET, "1")]), (GROUP, "", [("retention.ms", SET, "1")]),
        (CLIENT_METRICS, "", [("interval.ms", SET, "1000")]), (BROKER, "7", []), (BROKER, "x", []),
        (99, "x", []), (BROKER, "1", [("nosuch", SET, "1")]), (TOPIC, "read", [("nosuch", SET, "1")]),
        (TOPIC, "no/name", [("retention.ms", SET, "1")]), validate_only=True))  # fmt: skip
    cell("DescribeConfigs of loggers", describe(
        (BROKER_LOGGER, "1", ["no.such.logger"]), (BROKER_LOGGER, "", [])))  # fmt: skip
    cell("IncrementalAlterConfigs of loggers", change(
        (BROKER_LOGGER, "1", [("no.such.logger", SET, "INFO")]), (BROKER_LOGGER, "7", []),
        (BROKER_LOGGER, "", [("a", SET, None)]), validate_only=True))  # fmt: skip
    cell("ListConfigResources", ("ListConfigResources", 1, {"ResourceTypes": []}), listed=True)
    cell("ListConfigResources v0", ("ListConfigResources", 0, {}))
    cell("UpdateFeatures", set_features(("nosuch", 1), validate_only=True))
    cell("UpdateFeatures v1", set_features(("nosuch", 1), validate_only=True, version=1))
    cell("DescribeClientQuotas", client_quotas.describe(("user", 0, "nobody")))
    quota = ({"user": "nobody"}, [("producer_byte_rate", 5)])
    cell("AlterClientQuotas", client_quotas.alter(quota, validate_only=True))
    cell("DescribeAcls", ("DescribeAcls", 3, acl_filter("nosuch")))
    cell("DeleteAcls", ("DeleteAcls", 3, {"Filters": [acl_filter("nosuch"), acl_filter("no", kind=ANY)]}))

    cell("SaslHandshake", ("SaslHandshake", 1, {"Mechanism": "PLAIN"}))
    cell("SaslAuthenticate", ("SaslAuthenticate", 2, {"AuthBytes": ""}))
    cell("DescribeUserScramCredentials", ("DescribeUserScramCredentials", 0, {"Users": [{"Name": "nobody"}]}))
    cell("AlterUserScramCredentials", ("AlterUserScramCredentials", 0, {
        "Deletions": [{"Name": "nobody", "Mechanism": 1}], "Upsertions": []}))  # fmt: skip
    cell("CreateDelegationToken", ("CreateDelegationToken", 3, {"Renewers": [], "MaxLifetimeMs": -1}))
    cell("RenewDelegationToken", ("RenewDelegationToken", 2, {"Hmac": "00", "RenewPeriodMs": -1}))
    cell("ExpireDelegationToken", ("ExpireDelegationToken", 2, {"Hmac": "00", "ExpiryTimePeriodMs": -1}))
    cell("DescribeDelegationToken", ("DescribeDelegationToken", 3, {"Owners": None}))
    cell("CreateAcls", ("CreateAcls", 3, {"Creations": [acl("acl"), acl("")]}))
    cell("CreateTopics", create(new("fresh"), new("read"), new("no/name"), new("__cluster_metadata"),
                                validate_only=True))  # fmt: skip
    cell("CreateTopics with settings", create(
        new("fresh", configs={"retention.ms": "5"}), validate_only=True, version=5))  # fmt: skip
    cell("CreatePartitions", grow(("read", 3), ("other", 3), ("nosuch", 3), validate_only=True))
    cell("DeleteRecords", delete_records(ALL_ZERO))
    cell("Metadata that creates a topic", lambda caller, _: _metadata(
        f"automatic.{caller}", AllowAutoTopicCreation=True))  # fmt: skip
    cell("Metadata v0", lambda caller, _: ("Metadata", 0, {"Topics": [
        {"Name": name} for name in ("read", "other", f"automatic-in-v0.{caller}")]}))  # fmt: skip
    cell("DeleteTopics by name", lambda caller, _: delete(f"named.{caller}", "nosuch", version=5))
    cell("DeleteTopics by id", lambda caller, ids: delete(
        *({"Name": None, "TopicId": each}
          for each in (ids[f"identified.{caller}"], UNKNOWN_ID))))  # fmt: skip
    cell("DeleteGroups", lambda caller, _: ("DeleteGroups", 2, {
        "GroupsNames": [f"grouped.{caller}", "nosuch"]}))  # fmt: skip
    cell("Produce", produce(_each(("written", "other", "nosuch"), {0: batch()})))  # type: ignore[arg-type]
    cell("Produce v13", lambda _, ids: produce(
        {ids["written"]: {0: batch()}, ids["other"]: {0: batch()}, UNKNOWN_ID: {0: batch()}},
        version=13))  # fmt: skip
    transactional = batch(producer_id=UNKNOWN_PRODUCER, producer_epoch=0, base_sequence=0, attributes=0x10)
    cell("Produce in a transaction", produce({"written": {0: transactional}}, transactional_id="id"))
    cell("Produce in no transaction", produce({"written": {0: transactional}}))
    found.extend(Cell(name, build) for name, build in (share_cells() | streams_cells()).items())
    return found


def share_cells() -> dict[str, Callable[[int, Ids], Request]]:
    """Return the requests about share groups: of members, of admins, and of brokers.

    Each caller is a member of its own, which acquires no records.
    """
    nothing: dict[str, Any] = {"max_records": 0}

    def known(ids: Ids, *more: str) -> dict[str, dict[int, Any]]:
        return {topic_id: {0: [(0, 0, ACCEPT)]} for topic_id in (ids["read"], ids["other"], *more)}

    def state(api: str, fields: Mapping[str, Any]) -> Callable[[int, Ids], Request]:
        return lambda _, ids: share_state(api, "stated", {ids["read"]: {0: fields}})

    return {
        "ShareGroupHeartbeat": lambda *_: share_heartbeat("sharers", "nobody", 5, ASKED),
        "ShareGroupHeartbeat of one topic": lambda *_: share_heartbeat("sharers", "nobody", 5, ["read"]),
        "ShareGroupHeartbeat of no topic": lambda *_: share_heartbeat("other-group", "nobody", 5),
        "ShareGroupHeartbeat without a name": lambda *_: share_heartbeat("", "nobody", 5, ["read"]),
        "ShareGroupDescribe": lambda *_: describe_share(
            "sharers", "group", "other-group", "nosuch", "", operations=True
        ),
        "ShareFetch": lambda caller, ids: share_fetch(
            "sharers", f"m{caller}", 0, {ids["read"]: [0], ids["other"]: [0]}, **nothing
        ),
        "ShareFetch that acknowledges": lambda caller, ids: share_fetch(
            "sharers", f"m{caller}", 1, known(ids), **nothing
        ),
        "ShareFetch of another group": lambda caller, ids: share_fetch(
            "other-group", f"m{caller}", 0, {ids["read"]: [0]}, **nothing
        ),
        "ShareFetch without a group": lambda caller, ids: share_fetch(None, f"m{caller}", 0),
        "ShareAcknowledge": lambda caller, ids: share_acknowledge("sharers", f"m{caller}", 2, known(ids)),
        "ShareAcknowledge of an unknown topic": lambda caller, ids: share_acknowledge(
            "sharers", f"m{caller}", 3, known(ids, UNKNOWN_ID)
        ),
        "ShareFetch that ends a session": lambda caller, ids: share_fetch(
            "sharers", f"m{caller}", -1, known(ids), **nothing
        ),
        "DescribeShareGroupOffsets": lambda *_: describe_share_offsets(
            ("sharers", PARTITIONS), ("other-group", PARTITIONS), ("nosuch", PARTITIONS)
        ),
        "DescribeShareGroupOffsets of all topics": lambda *_: describe_share_offsets(
            ("sharers", None), ("other-group", None)
        ),
        "AlterShareGroupOffsets of a group with members": lambda *_: alter_share_offsets("sharers", ALL_ZERO),
        "AlterShareGroupOffsets": lambda caller, _: alter_share_offsets(f"offsets.{caller}", ALL_ZERO),
        "DeleteShareGroupOffsets of a group with members": lambda *_: delete_share_offsets("sharers", *ASKED),
        "DeleteShareGroupOffsets": lambda caller, _: delete_share_offsets(f"offsets.{caller}", *ASKED),
        "FindCoordinator of a share partition": lambda *_: (
            "FindCoordinator", 6, {"KeyType": SHARE, "CoordinatorKeys": ["g:AAAAAAAAAAAAAAAAAAAAAQ:0", "g"]}
        ),
        "InitializeShareGroupState": state("Initialize", {"StateEpoch": 0, "StartOffset": 0}),
        "ReadShareGroupState": state("Read", {"LeaderEpoch": 0}),
        "WriteShareGroupState": state("Write", {"StateEpoch": 0, "StartOffset": -1, "StateBatches": []}),
        "ReadShareGroupStateSummary": state("ReadSummary", {"LeaderEpoch": 0}),
        "DeleteShareGroupState": state("Delete", {}),
    }  # fmt: skip


def streams_cells() -> dict[str, Callable[[int, Ids], Request]]:
    """Return the requests about streams groups. None of them finds a group, or changes one.

    A topology is only allowed in a join, but what it names is checked before that.
    """

    def topics(*sources: str, group: str = "group", **other: Any) -> Callable[[int, Ids], Request]:
        named = topology(subtopology("0", sources, **other))
        return lambda *_: streams_heartbeat(group, "nobody", 5, topology=named)

    return {
        "StreamsGroupHeartbeat": lambda *_: streams_heartbeat("nosuch", "nobody", 5),
        "StreamsGroupHeartbeat of another group": lambda *_: streams_heartbeat("other-group", "nobody", 5),
        "StreamsGroupHeartbeat without a name": lambda *_: streams_heartbeat("", "nobody", 5),
        "StreamsGroupHeartbeat of a topic": topics("read"),
        "StreamsGroupHeartbeat of some topics": topics(*ASKED),
        "StreamsGroupHeartbeat of internal topics": topics(
            "read", changelogs=[internal("other")], sinks=["written"]
        ),
        "StreamsGroupHeartbeat of an invalid topic": topics("in valid", "read"),
        "StreamsGroupDescribe": lambda *_: describe_streams(
            "group", "other-group", "nosuch", "", operations=True
        ),
    }
