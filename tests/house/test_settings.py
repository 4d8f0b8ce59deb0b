"""Every setting has a unit, bounds and a default, and is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tidemark import config
from tidemark.config import NO_EFFECT, SETTINGS
from tidemark.settings.setting import Kind, Setting

BROKER = Path(config.__file__).parent
READERS = "\n".join(path.read_text("utf-8") for path in BROKER.parent.rglob("*.py"))
NUMBERS = {Kind.INT, Kind.LONG, Kind.SHORT, Kind.DOUBLE}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_setting_has_a_unit_bounds_and_a_default_within_them(setting: Setting[Any]) -> None:
    assert setting.unit
    if setting.kind not in NUMBERS:
        return
    assert setting.low is not None
    assert setting.high is not None
    assert setting.default is None or setting.low <= setting.default <= setting.high


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_unit_in_the_name_is_the_unit(setting: Setting[Any]) -> None:
    last = setting.name.rpartition(".")[2]
    if last in ("ms", "bytes", "minutes", "hours"):
        assert setting.unit == last


@pytest.mark.parametrize(
    "setting",
    [setting for setting in SETTINGS if setting.default not in (None, ())],
    ids=lambda setting: setting.name,
)
def test_default_is_read_back_from_its_text(setting: Setting[Any]) -> None:
    text = setting.text(setting.default)
    assert text is not None
    assert setting.read(text) == setting.default


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_unused_setting_is_documented_as_such(setting: Setting[Any]) -> None:
    if setting.attribute == "tidemark_as":
        return  # read by its dotted name, before there is a Config
    read = f".{setting.attribute}" in READERS or f'"{setting.name}"' in READERS
    assert read or setting.about == NO_EFFECT
