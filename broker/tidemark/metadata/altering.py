"""The parts that AlterConfigs and IncrementalAlterConfigs share: checks, and records.

Each resource is decided on its own: a refused one does not affect the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import PART_RECORDS_MAX, Decision, Record, Steps, counted, items_of
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import ELIGIBLE_LEADER_REPLICAS_VERSION
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import RECORDS_MAX, name_error
from tidemark.settings.release import Change
from tidemark.settings.resources import check_broker, check_client_metrics, dynamic_settings
from tidemark.settings.setting import InvalidSetting
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_integer
from tidemark_protocol.records.clear_elr_record import ClearElrRecord
from tidemark_protocol.records.config_record import ConfigRecord

DELETE: Final = 1  # the operation of IncrementalAlterConfigs that needs no value
MIN_INSYNC: Final = "min.insync.replicas"
PART_RESOURCES: Final = 16  # decided in one step: up to 0.3 ms each
_TYPES: Final = frozenset(
    {
        ResourceConfigType.TOPIC,
        ResourceConfigType.BROKER,
        ResourceConfigType.CLIENT_METRICS,
        ResourceConfigType.GROUP,
    }
)
_NOT_EMPTY: Final = {
    ResourceConfigType.TOPIC: "Default topic resources are not allowed.",
    ResourceConfigType.GROUP: "Default group resources are not allowed.",
    ResourceConfigType.CLIENT_METRICS: "Subscription name can't be empty",
}


_UNUSABLE: Final = (
    "Invalid value org.apache.kafka.common.config.ConfigException: Validation of dynamic config update of "
    "SSLFactory failed: {} for configuration Invalid dynamic configuration"
)

A = TypeVar("A")


def alter_each(
    cluster: Cluster,
    ctx: Context,
    request: Any,
    decide: Callable[[Cluster, Context, Any], tuple[Record, ...]],
    respond: Callable[[int, str | None, int, str], A],
) -> Steps[tuple[list[A], tuple[Record, ...]]]:
    """Decide each resource of the request on its own.

    Returns the responses, and the records that were not yielded as parts. As in Kafka, all resources are
    refused if they have more records than a controller writes for one request [4.3.1].

    decide   checks the rights of the client, too, and returns the records of a resource. Raises KafkaError if
             the resource is refused
    respond  makes the response to a resource: (error code, error message, resource type, resource name)
    """
    resources = request.resources
    times = yield from counted((resource.resource_type, resource.resource_name) for resource in resources)

    def wrong_keys(resource: Any) -> Steps[KafkaError | None]:
        if times[resource.resource_type, resource.resource_name] > 1:
            return KafkaError(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")
        return (yield from _wrong_keys(resource.configs))

    def outcome(resource: Any, wrong: KafkaError | None) -> Steps[tuple[A, tuple[Record, ...], int]]:
        """Return the response, the records and the number of items.

        It pauses only before the decision, and writes `part` first.
        """
        kind, name = resource.resource_type, resource.resource_name
        try:
            if wrong is not None:
                raise wrong
            if kind == ResourceConfigType.BROKER and name:
                records = yield from _with_usable_keys(
                    cluster, ctx, partial(decide, cluster, ctx, resource), part
                )
            else:
                records = decide(cluster, ctx, resource)
        except KafkaError as refused:
            return respond(refused.code, refused.message, kind, name), (), items_of(refused.message)
        return respond(ErrorCode.NONE, None, kind, name), records, 0

    part: list[Record] = []
    if (yield from _records_at_most(cluster, resources)) > RECORDS_MAX:
        count = 0
        for resource in resources:
            _, records, _ = yield from outcome(resource, (yield from wrong_keys(resource)))
            count += len(records)
            yield 0
        if count > RECORDS_MAX:
            code, text = ErrorCode.POLICY_VIOLATION, "Unable to perform excessively large batch operation."
            refused: list[A] = []
            for each in resources:
                refused.append(respond(code, text, each.resource_type, each.resource_name))
                yield 0
            return refused, ()
    found: list[A] = []
    for start in range(0, len(resources), PART_RESOURCES):
        some = resources[start : start + PART_RESOURCES]
        wrong: list[KafkaError | None] = []
        for resource in some:
            error = yield from wrong_keys(resource)
            wrong.append(error)
        items = 0  # counted after the write: during a pause, another request may delete a topic
        for resource, error in zip(some, wrong, strict=True):
            response, records, more = yield from outcome(resource, error)
            found.append(response)
            items += more
            part += () if request.validate_only else records
            if len(part) >= PART_RECORDS_MAX:
                yield Decision(records=tuple(part))
                part.clear()
        if items or start + PART_RESOURCES < len(resources):
            yield Decision(records=tuple(part))
            part.clear()
            yield items
    return found, tuple(part)


def _with_usable_keys(
    cluster: Cluster, ctx: Context, decide: Callable[[], tuple[Record, ...]], part: list[Record]
) -> Steps[tuple[Record, ...]]:
    """Return the decision about this broker. Raises KafkaError if a listener cannot use its new TLS settings.

    That is known once the files are read. Then the decision is made again: another request may have changed
    the settings meanwhile.

    part: earlier records of the request, which are written before it waits
    """
    node = str(ctx.node_id)
    checked: dict[str, str] | None = None
    while True:
        records = decide()
        before = cluster.overrides(ResourceConfigType.BROKER, node)
        after = dict(before)
        for record in records:
            if record.value.value is None:
                after.pop(record.value.name, None)
            else:
                after[record.value.name] = record.value.value
        checking = None if after == checked else ctx.check_tls(before, after)
        if checking is None:
            return records
        if part:
            yield Decision(records=tuple(part))
            part.clear()
        wrong = yield from checking.__await__()
        if wrong is not None:
            raise KafkaError(ErrorCode.INVALID_REQUEST, _UNUSABLE.format(wrong))
        checked = after


def _records_at_most(cluster: Cluster, resources: Sequence[Any]) -> Steps[int]:
    """Return an upper bound of the records: one for each given setting, and for each existing one.

    Topics that do not exist get no records.
    """
    count = 0
    for each in resources:
        if each.resource_type != ResourceConfigType.TOPIC or each.resource_name in cluster.topics:
            count += len(each.configs) + len(cluster.overrides(each.resource_type, each.resource_name))
        yield 0
    return count


def _wrong_keys(settings: Sequence[Any]) -> Steps[KafkaError | None]:
    """Make the checks that Kafka makes before it checks the type of the resource. Return the error."""
    keys: set[str] = set()
    without_value: list[str] = []
    for setting in settings:
        keys.add(setting.name)
        if setting.value is None and getattr(setting, "config_operation", None) != DELETE:
            without_value.append(setting.name)
        yield 0
    if len(keys) < len(settings):
        return KafkaError(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys")
    if without_value:
        text = f"Null value not supported for : {', '.join(without_value)}"
        return KafkaError(ErrorCode.INVALID_REQUEST, text)
    return None


def check_rights(ctx: Context, resource_type: int, name: str) -> None:
    """Check that the client may alter the resource. Kafka's controller does, after its broker's checks."""
    if resource_type == ResourceConfigType.TOPIC:
        allowed = ctx.allowed(Operation.ALTER_CONFIGS, ResourceType.TOPIC, name)
        code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    elif resource_type == ResourceConfigType.GROUP:
        allowed = ctx.allowed(Operation.ALTER_CONFIGS, ResourceType.GROUP, name)
        code = ErrorCode.GROUP_AUTHORIZATION_FAILED
    else:
        allowed = cluster_allowed(ctx, Operation.ALTER_CONFIGS)
        code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    if not allowed:
        raise KafkaError(code, code.text)


def check_kind(cluster: Cluster, ctx: Context, resource_type: int, name: str) -> None:
    """Make the checks of Kafka's broker, before those of its controller: the type, and the id of a broker."""
    if resource_type not in _TYPES:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown resource type {resource_type}")
    if resource_type != ResourceConfigType.BROKER:
        return
    rights_first = cluster.settings.release.has(Change.RIGHTS_TO_BROKERS_COME_FIRST)
    if rights_first and not cluster_allowed(ctx, Operation.ALTER_CONFIGS):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if name:
        _check_node(ctx, name)


