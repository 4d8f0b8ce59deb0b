"""DescribeClientQuotas and AlterClientQuotas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tests.conformance.case import Fields, Talk, case

USER: Final = "user"
CLIENT: Final = "client-id"
IP: Final = "ip"
EXACT, DEFAULT, ANY = range(3)
BYTES: Final = "producer_byte_rate"
PERCENTAGE: Final = "request_percentage"
DEFAULT_NAME: Final = None

Entity = Mapping[str, str | None] | Iterable[tuple[str, str | None]]
Request = tuple[str, int, Fields]


def _named(entity: Entity) -> list[Fields]:
    pairs = entity.items() if isinstance(entity, Mapping) else entity
    return [{"EntityType": kind, "EntityName": name} for kind, name in pairs]


def alter(
    *entries: tuple[Entity, Iterable[tuple[str, float | None]]], version: int = 1, validate_only: bool = False
) -> Request:
    """Build an AlterClientQuotas. entries: (entity, [(key, value)]). A value of None removes the quota."""
    built = [
        {
            "Entity": _named(entity),
            "Ops": [
                {"Key": key, "Value": 0.0 if value is None else float(value), "Remove": value is None}
                for key, value in changes
            ],
        }
        for entity, changes in entries
    ]
    return "AlterClientQuotas", version, {"Entries": built, "ValidateOnly": validate_only}


def describe(*filters: tuple[str, int, str | None], strict: bool = False, version: int = 1) -> Request:
    """Build a DescribeClientQuotas. filters: (entity type, match type, name)."""
    components = [{"EntityType": kind, "MatchType": match, "Match": name} for kind, match, name in filters]
    return "DescribeClientQuotas", version, {"Components": components, "Strict": strict}


def sorted_entries(response: Fields) -> Any:
    """keep=: entries and their parts in order, as Kafka's order is that of hash maps."""
    entries = [
        {
            **{key: value for key, value in entry.items() if key not in ("Entity", "Values")},
            "Entity": sorted(entry["Entity"], key=lambda part: part["EntityType"]),
            **({"Values": sorted(entry["Values"], key=lambda v: v["Key"])} if "Values" in entry else {}),
        }
        for entry in response["Entries"] or ()
    ]
    entries.sort(key=repr)
    return {**response, "Entries": response["Entries"] and entries}


OF_THEIR_OWN: Final = {"quota.window.num": "12"}  # cases about default entities, which all cases share
FIVE: Final = [(BYTES, 5)]
LONG_KEYS: Final = ("producer_byte_rate", "consumer_byte_rate")
KEYS: Final = (*LONG_KEYS, PERCENTAGE, "controller_mutation_rate", "connection_creation_rate")
NAN: Final = float("nan")
INFINITE: Final = float("inf")


def _until(k: Talk, expected: int, *filters: tuple[str, int, str | None], strict: bool = False) -> None:
    """Wait until so many quotas match: Kafka's broker learns of a change with a delay."""
    k.until(
        lambda: k.do(*describe(*filters, strict=strict)),
        lambda told: sum(len(entry["Values"]) for entry in told["Entries"]) == expected,
    )


def _asks(k: Talk, *filters: tuple[str, int, str | None], strict: bool = False, version: int = 1) -> None:
    k.ask(*describe(*filters, strict=strict, version=version), keep=sorted_entries)


def _alters(k: Talk, *entries: Any, version: int = 1, validate_only: bool = False) -> None:
    k.ask(*alter(*entries, version=version, validate_only=validate_only), keep=sorted_entries)


