"""A group's record, compared with the bytes that Kafka 4.3.1 wrote."""

from __future__ import annotations

from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.member import ClassicGroupState, empty_record, group_record
from tidemark.groups.state import Groups
from tidemark_protocol.stored import VERSIONS_OF, CoordinatorCodec, decode_coordinator

KAFKA = CoordinatorCodec(VERSIONS_OF["4.3"])

CREATED = (
    bytes.fromhex("00020005662d64796e"),
    bytes.fromhex("0003000000000000ffffffff000001a1fbbf5e3a00000000"),
)
EMPTY_AGAIN = bytes.fromhex("00030008636f6e73756d657200000002ffffffff000001a1fbbf5e4000000000")
STATIC = (
    bytes.fromhex("00020008662d737461746963"),
    bytes.fromhex(
        "00030008636f6e73756d657200000001000572616e6765002a696e7374312d33613133373434662d626361352d343263622d383536"
        "352d346439613366663265356334000001a1fbbf5e4600000001002a696e7374312d33613133373434662d626361352d343263622d"
        "383536352d3464396133666632653563340005696e73743100056b64696666000a2f3132372e302e302e310000ea60000075300000"
        "001200010000000100025431ffffffff000000000000000641535349474e"
    ),
)


def test_a_new_group_is_written_as_kafka_writes_it() -> None:
    created = empty_record("f-dyn", None, 0, 0x01A1FBBF5E3A)
    assert KAFKA.encode(created.key, created.value) == CREATED


def test_an_empty_group_is_written_as_kafka_writes_it() -> None:
    emptied = empty_record("f-dyn", "consumer", 2, 0x01A1FBBF5E40)
    assert KAFKA.encode(emptied.key, emptied.value) == (CREATED[0], EMPTY_AGAIN)


def test_a_group_that_kafka_wrote_is_loaded_and_written_again_as_it_was() -> None:
    key, value = decode_coordinator(*STATIC)
    group = ClassicGroup(key.group, 0, None, store=Groups())
    group.load(value)
    assert (group.state, group.generation, group.protocol) == (ClassicGroupState.STABLE, 1, "range")
    assert group.static_members == {"inst1": "inst1-3a13744f-bca5-42cb-8565-4d9a3ff2e5c4"}
    assert group.subscribed_topics == {"T1"}
    again = group_record(key.group, group.project())
    assert KAFKA.encode(again.key, again.value) == STATIC
