"""Calls of CuPy's ElementwiseKernel: what raw arrays are is read from the call, and their bounds are found in the expression."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.contract import Origin
from cudalint.engine import ScanOptions, scan
from cudalint.engine.contract_view import ContractView, kernel_contracts

FILE = """import cupy as cp

shifted = cp.ElementwiseKernel(
    'raw float32 x, int32 k', 'float32 y',
    'y = x[EXPRESSION]',
    'shifted')


def run(a, n):
    x = cp.zeros(1024, dtype=cp.float32)
    y = cp.empty(1024, dtype=cp.float32)
    CALL
    return y
"""


def written(folder: Path, expression: str, call: str) -> ScanOptions:
    file = folder / "a.py"
    file.write_text(FILE.replace("EXPRESSION", expression).replace("CALL", call))
    return ScanOptions(paths=(str(file),), project_root=str(folder), jobs=1, cache=False)


def verdicts(folder: Path, expression: str, call: str) -> set[str]:
    (kernel,) = scan(written(folder, expression, call)).kernels
    return {o.verdict.value for o in kernel.obligations if o.kind == "global-read-bounds" and o.span.column == 10}


def contract(folder: Path, call: str, expression: str = "i") -> ContractView:
    (view,) = kernel_contracts("shifted", written(folder, expression, call))
    return view


def launched(view: ContractView) -> list[str]:
    return [fact.text for fact in view.facts if fact.origin == Origin.LAUNCH.value]


@pytest.mark.parametrize(
    ("expression", "call", "found"),
    [
        ("i + k", "shifted(x, 0, y)", {"safe"}),
        ("i + k", "shifted(x, 1, y)", {"violated"}),
        ("i + k", "shifted(x, 1, y[1:])", {"safe"}),
        ("i + k", "shifted(x, 24, size=1000)", {"safe"}),
        ("i + k", "shifted(x, 25, size=1000)", {"violated"}),
        ("i - k", "shifted(x, 1, y)", {"violated"}),
        ("i + 1 < x.size() ? i + 1 : i", "shifted(x, 0, y)", {"safe"}),
        ("i + 1 <= x.size() ? i + 1 : i", "shifted(x, 0, y)", {"violated"}),
        ("i", "shifted(x, cp.zeros(1024, dtype=cp.int32))", {"safe"}),
        ("i", "shifted(x, cp.zeros(1025, dtype=cp.int32))", {"violated"}),
        ("i", "shifted(a.astype(cp.float32), 0, cp.empty_like(a))", {"safe"}),
    ],
)
def test_raw_arrays_are_as_large_as_the_call_makes_them(
    tmp_path: Path, expression: str, call: str, found: set[str]
) -> None:
    assert verdicts(tmp_path, expression, call) == found


def test_the_finding_is_in_the_expression_and_names_the_call(tmp_path: Path) -> None:
    (finding,) = (f for f in scan(written(tmp_path, "i + k", "shifted(x, 1, y)")).findings if f.code == "IDX101")
    assert (finding.span.path, finding.span.line, finding.span.column) == ("a.py", 5, 10)
    site = finding.launch_site
    assert site is not None and (site.path, site.line, site.host_function) == ("a.py", 12, "run")
    assert finding.confidence.value == "high"


def test_a_number_is_every_element_of_what_is_not_raw(tmp_path: Path) -> None:
    told = launched(contract(tmp_path, "shifted(x, x.size // 4, y)"))
    assert "_raw_k[i] = 256 for 0 <= i < 1024" in told and "x = cupy.zeros({1024}), 4096 bytes" in told


def test_what_is_allocated_by_the_call_has_the_elements_of_what_is_read(tmp_path: Path) -> None:
    made = "z = shifted(x, cp.zeros(1000, dtype=cp.int32)); shifted(z, 1, size=SIZE)"
    for size, found in ((999, {"safe"}), (1000, {"safe", "violated"})):
        result = scan(written(tmp_path, "i + k", made.replace("SIZE", str(size))))
        high = [f for f in result.findings if f.code == "IDX101" and f.confidence.value == "high"]
        assert ({"safe", "violated"} if high else {"safe"}) == found


@pytest.mark.parametrize(
    "call",
    [
        "shifted(x, cp.zeros((n, 1), dtype=cp.int32), cp.empty((n, 4), dtype=cp.float32)[:, 0])",
        "shifted(x, a)",
        "shifted(x, *a)",
        "shifted(a(), 0, y)",
    ],
)
def test_what_the_call_leaves_open_is_no_finding(tmp_path: Path, call: str) -> None:
    result = scan(written(tmp_path, "i", call))
    assert [f.code for f in result.findings if f.code == "IDX101" and f.confidence.value == "high"] == []


def test_a_parameter_may_have_the_name_of_the_loop_s_end(tmp_path: Path) -> None:
    text = FILE.replace("int32 k", "int32 n").replace("CALL", "shifted(x, 1, y)")
    for expression, found in (("i + n", "violated"), ("i + n - 1", "safe"), ("_ind.size() - n", "safe")):
        (tmp_path / "a.py").write_text(text.replace("EXPRESSION", expression))
        options = ScanOptions(paths=(str(tmp_path / "a.py"),), project_root=str(tmp_path), jobs=1, cache=False)
        (kernel,) = scan(options).kernels
        assert {o.verdict.value for o in kernel.obligations if o.span.column == 10 and "bounds" in o.kind} == {found}
