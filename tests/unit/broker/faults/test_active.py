"""Faults count their matches, end when they should, and release what waits for them."""

from __future__ import annotations

import pytest

from tidemark.faults.active import FAULTS_MAX, ActiveFault, ActiveFaults, TooManyFaults, UnknownFault
from tidemark.faults.model import Fault
from tidemark.server.interceptors import Gate


def active(fault: Fault) -> ActiveFault:
    return ActiveFault(1, fault, added_ms=1000)


def test_fault_ends_after_its_number_of_matches() -> None:
    once = active(Fault(api="OffsetCommit", drop=True, times=2))
    assert [once.count(1000) for _ in range(4)] == [True, True, False, False]
    assert (once.matched, once.seen, once.is_over(1000)) == (2, 2, True)


def test_only_chosen_requests_count_as_matches() -> None:
    third = active(Fault(drop=True, every=3, times=2))
    assert [third.count(1000) for _ in range(8)].count(True) == 2
    assert (third.matched, third.seen) == (2, 6)


def test_fault_ends_after_its_time() -> None:
    timed = active(Fault(drop=True, for_ms=500))
    assert timed.count(1499)
    assert not timed.count(1500)


def test_removed_fault_matches_nothing() -> None:
    removed = active(Fault(drop=True))
    removed.remove()
    assert not removed.count(1000)


def test_release_opens_the_gate_once_and_the_fault_stays() -> None:
    blocking = active(Fault(block=True))
    called: list[int] = []
    blocking.gate.when_open(lambda: called.append(1))
    blocking.gate.when_open(lambda: called.append(2))
    assert blocking.view(1000)["waiting"] == 2
    assert blocking.release(1000) == 2
    assert called == [1, 2]
    blocking.gate.when_open(lambda: called.append(3))
    assert called == [1, 2]
    blocking.remove()
    assert called == [1, 2, 3]


def test_open_gate_holds_back_nothing() -> None:
    gate, called = Gate(), []
    gate.open()
    gate.when_open(lambda: called.append(1))
    assert called == [1]


def test_coordinator_comes_back_and_loads_before_it_serves() -> None:
    away = active(Fault(coordinator_away=True, for_ms=100, loading_ms=50))
    assert not away.is_loading(1099)
    assert away.is_loading(1100)
    assert not away.is_over(1149)
    assert away.is_over(1150)
    released = active(Fault(coordinator_away=True, loading_ms=50))
    assert not released.is_loading(9000)
    released.release(9000)
    assert released.is_loading(9000) and not released.is_over(9049)
    assert released.is_over(9050)


def test_list_of_faults_is_bounded_and_names_unknown_ids() -> None:
    faults = ActiveFaults(lambda: 0)
    for _ in range(FAULTS_MAX):
        faults.add(Fault(drop=True))
    with pytest.raises(TooManyFaults, match="there are 1000 faults already"):
        faults.add(Fault(drop=True))
    faults.remove(1)
    with pytest.raises(UnknownFault, match="there is no fault 1"):
        faults.get(1)
    assert faults.clear() == FAULTS_MAX - 1
    assert len(faults) == 0
