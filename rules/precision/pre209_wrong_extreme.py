"""A search for the largest or smallest value begins with FLT_MIN, the smallest number above zero, or for the largest with zero.

Bad:
    float m = FLT_MIN;   m = fmaxf(m, x[i]);      // a row of negative numbers has the maximum 1.2e-38
    Best b{FLT_MIN, -1}; if (x[i] > b.score) b = {x[i], i};
    float m = 0.f;      for (...) m = fmaxf(m, x[i]);   sum += expf(x[i] - m);    // 0 where all are below -104: 0 / 0
Good:
    float m = -FLT_MAX;  m = fmaxf(m, x[i]);

So does a search by atomicMin, among numbers that are never negative, in memory that is filled with zeros.
So does an operation whose value to begin with that is, `struct Max { T operator()(T a, T b); static T identity(); }`, of real
numbers.

Limits: a pattern; a largest value among squares, absolute values, exponentials and unsigned elements may begin there, and so may
one that is divided by, or that stands beside the index -1 which the file asks for later. Zero counts where it is taken from the
exponent of a softmax, also of scores that are computed from memory, or stored by a kernel that is called after the maximum, of
elements as they lie in memory.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.wrong_extremes import wrong_extremes
from cudalint.analysis.precision.wrong_first_members import wrong_first_members
from cudalint.analysis.precision.wrong_identities import wrong_identities
from cudalint.analysis.precision.zero_maxima import zero_maxima
from cudalint.analysis.precision.zero_minima import zero_minima
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "PRE209", "wrong-extreme", Level.ERROR, Subject.TEXT, "a search for an extreme that begins on its wrong side"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in (*wrong_extremes(subject), *wrong_first_members(subject), *wrong_identities(subject)):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "",
            "begin with -FLT_MAX or -INFINITY for the largest, with FLT_MAX for the smallest value",
        )
    for issue in zero_maxima(subject):
        advice = "begin with -FLT_MAX or -INFINITY"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "where it is used", advice)
    for issue in zero_minima(subject):
        advice = "begin with the largest number: cudaMemset(p, 0x7f, bytes), torch::full"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the smallest value is looked for here", advice)
