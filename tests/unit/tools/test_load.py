"""Lines, pace and options of the perf tests and the verifiable tools, with the texts of Kafka 4.3.1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidemark_protocol.batch import LogRecord
from tidemark_tools import consumer_perf_test, producer_perf_test, verifiable_consumer, verifiable_producer
from tidemark_tools.client.client import TopicPartition
from tidemark_tools.client.consumer import Consumed
from tidemark_tools.producer_perf_test import Pace, Stats
from tidemark_tools.verifiable_consumer import Events


def test_the_summary_has_the_form_of_kafkas() -> None:
    stats = Stats(began_ms=0)
    stats.add(2925, 292_500, latency_ms=153.1)
    stats.add(75, 7_500, latency_ms=1899.0)
    assert stats.window(3000) == (
        "3000 records sent, 1000.0 records/sec (0.10 MB/sec), 196.7 ms avg latency, 1899.0 ms max latency."
    )
    assert stats.total(3000) == (
        "3000 records sent, 1000.000000 records/sec (0.10 MB/sec), 196.75 ms avg latency, "
        "1899.00 ms max latency, 153 ms 50th, 153 ms 95th, 1899 ms 99th, 1899 ms 99.9th."
    )


def test_a_summary_without_records_divides_by_nothing() -> None:
    assert Stats(0, " steady state").total(0).startswith("0 steady state records sent, 0.000000 records/sec")


def test_a_limited_load_waits_for_its_turn() -> None:
    now_s, slept = 10.0, []
    pace = Pace(1000, lambda: now_s, slept.append)
    assert pace.batch(500) == 10
    pace.wait(100)
    assert slept == [pytest.approx(0.1)]
    now_s = 10.2
    pace.wait(100)  # it is late already
    assert len(slept) == 1


def test_an_unlimited_load_never_waits() -> None:
    pace = Pace(-1, lambda: 0.0, lambda seconds: pytest.fail("waits"))
    assert pace.batch(500) == 500
    pace.wait(10**9)


def test_a_value_that_is_no_number_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert producer_perf_test.main(["--num-records", "x"]) == 1
    ended = capsys.readouterr().err
    assert ended.startswith("usage: kafka-producer-perf-test")
    assert ended.endswith(
        "kafka-producer-perf-test: error: argument --num-records:  could not convert\n"
        "'x' to Long (For input string: \"x\")\n"
    )


def test_exactly_one_kind_of_payload_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["--topic", "p", "--num-records", "10", "--throughput", "5"]
    assert producer_perf_test.main(line) == 1
    assert capsys.readouterr().err.endswith(
        "kafka-producer-perf-test: error:  one  of  the  arguments  --record-size --\n"
        "payload-file --payload-monotonic is required\n"
    )
    assert producer_perf_test.main([*line, "--record-size", "3", "--payload-monotonic"]) == 1
    assert capsys.readouterr().err.endswith(
        "kafka-producer-perf-test: error: argument  --payload-monotonic: not allowed\n"
        "with argument --record-size\n"
    )


def test_an_option_may_have_many_values_and_another_none() -> None:
    line = (
        "--topic p --num-records 1 --throughput -1 --command-property acks=1 linger.ms=3 --payload-monotonic"
    )
    parsed = producer_perf_test.TOOL.parse(line.split())
    assert parsed.values("command-property") == ["acks=1", "linger.ms=3"]
    assert parsed.has("payload-monotonic")
    assert parsed.number("record-size") is None


@pytest.mark.parametrize("tool", [verifiable_producer, verifiable_consumer])
def test_an_unknown_option_is_refused(tool: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--bogus"]) == 1
    name = tool.__name__.rpartition(".")[2].replace("_", "-")
    assert capsys.readouterr().err.endswith(f"{name}: error: unrecognized arguments: '--bogus'\n")


def test_the_consumer_needs_a_number_of_records(capsys: pytest.CaptureFixture[str]) -> None:
    assert consumer_perf_test.main(["--topic", "p"]) == 1
    assert capsys.readouterr().err.splitlines()[0] == 'Missing required argument "[bootstrap-server]"'


class Committing:
    """A consumer that only counts its commits."""

    commits = 0

    def commit(self) -> None:
        self.commits += 1


def test_events_of_a_consumer(capsys: pytest.CaptureFixture[str]) -> None:
    consumer: Any = Committing()
    events = Events(consumer, verbose=True, commits=True)
    events.assigned([TopicPartition("v", 0)])
    for offset, value in ((4, b"0"), (5, b"1")):
        events.received(Consumed("v", 0, LogRecord(offset, 0, None, value, ()), append_time=False))
    events.polled()
    events.polled()  # without records, nothing is printed or committed
    events.revoked()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    place = {"topic": "v", "partition": 0}
    assert [{name: value for name, value in line.items() if name != "timestamp"} for line in lines] == [
        {"name": "partitions_assigned", "partitions": [place]},
        {"name": "record_data", "key": None, "value": "0", **place, "offset": 4},
        {"name": "record_data", "key": None, "value": "1", **place, "offset": 5},
        {
            "name": "records_consumed",
            "count": 2,
            "partitions": [{**place, "count": 2, "minOffset": 4, "maxOffset": 5}],
        },
        {"name": "offsets_committed", "offsets": [{**place, "offset": 6}], "success": True},
        {"name": "partitions_revoked", "partitions": [place]},
    ]
    assert list(lines[0]) == ["timestamp", "name", "partitions"]
    assert consumer.commits == 1
