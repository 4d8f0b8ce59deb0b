"""The former name of `tidemark_testing`, for one release."""

from __future__ import annotations

import importlib
import warnings
from typing import Any


def __getattr__(name: str) -> Any:
    testing = importlib.import_module("tidemark_testing")
    if name not in testing.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    message = f"use tidemark_testing.{name}: tidemark.testing was renamed"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return getattr(testing, name)
