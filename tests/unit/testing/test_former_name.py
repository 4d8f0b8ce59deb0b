"""`tidemark.testing`, the former name of `tidemark_testing`."""

from __future__ import annotations

import pytest

import tidemark.testing
import tidemark_testing


def test_former_names_are_the_new_ones_with_a_warning() -> None:
    for name in tidemark_testing.__all__:
        with pytest.warns(DeprecationWarning, match=f"use tidemark_testing.{name}"):
            assert getattr(tidemark.testing, name) is getattr(tidemark_testing, name)


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tidemark.testing.nonsense
