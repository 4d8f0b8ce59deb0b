"""`tidemark explain-log --bootstrap-server`: the verdict about a running cluster is that of its directory."""

from __future__ import annotations

import json
import re
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.broker_process import BrokerProcess
from tests.conformance.build_acls import STANDARD_AUTHORIZER
from tests.pipeline import kafka_story as story
from tests.wire import Connection
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_tools import explain_log
from tidemark_tools.client import connection
from tidemark_tools.main import main

pytestmark = pytest.mark.contract

# As 4.4, it writes the id of its topic with each offset, as Kafka 4.2 and later do.
SETTINGS = {"tidemark.test.api": "true", "tidemark.as": "4.4", "offsets.topic.num.partitions": "5"}
DAY_MS = 86_400_000
Output = pytest.CaptureFixture[str]


class Cluster(BrokerProcess):
    def post(self, path: str, **body: object) -> Any:
        request = urllib.request.Request(f"http://{self.http}/v1{path}", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read())


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster whose groups have lost offsets in every way."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"), SETTINGS)
    cluster.start()
    try:
        with Connection(cluster.bootstrap) as kafka:
            tell(cluster, kafka)
        yield cluster
    finally:
        cluster.stop()


def tell(cluster: Cluster, kafka: Connection) -> None:
    story.create(kafka, {"orders": 3, "doomed": 1, "remade": 1})
    story.until_ready(partial(kafka.ask, "FindCoordinator", 3, FindCoordinatorRequest("expired", 0)))
    for group in ("expired", "again"):
        story.commit(kafka, group, {0: 1000, 1: 7})
    cluster.post("/clock/advance", days=8)
    story.commit(kafka, "again", {0: 5})
    for offset in (1000, 3):
        story.commit(kafka, "reset", {0: offset})
    story.commit(kafka, "deleted", {0: 1000})
    assert kafka.ask("DeleteGroups", 2, DeleteGroupsRequest(["deleted"])).results[0].error_code == 0
    story.commit(kafka, "removed", {0: 1, 1: 2})
    story.delete_offset(kafka, "removed", 1)
    story.join_consumer(kafka, "consumers")
    story.until_ready(partial(kafka.ask, "FindCoordinator", 3, FindCoordinatorRequest("tx-0", 1)))
    for number, outcome in enumerate((True, False, None)):
        story.in_transaction(kafka, f"tx-{number}", "transactional", {number: 500}, commits=outcome)
    for name in ("doomed", "remade"):
        story.commit(kafka, name, {0: 1}, topic=name)
        kafka.ask("DeleteTopics", 5, DeleteTopicsRequest(topic_names=[name], timeout_ms=10_000))
        story.until_gone(kafka, name, name)
    story.create(kafka, {"remade": 1})


@pytest.fixture
def faulty(told: Cluster) -> Iterator[Cluster]:
    yield told
    request = urllib.request.Request(f"http://{told.http}/v1/faults", method="DELETE")
    urllib.request.urlopen(request, timeout=30).close()


def explain(capsys: Output, *arguments: object) -> tuple[int, str, str]:
    code = main(["explain-log", *map(str, arguments)])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def of_cluster(capsys: Output, cluster: BrokerProcess, *arguments: object) -> tuple[int, str, str]:
    return explain(capsys, "--bootstrap-server", cluster.bootstrap, *arguments)


@pytest.mark.parametrize(
    "group", ["", "expired", "again", "reset", "deleted", "removed", "consumers", "transactional"]
)
def test_the_verdict_is_that_of_the_directory(told: Cluster, capsys: Output, group: str) -> None:
    asked = ["--group", group] if group else ["--show", "4"]
    expected = explain(capsys, told.data_dir, "--config", config(told), *asked)
    code, out, err = of_cluster(capsys, told, *asked)
    *lines, last = out.splitlines()
    last, _, read_from = last.partition(" Read from ")
    lines.append(last)
    if group:
        assert (code, "\n".join([*lines, ""]), err) == expected
    else:  # the cause of the others is known only with the time at which their topic was deleted
        assert [line for line in lines if not is_of_topic(line)] == [
            line for line in expected[1].splitlines() if not is_of_topic(line)
        ]
    assert read_from == f"{told.bootstrap}, which does not tell when topics were deleted."


