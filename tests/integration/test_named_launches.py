"""Kernels that are taken out of a module by their names, by helpers of the file and where nobody reads the launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.engine.contracts import BY_NAME
from cudalint.finding import Confidence, Finding

KERNEL = """
template <typename T> __global__ void stage(int n, const T *x, T *out) {
  __shared__ T cache[2];
  cache[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = cache[0] + cache[1];
}
"""
MODULE = """import cupy
from names import name_of

SOURCE = r'''%s'''
MODULE = cupy.RawModule(code=SOURCE, name_expressions=[f"stage<{t}>" for t in map(name_of, TYPES)])


def take(module, name, *like):
    template = ", ".join([name_of(each.dtype) for each in like])
    kernel = module.get_function(f"{name}<{template}>" if like else name)
    return kernel


def run(x):
    out = cupy.empty((4,), dtype=x.dtype)
    kernel = take(MODULE, "stage", out)
    kernel((1,), (%d,), (4, x, out))
    return out
"""
PLAIN = "__global__ void keep(float *x) { __shared__ float tile[12]; tile[threadIdx.x] = x[threadIdx.x]; }\n"
TAKEN = 'import library\n\nkeep = library.module("k.cuh").get_function("keep")\n'


def found(root: Path, profile: str = "default", **files: str) -> tuple[Finding, ...]:
    for name, text in files.items():
        (root / name.replace("_", ".")).write_text(text)
    given = ScanOptions(paths=(str(root),), project_root=str(root), jobs=1, select=("IDX102",), profile=profile)
    return scan(given).findings


@pytest.mark.parametrize(("block", "count"), [(2, 0), (4, 1)])
def test_a_helper_takes_an_instance_whose_type_is_not_known(tmp_path: Path, block: int, count: int) -> None:
    findings = found(tmp_path, run_py=MODULE % (KERNEL, block))
    assert [f.launch_site is not None for f in findings] == [True] * count


@pytest.mark.parametrize(("caller", "confidence"), [("", Confidence.HIGH), (TAKEN, Confidence.MEDIUM)])
def test_what_code_nobody_understands_launches_is_not_sure_to_have_an_ordinary_launch(
    tmp_path: Path, caller: str, confidence: Confidence
) -> None:
    (finding,) = found(tmp_path, "audit", k_cu=PLAIN, call_py=caller)
    assert finding.confidence is confidence
    assert (BY_NAME in [a.text for a in finding.assumptions]) is (confidence is Confidence.MEDIUM)


def test_a_launch_that_is_read_is_no_other_for_a_name_beside_it(tmp_path: Path) -> None:
    launch = "void run(float *x) { keep<<<2, 512>>>(x); }\n"
    (finding,) = found(tmp_path, k_cu=PLAIN + launch, call_py=TAKEN)
    assert finding.confidence is Confidence.HIGH


@pytest.mark.parametrize("launch", ["LAUNCH_KERNEL((::keep), x)", "RUN_ON_GPU( \\\n    keep, launch_of(x), x)"])
def test_nor_is_what_a_macro_launches_that_nobody_reads(tmp_path: Path, launch: str) -> None:
    text = f'#include "launching.h"\n#define GO(x) {launch}\nvoid run(float *x) {{ GO(x); }}\n'
    (finding,) = found(tmp_path, "audit", k_cu=PLAIN + text)
    assert finding.confidence is Confidence.MEDIUM
    assert BY_NAME in [a.text for a in finding.assumptions]


@pytest.mark.parametrize(("block", "count"), [(12, 0), (13, 1)])
def test_a_macro_that_is_read_has_the_launch_that_it_writes(tmp_path: Path, block: int, count: int) -> None:
    macro = "#define LAUNCH_KERNEL(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)\n"
    launch = f"void run(float *x) {{ LAUNCH_KERNEL(keep, 1, {block}, x); }}\n"
    findings = found(tmp_path, k_cu=PLAIN + macro + launch)
    assert [f.launch_site is not None for f in findings] == [True] * count
