"""Work in processes: the answers in the order of the work, and what dies, fills memory or never ends costs its own item only.

Where the system can say it (Linux, macOS), an item has a limit of processor time, and its process one of memory: both are
far beyond what code that people write needs. Elsewhere the time is that of the clock, and memory has no limit.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

PARALLEL_FROM = 2
PATIENCE = (50_000, 20, 100)  # thresholds of the collector: terms and trees live as long as their file
_BEGUN = "begun-"  # and the process: the file that holds the place of what it works at

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one item: `seconds` of processor time; of one process: `memory`, bytes of data."""

    seconds: int = 900
    memory: int = 8 << 30

    def said(self) -> str:
        return f"{self.seconds // 60} minutes of processor time, {self.memory >> 30} GiB of memory"


USUAL = Limits()


def run_all(
    work: Sequence[Item],
    one: Callable[[Item], Answer],
    crashed: Callable[[Item], Answer],
    processes: int,
    *,
    apart: bool = False,
    limits: Limits = USUAL,
) -> list[Answer]:
    """`one` of every item; `crashed` for those that kill their process or leave the limits.

    In this process, and without limits, where there is one process or one item, unless it has to be `apart`.
    """
    if not apart and (processes == 1 or len(work) < PARALLEL_FROM):
        return [_here(item, one, crashed) for item in work]
    answers: dict[int, Answer] = {}
    waiting = list(range(len(work)))
    while waiting:
        suspects = _run(work, one, waiting, processes, limits, answers)
        for place in suspects:  # alone: the others of this pool died with the one at fault
            if len(waiting) == 1 or _run(work, one, [place], 1, limits, answers):
                answers[place] = crashed(work[place])
        waiting = [place for place in waiting if place not in answers]
    return [answers[place] for place in range(len(work))]


def _here(item: Item, one: Callable[[Item], Answer], crashed: Callable[[Item], Answer]) -> Answer:
    try:
        return patiently(one, item)
    except MemoryError:
        return crashed(item)


def _run(
    work: Sequence[Item],
    one: Callable[[Item], Answer],
    places: Sequence[int],
    processes: int,
    limits: Limits,
    answers: dict[int, Answer],
) -> list[int]:
    """Adds to the answers; returns what was begun and has none because a process died or had too little memory."""
    from concurrent.futures.process import BrokenProcessPool

    with _pool(min(processes, len(places)), limits) as (pool, folder):
        futures = {place: pool.submit(_of_worker, one, work[place], place, limits.seconds) for place in places}
        suspects = []
        for place, future in futures.items():
            try:
                answers[place] = future.result()
            except MemoryError:
                suspects.append(place)
            except BrokenProcessPool:
                begun = _begun(folder)
                left = [each for each in places if each not in answers and each not in suspects]
                suspects += [each for each in left if each in begun] or left
                break
    return suspects


def patiently(one: Callable[[Item], Answer], item: Item) -> Answer:
    """`one` of the item, with fewer runs of the collector: they cost an eighth of lowering and find next to nothing."""
    former = gc.get_threshold()
    gc.set_threshold(*PATIENCE)
    try:
        return one(item)
    finally:
        gc.set_threshold(*former)


# --- a worker ----------------------------------------------------------------------------------------------------------


@contextmanager
def _pool(processes: int, limits: Limits) -> Iterator[tuple[ProcessPoolExecutor, str]]:
    """Workers whose temporary files are in one folder that goes with them: a process that ends cleans nothing up."""
    from concurrent.futures import ProcessPoolExecutor

    with contextlib.ExitStack() as stack:
        folder = ""
        with contextlib.suppress(OSError):  # a full disk
            made = tempfile.TemporaryDirectory(prefix="cudalint-", ignore_cleanup_errors=True)
            folder = stack.enter_context(made)
        given = (folder, limits.memory)
        yield stack.enter_context(ProcessPoolExecutor(processes, initializer=_prepare, initargs=given)), folder


def _prepare(folder: str, memory: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who interrupts the program is told so once, not by each process
    _end_with_parent()
    if folder:
        tempfile.tempdir = folder
    with contextlib.suppress(ImportError, OSError, ValueError):  # Windows has none, and a user may have set a lower one
        import resource

        _lower(resource.RLIMIT_DATA, memory)
        _lower(resource.RLIMIT_CORE, 0)


def _end_with_parent() -> None:
    """Nobody waits for the answers of a program that was killed."""
    import multiprocessing
    import threading

    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _lower(limit: int, to: int) -> None:
    import resource

    soft, hard = resource.getrlimit(limit)
    if soft == resource.RLIM_INFINITY or soft > to:
        resource.setrlimit(limit, (to, hard))


def _of_worker(one: Callable[[Item], Answer], item: Item, place: int, seconds: int) -> Answer:
    with _told(place), _timed(seconds):
        return patiently(one, item)


@contextmanager
def _told(place: int) -> Iterator[None]:
    """The folder of the workers holds what this one works at."""
    name = os.path.join(tempfile.gettempdir(), f"{_BEGUN}{os.getpid()}")
    with contextlib.suppress(OSError), open(name, "w", encoding="ascii") as file:
        file.write(str(place))
    yield
    with contextlib.suppress(OSError):
        os.remove(name)


def _begun(folder: str) -> set[int]:
    found = set()
    for name in os.listdir(folder) if folder else ():
        if name.startswith(_BEGUN):
            with contextlib.suppress(OSError, ValueError), open(os.path.join(folder, name), encoding="ascii") as file:
                found.add(int(file.read()))
    return found


@contextmanager
def _timed(seconds: int) -> Iterator[None]:
    """The process ends when its work takes longer, also inside a library that never returns."""
    try:
        import resource
    except ImportError:
        with _timed_by_clock(seconds):
            yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(used.ru_utime + used.ru_stime) + seconds + 1
    if soft != resource.RLIM_INFINITY:
        end = min(end, soft)
    resource.setrlimit(resource.RLIMIT_CPU, (end, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


@contextmanager
def _timed_by_clock(seconds: int) -> Iterator[None]:
    import faulthandler

    with open(os.devnull, "w", encoding="ascii") as nowhere:
        faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
