"""The authorizer: decides by ACLs what a caller may do.

Kafka: `StandardAuthorizer` and `StandardAuthorizerData`. A rule that denies beats every rule that allows. An
ACL that allows READ, WRITE, DELETE or ALTER also allows DESCRIBE, and one that allows ALTER_CONFIGS also
allows DESCRIBE_CONFIGS. An ACL that denies implies nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from tidemark.authorization.acls import WILDCARD, Acls, Caller, PatternType, PermissionType
from tidemark.core.context import Authorizer, Operation, ResourceType, everything_is_allowed
from tidemark.core.log_text import short

if TYPE_CHECKING:
    from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord as Acl

LOG_MS: Final = 60_000
LINES_MAX: Final = 100  # in LOG_MS, over all clients
SOME: Final = "(some)"  # the name in a decision about any resource of a type


def _titles(codes: type) -> dict[int, str]:
    """Kafka: `SecurityUtils.toPascalCase` of the names of the codes."""
    found = {code: name for name, code in vars(codes).items() if isinstance(code, int)}
    return {code: name.title().replace("_", "") for code, name in found.items()}


OPERATIONS: Final = _titles(Operation)
RESOURCE_TYPES: Final = _titles(ResourceType)


class Denials:
    """Counts and logs denials.

    count(operation, resource type): with Kafka's names of both, such as Read and Topic
    log: logs one line with these fields
    """

    def __init__(
        self, count: Callable[[str, str], None], log: Callable[..., None], steady_ms: Callable[[], int]
    ) -> None:
        self._count = count
        self._log = log
        self._steady_ms = steady_ms
        self._since_ms = steady_ms()
        self._logged: set[tuple[str, str, int, int]] = set()

    def add(self, principal: str, host: str, operation: int, resource_type: int, name: str | None) -> None:
        what, kind = OPERATIONS.get(operation, "Unknown"), RESOURCE_TYPES.get(resource_type, "Unknown")
        self._count(what, kind)
        now_ms = self._steady_ms()
        if now_ms >= self._since_ms + LOG_MS:
            self._since_ms = now_ms
            self._logged.clear()
        key = principal, host, operation, resource_type
        if key in self._logged or len(self._logged) >= LINES_MAX:
            return
        self._logged.add(key)
        self._log(
            principal=short(principal), client=host, operation=what, resource=f"{kind}:{short(name or SOME)}"
        )


EVERY_PRINCIPAL: Final = "User:*"
# Cached for each caller. A consumer of 2,000 topics in one group needs no more; one entry needs 200 bytes.
DECISIONS_MAX: Final = 4096
NAME_CHARS_MAX: Final = 256  # of a cached decision: a client may send names of 32 KB
# Kafka checks this name when it decides about some resource of a type, so that super users are allowed.
_SOME_NAME: Final = "hardcode"

_ALLOWING: Final = {
    Operation.DESCRIBE: frozenset(
        {
            Operation.ALL,
            Operation.DESCRIBE,
            Operation.READ,
            Operation.WRITE,
            Operation.DELETE,
            Operation.ALTER,
        }
    ),
    Operation.DESCRIBE_CONFIGS: frozenset(
        {Operation.ALL, Operation.DESCRIBE_CONFIGS, Operation.ALTER_CONFIGS}
    ),
}


class StandardAuthorizer:
    """Decides by ACLs. Its decisions follow each change of the ACLs at once.

    super_users       principals that are allowed everything
    allow_without_acl the decision about a resource that has no ACL
    denials           count and log each decision that refuses a request
    """

    def __init__(
        self,
        acls: Acls,
        super_users: frozenset[str],
        *,
        allow_without_acl: bool,
        denials: Denials | None = None,
    ) -> None:
        self.acls = acls
        acls.index()  # now, because a client would have to wait for 100,000 ACLs
        self._super_users = super_users
        self._allow_without_acl = allow_without_acl
        self.denials = denials
        # Connections of one principal and host share their cached decisions.
        self._callers: WeakValueDictionary[tuple[str, str], CallerPermissions] = WeakValueDictionary()

    def of_caller(self, principal: str, client_host: str) -> Authorizer:
        """Return the authorizer of a caller. client_host: in the format of `Caller`."""
        if principal in self._super_users:
            return everything_is_allowed
        host = client_host.removeprefix("/")
        known = self._callers.get((principal, host))
        if known is None:
            known = self._callers[principal, host] = CallerPermissions(self, principal, host)
        return known

    def allows(self, principal: str, host: str, operation: int, resource_type: int, name: str) -> bool:
        """Return whether a principal may do this. The decision is not cached."""
        allowed = False
        without_acl = True
        callers = _callers(principal, host)
        for pattern in self.acls.of_resource(resource_type, name):
            without_acl = False
            for caller in callers:
                for acl in pattern.get(caller, ()):
                    if acl.permission_type == PermissionType.DENY:
                        if acl.operation in (operation, Operation.ALL):
                            return False
                    elif _allows(acl, operation):
                        allowed = True
        return allowed or (without_acl and self._allow_without_acl)

    def allows_some(self, principal: str, host: str, operation: int, resource_type: int) -> bool:
        """Return whether a principal may do this to some resource, which need not exist.

        Kafka: `Authorizer.authorizeByResourceType`. Operations do not imply each other here.
        """
        if self.allows(principal, host, operation, resource_type, _SOME_NAME):
            return True
        acls = self.acls
        granted, denied = (
            [
                acl
                for caller in _callers(principal, host)
                for each in (operation, Operation.ALL)
                for acl in acls.of_caller(caller, resource_type, each, permission_type)
            ]
            for permission_type in (PermissionType.ALLOW, PermissionType.DENY)
        )
        return bool(granted) and _some_is_left(granted, denied)


class CallerPermissions:
    """The permissions of one principal at one host, with a cache of decisions. It is an `Authorizer`."""

    __slots__ = (
        "__weakref__",
        "_acls",
        "_authorizer",
        "_decisions",
        "_denials",
        "_host",
        "_principal",
        "_version",
    )

    def __init__(self, authorizer: StandardAuthorizer, principal: str, host: str) -> None:
        self._authorizer = authorizer
        self._acls = authorizer.acls
        self._denials = authorizer.denials
        self._principal = principal
        self._host = host
        self._decisions: dict[tuple[int, int, str | None], bool] = {}
        self._version = -1

    def __call__(self, operation: int, resource_type: int, name: str | None) -> bool:
        known = self._decisions.get((operation, resource_type, name))
        if known and self._version == self._acls.version:
            return True
        allowed = self.quietly(operation, resource_type, name)
        if not allowed and self._denials is not None:
            self._denials.add(self._principal, self._host, operation, resource_type, name)
        return allowed

    def quietly(self, operation: int, resource_type: int, name: str | None) -> bool:
        """Decide without counting a denial: see `tidemark.core.context.quietly`."""
        if self._version == self._acls.version:
            known = self._decisions.get((operation, resource_type, name))
            if known is not None:
                return known
        return self._decide(operation, resource_type, name)

    def _decide(self, operation: int, resource_type: int, name: str | None) -> bool:
        if self._version != self._acls.version or len(self._decisions) >= DECISIONS_MAX:
            self._decisions.clear()
            self._version = self._acls.version
        authorizer, who = self._authorizer, (self._principal, self._host)
        if name is None:
            allowed = authorizer.allows_some(*who, operation, resource_type)
        else:
            allowed = authorizer.allows(*who, operation, resource_type, name)
        if name is None or len(name) <= NAME_CHARS_MAX:
            self._decisions[operation, resource_type, name] = allowed
        return allowed


def _allows(acl: Acl, operation: int) -> bool:
    allowing = _ALLOWING.get(operation)
    return acl.operation in ((operation, Operation.ALL) if allowing is None else allowing)


def _callers(principal: str, host: str) -> tuple[Caller, ...]:
    """Return the principals and hosts by which ACLs may name a caller."""
    return (
        (principal, host),
        (principal, WILDCARD),
        (EVERY_PRINCIPAL, host),
        (EVERY_PRINCIPAL, WILDCARD),
    )


def _some_is_left(granted: list[Acl], denied: list[Acl]) -> bool:
    """Return whether a granted pattern covers some resource that no denied pattern covers."""
    literals = {acl.resource_name for acl in denied if acl.pattern_type == PatternType.LITERAL}
    if WILDCARD in literals:
        return False
    prefixes = _outermost(acl.resource_name for acl in denied if acl.pattern_type == PatternType.PREFIXED)
    for acl in granted:
        name = acl.resource_name
        if acl.pattern_type == PatternType.LITERAL:
            if name == WILDCARD:
                return True
            if name in literals:
                continue
        at = bisect_right(prefixes, name)
        if not at or not name.startswith(prefixes[at - 1]):
            return True
    return False


def _outermost(prefixes: Iterable[str]) -> list[str]:
    """Return the prefixes that begin with no other one, sorted.

    Only the last one that is not greater than a name may be a prefix of the name.
    """
    outermost: list[str] = []
    for prefix in sorted(prefixes):
        if not outermost or not prefix.startswith(outermost[-1]):
            outermost.append(prefix)
    return outermost
