"""What a compare-and-swap tells of the threads behind it."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts

CLAIM = "if (atomicCAS(&owner[place], 0, i + 1) == 0) winner[place] = i;"
GIVEN_BACK = "if (atomicCAS(&owner[place], 0, i + 1) == 0) { winner[place] = i; atomicExch(&owner[place], 0); }"
LARGEST = """
int seen = owner[place], assumed;
do { assumed = seen; seen = atomicCAS(&owner[place], assumed, i + 1); } while (seen != assumed && seen < i + 1);
if (seen == assumed) winner[place] = i;
"""
EXPECTED_BY_THREAD = "if (atomicCAS(&owner[place], i, i + 1) == i) winner[place] = i;"


def race_verdict(body: str) -> Verdict:
    kernel = f"""
__global__ void k(int *owner, int *winner, int places, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int place = i % places;
  {body}
}}
void run(int *owner, int *winner, int n, int places) {{
  if (n < 1 || n > 1000000 || places < 1 || places > n) return;
  k<<<(n + 127) / 128, 128>>>(owner, winner, places, n);
}}
"""
    unit = translate(SourceFile("k.cu", "/k.cu", kernel), ParseOptions(), "/").unit
    ((function, (contract,)),) = launch_contracts(unit).items()
    results = analyse(unit, unit.functions[function], contract).sync_results
    (found,) = [r for r in results if r.kind == "race" and r.object is not None and r.object.name == "winner"]
    return found.verdict


def test_who_claims_a_place_for_good_writes_there_alone() -> None:
    assert race_verdict(CLAIM) is Verdict.SAFE


@pytest.mark.parametrize("body", [GIVEN_BACK, LARGEST, EXPECTED_BY_THREAD])
def test_a_place_that_several_threads_may_get_in_turn_is_not_proved_free_of_races(body: str) -> None:
    assert race_verdict(body) is not Verdict.SAFE


def verdict_of(text: str, array: str) -> Verdict:
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((function, (contract,)),) = launch_contracts(unit).items()
    results = analyse(unit, unit.functions[function], contract).sync_results
    (found,) = [r for r in results if r.kind == "race" and r.object is not None and r.object.name == array]
    return found.verdict


WHOLE_ENTRIES = """
struct Entry {{ int key; int count; }};
__global__ void k(Entry *map, int *winner, int places, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int place = i % places;
  if (atomicCAS(&map[place].key, 0, i + 1) == 0) winner[place] = i;
  {again}
}}
void run(Entry *map, int *winner, int n, int places) {{
  if (n < 1 || n > 1000000 || places < 1 || places > n) return;
  k<<<(n + 127) / 128, 128>>>(map, winner, places, n);
}}
"""


def test_an_entry_that_is_written_whole_may_be_claimed_again() -> None:
    written = "else { Entry e; e.key = 0; e.count = 1; map[place] = e; }"
    assert verdict_of(WHOLE_ENTRIES.format(again=written), "winner") is not Verdict.SAFE
    assert verdict_of(WHOLE_ENTRIES.format(again=""), "winner") is Verdict.SAFE


COUNTED = """
__global__ void k(int *x, unsigned *count, int given) {{
  __shared__ unsigned c;
  int t = threadIdx.x;
  {body}
}}
void run(int *x, unsigned *count, int given) {{ k<<<1, 64>>>(x, count, given); }}
"""


@pytest.mark.parametrize(
    "body",
    [
        "x[atomicAdd(count, 1u)] = t;",
        "x[atomicInc(count, 0xffffffffu)] = t;",
        "if (t == 0) c = 0; __syncthreads(); x[atomicAdd(&c, 1u)] = t;",
        "for (int i = 0; i < 20; i++) { if (t == 0) c = 0; __syncthreads(); x[atomicAdd(&c, 1u)] = t; __syncthreads(); }",
    ],
)
def test_tickets_of_a_counter_that_only_rises_are_different(body: str) -> None:
    assert verdict_of(COUNTED.format(body=body), "x") is Verdict.SAFE


@pytest.mark.parametrize(
    "body",
    [
        "x[atomicInc(count, 15u)] = t;",
        "x[atomicAdd(count, 1u)] = t; atomicSub(count, 1u);",
        "x[atomicAdd((int*)count, 1)] = t; atomicAdd((int*)count, -1);",
        "x[atomicAdd((int*)count, given)] = t;",
        "x[atomicAdd(count, 1u)] = t; atomicExch(count, 0u);",
        "if (t == 0) c = 0; __syncthreads(); unsigned p = atomicAdd(&c, 1u); __syncthreads();"
        " if (t == 0) c = 0; __syncthreads(); x[p] = t; x[atomicAdd(&c, 1u)] = -t;",
    ],
)
def test_tickets_that_may_come_twice_prove_nothing(body: str) -> None:
    assert verdict_of(COUNTED.format(body=body), "x") is not Verdict.SAFE


def test_a_signal_of_which_nobody_knows_whether_it_is_the_last_proves_nothing() -> None:
    kernel = """
