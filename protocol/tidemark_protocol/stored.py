"""Encoding of coordinator and metadata records in a log, and the versions in which they are written.

A coordinator record has an int16 key version (its record type) and the key, then an int16 value version and
the value. A metadata record has no key. Its value is a varint frame version 1, a varint api key, a varint
version, and the record.
"""

from __future__ import annotations

import importlib
from functools import cache
from struct import Struct as Format
from typing import Any, Final, NamedTuple

from tidemark_protocol.records.group_metadata import GroupMetadataValue
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.wire import WireError, read_uvarint, write_uvarint

_INT16: Final = Format(">h")
_KEY_CACHE_MAX: Final = 65_536  # entries; a client commits the same few partitions repeatedly

# Key version -> module and name stem of the classes, for every record type of __consumer_offsets that is
# read.
COORDINATOR: Final = {
    0: ("legacy_offset_commit", "LegacyOffsetCommit"),
    1: ("offset_commit", "OffsetCommit"),
    2: ("group_metadata", "GroupMetadata"),
    3: ("consumer_group_metadata", "ConsumerGroupMetadata"),
    4: ("consumer_group_partition_metadata", "ConsumerGroupPartitionMetadata"),
    5: ("consumer_group_member_metadata", "ConsumerGroupMemberMetadata"),
    6: ("consumer_group_target_assignment_metadata", "ConsumerGroupTargetAssignmentMetadata"),
    7: ("consumer_group_target_assignment_member", "ConsumerGroupTargetAssignmentMember"),
    8: ("consumer_group_current_member_assignment", "ConsumerGroupCurrentMemberAssignment"),
    10: ("share_group_member_metadata", "ShareGroupMemberMetadata"),
    11: ("share_group_metadata", "ShareGroupMetadata"),
    12: ("share_group_target_assignment_metadata", "ShareGroupTargetAssignmentMetadata"),
    13: ("share_group_target_assignment_member", "ShareGroupTargetAssignmentMember"),
    14: ("share_group_current_member_assignment", "ShareGroupCurrentMemberAssignment"),
    15: ("share_group_state_partition_metadata", "ShareGroupStatePartitionMetadata"),
    16: ("consumer_group_regular_expression", "ConsumerGroupRegularExpression"),
    17: ("streams_group_metadata", "StreamsGroupMetadata"),
    19: ("streams_group_member_metadata", "StreamsGroupMemberMetadata"),
    20: ("streams_group_target_assignment_metadata", "StreamsGroupTargetAssignmentMetadata"),
    21: ("streams_group_target_assignment_member", "StreamsGroupTargetAssignmentMember"),
    22: ("streams_group_current_member_assignment", "StreamsGroupCurrentMemberAssignment"),
    23: ("streams_group_topology", "StreamsGroupTopology"),
}

# Key version -> Kafka's name, for every record type of __consumer_offsets so far.
RECORD_TYPES: Final = {
    **{version: stem for version, (_, stem) in COORDINATOR.items()},
    9: "ShareGroupPartitionMetadata",
    18: "StreamsGroupPartitionMetadata",
}

# Api key -> module and class, for every record type of __cluster_metadata.
METADATA: Final = {
    0: ("register_broker_record", "RegisterBrokerRecord"),
    1: ("unregister_broker_record", "UnregisterBrokerRecord"),
    2: ("topic_record", "TopicRecord"),
    3: ("partition_record", "PartitionRecord"),
    4: ("config_record", "ConfigRecord"),
    5: ("partition_change_record", "PartitionChangeRecord"),
    7: ("fence_broker_record", "FenceBrokerRecord"),
    8: ("unfence_broker_record", "UnfenceBrokerRecord"),
    9: ("remove_topic_record", "RemoveTopicRecord"),
    10: ("delegation_token_record", "DelegationTokenRecord"),
    11: ("user_scram_credential_record", "UserScramCredentialRecord"),
    12: ("feature_level_record", "FeatureLevelRecord"),
    14: ("client_quota_record", "ClientQuotaRecord"),
    15: ("producer_ids_record", "ProducerIdsRecord"),
    17: ("broker_registration_change_record", "BrokerRegistrationChangeRecord"),
    18: ("access_control_entry_record", "AccessControlEntryRecord"),
    19: ("remove_access_control_entry_record", "RemoveAccessControlEntryRecord"),
    20: ("no_op_record", "NoOpRecord"),
    21: ("zk_migration_state_record", "ZkMigrationStateRecord"),
    22: ("remove_user_scram_credential_record", "RemoveUserScramCredentialRecord"),
    23: ("begin_transaction_record", "BeginTransactionRecord"),
    24: ("end_transaction_record", "EndTransactionRecord"),
    25: ("abort_transaction_record", "AbortTransactionRecord"),
    26: ("remove_delegation_token_record", "RemoveDelegationTokenRecord"),
    27: ("register_controller_record", "RegisterControllerRecord"),
    28: ("clear_elr_record", "ClearElrRecord"),
}


class UnknownRecordType(WireError):
    """The key version or api key is unknown to this release. Kafka skips such records with a warning."""


class Versions(NamedTuple):
    """The versions in which values are written. Record types that are not here have one version.

    offset                  of an offset without a leader epoch and without a time of expiry of its own
    offset_with_epoch       of one with a leader epoch
    group                   of a classic group
    group_with_instance     of one that has a static member
    """

    offset: int
    offset_with_epoch: int
    group: int
    group_with_instance: int


VERSIONS_OF: Final[dict[str, Versions]] = {
    "": Versions(2, 3, 2, 3),  # the lowest that keep everything that a client can see
    "4.4": Versions(4, 4, 3, 3),
    "4.3": Versions(4, 4, 3, 3),
    "4.2": Versions(4, 4, 3, 3),
    "4.1": Versions(3, 3, 3, 3),
    "4.0": Versions(3, 3, 3, 3),
    "3.9": Versions(3, 3, 3, 3),
}
_WITH_EXPIRY: Final = 1  # the only version that stores when an offset expires

