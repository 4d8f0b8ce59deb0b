"""UpdateFeatures: raises and lowers the levels of features (KIP-584).

v1  upgrade_type in place of allow_downgrade, validate_only (KIP-778)
v2  no results: the update succeeds or fails as a whole
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.result import Result, Steps
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.feature_updates import FeatureUpdate, feature_records, update_order
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.update_features import (
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)

NO_RESULTS_FROM = 2


@command(UpdateFeaturesRequest, state=Cluster, versions=range(0, 3))
def update_features(
    cluster: Cluster, ctx: Context, request: UpdateFeaturesRequest
) -> Steps[Result[UpdateFeaturesResponse]]:
    if not cluster_allowed(ctx, Operation.ALTER):
        code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        return Result(UpdateFeaturesResponse(0, code, code.text))
    # As in Kafka, v0 cannot downgrade: upgrade_type has its default there.
    updates: dict[str, FeatureUpdate] = {}
    for each in request.feature_updates:
        updates[each.feature] = FeatureUpdate(each.max_version_level, each.upgrade_type)
        yield 0
    order = yield from update_order(updates)
    results: list[UpdatableFeatureResult] = []
    if ctx.version < NO_RESULTS_FROM:
        for each in request.feature_updates:
            results.append(UpdatableFeatureResult(each.feature, ErrorCode.NONE, "NONE"))
            yield 0
    try:
        records = feature_records(cluster, updates, order)
    except KafkaError as refused:
        return Result(UpdateFeaturesResponse(0, refused.code, refused.message))
    response = UpdateFeaturesResponse(0, ErrorCode.NONE, None, results)
    return Result(response, () if request.validate_only else records)


def error_response(request: UpdateFeaturesRequest, code: int) -> UpdateFeaturesResponse:
    return UpdateFeaturesResponse(error_code=code, error_message=ErrorCode(code).text)
