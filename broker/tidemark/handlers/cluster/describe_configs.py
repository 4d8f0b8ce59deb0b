"""DescribeConfigs: settings, their values, and where these were set.

v1  the source of each value, and its synonyms if requested
v3  type and documentation
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Steps, items_of
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.configs import Configs, ResourceConfigType, Source, Sourced, canonical
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import name_error
from tidemark.settings.broker import BrokerSettings
from tidemark.settings.resources import (
    CLIENT_METRICS_SETTINGS,
    ROOT_LOGGER,
    broker_setting_of,
    dynamic_settings,
    group_settings,
)
from tidemark.settings.setting import Kind, Setting, parser
from tidemark.settings.topic import TOPIC_SETTINGS
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_integer
from tidemark_protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

_TYPES = (
    ResourceConfigType.TOPIC,
    ResourceConfigType.BROKER,
    ResourceConfigType.BROKER_LOGGER,
    ResourceConfigType.CLIENT_METRICS,
    ResourceConfigType.GROUP,
)

# A broker's setting, and those that replace it if it is not set (log.retention.ms: minutes, hours).
_SYNONYMS: Final = {
    setting.synonyms[0][0]: tuple(name for name, _ in setting.synonyms)
    for setting in TOPIC_SETTINGS.values()
    if setting.synonyms
}


@dataclass(slots=True)
class Described:
    """One setting of the response. synonyms: the values that were set, as written, the one in force first."""

    setting: Setting[Any]
    value: str | None
    synonyms: list[Sourced] = field(default_factory=list)
    read_only: bool = False

    @property
    def source(self) -> int:
        return self.synonyms[0].source if self.synonyms else Source.DEFAULT

    @property
    def sensitive(self) -> bool:
        return self.setting.kind in (Kind.PASSWORD, Kind.UNKNOWN)


@query(DescribeConfigsRequest, state=Cluster, versions=range(1, 5))
def describe_configs(
    cluster: Cluster, ctx: Context, request: DescribeConfigsRequest
) -> Steps[DescribeConfigsResponse]:
    if any(resource.resource_type not in _TYPES for resource in request.resources):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    whole: dict[
        tuple[int, str], DescribeConfigsResult
    ] = {}  # a resource named twice gets the same result twice
    results: list[DescribeConfigsResult] = []
    for resource in request.resources:
        place = (resource.resource_type, resource.resource_name)
        result = None if resource.configuration_keys else whole.get(place)
        if result is None:
            result = _result(cluster, ctx, request, resource)
            if not resource.configuration_keys:
                whole[place] = result
            yield len(result.configs)
        results.append(result)
        yield 1 + items_of(result.error_message)
    return DescribeConfigsResponse(results=results)


def _result(
    cluster: Cluster, ctx: Context, request: DescribeConfigsRequest, resource: DescribeConfigsResource
) -> DescribeConfigsResult:
    result = DescribeConfigsResult(
        error_message="", resource_type=resource.resource_type, resource_name=resource.resource_name
    )
    keys = resource.configuration_keys or None
    try:
        if resource.resource_type == ResourceConfigType.BROKER_LOGGER:
            configs: Iterable[DescribeConfigsResourceResult] = _loggers(cluster, ctx, resource)
        else:
            configs = (_config(line, request) for line in _describe(cluster, ctx, resource))
        result.configs = [config for config in configs if keys is None or config.name in keys]
    except KafkaError as error:
        result.error_code = error.code
        result.error_message = error.message or ""
    return result


def _describe(cluster: Cluster, ctx: Context, resource: DescribeConfigsResource) -> Iterable[Described]:
    name = resource.resource_name
    match resource.resource_type:
        case ResourceConfigType.TOPIC:
            return _topic(cluster, ctx, name)
        case ResourceConfigType.BROKER:
            _check_cluster(ctx)
            if not name:
                return _broker_defaults(cluster)
            _check_broker(ctx, name, "or empty string, ")
            return _broker(cluster, cluster.configs.of_node(ctx.node_id))
        case ResourceConfigType.CLIENT_METRICS:
            _check_cluster(ctx)
            if not name:
                raise KafkaError(
                    ErrorCode.INVALID_REQUEST, "Client metrics subscription name must not be empty"
                )
            return _client_metrics(cluster, name)
        case ResourceConfigType.GROUP:
            if not ctx.allowed(Operation.DESCRIBE_CONFIGS, ResourceType.GROUP, name):
                raise KafkaError(
                    ErrorCode.GROUP_AUTHORIZATION_FAILED, ErrorCode.GROUP_AUTHORIZATION_FAILED.text
                )
            if not name:
                raise KafkaError(ErrorCode.INVALID_REQUEST, "Group name must not be empty")
            return _group(cluster, cluster.configs.of_node(ctx.node_id), name)
    raise AssertionError(f"resource type {resource.resource_type}")


def _loggers(
    cluster: Cluster, ctx: Context, resource: DescribeConfigsResource
) -> list[DescribeConfigsResourceResult]:
    """Return the level of the root logger. Kafka has a logger for each of its classes, too."""
    _check_cluster(ctx)
    if not resource.resource_name:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "Broker id must not be empty")
    _check_broker(ctx, resource.resource_name, "")
    return [
        DescribeConfigsResourceResult(
            name=ROOT_LOGGER,
            value=cluster.configs.log_level,
            config_source=Source.BROKER_LOGGER,
            config_type=Kind.UNKNOWN,
            documentation="",
        )
    ]


def _topic(cluster: Cluster, ctx: Context, name: str) -> Iterable[Described]:
    if not ctx.allowed(Operation.DESCRIBE_CONFIGS, ResourceType.TOPIC, name):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, ErrorCode.TOPIC_AUTHORIZATION_FAILED.text)
    wrong = name_error(name)
    if wrong is not None:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, wrong)
    topic = cluster.topics.get(name)
    if topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return describe_topic(cluster.configs.of_node(ctx.node_id), topic.configs)


def describe_topic(configs: Configs, overrides: Mapping[str, str]) -> Iterator[Described]:
    for name, setting in sorted(configs.topic.items()):
        synonyms = configs.synonyms([synonym for synonym, _ in setting.synonyms])
        inherited = Described(setting, canonical(setting, configs.inherited(name).value), synonyms)
        yield _overridden(inherited, overrides, Source.DYNAMIC_TOPIC)


def _broker(cluster: Cluster, configs: Configs) -> Iterator[Described]:
    dynamic = dynamic_settings(cluster.settings.release)
    for name in configs.names_of_broker():
        synonyms = configs.synonyms(_SYNONYMS.get(name, (name,)))
        line = Described(_definition(cluster, name), configs.of_broker(name), synonyms, name not in dynamic)
        if line.sensitive:
            line.value = None
        yield line


def _broker_defaults(cluster: Cluster) -> Iterator[Described]:
    """Return the settings that were set for all brokers."""
    dynamic = dynamic_settings(cluster.settings.release)
    for name, value in cluster.overrides(ResourceConfigType.BROKER, "").items():
        synonyms = [Sourced(name, value, Source.DYNAMIC_DEFAULT_BROKER)]
        line = Described(_definition(cluster, name), value, synonyms, name not in dynamic)
        if line.sensitive:
            line.value = None
        yield line


def _definition(cluster: Cluster, name: str) -> Setting[Any]:
    configs, dynamic = cluster.configs, dynamic_settings(cluster.settings.release)
    known = name in configs.defaults or name in configs.static or name in dynamic
    return broker_setting_of(name) if known else Setting(Kind.UNKNOWN, None, parser(Kind.UNKNOWN), name=name)


def _group(cluster: Cluster, configs: Configs, name: str) -> Iterator[Described]:
    overrides = cluster.overrides(ResourceConfigType.GROUP, name)
    for setting in group_settings(cluster.settings.release).values():
        ((stand_in, _),) = setting.synonyms
        # The broker may give the only task assignor under the name of its class.
        is_class = stand_in == BrokerSettings.group_streams_assignors.name
        given = None if is_class else configs.of_broker(stand_in)
        default = setting.default_text
        synonyms = configs.synonyms([stand_in]) or [Sourced(stand_in, default, Source.DEFAULT)]
        inherited = Described(setting, canonical(setting, given or default), synonyms)
        yield _overridden(inherited, overrides, Source.GROUP)


def _client_metrics(cluster: Cluster, name: str) -> Iterator[Described]:
    overrides = cluster.overrides(ResourceConfigType.CLIENT_METRICS, name)
    for setting in CLIENT_METRICS_SETTINGS.values():
        yield _overridden(Described(setting, setting.default_text), overrides, Source.CLIENT_METRICS)


def _overridden(line: Described, overrides: Mapping[str, str], source: int) -> Described:
    """Return the line, with the resource's own value first if it has one."""
    name = line.setting.name
    if name not in overrides:
        return line
    value = canonical(line.setting, overrides[name])
    return Described(line.setting, value, [Sourced(name, value, source), *line.synonyms])


def _check_cluster(ctx: Context) -> None:
    if not cluster_allowed(ctx, Operation.DESCRIBE_CONFIGS):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.CLUSTER_AUTHORIZATION_FAILED.text)


def _check_broker(ctx: Context, name: str, or_what: str) -> None:
    number, own = java_integer(name, 32), ctx.node_id
    if number is None:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Broker id must be an integer, but it is: {name}")
    if number != own:
        raise KafkaError(
            ErrorCode.INVALID_REQUEST, f"Unexpected broker id, expected {own} {or_what}but received {name}"
        )


def _config(line: Described, request: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    synonyms = [
        DescribeConfigsSynonym(synonym.name, None if line.sensitive else synonym.value, synonym.source)
        for synonym in line.synonyms
    ]
    return DescribeConfigsResourceResult(
        name=line.setting.name,
        value=line.value,
        read_only=line.read_only,
        config_source=line.source,
        is_sensitive=line.sensitive,
        synonyms=synonyms if request.include_synonyms else [],
        config_type=line.setting.kind,
        documentation=(line.setting.about or None) if request.include_documentation else None,
    )
