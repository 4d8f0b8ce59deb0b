"""The model of a fault, and the strict reader of its JSON or YAML form.

Field names are the same in JSON, YAML and Python. A fault has filters, which choose requests, exactly one
action, and bounds, which end it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, NoReturn

from tidemark.settings.setting import closest
from tidemark_protocol.apis import APIS
from tidemark_protocol.errors import ErrorCode

MS_MAX: Final = 2**53
DISK_DELAY_MS_MAX: Final = 60_000  # of all operations that one response or sync waits for, too
COUNT_MAX: Final = 2**31 - 1
BYTES_MAX: Final = 2**31 - 1
SHOWN_MAX: Final = 80  # characters of a wrong value that a message repeats
PARTITION_MAX: Final = 2**31 - 1

LEVELS: Final = ("top", "group", "topic", "partition")
TIMES: Final = ("before", "after")
DISK_OPERATIONS: Final = ("write", "sync")
DISK_ERRORS: Final = ("EIO", "ENOSPC", "EROFS")

FILTERS: Final = (
    "api", "versions", "client_id", "principal", "group", "transactional_id", "topic", "partition",
    "connection", "nth", "every", "probability",
)  # fmt: skip
REQUEST_ACTIONS: Final = (
    "error", "delay_ms", "drop", "close", "throttle_ms", "truncate_bytes", "duplicate", "block",
)  # fmt: skip
BROKER_ACTIONS: Final = ("pause", "refuse_connections", "coordinator_away")
# Each action, and the filters that make no sense for it.
ALLOWED_FILTERS: Final[dict[str, tuple[str, ...]]] = {
    "disk": ("nth", "every", "probability"),
    "pause": (),
    "refuse_connections": ("nth", "every", "probability"),
    "coordinator_away": ("client_id", "principal", "group", "transactional_id", "connection"),
}
HAVE_WHEN: Final = ("delay_ms", "close", "block")
COUNTED: Final = ("error", "coordinator_away", "disk", "refuse_connections", *REQUEST_ACTIONS)


class InvalidFault(ValueError):
    """A field of a fault is wrong. The message is one line; field names the field.

    code: invalid_value, unknown_field or missing_field
    """

    def __init__(self, field: str, message: str, code: str = "invalid_value") -> None:
        super().__init__(message)
        self.field = field
        self.code = code


@dataclass(slots=True, frozen=True)
class Fault:
    """One fault. None and False: not set.

    Filters; a request must pass all of them:
    api           Kafka's name of the API
    versions      the first and last version of the API
    client_id, principal, group, transactional_id
    topic         requests that name this topic; with `partition`, this partition
    connection    the number of a connection, as the journal of requests shows it
    nth, every    of the requests that pass the filters above: only the nth, counted from 1; every nth
    probability   of the requests that pass the filters above: this share, drawn by `seed`

    Actions, one of:
    error         the response has this error code at `level`; the request is not decided
    delay_ms      wait, in milliseconds of the host's clock, `when` before or after the decision
    drop          decide the request, and never respond
    close         close the connection, `when` before or after the decision
    throttle_ms   the response has this ThrottleTimeMs, and the connection is muted for as long
    truncate_bytes  send this many bytes of the response, then close the connection
    duplicate     send the response twice
    block         wait for `release`, `when` before or after the decision
    disk          each write or sync of the data directory fails with `errno`, or needs delay_ms longer
    pause         no request is decided, and no response sent, until the fault ends
    refuse_connections  new connections are closed at once
    coordinator_away    NOT_COORDINATOR, then COORDINATOR_LOAD_IN_PROGRESS for loading_ms, then served

    Bounds; without any, the fault lasts until it is removed:
    times         ends after this many matches
    for_ms        ends after this time, in milliseconds of the node's steady clock
    """

    api: str | None = None
    versions: tuple[int, int] | None = None
    client_id: str | None = None
    principal: str | None = None
    group: str | None = None
    transactional_id: str | None = None
    topic: str | None = None
    partition: int | None = None
    connection: int | None = None
    nth: int | None = None
    every: int | None = None
    probability: float | None = None
    seed: int = 0

    error: ErrorCode | None = None
    level: str | None = None
    delay_ms: int | None = None
    when: str = "before"
    drop: bool = False
    close: bool = False
    throttle_ms: int | None = None
    truncate_bytes: int | None = None
    duplicate: bool = False
    block: bool = False
    disk: str | None = None
    errno: str | None = None
    pause: bool = False
    refuse_connections: bool = False
    coordinator_away: bool = False
    loading_ms: int = 0

    times: int | None = None
    for_ms: int | None = None

    @property
    def action(self) -> str:
        """The name of the field that says what the fault does."""
        return next(iter(_actions(self)))


def read_fault(values: object) -> Fault:
    """Return the fault in a JSON object. Raises InvalidFault."""
    if not isinstance(values, Mapping):
        raise InvalidFault("", f"a fault must be an object with fields, not {_shown(values)}")
    given: dict[str, Any] = {}
    for name, value in values.items():
        if name not in _READERS:
            hint = closest(str(name), _READERS) or f": valid are {', '.join(_READERS)}"
            raise InvalidFault(str(name), f"unknown field {_shown(name)}{hint}", "unknown_field")
        if value is not None:
            given.update(_READERS[name](name, value))
    fault = Fault(**given)
    _check(fault, frozenset(given))
    return fault


def to_json(fault: Fault) -> dict[str, Any]:
    """Return the fields that are set, in the form that `read_fault` reads."""
    shown: dict[str, Any] = {}
    for field in fields(fault):
        value = getattr(fault, field.name)
        if value != field.default:
            if field.name == "error":
                value = value.name
            elif field.name == "versions":
                value = _versions_text(value)
            shown[field.name] = value
    return shown


def _actions(fault: Fault) -> list[str]:
    """Return the actions that are set. The delay and the error of a disk belong to `disk`."""
    if fault.disk is not None:
        others = [name for name in (*REQUEST_ACTIONS, *BROKER_ACTIONS) if name != "delay_ms"]
        return ["disk", *(name for name in others if _is_set(fault, name))]
    return [name for name in (*REQUEST_ACTIONS, *BROKER_ACTIONS) if _is_set(fault, name)]


def _is_set(fault: Fault, name: str) -> bool:
    value = getattr(fault, name)
    return value is not None and value is not False


def _check(fault: Fault, given: frozenset[str]) -> None:
    actions = _actions(fault)
    if len(actions) != 1:
        every = ", ".join((*REQUEST_ACTIONS, "disk", *BROKER_ACTIONS))
        if actions:
            raise InvalidFault(
                actions[1], f"{actions[1]} cannot be combined with {actions[0]}: add two faults instead"
            )
        raise InvalidFault("error", f"a fault needs one of {every}", "missing_field")
    action = actions[0]
    for needed, names in (
        ("error", ("level",)),
        ("disk", ("errno",)),
        ("coordinator_away", ("loading_ms",)),
    ):
        for name in names:
            if name in given and action != needed:
                raise InvalidFault(name, f"{name} is valid with {needed} only")
    if "when" in given and action not in HAVE_WHEN:
        raise InvalidFault("when", f"when is valid with {', '.join(HAVE_WHEN)} only")
    for name in FILTERS:
        if name in given and name not in ALLOWED_FILTERS.get(action, FILTERS):
            raise InvalidFault(name, f"{name} is not valid with {action}")
    if "times" in given and action == "pause":
        raise InvalidFault("times", "times is not valid with pause: use for_ms, or remove the fault")
    _check_filters(fault, given)
    if fault.coordinator_away and fault.group is not None and fault.transactional_id is not None:
        raise InvalidFault(
            "transactional_id", "coordinator_away accepts either group or transactional_id: add two faults"
        )
    if action == "disk" and (fault.errno is None) == (fault.delay_ms is None):
        raise InvalidFault("errno", "a fault of the disk needs either errno or delay_ms")
    if action == "disk" and fault.delay_ms is not None and fault.delay_ms > DISK_DELAY_MS_MAX:
        _wrong("delay_ms", f"a whole number from 1 to {DISK_DELAY_MS_MAX} with disk", fault.delay_ms)


def _check_filters(fault: Fault, given: frozenset[str]) -> None:
    chosen = [name for name in ("nth", "every", "probability") if name in given]
    if len(chosen) > 1:
        raise InvalidFault(chosen[1], f"{chosen[1]} cannot be combined with {chosen[0]}")
    if "seed" in given and fault.probability is None:
        raise InvalidFault("seed", "seed is valid with probability only")
    if fault.partition is not None and fault.topic is None:
        raise InvalidFault("partition", "partition needs topic")
    if fault.versions is not None and fault.api is None:
        raise InvalidFault("versions", "versions needs api")


def _wrong(name: str, wanted: str, value: object, known: Iterable[str] = ()) -> NoReturn:
    raise InvalidFault(name, f"{name} must be {wanted}, got {_shown(value)}{closest(str(value), known)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


_Reader = Callable[[str, Any], dict[str, Any]]


def _text(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, str):
        _wrong(name, "a text", value)
    return {name: value}


def _whole(low: int, high: int) -> _Reader:
    def read(name: str, value: Any) -> dict[str, Any]:
        if type(value) is not int or not low <= value <= high:
            _wrong(name, f"a whole number from {low} to {high}", value)
        return {name: value}

    return read


def _flag(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, bool):
        _wrong(name, "true or false", value)
    return {name: value}


def _choice(*choices: str) -> _Reader:
    def read(name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, str) or value not in choices:
            _wrong(name, " or ".join(choices), value)
        return {name: value}

    return read


def _api(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, str) or value not in APIS:
        _wrong(name, "the name of an API of Kafka", value, APIS)
    return {name: value}


def _versions(name: str, value: Any) -> dict[str, Any]:
    """Read 3, "3" or "0-3"."""
    low, dash, high = str(value).partition("-")
    ends = (low, high if dash else low)
    if isinstance(value, bool) or not all(end.isascii() and end.isdigit() and len(end) < 5 for end in ends):
        _wrong(name, 'a version or a range of them, such as 3 or "0-3"', value)
    first, last = int(ends[0]), int(ends[1])
    if first > last:
        _wrong(name, "a range from the lower to the higher version", value)
    return {name: (first, last)}


def _versions_text(versions: tuple[int, int]) -> str:
    first, last = versions
    return str(first) if first == last else f"{first}-{last}"


def _probability(name: str, value: Any) -> dict[str, Any]:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        _wrong(name, "a number from 0 to 1", value)
    return {name: float(value)}


def _error(name: str, value: Any) -> dict[str, Any]:
    """Read Kafka's name of an error, or its code."""
    if isinstance(value, str) and value in ErrorCode.__members__ and value != "NONE":
        return {name: ErrorCode[value]}
    if type(value) is int and value != 0 and value in ErrorCode._value2member_map_:
        return {name: ErrorCode(value)}
    _wrong(name, "the name or code of an error of Kafka", value, ErrorCode.__members__)


