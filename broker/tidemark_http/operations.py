"""The descriptions of the operations of /v1, and the OpenAPI document that is made of them.

A handler of GET is called with the query parameters that its description names. A handler with a body
passes the names of its fields to `read_body`, and the same tuple to `operation`. Types and descriptions
belong to the names, because a name means the same in every operation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from starlette.responses import Response

from tidemark.faults import model as faults
from tidemark_expiry.durations import A_DURATION
from tidemark_http.parameters import LIMIT, LIMIT_DEFAULT, Query
from tidemark_http.responses import json_response

F = TypeVar("F", bound=Callable[..., Any])

OPENAPI_VERSION: Final = "3.1.0"
TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer", "minimum": 0}
NUMBER: Final = {"type": "number"}
FLAG: Final = {"type": "boolean"}
CONTENT: Final = {
    "description": 'a text, null, or {"base64": "..."} for bytes that are not UTF-8',
    "oneOf": [
        {"type": ["string", "null"]},
        {"type": "object", "required": ["base64"], "properties": {"base64": TEXT}},
    ],
}
RECORD: Final = {
    "type": "object",
    "required": ["value"],
    "properties": {
        "value": CONTENT,
        "key": CONTENT,
        "headers": {"description": "an object, or a list of [name, value] pairs"},
        "timestamp": {"description": "milliseconds since the epoch, or ISO 8601 with its zone"},
        "partition": WHOLE,
    },
}
# Every parameter and field of /v1, by name.
FIELDS: Final[dict[str, tuple[Mapping[str, Any], str]]] = {
    "state": (TEXT, "the state of a transaction"),
    "search": (TEXT, "a part of the name"),
    "limit": (
        {"type": "integer", "minimum": LIMIT[0], "maximum": LIMIT[-1], "default": LIMIT_DEFAULT},
        "how many entries a page has",
    ),
    "cursor": (TEXT, "the cursor that the page before returned"),
    "within": ({"type": "string", "default": "7d"}, A_DURATION),
    "retention_minutes": (WHOLE, "show the effect of this offsets.retention.minutes"),
    "format": ({"type": "string", "enum": ["json", "reset-csv"]}, "reset-csv: a file for Kafka's own tool"),
    "days": (NUMBER, "how far time moves"),
    "hours": (NUMBER, "how far time moves"),
    "minutes": (NUMBER, "how far time moves"),
    "seconds": (NUMBER, "how far time moves"),
    "ms": (NUMBER, "how far time moves"),
    "from": (TEXT, "clients, controller or leaders"),
    "rack": (TEXT, "the rack of a broker"),
    "to": (TEXT, "next_expiry, or an ISO 8601 time with its zone"),
    "to_ms": (WHOLE, "a time in milliseconds since the epoch"),
    "minus_ms": (WHOLE, "stop so much before the next expiry"),
    "cleanup": ({"type": "boolean", "default": True}, "run a cleanup pass at the new time"),
    "sessions": ({"type": "boolean", "default": False}, "sessions, transactions and timeouts end on the way"),
    "logs": ({"type": "boolean", "default": False}, "records in topics age, too"),
    "from_offset": (WHOLE, "skip records before this offset"),
    "offset": (WHOLE, "only the record at this offset, also if it is not in flight"),
    "from_time_ms": (
        WHOLE,
        "skip records before the first one whose timestamp is not earlier, as ListOffsets does",
    ),
    "last": (
        {"type": "integer", "minimum": LIMIT[0], "maximum": LIMIT[-1]},
        "only so many at the end: of the records of each partition, or of the requests",
    ),
    "bytes_max": (
        {"type": "integer", "minimum": 1},
        "cut keys, values and header values after so many bytes",
    ),
    "committed": (FLAG, "skip records of open and aborted transactions"),
    "records": ({"type": "array", "items": {"anyOf": [RECORD, CONTENT]}}, "the records to write"),
    "member": (TEXT, "a member id, a group.instance.id or a client id"),
    "topics": ({"type": ["object", "null"]}, "topics by name: partitions, configs, records"),
    "groups": ({"type": ["object", "null"]}, "committed offsets by group, topic and partition"),
    # Faults, and the requests that they apply to: faults/model.py.
    **{name: (field.values.schema, field.description) for name, field in faults.FIELDS.items()},
    "id": (WHOLE, "the number of a fault"),
    "outcome": (TEXT, "pending, responded, no_response, dropped or closed"),
    "failed": (FLAG, "only requests whose response has an error, or that were dropped or closed"),
    "after": (WHOLE, "only requests with a higher number"),
    "messages": ({"type": "boolean", "default": True}, "show the decoded requests and responses"),
    "sort": ({"type": "string"}, "name; lag: the greatest first; trouble: what needs attention first"),
}


@dataclass(frozen=True)
class Operation:
    """An operation: one sentence about it, and the names of its parameters and of the fields of its body."""

    summary: str
    query: tuple[str, ...] = ()
    body: tuple[str, ...] | None = None
    required: tuple[str, ...] = ()


_OPERATIONS: Final[dict[Callable[..., Any], Operation]] = {}


def operation(summary: str, **names: tuple[str, ...]) -> Callable[[F], F]:
    """Describe a handler. names: those of `Operation`. Each must have an entry in FIELDS."""
    about = Operation(summary, **names)
    unknown = {*about.query, *(about.body or ()), *about.required} - FIELDS.keys()
    assert not unknown, unknown

    def describe(handler: F) -> F:
        _OPERATIONS[handler] = about
        return handler

    return describe


def described(handler: Callable[..., Any]) -> Operation:
    """Return the description of a handler."""
    return _OPERATIONS[handler]


def document(handlers: Mapping[tuple[str, str], Callable[..., Any]], version: str) -> dict[str, Any]:
    """Return the OpenAPI document. handlers: by method and path, which begins after /v1."""
    paths: dict[str, dict[str, Any]] = {}
    for (method, path), handler in handlers.items():
        paths.setdefault(f"/v1{path}", {})[method.lower()] = _operation(method, path, handler)
    return {
        "openapi": OPENAPI_VERSION,
        "info": {
            "title": "tidemark",
            "version": version,
            "description": "When committed offsets expire, and why; time, records and offsets for tests.",
        },
        "paths": paths,
        "components": {"schemas": {"Error": _ERROR}},
    }


def _operation(method: str, path: str, handler: Callable[..., Any]) -> dict[str, Any]:
    about = described(handler)
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": TEXT} for name in re.findall(r"{(\w+)", path)
    ]
    in_query = [
        {
            "name": name,
            "in": "query",
            "description": FIELDS[name][1],
            "required": name in about.required,
            "schema": FIELDS[name][0],
        }
        for name in about.query
    ]
    found: dict[str, Any] = {
        "operationId": "_".join([method.lower(), *re.findall(r"\w+", path)]),
        "summary": about.summary,
        "parameters": in_path + in_query,
        "responses": {
            "200": {
                "description": "success",
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            "default": {
                "description": "the request failed",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        },
    }
    if about.body is not None:
        schema = {
            "type": "object",
            "properties": {name: {**FIELDS[name][0], "description": FIELDS[name][1]} for name in about.body},
            "required": list(about.required),
            "additionalProperties": False,
        }
        found["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    return found


_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "field", "message", "documentation"],
            "properties": {
                "code": {"type": "string", "description": "for programs"},
                "field": {"type": ["string", "null"], "description": "the wrong parameter"},
                "message": {"type": "string", "description": "for people"},
                "documentation": {"type": "string", "description": "the page that helps"},
            },
        }
    },
}


def openapi_handler(
    handlers: Callable[[], Mapping[tuple[str, str], Callable[..., Any]]],
) -> Callable[..., Any]:
    """Return the handler of /v1/openapi.json."""

    @operation("This document")
    async def openapi(_: object, query: Query) -> Response:
        from tidemark import __version__

        return json_response(document(handlers(), __version__))

    return openapi
