"""FindCoordinator: the coordinator of a group, a transaction or a share partition."""

from __future__ import annotations

from typing import Final

from tests.conformance.case import Fields, Talk, case

GROUP, TRANSACTION, SHARE = 0, 1, 2
COORDINATOR_NOT_AVAILABLE: Final = 15


def find(*keys: str, key_type: int = GROUP, version: int = 6) -> tuple[str, int, Fields]:
    if version < 4:
        (key,) = keys
        return "FindCoordinator", version, {"Key": key, "KeyType": key_type}
    return "FindCoordinator", version, {"KeyType": key_type, "CoordinatorKeys": list(keys)}


@case(versions=range(7))
def find_the_coordinator_of_a_group(k: Talk, version: int) -> None:
    k.ask(*find(k.group(), version=version))


@case(versions=range(7))
def find_the_coordinator_of_the_group_without_a_name(k: Talk, version: int) -> None:
    k.group()
    k.ask(*find("", version=version))


@case(versions=range(1, 7))
def find_a_coordinator_of_an_unknown_type(k: Talk, version: int) -> None:
    k.group()
    for key_type in (3, 127, -1):
        k.ask(*find("any", key_type=key_type, version=version))


@case(versions=range(1, 6))
def find_the_coordinator_of_a_share_group_before_version_six(k: Talk, version: int) -> None:
    k.group()
    k.ask(*find("any", key_type=SHARE, version=version))


@case(versions=range(4, 7))
def find_the_coordinators_of_several_groups(k: Talk, version: int) -> None:
    """The response has the order of the request, with repeated groups."""
    group = k.group()
    k.ask(*find(group, k.name(), "", group, version=version))


@case(versions=range(4, 7))
def find_no_coordinator(k: Talk, version: int) -> None:
    k.group()
    k.ask(*find(version=version))
    k.ask(*find(version=version, key_type=9))


@case(versions=range(4, 7))
def find_several_coordinators_of_an_unknown_type(k: Talk, version: int) -> None:
    k.group()
    k.ask(*find("one", "", "two", "one", key_type=9, version=version))


@case
def find_a_share_coordinator_by_a_bad_key(k: Talk) -> None:
    """A valid key is group:topicId:partition."""
    k.group()
    topic = "AAAAAAAAAAAAAAAAAAAAAA"
    for key in ("", "group", "group:topic:0", f"group:{topic}", f"group:{topic}:x", f"{topic}:0", ":::"):
        k.ask(*find(key, key_type=SHARE))


@case
def find_a_share_coordinator(k: Talk) -> None:
    """The topic of the key does not have to exist."""
    k.group()
    found_at_last(k, "group:15V6UL6OQYGQLG9M6VIIsg:0", SHARE)


@case
def find_the_coordinator_of_a_transaction(k: Talk) -> None:
    found_at_last(k, k.name(), TRANSACTION)


def found_at_last(k: Talk, key: str, key_type: int) -> None:
    """Wait until the internal topic exists, then keep the response."""
    k.until(
        lambda: k.do(*find(key, key_type=key_type)),
        lambda response: response["Coordinators"][0]["ErrorCode"] != COORDINATOR_NOT_AVAILABLE,
    )
    k.ask(*find(key, key_type=key_type))
    if key_type == TRANSACTION:
        k.ask(*find(key, key_type=key_type, version=3))


@case
def find_the_coordinator_of_a_group_that_nobody_knows_makes_none(k: Talk) -> None:
    group = k.group()
    k.do(*find(group))
    k.ask("DescribeGroups", 6, {"Groups": [group]})


@case
def find_the_coordinator_of_names_of_any_kind(k: Talk) -> None:
    k.group()
    for name in ("a b", "ünï", "x" * 1000, "/\\:*?", "\n"):
        k.ask(*find(name))
        k.ask(*find(name, version=3))


@case
def find_a_hundred_coordinators(k: Talk) -> None:
    group = k.group()
    k.ask(*find(*[group] * 100), keep=lambda response: len(response["Coordinators"]))


@case
def find_share_coordinators_by_several_bad_keys(k: Talk) -> None:
    k.group()
    k.ask(*find("a", "b", "a", "g:15V6UL6OQYGQLG9M6VIIsg:99999999999", "", key_type=SHARE))
