"""UpdateFeatures: raises and lowers the levels of features (KIP-584).

v1  upgrade_type in place of allow_downgrade, validate_only (KIP-778)
v2  no results: the update succeeds or fails as a whole
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Decision, Record, Steps
from tidemark.core.java import put_order_in_steps
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.bootstrap import (
    KRAFT_VERSION,
    METADATA_VERSION,
    SUPPORTED_FEATURES,
    supported_features,
)
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import ELIGIBLE_LEADER_REPLICAS_VERSION
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.update_features import (
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord

NO_RESULTS_FROM: Final = 2

UPGRADE: Final = 1
SAFE_DOWNGRADE: Final = 2
UNSAFE_DOWNGRADE: Final = 3

_NOT_SERVED: Final = (0, 0)
# The features that require a level of metadata.version.
_REQUIRED_METADATA: Final = {ELIGIBLE_LEADER_REPLICAS_VERSION: 23}
# The levels of metadata.version that brought records or fields. Kafka does not go back behind them.
_METADATA_CHANGES: Final = (8, 11, 13, 14, 15, 17, 23, 30, 32, 33)
_MIN_INSYNC: Final = BrokerSettings.min_insync_replicas


class FeatureUpdate(NamedTuple):
    level: int
    upgrade_type: int


def feature_records(
    cluster: Cluster, updates: Mapping[str, FeatureUpdate], order: Iterable[str]
) -> tuple[Record, ...]:
    """Return the records of an update. Raises KafkaError for the first level that is refused."""
    metadata_level = cluster.features.get(METADATA_VERSION, 0)
    if METADATA_VERSION in updates:
        metadata_level = updates[METADATA_VERSION].level
    values: list[FeatureLevelRecord] = []
    for name in order:
        update = updates[name]
        _check(cluster, name, update, metadata_level)
        if name != KRAFT_VERSION:
            values.append(FeatureLevelRecord(name=name, feature_level=update.level))
    safety: Iterator[ConfigRecord] = iter(())
    if ELIGIBLE_LEADER_REPLICAS_VERSION in updates and updates[ELIGIBLE_LEADER_REPLICAS_VERSION].level > 0:
        safety = _min_insync_records(cluster)
    return tuple(Record(None, value) for value in (*safety, *values))


def _check(cluster: Cluster, name: str, update: FeatureUpdate, metadata_level: int) -> None:
    level, current = update.level, cluster.features.get(name, 0)
    if update.upgrade_type not in (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
        raise _invalid(name, level, "The controller does not support the given upgrade type.")
    if level < 0:
        raise _invalid(name, level, "A feature version cannot be less than 0.")
    lowest, highest = supported_features(cluster).get(name, _NOT_SERVED)
    if not lowest <= level <= highest:
        what = f"only supports versions {lowest}-{highest}" if highest else "does not support this feature."
        raise _invalid(name, level, f"Local controller {cluster.identity.node_id} {what}")
    if level < current and update.upgrade_type == UPGRADE:
        raise _invalid(
            name,
            level,
            "Can't downgrade the version of this feature without setting the upgrade type to either safe or "
            "unsafe downgrade.",
        )
    if level > current and update.upgrade_type != UPGRADE:
        raise _invalid(name, level, "Can't downgrade to a newer version.")
    if name == METADATA_VERSION:
        _check_metadata_version(current, update)
    elif name == KRAFT_VERSION:
        if level != current:
            raise _invalid(name, level, "This broker has no quorum of controllers.")
    else:
        _check_known(name, level, metadata_level)


def _check_metadata_version(current: int, update: FeatureUpdate) -> None:
    if not any(update.level < change <= current for change in _METADATA_CHANGES):
        return
    why = (
        "Unsafe metadata downgrade is not supported in this version."
        if update.upgrade_type == UNSAFE_DOWNGRADE
        else "Refusing to perform the requested downgrade because it might delete metadata information."
    )
    raise _refused(f"Unsupported metadata.version downgrade from {current} to {update.level}. {why}")


def _check_known(name: str, level: int, metadata_level: int) -> None:
    if name not in SUPPORTED_FEATURES:
        raise _invalid(name, level, f"Feature {name} not found.")
    required = _REQUIRED_METADATA.get(name, 0) if level else 0
    if metadata_level < required:
        raise _invalid(
            name,
            level,
            f"{name} could not be set to {level} because it depends on {METADATA_VERSION} level {required}",
        )


def _min_insync_records(cluster: Cluster) -> Iterator[ConfigRecord]:
    """Yield the records without which eligible leader replicas (KIP-966) are not safe.

    The setting must have a value for the whole cluster, and none for a broker.
    """
    name, broker = _MIN_INSYNC.name, ResourceConfigType.BROKER
    if name not in cluster.overrides(broker, ""):
        yield ConfigRecord(broker, "", name, cluster.configs.static.get(name, _MIN_INSYNC.default_text))
    for (kind, resource), values in cluster.configs.dynamic.items():
        if kind == broker and resource and name in values:
            yield ConfigRecord(broker, resource, name, None)


def _invalid(name: str, level: int, why: str) -> KafkaError:
    return _refused(f"Invalid update version {level} for feature {name}. {why}")


def _refused(why: str) -> KafkaError:
    return KafkaError(
        ErrorCode.INVALID_UPDATE_VERSION,
        f"The update failed for all features since the following feature had an error: {why}",
    )


@command(UpdateFeaturesRequest, state=Cluster, versions=range(0, 3))
def update_features(
    cluster: Cluster, ctx: Context, request: UpdateFeaturesRequest
) -> Steps[Decision[UpdateFeaturesResponse]]:
    if not cluster_allowed(ctx, Operation.ALTER):
        code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        return Decision(UpdateFeaturesResponse(0, code, code.text))
    # As in Kafka, v0 cannot downgrade: upgrade_type has its default there.
    updates: dict[str, FeatureUpdate] = {}
    for each in request.feature_updates:
        updates[each.feature] = FeatureUpdate(each.max_version_level, each.upgrade_type)
        yield 0
    order = yield from put_order_in_steps(updates)  # as Kafka checks them
    results: list[UpdatableFeatureResult] = []
    if ctx.version < NO_RESULTS_FROM:
        for each in request.feature_updates:
            results.append(UpdatableFeatureResult(each.feature, ErrorCode.NONE, "NONE"))
            yield 0
    try:
        records = feature_records(cluster, updates, order)
    except KafkaError as refused:
        return Decision(UpdateFeaturesResponse(0, refused.code, refused.message))
    response = UpdateFeaturesResponse(0, ErrorCode.NONE, None, results)
    return Decision(response, () if request.validate_only else records)
