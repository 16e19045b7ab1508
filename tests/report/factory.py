"""Scan results made by hand: one of everything that a report has to show."""

from __future__ import annotations

from dataclasses import replace

from cudalint.finding import (
    Assumption,
    Confidence,
    Edit,
    Evidence,
    Finding,
    Fix,
    Gap,
    Instance,
    KernelResult,
    LaunchShape,
    LaunchSite,
    Level,
    Note,
    ObligationResult,
    Reason,
    Related,
    ScanResult,
    ThreadAccess,
    Verdict,
    Witness,
)
from cudalint.rule import LoadedRule, Rule, Subject
from cudalint.source import SourceFile, Span

TEXT = """__global__ void saxpy(int n, float a, const float *x, float *y)
{
\tint i = blockIdx.x * blockDim.x + threadIdx.x;
\ty[i] = a * x[i] + y[i];
}

__global__ void shift(float *out)
{
    __shared__ float s[256];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
"""
SOURCE = SourceFile("src/k.cu", "/somewhere/src/k.cu", TEXT)
SOURCES = {SOURCE.path: SOURCE}


def span(line: int, column: int, end: int, path: str = SOURCE.path) -> Span:
    return Span(path, line, column, line, end)


BOUNDS = Finding(
    code="IDX101",
    name="global-bounds",
    level=Level.ERROR,
    message="write past the end of `y`",
    span=span(4, 2, 6),
    root="y[i]",
    evidence=Evidence.EMULATED,
    kernel="saxpy",
    function="saxpy",
    assumptions=(
        Assumption("extent(y) = n", "launch", "src/k.cu", 20),
        Assumption("y does not overlap x", "default"),
    ),
    witness=Witness(
        launch=LaunchShape((1, 1, 1), (256, 1, 1)),
        values={"n": 1},
        block=(0, 0, 0),
        thread=(1, 0, 0),
        index=1,
        extent=1,
        bytes_needed=8,
    ),
    condition="n % 256 != 0",
    launch_site=LaunchSite("src/k.cu", 22, "main"),
    instance=Instance(("float",), "sm_80"),
    fix=Fix("return where i >= n", (Edit(span(4, 2, 2), "if (i < n) "),)),
    replay=".cudalint/replay/3f2a",
)

RACE = Finding(
    code="SYN101",
    name="shared-race",
    level=Level.ERROR,
    message="two threads meet at `s` with no barrier between them",
    span=span(11, 24, 44),
    root="s",
    evidence=Evidence.WITNESS,
    kernel="shift",
    witness=Witness(
        launch=LaunchShape((1, 1, 1), (256, 1, 1), 1024),
        values={"total": 1 << 60},
        threads=(
            ThreadAccess((0, 0, 0), (32, 0, 0), "write", "src/k.cu", 10, 32),
            ThreadAccess((0, 0, 0), (0, 0, 0), "read", "src/k.cu", 11, 32),
        ),
    ),
    related=(Related(span(10, 5, 19), "the other access"),),
)

NOTE = Finding(
    code="CUL001",
    name="annotation-syntax",
    level=Level.NOTE,
    message="expected `=` in annotation",
    span=span(1, 1, 3),
    root="annotation",
    confidence=Confidence.HIGH,
)

KERNELS = (
    KernelResult(
        "saxpy",
        span(1, 1, 64),
        complete=True,
        exact=True,
        obligations=(
            ObligationResult("write", span(4, 2, 6), Verdict.VIOLATED, facts=BOUNDS.assumptions),
            ObligationResult("read", span(4, 13, 17), Verdict.SAFE, facts=BOUNDS.assumptions[:1]),
            ObligationResult("read", span(4, 20, 24), Verdict.UNKNOWN, Reason.NO_EXTENT, detail="extent(y)?"),
        ),
    ),
    KernelResult(
        "shift", span(7, 1, 34), complete=False, exact=False, unmodelled=(Gap("inline assembly", span(10, 5, 8)),)
    ),
)

RULES = (
    LoadedRule(
        Rule("IDX101", "global-bounds", Level.ERROR, Subject.OBLIGATION, "Access outside of global memory"),
        lambda subject, context: iter(()),
        "An access to global memory lies outside of its allocation.\n\nBad:\n    y[i] = 0;\n\nGood:\n    if (i < n) y[i] = 0;",
    ),
    LoadedRule(
        Rule("SYN101", "shared-race", Level.ERROR, Subject.RACE, "Race in shared memory"),
        lambda subject, context: iter(()),
        "Two threads of a block meet at one element of shared memory.",
    ),
)

RESULT = ScanResult(
    version="0.1.0",
    targets=("sm_80",),
    findings=(RACE, BOUNDS),
    kernels=KERNELS,
    notes=(Note("could not be read: permission denied", "src/locked.cu", None, True), Note("1 include not found")),
    files=2,
    files_failed=1,
    hidden={"medium": 2, "low": 1},
)
EMPTY = ScanResult("0.1.0", ("sm_80",), (), (), (), 0, 0)


def result(*findings: Finding, **changes: object) -> ScanResult:
    """RESULT with other findings and changes."""
    return replace(RESULT, findings=findings, **changes)  # type: ignore[arg-type]
