"""Worker processes that may crash, hang or be killed: each is started again when it is needed.

One process for one GPU; a pool has one for each GPU of the machine, and hands the next job to whichever is idle.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, TypeVar

START_LIMIT = 120.0
LARGEST_MESSAGE = 1 << 31
Message = dict[str, Any]
Job = TypeVar("Job")
Result = TypeVar("Result")


def write_message(stream: IO[bytes], message: Message) -> None:
    data = json.dumps(message).encode()
    stream.write(len(data).to_bytes(8, "little") + data)
    stream.flush()


def read_message(stream: IO[bytes]) -> Message | None:
    """None at the end of the stream."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    data = stream.read(int.from_bytes(head, "little"))
    message = json.loads(data)
    return message if isinstance(message, dict) else None


class WorkerFailed(Exception):
    """The worker cannot be started at all; the text says why."""


class Worker:
    """One process for one GPU. `ask` gives an answer whatever happens: status ok, error, timeout or crashed."""

    def __init__(self, gpu: int, command: tuple[str, ...] = ()) -> None:
        self._command = command or (sys.executable, "-m", "cudalint.confirm.gpu.child", "--gpu", str(gpu))
        self._process: subprocess.Popen[bytes] | None = None
        self.gpu = gpu
        self.versions: dict[str, str] = {}
        self.gpus = 1  # of the machine; known behind the start
        self.starts = 0

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Start the process if none runs; raises WorkerFailed."""
        self._started()

    def ask(self, job: Message, timeout: float) -> Message:
        process = self._started()
        assert process.stdin is not None
        try:
            write_message(process.stdin, job)
            reply = _read_before(process, time.monotonic() + timeout)
        except TimeoutError:
            self.stop()
            return {"status": "timeout"}
        except (OSError, EOFError, ValueError):
            return {"status": "crashed", "exit": self.stop()}
        if reply.get("dead"):
            self.stop()
        return reply

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.stop()
        self.starts += 1
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, env=environment(),
        )  # fmt: skip
        try:
            ready = _read_before(self._process, time.monotonic() + START_LIMIT)
        except (TimeoutError, OSError, EOFError, ValueError) as error:
            self.stop()
            raise WorkerFailed(f"the worker process did not start: {type(error).__name__}") from None
        if ready.get("status") != "ready":
            self.stop()
            raise WorkerFailed(f"no GPU can be used: {ready.get('error')}: {ready.get('message')}")
        self.versions = ready["versions"]
        self.gpus = int(ready.get("gpus", 1))
        return self._process

    def stop(self) -> int | None:
        """End the process; its exit status."""
        process, self._process = self._process, None
        if process is None:
            return None
        if process.poll() is None:
            _kill(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        return process.wait()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Pool:
    """Workers of all GPUs of the machine, or of one of them."""

    def __init__(self, gpu: int | None, command: Callable[[int], tuple[str, ...]] | None = None) -> None:
        made = command or (lambda number: ())
        self.workers = [Worker(gpu or 0, made(gpu or 0))]
        if gpu is None:
            self.workers[0].start()
            self.workers += [Worker(number, made(number)) for number in range(1, self.workers[0].gpus)]

    def each(self, jobs: Iterable[Job], work: Callable[[Worker, Job], Result]) -> Iterator[Result]:
        """What `work` gives for each job on an idle worker, in the order of the jobs."""
        idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in self.workers:
            idle.put(worker)

        def one(job: Job) -> Result:
            worker = idle.get()
            try:
                return work(worker, job)
            finally:
                idle.put(worker)

        with ThreadPoolExecutor(len(self.workers)) as threads:
            waiting = [threads.submit(one, job) for job in jobs]
            try:
                for future in waiting:
                    yield future.result()
            finally:
                for future in waiting:
                    future.cancel()

    def stop(self) -> None:
        for worker in self.workers:
            worker.stop()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (OSError, AttributeError):
        process.kill()


def environment() -> dict[str, str]:
    """The worker finds this package wherever the parent found it."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    known = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": root + (os.pathsep + known if known else "")}


def _read_before(process: subprocess.Popen[bytes], deadline: float) -> Message:
    assert process.stdout is not None
    size = int.from_bytes(_exactly(process.stdout.fileno(), 8, deadline), "little")
    if size > LARGEST_MESSAGE:
        raise ValueError("not a message")
    message = json.loads(_exactly(process.stdout.fileno(), size, deadline))
    if not isinstance(message, dict):
        raise ValueError("not a message")
    return message


def _exactly(descriptor: int, size: int, deadline: float) -> bytes:
    pieces: list[bytes] = []
    missing = size
    while missing:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            raise TimeoutError
        piece = os.read(descriptor, min(missing, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)
