"""StreamsGroupDescribe of a group of another type."""

from __future__ import annotations

from tests.conformance.case import Talk
from tests.conformance.sharing import a_sharer, share_topic, shares


@shares
def share_group_is_described_as_a_streams_group(k: Talk) -> None:
    one = a_sharer(k, share_topic(k))
    k.ask("StreamsGroupDescribe", 0, {"GroupIds": [one.group]})
