"""Changes of client quotas: the checks, and the records. Kafka: `ClientQuotaControlManager`.

An entity is a user, a client id, both together, or an address. A name of None is the default: all entities of
the type that have no quota of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from math import isfinite, isnan
from typing import Final

from tidemark.core.decision import Record, Steps
from tidemark.core.java import sized_map_order
from tidemark.metadata.state import Cluster
from tidemark.settings.release import Change
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.client_quota_record import ClientQuotaRecord, EntityData

USER: Final = "user"
CLIENT_ID: Final = "client-id"
IP: Final = "ip"
ENTITY_TYPES: Final = (USER, CLIENT_ID, IP)

PRODUCER_BYTE_RATE: Final = "producer_byte_rate"
CONSUMER_BYTE_RATE: Final = "consumer_byte_rate"
REQUEST_PERCENTAGE: Final = "request_percentage"
CONTROLLER_MUTATION_RATE: Final = "controller_mutation_rate"
CONNECTION_CREATION_RATE: Final = "connection_creation_rate"

# The quotas of an entity, with the largest value of those that are whole numbers, and its name in Java.
_LONG: Final = (2.0**63, "a LONG")
_INT: Final = (2.0**31 - 1, "an INT")
_CLIENT_KEYS: Final[dict[str, tuple[float, str] | None]] = {
    PRODUCER_BYTE_RATE: _LONG,
    CONSUMER_BYTE_RATE: _LONG,
    REQUEST_PERCENTAGE: None,
    CONTROLLER_MUTATION_RATE: None,
}
_IP_KEYS: Final[dict[str, tuple[float, str] | None]] = {CONNECTION_CREATION_RATE: _INT}
_EPSILON: Final = 1e-6
_IPV4_PARTS_MAX: Final = 4
_IPV4_CHARS_MAX: Final = 15  # a longer text is no IPv4 address for Java, even if it begins with zeros

Entity = Mapping[str, str | None]
EntityKey = tuple[tuple[str, str | None], ...]


def check_quotas(
    cluster: Cluster, entity: Entity, changes: Mapping[str, float | None]
) -> Steps[dict[str, float | None]]:
    """Return the changes of quotas that such an entity can have, in Kafka's order.

    A generator: it yields after each part of the entity and each change, of which there may be any number.
    Raises KafkaError for an invalid entity, and for the first invalid quota.
    """
    yield from _check_entity(entity)
    keys = _IP_KEYS if IP in entity else _CLIENT_KEYS
    checked: dict[str, float | None] = {}
    for key in (yield from sized_map_order(changes)):
        yield 0
        value = changes[key]
        if value is not None:
            _check_value(cluster, keys, key, value)
        if key in keys:
            checked[key] = value
    return checked


def quota_records(
    cluster: Cluster, entity: Entity, changes: Mapping[str, float | None]
) -> tuple[Record, ...]:
    """Return the records of checked changes. A value of None removes a quota."""
    known: EntityKey = tuple(sorted(entity.items(), key=lambda part: part[0]))
    parts = [EntityData(kind, name) for kind, name in entity.items()]
    records: list[Record] = []
    for key, value in changes.items():
        current = cluster.quotas.get((known, key))
        if value is None:
            if current is not None:
                records.append(Record(None, ClientQuotaRecord(parts, key, 0.0, True)))
        elif current is None or not (current.value == value or (isnan(current.value) and isnan(value))):
            records.append(Record(None, ClientQuotaRecord(parts, key, value, False)))
    return tuple(records)


def duplicate(entity: Entity) -> Steps[KafkaError]:
    """Return Kafka's error for an entity, or a quota of it, that a request names twice."""
    names: list[str] = []
    for kind in (yield from sized_map_order(entity)):
        name = entity[kind]
        names.append(f"{kind}={'null' if name is None else name}")
        yield 0
    text = f"Ignoring duplicate entity ClientQuotaEntity(entries={{{', '.join(names)}}})"
    return KafkaError(ErrorCode.INVALID_REQUEST, text)


