"""The part of the history that a log holds: no output reassures beyond it. No HTML, no Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tidemark_pipeline.report.words import moment, span


@dataclass(slots=True, frozen=True)
class Coverage:
    """The part of one log partition, or of all, that the directories have.

    as_of_ms           the time of the output
    complete_from_ms   since when no record is missing; None: not known
    first_ms           the time of the oldest record; None: no records
    cleaned            the cleaner removed older records
    gaps               clauses about what is missing, damaged or not in the directories
    perhaps_cleaned    cleaned, unless transactions explain the missing offsets, which a consumer cannot tell
    """

    as_of_ms: int
    complete_from_ms: int | None
    first_ms: int | None
    cleaned: bool = False
    gaps: Sequence[str] = ()
    perhaps_cleaned: bool = False

    def limits(self) -> Iterator[str]:
        """Yield clauses about what the log cannot say, the most important first."""
        if self.cleaned and self.perhaps_cleaned and self.complete_from_ms is not None:
            yield (
                f"offsets before {moment(self.complete_from_ms)} are missing from it: the cleaner removed "
                "their records, or transactions used them (markers, aborted records), which no consumer sees"
            )
        elif self.cleaned:
            if self.complete_from_ms is None:
                yield "the cleaner has removed older records from it, up to a time that is not known"
            else:
                held = span(self.as_of_ms - self.complete_from_ms)
                then = moment(self.complete_from_ms)
                yield f"it holds only the last {held}: the cleaner removed records before {then}"
        yield from self.gaps

    def nothing_lost(self, of_whom: str = "") -> str:
        """Return that no offset was lost, as far as the log reaches. of_whom: " of billing"."""
        said = f"Nothing in this log says that committed offsets{of_whom} were lost"
        for limit in self.limits():
            return f"{said}, but {limit}"
        if self.first_ms is None:
            return f"{said}, but it has no records"
        return f"{said}; it has every record since {moment(self.first_ms)}"
