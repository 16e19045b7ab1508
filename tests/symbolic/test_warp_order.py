"""What barriers of a warp order, and what wraps do to indices that mathematics keeps apart."""

from __future__ import annotations

import pytest

from cudalint.engine.contracts import annotation_facts, complete_contracts
from cudalint.engine.options import ScanOptions
from cudalint.finding import Verdict
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse

LAUNCH = "launch grid=(4) block=(64) shared=0"


def race_verdicts(body: str, params: str = "", launch: str = LAUNCH) -> dict[str, Verdict]:
    text = f"""
// cudalint: extent(x) = 65536 ; {launch}
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float* x{params}) {{
  __shared__ float s[64];
  int t = threadIdx.x;
  {body}
}}
"""
    source = SourceFile("k.cu", "/k.cu", text)
    unit = translate(source, ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    facts, errors = annotation_facts(kernel, index(source).annotations)
    assert not errors
    (contract,) = complete_contracts(kernel, (), facts, ScanOptions(("k.cu",)))
    results = analyse(unit, kernel, contract).sync_results
    return {r.object.name: r.verdict for r in results if r.kind == "race" and r.object is not None}


EXCHANGE = "s[t] = t; {between} x[blockIdx.x * 64 + t] = s[t ^ 1];"
LOOP = """
float sum = 0;
for (int k = 0; k < 20; k++) {{ s[t] = x[4096 + 64 * k + t]; {first} sum += s[t ^ 1]; {second} }}
x[blockIdx.x * 64 + t] = sum;
"""
HALVES = "if (t % 32 < 16) {{ {before} s[t] = t; {after} }} else x[t] = s[t - 16];"
SYNC = "__syncwarp();"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (EXCHANGE.format(between=SYNC), Verdict.SAFE),
        (EXCHANGE.format(between=""), Verdict.VIOLATED),
        (EXCHANGE.format(between="if (t >= 0) __syncwarp();"), Verdict.SAFE),
        (EXCHANGE.format(between="cg::tiled_partition<2>(cg::this_thread_block()).sync();"), Verdict.SAFE),
        (EXCHANGE.format(between="cg::tiled_partition<16>(cg::this_thread_block()).sync();"), Verdict.SAFE),
        (EXCHANGE.format(between=SYNC).replace("t ^ 1", "t ^ 32"), Verdict.VIOLATED),
        (LOOP.format(first=SYNC, second=SYNC), Verdict.SAFE),
        (LOOP.format(first=SYNC, second=""), Verdict.VIOLATED),
        (LOOP.format(first="", second=SYNC), Verdict.VIOLATED),
        (HALVES.format(before="__syncwarp(0xffff);", after=""), Verdict.VIOLATED),
    ],
)
def test_what_barriers_of_a_warp_order(body: str, wanted: Verdict) -> None:
    assert race_verdicts(body)["s"] is wanted


def test_a_barrier_of_a_tile_orders_no_other_tile() -> None:
    body = EXCHANGE.format(between="cg::tiled_partition<16>(cg::this_thread_block()).sync();").replace(
        "t ^ 1", "t ^ 16"
    )
    assert race_verdicts(body)["s"] is Verdict.VIOLATED


@pytest.mark.parametrize("between", ["if (flag) __syncwarp();", "__syncwarp(flag);"])
def test_what_may_order_decides_nothing(between: str) -> None:
    assert race_verdicts(EXCHANGE.format(between=between), ", unsigned flag")["s"] is Verdict.UNKNOWN


HANDED = "s[t] = t; __syncthreads(); float v = s[t % 4]; {between} if (t == 0) s[3] = v;"


@pytest.mark.parametrize(
    ("between", "threads", "wanted"),
    [
        ("v += __shfl_down_sync(0xffffffff, v, 1);", 32, Verdict.SAFE),
        ("v = 2 * v; v += __shfl_down_sync(0xffffffff, v, 1);", 32, Verdict.SAFE),
        ("v += __shfl_down_sync(0xffffffff, v, 1);", 64, Verdict.VIOLATED),
        ("v += __shfl_down_sync(0xffffffff, (float)t, 1);", 32, Verdict.VIOLATED),
        ("if (n > 2) v += __shfl_down_sync(0xffffffff, v, 1);", 32, Verdict.VIOLATED),
        ("", 32, Verdict.VIOLATED),
    ],
)
def test_lanes_write_after_all_have_handed_over_what_they_read(between: str, threads: int, wanted: Verdict) -> None:
    launch = f"launch grid=(4) block=({threads}) shared=0"
    assert race_verdicts(HANDED.format(between=between), ", int n", launch)["s"] is wanted


def test_shuffles_do_not_tell_what_was_written() -> None:
    body = "s[t] = x[t]; float v = __shfl_sync(0xffffffff, x[t], 0); x[64 + t] = v + s[t ^ 1];"
    assert race_verdicts(body)["s"] is Verdict.VIOLATED


SUMMED = """
float v = t;
for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o, {width});
s[t / 32] = v; __syncthreads(); x[blockIdx.x * 64 + t] = s[0];
"""


@pytest.mark.parametrize(
    ("width", "wanted"), [("32", Verdict.SAFE), ("warpSize", Verdict.SAFE), ("16", Verdict.VIOLATED)]
)
def test_a_whole_warp_shares_what_all_of_it_have_exchanged(width: str, wanted: Verdict) -> None:
    assert race_verdicts(SUMMED.format(width=width))["s"] is wanted


