"""A copy or fill counts in bytes what a launch of the same function takes for the number of elements: the rest stays as it was.

Bad:
    cudaMemsetAsync(sums, 0, n, s);                   add<<<g, b, 0, s>>>(x, sums, n);       // float *sums
Good:
    cudaMemsetAsync(sums, 0, n * sizeof(float), s);   add<<<g, b, 0, s>>>(x, sums, n);

So does a copy of a container by its number of elements, `cudaMemcpy(x, v.data(), v.size(), cudaMemcpyHostToDevice)` of a
`std::vector<float>`.

So does a copy of an array whose length is written in the file, `cudaMemcpyToSymbol(taps, h, radius + 1)` of `float taps[MOST + 1]`,
where the number is compared with the length, counts the elements in a loop, is the length, or stands beside a `sizeof` elsewhere,
and a copy or fill of a member that another function of the class makes with a `sizeof` for as many. A number of which only the name
says that it is a count is left to `--profile audit`.

So does a request of memory, `(float *)pool.request(blocks)`, by a function of the file that allocates as many bytes as it is told.

Limits: a pattern: arrays that the kernel takes at an index which it compares with the count, or containers and arrays whose type is
in the file; from one function to another, members of the class alone, and no memory that one side calls bytes. Of memory whose size
is known, API116 says it.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.container_sizes import container_sizes
from cudalint.analysis.memory.counted_arrays import counted_arrays
from cudalint.analysis.memory.counted_members import counted_members
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
    of_launches = chain(launched_counts(subject), requested_counts(subject), container_sizes(subject))
    issues = chain(counted_arrays(subject), counted_members(subject), of_launches)  # the last one tells
    for issue in {issue.place.start: issue for issue in issues}.values():
        advice = "multiply with the size of an element"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "so many elements here", advice)
