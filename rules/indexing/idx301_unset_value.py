"""A value that nothing has set is stored, added to memory, decides a branch or addresses memory.

Bad:
    float v;  if (i < n) v = x[i];
    v = block_sum(v);                    // the threads behind the last element add whatever their register holds
    v = cub::BlockReduce<float, 256>(temp).Sum(v);        // the same, without the number of threads that have a value
Good:
    float v = 0;  if (i < n) v = x[i];

Limits: a pattern; members of structures are not followed, nor is what some iteration of a loop or one of several
alternatives may set, other than a search that ends its loop where it has found something; a use under a further condition
counts only where nothing at all has set the value.
"""

import re
from collections.abc import Iterator, Sequence

from cudalint import ir
from cudalint.analysis.initialisation.unset_values import Lack, UnsetUse, unset_uses
from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX301", "unset-value", Level.ERROR, Subject.FUNCTION, "a value that nothing has set is used")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each variable of a kernel and of what it calls."""
    if subject.role is not ir.Role.KERNEL:
        return
    for use in unset_uses(subject, context.unit):
        unset = use.unset
        if _is_set_in(context.text.get(unset.declared.path, ()), use):
            continue
        yield Finding(
            code=RULE.code,
            name=RULE.name,
            level=RULE.level,
            message=_message(use),
            span=use.span,
            root=f"unset:{unset.variable}",
            evidence=Evidence.PATTERN,
            function=subject.name,
            related=(Related(unset.declared, f"`{unset.variable}` is declared without a value"),)
            + ((Related(unset.condition, "the condition"),) if unset.condition else ())
            + ((Related(use.use, "where it matters"),) if use.use != use.span else ()),
            fix=Fix(f"give `{unset.variable}` a value where it is declared"),
        )


def _is_set_in(lines: Sequence[str], use: UnsetUse) -> bool:
    """Whether a line between the declaration and the use, where the IR lacks statements, gives the variable a value."""
    sets = re.compile(rf"\b{re.escape(use.unset.variable)}\b(\s*\.\s*\w+|\s*\[[^\]]*\])*\s*[-+*/&|^]?=(?!=)")
    return any(sets.search(line) for line in lines[use.unset.declared.line : max(use.span.line, use.use.line)])


def _message(use: UnsetUse) -> str:
    unset = use.unset
    if unset.condition is None:
        return f"`{unset.variable}` is used, and nothing has set it"
    line = unset.condition.line
    if unset.lack is Lack.SPREAD:
        return (
            f"`{unset.variable}` goes to other lanes, also from those that the condition at line {line} left without it"
        )
    return f"`{unset.variable}` is used on both sides of the condition at line {line}, which sets it on one only"
