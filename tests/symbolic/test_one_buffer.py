"""Launches that pass one buffer to several parameters: what the threads do to it is compared."""

from __future__ import annotations

import pytest

from cudalint.contract import Alias, Contract, Fact, Geometry, Origin
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.term import Term, number, symbol

TEXT = "__global__ void k(float* a, float* b, float* c, int n) {{ int i = blockIdx.x * 64 + threadIdx.x; {body} }}\n"
ONE, NOT_KNOWN = number(1), None
LAUNCH = Geometry((number(4), ONE, ONE), (number(64), ONE, ONE), number(0))


def verdicts(body: str, *aliases: Alias) -> set[Verdict]:
    unit = translate(SourceFile("k.cu", "/k.cu", TEXT.format(body=body)), ParseOptions(), "/").unit
    (kernel,) = unit.functions.values()
    facts = tuple(Fact(what, Origin.LAUNCH, "") for what in (LAUNCH, *aliases))
    results = analyse(unit, kernel, Contract("k", facts)).sync_results
    return {r.verdict for r in results if r.kind == "race"}


@pytest.mark.parametrize(
    ("body", "distance", "wanted"),
    [
        ("a[i] = b[i];", number(0), Verdict.SAFE),
        ("a[i] = b[i + 1];", number(0), Verdict.VIOLATED),
        ("a[i] = b[i];", number(4), Verdict.VIOLATED),
        ("a[i + 1] = b[i];", number(4), Verdict.SAFE),
        ("a[i] = b[i];", number(1024), Verdict.SAFE),
        ("a[i] = b[i];", number(1020), Verdict.VIOLATED),
        ("a[i] = b[i];", NOT_KNOWN, Verdict.UNKNOWN),
        ("a[i] = b[i + 1];", symbol("n"), Verdict.UNKNOWN),
    ],
)
def test_places_are_told_from_the_beginning_of_the_buffer(body: str, distance: Term | None, wanted: Verdict) -> None:
    assert verdicts(body, Alias("a", "b", distance)) == {wanted}


@pytest.mark.parametrize(
    ("distance", "wanted"), [(number(4), Verdict.SAFE), (number(0), Verdict.VIOLATED), (NOT_KNOWN, Verdict.UNKNOWN)]
)
def test_two_of_three_parameters_meet_where_the_first_is_not_used(distance: Term | None, wanted: Verdict) -> None:
    aliases = Alias("a", "b", number(0)), Alias("a", "c", distance)
    assert verdicts("b[i + 1] = c[i];", *aliases) == {wanted}
