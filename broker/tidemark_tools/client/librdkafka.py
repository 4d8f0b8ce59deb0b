"""The security settings of librdkafka, by the names of Kafka's Java clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tidemark_tools.client.client import read_text
from tidemark_tools.client.errors import ConfigError

ENDPOINT: Final = "ssl.endpoint.identification.algorithm"
VERIFICATION: Final = "enable.ssl.certificate.verification"
SAME: Final[tuple[str, ...]] = (
    "security.protocol",
    "ssl.keystore.location",
    "ssl.keystore.password",
    "ssl.key.password",
)
SYSTEM: Final = "probe"  # the certificates of the system


def kafkas_security(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the security settings of a confluent-kafka client for our `Client`. Raises ConfigError.

    Without TLS and SASL there are none.
    """
    given = {name: str(value) for name, value in settings.items() if value is not None}
    protocol = given.get("security.protocol", "plaintext").upper()
    if protocol == "PLAINTEXT":
        return {}
    found = {name: given[name] for name in SAME if name in given}
    if protocol.endswith("SSL"):
        found |= _tls(given)
    if protocol.startswith("SASL"):
        found |= _sasl(given)
    return found


def _tls(given: Mapping[str, str]) -> dict[str, str]:
    found = {}
    if given.get(VERIFICATION, "true").lower() != "true":
        raise ConfigError(
            f"{VERIFICATION} must be true; set ssl.ca.location to the certificates of your broker"
        )
    algorithm = given.get(ENDPOINT, "https").lower()
    found[ENDPOINT] = "" if algorithm == "none" else algorithm
    location = given.get("ssl.ca.location", SYSTEM)
    trusted = given.get("ssl.ca.pem") or ("" if location == SYSTEM else read_text(location))
    if trusted:
        found |= {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": trusted}
    certificate, key = (_text(given, f"ssl.{name}") for name in ("certificate", "key"))
    if certificate:
        found |= {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.certificate.chain": certificate,
            "ssl.keystore.key": key or certificate,
        }
    elif "ssl.keystore.location" in given:
        found["ssl.keystore.type"] = "PKCS12"
    return found


def _text(given: Mapping[str, str], name: str) -> str:
    """Return the PEM text that is in a setting, or in the file that a setting names."""
    if f"{name}.pem" in given:
        return given[f"{name}.pem"]
    return read_text(given[f"{name}.location"]) if f"{name}.location" in given else ""


def _sasl(given: Mapping[str, str]) -> dict[str, str]:
    mechanism = given.get("sasl.mechanism") or given.get("sasl.mechanisms", "GSSAPI")
    found = {"sasl.mechanism": mechanism}
    if mechanism == "OAUTHBEARER":
        raise ConfigError("sasl.mechanism must be PLAIN or SCRAM, got OAUTHBEARER")
    user, password = given.get("sasl.username"), given.get("sasl.password")
    if user and password:
        options = f"username={_quoted(user)} password={_quoted(password)}"
        found["sasl.jaas.config"] = f"LoginModule required {options};"
    elif mechanism != "GSSAPI":
        raise ConfigError(f"sasl.username and sasl.password must be set for sasl.mechanism={mechanism}")
    return found


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