__global__ void k(int *x, int *y, unsigned *count) {
  int i = blockIdx.x * 64 + threadIdx.x;
  y[i] = i;
  __threadfence();
  if (atomicAdd(count, 1u) >= 1) x[i] = y[(i + 64) % 256];
}
void run(int *x, int *y, unsigned *count) { k<<<4, 64>>>(x, y, count); }
"""
    assert verdict_of(kernel, "y") is Verdict.UNKNOWN


CONTEST = """
__global__ void k(int *state, int *x, int *next, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  {body}
}}
void run(int *state, int *x, int *next, int n) {{
  if (n < 1 || n > 100000) return;
  k<<<(n + 127) / 128, 128>>>(state, x, next, n);
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        "if (atomicSub(state, 1) == 1) x[0] += i;",
        "if (atomicAdd(state, 1) == 7) x[0] += i;",
        "if (atomicAdd(&state[i / 2], 1) == 0) x[i / 2] = i;",
        "if (atomicMin(state, 3) > 3) x[0] += i;",
        "if (atomicMax(&state[i / 8], 5) < 5) x[i / 8] += i;",
        "if (atomicOr(&state[i / 8], 4) == 0) x[i / 8] += i;",
        "if ((atomicOr(&state[i / 8], 4) & 4) == 0) x[i / 8] += i;",
    ],
)
def test_who_alone_finds_one_value_is_alone(body: str) -> None:
    assert verdict_of(CONTEST.format(body=body), "x") is Verdict.SAFE


@pytest.mark.parametrize(
    "body",
    [
        "if (atomicSub(state, 1) > 0) x[0] += i;",
        "if (atomicAdd(state, 1) < 7) x[0] += i;",
        "if (atomicMin(state, i) > i) x[0] = i;",
        "if (atomicMax(&state[i / 8], 5) < 5) x[0] += i;",
    ],
)
def test_a_contest_that_several_win_is_no_lock(body: str) -> None:
    assert verdict_of(CONTEST.format(body=body), "x") is Verdict.VIOLATED


@pytest.mark.parametrize(
    "body",
    [
        "while (atomicAdd(state, 0) != i) { } x[0] += i; __threadfence(); atomicAdd(state, 1);",
        "int mine = atomicAdd(next, 1); while (atomicAdd(state, 0) != mine) { } x[0] += i; __threadfence(); atomicAdd(state, 1);",
        "if (atomicAdd(state, 1) == 0) { x[0] += i; __threadfence(); atomicSub(state, 1); }",
        "if ((atomicOr(state, 1) & 1) == 0) { x[0] += i; __threadfence(); atomicAnd(state, 0); }",
        "if (atomicMax(state, 1) == 0) { x[0] += i; __threadfence(); atomicExch(state, 0); }",
        "while (atomicSub(state, 1) <= 0) { } x[0] += i;",
        "if ((atomicAnd(&state[i / 32], ~(1 << (i % 32))) >> (i % 32) & 1) != 0) x[i] += i;",
    ],
)
def test_what_others_wait_for_or_give_back_may_keep_order(body: str) -> None:
    assert verdict_of(CONTEST.format(body=body), "x") is not Verdict.VIOLATED


ORDERED = """
__global__ void k(int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) asm volatile("st.relaxed.SCOPE.global.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  else {
    int seen;
    asm volatile("ld.relaxed.SCOPE.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    out[blockIdx.x] = seen;
  }
}
void run(int *flag, int *out, int n) { k<<<n, 32>>>(flag, out); }
"""


@pytest.mark.parametrize(("scope", "verdict"), [("gpu", Verdict.SAFE), ("sys", Verdict.SAFE), ("cta", Verdict.UNKNOWN)])
def test_a_load_that_is_ordered_for_its_block_is_not_for_those_of_others(scope: str, verdict: Verdict) -> None:
    assert verdict_of(ORDERED.replace("SCOPE", scope), "flag") is verdict


EXCHANGE = """
__global__ void k(float *y) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = y[t];
  __syncthreads();
  for (int size = 2; size <= 64; size <<= 1)
    for (int j = size >> 1; j > 0; j >>= 1) {
      int partner = t ^ j;
      if (partner < 64) {
        float mine = s[t], other = s[partner];
        if (((t & size) == 0) == (mine > other)) {
          s[t] = other;
          s[partner] = mine;
        }
      }
      __syncthreads();
    }
  y[t] = s[t];
}
void run(float *y) { k<<<1, 64>>>(y); }
"""


def test_what_a_solver_made_for_itself_is_no_value_of_a_witness() -> None:
    unit = translate(SourceFile("k.cu", "/k.cu", EXCHANGE), ParseOptions(), "/").unit
    ((function, (contract,)),) = launch_contracts(unit).items()
    races = analyse(unit, unit.functions[function], contract).races
    assert races
    assert {name for race in races for name in race.witness.values} == set()
