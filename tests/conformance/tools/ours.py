"""Run our tools in place of Kafka's: `kafka-groups` becomes `tidemark groups`, in a fork of its own.

Their output is compared with that of Kafka's tools (recorded.json). It differs in three ways, which
`comparable` removes. Our tools print a message where Java prints a stack trace. They keep no log: a line that
replaces a log line begins with WARN or ERROR. They do not advertise another group protocol.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from tests import forks
from tests.broker_process import environment
from tests.conformance.tools.jvm import TOOL_TIMEOUT_MS, Printed
from tests.conformance.tools.terminal import Printed as Recorded
from tests.wire import Connection
from tidemark_tools.main import COMMANDS

LEARNED: Final = "learned"  # the topic of `KafkaBroker`
LEARNS_S_MAX: Final = 60
AGAIN_S: Final = 0.002
A_TOPIC: Final = 2  # a type of resource
TIMEOUT_MS_MIN: Final = 3_000
ADMIN: Final = ("kafka-consumer-groups", "kafka-groups")  # these print in the order of a hash map

_TRACE: Final = re.compile(r'^(?:Exception in thread "main" )?[a-z]\w*(?:\.\w+)+\.?[\w$]*(?:: (.*))?$')
_LOG: Final = re.compile(r"^\[<time>\] (\w+ .*) \([\w.]+\)$")
_LOGGED: Final = re.compile(r"^(?:\[<time>\] )?(?:WARN|ERROR) ")
_OF_THE_LOG: Final = re.compile(r"^Caused by: |^ \([\w.]+\)$")  # ends with the name of the logger
# An exception of Jackson is no failure: Kafka's tool tries if a plan has columns for groups.
_OF_A_TRACE: Final = re.compile(r"^(?:Caused by: | at \[Source: |com\.fasterxml\.jackson\.)")

# The stack trace contains the error in the file, for which our tool prints a sentence.
_NO_SUCH_FILE: Final = re.compile(r"\bjava\.nio\.file\.NoSuchFileException: (.+)$")
_CANNOT_READ: Final = re.compile("cannot read (.+): No such file or directory")
# Java clients print this line unless group.protocol is set. Our tools print no advice about protocols.
_HINT: Final = (
    "The consumer rebalance protocol (KIP-848) is production-ready! Set group.protocol=consumer to try it "
    "out. See https://kafka.apache.org/documentation/#consumer_rebalance_protocol"
)


class OurTools:
    """Runs our tools with the interface of `ToolJvm`.

    learn: is called before each tool. Kafka's broker learns of a change after the response, which a tool that
    starts in a fork can be too fast for: `KafkaBroker.learn`.

    A tool that waits for messages waits for TIMEOUT_MS_MIN at least, because the first one can be late on a
    busy machine. Kafka's tools have the case's own timeout.
    """

    def __init__(self, learn: Callable[[], None] = lambda: None) -> None:
        self._learn = learn

    def run(self, name: str, arguments: list[str], stdin: str = "") -> Printed:
        """Run a tool, by the name of Kafka's script, until it ends.

        A tool that does not exist prints nothing.
        """
        if not is_ours(name):
            return Printed(0, "", "")
        self._learn()
        command = [name.removeprefix("kafka-"), *map(_patient, ["", *arguments], arguments)]
        ran = forks.run([*forks.OURS, *command], environment(), stdin.encode(), TOOL_TIMEOUT_MS / 1000)
        return Printed(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


class KafkaBroker:
    """A connection to a Kafka broker, to wait until it has learned of all changes of metadata."""

    def __init__(self, bootstrap: str) -> None:
        self._connection = Connection(bootstrap)
        self._numbers = count(1)
        topic = {"Name": LEARNED, "NumPartitions": 1, "ReplicationFactor": 1}
        self._connection.ask("CreateTopics", 7, {"Topics": [topic], "timeoutMs": 30_000})

    def learn(self) -> None:
        """Return when the broker uses every change for which the controller has sent a response.

        The broker publishes changes one after the other: to its cache of metadata first, then to quotas,
        users and the authorizer. If the second change is in its cache, the first is known everywhere.
        """
        for _ in range(2):
            self._change(str(next(self._numbers)))

    def _change(self, value: str) -> None:
        config = {"Name": "max.message.bytes", "ConfigOperation": 0, "Value": value}
        resource: dict[str, Any] = {"ResourceType": A_TOPIC, "ResourceName": LEARNED}
        until = time.monotonic() + LEARNS_S_MAX
        while time.monotonic() < until:  # also for the new topic
            altered = self._ask("IncrementalAlterConfigs", 1, {**resource, "Configs": [config]})["Responses"]
            if not altered[0]["ErrorCode"]:
                break
        described = {**resource, "ConfigurationKeys": [config["Name"]]}
        while time.monotonic() < until:
            (result,) = self._ask("DescribeConfigs", 4, described)["Results"]
            if [each["Value"] for each in result["Configs"]] == [value]:
                return
            time.sleep(AGAIN_S)
        raise TimeoutError(f"the broker has not learned of a change in {LEARNS_S_MAX} s")

    def _ask(self, api: str, version: int, resource: dict[str, Any]) -> dict[str, Any]:
        answered: dict[str, Any] = self._connection.ask(api, version, {"Resources": [resource]})
        return answered

    def close(self) -> None:
        self._connection.close()


def _patient(option: str, argument: str) -> str:
    is_number = option == "--timeout-ms" and argument.isdecimal()
    return str(max(TIMEOUT_MS_MIN, int(argument))) if is_number else argument


def is_ours(line: str) -> bool:
    """Return if we have the tool of this command line."""
    return line.partition(" ")[0].removeprefix("kafka-") in COMMANDS


def comparable(printed: list[Recorded]) -> list[Recorded]:
    """Return the output of a case, without tools that we lack, in the form of our tools."""
    return [_admin(one) if _is_admin(one) else _plain(one) for one in printed if is_ours(one["$"])]


def _is_admin(printed: Recorded) -> bool:
    return str(printed["$"]).partition(" ")[0] in ADMIN


def _plain(printed: Recorded) -> Recorded:
    """Remove the log and the exceptions that were logged."""
    err: list[str] = []
    logged = False
    for line in printed["err"]:
        if _LOGGED.match(line):
            logged = True
        elif not (logged and (_TRACE.match(line) or _OF_THE_LOG.match(line))):
            logged = False
            err.append(line)
    return {**printed, "err": _messages(err, printed["out"])}


def _admin(printed: Recorded) -> Recorded:
    """Ignore the order of lines, and the time and class in log lines."""
    err = [log[1] if (log := _LOG.match(line)) else line for line in printed["err"]]
    return {**printed, "out": sorted(printed["out"]), "err": sorted(_messages(err, printed["out"]))}


def _messages(err: list[str], out: list[str]) -> list[str]:
    """Replace a stack trace by its message, unless that was printed already. Ignore empty lines."""
    kept: list[str] = []
    for line in err:
        if _OF_A_TRACE.match(line):
            continue
        message = _message(line)
        missing = _CANNOT_READ.fullmatch(message)
        if missing and any(missing[1] in one for one in [*out, *kept]):  # Kafka's tool has named the file
            continue
        if message == line or not any(message in one for one in [*out, *kept]):
            kept.append(message)
    absent = {found[1] for line in err if (found := _NO_SUCH_FILE.search(line))}
    return [
        f"cannot read {line}: No such file or directory" if line in absent else line
        for line in kept
        if line not in ("", "null", _HINT)
    ]


def _message(line: str) -> str:
    """Remove the classes that Java prints before the message."""
    while (trace := _TRACE.match(line)) is not None:
        line = trace[1] or ""
    return line
