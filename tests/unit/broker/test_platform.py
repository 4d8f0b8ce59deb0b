"""Calls of other systems than Linux. tests/clients/test_platforms.py starts a broker without POSIX."""

from __future__ import annotations

import errno
import os
from types import SimpleNamespace

import pytest

from tidemark import platform

F_FULLFSYNC = 51  # macOS: <sys/fcntl.h>


@pytest.mark.parametrize("known", [True, False], ids=["", "not known to the file system"])
def test_macos_syncs_the_drive_as_java_does(known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    def fcntl(descriptor: int, command: int) -> None:
        calls.append((descriptor, command))
        if not known:
            raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(platform, "_fcntl", SimpleNamespace(fcntl=fcntl, F_FULLFSYNC=F_FULLFSYNC))
    monkeypatch.setattr(os, "fsync", calls.append)
    monkeypatch.delattr(os, "fdatasync")
    platform.sync_data(7)
    assert calls == [(7, F_FULLFSYNC)] if known else [(7, F_FULLFSYNC), 7]


def test_without_a_limit_of_its_own_the_limit_of_select_applies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "_resource", None)
    platform.raise_open_files_max()
    assert platform.open_files_max() == 512  # FD_SETSIZE of CPython for Windows