def is_of_topic(line: str) -> bool:
    return "doomed" in line or "remade" in line


def config(told: Cluster) -> Path:
    path = told.data_dir.parent / "server.properties"
    path.write_text("offsets.retention.minutes=10080\n")
    return path


def test_a_topic_that_does_not_exist_any_more_leaves_two_causes(told: Cluster, capsys: Output) -> None:
    code, out, _ = of_cluster(capsys, told, "--group", "doomed")
    assert code == 0
    assert out.splitlines()[0].endswith(
        "the log does not show why (a client deleted it or its topic was deleted): it was not due under a "
        "retention of 7 d; its topic does not exist now, or may not be described, and "
        "when it was removed is not known. 1 offset is still missing when the log ends."
    )


def test_a_topic_that_was_created_again_leaves_two_causes(told: Cluster, capsys: Output) -> None:
    code, out, _ = of_cluster(capsys, told, "--group", "remade")
    assert code == 0
    assert out.splitlines()[0].endswith(
        "the log does not show why (a client deleted it or its topic was deleted): it was not due under a "
        "retention of 7 d; its topic was removed, at a time that is not known, and "
        "another one of its name exists now. 1 offset is still missing when the log ends."
    )


def test_json_names_the_cluster_and_the_cluster_is_not_changed(told: Cluster, capsys: Output) -> None:
    before = written(told)
    code, out, err = of_cluster(capsys, told, "--json")
    assert (code, err) == (0, "")
    assert written(told) == before
    document = json.loads(out)
    assert document["bootstrap_servers"] == told.bootstrap and "log_dirs" not in document
    assert document["retention_origin"] == "known"
    assert document["coverage"]["absent_log_partitions"] == []


def written(told: Cluster) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in told.data_dir.glob("*/*.log")}


