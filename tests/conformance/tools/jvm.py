"""Run many of Kafka's tools in one JVM (Tools.java), since each start of a JVM needs a second."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final

from tests.jvm import BRIEF, compiled
from tests.kafka_oracle import jars, tool_class

DRIVER: Final = Path(__file__).with_name("Tools.java")
TOOL_TIMEOUT_MS: Final = 60_000

# Kafka's own config/tools-log4j2.yaml: warnings go to stderr. With `follow`, to the current System.err.
LOG_SETTINGS: Final = """\
status = error
appender.stderr.type = Console
appender.stderr.name = STDERR
appender.stderr.target = SYSTEM_ERR
appender.stderr.follow = true
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = [%d] %p %m (%c)%n
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = STDERR
"""


@dataclass(slots=True)
class Printed:
    """The result of a tool: exit code, stdout and stderr."""

    code: int
    out: str
    err: str


class ToolJvm:
    """A JVM that runs tools one after the other. folder: for its configuration."""

    def __init__(self, folder: Path) -> None:
        settings = folder / "log4j2.properties"
        settings.write_text(LOG_SETTINGS)
        found = sorted(jars().glob("*.jar"))
        tools = next(jar for jar in found if jar.name.startswith("kafka-tools-") and "api" not in jar.name)
        classpath = ":".join(str(jar) for jar in found if jar != tools)
        classes = compiled(DRIVER, classpath)
        main = (f"{classpath}:{classes}", DRIVER.stem) if classes is not None else (classpath, str(DRIVER))
        options = ("-Xmx512m", *BRIEF, "-Xshare:auto", f"-Dlog4j2.configurationFile={settings}")
        command = ["java", *options, "-cp", *main, str(tools)]
        self._lock = Lock()
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, name: str, arguments: list[str], stdin: str = "") -> Printed:
        """Run a tool by the name of its script, until it ends.

        Exit code 124 means that it did not end in time.
        """
        asked = {
            "tool": tool_class(name),
            "arguments": arguments,
            "stdin": stdin,
            "timeoutMs": TOOL_TIMEOUT_MS,
        }
        streams = self._process.stdin, self._process.stdout
        assert streams[0] is not None
        assert streams[1] is not None
        with self._lock:
            streams[0].write(json.dumps(asked) + "\n")
            streams[0].flush()
            line = streams[1].readline()
        assert line, f"the JVM of the tools has ended with {self._process.wait()}"
        told = json.loads(line)
        return Printed(told["exit"], told["out"], told["err"])

    def __enter__(self) -> ToolJvm:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
