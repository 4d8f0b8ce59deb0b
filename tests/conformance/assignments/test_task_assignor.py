"""Targets of random streams groups equal those of Kafka 4.4's assignor, as does the order of their records.

Members join, leave, change their process, have any tasks and report offsets of states, while the topology and
the number of standby tasks change. test_streams_assignments.py does the same for 4.3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.assignments.record import recorded
from tests.kafka_oracle import NEWEST
from tests.unit.broker.story import finished
from tidemark.groups.streams.assignor import Subtopology, TaskAssignorError, assign, changed, new_targets
from tidemark.groups.streams.member import MemberTasks, StreamsMember, TaskSets
from tidemark.settings.release import release_of

GROUPS = recorded("task_assignments", NEWEST)
RELEASE = release_of("4.4")


class Played:
    """A streams group, as far as the assignor sees it."""

    def __init__(self) -> None:
        self._subtopologies: dict[str, Subtopology] | None = None
        self._configs = {"num.standby.replicas": "0"}
        self._members: dict[str, StreamsMember] = {}
        self._peak = 0
        self._targets: dict[str, TaskSets] = {}
        self._offsets: dict[str, dict[str, dict[int, int]]] = {}

    def play(self, step: dict[str, Any]) -> Any:
        """Apply a step. Return our result of the same form as Kafka's, None if there is none."""
        if "subtopologies" in step:
            found = step["subtopologies"]
            self._subtopologies = (
                None if found is None else {each: Subtopology(*found[each]) for each in found}
            )
        elif "configs" in step:
            self._configs = step["configs"]
        elif "leaves" in step:
            for kept in (self._members, self._targets, self._offsets):
                kept.pop(step["leaves"], None)
        elif "offsets" in step:
            reported: dict[str, dict[int, int]] = {}
            for subtopology_id, partition, offset in step["are"]:
                reported.setdefault(subtopology_id, {})[partition] = offset
            self._offsets[step["offsets"]] = reported
        elif "has" in step:
            member = self._members[step["has"]]
            active = {each: dict.fromkeys(found, 1) for each, found in step["active"].items()}
            self._members[step["has"]] = replace(member, assigned=MemberTasks(active, step["standby"]))
        elif "nobody" in step:
            return self._nobody()
        else:
            return self._assign(step["assigned"], step["process"])
        return None

    def _nobody(self) -> str | None:
        assert self._subtopologies is not None
        try:
            assert finished(assign({}, self._subtopologies, self._configs, RELEASE)) == {}
        except TaskAssignorError as error:
            return str(error)
        return None

    def _assign(self, member_id: str | None, process_id: str) -> list[list[Any]]:
        updated = None
        if member_id is not None:
            member = self._members.get(member_id, StreamsMember(member_id))
            updated = replace(member, process_id=process_id, task_offsets=self._offsets.get(member_id, {}))
        new = finished(
            new_targets(
                self._members,
                self._peak,
                updated,
                self._targets,
                self._subtopologies,
                self._configs,
                RELEASE,
            )
        )
        written = finished(changed(new, self._targets))
        self._targets |= written
        if updated is not None:
            self._members[updated.member_id] = updated
            self._peak = max(self._peak, len(self._members))
        return [
            [
                each,
                *(
                    [[*pair] for pair in role.items()]
                    for role in (target.active, target.standby, target.warmup)
                ),
            ]
            for each, target in written.items()
        ]


@pytest.mark.parametrize("number", range(len(GROUPS)))
def test_targets_equal_kafkas(number: int) -> None:
    group = Played()
    for step in GROUPS[number]:
        result = group.play(step)
        if "targets" in step:
            assert result == step["targets"]
        elif "nobody" in step:
            assert result == step["nobody"]
