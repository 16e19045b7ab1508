"""What is assumed of a kernel's launch contradicts itself, so that nothing about it is proved.

Bad:
    // cudalint: assume n > 0 && n < 0
Good:
    // cudalint: assume n > 0

A note where nobody promised anything: then a launch that never happens was followed, or one was misread.

Limits: none known.
"""

from collections.abc import Iterator

from cudalint.contract import Origin
from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject, ToolIssue

RULE = Rule("CUL002", "contradictory-contract", Level.WARNING, Subject.TOOL, "no launch satisfies the contract")


def check(subject: ToolIssue, context: Context) -> Iterator[Finding]:
    """The finding at the kernel, with everything that was assumed."""
    if subject.rule != RULE.code:
        return
    facts = context.contract.facts if context.contract else ()
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level if any(fact.origin in (Origin.ANNOTATION, Origin.OPTION) for fact in facts) else Level.NOTE,
        message=subject.message,
        span=subject.span,
        root="contract",
        kernel=subject.kernel,
        assumptions=tuple(fact.assumption() for fact in facts),
        launch_site=context.contract.launch_site if context.contract else None,
    )
