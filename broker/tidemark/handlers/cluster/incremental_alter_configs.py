"""IncrementalAlterConfigs: sets, deletes, extends and reduces single settings (KIP-339)."""

from __future__ import annotations

from typing import Any

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Decision, Record, Steps
from tidemark.handlers.routes import command
from tidemark.metadata.altering import (
    DELETE,
    alter_each,
    check_kind,
    check_rights,
    check_there,
    check_values,
    config_records,
)
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.state import Cluster
from tidemark.settings.release import Change
from tidemark.settings.resources import ROOT_LOGGER, broker_setting_of, dynamic_settings
from tidemark.settings.setting import Kind, Setting
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_integer
from tidemark_protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

SET, APPEND, SUBTRACT = 0, 2, 3
_WORDS = {APPEND: "APPEND", SUBTRACT: "SUBTRACT"}
_LEVELS = ("DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN")


@command(IncrementalAlterConfigsRequest, state=Cluster, versions=range(0, 2))
def incremental_alter_configs(
    cluster: Cluster, ctx: Context, request: IncrementalAlterConfigsRequest
) -> Steps[Decision[IncrementalAlterConfigsResponse]]:
    responses, records = yield from alter_each(cluster, ctx, request, _decide, AlterConfigsResourceResponse)
    return Decision(IncrementalAlterConfigsResponse(responses=responses), records)


def _decide(cluster: Cluster, ctx: Context, resource: AlterConfigsResource) -> tuple[Record, ...]:
    kind, name = resource.resource_type, resource.resource_name
    if kind == ResourceConfigType.BROKER_LOGGER:
        _check_loggers(cluster, ctx, resource)
        return ()
    check_kind(cluster, ctx, kind, name)
    check_rights(ctx, kind, name)
    values = dict(cluster.overrides(kind, name))
    for change in resource.configs:
        if change.config_operation == SET and change.value is not None:
            values[change.name] = change.value
        else:
            _apply(cluster, kind, values, change)
    check_values(cluster, kind, name, values)
    check_there(cluster, kind, name)
    return config_records(cluster, kind, name, values)


def _apply(cluster: Cluster, kind: int, values: dict[str, str], change: AlterableConfig) -> None:
    if change.config_operation == DELETE:
        values.pop(change.name, None)
        return
    assert change.value is not None
    setting = _setting(cluster, kind, change.name)
    if change.config_operation not in _WORDS or setting is None or setting.kind is not Kind.LIST:
        raise _refused(cluster, kind, change)
    before = values[change.name] if change.name in values else _default(cluster, kind, setting)
    items = before.split(",") if before else []
    for item in change.value.split(","):
        if change.config_operation == APPEND and item not in items:
            items.append(item)
        elif change.config_operation == SUBTRACT and item in items:
            items.remove(item)
    values[change.name] = ",".join(items)


def _refused(cluster: Cluster, kind: int, change: AlterableConfig) -> KafkaError:
    """Return Kafka's error. Settings of brokers have another one than all other settings."""
    word = _WORDS.get(change.config_operation)
    if kind == ResourceConfigType.BROKER:
        if word is None:
            text = f"Unknown operations type {change.config_operation}"
            return KafkaError(ErrorCode.INVALID_REQUEST, text)
        dynamic = dynamic_settings(cluster.settings.release)
        if change.name not in cluster.configs.defaults and change.name not in dynamic:
            return KafkaError(ErrorCode.INVALID_CONFIG, f"Unknown config name: {change.name}")
        text = f"Config value {word.lower()} is not allowed for config key: {change.name}"
        return KafkaError(ErrorCode.INVALID_CONFIG, text)
    if word is None:
        return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    text = f"Can't {word} to key {change.name} because its type is not LIST."
    return KafkaError(ErrorCode.INVALID_CONFIG, text)


def _setting(cluster: Cluster, kind: int, name: str) -> Setting[Any] | None:
    """Return the definition of a setting. Kafka treats lists of client metrics as text."""
    if kind == ResourceConfigType.TOPIC:
        return cluster.configs.topic.get(name)
    return broker_setting_of(name) if kind == ResourceConfigType.BROKER else None


def _default(cluster: Cluster, kind: int, setting: Setting[Any]) -> str:
    if kind == ResourceConfigType.TOPIC:
        return cluster.configs.inherited(setting.name).value
    return cluster.configs.of_broker(setting.name) or ""


def _check_loggers(cluster: Cluster, ctx: Context, resource: AlterConfigsResource) -> None:
    """Check levels of loggers. Kafka: RuntimeLoggerManager.

    There is only the root logger. Its level is fixed while the broker runs, because the level decides at the
    start which events are observed.
    """
    if not cluster_allowed(ctx, Operation.ALTER_CONFIGS):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    number = java_integer(resource.resource_name, 32)
    if number is None:
        text = f"Node id must be an integer, but it is: {resource.resource_name}"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    if number != ctx.node_id:
        text = f"Unexpected node id. Expected {ctx.node_id}, but received {resource.resource_name}"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    for change in resource.configs:
        _check_logger(cluster, change)


def _check_logger(cluster: Cluster, change: AlterableConfig) -> None:
    if change.config_operation not in (SET, DELETE, *_WORDS):
        if not cluster.settings.release.has(Change.TEXTS_OF_CONFIGS):
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        number = change.config_operation
        text = f"Unknown operation type {number} is not allowed for the BROKER_LOGGER resource"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    if change.config_operation in _WORDS:
        word = _WORDS[change.config_operation]
        text = f"{word} operation is not allowed for the BROKER_LOGGER resource"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    if change.name != ROOT_LOGGER:
        raise KafkaError(ErrorCode.INVALID_CONFIG, f"Logger {change.name} does not exist!")
    if change.config_operation == DELETE:
        text = f"Removing the log level of the {ROOT_LOGGER} logger is not allowed"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    if change.value not in _LEVELS:
        text = (
            f"Cannot set the log level of {change.name} to {change.value} as it is not a supported log level."
            f" Valid log levels are {', '.join(_LEVELS)}"
        )
        raise KafkaError(ErrorCode.INVALID_CONFIG, text)
    if change.value != cluster.configs.log_level:
        text = "The log level is fixed while the broker runs. Set tidemark.log.level and restart the broker."
        raise KafkaError(ErrorCode.INVALID_CONFIG, text)
