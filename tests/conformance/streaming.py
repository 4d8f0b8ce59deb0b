"""Members of streams groups (KIP-1071), for cases and stories.

    topic = known_topic(k, 2)
    one = a_streamer(k, topic)         # a member that has the tasks 0_0 and 0_1
    one.beat()

Each member has a connection and a process of its own. Its member id is its client id, so that responses and
assignments are the same in every run. Responses show tasks by subtopology, sorted: Kafka's order is that of
hash maps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from tests.conformance.build import Request
from tests.conformance.build_streams import (
    NO_TASKS,
    describe_streams,
    streams_heartbeat,
    subtopology,
    topology,
)
from tests.conformance.case import Fields, Talk, case
from tests.conformance.consumers import NO_INTERVAL

# A target assignment is computed at once, in the request, and groups may have short sessions.
STREAMS_SETTINGS: Final = {
    **NO_INTERVAL,
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
    "group.streams.assignor.offload.enable": "false",
    "group.streams.min.session.timeout.ms": "1000",
    "group.streams.min.heartbeat.interval.ms": "500",
}
streams: Final = partial(case, settings=STREAMS_SETTINGS)
STALE_TOPOLOGY, MISSING_SOURCES, WRONG_PARTITIONS, MISSING_INTERNAL, SHUTDOWN, DELAYED = range(6)
KINDS: Final = ("Active", "Standby", "Warmup")
_SUMMARY: Final = re.compile(r"(?<=missing: )[^ ,;]+(?:, [^ ,;]+)*")


class Streamer:
    """One member: its requests, its epoch, and the tasks that the broker assigned to it.

    how: arguments of streams_heartbeat for each join
    """

    def __init__(self, k: Talk, group: str, member: str = "m1", **how: Any) -> None:
        self.talk = k
        self.group = group
        self.id = member
        self.peer = k.connect(member)
        self.epoch = 0
        self.endpoint_epoch = 0
        self.owns: dict[str, dict[str, list[int]]] = {kind: {} for kind in KINDS}
        self.how: dict[str, Any] = {"rebalance_ms": 30000, "process": member.replace("m", "p"), **how}

    @property
    def active(self) -> dict[str, list[int]]:
        return self.owns["Active"]

    @property
    def standby(self) -> dict[str, list[int]]:
        return self.owns["Standby"]

    def join(self, *, kept: bool = True, **other: Any) -> Fields:
        """Join, or rejoin, with epoch 0 and without tasks."""
        self.owns = {kind: {} for kind in KINDS}
        nothing = {"active": NO_TASKS, "standby": NO_TASKS, "warmup": NO_TASKS}
        return self.send(kept, **{**self.how, **nothing, "epoch": 0, **other})

    def beat(self, *, kept: bool = True, **other: Any) -> Fields:
        """Send a heartbeat in which nothing changed."""
        return self.send(kept, **other)

    def full(self, *, kept: bool = True, **other: Any) -> Fields:
        """Send a heartbeat with the tasks that the member owns."""
        owned = {kind.lower(): tasks for kind, tasks in self.owns.items()}
        return self.send(kept, **{**owned, **other})

    def leave(self, *, kept: bool = True, **other: Any) -> Fields:
        return self.send(kept, **{"epoch": -1, **other})

    def beat_until(self, done: Callable[[Fields], Any], **other: Any) -> None:
        """Repeat a full heartbeat until its response is as expected, and keep only that one."""
        response = self.talk.until(lambda: self.full(kept=False, **other), done)
        self.talk.keep("StreamsGroupHeartbeat, at last", comparable(response))

    def beat_until_ready(self) -> None:
        """Repeat a full heartbeat until the internal topics exist, and keep only that response."""
        self.beat_until(lambda told: told["ErrorCode"] == 0 and not told["Status"])

    def request(
        self, *, epoch: int | None = None, member: str | None = None, group: str | None = None, **fields: Any
    ) -> Request:
        return streams_heartbeat(
            self.group if group is None else group,
            self.id if member is None else member,
            self.epoch if epoch is None else epoch,
            **{"endpoint_epoch": self.endpoint_epoch, **fields},
        )

    def send(self, kept: bool = True, **fields: Any) -> Fields:
        request = self.request(**fields)
        response = self.peer.ask(*request, keep=comparable) if kept else self.peer.do(*request)
        if response["ErrorCode"] == 0 and "member" not in fields and "group" not in fields:
            self.epoch = max(response["MemberEpoch"], 0)
            self.endpoint_epoch = response["EndpointInformationEpoch"]
            for kind in KINDS:
                if response[f"{kind}Tasks"] is not None:
                    self.owns[kind] = _tasks(response[f"{kind}Tasks"])
        return response


def comparable(response: Fields) -> Fields:
    """keep= of StreamsGroupHeartbeat: show tasks by subtopology, and sort what Kafka has in hash maps.

    The interval of task offsets, which is 0 in 4.3 and 60,000 ms in 4.4, has a case of its own.
    """
    shown = {name: value for name, value in response.items() if name != "TaskOffsetIntervalMs"}
    for kind in KINDS:
        if response[f"{kind}Tasks"] is not None:
            shown[f"{kind}Tasks"] = _tasks(response[f"{kind}Tasks"])
    if response["Status"] is not None:
        shown["Status"] = [_status(each) for each in response["Status"]]
    if response["PartitionsByUserEndpoint"] is not None:
        shown["PartitionsByUserEndpoint"] = sorted(
            map(_endpoint, response["PartitionsByUserEndpoint"]), key=lambda each: str(each["UserEndpoint"])
        )
    return shown


def _tasks(given: Sequence[Fields]) -> dict[str, list[int]]:
    return {each["SubtopologyId"]: sorted(each["Partitions"]) for each in _by_id(given)}


def _by_id(given: Sequence[Fields]) -> list[Fields]:
    return sorted(given, key=lambda each: each["SubtopologyId"])


def _status(given: Fields) -> str:
    detail = _SUMMARY.sub(lambda found: ", ".join(sorted(found[0].split(", "))), given["StatusDetail"])
    return f"{given['StatusCode']} {detail}"


def _endpoint(given: Fields) -> Fields:
    return {
        "UserEndpoint": given["UserEndpoint"],
        **{
            kind: sorted([each["Topic"], *sorted(each["Partitions"])] for each in given[kind])
            for kind in ("ActivePartitions", "StandbyPartitions")
        },
    }


def one_source(*topics: str, epoch: int = 0, **other: Any) -> Fields:
    """Return the topology of one subtopology, 0, which reads these topics."""
    return topology(subtopology("0", topics, **other), epoch=epoch)


def streamers(k: Talk, count: int, made: Fields, *, group: str = "", **how: Any) -> list[Streamer]:
    """Return members m1, m2, ... of one group, with this topology, which have not joined yet."""
    found = group or k.group()
    return [Streamer(k, found, f"m{number}", topology=made, **how) for number in range(1, count + 1)]


def a_streamer(k: Talk, *topics: str, **how: Any) -> Streamer:
    """Return the only member of a new group, which has all tasks of these topics. Keeps nothing."""
    (one,) = streamers(k, 1, one_source(*topics), **how)
    settled(one)
    return one


def settled(*members: Streamer) -> None:
    """Join the members one after the other, and beat until the group is Stable. Keeps nothing."""
    for each in members:
        each.join(kept=False)
    settle(*members)


def settle(*members: Streamer) -> None:
    """Send heartbeats of all members until the group is Stable. Keeps nothing."""

    def beat() -> None:
        for each in members:
            each.full(kept=False)

    members[0].talk.until(beat, lambda _: described(members[0])["GroupState"] == "Stable")


def described(member: Streamer) -> Fields:
    response: Fields = member.talk.do(*describe_streams(member.group))["Groups"][0]
    return response


def state(member: Streamer) -> None:
    """Keep the state and the epochs of the member's group."""
    found = described(member)
    member.talk.keep("state", [found[key] for key in ("GroupState", "GroupEpoch", "AssignmentEpoch")])