def check_there(cluster: Cluster, resource_type: int, name: str) -> None:
    """Check that a topic exists, after everything else. Settings create groups and subscriptions."""
    if resource_type == ResourceConfigType.TOPIC and name not in cluster.topics:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{name}' does not exist.")


def _check_name(resource_type: int, name: str) -> None:
    if resource_type in _NOT_EMPTY and not name:
        raise KafkaError(ErrorCode.INVALID_REQUEST, _NOT_EMPTY[resource_type])
    wrong = name_error(name) if resource_type == ResourceConfigType.TOPIC else None
    if wrong is not None:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, wrong)


def _check_node(ctx: Context, name: str) -> None:
    number = java_integer(name, 32)
    if number is None:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Node id must be an integer, but it is: {name}")
    if number != ctx.node_id:
        raise KafkaError(
            ErrorCode.INVALID_REQUEST, f"Unexpected broker id, expected {ctx.node_id}, but received {name}"
        )


def check_values(cluster: Cluster, resource_type: int, name: str, values: Mapping[str, str]) -> None:
    """Check all new dynamic settings of a resource. Raises KafkaError for the first invalid one."""
    _check_name(resource_type, name)
    if resource_type == ResourceConfigType.CLIENT_METRICS:
        check_client_metrics(values)
        return
    code = (
        ErrorCode.INVALID_REQUEST if resource_type == ResourceConfigType.BROKER else ErrorCode.INVALID_CONFIG
    )
    try:
        if resource_type == ResourceConfigType.TOPIC:
            cluster.configs.check_topic(values)
        elif resource_type == ResourceConfigType.GROUP:
            cluster.configs.check_group(values)
        else:
            dynamic = dynamic_settings(cluster.settings.release)
            check_broker(values, cluster.configs.defaults, dynamic, for_all=not name)
    except InvalidSetting as error:
        raise KafkaError(code, str(error)) from None
    if resource_type == ResourceConfigType.BROKER:
        _check_min_insync(cluster, name, values)


