"""The parts of a broker in a container that need no container engine. tests/ecosystem starts containers."""

from __future__ import annotations

import io
import socket
import sys
import tarfile

import pytest

from tidemark_testing import CannotServe, TidemarkContainer
from tidemark_testing.container import archive_of, start_script, two_free_ports


def test_settings_are_quoted_for_the_shell() -> None:
    script = start_script({"node.id": "7", "log.dirs": "/a b"})
    assert script == "exec /etc/kafka/docker/run --set=node.id=7 '--set=log.dirs=/a b'\n"


def test_archive_has_one_executable_file() -> None:
    with tarfile.open(fileobj=io.BytesIO(archive_of("start.sh", b"exec true"))) as archive:
        (member,) = archive.getmembers()
        assert (member.name, member.size, member.mode) == ("start.sh", 9, 0o755)


def test_free_ports_are_two_that_can_be_bound() -> None:
    kafka, http = two_free_ports()
    with socket.create_server(("", kafka)), socket.create_server(("", http)):
        assert kafka != http


def test_misspelled_setting_is_refused_before_a_container_starts() -> None:
    with pytest.raises(ValueError, match="there is no setting 'offsets.retention.minuts'"):
        TidemarkContainer(settings={"offsets.retention.minuts": 60})


def test_http_of_a_container_needs_a_token_unless_the_settings_say_otherwise() -> None:
    first, second = TidemarkContainer().get_http_token(), TidemarkContainer().get_http_token()
    assert first and second and len(first) >= 20 and first != second
    assert (
        TidemarkContainer(settings={"tidemark.http.token": "chosen-token"}).get_http_token() == "chosen-token"
    )
    assert TidemarkContainer(settings={"tidemark.http.public": True}).get_http_token() is None


def test_missing_testcontainers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "testcontainers", None)
    with pytest.raises(CannotServe, match="pip install testcontainers"):
        TidemarkContainer().start()
