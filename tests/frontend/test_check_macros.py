"""Checks by macros that nothing defines: behind them a comparison holds on the host; in device code nobody knows."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.check_macros import check_macro
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

KERNEL = "__global__ void k(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] = 0; }"


def verdict_behind(check: str) -> Verdict:
    """Of the write, where memory has m elements and the kernel writes n."""
    text = f"{KERNEL}\nvoid run(int n, int m) {{ float *p; cudaMalloc(&p, 4 * m); {check}; k<<<1, 256>>>(p, n); }}"
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit).items()
    obligations = analyse(unit, unit.functions[kernel], contract).obligations
    (found,) = (o.verdict for o in obligations if o.kind == "bounds")
    return found


@pytest.mark.parametrize(
    "check",
    [
        "ASSERT(n == m)",
        'RAFT_EXPECTS(n <= m, "too few")',
        "CV_Assert(m > 0 && n == m)",
        'CHECK_LE(n, m) << "too few: " << m',
        'PADDLE_ENFORCE_EQ(n, m, platform::errors::InvalidArgument("too few"))',
        'FT_CHECK_WITH_INFO(n <= m, "too few")',
    ],
)
def test_what_is_compared_holds_behind_it(check: str) -> None:
    assert verdict_behind(check) is Verdict.SAFE


@pytest.mark.parametrize(
    "check",
    ["DCHECK(n == m)", "EXPECT_EQ(n, m)", "CHECK_NE(n, m)", "CUDA_CHECK(cudaGetLastError())", "ASSERT(m >= n / 2)"],
)
def test_what_only_debug_builds_or_tests_check_or_what_says_less_proves_nothing(check: str) -> None:
    assert verdict_behind(check) is Verdict.VIOLATED


def test_a_status_given_to_the_same_macro_says_nothing() -> None:
    assert verdict_behind("CHECK(n == m); CHECK(cudaGetLastError())") is Verdict.SAFE
    assert verdict_behind("CHECK(m > 0); CHECK(cudaGetLastError())") is Verdict.VIOLATED


def test_in_device_code_it_is_not_understood() -> None:
    text = "__global__ void k(float *x, int n) { int i = threadIdx.x; ASSERT(i < n); x[i] = 0; }"
    (entry,) = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").kernels
    assert not entry.complete


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("CHECK", "(cudaFree(p))"),
        ("CHECK_INPUT", "(x)"),
        ("RECHECK", "(a == b)"),
        ("ASSERT", " = 4"),
        ("check", "(a == b)"),
    ],
)
def test_what_compares_nothing_or_has_another_name_is_none(name: str, after: str) -> None:
    assert check_macro(name, after) is None
