"""The Python frames on the way of a request may become fewer, not more (`make frames`)."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest

from bench.frames import APIS, measured

# By API: of one request alone, and of one more behind others. Lower them with each change that allows it.
FRAMES_MAX: Final = {
    "OffsetCommit": (64, 24),  # one of the 64 is the rate that meters and quotas share, once per flush
    "OffsetFetch": (68, 58),
    "Heartbeat": (26, 17),
    "ConsumerGroupHeartbeat": (35, 26),
    "JoinGroup": (150, 164),
    "Produce": (44, 35),
    "Fetch": (41, 32),
    "TxnOffsetCommit": (134, 146),  # 131 and 143, and a few more if its sync ends late
}
# What three brokers add, on the one that leads and coordinates: they compare ids, and mostly without a call.
FRAMES_OF_THREE: Final = {"OffsetFetch": 1, "JoinGroup": 1}
ATTEMPTS: Final = 3  # a sync that ends late, on a busy machine, adds frames


@pytest.mark.slow
@pytest.mark.parametrize("brokers", [1, 3])
@pytest.mark.parametrize("api", APIS)
def test_the_way_of_a_request_does_not_grow(api: str, brokers: int) -> None:
    more_of_three = FRAMES_OF_THREE.get(api, 0) if brokers > 1 else 0
    alone_max, more_max = (each + more_of_three for each in FRAMES_MAX[api])
    for _ in range(ATTEMPTS):
        alone, more = asyncio.run(measured(api, brokers))
        if round(alone.frames) <= alone_max and round(more.frames) <= more_max:
            return
    assert round(alone.frames) <= alone_max, sorted(alone.functions.items())
    assert round(more.frames) <= more_max, sorted(more.functions.items())
