"""A launch does not keep what an annotation promises of every launch.

Bad:
    // cudalint: assume n % 4 == 0
    __global__ void k(float4 *x, int n);
    k<<<1, 256>>>(x, 1001);
Good:
    k<<<1, 256>>>(x, 1000);

Limits: what only the callers of a public function can break is theirs to keep. Promises about the contents of memory are compared
where host code fills all of it by `memset`, `fill`, a loop over its elements, a list, or a copy of such memory; what a tensor of a
library or an earlier kernel holds is not compared (`cudalint contract` says which).
"""

from collections.abc import Iterator

from cudalint.finding import Finding, Level
from cudalint.rule import Context, Rule, Subject, ToolIssue

RULE = Rule("CUL003", "broken-promise", Level.WARNING, Subject.TOOL, "a launch does not keep an annotation's promise")


def check(subject: ToolIssue, context: Context) -> Iterator[Finding]:
    """The finding at the launch, with the facts that break the promise."""
    if subject.rule != RULE.code:
        return
    facts = context.contract.facts if context.contract else ()
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=subject.message,
        span=subject.span,
        root="contract",
        kernel=subject.kernel,
        assumptions=tuple(fact.assumption() for fact in facts),
        launch_site=context.contract.launch_site if context.contract else None,
    )
