"""A thread counts in 32 bits up to a bound of 64 bits, which something else says may be as large.

Bad:
    for (int i = first; i < count; i += step) y[i] = x[i];           // int64_t count
    for (int64_t i = first; i < count; i += step) z[i] += x[i];      // in another kernel
Good:
    for (int64_t i = first; i < count; i += step) y[i] = x[i];

What says so is a variable of 64 bits with that name or bound in another kernel, a step of the loop that is a variable of 64
bits or a cast to them, a bound that is itself a product of sizes with 64 bits, a comparison of the bound with the largest number
of 32 bits, or a product in 32 bits of the variable and a parameter, or a letter of the template.
So does a bound that counts elements, since 2^31 numbers are 8 GiB: by its name (`numel`, `num_elements`, `nnz`), by what a launch
passes (`x.numel()`, or the number of elements that it allocates memory for), as the only side of an accessor with 64 bits, or as
a `long long` below which every number is an index; also in a loop that a macro of the file writes, `KERNEL_LOOP(i, numel)`, or that
a macro is given the type for, `KERNEL_LOOP_TYPE(i, rows * cols, int)`.
A bound that counts elements and whose type is an argument of the template has as many bits as an instance asks for.
A sum by an atomic in the lower half of a counter of 64 bits, `atomicAdd((unsigned *)total, 1)`, counts in 32 bits as well.
So does a prefix sum by thrust or cub of 32 bits that goes to 64 bits and begins with nothing, or with an int: since thrust 1.10
they add up in the type of what they take, `exclusive_scan(lengths.begin(), lengths.end(), offsets.begin())`; likewise flags
of 8 bits, of which there are more than 255. A sum of integers that goes to a variable of 64 bits, and sums of the host, are left
to `--profile audit`.

Limits: a pattern; whoever calls may keep the bound small. A bound that is called a stride is the length of one row, and left out,
as are elements of more than 8 bytes that are only counted, and counts that the text keeps below 2^31. Sums
of 0 and 1 that a launch of the function stores for an int of elements are left out, and so are functions that ask for INT_MAX.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.halved_counters import halved_counters
from cudalint.analysis.overflow.macro_counters import macro_counters
from cudalint.analysis.overflow.narrow_counters import narrow_counters
from cudalint.analysis.overflow.narrow_sums import narrow_sums
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX210", "narrow-counter", Level.WARNING, Subject.TEXT, "32 bits count up to a bound of 64")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each variable, and for each sum."""
    for issue in narrow_sums(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "begin with a zero of the wider type")
    for issue in chain(narrow_counters(subject), macro_counters(subject)):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "this says that it is too small", "count in 64 bits"
        )
    for issue in halved_counters(subject):
        finding = guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "add in 64 bits")
        yield replace(finding, root=f"halved-counter:{issue.function.name}:{issue.place.text[:80]}")
