"""Asynchronous copies and barriers in shared memory: what the engine says of them the emulator shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Evidence
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.ir.text import unit_text
from cudalint.source import SourceFile

FIXTURES = Path(__file__).parent.parent / "fixtures"
SHOWN = [
    "SYN401-copy-read-early/bad_pipeline_without_wait.cu",
    "SYN401-copy-read-early/bad_group_copy.cu",
    "SYN401-copy-read-early/bad_last_tile_without_next.cu",
    "SYN401-copy-read-early/bad_own_element.cu",
    "SYN401-copy-read-early/bad_in_flight_into_loop.cu",
    "SYN403-unready-barrier/bad_init_without_barrier.cu",
]
HEAD = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void k(const float* x, float* y) {
    __shared__ float s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline();
    %s
    y[threadIdx.x] = s[threadIdx.x];
}
"""
LOWERED = {
    "cuda::memcpy_async(&s[0], &x[0], sizeof(float), pipe);": ["async copy"],
    "pipe.producer_commit();": ["async commit"],
    "pipe.consumer_wait();": ["async wait oldest"],
    "cuda::pipeline_consumer_wait_prior<2>(pipe);": ["async wait 2:u32"],
    "cg::memcpy_async(block, s, x, sizeof(s));": ["loop while", "async copy", "async commit"],
    "cg::wait(block);": ["async wait 0:u32", "barrier.block.sync"],
    "init(&bar, block.size());": ["barrier.block.init of &bar"],
    "bar.arrive_and_wait();": ["barrier.block.sync of &bar"],
    "bar.wait(bar.arrive());": ["barrier.block.sync of &bar"],
    "auto token = bar.arrive(); bar.wait(std::move(token));": [
        "barrier.block.arrive of &bar",
        "barrier.block.wait of &bar",
    ],
    "cuda::memcpy_async(block, s, x, sizeof(s), bar);": ["async copy", "until &bar"],
}


@pytest.mark.parametrize("name", SHOWN)
def test_the_emulator_shows_what_is_found(name: str) -> None:
    path = FIXTURES / name
    result = scan(ScanOptions(paths=(str(path),), project_root=str(path.parent), jobs=1))
    assert [f.evidence for f in result.findings] == [Evidence.EMULATED], [f.evidence_reason for f in result.findings]


@pytest.mark.parametrize("call", LOWERED)
def test_a_call_is_understood(call: str) -> None:
    text = unit_text(translate(SourceFile("k.cu", "/k.cu", HEAD % call), ParseOptions(), "/").unit)
    at = 0
    for part in LOWERED[call]:
        at = text.find(part, at)
        assert at >= 0, f"no `{part}` in\n{text}"
    assert "unmodelled" not in text


def test_a_pipeline_of_a_block_orders_its_threads() -> None:
    call = """__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto shared = cuda::make_pipeline(block, &state);
    shared.producer_acquire(); shared.producer_commit(); shared.consumer_wait(); shared.consumer_release();"""
    text = unit_text(translate(SourceFile("k.cu", "/k.cu", HEAD % call), ParseOptions(), "/").unit)
    assert text.count("barrier.block.wait") == 2, text


@pytest.mark.parametrize(
    ("set_up", "verdict"),
    [
        pytest.param("if (t == 0) init(&bar, 128); __syncthreads();", "safe", id="set up for all"),
        pytest.param("__syncthreads(); if (t == 0) init(&bar, 128);", "unknown", id="set up beside its first use"),
    ],
)
def test_a_barrier_that_is_not_set_up_separates_nothing(tmp_path: Path, set_up: str, verdict: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(f"""// cudalint: launch grid=(1) block=(128)
#include <cuda/barrier>
__global__ void k(const float* x, float* y) {{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float tile[128];
    int t = threadIdx.x;
    {set_up}
    tile[t] = x[t];
    bar.arrive_and_wait();
    y[t] = tile[127 - t];
}}
""")
    result = scan(ScanOptions(paths=(str(path),), project_root=str(path.parent), jobs=1))
    (kernel,) = result.kernels
    (race,) = (o for o in kernel.obligations if o.kind == "shared-access-race" and o.span.line == 8)
    assert race.verdict.value == verdict
