"""Build requests about delegation tokens, like build.py. A principal is (type, name)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.conformance.build import Request

Principal = tuple[str | None, str | None]


def _principals(each: Iterable[Principal]) -> list[dict[str, Any]]:
    return [{"PrincipalType": kind, "PrincipalName": name} for kind, name in each]


def create_token(
    max_ms: int = -1, renewers: Iterable[Principal] = (), *, owner: Principal | None = None, version: int = 3
) -> Request:
    fields: dict[str, Any] = {"Renewers": _principals(renewers), "MaxLifetimeMs": max_ms}
    if version >= 3:
        kind, name = owner or (None, None)
        fields |= {"OwnerPrincipalType": kind, "OwnerPrincipalName": name}
    return "CreateDelegationToken", version, fields


def renew_token(hmac: bytes, ms: int = -1, version: int = 2) -> Request:
    return "RenewDelegationToken", version, {"Hmac": hmac.hex(), "RenewPeriodMs": ms}


def expire_token(hmac: bytes, ms: int = -1, version: int = 2) -> Request:
    return "ExpireDelegationToken", version, {"Hmac": hmac.hex(), "ExpiryTimePeriodMs": ms}


def describe_tokens(owners: Iterable[Principal] | None, version: int = 3) -> Request:
    return "DescribeDelegationToken", version, {"Owners": None if owners is None else _principals(owners)}