@case(versions=range(2))
def quotas_of_a_user_and_a_client(k: Talk, version: int) -> None:
    user, client = k.name("user"), k.name("client")
    _alters(k, ({USER: user}, [(key, 10) for key in KEYS[:4]]), version=version)
    _alters(k, ({USER: user, CLIENT: client}, FIVE), ({CLIENT: client}, FIVE), version=version)
    _until(k, 5, (USER, EXACT, user))
    _until(k, 2, (CLIENT, EXACT, client))
    for strict in (False, True):
        _asks(k, (USER, EXACT, user), strict=strict, version=version)
        _asks(k, (CLIENT, EXACT, client), strict=strict, version=version)
        _asks(k, (CLIENT, EXACT, client), (USER, EXACT, user), strict=strict, version=version)
        _asks(k, (USER, ANY, None), (CLIENT, EXACT, client), strict=strict, version=version)
        _asks(k, (USER, DEFAULT, None), (CLIENT, EXACT, client), strict=strict, version=version)
    _alters(k, ({USER: user}, [(BYTES, None), ("bogus", None), (PERCENTAGE, 20.5)]), version=version)
    _until(k, 4, (USER, EXACT, user))
    _asks(k, (USER, EXACT, user), version=version)
    _alters(k, ({USER: user}, [(key, None) for key in KEYS]), version=version)
    _until(k, 1, (USER, EXACT, user))


@case(settings=OF_THEIR_OWN)
def quotas_of_default_entities(k: Talk) -> None:
    user, client, address = k.name("user"), k.name("client"), "10.0.0.9"
    users, clients = (user, DEFAULT_NAME), (client, DEFAULT_NAME)
    entities: list[Entity] = [{USER: name} for name in users]
    entities += [{CLIENT: name} for name in clients]
    entities += [{USER: name, CLIENT: other} for name in users for other in clients]
    for entity in entities:
        _alters(k, (entity, FIVE))
    for name in (address, DEFAULT_NAME):
        _alters(k, ({IP: name}, [("connection_creation_rate", 3)]))
    _until(k, 10)
    for strict in (False, True):
        _asks(k, strict=strict)
        for kind, name in ((USER, user), (CLIENT, client), (IP, address)):
            for match in ((EXACT, name), (DEFAULT, None), (ANY, None)):
                _asks(k, (kind, *match), strict=strict)
        for match in ((EXACT, user), (DEFAULT, None), (ANY, None)):
            for other in ((EXACT, client), (DEFAULT, None), (ANY, None)):
                _asks(k, (USER, *match), (CLIENT, *other), strict=strict)


@case
def quotas_of_entities_that_cannot_be(k: Talk) -> None:
    user = k.name("user")
    wrong: list[Entity] = [
        {},
        {"bogus": "a"},
        {"": "a"},
        {"USER": "a"},
        {USER: ""},
        {CLIENT: ""},
        {IP: ""},
        {USER: user, CLIENT: ""},
        {USER: "", "bogus": "x"},
        {USER: user, "bogus": "x"},
        {USER: user, "bogus": ""},
        {USER: user, IP: "1.2.3.4"},
        {CLIENT: user, IP: None},
        {USER: user, CLIENT: user, IP: "1.2.3.4"},
        {USER: user, IP: "nowhere.invalid"},
        {IP: "nowhere.invalid"},
        {IP: "1.2.3.400"},
        {IP: "1.2.3.4.5"},
        {IP: "1.256.1"},
        {IP: "-1.2.3.4"},
        {IP: "::g"},
    ]
    for entity in wrong:
        _alters(k, (entity, FIVE))
        _alters(k, (entity, [("connection_creation_rate", 3)]), validate_only=True)
    _asks(k, (USER, EXACT, user))


@case
def quotas_of_addresses(k: Talk) -> None:
    for address in ("1.2.3.4", "1.2.3", "1.65535", "3", "::1", "2001:db8::1", "localhost", "0.0.0.0", None):
        _alters(k, ({IP: address}, [("connection_creation_rate", 3)]), validate_only=True)
        _alters(k, ({IP: address}, FIVE), validate_only=True)


@case
def quotas_of_every_key_and_value(k: Talk) -> None:
    wrong = (0, -0.0, -1, 0.5, 9.999999, 1e300, INFINITE)
    odd = (1.0000001, 9.9999995, 1e-320, 5e-7, 2.0**63, 2.0**53, NAN)
    values = (5, *wrong, *odd, 2.0**31, 2.0**31 - 1, None)
    for kind, name in ((USER, k.name("user")), (CLIENT, k.name("client")), (IP, "10.1.1.1")):
        for key in (*KEYS, "bogus", "", "SCRAM-SHA-256"):
            told = {}
            for value in values:
                (entry,) = k.do(*alter(({kind: name}, [(key, value)]), validate_only=True))["Entries"]
                told[str(value)] = entry["ErrorCode"], entry["ErrorMessage"]
            k.keep(f"{kind} {key}", told)


