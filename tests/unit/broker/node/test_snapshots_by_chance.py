"""Random changes and restores, compared with a model of a few dicts."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.broker.node.test_snapshots import end_of, produce, topics_of
from tests.unit.broker.whole import Client, Whole, running
from tidemark_testing.storage import MemoryStorage

HOUR_MS = 3_600_000
TOPICS = st.sampled_from(["a", "b"])
GROUPS = st.sampled_from(["g", "h"])
STEPS = st.one_of(
    st.tuples(st.just("make"), TOPICS),
    st.tuples(st.just("delete"), TOPICS),
    st.tuples(st.just("produce"), TOPICS),
    st.tuples(st.just("commit"), GROUPS, TOPICS, st.integers(0, 9)),
    st.tuples(
        st.just("advance"), st.integers(1, 24)
    ),  # hours; a week would take what the model does not know
    st.tuples(st.just("stop and start")),
    st.tuples(st.just("snapshot")),
    st.tuples(st.just("snapshot")),
    st.tuples(st.just("restore"), st.integers(0, 3)),
    st.tuples(st.just("restore"), st.integers(0, 3)),
)


@dataclass
class State:
    """The expected state: log end offsets, committed offsets, and how far time was moved."""

    ends: dict[str, int] = field(default_factory=dict)
    offsets: dict[tuple[str, str], int] = field(default_factory=dict)
    moved_ms: int = 0


async def look(whole: Whole, client: Client) -> State:
    ends = {name: await end_of(client, name) for name in await topics_of(client)}
    offsets = {
        (group, topic): value.offset
        for group in whole.state.groups.groups
        for (topic, _), value in whole.state.groups.offsets.of(group).items()
    }
    return State(ends, offsets, whole.state.clock.wall_ms() - whole.clock.wall_ms())


class Play:
    def __init__(self, storage: MemoryStorage) -> None:
        self.storage = storage
        self.state = State()
        self.kept: list[tuple[str, State]] = []

    async def run(self, steps: list[tuple[Any, ...]]) -> None:
        while steps:
            async with running(self.storage, tidemark_test_api="true") as whole:
                client = await whole.client()
                await client.find()
                while steps and (step := steps.pop(0))[0] != "stop and start":
                    client = await self.do(whole, client, *step)
                    assert await look(whole, client) == self.state, step
                assert not whole.node.failed.done()
            self.kept.clear()

    async def do(self, whole: Whole, client: Client, what: str, *how: Any) -> Client:
        state = self.state
        if what == "make":
            await client.make_topic(how[0])
            state.ends.setdefault(how[0], 0)
        elif what == "delete":
            await client.ask("DeleteTopics", 1, {"TopicNames": [how[0]], "TimeoutMs": 1000})
            state.ends.pop(how[0], None)
            state.offsets = {place: each for place, each in state.offsets.items() if place[1] != how[0]}
        elif what == "produce" and how[0] in state.ends:
            assert await produce(client, how[0], b"x", b"y") == (0, state.ends[how[0]])
            state.ends[how[0]] += 2
        elif what == "commit" and how[1] in state.ends:
            assert await client.commit(how[0], how[2], how[1]) == 0
            state.offsets[how[0], how[1]] = how[2]
        elif what == "advance":
            time = whole.time
            await time.advance(how[0] * HOUR_MS, cleanup=False, sessions=False, logs=False)
            state.moved_ms += how[0] * HOUR_MS
        elif what == "snapshot":
            self.kept.append((await whole.node.snapshots.create(), deepcopy(state)))
        elif what == "restore" and self.kept:
            name, then = self.kept[how[0] % len(self.kept)]
            await whole.node.snapshots.restore(name)
            self.state = deepcopy(then)
            return await whole.client()
        return client


@settings(max_examples=60)
@given(st.lists(STEPS, min_size=2, max_size=25))
def test_a_restore_is_as_if_nothing_had_been_done(steps: list[tuple[Any, ...]]) -> None:
    # Hypothesis calls this once per example, and cannot call an async function.
    asyncio.run(Play(MemoryStorage()).run(steps))
