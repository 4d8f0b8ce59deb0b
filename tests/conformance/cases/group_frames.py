"""Group requests that no client may send: unsupported versions, and null in fields that are not nullable."""

from __future__ import annotations

import re
from typing import Final

from tests.conformance.build import Request, heartbeat, join, leave, sync
from tests.conformance.case import Talk, case
from tests.conformance.members import describe

# The last version of each.
APIS: Final = {
    "JoinGroup": 9,
    "SyncGroup": 5,
    "Heartbeat": 4,
    "LeaveGroup": 5,
    "FindCoordinator": 6,
    "ListGroups": 5,
    "DescribeGroups": 6,
    "DeleteGroups": 2,
}
VERSION_AT: Final = 6  # in a frame with its size
FIELDS_AT: Final = 17  # behind size, key, version, number and the client id `raw`


def _add_version_case(api: str, version: int, when: str) -> None:
    def run(k: Talk) -> None:
        frame = bytearray(k.frame(api, 0, {}))
        frame[VERSION_AT : VERSION_AT + 2] = version.to_bytes(2, "big", signed=True)
        k.send_raw(bytes(frame))
        k.closed()

    run.__name__ = f"{re.sub('(?<!^)(?=[A-Z])', '_', api).lower()}_{when}"
    case(run)


for _api, _last in APIS.items():
    _add_version_case(_api, _last + 1, "after_its_last_version")
    _add_version_case(_api, -1, "before_its_first_version")


def with_a_null_name(k: Talk, request: Request) -> None:
    """Replace the empty name in the request's first field by null."""
    peer = k.connect()
    frame = bytearray(peer.frame(*request))
    if frame[FIELDS_AT : FIELDS_AT + 2] == b"\0\1":  # no tags, and an empty compact string
        frame[FIELDS_AT + 1] = 0
    else:
        assert frame[FIELDS_AT : FIELDS_AT + 2] == b"\0\0"
        frame[FIELDS_AT : FIELDS_AT + 2] = b"\xff\xff"
    peer.send_raw(bytes(frame))
    peer.closed()


@case
def join_with_null_for_a_group_id(k: Talk) -> None:
    with_a_null_name(k, join("", version=0))
    with_a_null_name(k, join("", version=5))
    with_a_null_name(k, join("", version=9))


@case
def sync_with_null_for_a_group_id(k: Talk) -> None:
    with_a_null_name(k, sync("", "nobody", 1, version=3))
    with_a_null_name(k, sync("", "nobody", 1, version=5))


@case
def heartbeat_with_null_for_a_group_id(k: Talk) -> None:
    with_a_null_name(k, heartbeat("", "nobody", 1, version=0))
    with_a_null_name(k, heartbeat("", "nobody", 1, version=4))


@case
def leave_with_null_for_a_group_id(k: Talk) -> None:
    with_a_null_name(k, leave("", "nobody", version=2))
    with_a_null_name(k, leave("", "nobody", version=5))


@case
def find_coordinator_with_null_for_a_key(k: Talk) -> None:
    with_a_null_name(k, ("FindCoordinator", 2, {"Key": "", "KeyType": 0}))
    with_a_null_name(k, ("FindCoordinator", 3, {"Key": "", "KeyType": 0}))


@case
def describe_groups_with_null_for_a_group(k: Talk) -> None:
    """Null replaces the only name of the list, near the end of the frame."""
    for version, tail in ((0, 0), (3, 1)):
        peer = k.connect()
        frame = bytearray(peer.frame(*describe("", version=version)))
        at = len(frame) - tail - 2
        frame[at : at + 2] = b"\xff\xff"
        peer.send_raw(bytes(frame))
        peer.closed()


@case
def delete_groups_with_null_for_a_group(k: Talk) -> None:
    frame = bytearray(k.frame("DeleteGroups", 1, {"GroupsNames": [""]}))
    frame[-2:] = b"\xff\xff"
    k.send_raw(bytes(frame))
    k.closed()


@case
def join_with_null_for_protocols(k: Talk) -> None:
    frame = bytearray(k.frame(*join(k.group(), protocols={}, version=5)))
    frame[-4:] = b"\xff\xff\xff\xff"
    k.send_raw(bytes(frame))
    k.closed()


@case
def sync_with_null_for_assignments(k: Talk) -> None:
    frame = bytearray(k.frame(*sync(k.group(), "nobody", 1, version=3)))
    frame[-4:] = b"\xff\xff\xff\xff"
    k.send_raw(bytes(frame))
    k.closed()


@case
def leave_with_null_for_members(k: Talk) -> None:
    frame = bytearray(k.frame(*leave(k.group(), version=3)))
    frame[-4:] = b"\xff\xff\xff\xff"
    k.send_raw(bytes(frame))
    k.closed()


@case
def describe_groups_with_null_for_groups(k: Talk) -> None:
    frame = bytearray(k.frame(*describe(version=0)))
    frame[-4:] = b"\xff\xff\xff\xff"
    k.send_raw(bytes(frame))
    k.closed()


@case
def delete_groups_with_null_for_groups(k: Talk) -> None:
    frame = bytearray(k.frame("DeleteGroups", 1, {"GroupsNames": []}))
    frame[-4:] = b"\xff\xff\xff\xff"
    k.send_raw(bytes(frame))
    k.closed()


@case
def list_groups_with_null_for_states(k: Talk) -> None:
    frame = bytearray(k.frame("ListGroups", 4, {"StatesFilter": []}))
    assert frame[-2] == 1
    frame[-2] = 0
    k.send_raw(bytes(frame))
    k.closed()
