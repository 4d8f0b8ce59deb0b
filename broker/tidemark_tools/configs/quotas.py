"""Quotas of users, clients and addresses: DescribeClientQuotas, AlterClientQuotas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from tidemark_protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntityData,
    AlterClientQuotasRequestEntryData,
    OpData,
)
from tidemark_protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import ErrorResponse
from tidemark_tools.configs.arguments import CLIENTS, DEFAULT, IPS, USERS, Entities
from tidemark_tools.java import hash_map_order, java_double
from tidemark_tools.options import Failed

# The names of the entity types in requests.
IN_REQUESTS: Final = {USERS: "user", CLIENTS: "client-id", IPS: "ip"}
IN_OUTPUT: Final = {"user": "user-principal", "client-id": "client-id", "ip": "ip"}
EXACT, IS_DEFAULT, ANY = 0, 1, 2  # how a component of the filter matches
OF_ADDRESSES: Final = ("connection_creation_rate",)
# As Java's Double.parseDouble reads it, without hexadecimal numbers.
NUMBER: Final = re.compile(r"[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)")


def describe_quotas(client: Client, found: Entities) -> None:
    """Print the quotas of the entities, one line each."""
    for entry in _entries(client, found):
        names = {each.entity_type: each.entity_name for each in entry.entity}
        entity = ", ".join(
            f"the default {shown}" if names[kind] is None else f"{shown} '{names[kind]}'"
            for kind, shown in IN_OUTPUT.items()
            if kind in names
        )
        values = {each.key: each.value for each in entry.values}
        shown = ", ".join(f"{key}={java_double(values[key])}" for key in hash_map_order(values))
        print(f"Quota configs for {entity} are {shown}")


def alter_address(
    client: Client, found: Entities, adding: Mapping[str, str], deleting: Sequence[str]
) -> None:
    """Change quotas of an address. Raises Failed, ErrorResponse."""
    unknown = [key for key in (*adding, *deleting) if key not in OF_ADDRESSES]
    if unknown:
        raise Failed(
            f"Only connection quota configs can be added for '{IPS}' using --bootstrap-server. Unexpected "
            f"config names: {','.join(unknown)}"
        )
    alter_quotas(client, found, adding, deleting)


def alter_quotas(client: Client, found: Entities, adding: Mapping[str, str], deleting: Sequence[str]) -> None:
    """Change the quotas of one entity. Raises Failed, ErrorResponse."""
    known = {each.key for entry in _entries(client, found)[:1] for each in entry.values}
    missing = [key for key in deleting if key not in known]
    if missing:
        raise Failed(f"Invalid config(s): {','.join(missing)}")
    entity = [
        AlterClientQuotasRequestEntityData(IN_REQUESTS[kind], None if name == DEFAULT else name)
        for kind, name in zip(found.types, found.names, strict=True)
    ]
    changes = [OpData(key, _number(key, text)) for key, text in adding.items()]
    changes += [OpData(key, remove=True) for key in deleting]
    request = AlterClientQuotasRequest([AlterClientQuotasRequestEntryData(entity, changes)])
    (result,) = client.call(request, once=True).entries
    if result.error_code:
        raise ErrorResponse(result.error_code, result.error_message)


def _number(key: str, text: str) -> float:
    if NUMBER.fullmatch(text.strip()) is None:
        raise Failed(f"Cannot parse quota configuration value for {key}: {text}")
    return float(text.strip().rstrip("fFdD"))


def _entries(client: Client, found: Entities) -> list[Any]:
    """Return the quotas of the entities that have these types and no other."""
    components = []
    for kind, name in zip_longest(found.types, found.names):
        if kind is None:
            raise Failed("More entity names specified than entity types")
        how = ANY if name is None else IS_DEFAULT if name == DEFAULT else EXACT
        components.append(ComponentData(IN_REQUESTS[kind], how, name if how == EXACT else None))
    response = client.call(DescribeClientQuotasRequest(components, strict=True))
    if response.error_code:
        raise ErrorResponse(response.error_code, response.error_message)
    return list(response.entries)
