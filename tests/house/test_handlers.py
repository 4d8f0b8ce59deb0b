"""The claims of handlers agree with start-up, with their schemas and with their tests."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tidemark.handlers import routes
from tidemark.handlers.routes import CLAIMS, Claim, Route
from tidemark_protocol.apis import APIS

TESTS = Path(__file__).resolve().parents[1] / "unit" / "broker" / "handlers"
HANDLERS = Path(routes.__file__).parent
ROUTES = sorted(routes.load().values(), key=lambda route: route.name)

each_route = pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.module)


def claim_of(route: Route) -> Claim:
    importlib.import_module(f"tidemark.handlers.{route.folder}.{route.module}")
    return CLAIMS[route.module]


@each_route
def test_handler_has_a_test(route: Route) -> None:
    assert (TESTS / route.folder / f"test_{route.module}.py").is_file()


@each_route
def test_handler_claims_versions_of_its_schema(route: Route) -> None:
    schema = APIS[route.name]
    assert schema.lowest <= route.versions[0] <= route.versions[-1] <= schema.highest


@each_route
def test_start_up_finds_the_claim_of_the_module(route: Route) -> None:
    claim = claim_of(route)
    state = claim.state.__name__ if claim.state else None
    assert (route.kind, route.state, route.versions) == (claim.kind, state, claim.versions)
    assert claim.request.__name__ == f"{route.name}Request"


@each_route
def test_handler_is_named_after_its_api(route: Route) -> None:
    assert route.module.replace("_", "") == route.name.lower()


def test_start_up_finds_every_claim() -> None:
    seen = {route.module for route in ROUTES}
    for path in HANDLERS.glob("*/*.py"):
        decorated = any(
            line.startswith(("@command", "@query", "@log_api", "@connection_api"))
            for line in path.read_text().splitlines()
        )
        assert decorated == (path.stem in seen), path.name
