"""A shared array is read or added to, and nothing in the kernel sets it.

Bad:
    __shared__ int bins[256];
    atomicAdd(&bins[x[i]], 1);                       // counts on top of what another block left there
Good:
    __shared__ int bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    atomicAdd(&bins[x[i]], 1);

Limits: a pattern; an array whose address is passed on is left out, and so is one of which only a part is set. Dynamic shared
memory counts as one array under all of its names; one that is declared outside of functions is left out.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.analysis.initialisation.unset_shared import unset_shared
from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX302", "unset-shared", Level.ERROR, Subject.FUNCTION, "shared memory that nothing has set is used")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each array of a kernel and of what it calls."""
    if subject.role is not ir.Role.KERNEL:
        return
    for unset in unset_shared(subject, context.unit):
        verb = "added to" if unset.adds else "read"
        yield Finding(
            code=RULE.code,
            name=RULE.name,
            level=RULE.level,
            message=f"`{unset.variable}` is {verb}, and nothing in the kernel sets it",
            span=unset.use,
            root=f"unset:{unset.variable}",
            evidence=Evidence.PATTERN,
            function=subject.name,
            related=(Related(unset.declared, f"`{unset.variable}` holds what an earlier block left there"),),
            fix=Fix(f"set `{unset.variable}` at the start of the kernel, with a barrier before its first use"),
        )
