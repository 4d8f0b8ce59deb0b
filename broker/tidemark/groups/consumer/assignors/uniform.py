"""The assignor `uniform`: as many partitions for each member, as few moves as possible."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from tidemark.groups.consumer.assignors.range import assign_ranges
from tidemark.groups.consumer.assignors.spec import Assignment, MemberSpec


def assign_uniformly(
    members: Mapping[str, MemberSpec],
    partitions: Mapping[bytes, int],
    homogeneous: bool,  # noqa: FBT001
) -> Generator[int, None, Assignment]:
    """Assign as `range` does, until the algorithm of Kafka's UniformAssignor is here. See `Assignor`."""
    return assign_ranges(members, partitions, homogeneous)
