"""The server-side assignors of the consumer protocol. Their results equal Kafka's for the same members."""

from __future__ import annotations

from typing import Final

from tidemark.groups.consumer.assignors.range import assign_ranges
from tidemark.groups.consumer.assignors.spec import Assignment, Assignor, MemberSpec
from tidemark.groups.consumer.assignors.uniform import assign_uniformly

ASSIGNORS: Final[dict[str, Assignor]] = {"uniform": assign_uniformly, "range": assign_ranges}

__all__ = ["ASSIGNORS", "Assignment", "Assignor", "MemberSpec"]
