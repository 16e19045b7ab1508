"""A failure of ours costs one kernel, or what one rule says of a file, and says so."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cudalint import ir
from cudalint.contract import Contract
from cudalint.engine import ScanOptions, registry, remarks, scan
from cudalint.finding import Finding
from cudalint.rule import Context
from cudalint.symbolic import analyse as symbolic
from cudalint.symbolic.issues import Analysis
from cudalint.symbolic.solver.effort import Effort
from tests.project.test_discovery import tree

KERNELS = "".join(f"__global__ void {name}(float *x) {{ x[0] = 0.f; }}\n" for name in ("one", "two", "three"))


def test_a_kernel_that_we_fail_at_costs_itself_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analyse = symbolic.analyse

    def failing(unit: ir.Unit, kernel: ir.Function, contract: Contract, effort: Effort) -> Analysis:
        if kernel.name == "two":
            raise ZeroDivisionError("of ours")
        return analyse(unit, kernel, contract, effort)

    monkeypatch.setattr(symbolic, "analyse", failing)
    monkeypatch.delenv("CUDALINT_TRACEBACK", raising=False)
    result = scan(ScanOptions(paths=(str(tree(tmp_path, {"a.cu": KERNELS})),), jobs=1))
    assert [(k.name, k.complete, bool(k.obligations)) for k in result.kernels] == [
        ("one", True, True),
        ("two", False, False),
        ("three", True, True),
    ]
    (note,) = result.notes
    assert (note.line, "internal error: ZeroDivisionError: of ours" in note.text) == (2, True)


def test_a_file_whose_branches_are_nested_too_deeply_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(importlib.import_module("cudalint.engine.scan"), "analyse_piece", failing)
    monkeypatch.delenv("CUDALINT_TRACEBACK", raising=False)
    options = ScanOptions(paths=(str(tree(tmp_path, {"a.cu": KERNELS})),), jobs=1)
    (note,) = (note for note in scan(options).notes if note.failed)
    assert note.text.startswith("something in it is nested too deeply to be followed")
    monkeypatch.setenv("CUDALINT_TRACEBACK", "1")
    with pytest.raises(RecursionError):
        scan(options)


def test_a_rule_that_fails_costs_what_it_would_have_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(subject: object, context: Context) -> Iterator[Finding]:
        raise ZeroDivisionError("of ours")
        yield

    failing_rules = [replace(r, check=failing) if r.rule.code == "IDX202" else r for r in registry.rules()]
    monkeypatch.setattr(remarks, "rules", lambda: failing_rules)
    monkeypatch.delenv("CUDALINT_TRACEBACK", raising=False)
    launch = "void run(float *x, int n) { two<<<n, 2048>>>(x); }\n"
    result = scan(ScanOptions(paths=(str(tree(tmp_path, {"a.cu": KERNELS + launch})),), jobs=1))
    assert [k.complete for k in result.kernels] == [True, True, True]
    assert "API109" in {finding.code for finding in result.findings}
    (note,) = result.notes
    assert note.text.startswith("IDX202 was not asked to the end: internal error: ZeroDivisionError: of ours")
    assert result.files_failed == 1  # what was not asked is no clean file
