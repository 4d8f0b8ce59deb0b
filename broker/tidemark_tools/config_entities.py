"""The things that `tidemark configs` shows and changes: settings of resources, quotas, SCRAM credentials."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import java_double
from tidemark_protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tidemark_protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tidemark_protocol.messages.list_config_resources import ListConfigResourcesRequest
from tidemark_tools.client.client import Client
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import (
    ClientError,
    ErrorResponse,
    Failed,
    UnsupportedVersion,
    check_results,
    error_code,
)
from tidemark_tools.configs import (
    BROKERS,
    CLIENT_METRICS,
    CLIENTS,
    DEFAULT,
    GROUPS,
    HIDDEN,
    IPS,
    LOGGERS,
    TOPICS,
    USERS,
    Entities,
)
from tidemark_tools.groups.groups import all_groups
from tidemark_tools.java import error_class, map_order
from tidemark_tools.json_output import print_json

if TYPE_CHECKING:
    from tidemark_protocol.messages.alter_user_scram_credentials import ScramCredentialUpsertion

# Kafka: ConfigResource.Type
RESOURCES: Final = {TOPICS: 2, BROKERS: 4, LOGGERS: 8, CLIENT_METRICS: 16, GROUPS: 32}
RESOURCE_TITLES: Final = {
    TOPICS: "topic", BROKERS: "broker", LOGGERS: "broker_logger", CLIENT_METRICS: "client_metrics",
    GROUPS: "group",
}  # fmt: skip
# Kafka: ConfigEntry.ConfigSource
SOURCES: Final = {
    1: "DYNAMIC_TOPIC_CONFIG",
    2: "DYNAMIC_BROKER_CONFIG",
    3: "DYNAMIC_DEFAULT_BROKER_CONFIG",
    4: "STATIC_BROKER_CONFIG",
    5: "DEFAULT_CONFIG",
    6: "DYNAMIC_BROKER_LOGGER_CONFIG",
    7: "DYNAMIC_CLIENT_METRICS_CONFIG",
    8: "DYNAMIC_GROUP_CONFIG",
}
DYNAMIC: Final = {TOPICS: 1, BROKERS: 2, CLIENT_METRICS: 7, GROUPS: 8}
DYNAMIC_DEFAULT: Final = 3  # of all brokers
SET, DELETE = 0, 1
# The names of the entity types in requests.
IN_REQUESTS: Final = {USERS: "user", CLIENTS: "client-id", IPS: "ip"}
IN_OUTPUT: Final = {"user": "user-principal", "client-id": "client-id", "ip": "ip"}
EXACT, IS_DEFAULT, ANY = 0, 1, 2  # how a component of the filter matches
OF_ADDRESSES: Final = ("connection_creation_rate",)
# As Java's Double.parseDouble reads it, without hexadecimal numbers.
NUMBER: Final = re.compile(r"[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)")
QUOTAS: Final = ("producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate")
ITERATIONS: Final = 4096
SALT_BYTES: Final = 24
CREDENTIAL: Final = re.compile("(?:iterations=(-?[0-9]*),)?password=(.*)")


def describe(client: Client, kind: str, name: str | None, *, describe_all: bool) -> None:
    """Print the settings of an entity, or of all entities of the type."""
    try:
        found = _described(client, kind, name, describe_all=describe_all)
    except NoSuchEntity as error:
        print(error)
        return
    for each, entries in found:
        if each == DEFAULT:
            print(f"Default configs for {kind} in the cluster are:")
        else:
            print(f"{'All' if describe_all else 'Dynamic'} configs for {kind[:-1]} {each} are:")
        for entry in entries:
            print(_line(entry))


class NoSuchEntity(Failed):
    """The entity does not exist, and has no settings. Kafka's tool does not regard it as a failure."""


