"""Filters of DescribeAcls and DeleteAcls, and the checks of their codes.

Kafka: `AclBindingFilter`, `ResourcePatternFilter`, `AccessControlEntryFilter`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from tidemark.authorization.acls import WILDCARD, PatternType, PermissionType
from tidemark.core.context import Operation, ResourceType
from tidemark.core.result import CloseConnection

if TYPE_CHECKING:
    from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord as Acl

RESOURCE_TYPES: Final = range(ResourceType.ANY, ResourceType.USER + 1)
PATTERN_TYPES: Final = range(PatternType.ANY, PatternType.PREFIXED + 1)
OPERATIONS: Final = range(Operation.ANY, Operation.TWO_PHASE_COMMIT + 1)
PERMISSION_TYPES: Final = range(PermissionType.ANY, PermissionType.ALLOW + 1)


class Filter(Protocol):
    """A filter, as both APIs send it. None in place of a text: any."""

    resource_type_filter: int
    resource_name_filter: str | None
    pattern_type_filter: int
    principal_filter: str | None
    host_filter: str | None
    operation: int
    permission_type: int


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
