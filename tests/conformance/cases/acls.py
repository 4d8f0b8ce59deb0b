"""CreateAcls, DescribeAcls and DeleteAcls: by a super user, and on a broker without an authorizer."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

from tests.conformance.build_acls import (
    ALL,
    ALLOW,
    ANY,
    CLUSTER,
    CLUSTER_NAME,
    DENY,
    DESCRIBE,
    GROUP,
    LITERAL,
    MATCH,
    PREFIXED,
    STANDARD_AUTHORIZER,
    TOPIC,
    TRANSACTIONAL_ID,
    UNKNOWN,
    USER,
    WRITE,
    acl,
    acl_filter,
)
from tests.conformance.case import Fields, Talk, case

AUTHORIZED: Final = {"authorizer.class.name": STANDARD_AUTHORIZER, "super.users": "User:ANONYMOUS"}
ODD: Final = 99
VERSIONS: Final = range(1, 4)


def _sorted(response: Any) -> Any:
    """keep=: lists in an order of their own, because Kafka's order is that of hashes."""
    if isinstance(response, dict):
        return {
            name: sorted(map(_sorted, value), key=json.dumps)
            if name in ("Resources", "Acls", "MatchingAcls")
            else _sorted(value)
            for name, value in response.items()
        }
    return [_sorted(each) for each in response] if isinstance(response, list) else response


def _counted(response: Fields) -> Any:
    """keep=: how many results there are of each kind."""
    return sorted(Counter(json.dumps(each) for each in response["Results"]).items())


def _create(k: Talk, *acls: Fields, version: int = 3) -> None:
    k.ask("CreateAcls", version, {"Creations": list(acls)})


def _describe(k: Talk, wanted: Fields, version: int = 3) -> None:
    k.ask("DescribeAcls", version, wanted, keep=_sorted)


def _delete(k: Talk, *filters: Fields, version: int = 3) -> None:
    k.ask("DeleteAcls", version, {"Filters": list(filters)}, keep=_sorted)


def _until(k: Talk, wanted: Fields, count: int) -> None:
    """Wait until the broker knows this many ACLs: it learns of a change after the response."""

    def known(response: Fields) -> bool:
        return sum(len(each["Acls"]) for each in response["Resources"]) == count

    k.until(lambda: k.do("DescribeAcls", 3, wanted), known)


@case(versions=VERSIONS)
def acls_without_an_authorizer(k: Talk, version: int) -> None:
    _create(k, acl("a"), acl(""), version=version)
    _describe(k, acl_filter(None), version)
    _delete(k, acl_filter(None), acl_filter("a"), version=version)


@case(settings=AUTHORIZED, versions=VERSIONS)
def acls_are_created_described_and_deleted(k: Talk, version: int) -> None:
    one, other = k.name(), k.name()
    _create(
        k,
        acl(one),
        acl(one, operation=WRITE, permission=DENY, host="10.0.0.1"),
        acl(one, "User:*", ALL, pattern=PREFIXED),
        acl(other, kind=GROUP),
        version=version,
    )
    _until(k, acl_filter(one, pattern=ANY), 3)
    _describe(k, acl_filter(one, pattern=ANY), version)
    _describe(k, acl_filter(other, kind=ANY, pattern=ANY), version)
    _delete(k, acl_filter(one), acl_filter(other, kind=GROUP), version=version)
    _until(k, acl_filter(one, pattern=ANY), 1)
    _describe(k, acl_filter(one, pattern=ANY), version)
    _describe(k, acl_filter(other, kind=ANY, pattern=ANY), version)


@case(settings=AUTHORIZED)
def acls_are_created_twice(k: Talk) -> None:
    name = k.name()
    _create(k, acl(name), acl(name))
    _until(k, acl_filter(name), 1)
    _create(k, acl(name), acl(name, operation=WRITE))
    _until(k, acl_filter(name), 2)
    _describe(k, acl_filter(name))


@case(settings=AUTHORIZED)
def acls_that_are_not_valid(k: Talk) -> None:
    name = k.name()
    for wrong in (
        acl(""),
        acl(name, kind=CLUSTER),
        acl("", kind=CLUSTER),
        acl(name, "alice"),
        acl(name, ""),
        acl(name, kind=ODD),
        acl(name, pattern=ODD),
        acl(name, operation=ODD),
        acl(name, permission=ODD),
        acl(name, kind=ODD, pattern=ODD, operation=ODD, permission=ODD),
        acl(name, pattern=ODD, operation=ODD, permission=ODD),
        acl(name, "alice", operation=ODD, permission=ODD),
        acl(name, "alice", permission=ODD),
        acl("", "alice", kind=ODD),
    ):
        _create(k, wrong)
    _create(k, acl(name), acl(""), acl(name, "nobody"))
    _create(k)
    _until(k, acl_filter(name), 1)
    _describe(k, acl_filter(name))


@case(settings=AUTHORIZED)
def acls_with_codes_of_filters(k: Talk) -> None:
    name = k.name()
    for wrong in (
        acl(name, kind=ANY),
        acl(name, pattern=ANY),
        acl(name, pattern=MATCH),
        acl(name, operation=ANY),
        acl(name, permission=ANY),
    ):
        _create(k, acl(name), wrong, acl(""))
    _describe(k, acl_filter(name))


