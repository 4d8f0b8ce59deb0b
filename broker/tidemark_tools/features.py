"""`tidemark features`: kafka-features (KIP-584, KIP-778)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.api_versions import ApiVersionsRequest
from tidemark_protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tidemark_tools.argparse4j import WITH_COMMIT, Argparse4jTool, Command
from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import Failed
from tidemark_tools.java import map_order
from tidemark_tools.options import Parsed, connect, run, table

METADATA: Final = "metadata.version"
FIRST_LEVEL: Final = 7
# The names of the levels of metadata.version, from FIRST_LEVEL on. The last one is not released yet.
METADATA_VERSIONS: Final = (
    "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1", "3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2", "3.7-IV0",
    "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0", "3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2",
    "4.0-IV3", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0", "4.4-IV0",
)  # fmt: skip
NEWEST: Final = "4.3-IV0"  # the last one that is released
# The other features: the highest level, and the first level of metadata.version whose release has it.
FEATURES: Final = {
    "kraft.version": (1, 21),
    "transaction.version": (2, 24),
    "group.version": (1, 22),
    "eligible.leader.replicas.version": (1, 26),
    "share.version": (1, 28),
    "streams.version": (1, 29),
}
# The only level that depends on another feature, and that feature's level.
DEPENDENT: Final = ("eligible.leader.replicas.version", 1)
DEPENDS_ON_LEVEL: Final = 23
UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3

_UPGRADE: Final = table("""
    metadata <String>  The level of metadata.version, such as 4.0-IV3. Deprecated.
    release-version <String>  The levels of this release, such as 4.0 or 4.0-IV3.
    feature <Append>  A feature and its level: NAME=LEVEL. May be repeated.
    dry-run  Only check whether the levels can be changed.
""")
_METADATA, _RELEASE, _FEATURE, _DRY_RUN = _UPGRADE
(_UNSAFE,) = table("unsafe  Also levels whose metadata would be lost.")
TOOL: Final = Argparse4jTool(
    "kafka-features",
    "This tool shows and changes the levels of the features of a cluster.",
    table("""
    * bootstrap-server <host:port>  Brokers to connect to, separated by commas.
    command-config <FILE>  A properties file with settings of the client.
