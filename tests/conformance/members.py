"""Groups with members, for cases.

Each member has a connection of its own. Its number is its client id and its metadata. Lists of members are
sorted by them, since Kafka's order is that of a hash map of random ids.
"""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import Request, heartbeat, join, leave, sync
from tests.conformance.case import Fields, Talk

MEMBER_ID_REQUIRED: Final = 79
# Before version 4 a new member joins without an id. A cleanup pass deletes a group that has pending ids only.
AT_ONCE: Final = {"version": 3}


class Member:
    """One member: its requests, and what the broker assigned to it. how: arguments of build.join."""

    def __init__(self, k: Talk, group: str, number: int = 1, **how: Any) -> None:
        self.group = group
        self.instance: str | None = how.get("instance")
        self.peer = k.connect(f"m{number}")
        self.id = ""
        self.generation = -1
        self.assignment = f"a{number}"
        self.how: dict[str, Any] = {"protocols": {"range": f"0{number}"}, **how}

    def join(self, **other: Any) -> Request:
        return join(self.group, self.id, **{**self.how, **other})

    def sync(self, assignments: dict[str, str] | None = None, **other: Any) -> Request:
        known = {"instance": self.instance, "protocol_name": next(iter(self.how["protocols"]))}
        known["protocol_type"] = self.how.get("protocol_type", "consumer")
        return sync(self.group, self.id, self.generation, assignments, **{**known, **other})

    def heartbeat(self, **other: Any) -> Request:
        return heartbeat(self.group, self.id, self.generation, **{"instance": self.instance, **other})

    def leave(self, **other: Any) -> Request:
        return leave(self.group, (self.id, self.instance), **other)

    def get_id(self) -> None:
        """Join for the first time to receive a member id, in versions that respond MEMBER_ID_REQUIRED."""
        if self.instance is None and self.how.get("version", 4) >= 4:
            response = self.peer.do(*self.join())
            assert response["ErrorCode"] == MEMBER_ID_REQUIRED, response
            self.id = response["MemberId"]

    def joined(self, response: Fields) -> Fields:
        """Remember member id and generation of a successful JoinGroup response."""
        assert response["ErrorCode"] == 0, response
        self.id, self.generation = response["MemberId"], response["GenerationId"]
        return response

    def do_join(self) -> None:
        """Rejoin, if the response does not have to wait for other members."""
        self.joined(self.peer.do(*self.join()))

    def do_sync(self, *others: Member) -> None:
        """Sync as the leader of these others, or as a follower."""
        response = self.peer.do(*self.sync({each.id: each.assignment for each in (self, *others)}))
        assert response["ErrorCode"] == 0, response


def completing(k: Talk, *members: Member) -> None:
    """Bring the members into the group's next generation; the first leads, no member has synced."""
    first, *others = members
    first.get_id()
    first.do_join()
    if not others:
        return
    first.do_sync()
    for count, other in enumerate(others, 2):
        other.get_id()
        other.peer.send(*other.join())
        wait_for_members(k, first.group, count)
    first.do_join()
    for other in others:
        other.joined(other.peer.take())


def stable(k: Talk, *members: Member) -> None:
    """Bring the members into the group's next generation with their assignments; the first leads."""
    completing(k, *members)
    first, *others = members
    first.do_sync(*others)
    for other in others:
        other.do_sync()


def some(k: Talk, count: int, **how: Any) -> list[Member]:
    """Return members of one new group, which have not joined yet."""
    group = k.group()
    return [Member(k, group, number, **how) for number in range(1, count + 1)]


def some_stable(k: Talk, count: int, **how: Any) -> list[Member]:
    members = some(k, count, **how)
    stable(k, *members)
    return members


def some_completing(k: Talk, count: int, **how: Any) -> list[Member]:
    members = some(k, count, **how)
    completing(k, *members)
    return members


def described(k: Talk, group: str) -> Fields:
    response: Fields = k.do("DescribeGroups", 5, {"Groups": [group]})["Groups"][0]
    return response


def wait_for_members(k: Talk, group: str, count: int) -> None:
    """Wait until the group has so many members, whether or not their joins have a response."""
    k.until(lambda: described(k, group), lambda found: len(found["Members"]) == count)


def wait_for_state(k: Talk, group: str, state: str) -> None:
    k.until(lambda: described(k, group), lambda found: found["GroupState"] == state)


def describe(*groups: str, version: int = 6, operations: bool = False) -> Request:
    return "DescribeGroups", version, {"Groups": list(groups), "IncludeAuthorizedOperations": operations}


def in_order(response: Fields) -> Fields:
    """keep= of a leader's JoinGroup: sort its members by instance id and metadata."""
    members = sorted(response["Members"], key=lambda m: (m.get("GroupInstanceId") or "", m["Metadata"]))
    return {**response, "Members": members}


def groups_in_order(response: Fields) -> Fields:
    """keep= of DescribeGroups: sort each group's members by client id."""
    groups = [
        {**group, "Members": sorted(group["Members"], key=lambda member: member["ClientId"])}
        for group in response["Groups"]
    ]
    return {**response, "Groups": groups}
