"""Whole vectors are loaded up to a length that is read from memory, of which nobody says that it is a multiple.

Bad:
    int length = lengths[row];  for (int i = tid * VEC; i < length; i += threads * VEC) v.load(&x[i]);
Good:
    int whole = length / VEC * VEC;  for (int i = tid * VEC; i < whole; i += threads * VEC) v.load(&x[i]);  // and a scalar tail

Limits: a pattern for lengths from memory; what the host passes as a size, the host may check.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.row_tails import vector_tails
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX114", "vector-tail", Level.ERROR, Subject.TEXT, "vectors across the end of a row whose length is data")
ADVICE = "stop at a multiple of the vector and read the rest one by one"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in vector_tails(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the guard of the first element", ADVICE)
