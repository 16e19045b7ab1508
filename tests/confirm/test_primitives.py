"""Primitives of cub in runs that compare results: what NumPy makes of the same items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cudalint.confirm.emulate.run import Buffer, LaunchInput, PointerTo, Scalar
from cudalint.confirm.expected import Expected, expected
from cudalint.confirm.plan import Expectation, Plan
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

THREADS = 64
VALID = 50
KERNEL = """#include <cub/cub.cuh>
__global__ void k(const TYPE *x, TYPE *y, int n) {
    int t = threadIdx.x;
    TYPE v = x[t];
    BODY
}
"""


def left(body: str, type_: str, x: np.ndarray[Any, Any]) -> tuple[Expected, np.ndarray[Any, Any]]:
    """What is told of y, and its numbers as the emulator leaves them."""
    source = SourceFile("k.cu", "/k.cu", KERNEL.replace("TYPE", type_).replace("BODY", body))
    unit = translate(source, ParseOptions(), "/").unit
    kernel = next(f.id for f in unit.functions.values() if f.name == "k")
    launch = LaunchInput((1, 1, 1), (THREADS, 1, 1), 0, (PointerTo("x"), PointerTo("y"), Scalar(VALID)))
    near = np.full(len(x), 7, x.dtype)
    buffers = Buffer("x", x.view(np.uint8)), Buffer("y", near.view(np.uint8))
    told = expected(unit, Plan(kernel, launch, buffers, Expectation(("clean",), ())), 0)
    assert not told.reason, told.reason
    wanted = told.near["y"].wanted if "y" in told.near else b""
    return told, np.frombuffer(wanted, x.dtype)


def is_left(body: str, x: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> bool:
    """The bytes of y are those of `wanted`, exactly."""
    from cudalint.confirm.gpu.guard import digest

    told, _ = left(body, "int", x)
    return told.outputs["y"] == digest(wanted.astype(np.int32).tobytes())


INTS = np.random.default_rng(1).integers(-1000, 1000, 4 * THREADS).astype(np.int32)
FLOATS = np.random.default_rng(1).uniform(-1, 1, THREADS).astype(np.float32)


def first(value: int) -> np.ndarray[Any, Any]:
    wanted = np.full(len(INTS), 7, np.int32)
    wanted[0] = value
    return wanted


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("Sum(v)", INTS[:THREADS].sum()),
        ("Sum(v, n)", INTS[:VALID].sum()),
        ("Reduce(v, cub::Max())", INTS[:THREADS].max()),
        ("Reduce(v, cub::Min(), n)", INTS[:VALID].min()),
    ],
)
def test_the_first_thread_of_a_block_has_what_the_block_brings(call: str, value: int) -> None:
    body = "typedef cub::BlockReduce<TYPE, 64> R; __shared__ R::TempStorage s; TYPE r = R(s).%s; if (t == 0) y[0] = r;"
    assert is_left((body % call).replace("TYPE", "int"), INTS, first(value))


@pytest.mark.parametrize("lanes", [32, 8])
def test_the_first_lane_of_a_logical_warp_has_what_the_warp_brings(lanes: int) -> None:
    body = f"typedef cub::WarpReduce<int, {lanes}> R; __shared__ R::TempStorage s[8];"
    body += f"int r = R(s[t / {lanes}]).Sum(v); if (t % {lanes} == 0) y[t] = r;"
    wanted = np.full(len(INTS), 7)
    wanted[:THREADS:lanes] = INTS[:THREADS].reshape(-1, lanes).sum(axis=1)
    assert is_left(body, INTS, wanted)


@pytest.mark.parametrize(("call", "own"), [("InclusiveSum", 0), ("ExclusiveSum", 1)])
def test_a_scan_gives_each_thread_what_is_in_front_of_it(call: str, own: int) -> None:
    body = f"typedef cub::BlockScan<int, 64> S; __shared__ S::TempStorage s; int r; S(s).{call}(v, r); y[t] = r;"
    wanted = np.full(len(INTS), 7)
    wanted[:THREADS] = np.cumsum(INTS[:THREADS]) - own * INTS[:THREADS]
    assert is_left(body, INTS, wanted)


@pytest.mark.parametrize("how", ["DIRECT", "TRANSPOSE", "WARP_TRANSPOSE"])
def test_items_are_neighbours_however_they_are_loaded_and_stored(how: str) -> None:
    body = f"""typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_{how}> L; __shared__ L::TempStorage a;
    typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_{how}> W; __shared__ W::TempStorage b;
    int items[4]; L(a).Load(x, items, 4 * n, 0);
    for (int i = 0; i < 4; i++) items[i] = items[i] * 4 + i;
    W(b).Store(y, items, 4 * n);"""
    wanted = np.where(np.arange(len(INTS)) < 4 * VALID, INTS * 4 + np.arange(len(INTS)) % 4, 7)
    assert is_left(body, INTS, wanted)


@pytest.mark.parametrize(("how", "told"), [("DIRECT", True), ("TRANSPOSE", False), ("WARP_TRANSPOSE", False)])
def test_nothing_is_told_of_items_that_other_threads_load_from_their_own_address(how: str, told: bool) -> None:
    body = f"""typedef cub::BlockLoad<int, 64, 2, cub::BLOCK_LOAD_{how}> L; __shared__ L::TempStorage a;
    int items[2]; L(a).Load(x + t / 4, items, n, 0); y[t] = items[1];"""
    if told:
        wanted = np.full(len(INTS), 7)
        at = np.arange(THREADS) * 2 + 1
        wanted[:THREADS] = np.where(at < VALID, INTS[at + np.arange(THREADS) // 4], 0)
        assert is_left(body, INTS, wanted)
    else:
        with pytest.raises(AssertionError, match="several addresses"):
            left(body, "int", INTS)


def test_a_sum_of_floats_is_near_in_any_order() -> None:
    body = "typedef cub::BlockReduce<float, 64> R; __shared__ R::TempStorage s; float r = R(s).Sum(v); if (t == 0) y[0] = r;"
    told, wanted = left(body, "float", FLOATS)
    orders = [np.cumsum(FLOATS[np.random.default_rng(k).permutation(THREADS)], dtype=np.float32)[-1] for k in range(50)]
    allowed = told.near["y"].allowed
    assert (np.abs(np.array(orders, np.float64) - wanted[0]) <= allowed[0]).all() and allowed[0] < 1e-4
    assert (allowed[1:] == 0).all()


def test_an_operation_of_its_own_stays_open() -> None:
    body = "struct F { __device__ int operator()(int a, int b) const { return a ^ b; } };"
    body += "typedef cub::BlockReduce<int, 64> R; __shared__ R::TempStorage s; int r = R(s).Reduce(v, F()); if (t == 0) y[0] = r;"
    with pytest.raises(AssertionError, match="cub::BlockReduce::Reduce"):
        left(body, "int", INTS)


def test_an_operation_of_the_project_that_is_called_like_one_of_cub_stays_open() -> None:
    body = "struct Max { __device__ int operator()(int a, int b) const { return a ^ b; } };"
    body += "typedef cub::BlockReduce<int, 64> R; __shared__ R::TempStorage s; int r = R(s).Reduce(v, Max()); if (t == 0) y[0] = r;"
    with pytest.raises(AssertionError, match="cub::BlockReduce::Reduce"):
        left(body, "int", INTS)
