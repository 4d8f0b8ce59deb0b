"""The definition of a fault: its fields, and the strict reader of its JSON or YAML form.

Field names are the same in JSON, YAML and Python. A fault has filters, which choose requests, exactly one
action, and bounds, which end it. OpenAPI (tidemark_http) reads the fields here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, NoReturn, TypedDict, get_args

from tidemark.settings.setting import closest
from tidemark_protocol.apis import APIS
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.names import ApiName, ErrorName

MS_MAX: Final = 2**53
DISK_DELAY_MS_MAX: Final = 60_000  # of all operations that one response or sync waits for, too
COUNT_MAX: Final = 2**31 - 1
BYTES_MAX: Final = 2**31 - 1
SHOWN_MAX: Final = 80  # characters of a wrong value that a message repeats
PARTITION_MAX: Final = 2**31 - 1

Level = Literal["top", "group", "topic", "partition"]
When = Literal["before", "after"]
DiskOperation = Literal["write", "sync"]
DiskError = Literal["EIO", "ENOSPC", "EROFS"]

LEVELS: Final = get_args(Level)
CHOOSING: Final = ("nth", "every", "probability")  # filters that count; a fault has at most one of them


class InvalidFault(ValueError):
    """A field of a fault is wrong. The message is one line; field names the field.

    code: invalid_value, unknown_field or missing_field
    """

    def __init__(self, field: str, message: str, code: str = "invalid_value") -> None:
        super().__init__(message)
        self.field = field
        self.code = code


@dataclass(slots=True, frozen=True)
class Values:
    """The values that a field accepts.

    read    returns the value of a JSON value; raises InvalidFault
    schema  the JSON schema
    show    the JSON value of a value
    """

    read: Callable[[str, Any], Any]
    schema: Mapping[str, Any]
    show: Callable[[Any], Any] = lambda value: value


@dataclass(slots=True, frozen=True)
class FaultField:
    """A field of a fault.

    role    filter, action, option or bound
    needs   of a filter: another filter, without which it makes no sense
    of      of an option: the actions or filters with which it is valid
    filters of an action: the filters that are valid with it; None: all
    """

    values: Values
    description: str
    role: str
    needs: str | None = None
    of: tuple[str, ...] = ()
    filters: tuple[str, ...] | None = None


def _wrong(name: str, wanted: str, value: object, known: Iterable[str] = ()) -> NoReturn:
    raise InvalidFault(name, f"{name} must be {wanted}, got {_shown(value)}{closest(str(value), known)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


def _text(name: str, value: Any) -> str:
    return value if isinstance(value, str) else _wrong(name, "a text", value)


def _flag(name: str, value: Any) -> bool:
    return value if isinstance(value, bool) else _wrong(name, "true or false", value)


def _api(name: str, value: Any) -> str:
    if not isinstance(value, str) or value not in APIS:
        _wrong(name, "the name of an API of Kafka", value, APIS)
    return value


def _versions(name: str, value: Any) -> tuple[int, int]:
    """Read 3, "3" or "0-3"."""
    low, dash, high = str(value).partition("-")
    ends = (low, high if dash else low)
    if isinstance(value, bool) or not all(end.isascii() and end.isdigit() and len(end) < 5 for end in ends):
        _wrong(name, 'a version or a range of them, such as 3 or "0-3"', value)
    first, last = int(ends[0]), int(ends[1])
    if first > last:
        _wrong(name, "a range from the lower to the higher version", value)
    return first, last


def _versions_text(versions: tuple[int, int]) -> str:
    first, last = versions
    return str(first) if first == last else f"{first}-{last}"


def _probability(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        _wrong(name, "a number from 0 to 1", value)
    return float(value)


def _error(name: str, value: Any) -> ErrorCode:
    """Read Kafka's name of an error, or its code."""
    if isinstance(value, str) and value in ErrorCode.__members__ and value != "NONE":
        return ErrorCode[value]
    if type(value) is int and value != 0 and value in ErrorCode._value2member_map_:
        return ErrorCode(value)
    _wrong(name, "the name or code of an error of Kafka", value, ErrorCode.__members__)