def _check_entity(entity: Entity) -> Steps[None]:
    if not entity:
        raise _invalid("Invalid empty client quota entity")
    for kind in (yield from sized_map_order(entity)):
        if kind not in ENTITY_TYPES:
            raise _invalid(f"Unhandled client quota entity type: {kind}")
        if entity[kind] == "":
            raise _invalid(f"Empty {kind} not supported")
    if IP not in entity:
        return
    if len(entity) > 1:
        raise _invalid(
            "Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId"
        )
    address = entity[IP]
    if address is not None and not is_address(address):
        raise _invalid(f"{address} is not a valid IP or resolvable host.")


def is_address(text: str) -> bool:
    """Return whether this is an IP address. Kafka accepts hosts that it can resolve; here, only localhost.

    As in Java, an IPv4 address may have fewer parts: the last one then has the remaining bytes.
    """
    if text == "localhost":
        return True
    parts = text.split(".")
    short = len(text) <= _IPV4_CHARS_MAX and len(parts) <= _IPV4_PARTS_MAX
    if short and all(part.isascii() and part.isdigit() for part in parts):
        *first, last = map(int, parts)
        return all(part <= 0xFF for part in first) and last < 1 << 8 * (_IPV4_PARTS_MAX - len(first))
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _check_value(
    cluster: Cluster, keys: Mapping[str, tuple[float, str] | None], key: str, value: float
) -> None:
    if key not in keys:
        raise _invalid(f"Invalid configuration key {key}")
    if not isfinite(value) and cluster.settings.release.has(Change.TEXTS_OF_CONFIGS):
        raise _invalid(f"Quota {key} must be a finite number")
    if value <= 0:
        raise _invalid(f"Quota {key} must be greater than 0")
    whole = keys[key]
    if whole is None or isnan(value):
        return
    largest, java_type = whole
    if value > largest:
        raise _invalid(f"Proposed value for {key} is too large for {java_type}.")
    if value - int(value) > _EPSILON:
        raise _invalid(f"{key} cannot be a fractional value.")


def _invalid(text: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REQUEST, text)


class Filter:
    """Selects entities by one component for each of some entity types. Kafka: `ClientQuotaCache`.

    strict: only entities without other types
    """

    def __init__(self, components: Iterable[tuple[str, int, str | None]], *, strict: bool) -> None:
        """components: (entity type, match type, name). Raises KafkaError for the first invalid one."""
        self._strict = strict
        self._wanted: dict[str, tuple[int, str | None]] = {}
        for kind, match, name in components:
            if kind in self._wanted:
                raise _invalid(f"Entity type {kind} cannot appear more than once in the filter.")
            if not kind:
                raise _invalid("Invalid empty entity type.")
            if kind not in ENTITY_TYPES:
                raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"Unsupported entity type {kind}")
            _check_match(match, name)
            self._wanted[kind] = match, name
        if IP in self._wanted and len(self._wanted) > 1:
            raise _invalid(
                "Invalid entity filter component combination. IP filter component should not be used with "
                "user or clientId filter component."
            )

    def selects(self, entity: EntityKey) -> bool:
        if self._strict and len(entity) != len(self._wanted):
            return False
        names = dict(entity)
        for kind, (match, name) in self._wanted.items():
            if kind not in names:
                return False
            if match == EXACT and names[kind] != name:
                return False
            if match == DEFAULT and names[kind] is not None:
                return False
        # As in Kafka, no component selects no entity if it is strict.
        return bool(self._wanted) or not self._strict


EXACT: Final = 0
DEFAULT: Final = 1
ANY_NAME: Final = 2


def _check_match(match: int, name: str | None) -> None:
    if match not in (EXACT, DEFAULT, ANY_NAME):
        raise _invalid(f"Unknown match type {match}")
    if match == EXACT and name is None:
        raise _invalid("Request specified MATCH_TYPE_EXACT, but set match string to null.")
    if match != EXACT and name is not None:
        word = "DEFAULT" if match == DEFAULT else "SPECIFIED"
        raise _invalid(f"Request specified MATCH_TYPE_{word}, but also specified a match string.")
