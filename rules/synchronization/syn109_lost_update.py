"""The text shows threads that update one element of global memory, each reading and writing it without an atomic.

Bad:
    if (threadIdx.x == 0) *sum += part;                     // every block
    grad[points[i]] += g;                                   // every thread whose point it is
    atomicAdd(&grad[3 * v], x);  grad[3 * v + 1] += y;       // where the first needs one, so does the second
    sums[cell * channels + c] += x;  if (c == 0) atomicAdd(&counts[cell], 1);     // cell = cell_of(points + 3 * i)
    a = find_root(label, a);  if (b < label[a]) label[a] = b;
    if (keys[p] == EMPTY) { keys[p] = key; return; }  p = (p + 1) & mask;
Good:
    if (threadIdx.x == 0) atomicAdd(sum, part);
    atomicAdd(&grad[points[i]], g);
    atomicMin(&label[a], b);
    if (atomicCAS(&keys[p], EMPTY, key) == EMPTY) return;  p = (p + 1) & mask;

Limits: a pattern for kernels that cannot be walked; data whose name says that they are all different (`permutation`, `slots`) are
believed, and a kernel that fences, locks or asks a flag is left alone. Of tables and trees in functions of the device, those that
all callers of the file hand on as the kernel is given them; a tree is left alone where a flag says that there is another round.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.synchronization.claimed_slots import claimed_slots
from cudalint.analysis.synchronization.lost_extremes import lost_extremes
from cudalint.analysis.synchronization.lost_updates import lost_updates
from cudalint.analysis.synchronization.plain_among_atomics import plain_among_atomics
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "SYN109", "lost-update", Level.ERROR, Subject.TEXT, "one element is updated by many threads without an atomic"
)
ADVICE = "use atomicAdd, or let one thread add up what the others leave in places of their own"


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each element that a kernel updates so."""
    for issue in (*lost_updates(subject), *plain_among_atomics(subject), *lost_extremes(subject)):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", ADVICE)
    for issue in claimed_slots(subject):
        advice = "take the slot by atomicCAS(&slots[p], EMPTY, key), and look at what it returns"
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "the slot is found free here", advice)
