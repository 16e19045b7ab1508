"""Work in processes."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cudalint.engine.pool import PATIENCE, Limits, patiently, run_all


def thresholds(_: int) -> tuple[int, int, int]:
    return gc.get_threshold()


def fails(_: int) -> None:
    raise ValueError


def test_the_collector_is_patient_during_the_work_and_as_before_behind_it() -> None:
    before = gc.get_threshold()
    assert patiently(thresholds, 1) == PATIENCE
    with pytest.raises(ValueError):
        patiently(fails, 1)
    assert gc.get_threshold() == before


def leaves_a_file(_: int) -> str:
    return tempfile.mkdtemp()


def dies(item: int) -> str:
    if item == 1:
        os._exit(1)
    return leaves_a_file(item)


def test_what_workers_write_goes_with_them_also_where_one_dies() -> None:
    made = run_all([0, 1, 2], dies, lambda item: "", 2)
    assert [bool(folder) for folder in made] == [True, False, True]
    assert not any(os.path.exists(folder) for folder in made)


def counts_forever(item: int) -> int:
    while item == 1:
        pass
    return item


def fills_memory(item: int) -> int:
    return len(bytearray(1 << 36)) if item == 1 else item


def ends_its_process(item: int) -> int:
    if item == 1:
        os._exit(1)
    return item


needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of a process")


@pytest.mark.parametrize(
    ("guilty", "processes"),
    [
        pytest.param(fills_memory, 1, marks=needs_limits),
        pytest.param(fills_memory, 2, marks=needs_limits),
        (counts_forever, 2),
        (ends_its_process, 1),
        (ends_its_process, 2),
    ],
)
def test_what_never_ends_or_fills_memory_or_dies_costs_its_own_item(guilty: Any, processes: int) -> None:
    limits = Limits(seconds=1)
    assert run_all([0, 1, 2, 3], guilty, lambda item: -item, processes, apart=True, limits=limits) == [0, -1, 2, 3]


@pytest.mark.parametrize("guilty", [fills_memory, ends_its_process])
def test_one_item_apart_has_its_limits_too(guilty: Any) -> None:
    assert run_all([1], guilty, lambda item: -item, 1, apart=True, limits=Limits(seconds=1)) == [-1]


def test_too_little_memory_in_this_process_costs_the_item() -> None:
    def has_none(item: int) -> int:
        raise MemoryError

    assert run_all([1], has_none, lambda item: -item, 1) == [-1]


def notes_its_run(item: tuple[str, int]) -> int:
    folder, number = item
    with open(os.path.join(folder, str(number)), "a", encoding="ascii") as file:
        file.write(".")
    return ends_its_process(number)


def test_what_ended_well_before_another_died_is_not_done_again(tmp_path: Path) -> None:
    work = [(str(tmp_path), number) for number in (0, 1, 2, 3)]
    assert run_all(work, notes_its_run, lambda item: -item[1], 1, apart=True) == [0, -1, 2, 3]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"0": ".", "1": "..", "2": ".", "3": "."}


SLEEPER = """
import pathlib, sys, time
from cudalint.engine.pool import run_all

def slept(name):
    (pathlib.Path(sys.argv[1]) / name).touch()
    time.sleep(60)

if __name__ == "__main__":
    try:
        run_all(["a", "b", "c"], slept, slept, 2)
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.mark.skipif(os.name == "nt", reason="no process groups that a signal goes to")
def test_who_interrupts_is_not_told_so_by_each_process(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    command = [sys.executable, str(tmp_path / "sleeper.py"), str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, text=True) as process:
        until = time.monotonic() + 30
        while not {"a", "b"} <= {each.name for each in tmp_path.iterdir()} and time.monotonic() < until:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "")


def says_who_it_is(folder: str) -> None:
    Path(folder, "worker").write_text(str(os.getpid()))
    time.sleep(120)


@pytest.mark.skipif(sys.platform == "win32", reason="asks for a process by a signal")
def test_workers_end_with_the_program_that_was_killed(tmp_path: Path) -> None:
    code = f"from tests.test_pool import says_who_it_is; from cudalint.engine.pool import run_all; \
run_all([{str(tmp_path)!r}], says_who_it_is, print, 1, apart=True)"
    here, root = {**os.environ, "TMPDIR": str(tmp_path)}, Path(__file__).parents[1]
    program = subprocess.Popen([sys.executable, "-c", code], cwd=root, env=here)
    worker = tmp_path / "worker"
    until(lambda: worker.exists() and bool(worker.read_text()))
    program.kill()
    program.wait()
    pid = int(worker.read_text())
    until(lambda: not is_running(pid))


def until(happened: Callable[[], bool]) -> None:
    """Waits for it; fails when it has not happened in half a minute."""
    end = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")
