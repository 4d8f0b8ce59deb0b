"""Version ranges as Kafka's schemas write them: "3+", "1-2", "4", "none"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

OPEN: Final = 1 << 15  # larger than every version, which is an int16


@dataclass(slots=True, frozen=True)
class Versions:
    low: int
    high: int

    @classmethod
    def parse(cls, text: str | None) -> Versions:
        if text is None or text == "none":
            return NONE
        if text.endswith("+"):
            return cls(int(text[:-1]), OPEN)
        low, _, high = text.partition("-")
        return cls(int(low), int(high or low))

    def __contains__(self, version: int) -> bool:
        return self.low <= version <= self.high


NONE: Final = Versions(0, -1)
