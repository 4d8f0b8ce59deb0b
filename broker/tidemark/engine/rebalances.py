"""The last rebalances of groups, kept so that `/v1/rebalances` can list them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from sys import getsizeof
from typing import Final

from tidemark.core.result import ClassicGroupRebalanced, ConsumerGroupRebalances
from tidemark.groups.store import GroupStore
from tidemark.late_dataclass import dataclass
from tidemark_protocol.subscriptions import CONSUMER

KEPT_MAX: Final = 1_000
# The id of a group and the reason of a client may have 32 KB, which one emoji makes four times as large.
BYTES_MAX: Final = 8_000_000
REBALANCE_BYTES: Final = 200  # without its texts
CLASSIC: Final = "classic"


@dataclass(slots=True, frozen=True)
class Rebalance:
    """A rebalance of one group.

    number   counts all rebalances since the start, from 1
    at_ms    wall time at which the generation began (classic), or the epoch rose (consumer)
    type     "classic" or "consumer"
    epoch    the new generation, or the new group epoch
    members  the number of members at that time
    """

    number: int
    at_ms: int
    group: str
    type: str
    epoch: int
    members: int
    reason: str


class Rebalances:
    """The last KEPT_MAX rebalances, as far as BYTES_MAX allows.

    The effects of decisions about groups add to them.
    """

    def __init__(self, groups: GroupStore, wall_ms: Callable[[], int]) -> None:
        self._groups = groups
        self._wall_ms = wall_ms
        self._kept: deque[Rebalance] = deque()
        self._bytes = 0
        self.count = 0

    def newest_first(self) -> list[Rebalance]:
        return list(reversed(self._kept))

    def add(self, effect: ClassicGroupRebalanced | ConsumerGroupRebalances) -> None:
        if isinstance(effect, ClassicGroupRebalanced):
            type_name, epoch, members = CLASSIC, effect.generation, effect.members
        else:
            group = self._groups.groups.get(effect.group_id)
            type_name, epoch, members = CONSUMER, effect.epoch, 0 if group is None else len(group.member_ids)
        self.count += 1
        new = Rebalance(
            self.count, self._wall_ms(), effect.group_id, type_name, epoch, members, effect.reason
        )
        kept = self._kept
        kept.append(new)
        self._bytes += _bytes_of(new)
        while len(kept) > KEPT_MAX or self._bytes > BYTES_MAX:
            self._bytes -= _bytes_of(kept.popleft())


def _bytes_of(rebalance: Rebalance) -> int:
    return REBALANCE_BYTES + getsizeof(rebalance.group) + getsizeof(rebalance.reason)
