"""franz-go and kafkajs connect over TLS: with a certificate of their own, without, and by SASL."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import pytest

from tests.clientenv import built
from tests.clients.children import CLIENTS
from tests.clients.tls_broker import MECHANISMS, TOPIC, Tls, broker_with_tls

pytestmark = [pytest.mark.ecosystem, pytest.mark.slow, pytest.mark.timeout(600)]

DEADLINE_S: Final = 240


@cache
def franz_go() -> list[str]:
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    return [str(built(CLIENTS / "franz-go", "go", "build", "-o", "client-tls", "./tls") / "client-tls")]


@cache
def kafkajs() -> list[str]:
    if shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    folder = built(CLIENTS / "kafkajs", "npm", "ci", "--silent", "--no-audit", "--no-fund")
    return ["node", str(folder / "connecting_over_tls.js")]


LIBRARIES: Final[dict[str, Callable[[], list[str]]]] = {"franz-go": franz_go, "kafkajs": kafkajs}


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tls]:
    with broker_with_tls(tmp_path_factory.mktemp("tls")) as running:
        yield running


def results(library: str, bootstrap: str, *logins: dict[str, str]) -> list[dict[str, Any]]:
    """Return what each login of a client library leads to."""
    done = subprocess.run(
        [*LIBRARIES[library](), bootstrap, json.dumps(logins)],
        check=True, capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("library", LIBRARIES)
def test_library_is_known_by_its_certificate(library: str, tls: Tls) -> None:
    assert results(library, tls.mutual, tls.anonymous, tls.alice) == [{"topics": []}, {"topics": [TOPIC]}]


@pytest.mark.parametrize("library", LIBRARIES)
def test_library_logs_in_over_tls(library: str, tls: Tls) -> None:
    assert results(library, tls.sasl, *tls.users) == [{"topics": [TOPIC]}] * len(MECHANISMS)


@pytest.mark.parametrize("library", LIBRARIES)
def test_library_with_a_forged_certificate_is_refused(library: str, tls: Tls) -> None:
    (told,) = results(library, tls.mutual, tls.forged)
    assert "topics" not in told
