"""An index, or a size in bytes, is computed from sizes of 64 bits and kept in a variable of 32.

Bad:
    const int at = row * width + column;  out[at] = x;            // int64_t row, width
    const int at = row * row_stride;      out[at + column] = x;   // int64_t row_stride
    int flat = i;  int row = flat / width, column = flat % width; // int64_t i, an element of its own for each
    const unsigned bytes = cells * sizeof(float);  cudaMalloc(&x, bytes);   // size_t cells = (size_t)nx * ny * nz;
Good:
    const int64_t at = row * width + column;  out[at] = x;

Limits: a pattern: two factors of a product are variables of 64 bits, or one is a stride, and nothing in the file keeps them
small; or a place that is cut is taken apart, with a quotient and a remainder by one size, and is computed with a cast to 64
bits, below a number of elements, or the only argument of an object that is called. Bytes are left out where a
condition that names them or their count leaves the function.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.overflow.narrowed_bytes import narrowed_bytes
from cudalint.analysis.overflow.narrowed_indices import narrowed_indices
from cudalint.analysis.overflow.narrowed_places import narrowed_places
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX209", "narrowed-index", Level.WARNING, Subject.TEXT, "an index of 64 bits is kept in 32")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each variable."""
    for issue in chain(narrowed_indices(subject), narrowed_places(subject)):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the element", "keep the index in 64 bits")
    for issue in narrowed_bytes(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what gets the size", "keep the size in a size_t")
