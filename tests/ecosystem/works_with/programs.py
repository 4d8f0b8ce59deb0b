"""Programs that run beside a broker, and the records and settings of the topics that they use."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from tests.broker_process import RunningBroker
from tests.clients.committed_reading import CommittedReading
from tests.clients.copiers import produce
from tests.wire import Connection
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from tidemark_protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

DEADLINE_S: Final = 240
HTTP_TIMEOUT_S: Final = 30
TOPIC: Final = 2  # the type of a resource
# For a timer of Kafka's that a test would otherwise wait for.
SETTINGS: Final = {"group.min.session.timeout.ms": "1000", "group.initial.rebalance.delay.ms": "0"}

Found = TypeVar("Found")


class Program:
    """A process of the block in which it is a context manager. It is killed at the end of the block.

    Its output is printed then, which pytest shows if the test has failed.
    """

    def __init__(
        self,
        command: Iterable[object],
        output: Path,
        *,
        environment: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> None:
        """environment: variables besides those of this process. user: who runs it."""
        self._command = [str(word) for word in command]
        self._output = output
        self._environment = {**os.environ, **(environment or {})}
        self._environment.pop("SPARK_HOME", None)  # tests of the pipeline set that of our PySpark
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill9()
        print(f"--- {self._output.name}\n{self.said()[-4000:]}")

    def start(self) -> None:
        """Start it, also again."""
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self._environment,
                cwd=self._output.parent,
                user=self._user,
            )

    def kill9(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Stop it by SIGTERM."""
        assert self._process is not None
        self._process.terminate()
        self._process.wait(DEADLINE_S)

    def finished(self) -> str:
        """Wait until it ends by itself with exit code 0. Return its output."""
        assert self._process is not None
        code = self._process.wait(DEADLINE_S)
        assert code == 0, self.said()[-4000:]
        return self.said()

    def said(self) -> str:
        return self._output.read_text(errors="replace")

    def until(self, wanted: Callable[[], Found], what: str) -> Found:
        """Return the first result of `wanted` that is true. Fails if the process ends before.

        Until the process listens, `wanted` may raise the errors of a refused connection.
        """
        assert self._process is not None
        deadline = time.monotonic() + DEADLINE_S
        while True:
            assert self._process.poll() is None, f"{self._command[0]} ended:\n{self.said()[-4000:]}"
            try:
                found = wanted()
            except (urllib.error.URLError, ConnectionError) as error:
                found, problem = None, repr(error)
            else:
                problem = repr(found)
            if found:
                return found
            assert time.monotonic() < deadline, f"{what}: {problem}\n{self.said()[-4000:]}"
            time.sleep(0.05)


class Topics:
    """The topics of a broker: their records, with one connection per call, and their settings."""

    def __init__(self, broker: RunningBroker) -> None:
        self._broker = broker

    def create(self, *names: str, partitions: int = 1, **settings: str) -> None:
        configs = [CreatableTopicConfig(key, value) for key, value in settings.items()]
        topics = [CreatableTopic(name, partitions, 1, configs=configs) for name in names]
        with Connection(self._broker.bootstrap) as connection:
            created = connection.ask("CreateTopics", 7, CreateTopicsRequest(topics, 10_000))
        assert not any(topic.error_code for topic in created.topics), created

    def write(self, name: str, *values: str, partition: int = 0) -> None:
        """Append one record per value, whose key is the value."""
        now_ms = int(time.time() * 1000)
        records = [LogRecord(n, now_ms, value.encode(), value.encode(), []) for n, value in enumerate(values)]
        produce(self._broker.bootstrap, name, partition, build_batch(records))

    def read(self, name: str, partition: int = 0) -> list[str]:
        """Return the values that a consumer with read_committed sees; none if the topic does not exist."""
        with Connection(self._broker.bootstrap) as connection:
            found = CommittedReading(
                name, partition, unreadable=(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,)
            ).read(connection)
        return [value.decode() for _, value in found]

    def partitions(self, name: str) -> int:
        request = MetadataRequest([MetadataRequestTopic(name=name)])
        with Connection(self._broker.bootstrap) as connection:
            return len(connection.ask("Metadata", 9, request).topics[0].partitions)

    def setting(self, name: str, key: str) -> str | None:
        request = DescribeConfigsRequest([DescribeConfigsResource(TOPIC, name, [key])])
        with Connection(self._broker.bootstrap) as connection:
            (result,) = connection.ask("DescribeConfigs", 4, request).results
        assert result.error_code == 0, result
        value: str | None = result.configs[0].value
        return value


def http(method: str, url: str, body: object = None) -> Any:
    """Send a request with a JSON body. Return the decoded response, None if it is empty.

    Raises urllib.error.HTTPError
    """
    data = None if body is None else json.dumps(body, default=str).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=HTTP_TIMEOUT_S) as response:
        text = response.read()
    return json.loads(text) if text else None
