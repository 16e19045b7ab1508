"""Shared memory of another block of the cluster is accessed without the cluster barrier that has to stand before or behind.

Bad:
    tile[t] = x[i];  __syncthreads();  y[i] = cluster.map_shared_rank(tile, 1)[t];
Good:
    tile[t] = x[i];  cluster.sync();  y[i] = cluster.map_shared_rank(tile, 1)[t];  cluster.sync();

Limits: kernels that map the addresses themselves, in the order of the text; accesses by inline PTX (mapa, ld.shared::cluster) and
in functions that are called are not followed.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.cluster_patterns import unordered_clusters
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "SYN111", "unsynchronised-cluster", Level.ERROR, Subject.TEXT, "shared memory of another block without a barrier"
)
ADVICE = "call cluster.sync() before the first access to memory of other blocks, and once more before the kernel ends"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """At most one finding of each kind for a kernel."""
    for issue in unordered_clusters(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "written here", ADVICE)