def test_since_reads_the_records_of_that_time_and_says_so(
    told: Cluster, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the cluster is eight days ahead."""
    monkeypatch.setattr(connection, "wall_ms", lambda: int(time.time() * 1000) + 8 * DAY_MS)
    code, out, err = of_cluster(capsys, told, "--since", "1d", "--group", "consumers")
    assert (code, err) == (0, "")
    nothing = "Nothing in this log says that committed offsets of consumers were lost"
    assert out.startswith(f"{nothing}, but only records since ")
    code, _, err = of_cluster(capsys, told, "--since", "1d", "--group", "agian")
    assert code == 2
    assert re.search("No group agian in the records since .* UTC; did you mean again?", err)
    monkeypatch.setattr(connection, "wall_ms", lambda: int(time.time() * 1000) + 20 * DAY_MS)
    assert of_cluster(capsys, told, "--since", "1d") == (
        1,
        "",
        "tidemark explain-log: __consumer_offsets has no record of that time: name a longer --since\n",
    )


def test_a_misspelt_group_is_no_reassurance(told: Cluster, capsys: Output) -> None:
    assert of_cluster(capsys, told, "--group", "agian") == (
        2,
        "",
        "tidemark explain-log: No group agian in this log; did you mean again?\n",
    )


# What goes wrong.


def test_a_client_that_may_not_read_the_topic(faulty: Cluster, capsys: Output) -> None:
    faulty.post("/faults", api="Fetch", error="TOPIC_AUTHORIZATION_FAILED")
    assert of_cluster(capsys, faulty) == (1, "", f"tidemark explain-log: {explain_log.NOT_ALLOWED}\n")
    code, _, err = of_cluster(capsys, faulty, "--json")
    assert (code, json.loads(err)) == (1, {"error": explain_log.NOT_ALLOWED, "exit_code": 1})


def test_a_client_that_may_not_even_describe_it(tmp_path: Path, capsys: Output) -> None:
    cluster = BrokerProcess(tmp_path, {"authorizer.class.name": STANDARD_AUTHORIZER})
    cluster.start()
    try:
        assert of_cluster(capsys, cluster, "--retention", "7d") == (
            1,
            "",
            f"tidemark explain-log: {explain_log.NOT_ALLOWED}\n",
        )
    finally:
        cluster.stop()


def test_a_cluster_without_committed_offsets(tmp_path: Path, capsys: Output) -> None:
    cluster = BrokerProcess(tmp_path)
    cluster.start()
    try:
        code, out, err = of_cluster(capsys, cluster)
    finally:
        cluster.stop()
    assert (code, out) == (1, "")
    assert err == (
        "tidemark explain-log: this cluster has no __consumer_offsets, because no group has joined or "
        "committed an offset yet\n"
    )


def test_a_cluster_that_does_not_respond(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain_log, "TIMEOUT_MS", 200)
    code, out, err = explain(capsys, "--bootstrap-server", "127.0.0.1:1")
    assert (code, out) == (1, "")
    assert err.startswith("tidemark explain-log: no broker responds at 127.0.0.1:1")


def test_a_retention_that_may_not_be_described(faulty: Cluster, capsys: Output) -> None:
    faulty.post("/faults", api="DescribeConfigs", error="CLUSTER_AUTHORIZATION_FAILED")
    code, out, err = of_cluster(capsys, faulty, "--group", "reset")
    assert code == 0
    assert "(assumed: Kafka's default, because the log does not show it)" in out
    assert err.startswith("WARN the settings of the brokers may not be described") and "--retention" in err
    code, out, err = of_cluster(capsys, faulty, "--group", "reset", "--retention", "1d")
    assert (code, err) == (0, "")
    assert "offsets.retention.minutes=1440 (given)" in out


def test_a_log_that_is_too_large(faulty: Cluster, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain_log, "BYTES_MAX", 100)
    code, out, err = of_cluster(capsys, faulty)
    assert (code, out) == (1, "")
    assert err.endswith(
        "use --since 7d to read less, or tidemark-pipeline report --bootstrap-server "
        f"{faulty.bootstrap} --out report.html, which needs Java\n"
    )
    faulty.post("/faults", api="DescribeLogDirs", error="CLUSTER_AUTHORIZATION_FAILED")
    code, out, err = of_cluster(capsys, faulty)
    assert (code, out) == (1, "")
    assert "__consumer_offsets has more than 0 MB, and this command reads 0 MB: use --since 7d" in err
    code, out, err = of_cluster(capsys, faulty, "--since", "7d")
    assert (code, out) == (1, "")
    assert "use a shorter --since" in err


def test_a_leader_that_has_moved_and_is_not_found(
    faulty: Cluster, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explain_log, "STALLED_S", 0.5)
    faulty.post("/faults", api="Fetch", error="NOT_LEADER_OR_FOLLOWER")
    code, out, err = of_cluster(capsys, faulty)
    assert (code, out) == (1, "")
    assert err.startswith("tidemark explain-log: __consumer_offsets-") and "sent nothing for" in err


def test_a_leader_that_moves_is_found(told: Cluster, faulty: Cluster, capsys: Output) -> None:
    faulty.post("/faults", api="Fetch", error="NOT_LEADER_OR_FOLLOWER", times=3)
    code, out, _ = of_cluster(capsys, faulty, "--group", "reset")
    assert code == 0 and "was rewound from 1,000 to 3" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--bootstrap-server", "localhost:9092", "data"),
            "--bootstrap-server names a running cluster, and data is",
        ),
        (("data", "--since", "7d"), "--since requires --bootstrap-server"),
        (("data", "--command-config", "client.properties"), "--command-config requires --bootstrap-server"),
        (("--bootstrap-server", "localhost:9092", "--since", "7x"), "--since must be a duration such as 90s"),
        (("--bootstrap-server", "localhost:9092", "--retention", "7x"), "7x"),
    ],
)
def test_a_wrong_command_line(arguments: tuple[str, ...], message: str, capsys: Output) -> None:
    code, out, err = explain(capsys, *arguments)
    assert code in (1, 2) and out == ""
    assert message in err
