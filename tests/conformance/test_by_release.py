"""Recorded cases of another release differ from the usual one, for a reason that the docs describe."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.conformance import recorded_responses
from tests.conformance.by_release import HELD, NOT_RECORDED, PAGE, Changed, changed
from tests.conformance.case import load
from tests.conformance.disk import record as disk
from tests.conformance.disk.test_disk import NOT_YET
from tests.conformance.permissions import record as permissions
from tests.kafka_oracle import NEWEST, USUAL, short_name

HEADINGS: Final = re.compile("^### (.+)$", re.MULTILINE)
RECORDED: Final = {
    recorded_responses.MODULES_FOLDER: recorded_responses.read(USUAL),
    disk.FOLDER: disk.read(disk.FILE),
    permissions.FOLDER: permissions.recorded(USUAL),
}
CHANGED: Final = {
    (folder.name, name): (case, RECORDED[folder].get(name))
    for folder in RECORDED
    for name, case in changed(folder, NEWEST).items()
}


@pytest.mark.parametrize(("folder", "name"), sorted(CHANGED))
def test_a_case_of_another_release_differs_and_names_the_reason(folder: str, name: str) -> None:
    case: Changed
    case, usual = CHANGED[folder, name]
    assert case.responses != usual
    # The tests of the other folders expect the same of tidemark, so they have no reason of the second part.
    may_be_later = folder == "recorded" or (NEWEST, name) in NOT_YET
    assert case.because in (HEADINGS.findall(PAGE) if may_be_later else HELD)


def test_cases_that_cannot_be_recorded_exist_and_are_in_the_docs() -> None:
    names = set(NOT_RECORDED[short_name(NEWEST)])
    assert names <= set(load())
    assert names == set(re.findall(r"`([a-z]+(?:_\w+)+)`", PAGE.partition("## Cases that")[2]))
