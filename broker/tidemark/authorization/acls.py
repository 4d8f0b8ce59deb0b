"""The ACLs of the cluster, and an index that finds those of a resource.

The index is built when it is needed first. A broker without an authorizer has none.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias
from zlib import crc32

from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import CloseConnection

if TYPE_CHECKING:
    from tidemark_protocol.messages.delete_acls import DeleteAclsFilter
    from tidemark_protocol.messages.describe_acls import DescribeAclsRequest
    from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord as Acl

    Filter: TypeAlias = DescribeAclsRequest | DeleteAclsFilter  # None in place of a text: any

WILDCARD: Final = "*"


class PatternType:
    """Kafka's codes of how the name of an ACL's resource is meant."""

    UNKNOWN: Final = 0
    ANY: Final = 1  # in filters
    MATCH: Final = 2  # in filters
    LITERAL: Final = 3
    PREFIXED: Final = 4


class PermissionType:
    """Kafka's AclPermissionType codes."""

    UNKNOWN: Final = 0
    ANY: Final = 1  # in filters
    DENY: Final = 2
    ALLOW: Final = 3


Caller = tuple[str, str]  # principal and host of an ACL; either may be the wildcard
ByCaller = Mapping[Caller, "list[Acl]"]
Pattern = tuple[int, int, str]  # pattern type, resource type, name


class Acls:
    """All ACLs, by id.

    version   rises with each change, so that cached decisions know when they expire
    """

    __slots__ = ("_index", "by_id", "version")

    def __init__(self) -> None:
        self.by_id: dict[bytes, Acl] = {}
        self.version = 0
        self._index: _Index | None = None

    def add(self, acl: Acl) -> None:
        """Add an ACL. It replaces one with the same id."""
        if acl.id in self.by_id:
            self.remove(acl.id)
        self.by_id[acl.id] = acl
        self.version += 1
        if self._index is not None:
            self._index.add(acl)

    def remove(self, acl_id: bytes) -> None:
        """Remove an ACL, if it exists."""
        acl = self.by_id.pop(acl_id, None)
        if acl is None:
            return
        self.version += 1
        if self._index is not None:
            self._index.remove(acl)

    def of_resource(self, resource_type: int, name: str) -> Iterator[ByCaller]:
        """Yield the ACLs that apply to a resource, by principal and host: a mapping for each pattern."""
        return self.index().of_resource(resource_type, name)

    def of_caller(
        self, caller: Caller, resource_type: int, operation: int, permission_type: int
    ) -> Collection[Acl]:
        """Return the ACLs with exactly this principal, host and operation for a type."""
        return self.index().of_caller((caller, resource_type, operation, permission_type))

    def has(self, acl: Acl) -> bool:
        """Return whether an ACL exists that is equal to this one except for its id."""
        return any(
            (acl.operation, acl.permission_type) == (known.operation, known.permission_type)
            for known in self.index().of_pattern(acl)
        )

    def index(self) -> _Index:
        """Return the index, built by the first call: that takes 4 us for each ACL."""
        if self._index is None:
            self._index = _Index(self.by_id.values())
        return self._index


class _Index:
    """ACLs by the pattern of their resource, then by principal and host; and by whom and what they allow."""

    __slots__ = ("_of_callers", "_patterns", "_prefixes")

    def __init__(self, acls: Iterable[Acl]) -> None:
        self._patterns: dict[Pattern, dict[Caller, list[Acl]]] = {}
        self._prefixes: dict[int, _Prefixes] = {}
        self._of_callers: dict[tuple[Caller, int, int, int], dict[bytes, Acl]] = {}
        for acl in acls:
            self.add(acl)

    def add(self, acl: Acl) -> None:
        key = _pattern_of(acl)
        pattern = self._patterns.get(key)
        if pattern is None:
            pattern = self._patterns[key] = {}
            if acl.pattern_type == PatternType.PREFIXED:
                self._prefixes.setdefault(acl.resource_type, _Prefixes()).add(acl.resource_name)
        pattern.setdefault((acl.principal, acl.host), []).append(acl)
        self._of_callers.setdefault(_permission_of(acl), {})[acl.id] = acl

    def remove(self, acl: Acl) -> None:
        of_caller = self._of_callers[_permission_of(acl)]
        del of_caller[acl.id]
        if not of_caller:
            del self._of_callers[_permission_of(acl)]
        key, caller = _pattern_of(acl), (acl.principal, acl.host)
        pattern = self._patterns[key]
        pattern[caller].remove(acl)
        if not pattern[caller]:
            del pattern[caller]
        if not pattern:
            del self._patterns[key]
            if acl.pattern_type == PatternType.PREFIXED:
                self._prefixes[acl.resource_type].remove(acl.resource_name)

    def of_pattern(self, acl: Acl) -> Iterable[Acl]:
        """Return the ACLs with the same pattern, principal and host. There are few: one per permission."""
        return self._patterns.get(_pattern_of(acl), {}).get((acl.principal, acl.host), ())

    def of_caller(self, permission: tuple[Caller, int, int, int]) -> Collection[Acl]:
        return self._of_callers.get(permission, {}).values()

    def of_resource(self, resource_type: int, name: str) -> Iterator[ByCaller]:
        patterns = self._patterns
        for literal in (name, WILDCARD):
            pattern = patterns.get((PatternType.LITERAL, resource_type, literal))
            if pattern is not None:
                yield pattern
        prefixes = self._prefixes.get(resource_type)
        if prefixes is not None:
            for prefix in prefixes.of(name):
                yield patterns[PatternType.PREFIXED, resource_type, prefix]


