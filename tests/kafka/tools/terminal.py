"""A case: what a user types, and what Kafka's tool prints to it.

    @tool_case
    def describe_an_empty_group(t: Terminal) -> None:
        topic, group = t.topic(), t.group()
        t.do(*commit(group, {topic: {0: 4}}))
        t.run(f"kafka-consumer-groups --describe --group {group}")

What it prints is held against what it printed of Apache Kafka (recorded.json, `make record`). The address is
added, unless it stands in the line as {at}, or {alone} says that there is to be none. Names from `t.topic()`,
`t.group()` and `t.name()` belong to the case alone; what tells of the whole cluster is cut to one's own with
keep=.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from tests.kafka.case import Talk
from tests.kafka.tools import cases as folder
from tests.kafka.tools.jvm import Printed as Ran

# These have subcommands, of which some take the address and some do not; a case says it as `{at}`.
SUBCOMMANDS: Final = ("kafka-cluster", "kafka-features", "kafka-metadata-quorum", "kafka-transactions")
WITHOUT_ADDRESS: Final = ("kafka-dump-log",)

Printed = dict[str, Any]
Cut = Callable[[list[str]], list[str]]  # sorted, where Kafka's order is that of a hash map


def without_log(lines: list[str]) -> list[str]:
    """Without warnings that come or do not come by chance."""
    return [line for line in lines if not re.match(r"\[<time>\] (WARN|ERROR) ", line)]


def squeezed(lines: list[str]) -> list[str]:
    """Rows of a table whose columns are as wide as the longest name in the cluster, in no order."""
    return sorted(re.sub(" +", " ", line) for line in lines)


class Tools(Protocol):
    """Kafka's (`ToolJvm`), or our own (`OurTools`)."""

    def run(self, name: str, arguments: list[str], stdin: str = "") -> Ran:
        """Run a tool, by the name of its script, to its end. Exit code 124: it did not come to one."""


@dataclass(slots=True)
class ToolCase:
    """One case. differs: the heading in docs/differences.md that says why ours prints something else."""

    name: str
    run: Run
    differs: str = ""


Run = Callable[["Terminal"], None]
CASES: Final[dict[str, ToolCase]] = {}


def tool_case(run: Run) -> Run:
    """Register a function as a case."""
    return _register(run, "")


def differing(heading: str) -> Callable[[Run], Run]:
    """Register a case in which ours prints something else, for the reason below that heading."""
    return lambda run: _register(run, heading)


def _register(run: Run, differs: str) -> Run:
    name = run.__name__
    assert name not in CASES, f"two cases are called {name}"
    CASES[name] = ToolCase(name, run, differs)
    return run


def load() -> dict[str, ToolCase]:
    """Every case there is, by name."""
    for found in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{found.name}")
    return CASES


class Terminal(Talk):
    """What a case is given: the tools, a connection for set-up, names of its own, a folder for its files."""

    def __init__(self, bootstrap: str, name: str, tools: Tools, files: Path) -> None:
        self.printed: list[Printed] = []
        self._tools = tools
        self._files = files
        self._comparable = _Comparable(bootstrap, files)
        super().__init__(bootstrap, name)

    def name(self, of: str = "name") -> str:
        """A name that nothing has yet, without the dots and underscores that kafka-topics warns of."""
        return super().name(of).replace("_", "-").replace(".", "-")

    def file(self, name: str, text: str) -> str:
        """The path of a new file with that text."""
        return self.binary_file(name, text.encode())

    def binary_file(self, name: str, data: bytes) -> str:
        """The path of a new file with these bytes. name: with folders, if it has to be in one."""
        path = self._files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return str(path)

    def path(self, name: str) -> str:
        """Where a file of that name is, or would be."""
        return str(self._files / name)

    def run(
        self,
        line: str,
        stdin: str = "",
        *,
        keep: str = "",
        cut: Cut = lambda lines: lines,
        cut_err: Cut = lambda lines: lines,
    ) -> str:
        """Run a command line and keep what it prints; its stdout, as it came.

        keep: a regular expression; other lines of stdout are left out. cut: what of these lines is to be
        compared, cut_err: what of stderr.
        """
        address = f"--bootstrap-server {self.bootstrap}"
        name, *arguments = shlex.split(line.replace("{at}", address).replace("{alone}", ""))
        if "{at}" not in line and "{alone}" not in line and name not in (*SUBCOMMANDS, *WITHOUT_ADDRESS):
            arguments += ["--bootstrap-server", self.bootstrap]
        printed = self._tools.run(name, arguments, stdin)
        out = [one for one in self._comparable.lines(printed.out) if re.search(keep, one)]
        self.printed.append(
            {
                "$": self._comparable.text(line),
                "exit": printed.code,
                "out": cut(out),
                "err": cut_err(self._comparable.lines(printed.err)),
            }
        )
        return printed.out


def outcome(case: ToolCase, bootstrap: str, tools: Tools, files: Path) -> list[Printed]:
    """Run a case against a broker: what its tools printed, made comparable. files: an empty folder."""
    terminal = Terminal(bootstrap, case.name, tools, files)
    try:
        case.run(terminal)
    finally:
        terminal.hang_up()
    return terminal.printed


_NOW_MS: Final = r"\b1[6-9]\d{11}\b"  # 2020 to 2033
_REPLACED: Final = [
    (re.compile(pattern, re.MULTILINE), by)
    for pattern, by in (
        (r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\]", "[<time>]"),
        (_NOW_MS, "<time>"),
        (r"(?<=TopicId: )[\w-]{22}|(?<=Cluster ID: )[\w-]{22}|(?<=--topic-id=)[\w-]{22}", "<id>"),
        (r"(?<=^ClusterId:              )[\w-]{22}", "<id>"),
        (r'(?<="topicId":")[\w-]{22}', "<id>"),
        (r"(?<=adminclient-)\d+|(?<=console-consumer-)\d+\b", "<n>"),
        (r"(?<=correlation id )\d+", "<n>"),
        # The options of a tool are its own matter, and a trace the matter of its code.
        (r"^Option(?: \(\* = required\))? +Description *\n(.*\n)*", "<the table of options>\n"),
        (r"^\t(at |\.\.\. \d+ more).*\n", ""),
    )
]
_SET: Final = re.compile(r"\[[\w-]+\](, \[[\w-]+\])+")  # of options, which Java keeps in no order
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class _Comparable:
    """Text without what a broker or a tool draws by chance, and without where it runs."""

    def __init__(self, bootstrap: str, files: Path) -> None:
        self._port = bootstrap.rpartition(":")[2]
        # The one or the other name of this host; they are of the same length, as a column's width is by it.
        hosts = ("127.0.0.1", "localhost")
        self._known = {f"{host}:{self._port}": "<address>" for host in hosts} | {str(files): "<files>"}

    def lines(self, printed: str) -> list[str]:
        """The lines; the last is empty where the text ends in a newline. Nothing printed: no line."""
        return self.text(printed).split("\n") if printed else []

    def text(self, given: str) -> str:
        for pattern, by in _REPLACED:
            given = pattern.sub(by, given)
        given = _SET.sub(lambda found: ", ".join(sorted(found[0].split(", "))), given)
        given = _UUID.sub(self._id, given)
        for known, by in self._known.items():
            given = given.replace(known, by)
        return re.sub(rf"\b{self._port}\b", "<port>", given)

    def _id(self, found: re.Match[str]) -> str:
        return self._known.setdefault(found[0], f"<id {len(self._known) - 2}>")
