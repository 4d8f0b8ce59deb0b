from __future__ import annotations

from typing import Any

import pytest

from tidemark.config import SETTINGS
from tidemark.settings.setting import Setting

NUMBERS = {"INT", "LONG", "SHORT", "DOUBLE"}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_setting_has_a_unit_bounds_and_a_default_within_them(setting: Setting[Any]) -> None:
    assert setting.unit
    if setting.kind not in NUMBERS:
        return
    assert setting.low is not None
    assert setting.high is not None
    assert setting.default is None or setting.low <= setting.default <= setting.high


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_unit_in_the_name_is_the_unit(setting: Setting[Any]) -> None:
    last = setting.name.rpartition(".")[2]
    if last in ("ms", "bytes", "minutes", "hours"):
        assert setting.unit == last


@pytest.mark.parametrize(
    "setting",
    [setting for setting in SETTINGS if setting.default not in (None, ())],
    ids=lambda setting: setting.name,
)
def test_a_default_is_read_back_from_its_own_text(setting: Setting[Any]) -> None:
    text = setting.text(setting.default)
    assert text is not None
    assert setting.read(text) == setting.default