class _Prefixes:
    """The prefixes of one resource type, by length and checksum.

    The checksum of a name is extended from each length to the next. So a name is read once, however many
    lengths there are: a name may have 32 KB, and there may be a prefix of each length.
    """

    __slots__ = ("_counts", "_lengths", "_prefixes")

    def __init__(self) -> None:
        self._prefixes: dict[tuple[int, int], list[str]] = {}
        self._counts: dict[int, int] = {}  # of prefixes, by length
        self._lengths: list[int] = []  # in ascending order

    def add(self, prefix: str) -> None:
        data = _bytes_of(prefix)
        self._prefixes.setdefault((len(data), crc32(data)), []).append(prefix)
        count = self._counts[len(data)] = self._counts.get(len(data), 0) + 1
        if count == 1:
            insort(self._lengths, len(data))

    def remove(self, prefix: str) -> None:
        data = _bytes_of(prefix)
        key = (len(data), crc32(data))
        self._prefixes[key].remove(prefix)
        if not self._prefixes[key]:
            del self._prefixes[key]
        self._counts[len(data)] -= 1
        if not self._counts[len(data)]:
            del self._counts[len(data)]
            del self._lengths[bisect_left(self._lengths, len(data))]

    def of(self, name: str) -> Iterator[str]:
        """Yield the prefixes of a name, the shortest first."""
        data = _bytes_of(name)
        checksum, end = 0, 0
        for length in self._lengths:
            if length > len(data):
                return
            checksum, end = crc32(data[end:length], checksum), length
            for prefix in self._prefixes.get((length, checksum), ()):
                if name.startswith(prefix):  # another prefix may have the same checksum
                    yield prefix


def _bytes_of(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _pattern_of(acl: Acl) -> Pattern:
    return acl.pattern_type, acl.resource_type, acl.resource_name


def _permission_of(acl: Acl) -> tuple[Caller, int, int, int]:
    return (acl.principal, acl.host), acl.resource_type, acl.operation, acl.permission_type


RESOURCE_TYPES: Final = range(ResourceType.ANY, ResourceType.USER + 1)
PATTERN_TYPES: Final = range(PatternType.ANY, PatternType.PREFIXED + 1)
OPERATIONS: Final = range(Operation.ANY, Operation.TWO_PHASE_COMMIT + 1)
PERMISSION_TYPES: Final = range(PermissionType.ANY, PermissionType.ALLOW + 1)


def close_if_unknown(*codes: int) -> None:
    """Raise CloseConnection if a code is UNKNOWN: Kafka's parser of the request refuses it."""
    if 0 in codes:
        raise CloseConnection("an ACL request contains the code UNKNOWN")


def close_if_filter_unknown(wanted: Filter) -> None:
    """Raise CloseConnection if a code of the filter is UNKNOWN."""
    close_if_unknown(
        wanted.resource_type_filter, wanted.pattern_type_filter, wanted.operation, wanted.permission_type
    )


def filter_error(wanted: Filter) -> str | None:
    """Return Kafka's message if a code of the filter does not exist."""
    if wanted.resource_type_filter not in RESOURCE_TYPES or wanted.pattern_type_filter not in PATTERN_TYPES:
        return "Unknown patternFilter."
    if wanted.operation not in OPERATIONS or wanted.permission_type not in PERMISSION_TYPES:
        return "Unknown entryFilter."
    return None


def matches(wanted: Filter, acl: Acl) -> bool:
    """Return whether an ACL passes the filter."""
    return (
        wanted.resource_type_filter in (ResourceType.ANY, acl.resource_type)
        and _matches_name(wanted, acl)
        and wanted.principal_filter in (None, acl.principal)
        and wanted.host_filter in (None, acl.host)
        and wanted.operation in (Operation.ANY, acl.operation)
        and wanted.permission_type in (PermissionType.ANY, acl.permission_type)
    )


def _matches_name(wanted: Filter, acl: Acl) -> bool:
    """MATCH finds every pattern that covers the name: the literal one, the wildcard and all prefixes."""
    pattern_type, name = wanted.pattern_type_filter, wanted.resource_name_filter
    if pattern_type not in (PatternType.ANY, PatternType.MATCH, acl.pattern_type):
        return False
    if name is None:
        return True
    if pattern_type != PatternType.MATCH:
        return name == acl.resource_name
    if acl.pattern_type == PatternType.LITERAL:
        return acl.resource_name in (name, WILDCARD)
    return name.startswith(acl.resource_name)
