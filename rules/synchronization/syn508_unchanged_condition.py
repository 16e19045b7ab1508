"""A loop asks only about variables that nothing in it changes: threads that enter it do not leave it.

Bad:
    int row = next_row(queue);  while (row < rows) scale(x + row * cols, cols);
    for (int i = 0; i < n; ++j) sum += x[i];
    while (link->ready == 0) { }                              // int ready: loaded once, before the loop
Good:
    for (int row = next_row(queue); row < rows; row = next_row(queue)) scale(x + row * cols, cols);
    while (*(volatile int *)&link->ready == 0) { }

Limits: a pattern: loops that are not left from within, and whose variables are handed to no function; of loops that wait for
memory those without a statement, with the type of what they load in the same file.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.plain_waits import plain_waits
from cudalint.analysis.loops.unchanged_conditions import unchanged_conditions
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN508", "unchanged-condition", Level.ERROR, Subject.TEXT, "a loop that changes nothing of its condition")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each loop."""
    for issue in unchanged_conditions(subject):
        yield guard_finding(
            issue,
            RULE.code,
            RULE.name,
            RULE.level,
            "this changes something else",
            "change what the condition asks about",
        )
    for issue in plain_waits(subject):
        advice = "load it as volatile, or with an atomic"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what it waits for", advice)
