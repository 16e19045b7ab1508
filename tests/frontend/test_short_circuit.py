"""What `&&`, `||` and `?:` guard stays guarded wherever the expression stands: the engine and the emulator agree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cudalint.confirm.emulate.run import Buffer, LaunchInput, PointerTo, Scalar, run
from cudalint.engine import ScanOptions, scan
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

ELEMENTS, BLOCK = 5, 32
GUARDED = {"and": "i < n && x[i] > 0", "or": "i >= n || x[i] > 0", "choice": "i < n ? x[i] : 7"}
LATE = {"and": "x[i] > 0 && i < n", "or": "x[i] > 0 || i >= n", "choice": "x[i] > 0 ? n : 7"}
POSITIONS = {
    "argument of a builtin": "y[t] = __popc({guarded});",
    "vote": "y[t] = __ballot_sync(0xffffffffu, {guarded});",
    "shuffle": "y[t] = __shfl_down_sync(0xffffffffu, ({guarded}), 1);",
    "atomic": "atomicAdd(&y[t], ({guarded}));",
    "place of an atomic": "atomicAdd(&y[({guarded}) & 3], 1);",
    "device function": "y[t] = twice({guarded});",
    "reference": "const int& r = ({guarded}); y[t] = r;",
    "method": "Box b(1); y[t] = b.plus({guarded});",
    "constructor": "Box b({guarded}); y[t] = b.value;",
    "temporary": "y[t] = Box({guarded}).value;",
    "return": "y[t] = returned(x, i, n);",
    "lambda": "auto f = [&] {{ return ({guarded}); }}; y[t] = f();",
    "if": "if ({guarded}) y[t] = 1;",
    "for": "for (int k = 0; k < 2 && ({guarded}); ++k) y[t] += 1;",
    "for's step": "for (int k = 0; k < 2; y[t] += ({guarded}), ++k) {{}}",
    "while": "int k = 0; while (({guarded}) && k < 2) ++k; y[t] = k;",
    "do while": "int k = 0; do ++k; while (k < 2 && ({guarded})); y[t] = k;",
    "switch": "switch ({guarded}) {{ case 0: y[t] = 1; break; default: y[t] = 2; }}",
    "subscript": "int a[8] = {{}}; y[t] = a[({guarded}) & 7];",
    "store's subscript": "y[({guarded}) & 3] = t;",
    "initialiser list": "int a[2] = {{1, ({guarded})}}; y[t] = a[1];",
    "struct's initialiser": "Pair p = {{t, ({guarded})}}; y[t] = p.second;",
    "vector's maker": "int2 v = make_int2(t, ({guarded})); y[t] = v.y;",
    "index inside ?:": "y[t] = t > 3 ? y[({guarded}) & 3] : 0;",
    "condition of ?:": "y[t] = ({guarded}) ? 1 : 2;",
    "operand": "y[t] += 2 * ({guarded}) + 1;",
    "comma": "y[t] = (t, ({guarded}));",
    "assignment inside": "int k; y[t] = 1 + (k = ({guarded}));",
    "discarded": "(void)({guarded});",
    "argument of an argument": "y[t] = twice(__popc(twice({guarded})));",
}
TEXT = """
struct Pair {{ int first, second; }};
struct Box {{
    int value;
    __device__ Box(int v) : value(v) {{}}
    __device__ int plus(int v) const {{ return value + v; }}
}};
__device__ int twice(int v) {{ return 2 * v; }}
__device__ int returned(const int* x, int i, int n) {{ return {guarded}; }}
// cudalint: extent(x) = n; extent(y) = 32; assume n > 0 && n <= 1000; launch grid=(1) block=(32)
__global__ void probe(const int* x, int* y, int n) {{
    int t = threadIdx.x, i = threadIdx.x;
    {statement}
}}
"""


def _text(position: str, guarded: str) -> str:
    return TEXT.format(guarded=guarded, statement=POSITIONS[position].format(guarded=guarded))


def _reads_of_x(text: str, folder: Path) -> set[Verdict]:
    path = folder / "k.cu"
    path.write_text(text)
    found = scan(ScanOptions(paths=(str(path),), project_root=str(folder), confirm="off", jobs=1))
    (kernel,) = [each for each in found.kernels if not each.device]
    assert kernel.complete, kernel.unmodelled
    reads = [o for o in kernel.obligations if o.kind == "global-read-bounds" and "x[" in _at(text, o.span.line)]
    assert reads
    return {o.verdict for o in reads if not _at(text, o.span.line)[o.span.column - 1 :].startswith("y")}


def _at(text: str, line: int) -> str:
    return text.splitlines()[line - 1]


def _runs_out_of_bounds(text: str) -> bool:
    unit = translate(SourceFile("k.cu", "/nowhere/k.cu", text), ParseOptions(), "/nowhere").unit
    kernel = next(f for f in unit.functions.values() if f.name == "probe")
    buffers = (
        Buffer("x", np.ones(ELEMENTS, np.int32).view(np.uint8)),
        Buffer("y", np.zeros(BLOCK, np.int32).view(np.uint8)),
    )
    launch = LaunchInput((1, 1, 1), (BLOCK, 1, 1), 0, (PointerTo("x"), PointerTo("y"), Scalar(ELEMENTS)))
    outcome = run(unit, kernel.id, launch, buffers)
    assert outcome.status == "finished", outcome.reason
    return any(event.kind == "out_of_bounds" for event in outcome.events)


@pytest.mark.parametrize("operator", GUARDED)
@pytest.mark.parametrize("position", POSITIONS)
def test_a_guard_before_the_access_holds(position: str, operator: str, tmp_path: Path) -> None:
    text = _text(position, GUARDED[operator])
    assert _reads_of_x(text, tmp_path) == {Verdict.SAFE}
    assert not _runs_out_of_bounds(text)


@pytest.mark.parametrize("operator", LATE)
@pytest.mark.parametrize("position", POSITIONS)
def test_a_guard_behind_the_access_comes_too_late(position: str, operator: str, tmp_path: Path) -> None:
    text = _text(position, LATE[operator])
    assert Verdict.VIOLATED in _reads_of_x(text, tmp_path)
    assert _runs_out_of_bounds(text)
