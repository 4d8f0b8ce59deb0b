"""Programs that a test needs. Without them the test is skipped, or fails in CI."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def program(name: str, package: str) -> None:
    """Return if the program is on the PATH."""
    if shutil.which(name) is None:
        missing(f"{name} is not installed (apt-get install {package})")


def missing(reason: str) -> NoReturn:
    """Skip this test, or fail it if TIDEMARK_TEST_CI is set, because .ci/run installs all programs."""
    if os.environ.get("TIDEMARK_TEST_CI"):
        pytest.fail(reason)
    pytest.skip(reason)
