"""Random requests get a JSON response that is not status 500, and the next request gets one too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.http.asking import Asked, asked
from tidemark_http.api import CHANGES, READS

pytestmark = pytest.mark.slow  # hundreds of random requests

REFUSED = {400, 403, 404, 405, 409, 413, 422}
MANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

PARAMETERS = ["group", "topic", "partition", "limit", "cursor", "within", "retention_minutes", "format", "x"]
FIELDS = [
    "days", "hours", "minutes", "seconds", "ms", "to", "to_ms", "group", "minus_ms", "cleanup", "sessions",
    "logs", "x",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["", "tool", "orders", "0", "1", "7d", "1h", "json", "reset-csv", "next_expiry", "W10"]),
    st.integers().map(str),
    st.from_regex(r"[0-9]{1,20}(ms|s|m|h|d)?", fullmatch=True),
)
VALUES = st.one_of(
    TEXTS,
    st.integers(),
    st.floats(allow_nan=True),
    st.booleans(),
    st.none(),
    st.lists(st.integers(), max_size=2),
)
SEGMENTS = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=8)  # of a path


@pytest.fixture(scope="module")
def broker() -> Iterator[Asked]:
    with asked(tidemark_test_api="true") as broker:
        broker.topics(orders=2)
        broker.commit("tool")
        broker.join("readers", "orders")
        yield broker


@MANY
@given(st.sampled_from(sorted(READS)), st.lists(st.tuples(st.sampled_from(PARAMETERS), TEXTS), max_size=4))
def test_any_query_is_served_or_refused(broker: Asked, path: str, query: list[tuple[str, str]]) -> None:
    answer = broker.ask("GET", f"/v1{path}?{urlencode(query, errors='replace')}")
    assert answer.status == 200 or answer.refusal[0] in REFUSED


@MANY
@given(st.sampled_from(["/clock/advance", "/clock/set", "/clock/freeze", "/clock/resume", "/cleanup"]),
       st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4))  # fmt: skip
def test_any_command_is_served_or_refused(broker: Asked, path: str, body: dict[str, object]) -> None:
    answer = broker.ask("POST", f"/v1{path}", json.dumps(body).encode())
    assert answer.status == 200 or answer.refusal[0] in REFUSED
    assert broker.get("/clock").status == 200


@MANY
@given(st.sampled_from(sorted(CHANGES)), st.binary(max_size=60), SEGMENTS)
def test_any_body_is_served_or_refused(
    broker: Asked, route: tuple[str, str], body: bytes, snapshot: str
) -> None:
    method, path = route
    answer = broker.ask(method, f"/v1{path.replace('{id}', quote(snapshot, safe='') or '0')}", body)
    assert answer.status == 200 or answer.refusal[0] in REFUSED
