"""The files and commands that give removed offsets back.

The commands are for a POSIX shell with bash's quoting.
"""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import chain, groupby, islice
from typing import Final, TextIO

from tidemark_pipeline.report.words import is_unseen

BOOTSTRAP: Final = "localhost:9092"
ALL_FILE: Final = "reset-all.csv"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_NAME_MAX: Final = 60
_PLAIN: Final = re.compile(r"[ -&(-\[\]-~]")  # printable ASCII except ' and \


def write_rows(rows: Iterable[tuple[str, str, int, int]], file: TextIO) -> None:
    """Write (group, topic, partition, offset), ordered by group, as `--from-file` reads them.

    The rows of a single group do not name it: Kafka's tool first reads rows as such, and prints a stack
    trace for each group if they do.
    """
    writer = csv.writer(file, lineterminator="\n")
    by_group = groupby(rows, key=lambda row: row[0])
    first = [row for _, own in islice(by_group, 1) for row in own]
    others = (row for _, own in by_group for row in own)
    second = list(islice(others, 1))
    writer.writerows(chain(first, second, others) if second else (row[1:] for row in first))


def command(groups: Sequence[str], file: str) -> str:
    """Return the command for these groups. It works if they have no members.

    Kafka's tool refuses the group "" and all others with it, so it is named only if it is alone: tidemark's
    tool accepts it.
    """
    named = [group for group in groups if group] or groups
    chosen = " ".join(f"--group {_quoted(group)}" for group in named)
    return (
        f"kafka-consumer-groups --bootstrap-server {BOOTSTRAP} {chosen} --reset-offsets "
        f"--from-file {file} --execute"
    )


def _quoted(name: str) -> str:
    """Return the name as one word of the shell that a reader can copy from the page."""
    if is_unseen(name):
        return f"$'{''.join(map(_escaped, name))}'"
    return shlex.quote(name)


def _escaped(char: str) -> str:
    return char if _PLAIN.match(char) else f"\\U{ord(char):08x}"


def file_names(groups: Iterable[str]) -> list[str]:
    """Return a name for each group's file. No two are equal, also where case does not count."""
    names: list[str] = []
    used = {ALL_FILE}
    for group in groups:
        name = f"reset-{_UNSAFE.sub('_', group)[:_NAME_MAX] or 'group'}"
        numbered = (f"{name}{'' if at == 1 else f'-{at}'}.csv" for at in range(1, len(used) + 2))
        free = next(each for each in numbered if each.lower() not in used)
        used.add(free.lower())
        names.append(free)
    return names
