"""The start of partitions without a position, by the tables of KIP-1327."""

from __future__ import annotations

from itertools import product

import pytest

from tidemark_tools.client.client import EARLIEST, LATEST
from tidemark_tools.client.errors import ConfigError
from tidemark_tools.client.reset_policy import (
    AGE_OFF,
    AGE_UNKNOWN,
    ByDuration,
    Reason,
    ResetPolicy,
    reset_policy,
    start_of,
    time_of,
)

HOUR = 3_600_000
MAX_AGE = "auto.offset.reset.latest.max.age"
NEW = "auto.offset.reset.new.partitions"
CONSUMER = {"group.protocol": "consumer"}
NOTHING_COMMITTED = Reason.NO_COMMITTED_OFFSET


@pytest.mark.parametrize(
    ("max_age_ms", "age_ms", "start"),
    [
        (HOUR, 0, EARLIEST),
        (HOUR, HOUR - 1, EARLIEST),
        (HOUR, HOUR, EARLIEST),
        (HOUR, HOUR + 1, LATEST),
        (HOUR, AGE_UNKNOWN, LATEST),
        (0, 0, EARLIEST),
        (0, 1, LATEST),
        (0, AGE_UNKNOWN, LATEST),
        (2**63 - 1, 2**63 - 1, EARLIEST),
        (2**63 - 1, AGE_UNKNOWN, LATEST),
        (AGE_OFF, 0, LATEST),
        (AGE_OFF, HOUR, LATEST),
        (AGE_OFF, AGE_UNKNOWN, LATEST),
    ],
)
def test_young_partition_starts_at_earliest_and_any_other_at_latest(
    max_age_ms: int, age_ms: int, start: int
) -> None:
    assert start_of(ResetPolicy(LATEST, max_age_ms), NOTHING_COMMITTED, age_ms) == start


@pytest.mark.parametrize(
    ("max_age_ms", "age_ms"), list(product((AGE_OFF, 0, HOUR, 2**63 - 1), (AGE_UNKNOWN, 0, HOUR, 2**63 - 1)))
)
def test_out_of_range_starts_at_latest_whatever_the_age(max_age_ms: int, age_ms: int) -> None:
    assert start_of(ResetPolicy(LATEST, max_age_ms), Reason.OUT_OF_RANGE, age_ms) == LATEST


@pytest.mark.parametrize(
    ("base", "reason", "age_ms"),
    list(product((EARLIEST, None, ByDuration(5)), Reason, (AGE_UNKNOWN, 0, HOUR, 2 * HOUR))),
)
def test_age_is_ignored_unless_the_base_is_latest(
    base: int | ByDuration | None, reason: Reason, age_ms: int
) -> None:
    policy = ResetPolicy(base, HOUR)
    assert not policy.needs_ages
    assert start_of(policy, reason, age_ms) == base


@pytest.mark.parametrize(("max_age_ms", "needs"), [(AGE_OFF, False), (0, True), (HOUR, True)])
def test_ages_are_needed_only_with_the_setting(max_age_ms: int, needs: bool) -> None:
    assert ResetPolicy(LATEST, max_age_ms).needs_ages is needs


@pytest.mark.parametrize(
    ("base", "new"), list(product((EARLIEST, LATEST, None, ByDuration(5)), (EARLIEST, LATEST, ByDuration(7))))
)
def test_new_partition_starts_by_its_own_policy_and_any_other_by_the_base(
    base: int | ByDuration | None, new: int | ByDuration
) -> None:
    policy = ResetPolicy(base, new_partitions=new)
    assert start_of(policy, NOTHING_COMMITTED, is_new=True) == new
    assert start_of(policy, NOTHING_COMMITTED, is_new=False) == base
    assert start_of(policy, Reason.OUT_OF_RANGE, is_new=True) == base


