"""A broker with a token refuses HTTP requests without it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Final

import pytest

from tests.unit.http.asking import Asked, asked
from tidemark.config import Config
from tidemark.settings.setting import InvalidSetting
from tidemark_http.access import ADDRESSES_MAX, WRONG_MAX, WRONG_MS, WrongTokens, _network_of
from tidemark_testing.clock import LoopClock
from tidemark_tools.http_api import Api, ApiError

TOKEN: Final = "pässword:1"
GUARDED: Final = (
    "/",
    "/v1",
    "/v1/groups",
    "/v1/clock",
    "/v1/nothing",
    "/metrics",
    "/docs",
    "/console/main.js",
)
PROBES: Final = ("/livez", "/readyz")


@pytest.fixture(scope="module")
def broker() -> Iterator[Asked]:
    with asked(tidemark_http_token=TOKEN, tidemark_test_api="true") as running:
        yield running


def status_of(broker: Asked, path: str, authorization: str | bytes | None) -> int:
    broker.passes(WRONG_MS)  # else the address would have sent too many wrong tokens
    return status_now(broker, path, authorization)


def status_now(broker: Asked, path: str, authorization: str | bytes | None) -> int:
    headers = {} if authorization is None else {"Authorization": authorization}
    return broker.ask("GET", path, None, headers).status  # type: ignore[arg-type]  # bytes are sent as they are


def basic(user: str, password: str) -> str:
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong-token",
        f"Bearer {TOKEN[:-1]}".encode(),
        f"Bearer {TOKEN}1".encode(),
        TOKEN.encode(),
        f"Digest {TOKEN}".encode(),
        "Basic",
        "Basic !",
        "Basic " + b64encode(TOKEN.encode()).decode(),  # its part after the colon is not the token
        basic("user", ""),
        basic("user", "wrong"),
        basic(TOKEN, ""),
        b"Bearer \xff\xfe",
        "Bearer " + 8000 * "x",
    ],
)
def test_without_the_token_only_health_is_read(broker: Asked, authorization: str | bytes | None) -> None:
    for path in GUARDED:
        assert status_of(broker, path, authorization) == 401
    for path in PROBES:
        assert status_of(broker, path, authorization) == 200


@pytest.mark.parametrize(
    "authorization",
    [f"Bearer {TOKEN}".encode(), f"bearer  {TOKEN}".encode(), basic("", TOKEN), basic("prometheus", TOKEN)],
)
def test_the_token_is_a_bearer_token_or_a_password(broker: Asked, authorization: str | bytes) -> None:
    for path in ("/", "/v1/groups", "/metrics", *PROBES):
        assert status_of(broker, path, authorization) == 200


def test_the_refusal_asks_a_browser_for_a_password_and_names_the_setting(broker: Asked) -> None:
    refused = broker.ask("POST", "/v1/clock/advance", b'{"ms": 1}')
    assert refused.refusal == (401, "token_required", None)
    assert "tidemark.http.token" in refused.why
    assert TOKEN not in refused.text


def test_an_unknown_host_is_refused_before_the_token_is_checked(broker: Asked) -> None:
    headers = {"Host": "evil.example", "Authorization": basic("", TOKEN)}
    assert broker.ask("GET", "/v1", None, headers).refusal == (421, "unknown_host", None)


def test_the_client_of_tests_sends_the_token(broker: Asked) -> None:
    api = Api(broker.address, token="wrong-token")
    with pytest.raises(ApiError, match=r"tidemark\.http\.token"):
        api.get("/v1/clock")
    assert Api(broker.address, token=TOKEN).post("/v1/clock/advance", {"ms": 5})["moved_ms"] == 5


def test_an_address_may_send_only_so_many_wrong_tokens_in_a_time() -> None:
    right = {"Authorization": basic("", TOKEN)}
    with asked(tidemark_http_token=TOKEN) as broker:
        for _ in range(WRONG_MAX):
            assert status_now(broker, "/v1", "Bearer wrong-token") == 401
        for authorization in ("Bearer wrong-token", basic("", TOKEN)):
            assert status_now(broker, "/v1", authorization) == 429
        refused = broker.ask("GET", "/v1", None, right)
        assert refused.refusal == (429, "too_many_wrong_tokens", None)
        assert status_now(broker, "/v1", None) == 401, "no token is no wrong token"
        assert [status_now(broker, path, "Bearer wrong-token") for path in PROBES] == [200, 200]
        broker.passes(WRONG_MS)
        assert broker.ask("GET", "/v1", None, right).status == 200


def test_wrong_tokens_of_one_address_do_not_count_for_others() -> None:
    clock = LoopClock(0)
    wrong = WrongTokens(clock)
    for _ in range(WRONG_MAX):
        wrong.count("10.0.0.1")
    assert wrong.wait_ms("10.0.0.1") == WRONG_MS
    assert wrong.wait_ms("10.0.0.2") == 0
    clock.advance(WRONG_MS - 1)
    assert wrong.wait_ms("10.0.0.1") == 1
    clock.advance(1)
    wrong.count("10.0.0.1")
    assert wrong.wait_ms("10.0.0.1") == 0


def test_addresses_that_are_remembered_are_bounded() -> None:
    wrong = WrongTokens(LoopClock(0))
    for number in range(3 * ADDRESSES_MAX):
        wrong.count(str(number))
    assert len(wrong._counts) == ADDRESSES_MAX


def test_metrics_may_be_public() -> None:
    with asked(tidemark_http_token=TOKEN, tidemark_http_metrics_public="true") as broker:
        assert status_of(broker, "/metrics", None) == 200
        assert status_of(broker, "/metrics/", None) == 401
        assert status_of(broker, "/v1", None) == 401


def test_no_client_is_shown_the_token(broker: Asked) -> None:
    resource = {"ResourceType": 4, "ResourceName": "1", "ConfigurationKeys": None}
    request = {"Resources": [resource], "IncludeSynonyms": True}
    described = broker.run(broker.client().ask("DescribeConfigs", 4, request))
    lines = {line["Name"]: line for line in described["Results"][0]["Configs"]}
    line = lines["tidemark.http.token"]
    assert (line["Value"], line["IsSensitive"]) == (None, True)
    assert {synonym["Value"] for synonym in line["Synonyms"]} == {None}
    assert TOKEN not in repr(described)
    for path in ("/metrics", "/v1/broker"):
        shown = broker.ask("GET", path, None, {"Authorization": basic("", TOKEN)}).text
        assert TOKEN not in shown and json.dumps(TOKEN) not in shown


@pytest.mark.parametrize("short", ["", "1234567"])
def test_a_short_token_is_refused_without_showing_it(short: str) -> None:
    with pytest.raises(InvalidSetting) as refused:
        Config({"tidemark.http.token": short})
    assert str(refused.value) == (
        "Invalid value [hidden] for configuration tidemark.http.token: must have at least 8 characters"
    )


def test_clients_of_a_dual_stack_socket_are_counted_apart() -> None:
    """Such a socket reports IPv4 clients as ::ffff:a.b.c.d, whose first 64 bits are those of ::1."""
    networks = [
        _network_of({"client": (host, 4711)}) for host in ("::ffff:10.0.0.7", "::ffff:10.0.0.8", "::1")
    ]
    assert len(set(networks)) == 3
    assert _network_of({"client": ("10.0.0.7", 1)}) == networks[0]
    # One IPv6 host may use any address of its network.
    assert _network_of({"client": ("2001:db8::1", 1)}) == _network_of({"client": ("2001:db8::2", 1)})
