"""Work in processes: the answers in the order of the work, and a worker that dies costs its own item only."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

PARALLEL_FROM = 2
PATIENCE = (50_000, 20, 100)  # thresholds of the collector: terms and trees live as long as their file

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def run_all(
    work: Sequence[Item], one: Callable[[Item], Answer], crashed: Callable[[Item], Answer], processes: int
) -> list[Answer]:
    """`one` of every item; `crashed` for those that kill their process. In this process where there is one alone."""
    if processes == 1 or len(work) < PARALLEL_FROM:
        return [patiently(one, item) for item in work]
    from concurrent.futures.process import BrokenProcessPool

    answers: list[Answer | None] = [None] * len(work)
    with _pool(min(processes, len(work))) as pool:
        futures = [pool.submit(patiently, one, item) for item in work]
        for position, future in enumerate(futures):
            try:
                answers[position] = future.result()
            except BrokenProcessPool:
                break
    return [answer or _alone(item, one, crashed) for item, answer in zip(work, answers)]


def patiently(one: Callable[[Item], Answer], item: Item) -> Answer:
    """`one` of the item, with fewer runs of the collector: they cost an eighth of lowering and find next to nothing."""
    former = gc.get_threshold()
    gc.set_threshold(*PATIENCE)
    try:
        return one(item)
    finally:
        gc.set_threshold(*former)


def _alone(item: Item, one: Callable[[Item], Answer], crashed: Callable[[Item], Answer]) -> Answer:
    from concurrent.futures.process import BrokenProcessPool

    with _pool(1) as pool:
        try:
            return pool.submit(patiently, one, item).result()
        except BrokenProcessPool:
            return crashed(item)


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Workers whose temporary files are in one folder that goes with them: a process that ends cleans nothing up."""
    from concurrent.futures import ProcessPoolExecutor

    try:
        folder = tempfile.TemporaryDirectory(prefix="cudalint-", ignore_cleanup_errors=True)
    except OSError:  # a full disk
        with ProcessPoolExecutor(processes) as pool:
            yield pool
        return
    with folder as name, ProcessPoolExecutor(processes, initializer=_write_into, initargs=(name,)) as pool:
        yield pool


def _write_into(folder: str) -> None:
    tempfile.tempdir = folder
