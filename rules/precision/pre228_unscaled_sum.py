"""A sum of exponentials below a running maximum keeps what it has when the maximum changes.

Bad:
    m_new = fmaxf(m, s);   l += expf(s - m_new);   m = m_new;
Good:
    m_new = fmaxf(m, s);   l = l * expf(m - m_new) + expf(s - m_new);   m = m_new;

Limits: a pattern: variables and arrays of the function, in one loop that also makes the maximum larger and does nothing else with
the sum than to add to it. Not told where a loop of its own, or another branch, makes the maximum larger, nor where a lambda, a
pointer, a reference or a macro of the file may scale the sum.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.precision.unscaled_sums import unscaled_sums
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("PRE228", "unscaled-sum", Level.ERROR, Subject.TEXT, "a sum that stays when its maximum changes")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each sum."""
    for issue in unscaled_sums(subject):
        advice = "scale the sum by exp(old maximum - new maximum) first"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the maximum changes here", advice)
