"""Limits on the number of connections, and on the time that a connection may be idle."""

from __future__ import annotations

from functools import partial
from typing import Final

from tests.conformance.build import commit
from tests.conformance.build_data import fetch
from tests.conformance.case import Fields, Peer, Talk, case

IDLE: Final = {"connections.max.idle.ms": "1500"}
TWO: Final = {"max.connections.per.ip": "2"}
ONE_MORE: Final = {"max.connections.per.ip": "0", "max.connections.per.ip.overrides": "127.0.0.1:3"}
of_sockets: Final = partial(case, in_process=False)


def is_served(peer: Peer) -> None:
    peer.ask("ApiVersions", 0, {}, lambda response: response["ErrorCode"])


def stays_quiet(peer: Peer, times: int) -> None:
    """Pause between requests, so that the connection is never idle for long."""
    for _ in range(times):
        peer.quiet(500)
        is_served(peer)


@of_sockets(settings=IDLE)
def idle_connection_is_closed(k: Talk) -> None:
    peer = k.connect()
    peer.do("ApiVersions", 0, {})
    peer.quiet(1200)
    peer.closed()
    peer.took(1400, 6000)


@of_sockets(settings=IDLE)
def idle_connection_that_never_asked_is_closed(k: Talk) -> None:
    peer = k.connect()
    peer.quiet(1200)
    peer.closed()


@of_sockets(settings=IDLE)
def connection_that_asks_now_and_then_stays(k: Talk) -> None:
    stays_quiet(k, 6)


@of_sockets(settings=IDLE)
def connection_with_half_a_frame_is_closed(k: Talk) -> None:
    peer = k.connect()
    peer.do("ApiVersions", 0, {})
    peer.send_raw(peer.frame("ApiVersions", 0, {})[:-2])
    peer.quiet(1200)
    peer.closed()


@of_sockets(settings=IDLE)
def connection_whose_frame_comes_slowly_stays(k: Talk) -> None:
    whole = k.frame("ApiVersions", 0, {})
    for at in range(0, len(whole), 3):
        k.send_raw(whole[at : at + 3])
        k.quiet(400)
    k.expect("ApiVersions", 0)


@of_sockets(settings=IDLE)
def connection_whose_fetch_waits_longer_than_it_may_be_idle(k: Talk) -> None:
    topic = k.topic()
    peer = k.connect()
    peer.send(*fetch({topic: {0: 0}}, max_wait_ms=4500, min_bytes=1, version=12))
    k.keep("became", peer.fate())


@of_sockets(settings=TWO)
def connection_too_many_from_one_address_is_closed(k: Talk) -> None:
    """The broker closes it at once, without a response.

    After another one has closed, a new one is accepted.
    """
    is_served(k)
    second = k.connect()
    is_served(second)
    third = k.connect()
    third.closed()
    is_served(k)
    second.close()
    k.until(lambda: _asked_by_another(k), lambda response: response["ErrorCode"] == 0)
    k.keep("room again", True)


def _asked_by_another(k: Talk) -> Fields:
    """Return if the broker serves one more connection now."""
    peer = k.connect()
    peer.send_raw(peer.frame("ApiVersions", 0, {}))
    served = peer.fate() == "answered"
    peer.close()
    return {"ErrorCode": 0 if served else -1}


@of_sockets(settings=ONE_MORE)
def connection_too_many_by_an_override(k: Talk) -> None:
    for _ in range(2):
        is_served(k.connect())
    k.connect().closed()
    is_served(k)
    group, topic = k.group(), k.topic()
    k.ask(*commit(group, {topic: {0: 5}}), lambda response: len(response["Topics"]))


@of_sockets(settings={"max.connections": "3"}, differs="More connections than max.connections")
def connection_past_the_limit_of_all_waits_for_another_to_go(k: Talk) -> None:
    is_served(k)
    second = k.connect()
    is_served(second)
    is_served(k.connect())
    fourth = k.connect()
    fourth.send_raw(fourth.frame("ApiVersions", 0, {}))
    fourth.quiet(700)
    second.close()
    k.keep("became", fourth.fate())
