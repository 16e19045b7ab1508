"""The host gives a copy, a fill or a launch the name of a variable of the device: on the host it is the address of something else.

Bad:
    __constant__ float taps[64];   cudaMemcpy(taps, h, bytes, cudaMemcpyHostToDevice);
Good:
    __constant__ float taps[64];   cudaMemcpyToSymbol(taps, h, bytes);

Limits: variables that the file declares outside functions, on lines of their own.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.launch.device_symbols import symbols_as_pointers
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule(
    "API121", "symbol-as-pointer", Level.ERROR, Subject.TEXT, "a variable of the device as an address of the host"
)


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in symbols_as_pointers(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "", "use cudaMemcpyToSymbol, or ask cudaGetSymbolAddress"
        )
