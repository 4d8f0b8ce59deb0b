"""Log in with each mechanism, by one client library: `python logging_in.py LIBRARY BOOTSTRAP JSON`.

JSON: a list of [mechanism, user, password, settings]. The password of OAUTHBEARER is the token. Print one
JSON object per login: the number of topics, or the error.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from typing import Any

TIMEOUT_S = 60


def confluent_kafka(bootstrap: str, mechanism: str, user: str, password: str, more: dict[str, Any]) -> int:
    from confluent_kafka.admin import AdminClient

    errors: list[str] = []
    admin = AdminClient(
        {
            "bootstrap.servers": bootstrap,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": mechanism,
            "error_cb": lambda error: errors.append(error.name()),
            "logger": _quiet(),
            **_credentials(mechanism, user, password),
            **more,
        }
    )
    if mechanism == "OAUTHBEARER":
        admin.poll(0)  # calls oauth_cb
    waited = 0
    while waited < TIMEOUT_S:
        if "_AUTHENTICATION" in errors:
            raise PermissionError("_AUTHENTICATION")
        try:
            return len(admin.list_topics(timeout=1).topics)
        except Exception:  # noqa: BLE001 the callback has the reason
            waited += 1
            admin.poll(0)
    raise TimeoutError


def _credentials(mechanism: str, user: str, password: str) -> dict[str, Any]:
    if mechanism != "OAUTHBEARER":
        return {"sasl.username": user, "sasl.password": password}
    if password:
        return {"oauth_cb": lambda _: (password, time.time() + 600)}
    # librdkafka makes the token.
    return {"enable.sasl.oauthbearer.unsecure.jwt": "true", "sasl.oauthbearer.config": f"principal={user}"}


def _quiet() -> Any:
    import logging

    logger = logging.getLogger("librdkafka")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger


def kafka_python(bootstrap: str, mechanism: str, user: str, password: str, more: dict[str, Any]) -> int:
    from kafka import KafkaAdminClient

    admin = KafkaAdminClient(
        bootstrap_servers=bootstrap,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism=mechanism,
        **_kafka_python_credentials(mechanism, user, password),
        **more,
    )
    try:
        return len(admin.list_topics())
    finally:
        admin.close()


def _kafka_python_credentials(mechanism: str, user: str, password: str) -> dict[str, Any]:
    if mechanism != "OAUTHBEARER":
        return {"sasl_plain_username": user, "sasl_plain_password": password}
    try:
        from kafka.net.sasl.oauth import AbstractTokenProvider
    except ImportError:
        from kafka.oauth.abstract import AbstractTokenProvider

    class Provider(AbstractTokenProvider):  # type: ignore[misc, unused-ignore]
        def token(self) -> str:
            return password

    return {"sasl_oauth_token_provider": Provider()}


def aiokafka(bootstrap: str, mechanism: str, user: str, password: str, more: dict[str, Any]) -> int:
    return asyncio.run(_aiokafka(bootstrap, mechanism, user, password, more))


async def _aiokafka(bootstrap: str, mechanism: str, user: str, password: str, more: dict[str, Any]) -> int:
    from aiokafka.admin import AIOKafkaAdminClient

    admin = AIOKafkaAdminClient(
        bootstrap_servers=bootstrap,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism=mechanism,
        **_aiokafka_credentials(mechanism, user, password),
        **more,
    )
    try:
        await admin.start()
        return len(await admin.list_topics())
    finally:
        await admin.close()


def _aiokafka_credentials(mechanism: str, user: str, password: str) -> dict[str, Any]:
    if mechanism != "OAUTHBEARER":
        return {"sasl_plain_username": user, "sasl_plain_password": password}
    from aiokafka.abc import AbstractTokenProvider

    class Provider(AbstractTokenProvider):  # type: ignore[misc, unused-ignore]
        async def token(self) -> str:
            return password

    return {"sasl_oauth_token_provider": Provider()}


LIBRARIES: dict[str, Callable[[str, str, str, str, dict[str, Any]], int]] = {
    "confluent-kafka": confluent_kafka,
    "kafka-python": kafka_python,
    "kafka-python-ng": kafka_python,
    "aiokafka": aiokafka,
}


def main() -> None:
    library, bootstrap, logins = sys.argv[1:]
    for mechanism, user, password, more in json.loads(logins):
        try:
            told: dict[str, Any] = {"topics": LIBRARIES[library](bootstrap, mechanism, user, password, more)}
        except Exception as error:  # noqa: BLE001 it is what the test wants to see
            told = {"error": f"{type(error).__name__} {error}"}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
