"""Warp operations that one change would put right are one issue; others keep one each."""

from __future__ import annotations

from cudalint.engine.contracts import annotation_facts, complete_contracts
from cudalint.engine.options import ScanOptions
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse


def issues(body: str, block: int = 64) -> list[tuple[str, int, list[int]]]:
    """Cause, line and related lines of each; the body begins on line 6."""
    text = f"""
// cudalint: extent(x) = 65536 ; launch grid=(4) block=({block}) shared=0
#include <cuda_runtime.h>
__global__ void k(float* x, int n, int m) {{
  int t = threadIdx.x; float v = x[t];
{body}
  __syncwarp(); x[t] = v;
}}
"""
    source = SourceFile("k.cu", "/k.cu", text)
    unit = translate(source, ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    facts, errors = annotation_facts(kernel, index(source).annotations)
    assert not errors
    (contract,) = complete_contracts(kernel, (), facts, ScanOptions(("k.cu",)))
    found = analyse(unit, kernel, contract).warps
    return [(issue.cause, issue.span.line, [related.span.line for related in issue.related]) for issue in found]


SHUFFLE = "v += __shfl_xor_sync(~0u, v, 1);"


def test_two_shuffles_behind_one_guard_are_one_issue() -> None:
    assert issues(f"if (t < n) {{ {SHUFFLE}\n{SHUFFLE} }}") == [("absent", 6, [7])]


def test_shuffles_behind_two_guards_are_two() -> None:
    assert issues(f"if (t < n) {SHUFFLE}\nif (t < m) {SHUFFLE}") == [("absent", 6, []), ("absent", 7, [])]


def test_a_guard_inside_of_the_guard_is_a_reason_of_its_own() -> None:
    inner = f"if (t < m) {SHUFFLE}"
    assert issues(f"if (t < n) {{ {SHUFFLE}\n{inner} }}") == [("absent", 6, []), ("absent", 7, [])]


def test_a_block_that_is_no_whole_number_of_warps_is_one_issue() -> None:
    assert issues(f"{SHUFFLE}\nv += __shfl_down_sync(~0u, v, 4);", block=45) == [("past the block", 6, [7])]