@case
def quotas_of_an_entity_that_is_named_twice(k: Talk) -> None:
    first, second, third = (k.name("user") for _ in range(3))
    _alters(k, ({USER: first}, FIVE), ({USER: first}, [(BYTES, 6)]))
    _alters(k, ({USER: first, CLIENT: "c"}, FIVE), ({CLIENT: "c", USER: first}, [(BYTES, 6)]))
    _until(k, 2, (USER, EXACT, first))
    _asks(k, (USER, EXACT, first))
    _alters(k, ({USER: second}, [(BYTES, 5), (BYTES, 7)]), ({USER: third}, FIVE))
    _alters(k, ({USER: second}, [(BYTES, None), (BYTES, 8)]))
    _until(k, 1, (USER, EXACT, third))
    _asks(k, (USER, EXACT, second))
    _alters(k, ([(USER, "x"), (USER, second)], FIVE))
    _until(k, 1, (USER, EXACT, second))
    _asks(k, (USER, EXACT, second))


@case
def quotas_of_which_one_is_wrong(k: Talk) -> None:
    """Nothing changes for an entity with an error. The other entities of the request change."""
    first, second = k.name("user"), k.name("user")
    _alters(k, ({USER: first}, [(BYTES, 5), ("bogus", 1)]), ({USER: ""}, FIVE), ({USER: second}, FIVE))
    _alters(k, ({USER: first}, [("consumer_byte_rate", 0), ("bogus", 1)]))
    _alters(k, ({USER: first}, [("bogus", 1), ("consumer_byte_rate", 0)]))
    _until(k, 1, (USER, EXACT, second))
    _asks(k, (USER, EXACT, first))


@case
def quotas_that_are_only_validated(k: Talk) -> None:
    user = k.name("user")
    _alters(k, ({USER: user}, FIVE), validate_only=True)
    _alters(k, ({USER: user}, [("bogus", 1)]), validate_only=True)
    _asks(k, (USER, EXACT, user))


@case(versions=range(2))
def quotas_of_nothing(k: Talk, version: int) -> None:
    _alters(k, version=version)
    _alters(k, ({USER: k.name("user")}, []), version=version)
    _asks(k, strict=True, version=version)


@case
def quotas_of_names_with_odd_characters(k: Talk) -> None:
    for name in ("a b", "a/b", "\u00fc", "%41", "*", "<default>", "a=b,c"):
        user = k.name("user") + name
        _alters(k, ({USER: user}, FIVE))
        _until(k, 1, (USER, EXACT, user))
        _asks(k, (USER, EXACT, user))


@case(versions=range(2))
def quota_filters_that_cannot_be(k: Talk, version: int) -> None:
    for filters in (
        [(USER, 3, None)],
        [(USER, -1, None)],
        [("bogus", EXACT, "x")],
        [("bogus", 7, None)],
        [("", EXACT, "x")],
        [("", 7, "x")],
        [(USER, EXACT, None)],
        [(USER, DEFAULT, "x")],
        [(USER, ANY, "x")],
        [(USER, DEFAULT, "")],
        [("bogus", DEFAULT, "x")],
        [(USER, EXACT, "a"), (USER, EXACT, "b")],
        [(USER, EXACT, "a"), (USER, 7, None)],
        [("bogus", EXACT, "a"), ("bogus", EXACT, "a")],
        [("bogus", EXACT, "a"), (USER, 7, None)],
        [(USER, ANY, None), ("bogus", DEFAULT, None)],
        [(USER, ANY, None), (IP, ANY, None)],
        [(IP, ANY, None), (CLIENT, EXACT, "a")],
        [(IP, ANY, None), (CLIENT, EXACT, "a"), ("bogus", EXACT, "a")],
    ):
        _asks(k, *filters, version=version)


@case
def quota_filters_that_match_nothing(k: Talk) -> None:
    for strict in (False, True):
        for kind in (USER, CLIENT, IP):
            _asks(k, (kind, EXACT, k.name("nobody")), strict=strict)
            _asks(k, (kind, EXACT, ""), strict=strict)
