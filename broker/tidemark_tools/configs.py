"""`tidemark configs`: kafka-configs. Its command line: entities, and the settings to add and to delete.

Kafka: `ConfigCommand.ConfigCommandOptions`. The messages are those of release 4.3.1.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from tidemark_protocol.java import java_integer
from tidemark_protocol.java_properties import read_properties
from tidemark_tools.client.client import Client, client_settings, read_text
from tidemark_tools.client.errors import ClientError, Failed, UnsupportedVersion
from tidemark_tools.java import map_order
from tidemark_tools.options import JoptTool, Option, Parsed, UsageError, comma_separated, refuse, run, table

TOPICS, CLIENTS, USERS, BROKERS, IPS = "topics", "clients", "users", "brokers", "ips"
CLIENT_METRICS, GROUPS, LOGGERS = "client-metrics", "groups", "broker-loggers"
TYPES: Final = (TOPICS, CLIENTS, USERS, BROKERS, IPS, CLIENT_METRICS, GROUPS, LOGGERS)
WITH_DEFAULT: Final = (USERS, CLIENTS, BROKERS, IPS)
DEFAULT: Final = ""  # the name of the default entity
# The short options of an entity, in the order in which Kafka's tool reads them.
FLAGS: Final = {
    "topic": TOPICS,
    "client": CLIENTS,
    "user": USERS,
    "broker": BROKERS,
    "broker-logger": LOGGERS,
    "ip": IPS,
    "client-metrics": CLIENT_METRICS,
    "group": GROUPS,
}
DEFAULT_FLAGS: Final = {
    "client-defaults": CLIENTS,
    "user-defaults": USERS,
    "broker-defaults": BROKERS,
    "ip-defaults": IPS,
}
OPTIONS: Final = (
    *table("""
    bootstrap-server <server to connect to>  A broker of the cluster.
    bootstrap-controller <controller to connect to>  A controller of the cluster.
    command-config <command config property file>  A properties file with settings of the client.
    alter  Change settings.
    describe  Show settings.
    all  With --describe: also settings that are not dynamic.
    json  With --describe: print JSON (tidemark's own).
    entity-type <String>  The type of the entity: topics, clients, users, brokers, ips, client-metrics,
        groups, broker-loggers.
    entity-name <String>  The name of the entity.
    entity-default  The default entity of users, clients, brokers or ips.
    add-config <String>  Settings to add: k1=v1,k2=[v1,v2],k3=v3. Brackets hold values with commas. For users
        also 'SCRAM-SHA-256=[iterations=8192,password=alice-secret]', and for users, clients and ips quotas.
    add-config-file <String>  A properties file with settings to add.
    delete-config <String>  Names of settings to delete, separated by commas.
"""),
    *(Option(name, f"The entity of type {kind} with this name.", None) for name, kind in FLAGS.items()),
    *(Option(name, f"The default entity of type {kind}.") for name, kind in DEFAULT_FLAGS.items()),
)
# A comma or an equals sign outside of brackets.
OUTSIDE: Final = r"(?=[^\]]*(?:\[|$))"
KEY: Final = re.compile("[$a-zA-Z0-9._-]*")
SECRET: Final = re.compile(
    r"(?i)(password=|[\w.-]*(?:password|secret|jaas\.config|keystore\.key)[\w.-]*=)(\[[^\]]*\]?|[^,\]]*)"
)
HIDDEN: Final = "[hidden]"


class Entities(NamedTuple):
    """The entity types of a command line, and the names; the name DEFAULT is the default entity."""

    types: Sequence[str]
    names: Sequence[str]


def entities(parsed: Parsed) -> Entities:
    """Return the entities that the options name."""
    types = parsed.values("entity-type")
    given = iter(parsed.values("entity-name"))
    names = [
        next(given) if name == "entity-name" else DEFAULT
        for name in parsed.order
        if name in ("entity-name", "entity-default")
    ]
    for name, kind in FLAGS.items():
        if parsed.has(name):
            types.append(kind)
            names.append(parsed.value(name) or DEFAULT)
    defaults = [kind for name, kind in DEFAULT_FLAGS.items() if parsed.has(name)]
    return Entities(types + defaults, names + [DEFAULT] * len(defaults))


def check(parsed: Parsed) -> Entities:
    """Return the entities. Raises UsageError, OptionError and Failed."""
    if parsed.has("alter") == parsed.has("describe"):
        raise UsageError("Command must include exactly one action: --describe, --alter")
    refuse(parsed, "describe", "alter", "add-config", "delete-config")
    refuse(parsed, "json", "alter")
    found = entities(parsed)
    _check_types(parsed, found.types)
    if any(parsed.has(f"entity-{part}") for part in ("name", "type", "default")) and any(
        parsed.has(name) for name in (*FLAGS, *DEFAULT_FLAGS)
    ):
        raise Failed(
            "--entity-{type,name,default} should not be used in conjunction with specific entity flags"
        )
    if parsed.has("bootstrap-server") and parsed.has("bootstrap-controller"):
        raise Failed("Only one of --bootstrap-server or --bootstrap-controller can be specified")
    named = any(name != DEFAULT for name in found.names)
    if named:
        _check_names(parsed, found.types)
    if parsed.has("describe"):
        _check_describe(parsed, found.types, named=named)
    else:
        _check_alter(parsed, found, named=named)
    return found


def _check_types(parsed: Parsed, types: Sequence[str]) -> None:
    repeated = list(types)
    for kind in dict.fromkeys(types):
        repeated.remove(kind)
    if repeated:
        raise Failed(f"Duplicate entity type(s) specified: {','.join(repeated)}")
    if not (parsed.has("bootstrap-server") or parsed.has("bootstrap-controller")):
        raise Failed("Either --bootstrap-server or --bootstrap-controller must be specified.")
    for kind in types:
        if kind not in TYPES:
            raise Failed(
                f"Invalid entity type {kind}, the entity type must be one of {', '.join(TYPES)} with a "
                "--bootstrap-server or --bootstrap-controller argument"
            )
    if not types:
        raise Failed("At least one entity type must be specified")
    if len(types) > 1 and set(types) != {USERS, CLIENTS}:
        raise Failed(f"Only '{USERS}' and '{CLIENTS}' entity types may be specified together")


def _check_names(parsed: Parsed, types: Sequence[str]) -> None:
    if BROKERS in types or LOGGERS in types:
        for name in _values(parsed, "entity-name", "broker", "broker-logger"):
            if java_integer(name, 32) is None:
                raise Failed(
                    f"The entity name for {types[0]} must be a valid integer broker id, but it is: {name}"
                )
    if IPS in types:
        for name in _values(parsed, "entity-name", "ip"):
            if not _is_host(name):
                raise Failed(
                    f"The entity name for {types[0]} must be a valid IP or resolvable host, but it is: {name}"
                )


def _values(parsed: Parsed, *names: str) -> list[str]:
    return [parsed.text(name) for name in names if parsed.has(name)]


def _is_host(text: str) -> bool:
    try:
        socket.getaddrinfo(text, None)
    except (OSError, UnicodeError):
        return False
    return True


def _check_describe(parsed: Parsed, types: Sequence[str], *, named: bool) -> None:
    listed = ",".join(types)
    if parsed.has("entity-default") and not any(kind in WITH_DEFAULT for kind in types):
        raise Failed(f"--entity-default must not be specified with --describe of {listed}")
    if LOGGERS in types and not named:
        raise Failed(f"An entity name must be specified with --describe of {listed}")


def _check_alter(parsed: Parsed, found: Entities, *, named: bool) -> None:
    if any(kind in WITH_DEFAULT for kind in found.types):
        if not found.names:
            raise Failed(
                "An entity-name or default entity must be specified with --alter of users, clients, brokers "
                "or ips"
            )
    elif not named:
        raise Failed(f"An entity name must be specified with --alter of {','.join(found.types)}")
    if parsed.has("add-config") and parsed.has("add-config-file"):
        raise Failed("Only one of --add-config or --add-config-file must be specified")
    if not any(parsed.has(name) for name in ("add-config", "add-config-file", "delete-config")):
        raise Failed(
            "At least one of --add-config, --add-config-file, or --delete-config must be specified with "
            "--alter"
        )


def added(parsed: Parsed) -> dict[str, str]:
    """Return the settings to add, in the order of Java's hash map. Raises Failed and CannotRead."""
    found: dict[str, str] = {}
    if parsed.has("add-config-file"):
        found = read_properties(read_text(parsed.text("add-config-file")))
    if parsed.has("add-config"):
        text = parsed.text("add-config")
        pairs = [re.split(rf"\s*=\s*{OUTSIDE}", pair) for pair in comma_separated_outside(text)]
        if any(len(pair) != 2 for pair in pairs):
            raise Failed(
                "requirement failed: Invalid entity config: all configs to be added must be in the format "
                '"key=val" or  "key=[val1,val2]" to group values which contain commas.'
            )
        found |= {key.strip(): re.sub(r"\[?\]?", "", value).strip() for key, value in pairs}
    for key in found:
        if not KEY.fullmatch(key):
            raise Failed(f"Invalid character found for config key: {key}")
    return {key: found[key] for key in map_order(found)}


def comma_separated_outside(text: str) -> list[str]:
    """Split at commas outside of brackets. As in Java, empty parts at the end are dropped."""
    parts = re.split(f",{OUTSIDE}", text)
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts


def deleted(parsed: Parsed) -> list[str]:
    """Return the names of the settings to delete."""
    return [name.strip() for text in parsed.values("delete-config") for name in comma_separated(text)]


def without_secrets(arguments: Iterable[str]) -> str:
    """Return the command line for a message, without passwords."""
    return SECRET.sub(rf"\1{HIDDEN}", " ".join(arguments))


WITH_QUOTAS: Final = (USERS, CLIENTS, IPS)
PURPOSE: Final = (
    "This tool helps to manipulate and describe entity config for a topic, client, user, broker, ip, "
    "client-metrics or group"
)
TOOL: Final = JoptTool(PURPOSE, OPTIONS, quiet=True)


def main(arguments: list[str]) -> int:
    def act(parsed: Parsed) -> None:
        found = check(parsed)
        try:
            _act(parsed, found)
        except UnsupportedVersion:
            raise
        except ClientError as error:
            shown = without_secrets(arguments)
            raise Failed(f"Error while executing config command with args '{shown}'\n{error}") from None

    return run(TOOL, arguments, act)


def _act(parsed: Parsed, found: Entities) -> None:
    address = parsed.value("bootstrap-server") or parsed.text("bootstrap-controller")
    with Client(address, settings=client_settings(parsed.value("command-config"))) as client:
        if parsed.has("describe"):
            _describe(client, parsed, found)
        else:
            if len(found.types) != len(found.names):
                raise Failed("An entity name must be specified for every entity type")
            _alter(client, found, added(parsed), deleted(parsed))


def _describe(client: Client, parsed: Parsed, found: Entities) -> None:
    from tidemark_tools import config_entities

    kind, describe_all, as_json = found.types[0], parsed.has("all"), parsed.has("json")
    if kind not in WITH_QUOTAS:
        name = found.names[0] if found.names else None
        show = config_entities.print_configs if as_json else config_entities.describe
        show(client, kind, name, describe_all=describe_all)
        return
    has_users = CLIENTS not in found.types and DEFAULT not in found.names and kind == USERS
    if as_json:
        config_entities.print_quotas(client, found, has_users=has_users)
        return
    config_entities.describe_quotas(client, found)
    if has_users:
        config_entities.describe_users(client, found.names)


def _alter(client: Client, found: Entities, adding: dict[str, str], deleting: Sequence[str]) -> None:
    from tidemark_tools import config_entities

    kind, name = found.types[0], found.names[0]
    if kind == IPS:
        config_entities.alter_address(client, found, adding, deleting)
    elif kind in WITH_QUOTAS:
        config_entities.alter_users_and_clients(client, found, adding, deleting)
    else:
        config_entities.alter(client, kind, name, adding, deleting)
    if name == DEFAULT:
        print(f"Completed updating default config for {kind} in the cluster.")
    else:
        print(f"Completed updating config for {kind[:-1]} {name}.")
