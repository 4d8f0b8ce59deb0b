"""The regular expressions that are compared with RE2/J, and the names that they are matched with."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final

_FILE: Final[dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text())

NAMES: Final[list[str]] = _FILE["names"]


def expressions() -> list[str]:
    """Return the expressions of the file beside this one, and random ones made of its pieces of syntax."""
    draw = random.Random(12)
    made = ["".join(draw.choices(_FILE["pieces"], k=draw.randint(1, 8))) for _ in range(900)]
    return list(dict.fromkeys([*_FILE["written"], *made]))
