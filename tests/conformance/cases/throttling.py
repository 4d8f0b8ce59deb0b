"""Throttle times of clients with quotas. Each client id is new: its first request begins the windows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.conformance.build_data import batch, fetch, produce, record
from tests.conformance.case import Fields, Peer, Talk, case
from tests.conformance.cases.client_quotas import CLIENT, EXACT, PERCENTAGE, USER, alter, describe

PRODUCER: Final = "producer_byte_rate"
CONSUMER: Final = "consumer_byte_rate"
ANONYMOUS: Final = "ANONYMOUS"
TWELVE: Final = {"quota.window.num": "3", "quota.window.size.seconds": "2"}


def limited(k: Talk, key: str, value: float, **entity: str) -> Peer:
    """Return a connection of a new client id for which this quota is in force."""
    client = k.name("client")
    k.do(*alter(({CLIENT: client, **entity}, [(key, value)])))
    k.until(
        lambda: k.do(*describe((CLIENT, EXACT, client))),
        lambda told: bool(told["Entries"]),
    )
    k.quiet()  # Kafka's quota managers learn of a quota a moment after its metadata cache
    return k.connect(client)


def throttle(response: Fields) -> Any:
    return response["ThrottleTimeMs"]


def size(response: Fields) -> Any:
    """keep=: the throttle time, and the number of partitions with their bytes."""
    partitions = [part for topic in response["Responses"] for part in topic["Partitions"]]
    return [response["ThrottleTimeMs"], [len(part["Records"] or "") // 2 for part in partitions]]


@case
def produce_above_the_quota_is_throttled_and_muted(k: Talk) -> None:
    """The throttle time shows the size of the request and the windows of the rate."""
    topic = k.topic()
    peer = limited(k, PRODUCER, 10)
    peer.ask(*produce({topic: {0: batch(record(b"a" * 1000))}}), keep=throttle)
    peer.park("ApiVersions", 0, {})


@case(settings=TWELVE)
def produce_above_the_quota_of_other_windows(k: Talk) -> None:
    topic = k.topic()
    peer = limited(k, PRODUCER, 10)
    peer.ask(*produce({topic: {0: batch(record(b"a" * 1000))}}), keep=throttle)


@case(versions=(3, 8, 9, 11))
def produce_above_the_quota_in_version(k: Talk, version: int) -> None:
    topic = k.topic()
    peer = limited(k, PRODUCER, 10)
    peer.ask(*produce({topic: {0: batch(record(b"a" * 1000))}}, version=version), keep=throttle)


@case
def produce_below_the_quota_is_not_throttled(k: Talk) -> None:
    topic = k.topic()
    peer = limited(k, PRODUCER, 10_000)
    for _ in range(3):
        peer.ask(*produce({topic: {0: batch(record(b"a" * 1000))}}), keep=throttle)


@case(versions=(4, 11, 12))
def fetch_above_the_quota_is_throttled_and_empty(k: Talk, version: int) -> None:
    topic = k.topic()
    k.do(*produce({topic: {0: batch(record(b"a" * 1000))}}))
    peer = limited(k, CONSUMER, 60)
    peer.ask(*fetch({topic: {0: 0}}, version=version), keep=size)
    peer.park("ApiVersions", 0, {})


@case
def fetch_below_the_quota_is_not_throttled(k: Talk) -> None:
    topic = k.topic()
    k.do(*produce({topic: {0: batch(record(b"a" * 1000))}}))
    peer = limited(k, CONSUMER, 10_000)
    for _ in range(2):
        peer.ask(*fetch({topic: {0: 0}}), keep=size)


@case
def request_above_the_quota_is_throttled_for_one_window(k: Talk) -> None:
    peer = limited(k, PERCENTAGE, 0.000001)
    peer.ask("ApiVersions", 1, {}, keep=throttle)
    peer.ask("Metadata", 9, {"Topics": []}, keep=throttle)
    peer.took(900, 20_000)


@case
def quota_of_a_user_and_a_client_is_the_first(k: Talk) -> None:
    """The quota of the client id alone is larger, and does not count."""
    topic = k.topic()
    peer = limited(k, PRODUCER, 10, **{USER: ANONYMOUS})
    assert peer.client_id is not None
    k.do(*alter(({CLIENT: peer.client_id}, [(PRODUCER, 1_000_000)])))
    k.quiet()
    peer.ask(*produce({topic: {0: batch(record(b"a" * 1000))}}), keep=throttle)


@case
def quota_that_is_removed_throttles_no_more(k: Talk) -> None:
    topic = k.topic()
    peer = limited(k, PRODUCER, 1)
    k.do(*alter(({CLIENT: peer.client_id}, [(PRODUCER, None)])))
    k.until(
        lambda: k.do(*describe((CLIENT, EXACT, peer.client_id))),
        lambda told: not told["Entries"],
    )
    k.quiet()
    peer.ask(*produce({topic: {0: batch(record(b"a" * 1000))}}), keep=throttle)


@case
def two_connections_of_a_client_share_its_quota(k: Talk) -> None:
    topic = k.topic()
    peer = limited(k, PRODUCER, 100)
    second = k.connect(peer.client_id)
    peer.ask(*produce({topic: {0: batch(record(b"a" * 900))}}), keep=throttle)
    response = second.do(*produce({topic: {0: batch(record(b"a" * 900))}}))
    k.keep("throttled", response["ThrottleTimeMs"] > 0)


@case
def quota_is_in_force_after_a_restart(k: Talk) -> Iterator[None]:
    topic, client = k.topic(), k.name("client")
    k.do(*alter(({CLIENT: client}, [(PRODUCER, 10)])))
    yield
    k.until_there(topic)
    k.quiet()
    k.connect(client).ask(*produce({topic: {0: batch(record(b"a" * 1000))}}), keep=throttle)
