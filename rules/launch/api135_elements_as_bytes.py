"""A copy or fill counts in bytes what a launch of the same function takes for the number of elements: the rest stays as it was.

Bad:
    cudaMemsetAsync(sums, 0, n, s);                   add<<<g, b, 0, s>>>(x, sums, n);       // float *sums
Good:
    cudaMemsetAsync(sums, 0, n * sizeof(float), s);   add<<<g, b, 0, s>>>(x, sums, n);

So does a copy of a container by its number of elements, `cudaMemcpy(x, v.data(), v.size(), cudaMemcpyHostToDevice)` of a
`std::vector<float>`.

So does a request of memory, `(float *)pool.request(blocks)`, by a function of the file that allocates as many bytes as it is told.

Limits: a pattern: arrays that the kernel takes at an index which it compares with the count, or containers whose type is in the
file. Of memory whose size is known, API116 says it.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.container_sizes import container_sizes
from cudalint.analysis.memory.launched_counts import launched_counts
from cudalint.analysis.memory.requested_counts import requested_counts
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API135", "elements-as-bytes", Level.ERROR, Subject.TEXT, "a copy of as many bytes as a kernel has elements"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each call."""
    issues = chain(launched_counts(subject), requested_counts(subject), container_sizes(subject))
    for issue in {issue.place.start: issue for issue in issues}.values():
        advice = "multiply with the size of an element"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "so many elements here", advice)
