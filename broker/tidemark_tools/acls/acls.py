"""`tidemark acls`: kafka-acls, which lists, adds and removes ACLs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.acls.acl_options import (
    ANY,
    LINE,
    MATCH,
    OPERATIONS,
    OPTIONS,
    PATTERN_TYPES,
    PERMISSION_TYPES,
    RESOURCE_TYPES,
    Entry,
    Pattern,
    Plan,
    pattern_type,
    patterns,
    plan,
    principals,
)
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import ClientError, ErrorResponse
from tidemark_tools.client.settings import client_settings
from tidemark_tools.java import java_text
from tidemark_tools.options import FAILED, Failed, OptionError, Parsed, UsageError, run, usage_error


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    return run(LINE, arguments, _run)


def _run(parsed: Parsed) -> int:
    """Run the action. As in Kafka's tool, stdout has the errors that are no errors of usage."""
    try:
        _act(parsed)
    except UsageError as error:
        return usage_error(str(error), OPTIONS)
    except (Failed, OptionError, ClientError) as error:
        print(f"Error while executing ACL command: {java_text(error)}")
        return FAILED
    return 0


def _act(parsed: Parsed) -> None:
    address = parsed.value("bootstrap-server") or parsed.value("bootstrap-controller") or ""
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
            _list(client, wanted, owners)
        elif parsed.has("add"):
            _add(client, planned)
        else:
            _remove(client, planned, confirmed=_always if parsed.has("force") else _confirmed)


def _list(client: Client, wanted: list[Pattern], owners: list[str]) -> None:
    found: Plan = {} if wanted else _described(client, None)
    for each in wanted:
        found |= _described(client, each)
    if not owners:
        _print_all(found)
    for owner in owners:
        print(f"ACLs for principal `{owner}`")
        _print_all(
            {key: [each for each in entries if each.principal == owner] for key, entries in found.items()}
        )


def _print_all(found: Plan) -> None:
    for pattern, entries in sorted(found.items()):
        if entries:
            print(f"Current ACLs for resource `{pattern}`:")
            print(f"{_lines(sorted(entries))}\n")


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


def _remove(client: Client, planned: Plan, confirmed: Callable[[str], bool]) -> None:
    for pattern, entries in planned.items():
        question = f"Are you sure you want to delete all ACLs for resource filter `{pattern}`? (y/n)"
        if entries:
            question = (
                f"Are you sure you want to remove ACLs: \n {_lines(entries)}\n from resource filter "
                f"`{pattern}`? (y/n)"
            )
        if confirmed(question):
            _delete(client, pattern, entries)


def _always(question: str) -> bool:
    return True


def _confirmed(question: str) -> bool:
    print(question, flush=True)
    if not sys.stdin.isatty():
        raise Failed("cannot ask for confirmation: stdin is not a terminal. Use --force to remove without it")
    return sys.stdin.readline().strip().lower() == "y"


# Requests.


def _described(client: Client, pattern: Pattern | None) -> Plan:
    """Return the ACLs that a pattern finds, or all. Raises ErrorResponse."""
    from tidemark_protocol.messages.describe_acls import DescribeAclsRequest

    response = client.call(_filtered(DescribeAclsRequest(), pattern, None))
    if response.error_code:
        raise ErrorResponse(response.error_code, response.error_message)
    found: Plan = {}
    for resource in response.resources:
        key = Pattern(
            _name(RESOURCE_TYPES, resource.resource_type),
            resource.resource_name,
            _name(PATTERN_TYPES, resource.pattern_type),
        )
        found[key] = [
            Entry(
                each.principal,
                each.host,
                _name(OPERATIONS, each.operation),
                _name(PERMISSION_TYPES, each.permission_type),
            )
            for each in resource.acls
        ]
    return found


def _name(names: tuple[str, ...], code: int) -> str:
    return names[code] if 0 <= code < len(names) else names[0]


def _create(client: Client, pattern: Pattern, entries: list[Entry]) -> None:
    from tidemark_protocol.messages.create_acls import AclCreation, CreateAclsRequest

    request = CreateAclsRequest(
        [
            AclCreation(
                resource_type=RESOURCE_TYPES.index(pattern.resource_type),
                resource_name=pattern.name,
                resource_pattern_type=PATTERN_TYPES.index(pattern.pattern_type),
                principal=each.principal,
                host=each.host,
                operation=OPERATIONS.index(each.operation),
                permission_type=PERMISSION_TYPES.index(each.permission),
            )
            for each in entries
        ]
    )
    _raise_first(client.call(request).results)


def _delete(client: Client, pattern: Pattern, entries: list[Entry]) -> None:
    """Delete these ACLs of a pattern, or all of them."""
    from tidemark_protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest

    wanted: list[Entry | None] = [*entries] or [None]
    filters = [_filtered(DeleteAclsFilter(), pattern, each) for each in wanted]
    _raise_first(client.call(DeleteAclsRequest(filters)).filter_results)


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


def _raise_first(results: Iterable[Any]) -> None:
    for result in results:
        if result.error_code != ErrorCode.NONE:
            raise ErrorResponse(result.error_code, result.error_message)
