"""An annotation is not understood, so that nothing of what it promises is assumed.

Bad:
    // cudalint: extend(x) = n
Good:
    // cudalint: extent(x) = n

Limits: the other statements of the same comment still count.
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject, ToolIssue

RULE = Rule("CUL001", "bad-annotation", Level.ERROR, Subject.TOOL, "annotation not understood")


def check(subject: ToolIssue, context: Context) -> Iterator[Finding]:
    """The finding at the line and column of the error."""
    if subject.rule == RULE.code:
        message = f"this annotation is not understood: {subject.message}"
        yield Finding(RULE.code, RULE.name, RULE.level, message, subject.span, "annotation", kernel=subject.kernel)
