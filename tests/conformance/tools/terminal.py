"""Cases: command lines that a user types, and the output of Kafka's tools.

    @tool_case
    def describe_an_empty_group(t: Terminal) -> None:
        topic, group = t.topic(), t.group()
        t.do(*commit(group, {topic: {0: 4}}))
        t.run(f"kafka-consumer-groups --describe --group {group}")

The output is compared with the output for Apache Kafka (recorded.json, `make record`). The address is added,
unless the command line contains it as {at}, or contains {alone}, which means no address. Names from
`t.topic()`, `t.group()` and `t.name()` belong to one case. Output about the whole cluster is reduced to these
names with keep=.
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

from tests.conformance.case import BROKERS, Broker, Talk
from tests.conformance.clusters import Cluster
from tests.conformance.tools import cases as folder
from tests.conformance.tools.jvm import Printed as Ran

# Only some subcommands of these tools accept the address, so a case contains it as `{at}`.
SUBCOMMANDS: Final = ("kafka-cluster", "kafka-features", "kafka-metadata-quorum", "kafka-transactions")
WITHOUT_ADDRESS: Final = ("kafka-dump-log",)

Printed = dict[str, Any]
Cut = Callable[[list[str]], list[str]]  # sorted, where Kafka's order is that of a hash map


def without_log(lines: list[str]) -> list[str]:
    """Remove warnings that appear at random."""
    return [line for line in lines if not re.match(r"\[<time>\] (WARN|ERROR) ", line)]


def squeezed(lines: list[str]) -> list[str]:
    """Return the sorted rows of a table, without the padding for the longest name in the cluster."""
    return sorted(re.sub(" +", " ", line) for line in lines)


class Tools(Protocol):
    """Kafka's tools (`ToolJvm`) or ours (`OurTools`)."""

    def run(self, name: str, arguments: list[str], stdin: str = "") -> Ran:
        """Run a tool by the name of its script, until it ends.

        Exit code 124 means that it did not end in time.
        """


@dataclass(slots=True)
class ToolCase:
    """One case.

    differs      the heading in docs/differences.md that explains why our output differs
    authorized   its broker has an authorizer, and the client is a super user
    brokers      1, or BROKERS: the case can stop and start them, `t.cluster.stop_broker(3)`
    """

    name: str
    run: Run
    differs: str = ""
    authorized: bool = False
    brokers: int = 1


Run = Callable[["Terminal"], None]
CASES: Final[dict[str, ToolCase]] = {}


def tool_case(run: Run) -> Run:
    """Register a function as a case."""
    return _register(run, "")


def authorized_case(run: Run) -> Run:
    """Register a function as a case of a broker with an authorizer."""
    return _register(run, "", authorized=True)


def cluster_case(run: Run) -> Run:
    """Register a function as a case of three brokers."""
    return _register(run, "", brokers=BROKERS)


def differing(heading: str) -> Callable[[Run], Run]:
    """Register a case whose output differs from ours, for the reason below that heading."""
    return lambda run: _register(run, heading)


def _register(run: Run, differs: str, *, authorized: bool = False, brokers: int = 1) -> Run:
    name = run.__name__
    assert name not in CASES, f"two cases are called {name}"
    CASES[name] = ToolCase(name, run, differs, authorized, brokers)
    return run


def load() -> dict[str, ToolCase]:
    """Return every case, by name."""
    for found in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{found.name}")
    return CASES


class Terminal(Talk):
    """The argument of a case: the tools, a connection for set-up, names of its own, a folder for files."""

    def __init__(self, cluster: Any, name: str, tools: Tools, files: Path) -> None:
        bootstrap = cluster.bootstrap
        self.cluster: Cluster = cluster
        self.printed: list[Printed] = []
        self._tools = tools
        self._files = files
        self._comparable = _Comparable(bootstrap, files)
        super().__init__(Broker(bootstrap), name)

    def name(self, of: str = "name") -> str:
        """Return an unused name, without the dots and underscores that kafka-topics warns about."""
        return super().name(of).replace("_", "-").replace(".", "-")

    def file(self, name: str, text: str) -> str:
        """Create a file with this text and return its path."""
        return self.binary_file(name, text.encode())

    def binary_file(self, name: str, data: bytes) -> str:
        """Create a file with these bytes and return its path. name: may contain folders."""
        path = self._files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return str(path)

    def path(self, name: str) -> str:
        """Return the path of a file of this name, which may not exist."""
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
        """Run a command line, keep its output, and return its stdout unchanged.

        keep: a regular expression; other lines of stdout are left out.
        cut: selects the part of these lines to compare; cut_err: the part of stderr.
        """
        # The first broker of a cluster always runs. A tool would warn of brokers that do not.
        bootstrap = self.broker.bootstrap.partition(",")[0]
        address = f"--bootstrap-server {bootstrap}"
        name, *arguments = shlex.split(line.replace("{at}", address).replace("{alone}", ""))
        if "{at}" not in line and "{alone}" not in line and name not in (*SUBCOMMANDS, *WITHOUT_ADDRESS):
            arguments += ["--bootstrap-server", bootstrap]
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


def outcome(case: ToolCase, broker: Any, tools: Tools, files: Path) -> list[Printed]:
    """Run a case against a broker and return the output of its tools, in a comparable form.

    broker: a `recorded.Broker`, or a `Cluster` for a case of three. files: an empty folder.
    """
    terminal = Terminal(broker, case.name, tools, files)
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
        # A tool's options and stack traces depend on the tool alone.
        (r"^Option(?: \(\* = required\))? +Description *\n(.*\n)*", "<the table of options>\n"),
        (r"^\t(at |\.\.\. \d+ more).*\n", ""),
    )
]
_SET: Final = re.compile(r"\[[\w-]+\](, \[[\w-]+\])+")  # of options, which Java keeps in no order
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class _Comparable:
    """Removes from a text what a broker or a tool draws at random, and the address that it runs at."""

    def __init__(self, bootstrap: str, files: Path) -> None:
        ports = [each.rpartition(":")[2] for each in bootstrap.split(",")]
        self._ports = {port: f"port {at}" if at > 1 else "port" for at, port in enumerate(ports, 1)}
        # Either name of this host. They have the same length, which determines the width of a column.
        self._known = {
            f"{host}:{port}": f"<{name.replace('port', 'address')}>"
            for port, name in self._ports.items()
            for host in ("127.0.0.1", "localhost")
        }
        self._known[str(files)] = "<files>"

    def lines(self, printed: str) -> list[str]:
        """Split a text into lines.

        The last one is empty if the text ends in a newline. No text has no lines.
        """
        return self.text(printed).split("\n") if printed else []

    def text(self, given: str) -> str:
        for pattern, by in _REPLACED:
            given = pattern.sub(by, given)
        given = _SET.sub(lambda found: ", ".join(sorted(found[0].split(", "))), given)
        given = _UUID.sub(self._id, given)
        for known, by in self._known.items():
            given = given.replace(known, by)
        return re.sub(
            "|".join(rf"\b{port}\b" for port in self._ports),
            lambda found: f"<{self._ports[found[0]]}>",
            given,
        )

    def _id(self, found: re.Match[str]) -> str:
        number = len(self._known) - 2 * len(self._ports)
        return self._known.setdefault(found[0], f"<id {number}>")
