"""`tidemark features`: kafka-features (KIP-584, KIP-778)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tidemark.cli.options import KAFKA_RELEASE, Failed
from tidemark.cli.subcommands import Argument, Command, Given, Tool, run
from tidemark.cli.transactions.arguments import COMMIT
from tidemark.client.client import Client
from tidemark.client.errors import CannotRead, ClientError
from tidemark.client.settings import client_settings
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.api_versions import ApiVersionsRequest
from tidemark_protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest

METADATA: Final = "metadata.version"
FIRST_LEVEL: Final = 7
# The names of the levels of metadata.version, from FIRST_LEVEL on. The last one is not released yet.
METADATA_VERSIONS: Final = (
    "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1", "3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2", "3.7-IV0",
    "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0", "3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2",
    "4.0-IV3", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0", "4.4-IV0",
)  # fmt: skip
# The levels with which Kafka 4.3 formats a cluster.
LEVELS: Final = {
    "kraft.version": 1,
    "transaction.version": 2,
    "group.version": 1,
    "eligible.leader.replicas.version": 1,
    "share.version": 1,
    "streams.version": 1,
}
UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3

_FEATURE: Final = Argument("--feature", "A feature and its level: NAME=LEVEL. May be repeated.", "Append")
_METADATA: Final = Argument("--metadata", "The level of metadata.version, such as 4.0-IV3. Deprecated.")
_DRY_RUN: Final = Argument("--dry-run", "Only check whether the levels can be changed.", "Flag")
_UNSAFE: Final = Argument("--unsafe", "Also levels whose metadata would be lost.", "Flag")
TOOL: Final = Tool(
    "kafka-features",
    "This tool shows and changes the levels of the features of a cluster.",
    f"{KAFKA_RELEASE} (Commit:{COMMIT})",
    (
        Argument(
            "--bootstrap-server", "Brokers to connect to, separated by commas.", metavar="host:port",
            required=True,
        ),
        Argument("--command-config", "A properties file with settings of the client.", metavar="FILE"),
    ),
    (
        Command("describe", "Show the supported and the current levels of each feature."),
        Command("upgrade", "Raise the levels of features.", (_METADATA, _FEATURE, _DRY_RUN)),
        Command("downgrade", "Lower the levels of features.", (_METADATA, _FEATURE, _UNSAFE, _DRY_RUN)),
        Command("version-mapping", "Show the levels with which a release formats a cluster."),
    ),
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    return run(TOOL, arguments, _run, ClientError)


def _run(given: Given) -> None:
    if given.command == "version-mapping":
        level = METADATA_VERSIONS.index("4.3-IV0")
        print(f"{METADATA}={FIRST_LEVEL + level} ({METADATA_VERSIONS[level]})")
        for name, number in LEVELS.items():
            print(f"{name}={number}")
        return
    updates = {} if given.command == "describe" else _updates(given)
    try:
        settings = client_settings(given.text_or_none("command_config"))
    except CannotRead as error:
        raise Failed(str(error)) from None
    with Client(given.text("bootstrap_server"), settings=settings) as client:
        if given.command == "describe":
            _describe(client)
        else:
            _update(client, given, updates)


def _describe(client: Client) -> None:
    response = client.call(ApiVersionsRequest("tidemark", "1"))
    levels = {each.name: each.max_version_level for each in response.finalized_features}
    epoch = response.finalized_features_epoch
    for each in sorted(response.supported_features, key=lambda feature: str(feature.name)):
        low, high, level = (
            _level_name(each.name, level)
            for level in (each.min_version, each.max_version, levels.get(each.name, 0))
        )
        print(
            f"Feature: {each.name:<42}SupportedMinVersion: {low:<17}SupportedMaxVersion: {high:<17}"
            f"FinalizedVersionLevel: {level:<17}Epoch: {epoch if epoch >= 0 else '-'}"
        )


def _level_name(feature: str, level: int) -> str:
    at = level - FIRST_LEVEL
    named = feature == METADATA and 0 <= at < len(METADATA_VERSIONS)
    return METADATA_VERSIONS[at] if named else str(level)


def _updates(given: Given) -> dict[str, int]:
    """Return the levels that the command line names. Raises Failed."""
    updates: dict[str, int] = {}
    metadata = given.text_or_none("metadata")
    if metadata is not None:
        print(" `metadata` flag is deprecated and may be removed in a future release.")
        updates[METADATA] = _metadata_level(metadata)
    for text in (given.text_or_none("feature") or "").splitlines():
        name, equals, level = (part.strip() for part in text.partition("="))
        if not equals:
            raise Failed(f"Can't parse feature=level string {text}: equals sign not found.")
        if not (level.isascii() and level.removeprefix("-").isdigit()):
            raise Failed(f"Can't parse feature=level string {text}: unable to parse {level} as a short.")
        if name in updates:
            raise Failed(f"Feature {name} was specified more than once.")
        updates[name] = int(level)
    if not updates:
        raise Failed(f"You must specify at least one feature to {given.command}")
    return updates


def _metadata_level(text: str) -> int:
    # A release may have several levels; its name means the last one.
    for at in reversed(range(len(METADATA_VERSIONS))):
        name = METADATA_VERSIONS[at]
        if text == name or text == name.partition("-")[0]:
            return FIRST_LEVEL + at
    known = ", ".join(METADATA_VERSIONS)
    raise Failed(f"Unknown metadata.version '{text}'. Supported metadata.version are: {known}")


def _update(client: Client, given: Given, updates: Mapping[str, int]) -> None:
    kind = UPGRADE
    if given.command == "downgrade":
        kind = UNSAFE_DOWNGRADE if given.number("unsafe") else SAFE_DOWNGRADE
    dry_run = bool(given.number("dry_run"))
    keys = [FeatureUpdateKey(name, level, upgrade_type=kind) for name, level in updates.items()]
    request = UpdateFeaturesRequest(feature_updates=keys, validate_only=dry_run)
    response: Any = client.call(request, min_version=1, once=True)
    code = ErrorCode(response.error_code)
    for name in sorted(updates):
        if code is ErrorCode.NONE:
            print(f"{name} {'can be' if dry_run else 'was'} {given.command}d to {updates[name]}.")
        else:
            what = "Can not" if dry_run else "Could not"
            print(f"{what} {given.command} {name} to {updates[name]}. {response.error_message or code.text}")
    if code is not ErrorCode.NONE:
        raise Failed(f"{len(updates)} out of {len(updates)} operation(s) failed.")
