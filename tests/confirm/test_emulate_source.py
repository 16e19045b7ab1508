"""From CUDA text through the front end into the emulator: the events stand on the lines that say so."""

from __future__ import annotations

import numpy as np
import pytest

from cudalint.confirm.emulate.run import Buffer, LaunchInput, Outcome, PointerTo, Scalar, run
from cudalint.source import SourceFile

translate = pytest.importorskip("cudalint.frontend.translate", reason="needs the front end")

REDUCE = """
__global__ void total(const float *x, float *out, int n) {
    __shared__ float tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];  // race without the barrier
        %s
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}
"""
HALVES = """
#include <cuda_fp16.h>
__global__ void scale(__half2 *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i %s n) x[i] = __hmul2(x[i], __float2half2_rn(0.5f));
}
"""
LOCKED = """
__device__ int turn;
__global__ void ordered(int *out) {
    if (threadIdx.x == 0) {
        while (atomicAdd(&turn, 0) != blockIdx.x) { }
        out[blockIdx.x] = turn;
        __threadfence();
        atomicAdd(&turn, 1);
    }
}
"""


def outcome(text: str, kernel: str, arguments: list[object], **shape: int) -> Outcome:
    source = SourceFile("k.cu", "/nowhere/k.cu", text)
    unit = translate.translate(source, translate.ParseOptions(), "/nowhere").unit
    found = next(f for f in unit.functions.values() if f.name == kernel)
    buffers, args = [], []
    for param, value in zip(found.params, arguments, strict=True):
        if isinstance(value, np.ndarray):
            buffers.append(Buffer(param.var.name, value.view(np.uint8)))
            args.append(PointerTo(param.var.name))
        else:
            args.append(Scalar(value))  # type: ignore[arg-type]
    launch = LaunchInput((shape["grid"], 1, 1), (shape["block"], 1, 1), 0, tuple(args))
    return run(unit, found.id, launch, tuple(buffers))


def lines(result: Outcome) -> set[tuple[str, int]]:
    return {(event.kind, event.access.span.line) for event in result.events}


def test_reduction_with_and_without_its_barrier() -> None:
    def arguments() -> list[object]:
        return [np.ones(500, np.float32), np.zeros(4, np.float32), 500]

    good = outcome(REDUCE % "__syncthreads();", "total", arguments(), grid=4, block=128)
    assert good.status == "finished" and good.events == ()
    assert good.buffers["out"].view(np.float32).tolist() == [128.0, 128.0, 128.0, 116.0]
    bad = outcome(REDUCE % "", "total", arguments(), grid=4, block=128)
    assert ("race", 8) in lines(bad) and {line for _, line in lines(bad)} <= {8, 11}


def test_half_pairs_and_an_off_by_one_guard() -> None:
    good = outcome(HALVES % "<", "scale", [np.full(80, 3, np.float16), 40], grid=2, block=32)
    assert good.status == "finished" and good.events == ()
    assert (good.buffers["x"].view(np.float16) == 1.5).all()
    bad = outcome(HALVES % "<=", "scale", [np.full(80, 3, np.float16), 40], grid=2, block=32)
    assert lines(bad) == {("out_of_bounds", 5)}
    assert {e.access.thread for e in bad.events} == {(8, 0, 0)}


def test_blocks_that_wait_for_their_turn_finish() -> None:
    result = outcome(LOCKED, "ordered", [np.zeros(4, np.int32)], grid=4, block=32)
    assert result.status == "finished"
    assert result.buffers["out"].view(np.int32).tolist() == [0, 1, 2, 3]


def test_a_copy_to_shared_memory_by_number_arrives() -> None:
    text = """
    __global__ void turn(const float *x, float *out) {
        __shared__ alignas(16) float row[128];
        unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row)) + 16 * threadIdx.x;
        asm volatile("cp.async.cg.shared.global [%%0], [%%1], 16;" ::"r"(at), "l"(x + 4 * threadIdx.x));
        asm volatile("cp.async.wait_all;" ::);
        %s
        for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = row[127 - 4 * threadIdx.x - i];
    }
    """
    values = np.arange(128, dtype=np.float32)
    waits = outcome(text % "__syncthreads();", "turn", [values, np.zeros(128, np.float32)], grid=1, block=32)
    assert ({event.kind for event in waits.events}, waits.status) == ({"opaque"}, "finished")
    assert np.array_equal(waits.buffers["out"].view(np.float32), values[::-1])
    goes_on = outcome(text % "", "turn", [values, np.zeros(128, np.float32)], grid=1, block=32)
    assert "race" in {event.kind for event in goes_on.events}


COUNTS = """
__global__ void add_back(int2 *sizes, int *out) {
    int2 size = sizes[0];
    out[threadIdx.x] = %s;
    atomicAdd(&sizes[0].y, 1);
}
"""


@pytest.mark.parametrize(("used", "races"), [("size.x", []), ("size.y", ["race"]), ("size.x + size.y", ["race"])])
def test_lanes_that_are_loaded_and_not_used_race_with_nobody(used: str, races: list[str]) -> None:
    arguments: list[object] = [np.zeros(2, np.int32), np.zeros(64, np.int32)]
    seen = outcome(COUNTS % used, "add_back", arguments, grid=1, block=64)
    assert sorted({event.kind for event in seen.events}) == races
