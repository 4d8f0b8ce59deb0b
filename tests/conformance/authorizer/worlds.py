"""Random ACLs, and questions about them. The seed determines all of them."""

from __future__ import annotations

import random
from typing import Any, Final

SEED: Final = 15
WORLDS: Final = 200
QUESTIONS: Final = 120
TYPES: Final = (2, 2, 2, 3, 4)
NAMES: Final = ("a", "ab", "abc", "abd", "b", "ba", "a.b", "ab*", "*", "hardcode", "zz", "kafka-cluster")
PREFIXES: Final = ("a", "ab", "abc", "b", "abcd", "*", "hard", "z")
PRINCIPALS: Final = ("User:alice", "User:bob", "User:*", "Group:alice", "User:root", "User:a:b")
HOSTS: Final = ("*", "*", "127.0.0.1", "10.0.0.1", "fe80:0:0:0:0:0:0:1")
OPERATIONS: Final = range(2, 13)
DENY, ALLOW = 2, 3
LITERAL, PREFIXED = 3, 4


def worlds() -> list[dict[str, Any]]:
    """Return worlds: ACLs as (type, name, pattern, principal, host, operation, permission), and questions.

    A question is (principal, host, operation, type, name); no name means some resource of the type.
    """
    draw = random.Random(SEED)
    return [_world(draw) for _ in range(WORLDS)]


def _world(draw: random.Random) -> dict[str, Any]:
    return {
        "super_users": draw.choice(("", "User:root", "User:root; User:a:b")),
        "allow_without_acl": draw.choice(("", "true", "false", "TRUE", "yes")),
        "acls": _acls(draw, draw.choice((0, 1, 2, 4, 8, 16, 32))),
        "asked": [_question(draw) for _ in range(QUESTIONS)],
    }


def _acls(draw: random.Random, count: int) -> list[list[Any]]:
    """Return different ACLs, as Kafka's controller makes sure."""
    drawn = [_acl(draw) for _ in range(count)]
    return [acl for number, acl in enumerate(drawn) if acl not in drawn[:number]]


def _acl(draw: random.Random) -> list[Any]:
    pattern = draw.choice((LITERAL, LITERAL, PREFIXED))
    return [
        draw.choice(TYPES),
        draw.choice(PREFIXES if pattern == PREFIXED else NAMES),
        pattern,
        draw.choice(PRINCIPALS),
        draw.choice(HOSTS),
        draw.choice(OPERATIONS),
        draw.choice((DENY, ALLOW, ALLOW, ALLOW)),
    ]


def _question(draw: random.Random) -> list[Any]:
    some = draw.random() < 0.2
    return [
        draw.choice([each for each in PRINCIPALS if each != "User:*"]),
        draw.choice([each for each in HOSTS if each != "*"]),
        draw.choice([each for each in OPERATIONS if each != 2]),
        draw.choice(TYPES),
        None if some else draw.choice((*NAMES, "abce", "bad name")),
    ]
