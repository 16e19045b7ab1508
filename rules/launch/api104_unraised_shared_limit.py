"""A launch asks for more than 48 KiB of dynamic shared memory in ordinary use, and nobody raises the kernel's limit.

Bad:
    k<<<rows, 256, hidden_size * sizeof(float)>>>(x);            // from 12289 values on the launch fails
Good:
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);  k<<<rows, 256, bytes>>>(x);

Limits: a pattern: how large a size gets is read from its name; the attribute has to be set in the function that launches, for the
instance of the kernel that it launches with as many bytes, or by whom it hands the launch to, with its bytes. A
function that asks how much a block may opt in to is reported where the answer bounds the launch and no call gets the kernel.
"""

from collections.abc import Iterator
from itertools import chain

from cudalint.analysis.launch.launch_findings import launch_finding
from cudalint.analysis.launch.launch_patterns import unset_shared_limits
from cudalint.analysis.launch.raised_elsewhere import limits_raised_elsewhere
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API104",
    "unraised-shared-limit",
    Level.WARNING,
    Subject.TEXT,
    "dynamic shared memory beyond 48 KiB without the attribute",
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place of a launch that is wrong."""
    for wrong in chain(unset_shared_limits(subject), limits_raised_elsewhere(subject)):
        why = "more than 48 KiB need cudaFuncSetAttribute"
        yield launch_finding(
            wrong,
            RULE.code,
            RULE.name,
            RULE.level,
            why,
            "set cudaFuncAttributeMaxDynamicSharedMemorySize before the launch",
        )