def _check_min_insync(cluster: Cluster, name: str, values: Mapping[str, str]) -> None:
    """With eligible leader replicas (KIP-966), this setting must exist, and for the whole cluster only."""
    if not cluster.features.get(ELIGIBLE_LEADER_REPLICAS_VERSION):
        return
    before = cluster.overrides(ResourceConfigType.BROKER, name)
    if name and values.get(MIN_INSYNC) != before.get(MIN_INSYNC):
        text = f"Broker-level {MIN_INSYNC} cannot be altered while ELR is enabled."
        raise KafkaError(ErrorCode.INVALID_CONFIG, text)
    if not name and MIN_INSYNC in before and MIN_INSYNC not in values:
        text = f"Cluster-level {MIN_INSYNC} cannot be removed while ELR is enabled."
        raise KafkaError(ErrorCode.INVALID_CONFIG, text)


def config_records(
    cluster: Cluster, resource_type: int, name: str, values: Mapping[str, str]
) -> tuple[Record, ...]:
    """Return the records that change a resource's settings to these values. None is a removal.

    A change of min.insync.replicas clears the eligible leader replicas (KIP-966) of the topic, or of all.
    """
    before = cluster.overrides(resource_type, name)
    changes: dict[str, str | None] = {key: text for key, text in values.items() if before.get(key) != text}
    changes.update({key: None for key in before if key not in values})
    records = [Record(None, ConfigRecord(resource_type, name, key, text)) for key, text in changes.items()]
    if MIN_INSYNC in changes and cluster.features.get(ELIGIBLE_LEADER_REPLICAS_VERSION):
        records.append(
            Record(None, ClearElrRecord(name if resource_type == ResourceConfigType.TOPIC else ""))
        )
    return tuple(records)
