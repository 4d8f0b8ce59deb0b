"""python -m tidemark_protocol.generator [--check]: schemas/ -> the generated modules of tidemark_protocol.

Messages in schemas/controllers/, which brokers exchange with controllers, have no module: no code of ours
sends or reads them. Tests generate theirs.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from . import schema, tables
from .codec import Module
from .schema import Message

ROOT = Path(__file__).parents[3]
PACKAGE = Path(__file__).parents[1]


def generate() -> dict[Path, str]:
    """Return the text of every generated file."""
    everything = schema.load(ROOT / "schemas")
    messages = [message for message in everything if message.has_module]
    files = {
        PACKAGE / "apis.py": tables.apis(everything),
        PACKAGE / "index.py": tables.index(messages),
        PACKAGE / "presence.py": tables.presence(messages),
        PACKAGE / "errors.py": tables.errors(ROOT / "schemas" / "errors.json"),
        PACKAGE / "names.py": tables.names(everything, ROOT / "schemas" / "errors.json"),
    }
    for module, source in sources(messages).items():
        files[PACKAGE / (module.replace(".", "/") + ".py")] = source
    return files


def sources(messages: list[Message]) -> dict[str, str]:
    """Return the codec of each of these messages, by the name of its module."""
    modules: dict[str, list[Message]] = defaultdict(list)
    for message in messages:
        modules[message.module].append(message)
    return {name: Module(held).source() for name, held in modules.items()}


def stray(files: dict[Path, str]) -> list[Path]:
    """Return generated modules whose schema no longer exists."""
    found = [
        p
        for folder in ("messages", "records")
        for p in (PACKAGE / folder).glob("*.py")
        if p.name != "__init__.py"
    ]
    return [path for path in found if path not in files]


def main(arguments: list[str]) -> int:
    files = generate()
    stale = [p for p, text in files.items() if not p.exists() or p.read_text("utf-8") != text] + stray(files)
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what its schema says: run make generate", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        if path in files:
            path.write_text(files[path], "utf-8")
        else:
            path.unlink()
    print(f"{len(files)} files, {len(stale)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
