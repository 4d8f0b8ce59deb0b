"""Work in a second thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def started(work: Callable[[], T]) -> Future[T]:
    """Start work in a thread of its own. Unlike an executor's, it does not keep the process from ending."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again by result()
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future
