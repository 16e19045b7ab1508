"""A guard lets more elements through than the launch has threads for: the rest stay as they were.

Bad:
    k<<<n / 256, 256>>>(y, n);                       // if (i < n) y[i] = 0: the last n % 256 are never written
Good:
    k<<<(n + 255) / 256, 256>>>(y, n);

A block of fixed size for a row of any length, and a guard by another size than the one that the launch was made for and the
kernel takes without reading it, are the same defect.

Elements are missed only where there are any: `k<<<blocks - 1, 256>>>(y + 256, n)` comes to all that is left behind the pointer.

Blocks that are smaller than what the kernel steps by from one to the next leave what lies between:
`blockIdx.y * 8 + threadIdx.y < rows` in blocks of 32 by 1.

With numbers in the launch and in the size, the guard that they leave nothing of counts as it was written.

A grid that is capped counts on elements behind the cap, whether or not a number of this name is ordinarily so large.

Limits: guards by a size from outside, of an index that grows with the thread and nothing else, under a launch that is known.
Sizes that memory holds are taken for those that the launch was made with.
"""

from collections.abc import Iterator

from cudalint.finding import Evidence, Finding, Fix, Level, Related
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.text import plain, shown
from cudalint.symbolic.issues import LostWork

RULE = Rule("IDX117", "missing-threads", Level.WARNING, Subject.LOST, "elements that no thread of the launch comes to")


def check(subject: LostWork, context: Context) -> Iterator[Finding]:
    """One finding for the writes of an array that leave out the same elements: the first of them."""
    wanted = shown(subject.wanted)
    if subject.numbers is None:
        message = f"the guard is by {wanted}; the launch was made for `{subject.meant}`, which the kernel never reads"
    else:
        limit, reached = subject.numbers
        message = f"`{subject.object.name}` is written for {limit} elements, and the launch comes to {reached} of them"
        if subject.skipped:
            message = (
                f"`{subject.object.name}` is written for {limit} elements, and number {reached} lies between two blocks"
            )
    inputs = ", ".join(f"{plain(name)} = {value}" for name, value in subject.values[:8])
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=message,
        span=subject.span,
        root=f"{RULE.name}:{subject.object.name}:{wanted}",
        confidence=subject.confidence,
        evidence=Evidence.WITNESS,
        assumptions=subject.facts,
        trigger=inputs or None,
        condition=f"{shown(subject.reached)} places for {wanted}",
        launch_site=context.contract.launch_site if context.contract else None,
        related=tuple(Related(span, "this write leaves them out, too") for span in subject.beside),
        fix=Fix(
            "launch blocks as large as what the kernel steps by"
            if subject.skipped
            else "round the grid up, or let each thread go on by the size of the grid"
        ),
    )
