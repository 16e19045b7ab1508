"""Of what the first iteration of a loop launches all is known that was before the loop."""

from __future__ import annotations

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

KERNEL = "__global__ void step(float *x, int distance, int run) { x[threadIdx.x ^ distance] = run; }\n"
NESTED = """
  for (int run = 2; run <= n; run <<= 1)
    for (int distance = run >> 1; distance > 0; distance >>= 1) step<<<n / 64, 64>>>(x, distance, run);
"""
COUNTED = "for (int k = 0; k < n; ++k) step<<<1, 64>>>(x, k, n);"


def contracts(body: str) -> list[list[str]]:
    """The facts of each, without those of its geometry."""
    unit = translate(
        SourceFile("0.cu", "/0.cu", KERNEL + "void run(float *x, int n) {" + body + "}\n"), ParseOptions(), "/"
    ).unit
    (found,) = launch_contracts(unit).values()
    return [[fact.text for fact in contract.facts if "grid" not in fact.text] for contract in found]


def test_the_first_iteration_of_all_loops_is_a_contract_of_its_own() -> None:
    arbitrary, first = contracts(NESTED)
    assert {"run = 2", "distance = 1"} <= set(first) and "n >= 2" in " ".join(first).replace("2 <= n", "n >= 2")
    assert "run = 2" not in arbitrary and "distance = 1" not in arbitrary


def test_a_counter_that_takes_each_value_says_all_at_once() -> None:
    assert len(contracts(COUNTED)) == 1


def test_what_was_lost_before_the_loop_is_not_known_in_it() -> None:
    lost = "int d = unknown(n); while (more()) { step<<<1, 64>>>(x, d, n); d = unknown(d); }"
    assert not any(
        "distance = 1" in fact for facts in contracts("int unknown(int); bool more();" + lost) for fact in facts
    )


def test_what_returns_in_the_first_iteration_goes_on_behind_the_loop_as_before() -> None:
    loop = "int d = 1; while (more()) { step<<<1, 64>>>(x, d, n); if (d > n) return; d = d * 3 + other(); }"
    found = contracts("bool more(); int other();" + loop + "step<<<2, 64>>>(x, 5, n);")
    assert any("distance = 1" in facts for facts in found) and any("distance = 5" in facts for facts in found)


def test_a_first_iteration_settles_nothing_of_a_launch_that_is_lost_in_the_others() -> None:
    launches = "int g = 1; float *y = x; while (more()) { step<<<g, 64>>>(y, 1, n); g = other(); y = x + other(); }"
    source = (
        KERNEL + "bool more(); int other();\nstatic void turns(float *x, int n) { " + launches + " }\n"
        "void run(int n) { float *x; cudaMalloc(&x, 256); turns(x, n); }\n"
        "void keep(void (*f)(float *, int));\nvoid start() { keep(turns); }\n"
    )
    unit = translate(SourceFile("0.cu", "/0.cu", source), ParseOptions(), "/").unit
    (found,) = launch_contracts(unit).values()
    firsts = {contract.launch_site for contract in found if contract.first}
    assert firsts and firsts <= {contract.launch_site for contract in found if not contract.first}
