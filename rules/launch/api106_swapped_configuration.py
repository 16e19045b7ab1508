"""By their names the grid and the block of a launch are in the wrong order.

Bad:
    k<<<threads, blocks>>>(x);
Good:
    k<<<blocks, threads>>>(x);

Limits: a pattern: only names that say what they are count.
"""

from collections.abc import Iterator

from cudalint.analysis.launch_findings import launch_finding
from cudalint.analysis.launch_patterns import swapped_configurations
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API106", "swapped-configuration", Level.WARNING, Subject.TEXT, "grid and block in the wrong order")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place of a launch that is wrong."""
    for wrong in swapped_configurations(subject):
        why = "the grid comes first"
        yield launch_finding(wrong, RULE.code, RULE.name, RULE.level, why, "swap the two")