def _described(
    client: Client, kind: str, name: str | None, *, describe_all: bool
) -> Iterator[tuple[str, list[Any]]]:
    """Return the entity, or all of the type, with settings by name. Raises NoSuchEntity."""
    if name is None:
        names = _names(client, kind)
    elif describe_all or _exists(client, kind, name):
        names = [name]
    else:
        raise NoSuchEntity(f"The {kind[:-1]} '{name}' doesn't exist and doesn't have dynamic config.")
    return (
        (
            each,
            sorted(
                _configs(client, kind, each, describe_all=describe_all), key=lambda entry: str(entry.name)
            ),
        )
        for each in names
    )


def print_configs(client: Client, kind: str, name: str | None, *, describe_all: bool) -> None:
    """Print what `describe` prints as JSON. Raises NoSuchEntity."""
    title = RESOURCE_TITLES[kind]
    print_json(
        {
            "entity": {title: None if each == DEFAULT else each},
            "configs": [
                {
                    "name": entry.name,
                    "value": entry.value,
                    "source": SOURCES.get(entry.config_source, "UNKNOWN"),
                    "sensitive": entry.is_sensitive,
                    "read_only": entry.read_only,
                    "synonyms": [
                        {
                            "name": synonym.name,
                            "value": synonym.value,
                            "source": SOURCES.get(synonym.source, "UNKNOWN"),
                        }
                        for synonym in entry.synonyms
                    ],
                }
                for entry in entries
            ],
        }
        for each, entries in _described(client, kind, name, describe_all=describe_all)
    )


def print_quotas(client: Client, found: Entities, *, has_users: bool) -> None:
    """Print quotas as JSON, and the SCRAM credentials of the users if has_users. Raises Failed."""
    rows: list[dict[str, Any]] = [
        {
            "entity": {each.entity_type.replace("-", "_"): each.entity_name for each in entry.entity},
            "quotas": {each.key: each.value for each in entry.values},
        }
        for entry in _entries(client, found)
    ]
    for result in _credentials(client, found.names) if has_users else ():
        if result.error_code:
            raise ErrorResponse(result.error_code, f"user {result.user}: {result.error_message}")
        credentials = [
            {"mechanism": _mechanism(info), "iterations": info.iterations} for info in result.credential_infos
        ]
        rows.append({"entity": {"user": result.user}, "scram_credentials": credentials})
    print_json(rows)


def _line(entry: Any) -> str:
    synonyms = ", ".join(
        f"{SOURCES.get(each.source, 'UNKNOWN')}:{each.name}={_text(each.value)}" for each in entry.synonyms
    )
    sensitive = str(entry.is_sensitive).lower()
    return f"  {entry.name}={_text(entry.value)} sensitive={sensitive} synonyms={{{synonyms}}}"


def _text(value: str | None) -> str:
    return "null" if value is None else value


def _exists(client: Client, kind: str, name: str) -> bool:
    found = (kind == BROKERS and name == DEFAULT) or name in _names(client, kind)
    if kind == TOPICS and not found:
        from tidemark.metadata.topics import name_error

        wrong = name_error(name)
        if wrong is not None:
            raise Failed(wrong)
    return found


def _names(client: Client, kind: str) -> list[str]:
    """Return the names of the entities of a type."""
    if kind == TOPICS:
        return [topic.name for topic in client.metadata().topics if not topic.error_code]
    if kind in (BROKERS, LOGGERS):
        nodes = [str(node.node_id) for node in client.nodes()]
        return [*nodes, DEFAULT] if kind == BROKERS else nodes
    if kind == CLIENT_METRICS:
        return _with_settings(client, kind)
    groups = [group.group_id for group in all_groups(client)]
    try:
        groups += _with_settings(client, kind)
    except UnsupportedVersion:  # before Kafka 4.1
        pass
    return list(dict.fromkeys(groups))


def _with_settings(client: Client, kind: str) -> list[str]:
    request = ListConfigResourcesRequest([RESOURCES[kind]])
    response = client.call(request, min_version=0 if kind == CLIENT_METRICS else 1)
    check_results([response])
    return [each.resource_name for each in response.config_resources]


