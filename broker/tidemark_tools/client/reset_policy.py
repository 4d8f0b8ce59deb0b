"""The policy for partitions without a position. Pure: both consumers of this package call it.

`auto.offset.reset` decides, refined by KIP-1327. Its draft lets a consumer on latest read young partitions
from the beginning: `auto.offset.reset.latest.max.age`. The accepted text has a policy of its own for the
partitions that the group coordinator calls new: `auto.offset.reset.new.partitions`.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from tidemark_tools.client.client import EARLIEST, LATEST
from tidemark_tools.client.errors import ConfigError

AGE_OFF: Final = -1
AGE_UNKNOWN: Final = -1
RESET: Final = "auto.offset.reset"
MAX_AGE: Final = "auto.offset.reset.latest.max.age"
NEW_PARTITIONS: Final = "auto.offset.reset.new.partitions"
PROTOCOL: Final = "group.protocol"
CONSUMER_PROTOCOL: Final = "consumer"

_LONG_MAX: Final = 2**63 - 1
_NAMES: Final = {"earliest": EARLIEST, "latest": LATEST, "none": None}
_BY_DURATION: Final = "by_duration:"
# As java.time.Duration.parse reads it.
_NUMBER: Final = "([-+]?[0-9]+)"
_DURATION: Final = re.compile(
    f"([-+]?)P(?=[-+0-9T])(?:{_NUMBER}D)?"
    f"(?:T(?=[-+0-9])(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}(?:[.,]([0-9]{{0,9}}))?S)?)?",
    re.IGNORECASE,
)


class ByDuration(NamedTuple):
    """Start with the first record that is not older than this."""

    ms: int


Start = int | ByDuration  # EARLIEST, LATEST or a duration


class Reason(enum.Enum):
    """Why a partition has no position."""

    NO_COMMITTED_OFFSET = enum.auto()
    OUT_OF_RANGE = enum.auto()


class ResetPolicy(NamedTuple):
    """The consumer's settings: base is auto.offset.reset, None for `none`.

    latest_max_age_ms: AGE_OFF, or the age up to which a partition is young. new_partitions: None if unset.
    """

    base: Start | None
    latest_max_age_ms: int = AGE_OFF
    new_partitions: Start | None = None

    @property
    def needs_ages(self) -> bool:
        """Whether the age of a partition matters. The setting is ignored unless the base is latest."""
        return self.base == LATEST and self.latest_max_age_ms != AGE_OFF


def start_of(
    policy: ResetPolicy, reason: Reason, age_ms: int = AGE_UNKNOWN, *, is_new: bool = False
) -> Start | None:
    """Return where to start; None is an error for the application. is_new: the group coordinator says so."""
    if reason is Reason.OUT_OF_RANGE:
        return policy.base
    if is_new and policy.new_partitions is not None:
        return policy.new_partitions
    if policy.needs_ages and age_ms != AGE_UNKNOWN and age_ms <= policy.latest_max_age_ms:
        return EARLIEST
    return policy.base


def time_of(start: Start, now_ms: int) -> int:
    """Return the time that ListOffsets finds this start by."""
    return max(0, now_ms - start.ms) if isinstance(start, ByDuration) else start


def reset_policy(settings: Mapping[str, object]) -> ResetPolicy:
    """Return the policy of a consumer with these settings. Missing ones have Kafka's defaults.

    Raises ConfigError, with Kafka's message where Kafka has such a setting.
    """
    new = settings.get(NEW_PARTITIONS)
    policy = ResetPolicy(
        _start(RESET, str(settings.get(RESET, "latest")), allowed="'earliest', 'latest', 'none'"),
        _max_age_ms(settings.get(MAX_AGE)),
        _start(NEW_PARTITIONS, str(new), allowed="'earliest', 'latest'") if _is_set(new) else None,
    )
    protocol = str(settings.get(PROTOCOL, "classic"))
    refused = [name for name in (MAX_AGE, NEW_PARTITIONS) if _is_set(settings.get(name))]
    if refused and protocol.lower() != CONSUMER_PROTOCOL:
        raise ConfigError(f"{', '.join(refused)} cannot be set when {PROTOCOL}={protocol.upper()}")
    if policy.latest_max_age_ms != AGE_OFF and policy.new_partitions is not None:
        raise ConfigError(f"{MAX_AGE} and {NEW_PARTITIONS} are two texts of KIP-1327; set only one of them")
    return policy


def _is_set(value: object) -> bool:
    """As in Kafka, a blank value counts as none."""
    return value is not None and bool(str(value).strip())


def _max_age_ms(value: object) -> int:
    if not _is_set(value):
        return AGE_OFF
    text = str(value).strip()
    if not re.fullmatch("[+-]?[0-9]+", text) or not -_LONG_MAX - 1 <= int(text) <= _LONG_MAX:
        raise ConfigError(f"Invalid value {value} for configuration {MAX_AGE}: Not a number of type LONG")
    if int(text) < AGE_OFF:
        raise ConfigError(
            f"Invalid value {text} for configuration {MAX_AGE}: Value must be at least {AGE_OFF}"
        )
    return int(text)


def _start(name: str, text: str, *, allowed: str) -> Start | None:
    if f"'{text}'" in allowed:
        return _NAMES[text]
    ms = duration_ms(text.removeprefix(_BY_DURATION)) if text.startswith(_BY_DURATION) else None
    if ms is None or ms < 0:
        raise ConfigError(
            f"Invalid value {text} for configuration {name}: Invalid value `{text}` for configuration "
            f"{name}. The value must be either {allowed} or of the format 'by_duration:<PnDTnHnMn.nS.>'."
        )
    return ByDuration(ms)


def duration_ms(text: str) -> int | None:
    """Return the milliseconds of a duration as java.time.Duration reads it. None: it is none, or too long."""
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:5])
    nanos = int((found[6] or "").ljust(9, "0")) * (-1 if (found[5] or "").startswith("-") else 1)
    total_ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + nanos // 1_000_000
    total_ms = -total_ms if found[1] == "-" else total_ms
    return total_ms if abs(total_ms) <= _LONG_MAX else None
