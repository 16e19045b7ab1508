"""An element is read that no thread of the block has written: the block is smaller than the array it fills, or a loop shorter.

Bad:
    __shared__ float part[32];  if (lane == 0) part[warp] = v;  __syncthreads();
    if (warp == 0) v = warp_sum(part[lane]);                        // a block of 256 has filled 8 of the 32
Good:
    if (warp == 0) v = warp_sum(lane < blockDim.x / 32 ? part[lane] : 0.f);

So it is where only the threads that have an element set theirs, and the block reads all of the array:
`if (i < n) tile[t] = x[i];` and a sum over the whole tile.

A thread's own arrays are looked at, too: `float w[5]` of which a loop sets four.

Limits: shared arrays in blocks of a size that the launch states as a number, and arrays that are set where the number of the
thread, or of the round of a loop, alone decides.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.issues import UnsetElement
from cudalint.symbolic.verdicts.phrases import coordinates

RULE = Rule("IDX303", "unset-element", Level.ERROR, Subject.UNSET, "an element that nothing has set is read")


def check(subject: UnsetElement, context: Context) -> Iterator[Finding]:
    """One finding for each array."""
    witness, own = subject.witness, subject.object.memory == "local"
    unset = f"`{subject.object.name}[{witness.index}]` is read, and "
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=unset + ("nothing writes it" if own else "no thread of the block writes it"),
        span=subject.span,
        root=f"unset:{subject.object.name}",
        evidence=Evidence.EMULATED if subject.seen else Evidence.WITNESS,
        assumptions=subject.facts,
        witness=witness,
        trigger=f"thread {coordinates(witness.thread)} of a block of {coordinates(witness.launch.block)}",
        launch_site=context.contract.launch_site if context.contract else None,
        fix=Fix(f"read only what {'is' if own else 'the block has'} filled, or give the rest a neutral value"),
    )
