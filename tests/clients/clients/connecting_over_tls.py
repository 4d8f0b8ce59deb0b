"""List topics over TLS by one client library: `python connecting_over_tls.py LIBRARY BOOTSTRAP JSON`.

JSON: a list of logins, each with the keys of `Login`. Print one JSON object per login: the names of the
topics that the client may see, or the error.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable
from typing import Any, NotRequired, TypedDict

TIMEOUT_S = 30


class Login(TypedDict):
    """cafile is what the client trusts. Without a mechanism, the protocol is SSL."""

    cafile: str
    certfile: NotRequired[str]
    keyfile: NotRequired[str]
    mechanism: NotRequired[str]
    user: NotRequired[str]
    password: NotRequired[str]


def confluent_kafka(bootstrap: str, login: Login) -> list[str]:
    from confluent_kafka.admin import AdminClient

    errors: list[str] = []
    logger = logging.getLogger("librdkafka")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    settings = {
        "bootstrap.servers": bootstrap,
        "security.protocol": "SASL_SSL" if "mechanism" in login else "SSL",
        "ssl.ca.location": login["cafile"],
        "ssl.certificate.location": login.get("certfile"),
        "ssl.key.location": login.get("keyfile"),
        "sasl.mechanism": login.get("mechanism"),
        "sasl.username": login.get("user"),
        "sasl.password": login.get("password"),
        "error_cb": lambda error: errors.append(error.name()),
        "logger": logger,
    }
    admin = AdminClient({name: value for name, value in settings.items() if value is not None})
    for _ in range(TIMEOUT_S):
        if errors and errors[-1] in ("_SSL", "_AUTHENTICATION"):
            raise PermissionError(errors[-1])
        try:
            return sorted(admin.list_topics(timeout=1).topics)
        except Exception:  # noqa: BLE001 the callback has the reason
            admin.poll(0)
    raise TimeoutError(*errors)


def _kafka_python_sasl(login: Login) -> dict[str, Any]:
    if "mechanism" not in login:
        return {"security_protocol": "SSL"}
    return {
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": login["mechanism"],
        "sasl_plain_username": login["user"],
        "sasl_plain_password": login["password"],
    }


def kafka_python(bootstrap: str, login: Login) -> list[str]:
    from kafka import KafkaAdminClient

    admin = KafkaAdminClient(
        bootstrap_servers=bootstrap,
        ssl_cafile=login["cafile"],
        ssl_certfile=login.get("certfile"),
        ssl_keyfile=login.get("keyfile"),
        **_kafka_python_sasl(login),
    )
    try:
        return sorted(admin.list_topics())
    finally:
        admin.close()


def aiokafka(bootstrap: str, login: Login) -> list[str]:
    return asyncio.run(_aiokafka(bootstrap, login))


async def _aiokafka(bootstrap: str, login: Login) -> list[str]:
    from aiokafka.admin import AIOKafkaAdminClient
    from aiokafka.helpers import create_ssl_context

    context = create_ssl_context(
        cafile=login["cafile"], certfile=login.get("certfile"), keyfile=login.get("keyfile")
    )
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap, ssl_context=context, **_kafka_python_sasl(login))
    try:
        await admin.start()
        return sorted(await admin.list_topics())
    finally:
        await admin.close()


LIBRARIES: dict[str, Callable[[str, Login], list[str]]] = {
    "confluent-kafka": confluent_kafka,
    "kafka-python": kafka_python,
    "kafka-python-ng": kafka_python,
    "aiokafka": aiokafka,
}


def main() -> None:
    library, bootstrap, logins = sys.argv[1:]
    for login in json.loads(logins):
        try:
            told: dict[str, Any] = {"topics": LIBRARIES[library](bootstrap, login)}
        except Exception as error:  # noqa: BLE001 it is what the test wants to see
            told = {"error": type(error).__name__}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
