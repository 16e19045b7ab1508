"""A size of the data is the number of threads of a block, which has at most 1024.

Bad:
    k<<<tokens, hidden_size>>>(x);                               // hidden sizes of 4096 are ordinary
    k<<<rows, (n + 31) / 32 * 32>>>(x, n);                       // with a stride loop up to n in the kernel
Good:
    k<<<tokens, min(hidden_size, 1024)>>>(x);                    // and a stride loop in the kernel

Limits: a pattern: how large a size gets is read from its name, or from a kernel that goes on with steps of the block. A function
that speaks of 1024 or of the device's limit is left out.
"""

from collections.abc import Iterator

from cudalint.analysis.launch.computed_blocks import computed_blocks
from cudalint.analysis.launch.launch_findings import launch_finding
from cudalint.analysis.launch.launch_patterns import wide_blocks
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API103", "oversized-block", Level.WARNING, Subject.TEXT, "a size of the data decides the threads of a block"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place of a launch that is wrong."""
    for wrong in [*wide_blocks(subject), *computed_blocks(subject)]:
        why = "a block has at most 1024"
        yield launch_finding(
            wrong, RULE.code, RULE.name, RULE.level, why, "cap the block and let each thread do several elements"
        )
