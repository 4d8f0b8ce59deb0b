"""`tidemark explain-log`: what happened to committed offsets, from log directories, without Java."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Final

from tidemark_tools.options import FAILED, JoptTool, Parsed, UsageError, run, table


def _check(parsed: Parsed) -> None:
    if not parsed.words:
        raise UsageError("Name the log directories: tidemark explain-log DIR ...")


TOOL: Final = JoptTool(
    "Say what happened to committed offsets, from the log directories of brokers. No broker needs to run.",
    table("""
    group <name>  What happened to this group, in order.
    retention <7d>  The broker's offsets.retention.minutes, as 7d, 36h or 90min.
    config <server.properties>  The broker's file of settings, for the retention.
    as-of <time>  The current time: log (of the newest record), now, or ISO 8601. (default: log)
    show <Integer: count>  How many groups to print. (default: 20)
    json  Print JSON.
"""),
    _check,
)


def main(arguments: list[str]) -> int:
    return run(
        TOOL, arguments, _explain, lambda error: print(f"tidemark explain-log: {error}", file=sys.stderr)
    )


def _explain(parsed: Parsed) -> int:
    lacking = [name for name in ("numpy", "pyarrow") if find_spec(name) is None]
    if lacking:
        hint = "pip install 'tidemark-broker[log]'"
        print(f"tidemark explain-log needs {' and '.join(lacking)}: {hint}", file=sys.stderr)
        return FAILED
    from tidemark_pipeline.cli.explain_log import explain

    return explain(
        parsed.words,
        group=parsed.value("group"),
        retention=parsed.value("retention"),
        config=parsed.value("config"),
        as_of=parsed.text("as-of"),
        show=parsed.number("show") or 0,
        as_json=parsed.has("json"),
    )
