"""Shared memory by number: what inline PTX does at a place that it is given as an integer."""

from __future__ import annotations

import pytest

from cudalint.finding import Verdict
from tests.symbolic.test_warp_order import race_verdicts

NUMBER = "unsigned a = (unsigned)__cvta_generic_to_shared(&s[t]);"
WIDE = 'unsigned long long a; asm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(&s[t]));'
STORE = 'asm volatile("st.shared.f32 [%0], %1;" ::"{register}"(a), "f"(x[t]) : "memory");'
FILLED = "{number} s[t] = 0; __syncthreads(); {change} {store} {between} x[blockIdx.x * 64 + t] = s[63 - t];"


@pytest.mark.parametrize(("between", "wanted"), [("", Verdict.VIOLATED), ("__syncthreads();", Verdict.SAFE)])
@pytest.mark.parametrize(("number", "register"), [(NUMBER, "r"), (WIDE, "l")])
def test_a_store_by_number_is_a_store(number: str, register: str, between: str, wanted: Verdict) -> None:
    store = STORE.format(register=register)
    body = FILLED.format(number=number, change="", store=store, between=between)
    assert race_verdicts(body)["s"] is wanted


@pytest.mark.parametrize(
    ("change", "store"),
    [
        ("for (int k = 0; k < n; k++) a = a * 3 + 4;", STORE.format(register="r")),
        ("a ^= 4;", STORE.format(register="r")),
        ("x[t] = a; a = x[t + 1];", STORE.format(register="r")),
        ("", 'asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%0];" ::"r"(a), "r"(n));'),
    ],
)  # fmt: skip
def test_what_a_lost_number_leads_to_is_not_proved(change: str, store: str) -> None:
    body = FILLED.format(number=NUMBER, change=change, store=store, between="")
    assert race_verdicts(body, ", int n")["s"] is Verdict.UNKNOWN


def test_a_number_that_is_made_of_a_pointer_in_a_way_of_its_own_is_lost() -> None:
    number = 'unsigned long long a; asm("cvta.to.shared.u64 %0, %1; add.u64 %0, %0, 8;" : "=l"(a) : "l"(&s[t]));'
    body = FILLED.format(number=number, change="", store=STORE.format(register="l"), between="")
    assert race_verdicts(body)["s"] is Verdict.UNKNOWN


MATRIX = 'asm volatile("ldmatrix.sync.aligned.m8n8.{count}.shared.b16 {targets}, [%{last}];" : {outputs} : "r"(a));'
ROWS = """
__shared__ __align__(16) unsigned rows[256]; unsigned r[4];
for (int i = t; i < 256; i += 64) rows[i] = x[i];
{between}
unsigned a = (unsigned)__cvta_generic_to_shared(&rows[{row} * 4]);
{load}
x[blockIdx.x * 64 + t] = r[0];
"""


def _load(count: int) -> str:
    targets = "{" + ", ".join(f"%{i}" for i in range(count)) + "}"
    outputs = ", ".join(f'"=r"(r[{i}])' for i in range(count))
    return MATRIX.format(count=f"x{count}", targets=targets, last=count, outputs=outputs)


@pytest.mark.parametrize(
    ("row", "count", "between", "wanted"),
    [
        ("t", 4, "__syncthreads();", Verdict.SAFE),
        ("t", 4, "", Verdict.VIOLATED),
        ("(t < 32 ? 0 : t)", 4, "__syncwarp();", Verdict.VIOLATED),
    ],
)
def test_each_lane_reads_the_row_that_it_names(row: str, count: int, between: str, wanted: Verdict) -> None:
    assert race_verdicts(ROWS.format(row=row, load=_load(count), between=between))["rows"] is wanted


@pytest.mark.parametrize(("count", "wanted"), [(1, Verdict.SAFE), (2, Verdict.VIOLATED)])
def test_of_fewer_tiles_the_first_lanes_name_the_rows(count: int, wanted: Verdict) -> None:
    body = """
__shared__ __align__(16) unsigned rows[256]; unsigned r[4];
unsigned a = (unsigned)__cvta_generic_to_shared(&rows[t % 32 * 4]);
if (t >= 32) rows[t + 4] = t; else { LOAD x[blockIdx.x * 64 + t] = r[0]; }
"""
    assert race_verdicts(body.replace("LOAD", _load(count)))["rows"] is wanted