@pytest.mark.parametrize("base", [EARLIEST, LATEST, None, ByDuration(5)])
def test_new_partition_starts_by_the_base_if_no_other_policy_is_set(base: int | ByDuration | None) -> None:
    assert start_of(ResetPolicy(base), NOTHING_COMMITTED, is_new=True) == base


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        ({}, ResetPolicy(LATEST)),
        ({"auto.offset.reset": "earliest"}, ResetPolicy(EARLIEST)),
        ({"auto.offset.reset": "none"}, ResetPolicy(None)),
        ({"auto.offset.reset": "by_duration:PT1H"}, ResetPolicy(ByDuration(HOUR))),
        ({**CONSUMER, MAX_AGE: "-1"}, ResetPolicy(LATEST)),
        ({**CONSUMER, MAX_AGE: -1}, ResetPolicy(LATEST)),
        ({**CONSUMER, MAX_AGE: 0}, ResetPolicy(LATEST, 0)),
        ({**CONSUMER, MAX_AGE: " 3600000 "}, ResetPolicy(LATEST, HOUR)),
        ({**CONSUMER, MAX_AGE: str(2**63 - 1)}, ResetPolicy(LATEST, 2**63 - 1)),
        ({"group.protocol": "CONSUMER", MAX_AGE: "5"}, ResetPolicy(LATEST, 5)),
        ({"group.protocol": "classic", MAX_AGE: " "}, ResetPolicy(LATEST)),
        ({**CONSUMER, NEW: "earliest"}, ResetPolicy(LATEST, new_partitions=EARLIEST)),
        ({**CONSUMER, NEW: "by_duration:P1D"}, ResetPolicy(LATEST, new_partitions=ByDuration(24 * HOUR))),
        ({**CONSUMER, NEW: "latest", MAX_AGE: "-1"}, ResetPolicy(LATEST, new_partitions=LATEST)),
        ({**CONSUMER, NEW: ""}, ResetPolicy(LATEST)),
    ],
)
def test_settings_make_a_policy(given: dict[str, object], policy: ResetPolicy) -> None:
    assert reset_policy(given) == policy


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({**CONSUMER, MAX_AGE: "-2"}, "Value must be at least -1"),
        ({**CONSUMER, MAX_AGE: "1h"}, "Not a number of type LONG"),
        ({**CONSUMER, MAX_AGE: str(2**63)}, "Not a number of type LONG"),
        ({**CONSUMER, MAX_AGE: True}, "Not a number of type LONG"),
        ({MAX_AGE: "5"}, f"{MAX_AGE} cannot be set when group.protocol=CLASSIC"),
        (
            {"group.protocol": "Classic", MAX_AGE: "-1"},
            f"{MAX_AGE} cannot be set when group.protocol=CLASSIC",
        ),
        ({NEW: "earliest"}, f"{NEW} cannot be set when group.protocol=CLASSIC"),
        ({**CONSUMER, NEW: "none"}, f"Invalid value none for configuration {NEW}"),
        ({**CONSUMER, NEW: "by_duration:1h"}, f"Invalid value by_duration:1h for configuration {NEW}"),
        ({**CONSUMER, NEW: "latest", MAX_AGE: "0"}, "set only one of them"),
        ({"auto.offset.reset": "LATEST"}, "Invalid value LATEST for configuration auto.offset.reset"),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        reset_policy(given)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("PT0S", 0),
        ("PT0.5S", 500),
        ("pt1m", 60_000),
        ("P2DT3H4M5.678S", 183_845_678),
        ("PT+1H", HOUR),
        ("PT1H-1M", HOUR - 60_000),
        ("-PT-1H", HOUR),
        ("PT0.0009S", 0),
    ],
)
def test_duration_is_read_as_java_reads_it(text: str, ms: int) -> None:
    assert reset_policy({"auto.offset.reset": f"by_duration:{text}"}).base == ByDuration(ms)


@pytest.mark.parametrize("text", ["", "P", "PT", "P1DT", "1H", "PT1", "-PT1H", "PT-1S", "P1W", "PT.5S"])
def test_what_java_reads_as_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        reset_policy({"auto.offset.reset": f"by_duration:{text}"})


def test_time_of_a_start_is_that_of_list_offsets() -> None:
    assert [time_of(start, 10_000) for start in (EARLIEST, LATEST)] == [-2, -1]
    assert [time_of(ByDuration(ms), 10_000) for ms in (0, 4_000, 20_000)] == [10_000, 6_000, 0]
