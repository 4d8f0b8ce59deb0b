# Generated from schemas/records. Edit that, then run make generate.
"""The versions of a stored record that have a field. Fields of all versions are not listed."""

from __future__ import annotations

from typing import Final, NamedTuple


class Presence(NamedTuple):
    """The versions that have a field, and those in which it is tagged, so that a default is not written."""

    lowest: int
    highest: int
    tagged_from: int


# Module and struct -> field.
PRESENCE: Final[dict[str, dict[str, Presence]]] = {
    "records.abort_transaction_record.AbortTransactionRecord": {
        "Reason": Presence(0, 32768, 0),
    },
    "records.begin_transaction_record.BeginTransactionRecord": {
        "Name": Presence(0, 32768, 0),
    },
    "records.broker_registration_change_record.BrokerRegistrationChangeRecord": {
        "Fenced": Presence(0, 32768, 0),
        "InControlledShutdown": Presence(1, 32768, 1),
        "LogDirs": Presence(2, 32768, 2),
        "CordonedLogDirs": Presence(3, 32768, 3),
    },
    "records.consumer_group_current_member_assignment.TopicPartitions": {
        "AssignmentEpochs": Presence(0, 32768, 0),
    },
    "records.consumer_group_member_metadata.ConsumerGroupMemberMetadataValue": {
        "ClassicMemberMetadata": Presence(0, 32768, 0),
    },
    "records.consumer_group_metadata.ConsumerGroupMetadataValue": {
        "MetadataHash": Presence(0, 32768, 0),
        "CreationTimeMs": Presence(0, 32768, 0),
    },
    "records.consumer_group_target_assignment_metadata.ConsumerGroupTargetAssignmentMetadataValue": {
        "AssignmentTimestamp": Presence(0, 32768, 0),
    },
    "records.consumer_protocol_subscription.TopicPartition": {
        "Topic": Presence(1, 32768, 32768),
        "Partitions": Presence(1, 32768, 32768),
    },
    "records.consumer_protocol_subscription.ConsumerProtocolSubscription": {
        "OwnedPartitions": Presence(1, 32768, 32768),
        "GenerationId": Presence(2, 32768, 32768),
        "RackId": Presence(3, 32768, 32768),
    },
    "records.group_metadata.MemberMetadata": {
        "groupInstanceId": Presence(3, 32768, 32768),
        "rebalanceTimeout": Presence(1, 32768, 32768),
    },
    "records.group_metadata.GroupMetadataValue": {
        "currentStateTimestamp": Presence(2, 32768, 32768),
    },
    "records.leader_change_message.Voter": {
        "VoterDirectoryId": Presence(1, 32768, 32768),
    },
    "records.offset_commit.OffsetCommitValue": {
        "leaderEpoch": Presence(3, 32768, 32768),
        "expireTimestamp": Presence(1, 1, 32768),
        "topicId": Presence(4, 32768, 4),
    },
    "records.partition_change_record.PartitionChangeRecord": {
        "Isr": Presence(0, 32768, 0),
        "Leader": Presence(0, 32768, 0),
        "Replicas": Presence(0, 32768, 0),
        "RemovingReplicas": Presence(0, 32768, 0),
        "AddingReplicas": Presence(0, 32768, 0),
        "LeaderRecoveryState": Presence(0, 32768, 0),
        "Directories": Presence(1, 32768, 1),
        "EligibleLeaderReplicas": Presence(2, 32768, 2),
        "LastKnownElr": Presence(2, 32768, 2),
    },
    "records.partition_record.PartitionRecord": {
        "LeaderRecoveryState": Presence(0, 32768, 0),
        "Directories": Presence(1, 32768, 32768),
        "EligibleLeaderReplicas": Presence(2, 32768, 2),
        "LastKnownElr": Presence(2, 32768, 2),
        "CreationTimeMs": Presence(0, 32768, 0),
    },
    "records.quorum_state_data.Voter": {
        "VoterId": Presence(0, 0, 32768),
    },
    "records.quorum_state_data.QuorumStateData": {
        "ClusterId": Presence(0, 0, 32768),
        "VotedDirectoryId": Presence(1, 32768, 32768),
        "AppliedOffset": Presence(0, 0, 32768),
        "CurrentVoters": Presence(0, 0, 32768),
    },
    "records.register_broker_record.RegisterBrokerRecord": {
        "IsMigratingZkBroker": Presence(2, 32768, 32768),
        "InControlledShutdown": Presence(1, 32768, 32768),
        "LogDirs": Presence(3, 32768, 3),
        "CordonedLogDirs": Presence(4, 32768, 4),
    },
    "records.remote_log_segment_metadata_record.RemoteLogSegmentMetadataRecord": {
        "TxnIndexEmpty": Presence(0, 32768, 0),
    },
    "records.remote_log_segment_metadata_snapshot_record.RemoteLogSegmentMetadataSnapshotRecord": {
        "TxnIndexEmpty": Presence(0, 32768, 0),
    },
    "records.share_group_target_assignment_metadata.ShareGroupTargetAssignmentMetadataValue": {
        "AssignmentTimestamp": Presence(0, 32768, 0),
    },
    "records.share_snapshot.ShareSnapshotValue": {
        "DeliveryCompleteCount": Presence(0, 32768, 0),
    },
    "records.share_update.ShareUpdateValue": {
        "DeliveryCompleteCount": Presence(0, 32768, 0),
    },
    "records.streams_group_current_member_assignment.TaskIds": {
        "AssignmentEpochs": Presence(0, 32768, 0),
    },
    "records.streams_group_metadata.StreamsGroupMetadataValue": {
        "ValidatedTopologyEpoch": Presence(0, 32768, 0),
        "LastAssignmentConfigs": Presence(0, 32768, 0),
    },
    "records.streams_group_target_assignment_metadata.StreamsGroupTargetAssignmentMetadataValue": {
        "AssignmentTimestamp": Presence(0, 32768, 0),
    },
    "records.transaction_log.TransactionLogValue": {
        "PreviousProducerId": Presence(1, 32768, 1),
        "NextProducerId": Presence(1, 32768, 1),
        "NextProducerEpoch": Presence(1, 32768, 1),
        "ClientTransactionVersion": Presence(1, 32768, 1),
    },
}
