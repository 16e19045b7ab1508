"""The loop over the rest behind whole vectors starts at the number of vectors, or the vectors leave it nothing.

Bad:
    int whole = n / 4;  for (i = tid; i < whole; i += step) sum += dot(x4[i]);  for (i = whole + tid; i < n; i += step) sum += x[i];
    size_t packs = (n + 3) / 4;  for (p = tid; p < packs; p += step) sum += dot(x4[p]);  for (i = packs * 4 + tid; i < n; ...) ...
Good:
    for (i = whole * 4 + tid; i < n; i += step) sum += x[i];

Limits: a pattern: loops with `<` up to one name, in one function, over a pointer to vectors that is cast from one to elements, and
over those, which the second loop reads.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.rest_starts import rest_starts
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX136", "rest-start", Level.ERROR, Subject.TEXT, "a rest that starts at the number of vectors before it")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each loop."""
    for issue in rest_starts(subject):
        advice = "count whole vectors, and start behind their elements"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "beside this", advice)
