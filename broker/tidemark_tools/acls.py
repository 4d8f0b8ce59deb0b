"""`tidemark acls`: kafka-acls, which lists, adds and removes ACLs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from tidemark_tools.client.client import Client, client_settings
from tidemark_tools.client.errors import Failed, check_results
from tidemark_tools.java import java_text
from tidemark_tools.json_output import errors_to, print_json
from tidemark_tools.options import (
    DONE,
    FAILED,
    JoptTool,
    OptionError,
    Parsed,
    UsageError,
    refuse,
    run,
    table,
)

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
OPTIONS: Final = table("""
    add  Add ACLs.
    allow-host <allow-host>  A host from which the allowed principals may connect. Default: any.
    allow-principal <allow-principal>  A principal that is allowed, as principalType:name.
    bootstrap-controller <controller to connect to>  Controllers to connect to, in place of brokers.
    bootstrap-server <server to connect to>  Brokers to connect to: host1:port1,host2:port2
    cluster  ACLs of the cluster.
    command-config [command-config]  A properties file with settings of the client.
    consumer  ACLs that a consumer needs: READ and DESCRIBE on topics, READ on groups.
    delegation-token <delegation-token>  ACLs of this delegation token; '*' means all.
    deny-host <deny-host>  A host from which the denied principals are denied. Default: any.
    deny-principal <deny-principal>  A principal that is denied, as principalType:name. A denial beats every
        permission.
    force  Remove without asking.
    group <group>  ACLs of this group; '*' means all.
    idempotent  With --producer: also IDEMPOTENT_WRITE on the cluster.
    json  With --list: print JSON (tidemark's own).
    list  List ACLs, all or those of the resources.
    operation <String>  An operation: Read, Write, Create, Delete, Alter, Describe, ClusterAction,
        DescribeConfigs, AlterConfigs, IdempotentWrite, CreateTokens, DescribeTokens, TwoPhaseCommit or All.
        (default: All)
    principal [principal]  With --list: only ACLs of this principal. Repeatable.
    producer  ACLs that a producer needs: WRITE, DESCRIBE and CREATE on topics.
    remove  Remove ACLs.
    resource-pattern-type <ANY|MATCH|LITERAL|PREFIXED>  How the names of resources are meant: LITERAL or
        PREFIXED. To list and remove also ANY (both, of exactly this name) and MATCH (all that cover the
        name). (default: LITERAL)
    topic <topic>  ACLs of this topic; '*' means all.
    transactional-id <transactional-id>  ACLs of this transactional id; '*' means all.
    user-principal <user-principal>  ACLs of this user, for delegation tokens.
""")


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
    refuse(parsed, "json", "add", "remove")
    for bundle in ("producer", "consumer"):
        refuse(parsed, bundle, "operation", "deny-principal", "deny-host")
    if parsed.has("principal") and not parsed.has("list"):
        raise UsageError("The --principal option is only available if --list is set")
    if parsed.has("producer") and not parsed.has("topic"):
        raise UsageError("With --producer you must specify a --topic")
    if parsed.has("idempotent") and not parsed.has("producer"):
        raise UsageError("The --idempotent option is only available if --producer is set")
    more = not parsed.has("producer") and (parsed.has("cluster") or parsed.has("transactional-id"))
    if parsed.has("consumer") and not (parsed.has("topic") and parsed.has("group") and not more):
        raise UsageError(
            "With --consumer you must specify a --topic and a --group and no --cluster or --transactional-id "
            "option should be specified."
        )


TOOL: Final = JoptTool("This tool helps to manage acls on kafka.", OPTIONS, _check)


def pattern_type(parsed: Parsed) -> str:
    """Return the pattern type. Raises OptionError."""
    given = parsed.text("resource-pattern-type") or LITERAL
    if given.upper() not in PATTERN_TYPES[1:]:
        raise OptionError(
            f"Cannot parse argument '{given}' of option resource-pattern-type",
            "OptionArgumentConversionException",
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
        names = [_BY_NAME.get(each.strip().lower(), OPERATIONS[0]) for each in parsed.values("operation")]
        if ANY in names:
            raise Failed("operation must not be ANY")
        entries = _entries(parsed, names)
        found.update((pattern, entries) for pattern in _required_patterns(parsed))
    if parsed.has("producer"):
        _include(found, parsed, "TOPIC", "WRITE", "DESCRIBE", "CREATE")
        _include(found, parsed, "TRANSACTIONAL_ID", "WRITE", "DESCRIBE")
        if parsed.has("idempotent"):
            _include(found, parsed, "CLUSTER", "IDEMPOTENT_WRITE")
    if parsed.has("consumer"):
        _include(found, parsed, "TOPIC", "READ", "DESCRIBE")
        _include(found, parsed, "GROUP", "READ")
    for pattern, entries in found.items():
        supported = ("ALL", *SUPPORTED[pattern.resource_type])
        if not {entry.operation for entry in entries} <= set(supported):
            listed = ", ".join(supported)
            raise UsageError(f"ResourceType {pattern.resource_type} only supports operations [{listed}]")
    return found


def _include(found: Plan, parsed: Parsed, resource_type: str, *operations: str) -> None:
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


def _entries(parsed: Parsed, operations: Iterable[str]) -> list[Entry]:
    return [
        Entry(principal, host, operation, permission)
        for permission, word in (("ALLOW", "allow"), ("DENY", "deny"))
        for principal in principals(parsed, f"{word}-principal")
        for host in ([each.strip() for each in parsed.values(f"{word}-host")] or [ANY_HOST])
        for operation in dict.fromkeys(operations)
    ]


def main(arguments: list[str]) -> int:
    def act(parsed: Parsed) -> int:
        try:
            _run(parsed)
        except Failed as error:  # as in Kafka's tool, stdout has the errors that are no errors of usage
            print(f"Error while executing ACL command: {java_text(error)}", file=errors_to(parsed))
            return FAILED
        return DONE

    return run(TOOL, arguments, act)


def _run(parsed: Parsed) -> None:
    address = parsed.value("bootstrap-server") or parsed.text("bootstrap-controller")
    if parsed.has("list"):
        wanted, owners = patterns(parsed), principals(parsed, "principal")
    else:
        kind = pattern_type(parsed)
        if parsed.has("add") and kind in (ANY, MATCH):
            text = f"A '--resource-pattern-type' value of '{kind}' is not valid when adding acls."
            raise UsageError(text)
        planned = plan(parsed)
        if parsed.has("add") and not all(planned.values()):
            text = "You must specify one of: --allow-principal, --deny-principal when trying to add ACLs."
            raise UsageError(text)
    with Client(address, settings=client_settings(parsed.value("command-config"))) as client:
        if parsed.has("list"):
            _list(client, wanted, owners, as_json=parsed.has("json"))
        elif parsed.has("add"):
            _add(client, planned)
        else:
            _remove(client, planned, force=parsed.has("force"))


def _list(client: Client, wanted: list[Pattern], owners: list[str], *, as_json: bool) -> None:
    found: Plan = {} if wanted else _described(client, None)
    for each in wanted:
        found |= _described(client, each)
    if as_json:
        print_json(
            {
                "resource_type": pattern.resource_type,
                "resource_name": pattern.name,
                "pattern_type": pattern.pattern_type,
                "principal": entry.principal,
                "host": entry.host,
                "operation": entry.operation,
                "permission_type": entry.permission,
            }
            for pattern, entries in sorted(found.items())
            for entry in sorted(entries)
            if not owners or entry.principal in owners
        )
        return
    if not owners:
        _print_all(found)
    for owner in owners:
        print(f"ACLs for principal `{owner}`")
        _print_all(found, owner)


def _print_all(found: Plan, owner: str | None = None) -> None:
    """Print the ACLs of this principal, or all."""
    for pattern, entries in sorted(found.items()):
        shown = sorted(each for each in entries if owner in (None, each.principal))
        if shown:
            print(f"Current ACLs for resource `{pattern}`:")
            print(f"{_lines(shown)}\n")


def _lines(entries: Iterable[Entry]) -> str:
    return "\n".join(f"\t{each}" for each in entries)


def _add(client: Client, planned: Plan) -> None:
    for pattern, entries in planned.items():
        known = _described(client, pattern).get(pattern, [])
        for entry in entries:
            if entry in known:
                print(f"Acl (pattern={pattern}, entry={entry}) already exists.")
        new = [entry for entry in entries if entry not in known]
        if new:
            print(f"Adding ACLs for resource `{pattern}`: \n {_lines(new)}\n", flush=True)
            _create(client, pattern, new)


def _remove(client: Client, planned: Plan, *, force: bool) -> None:
    for pattern, entries in planned.items():
        question = f"Are you sure you want to delete all ACLs for resource filter `{pattern}`? (y/n)"
        if entries:
            question = (
                f"Are you sure you want to remove ACLs: \n {_lines(entries)}\n from resource filter "
                f"`{pattern}`? (y/n)"
            )
        if force or _confirmed(question):
            _delete(client, pattern, entries)


def _confirmed(question: str) -> bool:
    print(question, flush=True)
    if not sys.stdin.isatty():
        raise Failed("cannot ask for confirmation: stdin is not a terminal. Use --force to remove without it")
    return sys.stdin.readline().strip().lower() == "y"


def _described(client: Client, pattern: Pattern | None) -> Plan:
    """Return the ACLs that a pattern finds, or all. Raises ErrorResponse."""
    from tidemark_protocol.messages.describe_acls import DescribeAclsRequest

    response = client.call(_filtered(DescribeAclsRequest(), pattern, None))
    check_results([response])

    def name(names: tuple[str, ...], code: int) -> str:
        return names[code] if 0 <= code < len(names) else names[0]

    found: Plan = {}
    for each in response.resources:
        kind, pattern_type = name(RESOURCE_TYPES, each.resource_type), name(PATTERN_TYPES, each.pattern_type)
        found[Pattern(kind, each.resource_name, pattern_type)] = [
            Entry(
                acl.principal,
                acl.host,
                name(OPERATIONS, acl.operation),
                name(PERMISSION_TYPES, acl.permission_type),
            )
            for acl in each.acls
        ]
    return found


def _create(client: Client, pattern: Pattern, entries: list[Entry]) -> None:
    from tidemark_protocol.messages.create_acls import AclCreation, CreateAclsRequest

    kind, literal = RESOURCE_TYPES.index(pattern.resource_type), PATTERN_TYPES.index(pattern.pattern_type)
    acls = [
        AclCreation(
            kind,
            pattern.name,
            literal,
            each.principal,
            each.host,
            OPERATIONS.index(each.operation),
            PERMISSION_TYPES.index(each.permission),
        )
        for each in entries
    ]
    check_results(client.call(CreateAclsRequest(acls)).results)


def _delete(client: Client, pattern: Pattern, entries: list[Entry]) -> None:
    """Delete these ACLs of a pattern, or all of them."""
    from tidemark_protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest

    wanted: list[Entry | None] = [*entries] or [None]
    filters = [_filtered(DeleteAclsFilter(), pattern, each) for each in wanted]
    check_results(client.call(DeleteAclsRequest(filters)).filter_results)


def _filtered(wanted: Any, pattern: Pattern | None, entry: Entry | None) -> Any:
    """Set the fields of a filter, and return it. None: any."""
    kind, name, literal = pattern or (ANY, None, ANY)
    wanted.resource_type_filter = RESOURCE_TYPES.index(kind)
    wanted.resource_name_filter = name
    wanted.pattern_type_filter = PATTERN_TYPES.index(literal)
    principal, host, operation, permission = entry or (None, None, ANY, ANY)
    wanted.principal_filter = principal
    wanted.host_filter = host
    wanted.operation = OPERATIONS.index(operation)
    wanted.permission_type = PERMISSION_TYPES.index(permission)
    return wanted
