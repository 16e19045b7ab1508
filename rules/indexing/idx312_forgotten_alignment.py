"""Vectors are loaded on a condition that elsewhere in the file asks for the alignment of the pointer as well.

Bad:
    if (n % 4 == 0 && chunk % 4 == 0 && is_aligned(x)) load_vector(r, x, i);        // in one function
    if (n % 4 == 0 && chunk % 4 == 0) load_vector(r, x, i);                         // in another: a view traps here
    if ((uintptr_t)src % 16 == 0) ((int4 *)dst)[i] = ((int4 *)src)[i];
Good:
    if (n % 4 == 0 && chunk % 4 == 0 && is_aligned(x)) load_vector(r, x, i);        // in both

Limits: a pattern; the two conditions differ in the alignment alone, and the same is called, or the same vector cast to, on both.
Of one condition, pointers that are cast to the same vectors where the address of one of them is asked about.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.forgotten_alignments import forgotten_alignments, half_asked_alignments
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX312", "forgotten-alignment", Level.ERROR, Subject.TEXT, "vectors at a pointer that may not be aligned")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each condition."""
    for issue in [*forgotten_alignments(subject), *half_asked_alignments(subject)]:
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the alignment is asked for here", "ask for the alignment, too"
        )
