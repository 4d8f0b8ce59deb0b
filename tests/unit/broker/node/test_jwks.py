from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.oauth.tokens import JWKS
from tidemark.node.jwks import KEYS_BYTES_MAX, FileKeys, ServerKeys, keys_of
from tidemark.settings.oauthbearer import KeySource
from tidemark.settings.setting import ConfigError

DEADLINE_S = 30
ALL = ["rsa", "ec", "ed", "hmac", "weak"]
ONE = json.dumps({"keys": json.loads(JWKS.read_text())["keys"][:1]}).encode()


class Lines:
    """A logger that keeps its lines."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, dict[str, Any]]] = []

    def info(self, event: str, **fields: Any) -> None:
        self.lines.append((event, fields))

    warning = info


def steady_ms() -> int:
    return time.monotonic_ns() // 10**6


def ids(keys: FileKeys | ServerKeys) -> list[str | None]:
    return [key.key_id for key in keys.current()]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, "the condition has not become true"
        time.sleep(0.01)


def test_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    path, logger = tmp_path / "keys.json", Lines()
    path.write_bytes(JWKS.read_bytes())
    keys = FileKeys(str(path), logger)
    keys.load()
    assert ids(keys) == ALL
    path.write_bytes(ONE)
    assert ids(keys) == ["rsa"]
    assert logger.lines == [("keys of tokens read", {"source": str(path), "keys": 1})]


@pytest.mark.parametrize("text", [b"half a f", b'{"keys":[]}', b" " * (KEYS_BYTES_MAX + 1), None])
def test_last_keys_stay_in_use_if_the_file_cannot_be_read(tmp_path: Path, text: bytes | None) -> None:
    path, logger = tmp_path / "keys.json", Lines()
    path.write_bytes(ONE)
    keys = FileKeys(str(path), logger)
    keys.load()
    if text is None:
        path.unlink()
    else:
        path.write_bytes(text)
    assert ids(keys) == ids(keys) == ["rsa"]
    assert [event for event, _ in logger.lines] == ["keys of tokens not read"]
    path.write_bytes(JWKS.read_bytes())
    os.utime(path, ns=(0, 0))
    assert ids(keys) == ALL


@pytest.mark.parametrize("text", [b"nonsense", None])
def test_start_needs_keys_in_the_file(tmp_path: Path, text: bytes | None) -> None:
    path = tmp_path / "keys.json"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(ConfigError, match=r"cannot read the keys of sasl\.oauthbearer\.jwks\.endpoint\.url"):
        FileKeys(str(path), Lines()).load()


class Answers:
    """A server of keys. body: of the next response; None: an error."""

    body: bytes | None = ONE
    requests = 0
    location = ""


@contextmanager
def server() -> Iterator[tuple[Answers, str]]:
    answers = Answers()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers.requests += 1
            if answers.location:
                self.send_response(302)
                self.send_header("Location", answers.location)
                self.end_headers()
                return
            self.send_response(200 if answers.body is not None else 500)
            self.end_headers()
            self.wfile.write(answers.body or b"")

        def log_message(self, *arguments: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield answers, f"http://127.0.0.1:{http.server_port}/keys?secret=1"
        http.shutdown()


def server_keys(url: str, refresh_ms: int = 3_600_000, pause_ms: int = 0) -> ServerKeys:
    source = KeySource(url=url, refresh_ms=refresh_ms, retry_ms=1, retry_max_ms=10)
    keys = ServerKeys(source, steady_ms, Lines(), pause_ms)
    keys.load()
    return keys


def test_unknown_key_makes_the_server_be_asked_again() -> None:
    with server() as (answers, url):
        keys = server_keys(url)
        assert ids(keys) == ["rsa"]
        answers.body = JWKS.read_bytes()
        keys.missed("new")
        until(lambda: ids(keys) == ALL)
        keys.close()


def test_many_unknown_keys_cause_one_request() -> None:
    with server() as (answers, url):
        keys = server_keys(url, pause_ms=3_600_000)
        for number in range(1000):
            keys.missed(str(number))
        until(lambda: answers.requests == 2)
        keys.missed("another")
        keys.close()
        keys._thread.join(DEADLINE_S)
        assert answers.requests == 2


def test_failed_request_is_repeated_and_the_last_keys_stay_in_use() -> None:
    with server() as (answers, url):
        keys = server_keys(url, refresh_ms=1)
        answers.body = None
        seen = answers.requests
        until(lambda: answers.requests > seen + 3)
        assert ids(keys) == ["rsa"]
        failed = [fields for event, fields in keys._logger.lines if event == "keys of tokens not read"]
        assert failed[0] == {"source": "127.0.0.1", "reason": "Internal Server Error"}
        answers.body = JWKS.read_bytes()
        until(lambda: ids(keys) == ALL)
        keys.close()


@pytest.mark.parametrize("body", [b"x" * (KEYS_BYTES_MAX * 2), b"<html>", None])
def test_start_needs_keys_from_the_server(body: bytes | None) -> None:
    with server() as (answers, url):
        answers.body = body
        with pytest.raises(ConfigError):
            server_keys(url)


def test_server_may_not_redirect_to_a_file() -> None:
    with server() as (answers, url):
        answers.location = JWKS.as_uri()
        with pytest.raises(ConfigError):
            server_keys(url)


def test_source_decides_where_keys_are_from() -> None:
    assert isinstance(keys_of(KeySource(path="a"), steady_ms, Lines()), FileKeys)
    assert isinstance(keys_of(KeySource(url="http://a"), steady_ms, Lines()), ServerKeys)
