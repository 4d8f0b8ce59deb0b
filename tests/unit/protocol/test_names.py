"""The generated literals have the names of the tables."""

from __future__ import annotations

from typing import get_args

from tidemark_protocol.apis import APIS
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.names import ApiName, ErrorName


def test_every_api_has_its_name() -> None:
    assert get_args(ApiName) == tuple(APIS)


def test_every_error_has_its_name() -> None:
    assert get_args(ErrorName) == tuple(name for name in ErrorCode.__members__ if name != "NONE")
