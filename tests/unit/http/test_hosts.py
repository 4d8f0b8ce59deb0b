"""A web page that gives this broker a name of its own (DNS rebinding) cannot read anything."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from tests.unit.http.asking import Asked, asked
from tidemark.config import Config, ConfigError

GUARDED = ("/", "/v1", "/v1/groups", "/v1/clock", "/v1/nothing", "/metrics", "/nothing")
PROBES = ("/livez", "/readyz")


@pytest.fixture(scope="module")
def named() -> Iterator[Asked]:
    """A node with configured host names."""
    with asked(
        advertised_listeners="PLAINTEXT://Kafka.example:9092", tidemark_http_hosts="tidemark, Other_Name"
    ) as broker:
        yield broker


def status_of(broker: Asked, path: str, host: str) -> int:
    return broker.ask("GET", path, None, {"Host": host}).status


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:9464",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.localhost",
        "localhost@evil.example",
        "evil.example#localhost",
        "tidemark.evil.example",
        "127.1",
        "2130706433",
        "[",
        "[::1",
        "a b",
        "",
        ":9464",
        "\xff",
    ],
)
def test_an_unknown_name_reads_nothing_but_health(named: Asked, host: str) -> None:
    for path in GUARDED:
        refused = named.ask("GET", path, None, {"Host": host})
        assert refused.refusal == (421, "unknown_host", None)
        assert "tidemark.http.hosts" in refused.why
    for path in PROBES:
        assert status_of(named, path, host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "10.0.0.7:9464",
        "[::1]:9464",
        "[fe80::1]",
        "localhost",
        "LocalHost:1",
        "localhost.",
        "kafka.example",
        "KAFKA.example:9464",
        "tidemark:9464",
        "other_name",
    ],
)
def test_addresses_localhost_advertised_and_configured_names_are_accepted(named: Asked, host: str) -> None:
    for path in ("/", "/v1/groups", "/metrics", *PROBES):
        assert status_of(named, path, host) == 200


def test_a_request_without_host_is_accepted_since_no_browser_sends_one(named: Asked) -> None:
    connection = HTTPConnection(named.address, timeout=20)
    connection._http_vsn, connection._http_vsn_str = 10, "HTTP/1.0"  # type: ignore[attr-defined]
    connection.putrequest("GET", "/v1/clock", skip_host=True)
    connection.endheaders()
    assert connection.getresponse().status == 200
    connection.close()


def test_a_page_under_a_configured_name_may_change_something() -> None:
    with asked(tidemark_test_api="true", tidemark_http_hosts="tidemark") as broker:
        for host, status in (("tidemark:9464", 200), ("evil.example:9464", 421)):
            headers = {"Origin": f"http://{host}", "Host": host}
            assert broker.ask("POST", "/v1/clock/advance", b'{"ms": 1}', headers).status == status
        assert broker.get("/clock")["moved_ms"] == 1


def test_the_names_of_listeners_and_of_http_itself_count() -> None:
    config = Config(
        {
            "listeners": "PLAINTEXT://inner.example:9092,OUTER://:9093",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,OUTER:PLAINTEXT",
            "advertised.listeners": "OUTER://outer.example:9093",
            "tidemark.http.listener": "http.example:9464",
            "tidemark.http.hosts": "more.example",
        }
    )
    assert config.http_hosts == {"inner.example", "outer.example", "http.example", "more.example"}
    assert Config({"tidemark.http.listener": ""}).http_hosts == set()


@pytest.mark.parametrize("name", ["tidemark:9464", "http://tidemark", "a b", "*", "[::1]"])
def test_an_invalid_host_name_is_refused_at_start(name: str) -> None:
    with pytest.raises(ConfigError, match=r"for configuration tidemark\.http\.hosts: must be a host name"):
        Config({"tidemark.http.hosts": name})


def test_the_index_names_every_endpoint(named: Asked) -> None:
    for path in ("/", "/v1", "/v1/"):
        found = named.ask("GET", path)["endpoints"]
        assert "GET /livez" in found
        assert "POST /v1/snapshots/{id}/restore" in found
        for endpoint in found:
            method, _, where = endpoint.partition(" ")
            answer = named.ask(method, where)
            # 403: it needs the test API
            refused = ((422, "missing_field"), (404, "unknown_snapshot"), (409, "snapshot_exists"))
            assert answer.status in (200, 403) or answer.refusal[:2] in refused