def _whole(low: int, high: int) -> Values:
    def read(name: str, value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            _wrong(name, f"a whole number from {low} to {high}", value)
        return value

    return Values(read, {"type": "integer", "minimum": low, "maximum": high})


def _choice(choices: tuple[str, ...]) -> Values:
    def read(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            _wrong(name, " or ".join(choices), value)
        return value

    return Values(read, {"type": "string", "enum": list(choices)})


TEXT: Final = Values(_text, {"type": "string"})
FLAG: Final = Values(_flag, {"type": "boolean"})
COUNT: Final = _whole(1, COUNT_MAX)
API: Final = Values(_api, {"type": "string", "enum": sorted(APIS)})
ERROR: Final = Values(
    _error,
    {
        "anyOf": [
            {"type": "string", "enum": sorted(name for name in ErrorCode.__members__ if name != "NONE")},
            {"type": "integer"},
        ]
    },
    lambda error: error.name,
)


def _define(default: object, about: FaultField) -> Any:
    return field(default=default, metadata={"about": about})


def _filter(values: Values, description: str, *, needs: str | None = None) -> Any:
    return _define(None, FaultField(values, description, "filter", needs=needs))


def _action(values: Values, description: str, *, filters: tuple[str, ...] | None = None) -> Any:
    return _define(
        False if values is FLAG else None, FaultField(values, description, "action", filters=filters)
    )


def _option(values: Values, description: str, *of: str, default: object = None) -> Any:
    return _define(default, FaultField(values, description, "option", of=of))


def _bound(values: Values, description: str) -> Any:
    return _define(None, FaultField(values, description, "bound"))


@dataclass(slots=True, frozen=True)
class Fault:
    """One fault. None and False: not set. A request must pass all filters."""

    api: str | None = _filter(API, "Kafka's name of an API")
    versions: tuple[int, int] | None = _filter(
        Values(_versions, {"type": ["integer", "string"]}, _versions_text),
        "a version of the API, or a range such as 0-3",
        needs="api",
    )
    client_id: str | None = _filter(TEXT, "the client id of the request")
    principal: str | None = _filter(TEXT, "the principal of the connection, such as User:ANONYMOUS")
    group: str | None = _filter(TEXT, "the name of a group")
    transactional_id: str | None = _filter(TEXT, "a transactional id")
    topic: str | None = _filter(TEXT, "the name of a topic")
    partition: int | None = _filter(_whole(0, PARTITION_MAX), "the number of a partition", needs="topic")
    connection: int | None = _filter(
        _whole(1, MS_MAX), "the number of a connection, as the journal of requests shows it"
    )
    node_id: int | None = _filter(_whole(0, PARTITION_MAX), "the id of the broker that receives the request")
    nth: int | None = _filter(COUNT, "only the nth request that passes the filters, from 1")
    every: int | None = _filter(COUNT, "every nth request that passes the filters")
    probability: float | None = _filter(
        Values(_probability, {"type": "number", "minimum": 0, "maximum": 1}),
        "the share of the requests that pass the filters, from 0 to 1",
    )
    seed: int = _option(
        _whole(0, MS_MAX), "decides which requests a probability chooses", "probability", default=0
    )

    error: ErrorCode | None = _action(  # noqa: RUF009  it returns a field()
        ERROR,
        "an error of Kafka, by name; for a fault, by code too: the response has it, and the broker does not "
        "decide the request",
    )
    level: str | None = _option(_choice(LEVELS), "where the error is", "error")
    delay_ms: int | None = _action(
        _whole(1, MS_MAX),
        "wait so many milliseconds of the host's clock; with disk, of its operation",
    )
    when: str = _option(
        _choice(get_args(When)),
        "before or after the decision",
        "delay_ms",
        "close",
        "block",
        default="before",
    )
    drop: bool = _action(FLAG, "decide the request, and never respond")
    close: bool = _action(FLAG, "close the connection")
    throttle_ms: int | None = _action(
        COUNT, "the ThrottleTimeMs of the response; the connection is muted for so many milliseconds"
    )
    truncate_bytes: int | None = _action(
        _whole(0, BYTES_MAX), "send so many bytes of the response, then close the connection"
    )
    duplicate: bool = _action(FLAG, "send the response twice")
    block: bool = _action(FLAG, "wait until the fault is released")
    disk: str | None = _action(
        _choice(get_args(DiskOperation)), "an operation of the disk that fails or is slow", filters=CHOOSING
    )
    errno: str | None = _option(_choice(get_args(DiskError)), "the error of the disk", "disk")
    pause: bool = _action(
        FLAG, "decide no request and send no response while the fault lasts", filters=("node_id",)
    )
    refuse_connections: bool = _action(FLAG, "close new connections at once", filters=(*CHOOSING, "node_id"))
    coordinator_away: bool = _action(
        FLAG,
        "the coordinator moves away, and comes back: NOT_COORDINATOR, then COORDINATOR_LOAD_IN_PROGRESS",
        filters=("client_id", "principal", "group", "transactional_id", "connection", "node_id"),
    )
    loading_ms: int = _option(
        _whole(0, MS_MAX),
        "how many milliseconds the coordinator loads when it is back",
        "coordinator_away",
        default=0,
    )

    times: int | None = _bound(COUNT, "the fault ends after so many matches")
    for_ms: int | None = _bound(
        _whole(1, MS_MAX), "the fault ends after so many milliseconds of the node's steady clock"
    )

    @property
    def action(self) -> str:
        """The name of the field that says what the fault does."""
        return _actions(self)[0]


class FaultFields(TypedDict, total=False):
    """The JSON form: what a test passes to `Faults.add`. None: not given."""

    api: ApiName | None
    versions: str | int | None
    client_id: str | None
    principal: str | None
    group: str | None
    transactional_id: str | None
    topic: str | None
    partition: int | None
    connection: int | None
    node_id: int | None
    nth: int | None
    every: int | None
    probability: float | None
    seed: int | None
    error: ErrorName | int | None
    level: Level | None
    delay_ms: int | None
    when: When | None
    drop: bool | None
    close: bool | None
    throttle_ms: int | None
    truncate_bytes: int | None
    duplicate: bool | None
    block: bool | None
    disk: DiskOperation | None
    errno: DiskError | None
    pause: bool | None
    refuse_connections: bool | None
    coordinator_away: bool | None
    loading_ms: int | None
    once: bool | None
    times: int | None
    for_ms: int | None


# Each field by name. `once` is another way to write times=1.
FIELDS: Final[dict[str, FaultField]] = {
    **{each.name: each.metadata["about"] for each in fields(Fault)},
    "once": FaultField(FLAG, "the fault ends after one match", "bound"),
}
ACTIONS: Final = tuple(name for name, about in FIELDS.items() if about.role == "action")


def read_fault(values: object) -> Fault:
    """Return the fault in a JSON object. Raises InvalidFault."""
    if not isinstance(values, Mapping):
        raise InvalidFault("", f"a fault must be an object with fields, not {_shown(values)}")
    given: dict[str, Any] = {}
    for name, value in values.items():
        if name not in FIELDS:
            hint = closest(str(name), FIELDS) or f": valid are {', '.join(FIELDS)}"
            raise InvalidFault(str(name), f"unknown field {_shown(name)}{hint}", "unknown_field")
        if value is not None:
            given[name] = FIELDS[name].values.read(name, value)
    if given.pop("once", False):
        given["times"] = 1
    fault = Fault(**given)
    _check(fault, given)
    return fault


def unknown_node(node_id: int, known: Iterable[int]) -> str:
    """Return the message for the id of a broker that does not exist."""
    return f"there is no broker {node_id}: the brokers are {', '.join(map(str, known))}"


def to_json(fault: Fault) -> dict[str, Any]:
    """Return the fields that are set, in the form that `read_fault` reads."""
    return {
        each.name: FIELDS[each.name].values.show(value)
        for each in fields(fault)
        if (value := getattr(fault, each.name)) != each.default
    }


def _actions(fault: Fault) -> list[str]:
    """Return the actions that are set. The delay of a disk belongs to `disk`."""
    values = [(name, getattr(fault, name)) for name in ACTIONS]
    found = [name for name, value in values if value is not None and value is not False]
    if fault.disk is not None:
        return ["disk", *(name for name in found if name not in ("disk", "delay_ms"))]
    return found


def _check(fault: Fault, given: Mapping[str, Any]) -> None:
    """Raise InvalidFault if the fields do not fit together. given: those that are set."""
    actions = _actions(fault)
    if not actions:
        raise InvalidFault("error", f"a fault needs one of {', '.join(ACTIONS)}", "missing_field")
    action = actions[0]
    if len(actions) > 1:
        raise InvalidFault(
            actions[1], f"{actions[1]} cannot be combined with {action}: add two faults instead"
        )
    allowed = FIELDS[action].filters
    filters = [name for name in FIELDS if name in given and FIELDS[name].role == "filter"]
    for name in given:
        about = FIELDS[name]
        if about.of and not {action, *filters}.intersection(about.of):
            raise InvalidFault(name, f"{name} is valid with {', '.join(about.of)} only")
    for name in filters:
        if allowed is not None and name not in allowed:
            raise InvalidFault(name, f"{name} is not valid with {action}")
    if "times" in given and action == "pause":
        raise InvalidFault("times", "times is not valid with pause: use for_ms, or remove the fault")
    chosen = [name for name in CHOOSING if name in given]
    if len(chosen) > 1:
        raise InvalidFault(chosen[1], f"{chosen[1]} cannot be combined with {chosen[0]}")
    for name in filters:
        needs = FIELDS[name].needs
        if needs is not None and needs not in given:
            raise InvalidFault(name, f"{name} needs {needs}")
    if fault.coordinator_away and fault.group is not None and fault.transactional_id is not None:
        raise InvalidFault(
            "transactional_id", "coordinator_away accepts either group or transactional_id: add two faults"
        )
    if action == "disk" and (fault.errno is None) == (fault.delay_ms is None):
        raise InvalidFault("errno", "a fault of the disk needs either errno or delay_ms")
    if action == "disk" and fault.delay_ms is not None and fault.delay_ms > DISK_DELAY_MS_MAX:
        _wrong("delay_ms", f"a whole number from 1 to {DISK_DELAY_MS_MAX} with disk", fault.delay_ms)
