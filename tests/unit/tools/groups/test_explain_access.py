"""`consumer-groups --explain` with a broker whose HTTP needs a token, or serves TLS."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.authorities import Authority
from tests.unit.testing.committing import commit
from tidemark_testing import CannotServe, Tidemark
from tidemark_testing.server import ExternalServer
from tidemark_tools.main import main

TOKEN: Final = "the-right-token-0123"
VARIABLE: Final = "TIDEMARK_HTTP_TOKEN"
CA: Final = Authority()
KEYS: Final = CA.sign()
HTTPS: Final = {
    "tidemark.http.tls": "true",
    "ssl.keystore.type": "PEM",
    "ssl.keystore.key": KEYS.key(),
    "ssl.keystore.certificate.chain": KEYS.chain,
}
TRUST: Final = {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": CA.pem}


@pytest.fixture(scope="module")
def guarded() -> Iterator[Tidemark]:
    with Tidemark.start({"tidemark.http.token": TOKEN}) as broker:
        committed(broker)
        yield broker


@pytest.fixture(scope="module")
def https() -> Iterator[Tidemark]:
    with Tidemark.start(HTTPS, client_settings=TRUST) as broker:
        committed(broker)
        yield broker


def committed(broker: Tidemark) -> None:
    broker.topic("orders")
    commit(broker.bootstrap_servers, "billing", "orders", 0)


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def explain(broker: Tidemark, *options: str) -> int:
    where = ["--bootstrap-server", broker.bootstrap_servers, "--describe", "--group", "billing", "--explain"]
    return main(["consumer-groups", *where, *options])


def config(folder: Path, *lines: str) -> list[str]:
    """Return the option that names a file with these lines."""
    file = folder / "client.properties"
    file.write_text("\n".join(lines))
    return ["--command-config", str(file)]


def trusting(folder: Path) -> list[str]:
    """Return the lines that make a client trust the broker's certificate."""
    authority = folder / "ca.pem"
    authority.write_text(CA.pem)
    return ["ssl.truststore.type=PEM", f"ssl.truststore.location={authority}"]


def test_the_token_is_read_from_the_environment(
    guarded: Tidemark, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, f"{TOKEN}\n")  # as `$(cat file)` does not leave it, but a YAML block does
    assert explain(guarded, "--http", guarded.http) == 0
    assert "Group billing has never had members" in capsys.readouterr().out


def test_the_token_of_command_config_is_used_before_that_of_the_environment(
    guarded: Tidemark, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, "a-wrong-token")
    given = config(tmp_path, f"tidemark.http.token={TOKEN}")
    assert explain(guarded, "--http", guarded.http, *given) == 0
    assert "Group billing has never had members" in capsys.readouterr().out


def test_a_reset_is_explained_with_the_token(
    guarded: Tidemark, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--bootstrap-server", guarded.bootstrap_servers, "--http", guarded.http, "--explain"]
    reset = ["--reset-offsets", "--group", "billing", "--all-topics", "--to-latest", "--dry-run"]
    assert main(["consumer-groups", *where, *reset]) == 1
    assert "needs a token" in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, TOKEN)
    assert main(["consumer-groups", *where, *reset]) == 0


def test_a_missing_token_is_one_sentence_that_says_where_to_set_it(
    guarded: Tidemark, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(guarded, "--http", guarded.http) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == (
        "",
        f"Error: http://{guarded.http} needs a token: set TIDEMARK_HTTP_TOKEN, or tidemark.http.token in the "
        "file of --command-config\n",
    )


@pytest.mark.parametrize("origin", [VARIABLE, "tidemark.http.token"])
def test_a_refused_token_is_one_sentence_without_the_token(
    guarded: Tidemark,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    origin: str,
) -> None:
    monkeypatch.setenv(VARIABLE, "a-wrong-token")
    given = [] if origin == VARIABLE else config(tmp_path, f"{origin}=a-wrong-token")
    assert explain(guarded, "--http", guarded.http, *given) == 1
    assert capsys.readouterr().err == f"Error: http://{guarded.http} refused the token of {origin}\n"


def test_a_token_that_no_header_can_have_is_refused_before_it_is_sent(
    guarded: Tidemark, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, "two\nlines")
    assert explain(guarded, "--http", guarded.http) == 1
    assert capsys.readouterr().err == ("Error: TIDEMARK_HTTP_TOKEN has a character that cannot be printed\n")


def test_https_is_used_with_the_authorities_of_command_config(
    https: Tidemark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert https.http.startswith("https://127.0.0.1:")
    assert explain(https, "--http", https.http, *config(tmp_path, *trusting(tmp_path))) == 0
    assert "Group billing has never had members" in capsys.readouterr().out


def test_https_may_be_a_property_of_command_config(
    https: Tidemark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = config(tmp_path, *trusting(tmp_path), "tidemark.http.tls=true")
    assert explain(https, "--http", https.http.removeprefix("https://"), *given) == 0
    assert "Group billing has never had members" in capsys.readouterr().out


def test_a_certificate_of_an_unknown_authority_is_one_sentence(
    https: Tidemark, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(https, "--http", https.http) == 1
    printed = capsys.readouterr().err
    assert printed.startswith(
        f"Error: no tidemark HTTP API at {https.http} (the TLS handshake failed: certificate verify failed: "
    )
    assert printed.count("\n") == 1


def test_http_to_a_broker_with_tls_suggests_https(
    https: Tidemark, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(https, "--http", https.http.removeprefix("https://")) == 1
    assert "; if it serves TLS, its address begins with https://)" in capsys.readouterr().err


def test_https_to_a_broker_without_tls_names_the_handshake(
    guarded: Tidemark, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(guarded, "--http", f"https://{guarded.http}") == 1
    printed = capsys.readouterr().err
    assert printed.startswith(
        f"Error: no tidemark HTTP API at https://{guarded.http} (the TLS handshake failed: "
    )


def test_a_trust_store_that_cannot_be_read_is_named(
    guarded: Tidemark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = config(tmp_path, "ssl.truststore.type=PEM", f"ssl.truststore.location={tmp_path}/none.pem")
    assert explain(guarded, "--http", f"https://{guarded.http}", *given) == 1
    assert f"{tmp_path}/none.pem" in capsys.readouterr().err


def test_a_refused_connection_does_not_suggest_tls(
    guarded: Tidemark, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        address = f"127.0.0.1:{bound.getsockname()[1]}"
    assert explain(guarded, "--http", address) == 1
    assert "TLS" not in capsys.readouterr().err


@pytest.mark.parametrize("origin", [VARIABLE, "tidemark.http.token"])
def test_the_fixture_sends_the_token_to_an_external_broker(
    guarded: Tidemark, monkeypatch: pytest.MonkeyPatch, origin: str
) -> None:
    server = ExternalServer(guarded.bootstrap_servers, guarded.http)
    with pytest.raises(CannotServe, match="returned an error: send the token"):
        server.start()
    if origin == VARIABLE:
        monkeypatch.setenv(VARIABLE, TOKEN)
    else:
        server.state.client_settings = {origin: TOKEN}
    server.start()
    assert Tidemark(server).groups.keys() == {"billing"}


def test_the_fixture_uses_an_external_broker_over_https(https: Tidemark) -> None:
    server = ExternalServer(https.bootstrap_servers, https.http)
    server.state.client_settings = TRUST
    server.start()
    assert Tidemark(server).groups.keys() == {"billing"}


def test_a_broker_with_https_keeps_its_address_over_a_restart(https: Tidemark) -> None:
    before = https.http
    https.restart()
    assert https.http == before
    assert https.lag("billing") == 0
