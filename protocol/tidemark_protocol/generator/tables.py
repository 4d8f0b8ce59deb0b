"""Writes the tables: apis.py, index.py, presence.py, errors.py and names.py."""

from __future__ import annotations

import json
from pathlib import Path

from .schema import Field, Message, snake
from .versions import OPEN

_HEAD = "# Generated from {origin}. Edit that, then run make generate."


def apis(messages: list[Message]) -> str:
    requests = sorted((m for m in messages if m.type == "request"), key=lambda m: m.api_key)
    rows = []
    for request in requests:
        name = request.name.removesuffix("Request")
        module = f"tidemark_protocol.{request.module}" if request.has_module else ""
        flexible = request.flexible.low if request.flexible.high >= 0 else 1 << 15
        rows.append(
            f'    "{name}": Api({request.api_key}, "{name}", "{module}", '
            f"{request.valid.low}, {request.valid.high}, {flexible}),"
        )
    table = "\n".join(rows)
    return f'''{_HEAD.format(origin="schemas")}
"""Every API: key, name, module, lowest and highest version, first flexible version (32768: none).

No code uses the messages of an API without a module.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Api(NamedTuple):
    key: int
    name: str
    module: str
    lowest: int
    highest: int
    flexible_from: int


APIS: Final[dict[str, Api]] = {{
{table}
}}

API_NAMES: Final[dict[int, str]] = {{api.key: api.name for api in APIS.values()}}
'''


def index(messages: list[Message]) -> str:
    by_name = sorted(messages, key=lambda m: m.name)
    rows = "\n".join(f'    "{m.name}": "tidemark_protocol.{m.module}",' for m in by_name)
    return f'''{_HEAD.format(origin="schemas")}
"""Message name -> its module."""

from __future__ import annotations

from typing import Final

MODULES: Final[dict[str, str]] = {{
{rows}
}}
'''


def presence(messages: list[Message]) -> str:
    rows = "\n".join(
        f'    "{message.module}.{struct.name}": {{\n{"".join(fields)}    }},'
        for message in messages
        if message.module.startswith("records.")
        for struct in message.structs.values()
        if (fields := [_presence(field) for field in struct.fields if not _always(field, message)])
    )
    return f'''{_HEAD.format(origin="schemas/records")}
"""The versions of a stored record that have a field. Fields of all versions are not listed."""

from __future__ import annotations

from typing import Final, NamedTuple


class Presence(NamedTuple):
    """The versions that have a field, and those in which it is tagged, so that a default is not written."""

    lowest: int
    highest: int
    tagged_from: int


# Module and struct -> field.
PRESENCE: Final[dict[str, dict[str, Presence]]] = {{
{rows}
}}
'''


def _always(field: Field, message: Message) -> bool:
    return all(v in field.versions and v not in field.tagged for v in message.versions)


def _presence(field: Field) -> str:
    tagged_from = field.tagged.low if field.tagged.high >= 0 else OPEN
    return f'        "{field.name}": Presence({field.versions.low}, {field.versions.high}, {tagged_from}),\n'


def errors(path: Path) -> str:
    rows = sorted(json.loads(path.read_text("utf-8")), key=lambda row: row["code"])
    texts = "\n".join(f"    {row['code']}: {json.dumps(row['text'], ensure_ascii=False)}," for row in rows)
    retriable = ", ".join(str(row["code"]) for row in rows if row["retriable"])
    codes = "\n".join(f"    {row['name']} = {row['code']}" for row in rows)
    return f'''{_HEAD.format(origin="schemas/errors.json")}
"""Kafka's error codes, their standard messages, and the exception that carries one."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class ErrorCode(IntEnum):
{codes}

    @property
    def text(self) -> str:
        """Kafka's standard message for this error, which responses contain."""
        return _TEXTS[self.value]

    @property
    def retriable(self) -> bool:
        """True if Kafka's Java client retries."""
        return self.value in _RETRIABLE


class KafkaError(Exception):
    """A request is refused: the response has this code, and defaults otherwise."""

    def __init__(self, code: ErrorCode, message: str | None = None) -> None:
        super().__init__(message or code.text)
        self.code = code
        self.message = message


_RETRIABLE: Final = frozenset(({retriable}))
_TEXTS: Final[dict[int, str]] = {{
{texts}
}}
'''


def names(messages: list[Message], path: Path) -> str:
    """path: that of errors.json."""
    requests = sorted((m for m in messages if m.type == "request"), key=lambda m: m.api_key)
    by_code = sorted(json.loads(path.read_text("utf-8")), key=lambda row: row["code"])
    apis = "".join(f'    "{request.name.removesuffix("Request")}",\n' for request in requests)
    errors = "".join(f'    "{row["name"]}",\n' for row in by_code if row["code"])
    return f'''{_HEAD.format(origin="schemas")}
"""The names of APIs and errors as types: editors complete them, and type checkers refuse others."""

from __future__ import annotations

from typing import Literal

ApiName = Literal[
{apis}]

ErrorName = Literal[
{errors}]
'''


__all__ = ["apis", "errors", "index", "names", "presence", "snake"]
