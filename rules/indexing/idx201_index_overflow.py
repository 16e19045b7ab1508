"""Integer arithmetic on the way to an index overflows, so that the access goes to another element.

Bad:
    int i = row * cols + col;                                     // 2^31 elements are ordinary for a matrix
Good:
    size_t i = (size_t)row * cols + col;

So is a place in an int that a guard by an unsigned size lets through no more once it is negative: with 2^31 elements
`int i = ...; if (i < n) y[i] = 0;` leaves those behind as they were.

Limits: wrapping inside a remainder or a bit operation is taken as intended (hashes). Sizes of tensors and other containers, and
those that come beside tensors, whose names say nothing of how large they are are left to `--profile audit`, unless the host code
checks them or the kernel multiplies in 64 bits elsewhere.
So is what overflows for sizes alone that nobody has together: more than 2^18 tokens in the sequences of a batch, 2^14 numbers
in a row of a model, 2^10 lanes, layers or key heads, 2^31 blocks along all sides of a grid, 2^30 elements of a matrix of which
nothing is known but `m x n`, or a region of interest that begins beyond row or column 2^13 of an image.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.verdicts.defects import Defect
from cudalint.symbolic.verdicts.found import level_for
from cudalint.symbolic.verdicts.phrases import consequence_notes, coordinates, values_phrase
from cudalint.term import text

RULE = Rule("IDX201", "index-overflow", Level.ERROR, Subject.OBLIGATION, "an index overflows its integer type")


def check(subject: Defect, context: Context) -> Iterator[Finding]:
    """Findings for indices whose C value is not their mathematical value."""
    obligation = subject.primary
    if obligation.kind != "overflow" or obligation.confidence is None:
        return
    witness = obligation.witness
    who = "" if witness is None else f"block {coordinates(witness.block)} thread {coordinates(witness.thread)}"
    index = "" if witness is None or witness.index is None else f" means element {witness.index}"
    condition = text(obligation.index)
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=level_for(witness.bytes_needed if witness else None),
        message=f"the index of this {obligation.access} overflows",
        span=obligation.computed_at or obligation.span,
        root=obligation.root,
        confidence=obligation.confidence,
        evidence=Evidence.WITNESS,
        assumptions=obligation.facts,
        witness=witness,
        trigger=None if witness is None else f"{values_phrase(witness)}{who}{index}",
        condition=None if "#" in condition else f"index {condition}",
        launch_site=context.contract.launch_site if context.contract else None,
        related=(*_access(obligation), *consequence_notes(subject)),
        fix=Fix("compute the index in 64 bits: cast the first factor to size_t or int64_t"),
    )


def _access(obligation: Obligation) -> Iterator[Related]:
    """The access, where the value that wraps is computed in another statement."""
    if obligation.computed_at is not None:
        yield Related(obligation.span, f"the {obligation.access} that it leads to another element")
