"""GetTelemetrySubscriptions and PushTelemetry of a broker without a plugin for client metrics (KIP-714)."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.case import Fields, Talk, case

NO_ID: Final = "00000000-0000-0000-0000-000000000000"
NONE, GZIP, ZSTD = 0, 1, 4
BYTES_MAX: Final = 1_048_576

Request = tuple[str, int, Fields]


def subscribe(client: str) -> Request:
    return "GetTelemetrySubscriptions", 0, {"ClientInstanceId": client}


def push(
    client: str, subscription: int, *, metrics: str = "", compression: int = NONE, ends: bool = False
) -> Request:
    """Build a PushTelemetry. metrics: bytes in hex."""
    return (
        "PushTelemetry",
        0,
        {
            "ClientInstanceId": client,
            "SubscriptionId": subscription,
            "Terminating": ends,
            "CompressionType": compression,
            "Metrics": metrics,
        },
    )


def _id(number: int) -> str:
    return f"aaaaaaaa-bbbb-4ccc-8ddd-{number:012x}"


@case
def telemetry_is_not_advertised(k: Talk) -> None:
    keys = {each["ApiKey"] for each in k.do("ApiVersions", 2, {})["ApiKeys"]}
    k.keep("advertised", sorted(keys & {71, 72}))


@case
def telemetry_subscription_of_a_known_client(k: Talk) -> None:
    k.ask(*subscribe(_id(1)))
    k.ask(*subscribe(_id(1)))
    k.connect().ask(*subscribe(_id(1)))


@case
def telemetry_subscription_of_a_new_client(k: Talk) -> None:
    def without_ids(response: Fields) -> Any:
        return {
            **response,
            "ClientInstanceId": response["ClientInstanceId"] != NO_ID,
            "SubscriptionId": response["SubscriptionId"] != 0,
        }

    k.ask(*subscribe(NO_ID), keep=without_ids)
    k.ask(*subscribe(NO_ID), keep=without_ids)


@case
def telemetry_pushed_by_a_subscriber(k: Talk) -> None:
    subscription = k.do(*subscribe(_id(2)))["SubscriptionId"]
    k.ask(*push(_id(2), subscription))
    k.ask(*push(_id(2), subscription))
    k.ask(*subscribe(_id(2)))
    k.ask(*push(_id(2), subscription, ends=True))
    k.ask(*push(_id(2), subscription, ends=True))
    k.ask(*push(_id(2), subscription))
    k.ask(*subscribe(_id(2)))


@case
def telemetry_with_metrics(k: Talk) -> None:
    for number, compression in enumerate((NONE, GZIP, ZSTD), 10):
        subscription = k.do(*subscribe(_id(number)))["SubscriptionId"]
        k.ask(*push(_id(number), subscription, metrics="0a00", compression=compression))


@case
def telemetry_pushed_without_a_subscription(k: Talk) -> None:
    k.ask(*push(_id(20), 1))
    k.ask(*subscribe(_id(20)))
    k.ask(*push(_id(20), 1))
    k.ask(*push(_id(21), 1, ends=True))
    k.ask(*push(_id(21), 1, ends=True))


@case
def telemetry_that_is_refused(k: Talk) -> None:
    k.ask(*push(NO_ID, 1))
    k.ask(*push("00000000-0000-0000-0000-000000000001", 1))
    for number, more in (
        (30, {"compression": 5}),
        (31, {"compression": -1}),
        (32, {"metrics": "00" * (BYTES_MAX + 1)}),
        (33, {"compression": 5, "metrics": "00" * (BYTES_MAX + 1)}),
        (34, {"metrics": "00" * BYTES_MAX}),
    ):
        subscription = k.do(*subscribe(_id(number)))["SubscriptionId"]
        k.ask(*push(_id(number), subscription, **more))
        k.ask(*push(_id(number), subscription))
        k.ask(*push(_id(number), subscription, ends=True))
