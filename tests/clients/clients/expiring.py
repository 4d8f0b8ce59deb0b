"""Drives a client library with groups whose offsets expire.

Each command is one line of JSON on stdin, `{"do": NAME, ...arguments}`. Its result is one line: JSON or null.

    commit group offsets          without a member; offsets are [topic, partition, offset]
    committed group places        places are [topic, partition]; returns the offsets, -1 for none
    join name group topics        returns once the member has its assignment
    member_commit name offsets    as that member
    subscribe name topics         changes the subscription; returns once the member has a new assignment
    leave name
"""

from __future__ import annotations

import faulthandler
import json
import sys
from typing import Any, Protocol

PATIENCE_S = 30
Offsets = list[tuple[str, int, int]]


class Member(Protocol):
    def subscribe(self, topics: list[str]) -> None: ...
    def commit(self, offsets: Offsets) -> None: ...
    def leave(self) -> None: ...


class Library(Protocol):
    def commit(self, group: str, offsets: Offsets) -> None: ...
    def committed(self, group: str, places: list[tuple[str, int]]) -> list[int]: ...
    def member(self, group: str) -> Member: ...


def serve(library: Library) -> None:
    members: dict[str, Member] = {}
    for line in sys.stdin:
        command = json.loads(line)
        faulthandler.dump_traceback_later(PATIENCE_S, exit=True)
        print(json.dumps(_carry_out(library, members, command)), flush=True)
        faulthandler.cancel_dump_traceback_later()


def _carry_out(library: Library, members: dict[str, Member], command: dict[str, Any]) -> Any:
    match command:
        case {"do": "commit", "group": group, "offsets": offsets}:
            library.commit(group, offsets)
        case {"do": "committed", "group": group, "places": places}:
            return library.committed(group, places)
        case {"do": "join", "name": name, "group": group, "topics": topics}:
            members[name] = library.member(group)
            members[name].subscribe(topics)
        case {"do": "member_commit", "name": name, "offsets": offsets}:
            members[name].commit(offsets)
        case {"do": "subscribe", "name": name, "topics": topics}:
            members[name].subscribe(topics)
        case {"do": "leave", "name": name}:
            members.pop(name).leave()
        case _:
            raise AssertionError(f"no such command: {command}")
    return None
