"""Fixtures for tests of a whole node."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.unit.broker.whole import Client, Whole, running
from tidemark_testing.storage import MemoryStorage


@pytest.fixture
async def whole() -> AsyncIterator[Whole]:
    """A node on an empty disk, with the default settings."""
    async with running(MemoryStorage()) as whole:
        yield whole


@pytest.fixture
async def client(whole: Whole) -> Client:
    """A connection to `whole`."""
    return await whole.client()
