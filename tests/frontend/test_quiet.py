"""What C code writes to the error output."""

from __future__ import annotations

import os

import pytest

from cudalint.frontend.quiet import quiet


def test_only_what_is_written_meanwhile_is_dropped(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDALINT_TRACEBACK", raising=False)
    with pytest.raises(ZeroDivisionError), quiet():
        os.write(2, b"crash detected during parsing")
        raise ZeroDivisionError
    os.write(2, b"warning")
    assert capfd.readouterr().err == "warning"


def test_who_looks_for_a_fault_sees_all(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDALINT_TRACEBACK", "1")
    with quiet():
        os.write(2, b"crash detected during parsing")
    assert capfd.readouterr().err == "crash detected during parsing"


def test_a_process_without_an_error_output_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDALINT_TRACEBACK", raising=False)

    def closed(number: int) -> int:
        raise OSError(f"{number} is closed")

    monkeypatch.setattr(os, "dup", closed)
    with quiet():
        done = True
    assert done
