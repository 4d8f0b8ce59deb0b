"""Debian's Prometheus scrapes /metrics of a broker under load, and PromQL returns the right values."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from tests import needs
from tests.authorities import Authority
from tests.broker_process import BrokerProcess, free_port
from tests.clients.client import Client, batch
from tests.wire import Connection, request
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.heartbeat import HeartbeatRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_testing.wire import create_topic, delete_topics
from tidemark_tools.http_api import Api
from tidemark_tools.set_up import FILES, FOLDER

pytestmark = [pytest.mark.contract, pytest.mark.slow]

DOCKER: Final = Path(__file__).resolve().parents[2] / "docker"
PAGE: Final = DOCKER.parent / "docs" / "monitoring.md"
DASHBOARD: Final = FOLDER / FILES["dashboard"]
RULES: Final = FOLDER / FILES["rules"]
PATIENCE_S: Final = 60
DAY_S: Final = 24 * 3600
ORDERS: Final = 3  # partitions
RECORDS: Final = 10
# The complaints of Prometheus' lint about names of Kafka and kafka_exporter.
KAFKA: Final = "kafka_server_group_coordinator_metrics"
VERIFICATIONS: Final = "kafka_server_addpartitionstotxnmanager"
CONNECTIONS: Final = "kafka_server_socket_server_metrics_connection_count"
NO_SUFFIX: Final = 'non-histogram and non-summary metrics should not have "{}" suffix'
DISLIKED: Final = (
    *(f"{KAFKA}_{meter}_count {NO_SUFFIX.format('_count')}" for meter in (
        "offset_commit", "offset_expiration", "offset_deletion", "group_completed_rebalance",
        "consumer_group_rebalance", "consumer_group", "classic_group", "group", "offset",
        "share_group", "share_group_rebalance", "streams_group", "streams_group_rebalance",
    )),
    *(f"{VERIFICATIONS}_{meter}_count {NO_SUFFIX.format('_count')}" for meter in (
        "verificationfailurerate", "verificationtimems",
    )),
    f"{CONNECTIONS} {NO_SUFFIX.format('_count')}",
    f"{CONNECTIONS} label names should be written in 'snake_case' not 'camelCase'",
    f"kafka_consumergroup_current_offset_sum {NO_SUFFIX.format('_sum')}",
    f"kafka_consumergroup_lag_sum {NO_SUFFIX.format('_sum')}",
)  # fmt: skip


class Prometheus:
    """A Prometheus server that scrapes one broker every second, and evaluates our alert rules as often."""

    def __init__(self, folder: Path, scrape_configs: str) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        config = folder / "prometheus.yml"
        config.write_text(
            "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
            f"rule_files: [{RULES}]\n{scrape_configs}\n"
        )
        self._said = (folder / "prometheus.out").open("wb")
        self.process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={folder / 'tsdb'}",
                f"--web.listen-address={self.address}",
            ],
            stdout=self._said,
            stderr=self._said,
        )

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self._said.close()

    def ask(self, promql: str) -> dict[tuple[str, ...], float]:
        """Return the instant vector: values by label values, in the order of the label names."""
        query = urllib.parse.urlencode({"query": promql})
        with urllib.request.urlopen(f"http://{self.address}/api/v1/query?{query}", timeout=10) as response:
            found = json.load(response)
        assert found["status"] == "success"
        return {labels(series["metric"]): float(series["value"][1]) for series in found["data"]["result"]}

    def number(self, promql: str) -> float | None:
        """Return the single value of a query, or None."""
        values = list(self.ask(promql).values())
        assert len(values) <= 1, f"{promql}: {values}"
        return values[0] if values else None

    def wait_for(self, promql: str, wanted: float) -> None:
        self._wait_until(lambda: self.number(promql) == wanted, f"{promql} is not {wanted}")

    def errors(self) -> dict[str, str]:
        """Return the error of the last scrape by job; "" is none."""
        with urllib.request.urlopen(f"http://{self.address}/api/v1/targets", timeout=10) as response:
            targets = json.load(response)["data"]["activeTargets"]
        return {each["labels"]["job"]: each["lastError"] for each in targets}

    def wait_for_scrape(self) -> None:
        """Wait until a scrape that began after this call has ended."""
        now = time.time()
        self._wait_until(lambda: (self.number("timestamp(up)") or 0) > now, "no scrape")

    def wait_for_data(self, promql: str, meanwhile: Callable[[], None]) -> None:
        """Wait until the query returns a series with a number. meanwhile: keep the broker busy."""

        def has_data() -> bool:
            meanwhile()
            return any(not math.isnan(value) for value in self.ask(promql).values())

        self._wait_until(has_data, f"no data: {promql}")

    def _wait_until(self, holds: Callable[[], bool], otherwise: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):  # it is still starting
                if holds():
                    return
            assert self.process.poll() is None, "Prometheus has ended"
            time.sleep(0.1)
        raise AssertionError(otherwise)


def labels(metric: dict[str, str]) -> tuple[str, ...]:
    ours = sorted(name for name in metric if name not in ("__name__", "instance", "job"))
    return tuple(metric[name] for name in ours)


@pytest.fixture
def timed_broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    """A broker whose time can be moved, and whose cleanup pass runs on request."""
    running = BrokerProcess(tmp_path, {"tidemark.test.api": "true", "group.initial.rebalance.delay.ms": "0"})
    running.start()
    yield running
    running.stop()


@pytest.fixture
def prometheus(timed_broker: BrokerProcess, tmp_path: Path) -> Iterator[Prometheus]:
    needs.program("prometheus", "prometheus")
    target = f"{{job_name: tidemark, static_configs: [{{targets: ['{timed_broker.http}']}}]}}"
    running = Prometheus(tmp_path, f"scrape_configs: [{target}]")
    yield running
    running.stop()


def test_promql_returns_the_values_of_the_story(timed_broker: BrokerProcess, prometheus: Prometheus) -> None:
    prometheus.wait_for("up", 1)
    # Known label values exist before the first event, so that later counts are increases.
    prometheus.wait_for('tidemark_offset_expirations_total{reason="group_empty"}', 0)
    sent, fetched = do_everything(timed_broker)
    prometheus.wait_for_scrape()

    ask, number = prometheus.ask, prometheus.number
    # Counts offsets, not requests, and not refused ones.
    assert number("tidemark_offset_commits_total") == 12
    assert number("tidemark_offset_deletions_total") == 1
    assert number("tidemark_group_completed_rebalances_total") == 2
    assert ask("tidemark_offset_expirations_total != 0") == {("explicit_retention",): 2, ("group_empty",): 3}
    assert ask("tidemark_offsets_removed_total") == {
        ("expired",): 5, ("offset_delete",): 1, ("group_delete",): 1, ("topic_delete",): 1,
    }  # fmt: skip
    assert number('increase(tidemark_offset_expirations_total{reason="group_empty"}[5m]) > 2') is not None
    assert (
        number("tidemark_offset_cleanup_runs_total")
        == number("tidemark_offset_cleanup_duration_seconds_count")
        == 2
    )
    assert number("tidemark_clock_offset_seconds") == 8 * DAY_S
    assert ask("tidemark_groups") == {
        ("Empty",): 1, ("Stable",): 1, ("PreparingRebalance",): 0, ("CompletingRebalance",): 0, ("Dead",): 0,
        ("Assigning",): 0, ("Reconciling",): 0,
    }  # fmt: skip
    assert ask("tidemark_group_members") == {("lasting",): 1, ("late",): 0}
    assert ask("tidemark_group_unsubscribed_offsets") == {("lasting",): 1}
    # "lasting" is not subscribed to "payments", so that offset expires by its own age.
    due = ask(
        "tidemark_offset_next_expiry_timestamp_seconds - time()"
        " - on() group_left tidemark_clock_offset_seconds"
    )
    assert set(due) == {("lasting",), ("late",)}
    assert all(7 * DAY_S - 2 * PATIENCE_S < left_s <= 7 * DAY_S for left_s in due.values())
    assert ask("tidemark_series_left_out") == {}
    disk = os.statvfs(timed_broker.data_dir)
    data_dir = str(timed_broker.data_dir)
    assert ask("tidemark_log_dir_total_bytes") == {(data_dir,): disk.f_blocks * disk.f_frsize}
    (usable,) = ask("tidemark_log_dir_usable_bytes").values()
    assert abs(usable - disk.f_bavail * disk.f_frsize) < (1 << 30)  # others write to it meanwhile

    assert number(f"{KAFKA}_offset_commit_count") == 12
    assert number(f"{KAFKA}_offset_expiration_count") == 5
    assert number(f"{KAFKA}_offset_deletion_count") == 1
    assert number(f"{KAFKA}_group_completed_rebalance_count") == 2
    assert 12 / 90 <= (number(f"{KAFKA}_offset_commit_rate") or 0) <= 12 / 30
    assert number("kafka_coordinator_group_groupmetadatamanager_numoffsets") == 4
    assert number("kafka_coordinator_group_groupmetadatamanager_numgroupsstable") == 1
    topic = '{topic="orders"}'
    assert number(f"kafka_server_brokertopicmetrics_messagesin_total{topic}") == RECORDS
    assert number(f"kafka_server_brokertopicmetrics_bytesin_total{topic}") == sent
    assert number(f"kafka_server_brokertopicmetrics_bytesout_total{topic}") == fetched
    assert number('sum(kafka_network_requestmetrics_requests_total{request="OffsetDelete"})') == 1

    # The panels of dashboard 7589.
    lag = 'sum(kafka_consumergroup_lag{topic=~"orders"}) by (consumergroup, topic)'
    assert ask(lag) == {("lasting", "orders"): RECORDS - 4 - 5 - 1, ("late", "orders"): RECORDS - 10 - 2}
    assert ask("kafka_consumergroup_current_offset_sum") == {
        ("lasting", "orders"): 4 + 5 - 1, ("lasting", "payments"): 7, ("late", "orders"): 10 - 2,
    }  # fmt: skip
    assert ask('kafka_topic_partition_current_offset{topic="orders"}') == {
        ("0", "orders"): RECORDS, ("1", "orders"): 0, ("2", "orders"): 0,
    }  # fmt: skip
    assert ask('sum by(topic) (kafka_topic_partitions{topic!="__consumer_offsets"})') == {
        ("orders",): ORDERS, ("payments",): 1,
    }  # fmt: skip
    assert ask("kafka_consumergroup_members") == {("lasting",): 1, ("late",): 0}


def do_everything(broker: BrokerProcess) -> tuple[int, int]:
    """Commit and lose offsets in every way, over eight days. Return the bytes of records in and out."""
    with Connection(broker.bootstrap) as connection:
        return commit_and_lose(broker, Client(connection), Api(broker.http))


def commit_and_lose(broker: BrokerProcess, client: Client, api: Api) -> tuple[int, int]:
    for name, partitions in (("orders", ORDERS), ("payments", 1), ("doomed", 1)):
        create_topic(broker.bootstrap, name, partitions, {})
    sent = batch(RECORDS)
    assert client.produce("orders", (0, sent)) == [0]
    fetched = client.fetch("orders", (0, 0))
    assert client.commit("refused", "orders", {7: 1}) == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]

    member = client.join("leaving", "orders")
    as_member = {"member_id": member, "generation_id_or_member_epoch": 1}
    assert client.commit("leaving", "orders", {0: 1, 1: 1, 2: 1}, **as_member) == [0, 0, 0]
    client.leave("leaving", member)
    # Each partition is kept for one millisecond only.
    assert client.commit("brief", "orders", {0: 1, 1: 1}, version=4, retention_time_ms=1) == [0, 0]
    assert client.commit("deleted", "orders", {0: 3}) == [0]
    client.delete_group("deleted")
    assert client.commit("leaving", "doomed", {0: 3}) == [0]
    delete_topics(broker.bootstrap, ["doomed"])

    moved = api.post("/v1/clock/advance", {"days": 8})
    assert len(moved["offsets"]) == 5
    member = client.join("lasting", "orders")
    as_member = {"member_id": member, "generation_id_or_member_epoch": 1}
    assert client.commit("lasting", "orders", {0: 4, 1: 5}, **as_member) == [0, 0]
    assert client.commit("lasting", "payments", {0: 7}, **as_member) == [0]
    assert client.commit("late", "orders", {0: 10, 1: 1}) == [0, 0]
    client.delete_offset("late", "orders", 1)
    assert api.post("/v1/cleanup")["offsets"] == []
    return len(sent), fetched


def test_promtool_complains_only_about_kafkas_names(timed_broker: BrokerProcess) -> None:
    needs.program("promtool", "prometheus")
    do_everything(timed_broker)
    page = Api(timed_broker.http).text("/metrics")
    assert "kafka_consumergroup_lag_sum" in page
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=page, capture_output=True, text=True, timeout=30
    )
    found = (checked.stdout + checked.stderr).splitlines()
    assert [line for line in found if line not in DISLIKED] == []
    assert checked.returncode in (0, 3), found


def test_rules_and_configuration_pass_promtool() -> None:
    """`check` reads the files, `test rules` runs the tests of the alerts in docker/rules_test.yml."""
    needs.program("promtool", "prometheus")
    for check in (
        ["check", "config", str(FOLDER / FILES["prometheus"])],
        ["test", "rules", str(DOCKER / "rules_test.yml")],
    ):
        checked = subprocess.run(
            ["promtool", *check], capture_output=True, text=True, timeout=30, check=False
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_dashboard_has_data_and_an_alert_fires(
    timed_broker: BrokerProcess, prometheus: Prometheus
) -> None:
    prometheus.wait_for("up", 1)
    do_everything(timed_broker)
    prometheus.wait_for_scrape()
    assert prometheus.number('sum(ALERTS{alertname="TidemarkOffsetsExpireSoon"})') is None
    with Connection(timed_broker.bootstrap) as first, Connection(timed_broker.bootstrap) as second:
        commits = partial(commit_on_both, first, second)
        for query in dashboard_queries():
            prometheus.wait_for_data(query, commits)

    left = {"minutes": 7 * 24 * 60 - 30, "cleanup": False}
    Api(timed_broker.http).post("/v1/clock/advance", left)
    firing = 'count(ALERTS{alertname="TidemarkOffsetsExpireSoon", alertstate="firing"})'
    prometheus.wait_for(firing, 3)  # the groups "late", "lasting" and "busy"


def commit_on_both(first: Connection, second: Connection) -> None:
    """Commit on two connections at once, so that some commits wait for the sync of others; and fail once."""
    partitions = [OffsetCommitRequestPartition(2, 1, committed_metadata="")]
    topics = [OffsetCommitRequestTopic(name="orders", partitions=partitions)]
    commit = request("OffsetCommit", 8, OffsetCommitRequest("busy", topics=topics))
    for _ in range(10):
        first.send(commit)
        second.send(commit)
    for _ in range(10):
        first.answer()
        second.answer()
    first.ask("Heartbeat", 4, HeartbeatRequest(group_id="nosuch", member_id="m"))


def dashboard_queries() -> list[str]:
    """Return every query of the dashboard, with all of each variable, over the last 30 s."""
    dashboard = json.loads(DASHBOARD.read_text())
    variables = {one["name"]: one.get("allValue", "") for one in dashboard["templating"]["list"]}
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    assert len(queries) > 30
    variables["__rate_interval"] = "30s"
    return [re.sub(r"\$(\w+)", lambda found: variables[found[1]], query) for query in queries]


def test_prometheus_scrapes_over_tls_with_the_right_token(tmp_path: Path) -> None:
    """The settings and the configuration are those of docs/monitoring.md. A second job has a wrong token."""
    needs.program("prometheus", "prometheus")
    section = PAGE.read_text().split("## With a token and TLS")[1].split("\n## ")[0]
    properties, scrape = re.findall(r"```(?:properties|yaml)\n(.*?)```", section, re.DOTALL)
    authority = Authority()
    keys = authority.sign()
    files = {
        "broker.pem": keys.key() + keys.chain,
        "ca.pem": authority.pem,
        "tidemark.token": "token-secret",
        "wrong.token": "another-token",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    here = {
        "/etc/tidemark": str(tmp_path),
        "/etc/prometheus": str(tmp_path),
        "0.0.0.0:9464": "127.0.0.1:0",
        "<a long random text>": "token-secret",
    }
    settings = dict(line.split("=", 1) for line in replaced(properties, here).splitlines())
    broker = BrokerProcess(tmp_path, settings)
    broker.start()
    target = {"broker.example.com:9464": f"localhost:{broker.http.rpartition(':')[2]}"}
    right = replaced(scrape, here | target)
    wrong = replaced(
        right.removeprefix("scrape_configs:\n"),
        {"tidemark.token": "wrong.token", "job_name: ": "job_name: not_"},
    )
    prometheus = Prometheus(tmp_path, right + wrong)
    try:
        prometheus.wait_for('up{job="tidemark"}', 1)
        prometheus.wait_for('up{job="not_tidemark"}', 0)
        assert prometheus.number("count(tidemark_topics)") == 1
        assert prometheus.errors() == {
            "tidemark": "", "not_tidemark": "server returned HTTP status 401 Unauthorized",
        }  # fmt: skip
    finally:
        prometheus.stop()
        broker.stop()


def replaced(text: str, values: dict[str, str]) -> str:
    for old, new in values.items():
        text = text.replace(old, new)
    return text
