"""A function launches on the current device, wherever its tensors lie, and the others of the file choose the device first.

Bad:
    at::Tensor f(at::Tensor x) { k<<<g, b, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>()); }    // x on cuda:1
Good:
    at::Tensor f(at::Tensor x) { const at::cuda::CUDAGuard guard(x.device());  k<<<g, b, 0, at::cuda::...>>>(...); }

So does a loop over all devices that allocates or launches for each of them, and never chooses one.

Limits: a pattern; a file in which no function chooses the device leaves that to its callers. Functions that other functions of the
file call are judged with them.
"""

from collections.abc import Iterator

from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.analysis.launch.device_guards import unset_devices
from cudalint.analysis.launch.device_loops import device_loops
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("API131", "unset-device", Level.WARNING, Subject.TEXT, "a launch on whatever device is the current one")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each function, and for each loop over the devices."""
    for issue in unset_devices(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "this function chooses the device of its tensors",
            "guard the device of a tensor: at::cuda::CUDAGuard guard(x.device())",
        )  # fmt: skip
    for issue in device_loops(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "the loop over the devices", "begin each round with cudaSetDevice",
        )  # fmt: skip
