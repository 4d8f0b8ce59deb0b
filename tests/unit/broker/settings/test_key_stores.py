"""A key store that is no regular file is refused, and does not block its reader."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tidemark.settings.key_stores import Store, read_certificates, read_keys
from tidemark.settings.setting import ConfigError

DEADLINE_S = 20


@pytest.mark.parametrize("read", [read_keys, read_certificates])
@pytest.mark.parametrize("form", ["PEM", "PKCS12"])
def test_fifo_is_refused_at_once(read: object, form: str, tmp_path: Path) -> None:
    fifo = tmp_path / "keys"
    os.mkfifo(fifo)
    store = Store("ssl.keystore", form, str(fifo), password="secret")
    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(read, store)  # type: ignore[arg-type]
        try:
            with pytest.raises(ConfigError, match="no regular file"):
                reading.result(DEADLINE_S)
        finally:
            if not reading.done():  # let the thread that hangs end
                os.close(os.open(fifo, os.O_RDWR))


def test_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no regular file|directory"):
        read_certificates(Store("ssl.truststore", "PEM", str(tmp_path)))