_VERSIONS: Final = tuple(_INT16.pack(version) for version in range(OffsetCommitValue.HIGHEST + 1))
_OFFSET_ENCODERS: Final = OffsetCommitValue.ENCODERS


class CoordinatorCodec:
    """Encodes coordinator records. Keys of offsets are cached: clients commit the same few repeatedly."""

    __slots__ = ("_offset_keys", "_versions")

    def __init__(self, versions: Versions = VERSIONS_OF[""]) -> None:
        self._versions = versions
        self._offset_keys: dict[tuple[str, str, int], bytes] = {}

    def encode(self, key: Any, value: Any) -> tuple[bytes, bytes | None]:
        """Return key and value as stored in the log. The value of a tombstone is None."""
        if type(key) is not OffsetCommitKey:
            encoded_key = _encode_key(key)
            if value is None:
                return encoded_key, None
            version = value.HIGHEST
            if type(value) is GroupMetadataValue:
                version = self._versions.group
                for member in value.members:
                    if member.group_instance_id is not None:
                        version = self._versions.group_with_instance
            out = bytearray(_INT16.pack(version))
            value.ENCODERS[version](out, value)
            return encoded_key, bytes(out)
        name = (key.group, key.topic, key.partition)
        key_bytes = self._offset_keys.get(name)
        if key_bytes is None:
            key_bytes = self._keep(name, _encode_key(key))
        if value is None:
            return key_bytes, None
        if value.expire_timestamp != -1:
            version = _WITH_EXPIRY
        elif value.leader_epoch == -1:
            version = self._versions.offset
        else:
            version = self._versions.offset_with_epoch
        out = bytearray(_VERSIONS[version])
        _OFFSET_ENCODERS[version](out, value)
        return key_bytes, bytes(out)

    def _keep(self, name: tuple[str, str, int], key: bytes) -> bytes:
        if len(self._offset_keys) >= _KEY_CACHE_MAX:
            self._offset_keys.clear()
        self._offset_keys[name] = key
        return key


def _encode_key(key: Any) -> bytes:
    cls: Any = type(key)
    version = cls.API_KEY
    out = bytearray(_INT16.pack(version))
    cls.ENCODERS[cls.HIGHEST](out, key)
    return bytes(out)


def decode_coordinator(key: bytes, value: bytes | None) -> tuple[Any, Any]:
    """Return key and value as objects. A value of None is a tombstone. Legacy offsets become current ones.

    Raises UnknownRecordType for an unknown key version, which Kafka would skip. Raises WireError for anything
    else that cannot be read, including an unknown version of a value.
    """
    version = _int16(key)
    if version not in COORDINATOR:
        raise UnknownRecordType(RECORD_TYPES.get(version, f"record type {version}"))
    key_class, value_class = _coordinator_classes(version)
    decoded_key, _ = key_class.DECODERS[key_class.HIGHEST](key, 2, len(key))
    decoded_value = None if value is None else _decode_value(value_class, value)
    return (decoded_key, decoded_value) if version else _modern(decoded_key, decoded_value)


@cache
def _coordinator_classes(version: int) -> tuple[Any, Any]:
    module_name, stem = COORDINATOR[version]
    module = importlib.import_module(f"tidemark_protocol.records.{module_name}")
    return getattr(module, f"{stem}Key"), getattr(module, f"{stem}Value")


def _decode_value(value_class: Any, value: bytes) -> Any:
    version = _int16(value)
    decode = value_class.DECODERS.get(version)
    if decode is None:
        raise WireError(f"{value_class.NAME} has no version {version}")
    return decode(value, 2, len(value))[0]


def _modern(key: Any, value: Any) -> tuple[OffsetCommitKey, OffsetCommitValue | None]:
    modern_key = OffsetCommitKey(key.group, key.topic, key.partition)
    if value is None:
        return modern_key, None
    return modern_key, OffsetCommitValue(
        offset=value.offset, metadata=value.metadata, commit_timestamp=value.commit_timestamp
    )


def _int16(data: bytes) -> int:
    if len(data) < 2:
        raise WireError(f"{len(data)} bytes where a version should be")
    version: int = _INT16.unpack_from(data)[0]
    return version


def encode_metadata(record: Any, version: int | None = None) -> bytes:
    """Return a metadata record as stored in the log, in its newest version by default."""
    if version is None:
        version = record.HIGHEST
    out = bytearray((1,))
    write_uvarint(out, record.API_KEY)
    write_uvarint(out, version)
    record.ENCODERS[version](out, record)
    return bytes(out)


def decode_metadata(data: bytes) -> Any:
    """Return a metadata record. Raises UnknownRecordType for an unknown api key, else WireError."""
    try:
        frame, pos = read_uvarint(data, 0)
        api_key, pos = read_uvarint(data, pos)
        version, pos = read_uvarint(data, pos)
    except IndexError:
        raise WireError("a metadata record ends within its frame") from None
    if frame != 1:
        raise WireError(f"metadata frame version {frame}")
    if api_key not in METADATA:
        raise UnknownRecordType(f"metadata record type {api_key}")
    record_class = _metadata_class(api_key)
    decode = record_class.DECODERS.get(version)
    if decode is None:
        raise WireError(f"{record_class.NAME} has no version {version}")
    return decode(data, pos, len(data))[0]


@cache
def _metadata_class(api_key: int) -> Any:
    module_name, name = METADATA[api_key]
    return getattr(importlib.import_module(f"tidemark_protocol.records.{module_name}"), name)