@pytest.mark.parametrize(("width", "wanted"), [("", Verdict.SAFE), (", 8", Verdict.VIOLATED)])
def test_one_lane_tells_those_of_its_own_part(width: str, wanted: Verdict) -> None:
    body = f"s[t / 32] = __shfl_sync(0xffffffff, (float)t, 0{width}); __syncthreads(); x[blockIdx.x * 64 + t] = s[0];"
    assert race_verdicts(body)["s"] is wanted


@pytest.mark.parametrize(
    "body",
    [
        "unsigned i = blockIdx.x * 64 + t, h = i * 2147483648u; x[h >> 16] = i;",
        "unsigned i = blockIdx.x * 64 + t; x[(i << 26) >> 16] = i;",
        "unsigned short i = t * 1024; x[i] = t;",
        "if ((unsigned char)(t * 128) == 0) x[0] = t;",
    ],
)
def test_indices_that_wrap_are_not_proved_to_be_apart(body: str) -> None:
    assert race_verdicts(body, launch="launch grid=(1) block=(128) shared=0")["x"] is not Verdict.SAFE


@pytest.mark.parametrize(
    "body",
    [
        "unsigned i = blockIdx.x * blockDim.x + t; x[i] = t;",
        "unsigned short i = t + 64 * blockIdx.x; x[i] = t;",
        "size_t i = (size_t)blockIdx.x * blockDim.x + t; if (i < n) x[i] = t;",
    ],
)
def test_indices_that_do_not_wrap_are(body: str) -> None:
    assert race_verdicts(body, ", int n")["x"] is Verdict.SAFE


def test_atomics_of_a_block_do_not_meet_those_of_another() -> None:
    assert race_verdicts("atomicAdd_block(&x[t], 1.f);")["x"] is Verdict.VIOLATED
    assert race_verdicts("atomicAdd_block(&x[t / 2 + 64 * blockIdx.x], 1.f);")["x"] is Verdict.SAFE
    assert race_verdicts("atomicAdd(&x[t], 1.f);")["x"] is Verdict.SAFE


def test_pointers_from_two_places_of_a_table_may_be_one_entry() -> None:
    same = "table[t][0] = t; table[t + {distance}][0] = 1;"
    one_block = "launch grid=(1) block=(64) shared=0"
    assert set(race_verdicts(same.format(distance=1), ", int** table", one_block).values()) == {Verdict.VIOLATED}
    assert set(race_verdicts(same.format(distance=64), ", int** table", one_block).values()) == {Verdict.SAFE}


EVERY_FOURTH = """
for (int k = 0; k < n; k++) {{
  if (k % {apart} == 0) __syncthreads();
  if (k % 4 == 1) s[t] = k;
  if (k % 4 == 3) x[t] = s[63 - t];
}}
"""


@pytest.mark.parametrize(("apart", "wanted"), [(4, Verdict.UNKNOWN), (2, Verdict.SAFE)])
def test_iterations_without_a_barrier_are_not_proved_to_be_apart(apart: int, wanted: Verdict) -> None:
    launch = "assume 1 <= n <= 1000 ; launch grid=(1) block=(64) shared=0"
    verdicts = race_verdicts(EVERY_FOURTH.format(apart=apart), ", int n", launch)
    assert verdicts["s"] is wanted and verdicts["x"] is Verdict.SAFE


ALONE = """
{before}
for (int k = 0; k < n; k++) {{ {body} }}
{after}
"""


@pytest.mark.parametrize(
    ("before", "body", "after", "wanted"),
    [
        ("int v = n;", "v = v / 2 + 1; x[t + v % 1000] = t;", "", Verdict.VIOLATED),
        ("float v = 1;", "v = v * 2 + 1; x[0] = v;", "", Verdict.VIOLATED),
        ("float v = 1;", "v = v * 2 + 1;", "x[0] = v;", Verdict.SAFE),
        ("float v = 1;", "v = v * 2 + 1; if (k == t) break;", "x[0] = v;", Verdict.VIOLATED),
        ("int v = n;", "v = v / 2 + 1; __syncthreads(); x[t + v % 1000] = t;", "", Verdict.SAFE),
        ("int v = n;", "v = v / 2 + 1;", "x[t + v % 1000] = t;", Verdict.SAFE),
    ],
)
def test_each_thread_is_in_an_iteration_of_its_own(before: str, body: str, after: str, wanted: Verdict) -> None:
    kernel = ALONE.format(before=before, body=body, after=after)
    launch = "assume 1 <= n <= 1000 ; launch grid=(1) block=(64) shared=0"
    assert race_verdicts(kernel, ", int n", launch)["x"] is wanted


READ = "s[t] = t; __syncthreads(); x[blockIdx.x * 64 + t] = s[max(0, min(63, n * n - t))]; {behind}"


@pytest.mark.parametrize(
    ("behind", "wanted"),
    [("", Verdict.SAFE), ("__syncthreads(); s[t] = 0;", Verdict.SAFE), ("if (n == 0) s[t] = 0;", Verdict.VIOLATED)],
)
def test_where_a_read_goes_is_all_the_same_while_nobody_writes(behind: str, wanted: Verdict) -> None:
    assert race_verdicts(READ.format(behind=behind), ", int n")["s"] is wanted


ROUNDS = """
int w = t;
for (int k = 0; k < n; k++) {{
  while (w < 64) {{ s[w] = t + k; w += 64; }}
  w = {again};
  __syncthreads();
  x[blockIdx.x * 64 + t] += s[63 - t];
  __syncthreads();
}}
"""


@pytest.mark.parametrize(("again", "wanted"), [("t", Verdict.SAFE), ("t / 2", Verdict.VIOLATED)])
def test_what_each_round_sets_anew_begins_every_round(again: str, wanted: Verdict) -> None:
    assert race_verdicts(ROUNDS.format(again=again), ", int n")["s"] is wanted
