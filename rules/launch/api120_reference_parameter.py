"""A kernel takes a parameter by reference: what it gets is an address of the host, which the device cannot read.

Bad:
    __global__ void project(const Camera &camera, float *x);
Good:
    __global__ void project(const Camera camera, float *x);

Limits: references to what lies in managed memory would work. Heads with directives in them are left out.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.launch.device_symbols import reference_parameters
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API120", "reference-parameter", Level.ERROR, Subject.TEXT, "a kernel that takes a reference")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in reference_parameters(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "pass it by value")
