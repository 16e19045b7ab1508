"""A loop counts the whole parts of a size only, though its body keeps the places of a last, smaller part inside.

Bad:
    for (int t = 0; t < K / 16; ++t) { int k = t * 16 + threadIdx.x;  a[threadIdx.x] = k < K ? x[k] : 0; ... }   // K = 20
    for (int c = 0; c < n / chunk; ++c) scale<<<blocks, 256>>>(x + c * chunk, min(chunk, n - c * chunk));
    for (; i + 3 < n; i += 4) sum += x[i] + x[i + 1] + x[i + 2] + x[i + 3];   out[row] = sum;
    const int part = n / blockDim.x;  for (i = threadIdx.x * part; i < min(threadIdx.x * part + part, n); ++i) sum += x[i];
Good:
    for (int t = 0; t < (K + 15) / 16; ++t) { int k = t * 16 + threadIdx.x;  a[threadIdx.x] = k < K ? x[k] : 0; ... }

Limits: a pattern: loops of one counter over `size / part`, or up to `counter + part <= size`, and shares of `size / workers`
that are clipped to the size; a file that asks for the rest of a division by the part, or goes on behind the loop, is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.loops.floored_rounds import floored_rounds
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX134", "floored-rounds", Level.ERROR, Subject.TEXT, "a loop that ends before the last, smaller part")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each loop."""
    for issue in floored_rounds(subject):
        advice = "round the number of parts up"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "what keeps a smaller part inside", advice)
