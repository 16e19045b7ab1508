"""Barriers for part of a block order those who come to them, round by round, and nobody else."""

from __future__ import annotations

import pytest

from cudalint.engine.contracts import annotation_facts, complete_contracts
from cudalint.engine.options import ScanOptions
from cudalint.finding import Verdict
from cudalint.frontend.syntax import index
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse


def verdict(body: str, threads: int = 128) -> Verdict:
    """Of races on `s`, in a block of so many threads."""
    text = f"""
// cudalint: launch grid=(4) block=({threads})
__global__ void k(float *x, int n) {{
  __shared__ float s[256];
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
    (found,) = (r.verdict for r in results if r.kind == "race" and r.object is not None and r.object.name == "s")
    return found


def bar(kind: str, number: int | str, count: int) -> str:
    if isinstance(number, int):
        return f'asm volatile("bar.{kind} {number}, {count};" ::: "memory");'
    return f'asm volatile("bar.{kind} %0, {count};" :: "r"({number}) : "memory");'


EXCHANGE = "s[t] = t; {barrier} x[blockIdx.x * 128 + t] = s[{place}];"
HALF = "t / 64 * 64 + 63 - t % 64"


@pytest.mark.parametrize(
    ("barrier", "place", "wanted"),
    [
        (bar("sync", 1, 128), "127 - t", Verdict.SAFE),
        (bar("sync", "t / 64 + 1", 64), HALF, Verdict.SAFE),
        (bar("sync", "t / 64 + 1", 64), "127 - t", Verdict.VIOLATED),
        (bar("sync", 1, 64), HALF, Verdict.UNKNOWN),  # who goes on with whom is not known
        (bar("sync", "t / 32 + 1", 64), "127 - t", Verdict.UNKNOWN),
        (bar("sync", "t / 32 % 2 + 1", 64), "t ^ 64", Verdict.SAFE),
        (bar("sync", "t / 32 % 2 + 1", 64), "t ^ 32", Verdict.VIOLATED),
    ],
)
def test_those_who_come_to_one_number_are_ordered(barrier: str, place: str, wanted: Verdict) -> None:
    assert verdict(EXCHANGE.format(barrier=barrier, place=place)) is wanted


def test_who_passes_the_barrier_by_is_not_ordered() -> None:
    body = f"s[t] = t; if (t < 64) {{ {bar('sync', 1, 64)} x[t] = s[PLACE]; }}"
    assert verdict(body.replace("PLACE", "63 - t")) is Verdict.SAFE
    assert verdict(body.replace("PLACE", "127 - t")) is Verdict.VIOLATED


def test_an_arrival_orders_what_stands_before_it() -> None:
    wait = f"else {{ {bar('sync', 1, 128)} x[t] = s[127 - t]; }}"
    assert verdict(f"if (t < 64) {{ s[t] = t; {bar('arrive', 1, 128)} }} {wait}") is Verdict.SAFE
    assert verdict(f"if (t < 64) {{ {bar('arrive', 1, 128)} s[t] = t; }} {wait}") is Verdict.VIOLATED


PRODUCER = "if (t < 64) {{ for (int i = 0; i < n; ++i) {{ {fill} }} }}"
CONSUMER = "else {{ {first} for (int i = 0; i < n; ++i) {{ {use} }} }}"
FULL, EMPTY, STORE, READ = 1, 2, "s[t] = x[i];", "x[4096 + (blockIdx.x * n + i) * 64 + t] = s[127 - t];"
WAIT_EMPTY, GIVE_BACK = bar("sync", EMPTY, 128), bar("arrive", EMPTY, 128)
WAIT_FULL, PASS_ON = bar("sync", FULL, 128), bar("arrive", FULL, 128)


@pytest.mark.parametrize(
    ("fill", "first", "use", "wanted"),
    [
        (WAIT_EMPTY + STORE + PASS_ON, GIVE_BACK, WAIT_FULL + READ + GIVE_BACK, Verdict.SAFE),
        (STORE + WAIT_EMPTY + PASS_ON, GIVE_BACK, WAIT_FULL + READ + GIVE_BACK, Verdict.VIOLATED),
        (WAIT_EMPTY + PASS_ON + STORE, GIVE_BACK, WAIT_FULL + READ + GIVE_BACK, Verdict.VIOLATED),
        (WAIT_EMPTY + STORE + PASS_ON, GIVE_BACK, WAIT_FULL + GIVE_BACK + READ, Verdict.VIOLATED),
        (WAIT_EMPTY + STORE + PASS_ON, GIVE_BACK, READ + WAIT_FULL + GIVE_BACK, Verdict.VIOLATED),
        (WAIT_EMPTY + STORE + PASS_ON, GIVE_BACK + GIVE_BACK, WAIT_FULL + READ + GIVE_BACK, Verdict.VIOLATED),
        (STORE + PASS_ON, "", WAIT_FULL + READ, Verdict.VIOLATED),
    ],
)
def test_producers_and_consumers(fill: str, first: str, use: str, wanted: Verdict) -> None:
    assert verdict(PRODUCER.format(fill=fill) + CONSUMER.format(first=first, use=use)) is wanted


def test_rounds_that_may_end_before_all_have_come_prove_nothing() -> None:
    """Each producer arrives again without knowing that the consumers have come to the round before."""
    fill = "s[128 * (i & 1) + t] = x[i];" + PASS_ON
    use = WAIT_FULL + "x[4096 + (blockIdx.x * n + i) * 64 + t] = 1;"
    assert (
        verdict(PRODUCER.format(fill=fill) + CONSUMER.format(first="", use=use)) is Verdict.SAFE
    )  # nobody else reads it
    once = f"if (t < 64) {{ s[t] = t; {PASS_ON} {PASS_ON} }} else {{ {WAIT_FULL} {WAIT_FULL} x[t] = s[127 - t]; }}"
    assert verdict(once) is Verdict.UNKNOWN


def test_a_number_that_a_loop_computes_is_not_followed() -> None:
    body = f"for (int i = 0; i < n; ++i) {{ s[t] = t; {bar('sync', 'i % 2 + 1', 128)} x[i * 128 + t] = s[127 - t]; }}"
    assert verdict(body) is Verdict.UNKNOWN


def test_a_block_of_unknown_size_is_not_counted() -> None:
    body = "s[t] = t; " + 'asm volatile("bar.sync 1, %0;" :: "r"(n) : "memory");' + " x[t] = s[127 - t];"
    assert verdict(body) is Verdict.UNKNOWN


def test_the_constant_masks_of_parts_of_a_warp() -> None:
    masks = "if (t % 32 < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);"
    assert verdict(EXCHANGE.format(barrier=masks, place="t ^ 15")) is Verdict.SAFE
    assert verdict(EXCHANGE.format(barrier=masks, place="t ^ 16")) is Verdict.VIOLATED
