"""Draw docs/architecture.svg: the life of a request, and the packages of the broker by layer.

The layers are those of the import contract in pyproject.toml, which `make lint` enforces. `make docs` writes
the file, `make check` compares it.
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
FILE: Final = ROOT / "docs" / "architecture.svg"
CONTRACTS: Final = ("the packages", "floors")
BROKER: Final = "tidemark"  # in its place: its own layers

WIDTH: Final = 960
MARGIN: Final = 20
GAP: Final = 10
STEP_HEIGHT: Final = 92
ROW_HEIGHT: Final = 44
TITLE_HEIGHT: Final = 34

# The life of a request: what happens, where, and one sentence about it.
STEPS: Final = (
    ("decode", "server/", "bytes of a connection become requests"),
    ("decide", "handlers/", "a pure function returns a response and records"),
    ("write", "engine/ log/", "the records join the next flush of their log"),
    ("replay", "groups/ metadata/ transactions/", "the records change the state; nothing else does"),
    ("respond", "server/", "the response is sent once its records are durable"),
)
ABOUT: Final = {
    "pyspark_tidemark": "the source, by name",
    "tidemark_testing": "pytest plugin, container",
    "tidemark_tools": "command-line tools with their wire client",
    "tidemark_http": "/metrics, /v1 and the console",
    "tidemark_pipeline": "audits logs with Spark; not above the broker, beside it",
    "tidemark_expiry": "when an offset expires, and why",
    "tidemark_protocol": "bytes <-> messages, records and batches",
    "node": "sockets, disk, clock; time that moves, snapshots",
    "faults": "faults for tests",
    "server": "connections and sessions",
    "handlers": "one file per API",
    "share": "records that share groups have in flight",
    "engine": "decides, group commit",
    "security": "authentication",
    "cleanup": "expiry, retention, compaction",
    "groups": "groups and committed offsets",
    "transactions": "transactional ids and their transactions",
    "share_coordinator": "states of share partitions",
    "metadata": "topics and settings",
    "log": "segments in Kafka's format",
    "authorization": "ACLs, and who may do what",
    "core": "results, events, deadlines",
    "metrics": "counters and meters",
    "config": "every setting",
    "clock": "time",
    "turns": "shares the event loop",
    "seeding": "seed data for tests",
    "workers": "threads and child processes",
    "ids": "random identifiers",
    "settings": "what a setting is",
}
STYLE: Final = """
    text { font: 13px system-ui, sans-serif; fill: #1f2933; }
    .title { font-weight: 600; font-size: 14px; }
    .name { font-weight: 600; }
    .small { font-size: 11px; fill: #52606d; }
    .box { fill: #f5f7fa; stroke: #9aa5b1; }
    .pure { fill: #e3f8e8; stroke: #57ae5b; }
    .step { fill: #e6f0fb; stroke: #4a83c4; }
    .arrow { stroke: #4a83c4; stroke-width: 2; fill: none; marker-end: url(#head); }
    @media (prefers-color-scheme: dark) {
      .page { fill: #111a22; } text { fill: #e4e7eb; } .small { fill: #9aa5b1; }
      .box { fill: #1f2933; stroke: #52606d; } .pure { fill: #143021; stroke: #57ae5b; }
      .step { fill: #16293d; stroke: #4a83c4; }
    }
"""
PURE: Final = (
    "core",
    "groups",
    "metadata",
    "share_coordinator",
    "transactions",
    "tidemark_expiry",
    "tidemark_protocol",
)


def layers() -> list[list[str]]:
    """Return the layers of the import contracts, the highest first, each with its packages."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    packages, floors = (
        [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]
        for wanted in CONTRACTS
        for contract in contracts
        if contract["name"] == wanted
    )
    (place,) = (number for number, layer in enumerate(packages) if BROKER in layer)
    beside = [name for name in packages[place] if name != BROKER]
    return [*packages[:place], beside, *floors, *packages[place + 1 :]]


def svg() -> str:
    """Return the picture."""
    rows = layers()
    steps_bottom = MARGIN + TITLE_HEIGHT + STEP_HEIGHT
    top = steps_bottom + MARGIN + TITLE_HEIGHT
    height = top + len(rows) * (ROW_HEIGHT + GAP) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="The life of a request, and the packages of the broker by layer">',
        f"  <style>{STYLE}  </style>",
        '  <defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
        'orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#4a83c4"/></marker></defs>',
        f'  <rect class="page" width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(MARGIN, MARGIN + 14, "The life of a request", "title"),
        *_steps(MARGIN + TITLE_HEIGHT),
        _text(
            MARGIN, steps_bottom + MARGIN + 14, "The packages: each imports only what is below it", "title"
        ),
        _text(
            WIDTH - 330, steps_bottom + MARGIN + 14, "green: pure, without files, sockets or a clock", "small"
        ),
    ]
    for index, names in enumerate(rows):
        parts += _row(top + index * (ROW_HEIGHT + GAP), names)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _steps(top: int) -> list[str]:
    arrow = 26
    width = (WIDTH - 2 * MARGIN - arrow * (len(STEPS) - 1)) // len(STEPS)
    parts: list[str] = []
    for index, (name, place, about) in enumerate(STEPS):
        left = MARGIN + index * (width + arrow)
        parts.append(
            f'  <rect class="step" x="{left}" y="{top}" width="{width}" height="{STEP_HEIGHT}" rx="8"/>'
        )
        parts.append(_text(left + 10, top + 22, f"{index + 1}. {name}", "name"))
        for line, text in enumerate(_lines(about, 25)):
            parts.append(_text(left + 10, top + 42 + 14 * line, text, "small"))
        parts.append(_text(left + 10, top + STEP_HEIGHT - 8, place, "small"))
        if index:
            middle = top + STEP_HEIGHT // 2
            parts.append(f'  <path class="arrow" d="M{left - arrow + 2} {middle} H{left - 3}"/>')
    return parts


def _row(top: int, names: list[str]) -> list[str]:
    width = (WIDTH - 2 * MARGIN - GAP * (len(names) - 1)) // len(names)
    parts: list[str] = []
    for index, name in enumerate(names):
        left = MARGIN + index * (width + GAP)
        kind = "pure" if name in PURE else "box"
        parts.append(
            f'  <rect class="{kind}" x="{left}" y="{top}" width="{width}" height="{ROW_HEIGHT}" rx="6"/>'
        )
        parts.append(_text(left + 10, top + 18, name, "name"))
        parts.append(_text(left + 10, top + 34, ABOUT.get(name, ""), "small"))
    return parts


def _text(left: int, top: int, text: str, kind: str) -> str:
    return f'  <text class="{kind}" x="{left}" y="{top}">{escape(text)}</text>'


def _lines(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
