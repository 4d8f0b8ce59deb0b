"""Detect missing parts of logs, as in a directory that was copied in part. Kafka loads such logs silently.

Missing offsets prove nothing where the cleaner has been: it removes records, also the last ones of a segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidemark_pipeline.logs.directories import Found
from tidemark_pipeline.logs.replicas import Replica
from tidemark_pipeline.model import Survey


def committed_ends(found: Found) -> dict[int, int]:
    """Return the high watermarks that brokers have noted. Read them before the survey: a log grows."""
    known = ((number, replica.high_watermark) for number, replica in found.chosen.items())
    return {number: end for number, end in known if end is not None}


def missing(found: Found, surveys: Mapping[int, Survey], ends: Mapping[int, int]) -> Iterator[str]:
    """Yield a sentence for each missing part. ends: committed_ends before the surveys."""
    for number, survey in sorted(surveys.items()):
        replica = found.chosen[number]
        for said in _missing(replica, survey, ends.get(number, 0)):
            yield f"{replica.directory.path}: {said}"


def _missing(replica: Replica, survey: Survey, end: int) -> Iterator[str]:
    begin = replica.segments[0].base_offset
    if begin > max(0, replica.deleted_below):
        yield f"the log begins at offset {begin}: earlier segments were deleted, or are missing"
    for base in replica.without_log:
        yield f"the index of the segment {base:020d} is there, and its .log is not"
    for first, behind in survey.holes:
        if _unexplained(behind, survey, replica.cleaned_below):
            yield (
                f"no segment has the offsets {first} to {behind - 1}, and according to its checkpoint the "
                "cleaner has not been there: a segment is missing"
            )
    if end > survey.next_offset:
        yield f"the log ends at offset {survey.next_offset}, but its broker had committed records up to {end}"


def _unexplained(behind: int, survey: Survey, cleaned_below: int | None) -> bool:
    """Return whether a hole that ends there means a missing segment.

    A new replica copies a log that was cleaned elsewhere. Then gaps within segments follow.
    """
    return cleaned_below is not None and behind > max(cleaned_below, survey.gap_inside_until)