def _configs(client: Client, kind: str, name: str, *, describe_all: bool) -> list[Any]:
    resource = DescribeConfigsResource(RESOURCES[kind], name, None)
    request = DescribeConfigsRequest([resource], include_synonyms=True)
    (result,) = client.call(request, _node(client, kind, name)).results
    check_results([result])
    source = DYNAMIC_DEFAULT if kind == BROKERS and name == DEFAULT else DYNAMIC.get(kind)
    return [
        entry for entry in result.configs if describe_all or source is None or entry.config_source == source
    ]


def _node(client: Client, kind: str, name: str) -> BrokerEndpoint | None:
    """Return the broker that must answer; None: any. Raises ClientError if there is no such broker."""
    if kind not in (BROKERS, LOGGERS) or name == DEFAULT:
        return None
    for node in client.nodes():
        if node.node_id == int(name):
            return node
    raise ClientError(f"There is no broker {name}")


def alter(client: Client, kind: str, name: str, adding: Mapping[str, str], deleting: Sequence[str]) -> None:
    """Change settings of an entity. Raises Failed, ErrorResponse."""
    if kind == LOGGERS:
        known = {entry.name for entry in _configs(client, kind, name, describe_all=True)}
        unknown = [each for each in (*deleting, *adding) if each not in known]
        if unknown:
            raise Failed(f"Invalid broker logger(s): {','.join(unknown)}")
    changes = [AlterableConfig(key, DELETE, "") for key in deleting]
    changes += [AlterableConfig(key, SET, value) for key, value in adding.items()]
    request = IncrementalAlterConfigsRequest([AlterConfigsResource(RESOURCES[kind], name, changes)])
    check_results(client.call(request, _node(client, kind, name), once=True).responses)


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
        shown = ", ".join(f"{key}={java_double(values[key])}" for key in map_order(values))
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
    from tidemark_protocol.messages.alter_client_quotas import (
        AlterClientQuotasRequest,
        AlterClientQuotasRequestEntityData,
        AlterClientQuotasRequestEntryData,
        OpData,
    )

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
    check_results(client.call(request, once=True).entries)


def _number(key: str, text: str) -> float:
    if NUMBER.fullmatch(text.strip()) is None:
        raise Failed(f"Cannot parse quota configuration value for {key}: {text}")
    return float(text.strip().rstrip("fFdD"))


def _entries(client: Client, found: Entities) -> list[Any]:
    """Return the quotas of the entities that have these types and no other."""
    from tidemark_protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest

    components = []
    for kind, name in zip_longest(found.types, found.names):
        if kind is None:
            raise Failed("More entity names specified than entity types")
        how = ANY if name is None else IS_DEFAULT if name == DEFAULT else EXACT
        components.append(ComponentData(IN_REQUESTS[kind], how, name if how == EXACT else None))
    response = client.call(DescribeClientQuotasRequest(components, strict=True))
    check_results([response])
    return list(response.entries)


def describe_users(client: Client, names: Sequence[str]) -> None:
    """Print the mechanisms of these users, or of all."""
    for result in _credentials(client, names):
        code = error_code(result.error_code)
        if code != ErrorCode.NONE:
            shown = f"{error_class(code).rpartition('.')[2]}: {result.error_message or code.text}"
            print(f"Error retrieving SCRAM credential configs for user-principal '{result.user}': {shown}")
            continue
        infos = ", ".join(
            f"{_mechanism(info)}=iterations={info.iterations}" for info in result.credential_infos
        )
        print(f"SCRAM credential configs for user-principal '{result.user}' are {infos}")


