"""A kernel is launched and nobody asks whether the launch succeeded.

Bad:
    kernel<<<grid, 2048>>>(x);                                    // an invalid configuration runs nothing, silently
Good:
    kernel<<<grid, 256>>>(x);  CHECK(cudaGetLastError());

Limits: a pattern; the callers of the function are not asked.
"""

from collections.abc import Iterator

from cudalint import ir
from cudalint.analysis.launch.launch_checks import unchecked_launches
from cudalint.finding import Evidence, Finding, Fix, Level
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API101", "unchecked-launch", Level.NOTE, Subject.HOST, "launch without an error check")


def check(subject: ir.Function, context: Context) -> Iterator[Finding]:
    """One finding for each launch without a check behind it."""
    for launch in unchecked_launches(subject, context.unit):
        callee = (
            context.unit.functions.get(launch.kernel.function) if isinstance(launch.kernel, ir.FunctionRef) else None
        )
        yield Finding(
            code=RULE.code,
            name=RULE.name,
            level=RULE.level,
            message="the launch is not checked: a failed launch leaves the output as it was",
            span=launch.span,
            root=f"launch:{callee.name if callee else 'unknown'}",
            evidence=Evidence.PATTERN,
            kernel=callee.name if callee else None,
            function=subject.name,
            fix=Fix("check cudaGetLastError() after the launch"),
        )
