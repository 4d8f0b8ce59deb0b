"""The file of faults that are set at the start: YAML, or JSON, which is YAML too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tidemark.config import ConfigError
from tidemark.faults.errors import check
from tidemark.faults.model import Fault, InvalidFault, read_fault, unknown_node

SETTING = "tidemark.faults.file"


def read_faults(path: Path, nodes: Sequence[int]) -> list[Fault]:
    """Return the faults in the file: a list of them. nodes: the ids of the brokers.

    Raises ConfigError, one line with the file's name.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{SETTING}: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{SETTING}: {path} is not UTF-8") from None
    values = _parse(path, text)
    if not isinstance(values, list):
        raise ConfigError(f"{SETTING}: {path} must contain a list of faults")
    faults = []
    for number, each in enumerate(values, 1):
        try:
            fault = read_fault(each)
            check(fault)
            if fault.node_id is not None and fault.node_id not in nodes:
                raise InvalidFault("node_id", unknown_node(fault.node_id, nodes))
        except InvalidFault as error:
            raise ConfigError(f"{SETTING}: {path}: fault {number}: {error}") from None
        faults.append(fault)
    return faults


def _parse(path: Path, text: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
        """Refuses a key that is given twice."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # noqa: FBT001, FBT002 PyYAML's
            keys = [key.value for key, _ in node.value]
            twice = {key for key in keys if isinstance(key, str) and keys.count(key) > 1}
            if twice:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{min(twice)} is given twice", node.start_mark
                )
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)  # noqa: S506 a SafeLoader
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ConfigError(f"{SETTING}: {path} is not valid YAML: {reason}") from None
