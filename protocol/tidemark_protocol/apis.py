# Generated from schemas. Edit that, then run make generate.
"""Every API: key, name, module, lowest and highest version, first flexible version (32768: none).

No code uses the messages of an API without a module.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Api(NamedTuple):
    key: int
    name: str
    module: str
    lowest: int
    highest: int
    flexible_from: int


APIS: Final[dict[str, Api]] = {
    "Produce": Api(0, "Produce", "tidemark_protocol.messages.produce", 3, 13, 9),
    "Fetch": Api(1, "Fetch", "tidemark_protocol.messages.fetch", 4, 18, 12),
    "ListOffsets": Api(2, "ListOffsets", "tidemark_protocol.messages.list_offsets", 1, 11, 6),
    "Metadata": Api(3, "Metadata", "tidemark_protocol.messages.metadata", 0, 14, 9),
    "OffsetCommit": Api(8, "OffsetCommit", "tidemark_protocol.messages.offset_commit", 0, 10, 8),
    "OffsetFetch": Api(9, "OffsetFetch", "tidemark_protocol.messages.offset_fetch", 1, 10, 6),
    "FindCoordinator": Api(10, "FindCoordinator", "tidemark_protocol.messages.find_coordinator", 0, 6, 3),
    "JoinGroup": Api(11, "JoinGroup", "tidemark_protocol.messages.join_group", 0, 9, 6),
    "Heartbeat": Api(12, "Heartbeat", "tidemark_protocol.messages.heartbeat", 0, 4, 4),
    "LeaveGroup": Api(13, "LeaveGroup", "tidemark_protocol.messages.leave_group", 0, 5, 4),
    "SyncGroup": Api(14, "SyncGroup", "tidemark_protocol.messages.sync_group", 0, 5, 4),
    "DescribeGroups": Api(15, "DescribeGroups", "tidemark_protocol.messages.describe_groups", 0, 6, 5),
    "ListGroups": Api(16, "ListGroups", "tidemark_protocol.messages.list_groups", 0, 5, 3),
    "SaslHandshake": Api(17, "SaslHandshake", "tidemark_protocol.messages.sasl_handshake", 0, 1, 32768),
    "ApiVersions": Api(18, "ApiVersions", "tidemark_protocol.messages.api_versions", 0, 5, 3),
    "CreateTopics": Api(19, "CreateTopics", "tidemark_protocol.messages.create_topics", 2, 7, 5),
    "DeleteTopics": Api(20, "DeleteTopics", "tidemark_protocol.messages.delete_topics", 1, 6, 4),
    "DeleteRecords": Api(21, "DeleteRecords", "tidemark_protocol.messages.delete_records", 0, 2, 2),
    "InitProducerId": Api(22, "InitProducerId", "tidemark_protocol.messages.init_producer_id", 0, 6, 2),
    "OffsetForLeaderEpoch": Api(23, "OffsetForLeaderEpoch", "tidemark_protocol.messages.offset_for_leader_epoch", 2, 4, 4),
    "AddPartitionsToTxn": Api(24, "AddPartitionsToTxn", "tidemark_protocol.messages.add_partitions_to_txn", 0, 5, 3),
    "AddOffsetsToTxn": Api(25, "AddOffsetsToTxn", "tidemark_protocol.messages.add_offsets_to_txn", 0, 4, 3),
    "EndTxn": Api(26, "EndTxn", "tidemark_protocol.messages.end_txn", 0, 5, 3),
    "WriteTxnMarkers": Api(27, "WriteTxnMarkers", "tidemark_protocol.messages.write_txn_markers", 1, 2, 1),
    "TxnOffsetCommit": Api(28, "TxnOffsetCommit", "tidemark_protocol.messages.txn_offset_commit", 0, 6, 3),
    "DescribeAcls": Api(29, "DescribeAcls", "tidemark_protocol.messages.describe_acls", 1, 3, 2),
    "CreateAcls": Api(30, "CreateAcls", "tidemark_protocol.messages.create_acls", 1, 3, 2),
    "DeleteAcls": Api(31, "DeleteAcls", "tidemark_protocol.messages.delete_acls", 1, 3, 2),
    "DescribeConfigs": Api(32, "DescribeConfigs", "tidemark_protocol.messages.describe_configs", 1, 4, 4),
    "AlterConfigs": Api(33, "AlterConfigs", "tidemark_protocol.messages.alter_configs", 0, 2, 2),
    "AlterReplicaLogDirs": Api(34, "AlterReplicaLogDirs", "tidemark_protocol.messages.alter_replica_log_dirs", 1, 2, 2),
    "DescribeLogDirs": Api(35, "DescribeLogDirs", "tidemark_protocol.messages.describe_log_dirs", 1, 5, 2),
    "SaslAuthenticate": Api(36, "SaslAuthenticate", "tidemark_protocol.messages.sasl_authenticate", 0, 2, 2),
    "CreatePartitions": Api(37, "CreatePartitions", "tidemark_protocol.messages.create_partitions", 0, 3, 2),
    "CreateDelegationToken": Api(38, "CreateDelegationToken", "tidemark_protocol.messages.create_delegation_token", 1, 3, 2),
    "RenewDelegationToken": Api(39, "RenewDelegationToken", "tidemark_protocol.messages.renew_delegation_token", 1, 2, 2),
    "ExpireDelegationToken": Api(40, "ExpireDelegationToken", "tidemark_protocol.messages.expire_delegation_token", 1, 2, 2),
    "DescribeDelegationToken": Api(41, "DescribeDelegationToken", "tidemark_protocol.messages.describe_delegation_token", 1, 3, 2),
    "DeleteGroups": Api(42, "DeleteGroups", "tidemark_protocol.messages.delete_groups", 0, 3, 2),
    "ElectLeaders": Api(43, "ElectLeaders", "tidemark_protocol.messages.elect_leaders", 0, 2, 2),
    "IncrementalAlterConfigs": Api(44, "IncrementalAlterConfigs", "tidemark_protocol.messages.incremental_alter_configs", 0, 1, 1),
    "AlterPartitionReassignments": Api(45, "AlterPartitionReassignments", "tidemark_protocol.messages.alter_partition_reassignments", 0, 1, 0),
    "ListPartitionReassignments": Api(46, "ListPartitionReassignments", "tidemark_protocol.messages.list_partition_reassignments", 0, 0, 0),
    "OffsetDelete": Api(47, "OffsetDelete", "tidemark_protocol.messages.offset_delete", 0, 0, 32768),
    "DescribeClientQuotas": Api(48, "DescribeClientQuotas", "tidemark_protocol.messages.describe_client_quotas", 0, 1, 1),
    "AlterClientQuotas": Api(49, "AlterClientQuotas", "tidemark_protocol.messages.alter_client_quotas", 0, 1, 1),
    "DescribeUserScramCredentials": Api(50, "DescribeUserScramCredentials", "tidemark_protocol.messages.describe_user_scram_credentials", 0, 0, 0),
    "AlterUserScramCredentials": Api(51, "AlterUserScramCredentials", "tidemark_protocol.messages.alter_user_scram_credentials", 0, 0, 0),
    "Vote": Api(52, "Vote", "", 0, 2, 0),
    "BeginQuorumEpoch": Api(53, "BeginQuorumEpoch", "", 0, 1, 1),
    "EndQuorumEpoch": Api(54, "EndQuorumEpoch", "", 0, 1, 1),
    "DescribeQuorum": Api(55, "DescribeQuorum", "tidemark_protocol.messages.describe_quorum", 0, 2, 0),
    "AlterPartition": Api(56, "AlterPartition", "", 2, 3, 0),
    "UpdateFeatures": Api(57, "UpdateFeatures", "tidemark_protocol.messages.update_features", 0, 2, 0),
    "Envelope": Api(58, "Envelope", "", 0, 0, 0),
    "FetchSnapshot": Api(59, "FetchSnapshot", "", 0, 1, 0),
    "DescribeCluster": Api(60, "DescribeCluster", "tidemark_protocol.messages.describe_cluster", 0, 2, 0),
    "DescribeProducers": Api(61, "DescribeProducers", "tidemark_protocol.messages.describe_producers", 0, 0, 0),
    "BrokerRegistration": Api(62, "BrokerRegistration", "", 0, 4, 0),
    "BrokerHeartbeat": Api(63, "BrokerHeartbeat", "", 0, 2, 0),
    "UnregisterBroker": Api(64, "UnregisterBroker", "tidemark_protocol.messages.unregister_broker", 0, 0, 0),
    "DescribeTransactions": Api(65, "DescribeTransactions", "tidemark_protocol.messages.describe_transactions", 0, 0, 0),
    "ListTransactions": Api(66, "ListTransactions", "tidemark_protocol.messages.list_transactions", 0, 2, 0),
    "AllocateProducerIds": Api(67, "AllocateProducerIds", "", 0, 0, 0),
    "ConsumerGroupHeartbeat": Api(68, "ConsumerGroupHeartbeat", "tidemark_protocol.messages.consumer_group_heartbeat", 0, 2, 0),
    "ConsumerGroupDescribe": Api(69, "ConsumerGroupDescribe", "tidemark_protocol.messages.consumer_group_describe", 0, 1, 0),
    "ControllerRegistration": Api(70, "ControllerRegistration", "", 0, 0, 0),
    "GetTelemetrySubscriptions": Api(71, "GetTelemetrySubscriptions", "tidemark_protocol.messages.get_telemetry_subscriptions", 0, 0, 0),
    "PushTelemetry": Api(72, "PushTelemetry", "tidemark_protocol.messages.push_telemetry", 0, 0, 0),
    "AssignReplicasToDirs": Api(73, "AssignReplicasToDirs", "", 0, 0, 0),
    "ListConfigResources": Api(74, "ListConfigResources", "tidemark_protocol.messages.list_config_resources", 0, 1, 0),
    "DescribeTopicPartitions": Api(75, "DescribeTopicPartitions", "tidemark_protocol.messages.describe_topic_partitions", 0, 1, 0),
    "ShareGroupHeartbeat": Api(76, "ShareGroupHeartbeat", "tidemark_protocol.messages.share_group_heartbeat", 1, 1, 0),
    "ShareGroupDescribe": Api(77, "ShareGroupDescribe", "tidemark_protocol.messages.share_group_describe", 1, 1, 0),
    "ShareFetch": Api(78, "ShareFetch", "tidemark_protocol.messages.share_fetch", 1, 2, 0),
    "ShareAcknowledge": Api(79, "ShareAcknowledge", "tidemark_protocol.messages.share_acknowledge", 1, 2, 0),
    "AddRaftVoter": Api(80, "AddRaftVoter", "tidemark_protocol.messages.add_raft_voter", 0, 1, 0),
    "RemoveRaftVoter": Api(81, "RemoveRaftVoter", "tidemark_protocol.messages.remove_raft_voter", 0, 0, 0),
    "UpdateRaftVoter": Api(82, "UpdateRaftVoter", "", 0, 0, 0),
    "InitializeShareGroupState": Api(83, "InitializeShareGroupState", "tidemark_protocol.messages.initialize_share_group_state", 0, 0, 0),
    "ReadShareGroupState": Api(84, "ReadShareGroupState", "tidemark_protocol.messages.read_share_group_state", 0, 0, 0),
    "WriteShareGroupState": Api(85, "WriteShareGroupState", "tidemark_protocol.messages.write_share_group_state", 0, 1, 0),
    "DeleteShareGroupState": Api(86, "DeleteShareGroupState", "tidemark_protocol.messages.delete_share_group_state", 0, 0, 0),
    "ReadShareGroupStateSummary": Api(87, "ReadShareGroupStateSummary", "tidemark_protocol.messages.read_share_group_state_summary", 0, 1, 0),
    "StreamsGroupHeartbeat": Api(88, "StreamsGroupHeartbeat", "tidemark_protocol.messages.streams_group_heartbeat", 0, 1, 0),
    "StreamsGroupDescribe": Api(89, "StreamsGroupDescribe", "tidemark_protocol.messages.streams_group_describe", 0, 1, 0),
    "DescribeShareGroupOffsets": Api(90, "DescribeShareGroupOffsets", "tidemark_protocol.messages.describe_share_group_offsets", 0, 1, 0),
    "AlterShareGroupOffsets": Api(91, "AlterShareGroupOffsets", "tidemark_protocol.messages.alter_share_group_offsets", 0, 0, 0),
    "DeleteShareGroupOffsets": Api(92, "DeleteShareGroupOffsets", "tidemark_protocol.messages.delete_share_group_offsets", 0, 0, 0),
    "StreamsGroupTopologyDescriptionUpdate": Api(93, "StreamsGroupTopologyDescriptionUpdate", "tidemark_protocol.messages.streams_group_topology_description_update", 0, 0, 0),
    "UnregisterController": Api(94, "UnregisterController", "tidemark_protocol.messages.unregister_controller", 0, 0, 0),
}

API_NAMES: Final[dict[int, str]] = {api.key: api.name for api in APIS.values()}
