"""The temporary storage of a device-wide algorithm has the size that another algorithm, or a part of the elements, asked for.

Bad:
    cub::DeviceRadixSort::SortKeys(nullptr, bytes, ...);    cub::DeviceRadixSort::SortPairs(storage, bytes, ...);
Good:
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, ...);   cub::DeviceRadixSort::SortPairs(storage, bytes, ...);

A function of the file around one algorithm counts as this algorithm.

Limits: a pattern, within one function; of the same algorithm, n is compared with n + 1 and with multiples of n, and with another
member of the same object that the algorithm takes for another side as well.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.memory.storage_queries import other_storage_queries
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API122", "other-storage-query", Level.ERROR, Subject.TEXT, "temporary storage as large as another algorithm needs"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in other_storage_queries(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the size is asked for here", "ask the algorithm that runs"
        )
