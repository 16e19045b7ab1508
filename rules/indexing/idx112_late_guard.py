"""Memory is accessed at a place that the kernel compares with the size only afterwards.

Bad:
    float v = x[i];  if (i >= n) return;                     at = atomicAdd(&count, 1);  out[at] = v;  if (at + 1 >= room) break;
    float v = x[i];  if (i < n) y[i] = v;
    float v = x[label];  y[i] = label == ignore_index ? 0 : v;                      // with label = labels[i]
    while (s[i] != comma && i < end) ++i;
Good:
    if (i >= n) return;  float v = x[i];                     at = atomicAdd(&count, 1);  if (at < room) out[at] = v;
    y[i] = label == ignore_index ? 0 : x[label];     while (i < end && s[i] != comma) ++i;

Limits: a pattern: the guard has to name the same variable, and the access must stand under no condition, or where a label is
asked for, under none that the question does not stand under. Within one condition the place has to be the whole index, and its
end must hold no element: no other place, no end that is compared with `<=` or is read at itself, no memory that the host makes
with one element more. A walk in order, `offsets[r] <= e && r < n`, is in doubt: edges are one more than what lies between.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.guards.late_branches import late_branches
from cudalint.analysis.guards.late_guards import late_guards
from cudalint.analysis.guards.late_operands import late_operands
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX112", "late-guard", Level.ERROR, Subject.TEXT, "a place is compared with the size after its use")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in (*late_guards(subject), *late_branches(subject), *late_operands(subject)):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the comparison that comes too late", "compare before the access"
        )
