"""The mechanisms of a listener, from its settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from tidemark.core.context import Context
from tidemark.core.java import put_order
from tidemark.security.plain import Plain
from tidemark.security.sasl import NewMechanism, SaslListener
from tidemark.security.scram import HASHES, NUMBERS, Credential, Scram
from tidemark.settings.sasl import PLAIN, SaslSettings


def sasl_listener(settings: SaslSettings) -> SaslListener:
    """Return what the connections of a listener share. Clients learn of its mechanisms in Kafka's order."""
    return SaslListener(
        mechanisms={name: _new(name, settings) for name in put_order(settings.mechanisms)},
        max_reauth_ms=settings.max_reauth_ms,
        failure_delay_ms=settings.failure_delay_ms,
        receive_bytes_max=settings.receive_bytes_max,
    )


def _new(name: str, settings: SaslSettings) -> NewMechanism:
    if name == PLAIN:
        return lambda _: Plain(settings.plain_users)
    return partial(_scram, NUMBERS[name])


def _scram(number: int, ctx: Context) -> Scram:
    return Scram(HASHES[number], partial(_credential, ctx.cluster.scram_credentials, number), ctx.new_id)


def _credential(stored: Mapping[tuple[str, int], Any], number: int, user: str) -> Credential | None:
    record = stored.get((user, number))
    if record is None:
        return None
    return Credential(record.salt, record.stored_key, record.server_key, record.iterations)
