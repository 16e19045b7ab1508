"""All warps of a block take elements and fold them by shuffles, and the first thread alone writes: the others' share is lost.

Bad:
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
    sum = warp_sum(sum);  if (threadIdx.x == 0) y[blockIdx.x] = sum;                          // <<<rows, 128>>>
Good:
    if (lane == 0) part[warp] = sum;  __syncthreads();  ...                                   // or <<<rows, 32>>>

Limits: kernels without shared memory, atomics and barriers, in which the threads go on by the size of the block, under launches
whose block is a number.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.analysis.synchronization.unheard_warps import unheard_warps
from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.rule import Context, Rule, Subject

RULE = Rule("SYN307", "unheard-warp", Level.ERROR, Subject.FUNCTION, "the share of all warps but the first is lost")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """At most one for each kernel."""
    for each in unheard_warps(context.unit, subject):
        yield Finding(
            code=RULE.code,
            name=RULE.name,
            level=RULE.level,
            message=f"the first thread alone writes, and holds the result of its own warp: that of the other "
            f"{(each.threads + 31) // 32 - 1} comes nowhere",
            span=each.span,
            root=f"unheard-warp:{each.span.line}",
            evidence=Evidence.PATTERN,
            function=subject.name,
            related=(Related(each.launch, f"launched with {each.threads} threads"),),
            fix=Fix("put the results of the warps into shared memory and fold them, or launch one warp"),
        )
