"""Settings of topics, brokers, loggers, groups and client metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidemark_protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tidemark_protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tidemark_protocol.messages.list_config_resources import ListConfigResourcesRequest
from tidemark_tools.client.addresses import BrokerEndpoint
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import ClientError, ErrorResponse, UnsupportedVersion
from tidemark_tools.configs.arguments import BROKERS, CLIENT_METRICS, DEFAULT, GROUPS, LOGGERS, TOPICS
from tidemark_tools.groups.groups import all_groups
from tidemark_tools.options import Failed

# Kafka: ConfigResource.Type
RESOURCES: Final = {TOPICS: 2, BROKERS: 4, LOGGERS: 8, CLIENT_METRICS: 16, GROUPS: 32}
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


def describe(client: Client, kind: str, name: str | None, *, describe_all: bool) -> None:
    """Print the settings of an entity, or of all entities of the type."""
    if name is None:
        names = _names(client, kind)
    elif describe_all or _exists(client, kind, name):
        names = [name]
    else:
        print(f"The {kind[:-1]} '{name}' doesn't exist and doesn't have dynamic config.")
        return
    for each in names:
        if each == DEFAULT:
            print(f"Default configs for {kind} in the cluster are:")
        else:
            print(f"{'All' if describe_all else 'Dynamic'} configs for {kind[:-1]} {each} are:")
        for entry in sorted(_configs(client, kind, each, describe_all=describe_all), key=_name_of):
            print(_line(entry))


def _name_of(entry: Any) -> str:
    return str(entry.name)


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
    if response.error_code:
        raise ErrorResponse(response.error_code)
    return [each.resource_name for each in response.config_resources]


def _configs(client: Client, kind: str, name: str, *, describe_all: bool) -> list[Any]:
    resource = DescribeConfigsResource(RESOURCES[kind], name, None)
    request = DescribeConfigsRequest([resource], include_synonyms=True)
    (result,) = client.call(request, _node(client, kind, name)).results
    if result.error_code:
        raise ErrorResponse(result.error_code, result.error_message)
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
    (result,) = client.call(request, _node(client, kind, name), once=True).responses
    if result.error_code:
        raise ErrorResponse(result.error_code, result.error_message)
