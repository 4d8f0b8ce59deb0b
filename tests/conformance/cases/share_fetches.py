"""ShareFetch: records are acquired, in the order of a partition, with locks and limits."""

from __future__ import annotations

from tests.conformance.build_share import ACCEPT
from tests.conformance.case import Talk
from tests.conformance.sharing import a_sharer, fill, filled_topic, shares


@shares(versions=(1, 2))
def records_are_acquired_and_accepted(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10)
    one = a_sharer(k, topic, version=version)
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})
    one.fetch({topic: [0]})
    fill(k, topic, 3)
    one.fetch_until({topic: [0]})
    one.fetch({topic: {0: [(10, 12, ACCEPT)]}})