@case(settings=AUTHORIZED)
def acls_that_are_odd_but_valid(k: Talk) -> None:
    name = k.name()
    odd = (
        acl(name, "User:"),
        acl(name, ":"),
        acl(name, "a:b:c"),
        acl(name, host=""),
        acl(name, host="no host"),
        acl(f"{name} /%", operation=WRITE, kind=GROUP),
        acl(f"{name}*", pattern=PREFIXED),
        acl(name, kind=USER),
        *(acl(name, operation=code) for code in range(2, 16)),
    )
    _create(k, *odd)
    _until(k, acl_filter(name), len(odd) - 3)
    _describe(k, acl_filter(name, kind=ANY))
    _describe(k, acl_filter(f"{name}*", pattern=ANY))
    _describe(k, acl_filter(f"{name} /%", kind=ANY))


@case(settings=AUTHORIZED)
def acls_by_filter(k: Talk) -> None:
    name = k.name()
    principal = f"User:{name}"
    _create(
        k,
        acl(name, principal),
        acl("*", principal),
        acl(name[:-1], principal, pattern=PREFIXED),
        acl(name, principal, pattern=PREFIXED, operation=WRITE),
        acl(name, principal, kind=GROUP, permission=DENY),
        acl(name, principal, kind=TRANSACTIONAL_ID, host="10.1.2.3"),
        acl(CLUSTER_NAME, principal, DESCRIBE, kind=CLUSTER),
    )
    _until(k, acl_filter(None, principal, kind=ANY, pattern=ANY), 7)
    for wanted in (
        acl_filter(None, principal, kind=ANY, pattern=ANY),
        acl_filter(name, principal, kind=ANY, pattern=ANY),
        acl_filter(name, principal, kind=ANY, pattern=MATCH),
        acl_filter(name, principal, kind=ANY, pattern=LITERAL),
        acl_filter(name, principal, kind=ANY, pattern=PREFIXED),
        acl_filter("*", principal, kind=ANY, pattern=MATCH),
        acl_filter("*", principal, kind=ANY, pattern=LITERAL),
        acl_filter(None, principal, kind=ANY, pattern=MATCH),
        acl_filter(None, principal, kind=TOPIC, pattern=LITERAL),
        acl_filter(None, principal, WRITE, kind=ANY, pattern=ANY),
        acl_filter(None, principal, ALL, kind=ANY, pattern=ANY),
        acl_filter(None, principal, kind=ANY, pattern=ANY, permission=DENY),
        acl_filter(None, principal, kind=ANY, pattern=ANY, permission=ALLOW, host="10.1.2.3"),
        acl_filter(None, principal, kind=ANY, pattern=ANY, host="*"),
        acl_filter("", principal, kind=ANY, pattern=ANY),
        acl_filter(None, "", kind=ANY, pattern=ANY),
        acl_filter(None, principal, kind=ODD, pattern=ANY),
        acl_filter(None, principal, kind=ANY, pattern=ODD),
        acl_filter(None, principal, ODD, kind=ANY, pattern=ANY),
        acl_filter(None, principal, kind=ANY, pattern=ANY, permission=ODD),
    ):
        _describe(k, wanted)
    _delete(
        k,
        acl_filter(name, principal, kind=TOPIC, pattern=MATCH),
        acl_filter(name, principal, kind=TOPIC, pattern=LITERAL),
        acl_filter(None, principal, kind=ODD, pattern=ANY),
        acl_filter(None, principal, ODD, kind=ANY, pattern=ANY),
        acl_filter("nosuch", principal, kind=ANY, pattern=ANY),
    )
    _until(k, acl_filter(None, principal, kind=ANY, pattern=ANY), 3)
    _delete(k, acl_filter(None, principal, kind=ANY, pattern=ANY))
    _delete(k)


@case(settings=AUTHORIZED)
def acls_with_unknown_codes_close_the_connection(k: Talk) -> None:
    name = k.name()
    for field in ("ResourceType", "ResourcePatternType", "Operation", "PermissionType"):
        peer = k.connect()
        peer.send("CreateAcls", 3, {"Creations": [acl(name), {**acl(name), field: UNKNOWN}]})
        peer.closed()
    for field in ("ResourceTypeFilter", "PatternTypeFilter", "Operation", "PermissionType"):
        wanted = {**acl_filter(name), field: UNKNOWN}
        for api, fields in (("DescribeAcls", wanted), ("DeleteAcls", {"Filters": [wanted]})):
            peer = k.connect()
            peer.send(api, 3, fields)
            peer.closed()
    _describe(k, acl_filter(name))


@case(settings=AUTHORIZED)
def acls_more_than_a_request_may_create(k: Talk) -> None:
    name = k.name()
    for many in ([acl(f"{name}.{n}") for n in range(10_001)], [acl(name) for _ in range(10_001)]):
        k.ask("CreateAcls", 3, {"Creations": [*many, acl("")]}, keep=_counted)
    _describe(k, acl_filter(name))
