"""What callers make sure of in text: their checks are conditions of the function that launches, where all of them say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions, scan
from cudalint.project.includes import include_graph
from cudalint.project.passed import PassedChecks

SCORES = """
#include <cuda_runtime.h>
#define MOST 200
__constant__ float table[MOST];
int most() { return MOST; }
__global__ void score(float *out) { out[blockIdx.x] = table[blockIdx.x]; }
void scores(float *out, const int n) {
    score<<<n, 1>>>(out);
}
"""

CALLER = """
int most();
void scores(float *out, const int n);
void search_all(const Lost &input, int tries) {
    CHECK(tries <= most());
    Lost found(input, tries);
    scores(found.of(input), tries);
}
"""

RUNNER = """
struct node { int op; int shift; node *src[2]; int n; };
enum { OP_NONE, OP_ROLL, OP_TURN };
void roll(node *dst) { k<<<1, 1>>>(dst->n); }
void run(node *dst) {
    switch (dst->op) {
        case OP_NONE: break;
        case OP_ROLL: roll(dst); break;
    }
}
"""

MAKER = """
node *make_roll(node *a, int shift, int free) {
    ASSERT(shift < a->n && "too far");
    ASSERT(free < 7);
    if (a->n > 9) { ASSERT(a->n < 99); }
    node *r = copy_of(a);
    r->op = OP_ROLL;
    r->shift = shift;
    r->src[0] = a;
    return r;
}
"""


def conditions(folder: Path, files: dict[str, str], of: str, around: tuple[str, ...]) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text)
    checks = PassedChecks(include_graph(str(folder))).of(str(folder / of), [str(folder / each) for each in around])
    return [condition.replace("\0", "$") for check in checks for condition in check.conditions]


def of_callers(folder: Path, *callers: str, callee: str = SCORES) -> list[str]:
    files = {f"caller{number}.cpp": text for number, text in enumerate(callers)}
    return conditions(folder, {"scores.cu": callee, **files}, "scores.cu", tuple(files))


def of_makers(folder: Path, *makers: str, runner: str = RUNNER) -> list[str]:
    files = {f"maker{number}.cpp": text for number, text in enumerate(makers)}
    return conditions(folder, {"run.cu": runner, **files}, "run.cu", ())


def test_what_the_caller_checks_is_said_of_the_parameter(tmp_path: Path) -> None:
    assert of_callers(tmp_path, CALLER) == ["$1$ <= most()"]


def test_a_constant_that_is_passed_is_what_it_was_made_of(tmp_path: Path) -> None:
    caller = "void search_all(int n) {\n    const int rows = (n + MOST - 1) / MOST;\n    scores(at(n), rows);\n}\n"
    assert of_callers(tmp_path, caller.replace("at(n)", "n")) == ["$1$ == (($0$ + MOST - 1) / MOST)"]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("CHECK(tries <= most());", "if (input) { CHECK(tries <= most()); }"),
        ("CHECK(tries <= most());", "if (input) CHECK(tries <= most());"),
        ("CHECK(tries <= most());", "CHECK(tries <= most()); tries *= 2;"),
        ("CHECK(tries <= most());", "CHECK_LE(tries, most());"),
        ("CHECK(tries <= most());", "int limit = most(); CHECK(tries <= limit);"),
        ("CHECK(tries <= most());", "CHECK(tries.size() <= most());"),
        ("CHECK(tries <= most());", ""),
        ("of(input), tries);", "of(input), tries + 1);"),
        ("of(input), tries);", "of(input), tries);\n    CHECK(later(tries) < 7);\n    hand_on(&scores);"),
    ],
)
def test_what_does_not_hold_on_every_way_to_the_call_is_not_said(tmp_path: Path, text: str, other: str) -> None:
    assert text in CALLER
    assert of_callers(tmp_path, CALLER.replace(text, other)) == []


def test_one_caller_that_checks_nothing_is_enough(tmp_path: Path) -> None:
    assert of_callers(tmp_path, CALLER, "void other(float *x, int n) { scores(x, n); }") == []


def test_a_caller_that_was_not_read_may_pass_anything(tmp_path: Path) -> None:
    (tmp_path / "far.cpp").write_text("void other(float *x, int n) { scores(x, n); }")
    assert of_callers(tmp_path, CALLER) == []


def test_a_function_for_any_language_is_called_from_anywhere(tmp_path: Path) -> None:
    callee = SCORES.replace("void scores", 'extern "C" void scores')
    assert of_callers(tmp_path, CALLER, callee=callee) == []


def test_what_the_maker_of_a_node_checks_is_said_of_the_node(tmp_path: Path) -> None:
    assert of_makers(tmp_path, MAKER) == ["$0$->shift < $0$->src[0]->n"]


def test_of_two_makers_only_what_both_check(tmp_path: Path) -> None:
    assert of_makers(tmp_path, MAKER, MAKER.replace("make_roll", "make_turn")) != []
    assert of_makers(tmp_path, MAKER, MAKER.replace("shift < a->n", "shift <= a->n")) == []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("case OP_ROLL:", "case OP_TURN: case OP_ROLL:"),
        ("case OP_NONE: break;", "case OP_NONE: prepare(dst);"),
        ("case OP_ROLL: roll(dst);", "case OP_ROLL: roll(dst->src[0]);"),
        ("void run(", "void at_once(node *dst) { roll(dst); }\nvoid run("),
    ],
)
def test_what_is_run_for_other_nodes_too_is_not_said(tmp_path: Path, text: str, other: str) -> None:
    assert text in RUNNER
    assert of_makers(tmp_path, MAKER, runner=RUNNER.replace(text, other)) == []


@pytest.mark.parametrize(
    ("check", "codes"), [("CHECK(tries <= most());", []), ("CHECK(tries <= input.size());", ["IDX101"])]
)
def test_a_caller_whose_sizes_are_lost_still_bounds_a_table(tmp_path: Path, check: str, codes: list[str]) -> None:
    (tmp_path / "scores.cu").write_text(SCORES)
    (tmp_path / "caller.cpp").write_text(CALLER.replace("CHECK(tries <= most());", check))
    options = ScanOptions((str(tmp_path / "scores.cu"),), project_root=str(tmp_path), jobs=1, cache=False)
    assert [f.code for f in scan(options).findings if f.code.startswith("IDX")] == codes
