"""`tidemark install-shims DIR`: installs our tools under the names of Kafka's, for scripts that use those.

Each tool gets two names, as in the two packagings of Kafka: kafka-groups.sh and kafka-groups.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Final

USAGE: Final = "usage: tidemark install-shims DIR\n\nWrites {} into DIR, each with and without .sh.\n"
MARK: Final = "# Written by tidemark install-shims."
FAILED: Final = 1
USAGE_ERROR: Final = 2
EXECUTABLE: Final = 0o755


def main(arguments: list[str]) -> int:
    """Run the tool. Return the exit code: 1, with nothing written, if a file exists that is not a shim."""
    names = [f"kafka-{command}" for command in tools()]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        requested = arguments in (["--help"], ["-h"])
        print(USAGE.format(", ".join(names)), end="", file=sys.stdout if requested else sys.stderr)
        return 0 if requested else USAGE_ERROR
    try:
        return install(Path(arguments[0]))
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return FAILED


def tools() -> list[str]:
    """Return the subcommands that are tools of Kafka's."""
    from tidemark_tools.main import COMMANDS, NOT_OF_KAFKA

    return [name for name in COMMANDS if name not in NOT_OF_KAFKA]


def install(folder: Path) -> int:
    """Write all shims. Return the exit code."""
    shims = {folder / f"kafka-{tool}{suffix}": shim(tool) for tool in tools() for suffix in ("", ".sh")}
    for path in shims:
        if path.is_symlink() or (path.exists() and MARK not in path.read_text(errors="replace")):
            print(f"{path} was not written by install-shims; nothing was written", file=sys.stderr)
            return FAILED
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in shims.items():
        path.write_text(text)
        path.chmod(EXECUTABLE)
        print(path)
    return 0


def shim(tool: str) -> str:
    """Return a script that runs this tidemark with the current Python."""
    return f'#!/bin/sh\n{MARK}\nexec {shlex.quote(sys.executable)} -m tidemark {tool} "$@"\n'
