"""The Kafka server of one incarnation."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Final

from tidemark.core.context import Authorizers, Context, everyone_is_allowed
from tidemark.handlers import routes
from tidemark.log.traffic import COUNTED as TRAFFIC
from tidemark.node.engine import Engine
from tidemark.node.environment import Environment
from tidemark.node.state import State
from tidemark.server.listener import Server, Shared
from tidemark.server.router import Router
from tidemark.server.unsent import Unsent
from tidemark.settings.broker import principals_of

# GetTelemetrySubscriptions and PushTelemetry: Kafka advertises them if a plugin receives client metrics.
NOT_ADVERTISED: Final = (71, 72)

_load_routes = cache(routes.load)  # reads every handler's file; routes hold no state of a node


def new_server(env: Environment, state: State, engine: Engine) -> Server:
    """Return a server that does not listen yet. Call it once everything is loaded and durable."""
    config, host = env.config, env.host
    table = _load_routes()
    versions = {key: config.profile.versions(route.name, route.versions) for key, route in table.items()}
    table = {key: route for key, route in table.items() if versions[key]}
    unsent = Unsent(config.tidemark_unsent_max_bytes, host.clock.steady_ms)
    engine.runtime.context = Context(
        wall_ms=0,
        steady_ms=0,
        version=0,
        cluster=state.cluster,
        served=tuple(
            (key, _advertised_low(key, versions[key]), versions[key][-1])
            for key in sorted(table)
            if key not in NOT_ADVERTISED
        ),
        features_epoch=state.metadata_log.log_end_offset - state.cluster.feature_changes,
        new_id=host.ids.uuid_text,
        new_producer_id=engine.new_producer_id,
        decisions=engine.runtime,
        turns=engine.turns,
        derive=engine.derive,
        unsent=unsent,
    )
    router = Router(table, versions, engine.runtime)
    engine.metrics.watch("requests", router.requests)
    engine.metrics.watch("request_duration", router.durations)
    engine.metrics.watch("unsent_bytes", lambda: unsent.total)
    for name in TRAFFIC:
        engine.metrics.watch(f"topic_{name}", partial(_traffic, state, name))
    return Server(
        router,
        host.clock,
        Shared(
            engine.turns,
            unsent,
            engine.runtime.long_responses,
            env.interceptors,
            env.tap,
            _authorizers(env, state, engine),
        ),
        config,
        engine.metrics,
        env.logger,
    )


def _authorizers(env: Environment, state: State, engine: Engine) -> Authorizers:
    config = env.config
    if not config.authorizer_class_name:
        return everyone_is_allowed
    from tidemark.authorization.standard import Denials, StandardAuthorizer

    # Kafka: Boolean.parseBoolean, for which every text but this one is false.
    allow_without_acl = config.allow_everyone_if_no_acl_found.lower() == "true"
    super_users = frozenset(principals_of(config.super_users))
    counts = engine.metrics.authorization_denials

    def count(operation: str, resource_type: str) -> None:
        counts[operation, resource_type] += 1

    denials = Denials(count, partial(env.logger.warning, "authorization denied"), env.host.clock.steady_ms)
    return StandardAuthorizer(
        state.cluster.acls, super_users, allow_without_acl=allow_without_acl, denials=denials
    ).of_caller


def _traffic(state: State, name: str) -> dict[Any, float]:
    return {**state.logs.traffic.reading(name)}


def _advertised_low(api_key: int, versions: range) -> int:
    """Return the lowest version to advertise.

    Kafka advertises Produce from 0 although it refuses v0 to v2: older librdkafka would not compress.
    """
    return 0 if api_key == 0 else versions[0]
