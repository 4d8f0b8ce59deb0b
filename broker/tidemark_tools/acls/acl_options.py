"""The command line of `tidemark acls`, and the ACLs that it names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from tidemark_tools.options import (
    HELP,
    VERSION,
    CommandLine,
    Failed,
    Option,
    OptionError,
    Parsed,
    UsageError,
    refuse,
)

PURPOSE: Final = "This tool helps to manage acls on kafka."
CLUSTER_NAME: Final = "kafka-cluster"
ANY_HOST: Final = "*"
ANY, MATCH, LITERAL = "ANY", "MATCH", "LITERAL"
# By Kafka's codes, from 0 on.
RESOURCE_TYPES: Final = (
    "UNKNOWN", "ANY", "TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID", "DELEGATION_TOKEN", "USER",
)  # fmt: skip
PATTERN_TYPES: Final = ("UNKNOWN", ANY, MATCH, LITERAL, "PREFIXED")
OPERATIONS: Final = (
    "UNKNOWN", "ANY", "ALL", "READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "CLUSTER_ACTION",
    "DESCRIBE_CONFIGS", "ALTER_CONFIGS", "IDEMPOTENT_WRITE", "CREATE_TOKENS", "DESCRIBE_TOKENS",
    "TWO_PHASE_COMMIT",
)  # fmt: skip
PERMISSION_TYPES: Final = ("UNKNOWN", "ANY", "DENY", "ALLOW")
SUPPORTED: Final = {
    "TOPIC": ("READ", "WRITE", "CREATE", "DESCRIBE", "DELETE", "ALTER", "DESCRIBE_CONFIGS", "ALTER_CONFIGS"),
    "GROUP": ("READ", "DESCRIBE", "DELETE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS"),
    "CLUSTER": (
        "CREATE", "CLUSTER_ACTION", "DESCRIBE_CONFIGS", "ALTER_CONFIGS", "IDEMPOTENT_WRITE", "ALTER",
        "DESCRIBE",
    ),
    "TRANSACTIONAL_ID": ("DESCRIBE", "WRITE", "TWO_PHASE_COMMIT"),
    "DELEGATION_TOKEN": ("DESCRIBE",),
    "USER": ("CREATE_TOKENS", "DESCRIBE_TOKENS"),
}  # fmt: skip
_RESOURCE_OPTIONS: Final = {
    "topic": "TOPIC",
    "group": "GROUP",
    "transactional-id": "TRANSACTIONAL_ID",
    "delegation-token": "DELEGATION_TOKEN",
    "user-principal": "USER",
}
_BY_NAME: Final = {name.replace("_", "").lower(): name for name in OPERATIONS}
_ADDRESS: Final = "Brokers to connect to: host1:port1,host2:port2"

OPTIONS: Final = (
    Option("add", "Add ACLs."),
    Option("allow-host", "A host from which the allowed principals may connect. Default: any.", "allow-host"),
    Option("allow-principal", "A principal that is allowed, as principalType:name.", "allow-principal"),
    Option("bootstrap-controller", "Controllers to connect to, in place of brokers.",
           "controller to connect to"),
    Option("bootstrap-server", _ADDRESS, "server to connect to"),
    Option("cluster", "ACLs of the cluster."),
    Option("command-config", "A properties file with settings of the client.", "command-config",
           optional=True),
    Option("consumer", "ACLs that a consumer needs: READ and DESCRIBE on topics, READ on groups."),
    Option("delegation-token", "ACLs of this delegation token; '*' means all.", "delegation-token"),
    Option("deny-host", "A host from which the denied principals are denied. Default: any.", "deny-host"),
    Option("deny-principal", "A principal that is denied, as principalType:name. A denial beats every "
           "permission.", "deny-principal"),
    Option("force", "Remove without asking."),
    Option("group", "ACLs of this group; '*' means all.", "group"),
    HELP,
    Option("idempotent", "With --producer: also IDEMPOTENT_WRITE on the cluster."),
    Option("list", "List ACLs, all or those of the resources."),
    Option("operation", "An operation: Read, Write, Create, Delete, Alter, Describe, ClusterAction, "
           "DescribeConfigs, AlterConfigs, IdempotentWrite, CreateTokens, DescribeTokens, TwoPhaseCommit or "
           "All.", None, default="All"),
    Option("principal", "With --list: only ACLs of this principal. Repeatable.", "principal", optional=True),
    Option("producer", "ACLs that a producer needs: WRITE, DESCRIBE and CREATE on topics."),
    Option("remove", "Remove ACLs."),
    Option("resource-pattern-type", "How the names of resources are meant: LITERAL or PREFIXED. To list and "
           "remove also ANY (both, of exactly this name) and MATCH (all that cover the name).",
           "ANY|MATCH|LITERAL|PREFIXED", default=LITERAL),
    Option("topic", "ACLs of this topic; '*' means all.", "topic"),
    Option("transactional-id", "ACLs of this transactional id; '*' means all.", "transactional-id"),
    Option("user-principal", "ACLs of this user, for delegation tokens.", "user-principal"),
    VERSION,
)  # fmt: skip


class Pattern(NamedTuple):
    """The resources of ACLs, or a filter for them."""

    resource_type: str
    name: str
    pattern_type: str

    def __str__(self) -> str:
        kind, name, pattern = self
        return f"ResourcePattern(resourceType={kind}, name={name}, patternType={pattern})"


class Entry(NamedTuple):
    """An ACL without its resources."""

    principal: str
    host: str
    operation: str
    permission: str

    def __str__(self) -> str:
        who, host, operation, permission = self
        return f"(principal={who}, host={host}, operation={operation}, permissionType={permission})"


Plan = dict[Pattern, list[Entry]]


def _check(parsed: Parsed) -> None:
    """Make Kafka's checks of the options, in Kafka's order."""
    if parsed.has("bootstrap-server") and parsed.has("bootstrap-controller"):
        raise UsageError("Only one of --bootstrap-server or --bootstrap-controller must be specified")
    if not (parsed.has("bootstrap-server") or parsed.has("bootstrap-controller")):
        raise UsageError("One of --bootstrap-server or --bootstrap-controller must be specified")
    if sum(parsed.has(action) for action in ("add", "remove", "list")) != 1:
        raise UsageError("Command must include exactly one action: --list, --add, --remove. ")
    names = ("producer", "consumer", "allow-host", "allow-principal", "deny-host", "deny-principal")
    refuse(parsed, "list", *names)
    for bundle in ("producer", "consumer"):
        refuse(parsed, bundle, "operation", "deny-principal", "deny-host")
    if parsed.has("principal") and not parsed.has("list"):
        raise UsageError("The --principal option is only available if --list is set")
    if parsed.has("producer") and not parsed.has("topic"):
        raise UsageError("With --producer you must specify a --topic")
    if parsed.has("idempotent") and not parsed.has("producer"):
        raise UsageError("The --idempotent option is only available if --producer is set")
    if parsed.has("consumer") and not _may_consume(parsed):
        raise UsageError(
            "With --consumer you must specify a --topic and a --group and no --cluster or --transactional-id "
            "option should be specified."
        )


def _may_consume(parsed: Parsed) -> bool:
    alone = not parsed.has("producer")
    more = parsed.has("cluster") or parsed.has("transactional-id")
    return parsed.has("topic") and parsed.has("group") and not (alone and more)


LINE: Final = CommandLine(PURPOSE, OPTIONS, _check)


def pattern_type(parsed: Parsed) -> str:
    """Return the pattern type. Raises OptionError."""
    given = parsed.value("resource-pattern-type") or LITERAL
    if given.upper() not in PATTERN_TYPES[1:]:
        raise OptionError(
            f"Cannot parse argument '{given}' of option resource-pattern-type",
            "joptsimple.OptionArgumentConversionException",
        )
    return given.upper()


def principals(parsed: Parsed, option: str) -> list[str]:
    """Return the principals of an option. Raises Failed."""
    found = [each.strip() for each in parsed.values(option)]
    for each in found:
        if ":" not in each:
            raise Failed(f"expected a string in format principalType:principalName but got {each}")
    return list(dict.fromkeys(found))


def patterns(parsed: Parsed) -> list[Pattern]:
    """Return the resources of the command line."""
    kind = pattern_type(parsed)
    found = [
        Pattern(resource_type, name.strip(), kind)
        for option, resource_type in _RESOURCE_OPTIONS.items()
        for name in parsed.values(option)
    ]
    if kind == LITERAL and (parsed.has("cluster") or parsed.has("idempotent")):
        found.append(Pattern("CLUSTER", CLUSTER_NAME, LITERAL))
    return list(dict.fromkeys(found))


def plan(parsed: Parsed) -> Plan:
    """Return the ACLs to add or remove, by resource. No entry: all ACLs of the resource.

    Raises UsageError, Failed and OptionError.
    """
    found: Plan = {}
    if not (parsed.has("producer") or parsed.has("consumer")):
        entries = _entries(parsed, [_operation(each) for each in parsed.values("operation")])
        found.update((pattern, entries) for pattern in _required_patterns(parsed))
    if parsed.has("producer"):
        _add(found, parsed, "TOPIC", "WRITE", "DESCRIBE", "CREATE")
        _add(found, parsed, "TRANSACTIONAL_ID", "WRITE", "DESCRIBE")
        if parsed.has("idempotent"):
            _add(found, parsed, "CLUSTER", "IDEMPOTENT_WRITE")
    if parsed.has("consumer"):
        _add(found, parsed, "TOPIC", "READ", "DESCRIBE")
        _add(found, parsed, "GROUP", "READ")
    _check_operations(found)
    return found


def _add(found: Plan, parsed: Parsed, resource_type: str, *operations: str) -> None:
    """Add entries with these operations for all resources of a type."""
    entries = _entries(parsed, operations)
    for pattern in _required_patterns(parsed):
        if pattern.resource_type == resource_type:
            found[pattern] = list(dict.fromkeys([*found.get(pattern, ()), *entries]))


def _required_patterns(parsed: Parsed) -> list[Pattern]:
    found = patterns(parsed)
    if not found:
        raise UsageError(
            "You must provide at least one resource: --topic <topic> or --cluster or --group <group> or "
            "--delegation-token <Delegation Token ID>"
        )
    return found


def _operation(given: str) -> str:
    name = _BY_NAME.get(given.strip().lower(), OPERATIONS[0])
    if name == ANY:
        raise Failed("operation must not be ANY")
    return name


def _entries(parsed: Parsed, operations: Iterable[str]) -> list[Entry]:
    return [
        Entry(principal, host, operation, permission)
        for permission, word in (("ALLOW", "allow"), ("DENY", "deny"))
        for principal in principals(parsed, f"{word}-principal")
        for host in ([each.strip() for each in parsed.values(f"{word}-host")] or [ANY_HOST])
        for operation in dict.fromkeys(operations)
    ]


def _check_operations(found: Plan) -> None:
    for pattern, entries in found.items():
        supported = ("ALL", *SUPPORTED[pattern.resource_type])
        if not {entry.operation for entry in entries} <= set(supported):
            names = ", ".join(supported)
            raise UsageError(f"ResourceType {pattern.resource_type} only supports operations [{names}]")
