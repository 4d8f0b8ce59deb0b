from __future__ import annotations

from tidemark.metrics import Metrics
from tidemark.metrics.catalogue import SERIES_MAX
from tidemark.metrics.definition import REQUEST_SECONDS, Histogram
from tidemark.metrics.text import Page
from tidemark_protocol.errors import ErrorCode


def lines(metrics: Metrics) -> list[str]:
    page = Page(metrics)
    return page.text(page.read()).decode().splitlines()


def test_counters_are_shown_with_their_labels() -> None:
    metrics = Metrics()
    metrics.requests["OffsetCommit", 8] += 2
    metrics.received_bytes["PLAINTEXT"] += 10
    metrics.offset_commits.mark(3, now_ms=0)
    found = lines(metrics)
    assert 'tidemark_requests_total{api="OffsetCommit",version="8"} 2.0' in found
    assert 'tidemark_received_bytes_total{listener="PLAINTEXT"} 10.0' in found
    assert "tidemark_offset_commits_total 3.0" in found
    assert "# TYPE tidemark_offset_commits_total counter" in found


def test_errors_are_shown_by_name() -> None:
    metrics = Metrics()
    metrics.request_errors["Heartbeat", 25] += 1
    metrics.request_errors["Heartbeat", ErrorCode.NONE] += 1
    found = lines(metrics)
    assert 'tidemark_request_errors_total{api="Heartbeat",error="UNKNOWN_MEMBER_ID"} 1.0' in found
    assert 'tidemark_request_errors_total{api="Heartbeat",error="NONE"} 1.0' in found


def test_gauge_is_read_at_each_scrape() -> None:
    metrics = Metrics()
    groups = {"Stable": 1}
    metrics.watch("groups", lambda: groups)
    assert 'tidemark_groups{state="Stable"} 1.0' in lines(metrics)
    groups["Stable"] = 2
    assert 'tidemark_groups{state="Stable"} 2.0' in lines(metrics)


def test_known_label_values_are_shown_from_the_start() -> None:
    metrics = Metrics()
    metrics.watch("groups", dict)
    assert 'tidemark_groups{state="Empty"} 0.0' in lines(metrics)
    assert 'tidemark_bad_input_total{kind="frame_size"} 0.0' in lines(metrics)


def test_gauge_without_a_value_is_not_shown() -> None:
    assert not [line for line in lines(Metrics()) if "tidemark_offsets " in line]


def test_a_histogram_counts_each_size_in_all_larger_buckets() -> None:
    metrics = Metrics()
    for size_s in (0.001, 0.004, 9.0):
        metrics.flush_duration.observe(size_s)
    found = lines(metrics)
    assert 'tidemark_flush_duration_seconds_bucket{le="0.001"} 1.0' in found
    assert 'tidemark_flush_duration_seconds_bucket{le="0.005"} 2.0' in found
    assert 'tidemark_flush_duration_seconds_bucket{le="1"} 2.0' in found
    assert 'tidemark_flush_duration_seconds_bucket{le="+Inf"} 3.0' in found
    assert "tidemark_flush_duration_seconds_sum 9.005" in found


def test_series_beyond_the_bound_are_left_out_and_counted() -> None:
    metrics = Metrics()
    metrics.watch("log_size", lambda: {("orders", partition): 1 for partition in range(SERIES_MAX + 7)})
    found = lines(metrics)
    assert len([line for line in found if line.startswith("tidemark_log_size_bytes{")]) == SERIES_MAX
    assert 'tidemark_series_left_out{metric="tidemark_log_size_bytes"} 7.0' in found


def test_a_label_of_a_client_cannot_break_the_page() -> None:
    metrics = Metrics()
    metrics.watch("log_size", lambda: {('a"b\n', 0): 1})
    assert r'tidemark_log_size_bytes{partition="0",topic="a\"b\n"} 1.0' in lines(metrics)


def test_series_that_were_not_read_count_as_left_out() -> None:
    metrics = Metrics()
    page = Page(metrics)
    readings = page.read() | {"group_lag": {("readers", "orders", 0): 7}}
    found = page.text(readings, {"group_lag": 30}).decode().splitlines()
    assert 'kafka_consumergroup_lag{consumergroup="readers",partition="0",topic="orders"} 7.0' in found
    assert 'tidemark_series_left_out{metric="kafka_consumergroup_lag"} 30.0' in found


def test_meter_has_its_count_as_own_metric_and_both_numbers_as_kafkas() -> None:
    now_ms = 0
    metrics = Metrics(lambda: now_ms, windows=2, window_ms=30_000)
    metrics.offset_commits.mark(10, now_ms)
    now_ms = 1_000
    found = lines(metrics)
    assert "tidemark_offset_commits_total 10.0" in found
    assert "kafka_server_group_coordinator_metrics_offset_commit_count 10.0" in found
    assert f"kafka_server_group_coordinator_metrics_offset_commit_rate {10 / 31}" in found
    assert "kafka_server_group_coordinator_metrics_offset_deletion_rate 0.0" in found


def test_connections_are_shown_for_kafkas_network_thread() -> None:
    metrics = Metrics()
    metrics.connections["PLAINTEXT"] += 2
    name = "kafka_server_socket_server_metrics_connection_count"
    assert f'{name}{{listener="PLAINTEXT",networkProcessor="0"}} 2.0' in lines(metrics)


def test_a_labelled_histogram_has_the_buckets_of_each_label_value() -> None:
    metrics = Metrics()
    commits, joins = Histogram(REQUEST_SECONDS), Histogram(REQUEST_SECONDS)
    commits.observe(0.004, times=64)
    joins.observe(3.0)
    metrics.watch("request_duration", lambda: {"OffsetCommit": commits, "JoinGroup": joins})
    found = lines(metrics)
    name = "tidemark_request_duration_seconds"
    assert f'{name}_bucket{{api="OffsetCommit",le="0.005"}} 64.0' in found
    assert f'{name}_count{{api="OffsetCommit"}} 64.0' in found
    assert f'{name}_sum{{api="JoinGroup"}} 3.0' in found
    assert f"# TYPE {name} histogram" in found
