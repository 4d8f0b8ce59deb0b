"""Send the same requests to Apache Kafka and to tidemark and compare the series with Kafka's names.

Kafka's series are derived from its MBeans by the rules of the JMX exporter: lower case, without `PerSec`, and
`_total` at the end of counters.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, OracleBroker, two_free_ports
from tests.clients.client import Client, batch
from tests.conformance.case import Broker, Talk
from tests.conformance.mbeans import mbeans, open_jmx
from tests.conformance.transactional import Producer
from tests.wire import Connection
from tidemark.metrics.catalogue import KAFKA
from tidemark_protocol.compression import Codec
from tidemark_testing.wire import create_topic, delete_topics
from tidemark_tools.http_api import Api

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]

SETTINGS: Final = {"offsets.topic.num.partitions": "1", "transaction.state.log.num.partitions": "1"}
ASKED: Final = (
    "kafka.server:type=BrokerTopicMetrics,*",
    "kafka.server:type=group-coordinator-metrics,*",
    "kafka.server:type=ReplicaManager,*",
    "kafka.server:type=ShareSessionCache,*",
    "kafka.server:type=socket-server-metrics,*",
    "kafka.coordinator.group:type=GroupMetadataManager,*",
    "kafka.server:type=AddPartitionsToTxnManager,*",
    "kafka.coordinator.transaction:type=TransactionMarkerChannelManager,*",
    "kafka.cluster:type=Partition,name=LastStableOffsetLag,*",
    "kafka.controller:type=KafkaController,*",
    "kafka.network:type=RequestMetrics,name=RequestsPerSec,*",
)
# These change with time or with other connections. Kafka counts its groups once a minute.
PASSING: Final = re.compile(r".*_rate|.*_numgroups\w*|.*_group_count|.*_connection_count")

# Kafka's nodes forward requests about topics and count them twice. The number of retries differs, too.
WAITS_BY: Final = 7
NOT_COMPARED: Final = re.compile(
    r"request=(\w*Topics|\w+Registration|BrokerHeartbeat|FindCoordinator|ApiVersions|Metadata) .*"
    r"|request=(InitProducerId|DescribeTransactions|AllocateProducerIds|AddPartitionsToTxn\w*) .*"
    rf"|request=OffsetCommit version={WAITS_BY}"
)

# Kafka 4.4 added these (KIP-1301).
NEW: Final = {
    f"kafka_server_group_coordinator_metrics_{name}" for name in ("classic_group_count", "offset_count")
}
SERVED: Final = sorted(
    {
        metric.name
        for metric in KAFKA
        if (metric.name not in NEW or kafka_oracle.KAFKA_VERSION != kafka_oracle.USUAL)
        # of share partitions in use, and of groups with dead letters
        and not metric.name.startswith(
            ("kafka_server_sharepartitionmetrics", "kafka_server_sharegroupmetrics")
        )
    }
)

Series = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@dataclass(slots=True)
class Told:
    ours: Series
    kafkas: Series


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    folder = tmp_path_factory.mktemp("meters")
    kafka = OracleBroker(folder / "kafka", two_free_ports(), SETTINGS)
    ours = BrokerProcess(
        folder / "ours", {**SETTINGS, "tidemark.as": kafka_oracle.short_name(kafka_oracle.KAFKA_VERSION)}
    )
    try:
        kafka.start()
        ours.start()
        for broker in (kafka, ours):
            do_everything(broker.bootstrap)
        yield Told(scraped(ours), by_prometheus_names(mbeans(open_jmx(kafka), *ASKED)))
    finally:
        ours.stop()
        kafka.stop()


def do_everything(bootstrap: str) -> None:
    for name, partitions in (("orders", 3), ("doomed", 1)):
        create_topic(bootstrap, name, partitions, {})
    with Connection(bootstrap) as connection:
        client = Client(connection)
        wait_for_coordinator(client)
        produce_and_fetch(client)
        commit_and_delete(client)
    leave_a_transaction_open(bootstrap)
    delete_topics(bootstrap, ["doomed"])
    time.sleep(1)  # Kafka's broker removes its meters with a delay


def wait_for_coordinator(client: Client) -> None:
    """Commit until the new broker accepts it."""
    deadline = time.monotonic() + 30
    while client.commit("first", "orders", {0: 1}, version=WAITS_BY) != [0]:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def produce_and_fetch(client: Client) -> None:
    idempotent = batch(4, producer_id=7, producer_epoch=0, base_sequence=0)
    assert client.produce("orders", (0, batch(10)), (1, batch(100, compression=Codec.GZIP))) == [0, 0]
    assert client.produce("orders", (2, batch(3)), acks=1) == [0]
    assert client.produce("orders", (2, idempotent)) == client.produce("orders", (2, idempotent)) == [0]
    assert client.produce("orders", (9, batch(1))) == [3]
    assert client.produce("orders", (0, batch(1)), acks=5) == [21]
    assert client.produce("orders", (2, batch(1, producer_id=7, producer_epoch=0, base_sequence=90))) == [45]
    stale = batch(1, producer_id=7, producer_epoch=-1, base_sequence=0)
    assert client.produce("orders", (2, stale)) != [0]
    assert client.produce("orders", (1, batch(1)[:-1])) != [0]
    assert client.produce("orders", (1, batch(300_000))) == [10]
    assert client.produce("__consumer_offsets", (0, batch(1))) == [17]
    assert client.produce("doomed", (0, batch(5))) == [0]

    assert client.fetch("orders", (0, 0), (1, 0), (2, 100)) > 0
    assert client.fetch("orders", (0, 10), max_wait_ms=300) == 0  # waits, so the broker reads twice
    assert client.fetch("orders", (9, 0)) == client.fetch("orders", (0, 999)) == 0
    assert client.fetch("orders", (0, 0), partition_bytes_max=-5) == 0
    assert client.fetch("doomed", (0, 0)) > 0


def commit_and_delete(client: Client) -> None:
    assert client.commit("batch", "orders", {0: 1, 1: 1, 2: 1, 9: 1}) == [3, 0, 0, 0]
    assert client.commit("batch", "orders", {0: 1}, generation_id_or_member_epoch=4) != [0]
    client.delete_offset("batch", "orders", 0)
    client.delete_offset("batch", "orders", 0)  # it was deleted before
    client.delete_group("batch")
    member = client.join("readers", "orders")
    assert client.commit("readers", "orders", {0: 5}, member_id=member, generation_id_or_member_epoch=1) == [
        0
    ]
    client.leave("readers", member)
    assert client.commit("readers", "doomed", {0: 5}) == [0]


def leave_a_transaction_open(bootstrap: str) -> None:
    talk = Talk(Broker(bootstrap), "meters")
    producer = Producer(talk)
    producer.send({"orders": {0: 3}})
    # The coordinator refuses a partition that was not added before v12.
    refused = talk.do(*producer.produce({"orders": {1: 1}}, version=11))
    assert refused["Responses"][0]["PartitionResponses"][0]["ErrorCode"] != 0
    talk.hang_up()


def scraped(broker: BrokerProcess) -> Series:
    text = Api(broker.http).text("/metrics")
    line = re.compile(r"^(?P<name>kafka_\w+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)$", re.MULTILINE)
    return {
        (found["name"], tuple(re.findall(r'(\w+)="([^"]*)"', found["labels"] or ""))): float(found["value"])
        for found in line.finditer(text)
    }


def by_prometheus_names(beans: dict[str, dict[str, float]]) -> Series:
    series: Series = {}
    for bean, attributes in beans.items():
        domain, _, rest = bean.partition(":")
        keys = dict(word.split("=", 1) for word in rest.split(","))
        parts = [domain.replace(".", "_"), keys.pop("type"), keys.pop("name", "")]
        for attribute, value in attributes.items():
            name = series_name(parts, attribute)
            if name is not None:
                series[name, tuple(sorted(keys.items()))] = value
    return series


def series_name(parts: list[str], attribute: str) -> str | None:
    """Return the Prometheus name of an attribute. None for the averages that a Yammer meter adds."""
    domain, kind, name = parts
    if name.endswith("PerSec"):
        if attribute != "Count":
            return None
        return f"{domain}_{kind}_{name.removesuffix('PerSec')}_total".lower()
    if name.startswith("Verification"):
        return f"{domain}_{kind}_{name}_count".lower() if attribute == "Count" else None
    words = [domain, kind, name or attribute]
    return "_".join(words).replace("-", "_").lower()


def of(series: Series, name: str) -> dict[tuple[tuple[str, str], ...], float]:
    """Return the values of a series by labels. An empty topic label counts as none."""
    return {
        tuple(label for label in labels if label[1]): value
        for (named, labels), value in series.items()
        if named == name
    }


def is_compared(labels: tuple[tuple[str, str], ...], value: float) -> bool:
    """Return if both brokers must agree. A topic's 0 equals a missing series."""
    if labels and not value:
        return False
    return not NOT_COMPARED.fullmatch(" ".join(f"{key}={value}" for key, value in labels))


@pytest.mark.parametrize("name", SERVED)
def test_every_kafka_metric_exists_in_kafka(name: str, told: Told) -> None:
    labels = [{key for key, _ in series} for series in of(told.kafkas, name)]
    assert labels
    assert next({key for key, _ in series} for series in of(told.ours, name)) in labels


def test_only_kafka_4_4_has_its_new_metrics(told: Told) -> None:
    for series in (told.ours, told.kafkas):
        assert {name for name, _ in series} & NEW == {*SERVED} & NEW


@pytest.mark.parametrize("name", [name for name in SERVED if not PASSING.fullmatch(name)])
def test_series_has_the_same_value_as_in_kafka(name: str, told: Told) -> None:
    ours, kafkas = (
        {labels: value for labels, value in of(series, name).items() if is_compared(labels, value)}
        for series in (told.ours, told.kafkas)
    )
    assert ours == kafkas