def _once(name: str, value: Any) -> dict[str, Any]:
    return {"times": 1} if _flag(name, value)[name] else {}


_READERS: Final[dict[str, _Reader]] = {
    "api": _api,
    "versions": _versions,
    "client_id": _text,
    "principal": _text,
    "group": _text,
    "transactional_id": _text,
    "topic": _text,
    "partition": _whole(0, PARTITION_MAX),
    "connection": _whole(1, MS_MAX),
    "nth": _whole(1, COUNT_MAX),
    "every": _whole(1, COUNT_MAX),
    "probability": _probability,
    "seed": _whole(0, MS_MAX),
    "error": _error,
    "level": _choice(*LEVELS),
    "delay_ms": _whole(1, MS_MAX),
    "when": _choice(*TIMES),
    "drop": _flag,
    "close": _flag,
    "throttle_ms": _whole(1, COUNT_MAX),
    "truncate_bytes": _whole(0, BYTES_MAX),
    "duplicate": _flag,
    "block": _flag,
    "disk": _choice(*DISK_OPERATIONS),
    "errno": _choice(*DISK_ERRORS),
    "pause": _flag,
    "refuse_connections": _flag,
    "coordinator_away": _flag,
    "loading_ms": _whole(0, MS_MAX),
    "times": _whole(1, COUNT_MAX),
    "once": _once,
    "for_ms": _whole(1, MS_MAX),
}
FIELDS: Final = tuple(_READERS)