def _credentials(client: Client, names: Sequence[str]) -> list[Any]:
    """Return the results for these users, or for all, without users that have no credential."""
    from tidemark_protocol.messages.describe_user_scram_credentials import (
        DescribeUserScramCredentialsRequest,
        UserName,
    )

    users = [UserName(name) for name in names] or None
    response = client.call(DescribeUserScramCredentialsRequest(users))
    check_results([response])
    return [each for each in response.results if each.error_code != ErrorCode.RESOURCE_NOT_FOUND]


def _mechanism(info: Any) -> str:
    from tidemark.security.scram import NUMBERS

    return next((name for name, number in NUMBERS.items() if number == info.mechanism), "UNKNOWN")


def alter_users_and_clients(
    client: Client, found: Entities, adding: Mapping[str, str], deleting: Sequence[str]
) -> None:
    """Change quotas, or the credentials of one user. Raises Failed, ErrorResponse."""
    from tidemark.security.scram import NUMBERS

    scram = {key: text for key, text in adding.items() if key in NUMBERS}
    scram_deleted = [key for key in deleting if key in NUMBERS]
    unknown = [key for key in adding if key not in (*NUMBERS, *QUOTAS)]
    unknown_deleted = [key for key in deleting if key not in (*NUMBERS, *QUOTAS)]
    has_quotas = any(key in QUOTAS for key in (*adding, *deleting))
    if found.types[0] == CLIENTS or len(found.types) == 2:
        _only("quota", CLIENTS, [*unknown, *scram], [*unknown_deleted, *scram_deleted])
    else:
        _only("quota and SCRAM credential", USERS, unknown, unknown_deleted)
        if scram or scram_deleted:
            if DEFAULT in found.names:
                raise Failed(
                    "The use of --entity-default or --user-defaults is not allowed with User SCRAM "
                    "Credentials using --bootstrap-server."
                )
            if has_quotas:
                raise Failed(
                    f"Cannot alter both quota and SCRAM credential configs simultaneously for '{USERS}' "
                    "using --bootstrap-server."
                )
    if has_quotas:
        alter_quotas(client, found, adding, deleting)
        return
    from tidemark_protocol.messages.alter_user_scram_credentials import (
        AlterUserScramCredentialsRequest,
        ScramCredentialDeletion,
    )

    user = found.names[0]
    deletions = [ScramCredentialDeletion(user, NUMBERS[mechanism]) for mechanism in scram_deleted]
    upsertions = [_upsertion(user, mechanism, text) for mechanism, text in scram.items()]
    request = AlterUserScramCredentialsRequest(deletions, upsertions)
    check_results(client.call(request, once=True).results)


def _only(allowed: str, kind: str, unknown: Sequence[str], unknown_deleted: Sequence[str]) -> None:
    """Raise Failed for settings of another kind. The message shows collections of Scala."""
    for names, verb, collection in ((unknown, "added", "Set"), (unknown_deleted, "deleted", "ArrayBuffer")):
        if names:
            raise Failed(
                f"Only {allowed} configs can be {verb} for '{kind}' using --bootstrap-server. Unexpected "
                f"config names: {collection}({', '.join(names)})"
            )


def _upsertion(user: str, mechanism: str, text: str) -> ScramCredentialUpsertion:
    """Return a credential. The broker receives the salted password, never the password itself."""
    from tidemark.security.scram import HASHES, ITERATIONS_MIN, NUMBERS, salted
    from tidemark_protocol.messages.alter_user_scram_credentials import ScramCredentialUpsertion

    found = CREDENTIAL.fullmatch(text)
    if found is None:
        raise Failed(f"Invalid credential property {mechanism}={HIDDEN}")
    iterations = int(found[1]) if found[1] not in (None, "-1") else ITERATIONS
    if iterations < ITERATIONS_MIN:
        raise Failed(
            f"Iterations {iterations} is less than the minimum {ITERATIONS_MIN} required for {mechanism}"
        )
    salt = os.urandom(SALT_BYTES)
    number = NUMBERS[mechanism]
    key = salted(HASHES[number], found[2], salt, iterations)
    return ScramCredentialUpsertion(user, number, iterations, salt, key)
