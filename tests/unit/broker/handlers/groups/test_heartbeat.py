"""Heartbeat."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.groups.driver import SESSION_MS, Driver, a_stable_group
from tidemark.groups.classic.model import ClassicGroupState
from tidemark_protocol.errors import ErrorCode


def test_permission_is_checked_before_the_group_id() -> None:
    driver = Driver()
    driver.forbidden = {""}
    assert driver.heartbeat("m", 1, group_id="") is ErrorCode.GROUP_AUTHORIZATION_FAILED


def test_an_empty_group_id_is_invalid() -> None:
    assert Driver().heartbeat("m", 1, group_id="") is ErrorCode.INVALID_GROUP_ID


def test_while_the_partition_loads_every_heartbeat_is_accepted() -> None:
    driver = Driver()
    driver.groups.serve(1)
    assert driver.heartbeat("m", 1) is ErrorCode.NONE


def test_a_partition_that_failed_to_load_is_not_coordinated_here() -> None:
    driver = Driver()
    driver.groups.failed(0)
    assert driver.heartbeat("m", 1) is ErrorCode.NOT_COORDINATOR


def test_a_group_that_is_unknown_has_no_member() -> None:
    assert Driver().heartbeat("m", 1) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_pending_id_is_no_member() -> None:
    driver = Driver()
    assert driver.heartbeat(driver.join().member_id, 0) is ErrorCode.UNKNOWN_MEMBER_ID


def test_an_instance_that_another_member_has_is_fenced() -> None:
    driver = Driver()
    driver.join(instance_id="one")
    assert driver.heartbeat("other", 1, instance_id="one") is ErrorCode.FENCED_INSTANCE_ID


def test_another_generation_is_illegal() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    assert driver.heartbeat(member, 2) is ErrorCode.ILLEGAL_GENERATION


def test_heartbeats_keep_a_member_of_a_stable_group() -> None:
    driver = Driver()
    (member,) = a_stable_group(driver)
    for _ in range(5):
        driver.advance(SESSION_MS - 1)
        assert driver.heartbeat(member, 1) is ErrorCode.NONE
    driver.advance(SESSION_MS)
    assert driver.heartbeat(member, 1) is ErrorCode.UNKNOWN_MEMBER_ID


def test_while_members_sync_a_heartbeat_is_accepted() -> None:
    driver = Driver()
    joined = driver.enter()
    assert driver.state() is ClassicGroupState.COMPLETING_REBALANCE
    assert driver.heartbeat(joined.member_id, 1) is ErrorCode.NONE


def test_during_a_rebalance_heartbeats_return_rebalance_in_progress() -> None:
    driver = Driver()
    leader, follower = a_stable_group(driver, members=2)
    driver.join(leader)
    driver.advance(SESSION_MS - 1)
    assert driver.heartbeat(follower, 2) is ErrorCode.REBALANCE_IN_PROGRESS
    driver.advance(SESSION_MS - 1)
    assert follower in driver.group().members


def test_a_static_member_that_missed_a_rebalance_has_an_old_generation() -> None:
    driver = Driver()
    fields: dict[str, Any] = {"session_ms": 120_000}
    one = driver.join(instance_id="one", **fields)
    two = driver.join(instance_id="two", **fields)
    driver.join(one.member_id, instance_id="one", **fields)
    driver.join(one.member_id, instance_id="one", protocols={"range": b"changed"}, **fields)
    driver.advance(60_000)  # the rebalance timeout: static members stay without having rejoined
    assert driver.heartbeat(two.member_id, two.generation, instance_id="two") is ErrorCode.ILLEGAL_GENERATION
    assert driver.sync(two.member_id, two.generation + 1, instance_id="two").parked