def ask_described(member: Streamer) -> None:
    """Keep StreamsGroupDescribe of the member's group."""
    member.talk.ask(*describe_streams(member.group), keep=groups_in_order)


def groups_in_order(response: Fields) -> Fields:
    """keep= of StreamsGroupDescribe: sort members by id, and show their tasks by subtopology."""
    groups = [
        {**group, "Members": [_member(m) for m in sorted(group["Members"], key=lambda m: m["MemberId"])]}
        for group in response["Groups"]
    ]
    return {**response, "Groups": groups}


def _member(member: Fields) -> Fields:
    shown = {**member, "ClientTags": sorted(member["ClientTags"], key=lambda each: str(each["Key"]))}
    for kind in ("Assignment", "TargetAssignment"):
        shown[kind] = {name: _tasks(tasks) for name, tasks in member[kind].items()}
    return shown


def topics_made(k: Talk, *names: str) -> None:
    """Keep the number of partitions, the replicas and the own configurations of these topics."""
    for name in names:
        found = k.do("Metadata", 12, {"Topics": [{"Name": name}], "AllowAutoTopicCreation": False})["Topics"][
            0
        ]
        wanted = {"ResourceType": 2, "ResourceName": name, "ConfigurationKeys": None}
        told = k.do("DescribeConfigs", 4, {"Resources": [wanted]})["Results"][0]["Configs"] or []
        own = sorted((each["Name"], each["Value"]) for each in told if each["ConfigSource"] == 1)
        k.keep(name, [found["ErrorCode"], len(found["Partitions"]), dict(own)])
