"""The ACLs of the cluster, and an index that finds those of a resource.

The index is built when it is needed first. A broker without an authorizer has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord as Acl

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


ByPrincipal = Mapping[str, "list[Acl]"]


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

    def of_resource(self, resource_type: int, name: str) -> Iterator[ByPrincipal]:
        """Yield the ACLs that apply to a resource, by principal: a mapping for each pattern."""
        return self._built_index().of_resource(resource_type, name)

    def has(self, acl: Acl) -> bool:
        """Return whether an ACL exists that is equal to this one except for its id."""
        return any(_same(acl, known) for known in self._built_index().of_pattern(acl))

    def _built_index(self) -> _Index:
        if self._index is None:
            self._index = _Index(self.by_id.values())
        return self._index


class _Index:
    """ACLs by the pattern of their resource, then by principal.

    prefix_lengths   how many patterns of each length exist, by resource type
    """

    __slots__ = ("_patterns", "_prefix_lengths")

    def __init__(self, acls: Iterable[Acl]) -> None:
        self._patterns: dict[tuple[int, int, str], dict[str, list[Acl]]] = {}
        self._prefix_lengths: dict[int, Counter[int]] = {}
        for acl in acls:
            self.add(acl)

    def add(self, acl: Acl) -> None:
        key = (acl.pattern_type, acl.resource_type, acl.resource_name)
        pattern = self._patterns.get(key)
        if pattern is None:
            pattern = self._patterns[key] = {}
            if acl.pattern_type == PatternType.PREFIXED:
                lengths = self._prefix_lengths.setdefault(acl.resource_type, Counter())
                lengths[len(acl.resource_name)] += 1
        pattern.setdefault(acl.principal, []).append(acl)

    def remove(self, acl: Acl) -> None:
        key = (acl.pattern_type, acl.resource_type, acl.resource_name)
        pattern = self._patterns[key]
        pattern[acl.principal].remove(acl)
        if not pattern[acl.principal]:
            del pattern[acl.principal]
        if pattern:
            return
        del self._patterns[key]
        if acl.pattern_type == PatternType.PREFIXED:
            lengths = self._prefix_lengths[acl.resource_type]
            lengths[len(acl.resource_name)] -= 1
            if not lengths[len(acl.resource_name)]:
                del lengths[len(acl.resource_name)]

    def of_pattern(self, acl: Acl) -> Iterable[Acl]:
        """Return the ACLs with the same pattern and principal."""
        key = (acl.pattern_type, acl.resource_type, acl.resource_name)
        return self._patterns.get(key, {}).get(acl.principal, ())

    def of_resource(self, resource_type: int, name: str) -> Iterator[ByPrincipal]:
        patterns = self._patterns
        keys = [(PatternType.LITERAL, resource_type, name), (PatternType.LITERAL, resource_type, WILDCARD)]
        lengths = self._prefix_lengths.get(resource_type, ())
        keys += [(PatternType.PREFIXED, resource_type, name[:n]) for n in lengths if n <= len(name)]
        for key in keys:
            pattern = patterns.get(key)
            if pattern is not None:
                yield pattern


def _same(acl: Acl, known: Acl) -> bool:
    """Compare two ACLs of one pattern and principal."""
    return (acl.host, acl.operation, acl.permission_type) == (
        known.host,
        known.operation,
        known.permission_type,
    )
