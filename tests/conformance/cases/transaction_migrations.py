"""TxnOffsetCommit to groups that have changed between the classic and the consumer protocol."""

from __future__ import annotations

from typing import Final

from tests.conformance.build import fetch_offsets
from tests.conformance.case import Talk
from tests.conformance.cases.transaction_offsets import both, pending
from tests.conformance.consumers import Consumer, consumers, known_topic, no_interval
from tests.conformance.migrating import Classic, mixed, stable_classics
from tests.conformance.transactional import Producer

VERSIONS: Final = range(3, 6)


@no_interval(versions=VERSIONS)
def offsets_of_a_classic_member_of_an_upgraded_group(k: Talk, version: int) -> None:
    one, topic = Producer(k), known_topic(k, 2)
    (classic,), _ = mixed(k, topic, [0, 1])
    k.do(*one.add_offsets(classic.group))
    generation = classic.generation
    for member in (classic.id, "nobody", ""):
        for offered in (generation, generation - 1, generation + 1, 0, -1):
            request = one.commit_offsets(
                classic.group, {topic: {0: 5}}, member=member, generation=offered, version=version
            )
            k.ask(*request)
    one.finish(commit=True)
    both(k, classic.group, topic)


@no_interval(versions=VERSIONS)
def offsets_of_the_consumer_that_upgraded_a_group(k: Talk, version: int) -> None:
    one, topic = Producer(k), known_topic(k, 2)
    (classic,), new = mixed(k, topic, [0, 1])
    k.do(*one.add_offsets(classic.group))
    for epoch in (new.epoch, new.epoch - 1, new.epoch + 1, -1):
        request = one.commit_offsets(
            new.group, {topic: {1: 5}}, member=new.id, generation=epoch, version=version
        )
        k.ask(*request)
    one.finish(commit=False)
    both(k, classic.group, topic, [0, 1])


@no_interval()
def offsets_are_pending_while_a_group_is_upgraded(k: Talk) -> None:
    topic = known_topic(k, 2)
    one = Producer(k)
    (classic,) = stable_classics(k, topic, [0, 1])
    known = {"member": classic.id, "generation": classic.generation}
    pending(k, one, classic.group, {topic: {0: 5}}, **known)
    new = Consumer(k, classic.group, "c1", topics=[topic])
    new.join(kept=False)
    k.ask(*one.commit_offsets(classic.group, {topic: {1: 6}}, **known))
    both(k, classic.group, topic, [0, 1])
    one.finish(commit=True)
    both(k, classic.group, topic, [0, 1])


@no_interval()
def offsets_are_pending_while_a_group_is_downgraded(k: Talk) -> None:
    topic = known_topic(k, 2)
    one = Producer(k)
    (classic,), new = mixed(k, topic, [0, 1])
    pending(k, one, new.group, {topic: {1: 5}}, member=new.id, generation=new.epoch)
    new.leave(kept=False)
    k.ask(*one.commit_offsets(new.group, {topic: {1: 6}}, member=new.id, generation=new.epoch))
    k.ask(*one.commit_offsets(new.group, {topic: {1: 7}}, member=classic.id, generation=classic.generation))
    k.ask(*fetch_offsets(new.group))
    one.finish(commit=True)
    both(k, new.group, topic, [1])


@no_interval()
def offsets_are_pending_while_an_empty_group_changes_its_protocol(k: Talk) -> None:
    topic = known_topic(k, 1)
    one, group = Producer(k), k.group()
    pending(k, one, group, {topic: {0: 5}})
    new = Consumer(k, group, "c1", topics=[topic])
    new.join(kept=False)
    both(k, group, topic)
    new.leave(kept=False)
    classic = Classic(k, group, 1, topic)
    classic.get_id()
    classic.do_join()
    both(k, group, topic)
    one.finish(commit=True)
    both(k, group, topic)


@no_interval()
def offsets_without_a_member_in_a_group_of_both_protocols(k: Talk) -> None:
    one, topic = Producer(k), known_topic(k, 2)
    (classic,), _ = mixed(k, topic, [0, 1])
    for version in (0, 3, 5):
        k.do(*one.add_offsets(classic.group))
        k.ask(*one.commit_offsets(classic.group, {topic: {0: version}}, version=version))
    (other,) = consumers(k, 1, topics=[topic])
    k.ask(*one.commit_offsets(other.group, {topic: {0: 1}}))
