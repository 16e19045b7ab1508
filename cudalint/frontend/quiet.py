"""C code that writes to the error output of the process: libclang tells there of each crash that it has caught, in pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """What is written to the error output meanwhile is dropped, unless CUDALINT_TRACEBACK asks for it."""
    if os.environ.get("CUDALINT_TRACEBACK"):
        yield
        return
    try:
        kept = os.dup(2)
    except OSError:  # nobody has an error output to be kept clean
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
