"""The versions of messages that Apache Kafka 4.3 does not have. A new one needs a line here."""

from __future__ import annotations

from typing import Final


def messages(versions: dict[str, tuple[int, ...]]) -> frozenset[tuple[str, int]]:
    """Return (message, version) of the requests and responses of these APIs."""
    return frozenset(
        (f"{api}{end}", version)
        for api, of_api in versions.items()
        for end in ("Request", "Response")
        for version in of_api
    )


# KIP-1327. The draft, of which there are golden vectors, has other versions than the accepted text.
DRAFTED: Final = messages({"DescribeTopicPartitions": (1,), "Metadata": (14,)})
NOT_RELEASED: Final = DRAFTED | messages({
    "ConsumerGroupHeartbeat": (2,),
})  # fmt: skip
# Kafka 4.4 added these. kio, and the golden vectors of all other versions, are from before.
NEW_IN_4_4: Final = messages({
    "ApiVersions": (5,), "DeleteGroups": (3,), "StreamsGroupDescribe": (1,), "StreamsGroupHeartbeat": (1,),
    "StreamsGroupTopologyDescriptionUpdate": (0,), "TxnOffsetCommit": (6,), "UnregisterController": (0,),
})  # fmt: skip
# Kafka 4 removed these, so that its classes cannot write them.
REMOVED: Final = messages({"OffsetCommit": (0, 1)})