"""),
    (
        Command("describe", "Show the supported and the current levels of each feature."),
        Command("upgrade", "Raise the levels of features.", _UPGRADE),
        Command(
            "downgrade", "Lower the levels of features.", (_METADATA, _RELEASE, _FEATURE, _UNSAFE, _DRY_RUN)
        ),
        Command("version-mapping", "Show the levels with which a release formats a cluster.", (_RELEASE,)),
        Command(
            "feature-dependencies",
            "Show the features that levels depend on.",
            (_FEATURE._replace(required=True),),
        ),
    ),
    WITH_COMMIT,
)


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _run)


def _run(parsed: Parsed) -> None:
    if parsed.command == "version-mapping":
        release = parsed.value("release-version")
        release = NEWEST if release is None else release
        levels = _levels_of(release)
        print(f"{METADATA}={levels.pop(METADATA)} ({release})")
        for name, number in levels.items():
            print(f"{name}={number}")
    elif parsed.command == "feature-dependencies":
        _print_dependencies(parsed)
    else:
        updates = {} if parsed.command == "describe" else _updates(parsed)
        with connect(parsed) as client:
            if parsed.command == "describe":
                _describe(client)
            else:
                _update(client, parsed, updates)


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


def _updates(parsed: Parsed) -> dict[str, int]:
    """Return the levels that the command line names. Raises Failed."""
    release = parsed.value("release-version")
    metadata = parsed.value("metadata")
    if release is not None:
        if metadata is not None or parsed.has("feature"):
            raise Failed("Can not specify `release-version` with other feature flags.")
        # Kafka's tool does not upgrade a feature to 0.
        levels = _levels_of(release)
        return {name: level for name, level in levels.items() if level or parsed.command == "downgrade"}
    updates: dict[str, int] = {}
    if metadata is not None:
        print(" `metadata` flag is deprecated and may be removed in a future release.")
        updates[METADATA] = _metadata_level(metadata)
    for name, level in _given_levels(parsed):
        if name in updates:
            raise Failed(f"Feature {name} was specified more than once.")
        updates[name] = level
    if not updates:
        raise Failed(f"You must specify at least one feature to {parsed.command}")
    return updates


def _given_levels(parsed: Parsed) -> Iterator[tuple[str, int]]:
    """Yield the features of --feature with their levels. Raises Failed."""
    for text in parsed.values("feature"):
        name, equals, level = (part.strip() for part in text.partition("="))
        if not equals:
            raise Failed(f"Can't parse feature=level string {text}: equals sign not found.")
        if not (level.isascii() and level.removeprefix("-").isdigit()):
            raise Failed(f"Can't parse feature=level string {text}: unable to parse {level} as a short.")
        yield name, int(level)


def _levels_of(release: str) -> dict[str, int]:
    """Return the levels of all features in a release, metadata.version first. Raises Failed."""
    metadata = _metadata_level(release)
    others = {name: highest if metadata >= since else 0 for name, (highest, since) in FEATURES.items()}
    return {METADATA: metadata, **others}


def _print_dependencies(parsed: Parsed) -> None:
    for name, level in _given_levels(parsed):
        shown = f"{name}={level}"
        if name == METADATA:
            if not FIRST_LEVEL <= level < FIRST_LEVEL + len(METADATA_VERSIONS):
                raise Failed(f"Unknown {METADATA} {level}")
            shown += f" ({_level_name(name, level)})"
        elif name not in FEATURES:
            raise Failed(f"Unknown feature: {name}")
        elif not 0 <= level <= FEATURES[name][0]:
            raise Failed(f"No feature:{name} with feature level {level}")
        if (name, level) == DEPENDENT:
            print(f"{shown} requires:")
            print(f"    {METADATA}={DEPENDS_ON_LEVEL} ({_level_name(METADATA, DEPENDS_ON_LEVEL)})")
        else:
            print(f"{shown} has no dependencies.")


def _metadata_level(text: str) -> int:
    # A release may have several levels; its name means the last one.
    released = METADATA_VERSIONS.index(NEWEST)
    for at in reversed(range(len(METADATA_VERSIONS))):
        name = METADATA_VERSIONS[at]
        if text == name or (at <= released and text == name.partition("-")[0]):
            return FIRST_LEVEL + at
    known = ", ".join(METADATA_VERSIONS)
    raise Failed(f"Unknown metadata.version '{text}'. Supported metadata.version are: {known}")


def _update(client: Client, parsed: Parsed, updates: Mapping[str, int]) -> None:
    kind = UPGRADE
    if parsed.command == "downgrade":
        kind = UNSAFE_DOWNGRADE if parsed.has("unsafe") else SAFE_DOWNGRADE
    dry_run = parsed.has("dry-run")
    # In the order in which Kafka's tool sends them: the first error is reported.
    keys = [FeatureUpdateKey(name, updates[name], upgrade_type=kind) for name in map_order(updates)]
    request = UpdateFeaturesRequest(feature_updates=keys, validate_only=dry_run)
    response: Any = client.call(request, min_version=1, once=True)
    code = ErrorCode(response.error_code)
    for name in sorted(updates):
        if code is ErrorCode.NONE:
            print(f"{name} {'can be' if dry_run else 'was'} {parsed.command}d to {updates[name]}.")
        else:
            what = "Can not" if dry_run else "Could not"
            print(f"{what} {parsed.command} {name} to {updates[name]}. {response.error_message or code.text}")
    if code is not ErrorCode.NONE:
        raise Failed(f"{len(updates)} out of {len(updates)} operation(s) failed.")
