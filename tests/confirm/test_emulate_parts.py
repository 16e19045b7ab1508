"""Barriers for part of a block and barriers with phases: a run sees the order that they give, and the races that they leave."""

from __future__ import annotations

import numpy as np
import pytest

from tests.confirm.test_emulate_source import outcome

NUMBERED = """
__global__ void k(const float *x, float *y) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    asm volatile("bar.sync %%0, 64;" :: "r"(t / 64 + 1) : "memory");
    y[t] = s[%s];
}
"""
HANDED_OVER = """
__global__ void k(const float *x, float *y) {
    __shared__ float s[64];
    int t = threadIdx.x %% 64;
    if (threadIdx.x < 64) { %s } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        y[t] = s[63 - t];
    }
}
"""
STORE, ARRIVE = "s[t] = x[t];", 'asm volatile("bar.arrive 1, 128;" ::: "memory");'
CHAIN = """
__global__ void k(const float *x, float *y) {
    __shared__ float s[32];
    int w = threadIdx.x / 32, t = threadIdx.x %% 32;
    if (w == 0) { s[t] = x[t]; asm volatile("bar.arrive 1, 64;" ::: "memory"); }
    if (w == 1) { %s }
    if (w == 2) { asm volatile("bar.sync 2, 64;" ::: "memory"); y[t] = s[31 - t]; }
}
"""
WAIT, PASS_ON = 'asm volatile("bar.sync 1, 64;" ::: "memory");', 'asm volatile("bar.arrive 2, 64;" ::: "memory");'
PHASES = """
#include <cuda/barrier>
#include <utility>
__global__ void k(const float *x, float *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t == 0) init(&bar, 128);
    __syncthreads();
    %s
    y[t] = s[127 - t];
}
"""
TOKEN, REST = "auto token = bar.arrive();", "bar.wait(std::move(token));"
MASKS = """
__global__ void k(const float *x, float *y) {
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);
    y[t] = s[%s];
}
"""


def events(text: str, threads: int) -> list[str]:
    x = np.arange(threads, dtype=np.float32)
    found = outcome(text, "k", [x, np.zeros(threads, np.float32)], grid=1, block=threads)
    assert found.status == "finished", found
    return [event.kind for event in found.events]


@pytest.mark.parametrize(
    ("text", "threads", "wanted"),
    [
        (NUMBERED % "t / 64 * 64 + 63 - t % 64", 128, []),
        (NUMBERED % "127 - t", 128, ["race"]),
        (HANDED_OVER % (STORE + ARRIVE), 128, []),
        (HANDED_OVER % (ARRIVE + STORE), 128, ["race"]),
        (CHAIN % (WAIT + PASS_ON), 96, []),
        (CHAIN % (PASS_ON + WAIT), 96, ["race"]),
        (PHASES % ("s[t] = x[t];" + TOKEN + REST), 128, []),
        (PHASES % (TOKEN + "s[t] = x[t];" + REST), 128, ["race"]),
        (PHASES % ("s[t] = x[t]; (void)bar.arrive();"), 128, ["race"]),
        (MASKS % "t ^ 15", 32, []),
        (MASKS % "t ^ 16", 32, ["race"]),
    ],
)
def test_what_parts_of_a_block_order(text: str, threads: int, wanted: list[str]) -> None:
    assert sorted(set(events(text, threads))) == wanted


def test_more_threads_at_once_than_the_barrier_waits_for() -> None:
    text = NUMBERED.replace("t / 64 + 1", "1") % "t"
    assert events(text, 128) == ["divergence"]


def test_a_wait_for_the_phase_of_others_is_not_run() -> None:
    body = "if (t < 64) { s[t] = x[t]; (void)bar.arrive(); } else bar.wait_parity(0);"
    x = np.zeros(128, np.float32)
    found = outcome(PHASES % body, "k", [x, x.copy()], grid=1, block=128)
    assert found.status == "unsupported" and "has not arrived" in found.reason
