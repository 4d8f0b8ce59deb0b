"""`tidemark configs`: kafka-configs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import ClientError, UnsupportedVersion
from tidemark_tools.client.settings import client_settings
from tidemark_tools.configs.arguments import (
    CLIENTS,
    DEFAULT,
    IPS,
    OPTIONS,
    PURPOSE,
    USERS,
    Entities,
    added,
    check,
    deleted,
    without_secrets,
)
from tidemark_tools.options import (
    DONE,
    FAILED,
    Failed,
    OptionError,
    Parsed,
    UsageError,
    help_or_version,
    parse,
    usage_error,
)

WITH_QUOTAS: Final = (USERS, CLIENTS, IPS)


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    try:
        parsed = parse(OPTIONS, arguments)
        code = help_or_version(PURPOSE, OPTIONS, parsed)
        if code is not None:
            return code
        _run(parsed, check(parsed))
        return DONE
    except UsageError as error:
        return usage_error(str(error), OPTIONS)
    except (Failed, OptionError, UnsupportedVersion) as error:
        print(error, file=sys.stderr)
    except (ClientError, ConnectionError) as error:
        shown = without_secrets(arguments)
        print(f"Error while executing config command with args '{shown}'\n{error}", file=sys.stderr)
    return FAILED


def _run(parsed: Parsed, found: Entities) -> None:
    address = parsed.value("bootstrap-server") or parsed.value("bootstrap-controller") or ""
    with Client(address, settings=client_settings(parsed.value("command-config"))) as client:
        if parsed.has("describe"):
            _describe(client, found, describe_all=parsed.has("all"))
        else:
            if len(found.types) != len(found.names):
                raise Failed("An entity name must be specified for every entity type")
            _alter(client, found, added(parsed), deleted(parsed))


def _describe(client: Client, found: Entities, *, describe_all: bool) -> None:
    kind = found.types[0]
    if kind not in WITH_QUOTAS:
        from tidemark_tools.configs.resources import describe

        describe(client, kind, found.names[0] if found.names else None, describe_all=describe_all)
        return
    from tidemark_tools.configs.quotas import describe_quotas

    describe_quotas(client, found)
    if CLIENTS not in found.types and DEFAULT not in found.names and kind == USERS:
        from tidemark_tools.configs.users import describe_users

        describe_users(client, found.names)


def _alter(client: Client, found: Entities, adding: dict[str, str], deleting: Sequence[str]) -> None:
    kind, name = found.types[0], found.names[0]
    if kind == IPS:
        from tidemark_tools.configs.quotas import alter_address

        alter_address(client, found, adding, deleting)
    elif kind in WITH_QUOTAS:
        from tidemark_tools.configs.users import alter_users_and_clients

        alter_users_and_clients(client, found, adding, deleting)
    else:
        from tidemark_tools.configs.resources import alter

        alter(client, kind, name, adding, deleting)
    if name == DEFAULT:
        print(f"Completed updating default config for {kind} in the cluster.")
    else:
        print(f"Completed updating config for {kind[:-1]} {name}.")
