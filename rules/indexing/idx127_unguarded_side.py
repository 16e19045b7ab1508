"""A place along one side of the data is used without a guard, though kernel or launch tell that the last block goes beyond it.

Bad:
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (column < columns) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
    ...
    if (blockIdx.y * 32 + threadIdx.x < rows && ..) out[..] = tile[threadIdx.x][threadIdx.y];
Good:
    if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];

Limits: for indices of two sides or more, into memory whose extent is not known; global-bounds decides the others. Memory
that the kernel both reads and writes is left out: it may be made for the threads. So is memory that is used behind a comparison
of the same side anywhere: a halo may lie inside where its middle does not.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.text import shown
from cudalint.symbolic.issues import UnguardedSide
from cudalint.symbolic.verdicts.phrases import coordinates, values_phrase

RULE = Rule("IDX127", "unguarded-side", Level.ERROR, Subject.SIDE, "the last block goes beyond a side that it knows")


def check(subject: UnguardedSide, context: Context) -> Iterator[Finding]:
    """One finding for each access."""
    size, witness = shown(subject.size), subject.witness
    site = context.contract.launch_site if context.contract else None
    launched = site is not None and (site.path, site.line) == (subject.guard.path, subject.guard.line)
    known = "for which the grid is rounded up" if launched else "with which the same tile is compared elsewhere"
    note = f"the last block goes beyond {size}" if launched else f"a place of the same tile is kept below {size}"
    who = f"block {coordinates(witness.block)} thread {coordinates(witness.thread)}"
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=f"`{subject.object.name}` is used beyond {size}, {known}",
        span=subject.span,
        root=f"{RULE.name}:{subject.object.name}:{size}",
        evidence=Evidence.WITNESS,
        assumptions=subject.facts,
        witness=witness,
        trigger=f"{values_phrase(witness)}{who} is at place {witness.index} of {witness.extent}",
        condition=f"{shown(subject.place)} is not kept below {size}",
        launch_site=site,
        related=(Related(subject.guard, note),),
        fix=Fix(f"compare the place with {size} on the way to this access"),
    )
