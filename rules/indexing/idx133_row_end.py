"""A place in a row comes to the next row, as its own bound or another access with the same place shows.

Bad:
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * m + i] = in[blockIdx.x * n + i];   // m blocks
    for (int k = 0; k <= n; k++) sum += in[row * n + k];
Good:
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = in[blockIdx.x * n + i];
    for (int k = 0; k < n; k++) sum += in[row * n + k];

Limits: for memory whose extent does not decide it; global-bounds tells the others. A length that another access to the same
memory agrees with is left out, and so is one that counts nothing else in the kernel: rows may lie farther apart than they are long.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.text import shown
from cudalint.symbolic.issues import RowEnd
from cudalint.symbolic.verdicts.phrases import coordinates, values_phrase

RULE = Rule("IDX133", "row-end", Level.ERROR, Subject.ROW, "a place in a row comes to the next row")


def check(subject: RowEnd, context: Context) -> Iterator[Finding]:
    """One finding for each line and array."""
    length, place, witness = shown(subject.length), shown(subject.place), subject.witness
    who = f"block {coordinates(witness.block)} thread {coordinates(witness.thread)}"
    end = shown(subject.end)
    if subject.end is subject.length:
        message = f"`{subject.object.name}` is used one place beyond the end of a row of {length}"
        way_out = f"stop before {length}"
    else:
        message = f"`{subject.object.name}` has the next row after {length} places, and the place goes up to {end}"
        way_out = f"multiply with {end}, or keep the place below {length}"
    related: tuple[Related, ...] = ()
    if subject.other is not None:
        span, other = subject.other
        related = (Related(span, f"the same place in rows of {end} in `{other.name}`"),)
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=message,
        span=subject.span,
        root=f"{RULE.name}:{place}:{length}",
        evidence=Evidence.WITNESS,
        assumptions=subject.facts,
        witness=witness,
        trigger=f"{values_phrase(witness)}{who} is at place {witness.index} of {witness.extent}",
        condition=f"{place} is not kept below {length}",
        launch_site=context.contract.launch_site if context.contract else None,
        related=related,
        fix=Fix(way_out),
    )
