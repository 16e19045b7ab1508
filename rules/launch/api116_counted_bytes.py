"""A copy or fill takes the number of elements for the number of bytes: most of the memory stays as it was.

Bad:
    cudaMalloc(&x, n * sizeof(float));  cudaMemset(x, 0, n);
Good:
    cudaMalloc(&x, n * sizeof(float));  cudaMemset(x, 0, n * sizeof(float));

Limits: memory that has exactly so many elements; a side of which the size is not known has elements of several bytes, too. A size
whose name speaks of bytes is believed, and so is a constant where `sizeof` stands in the call.
"""

import re
from collections.abc import Iterator

from cudalint.finding import Confidence, Evidence, Finding, Fix, Level, Related
from cudalint.rule import Context, Rule, Subject
from cudalint.symbolic.host.counted import Counted

RULE = Rule("API116", "counted-bytes", Level.ERROR, Subject.COUNTED, "a copy of as many bytes as there are elements")


def check(subject: Counted, context: Context) -> Iterator[Finding]:
    """One finding for each copy or fill."""
    if subject.folded and _measures(subject, context):
        return
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=f"`{subject.call}` covers {subject.needed} of {subject.held} bytes of `{subject.of}`: "
        "the size is in elements",
        span=subject.span,
        root=f"{RULE.name}:{subject.function}:{subject.call}:{subject.of}",
        confidence=Confidence.HIGH,
        evidence=Evidence.PATTERN,
        function=subject.function,
        related=(Related(subject.made, f"`{subject.of}` is made here"),) if subject.made is not None else (),
        fix=Fix("multiply by the size of an element"),
    )


def _measures(subject: Counted, context: Context) -> bool:
    """The call speaks of bytes, or its text is not at hand."""
    lines = context.text.get(subject.span.path, ())
    written = " ".join(lines[subject.span.line - 1 : subject.span.end_line])
    return not written or re.search(r"sizeof|byte", written, re.IGNORECASE) is not None
