from __future__ import annotations

from dataclasses import replace

from tidemark.core.context import Authorizer, Caller, everything_is_allowed, super_user


def authorizers(principal: str, client_host: str) -> Authorizer:
    return lambda operation, resource_type, name: name == f"{principal}@{client_host}"


def test_a_caller_that_logs_in_has_the_permissions_of_its_new_principal() -> None:
    caller = Caller(client_host="/10.0.0.1", authorizers=authorizers)
    assert caller.authorizer(3, 2, "User:ANONYMOUS@/10.0.0.1")
    alice = replace(caller, principal="User:alice")
    assert alice.authorizer(3, 2, "User:alice@/10.0.0.1")
    assert not alice.authorizer(3, 2, "User:ANONYMOUS@/10.0.0.1")


def test_without_an_authorizer_everything_is_allowed() -> None:
    assert Caller().authorizer is everything_is_allowed
    assert Caller(authorizers=super_user).authorizer is everything_is_allowed
