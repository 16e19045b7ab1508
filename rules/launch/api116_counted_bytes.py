"""A copy or fill takes the number of elements for the number of bytes: most of the memory stays as it was.

Bad:
    cudaMalloc(&x, n * sizeof(float));  cudaMemset(x, 0, n);
    double *x = ...;  cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy2D(x, pitch, h, w * sizeof(float), w, rows, cudaMemcpyHostToDevice);
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
    held = f"{subject.held} bytes of {'each row of ' if subject.rows else ''}`{subject.of}`"
    why = "the size is in elements" if subject.unit == 1 else f"the size is for elements of {subject.unit} bytes"
    yield Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=f"`{subject.call}` covers {subject.needed} of {held}: {why}",
        span=subject.span,
        root=f"{RULE.name}:{subject.function}:{subject.call}:{subject.of}",
        confidence=Confidence.HIGH,
        evidence=Evidence.PATTERN,
        function=subject.function,
        related=(Related(subject.made, f"`{subject.of}` is made here"),) if subject.made is not None else (),
        fix=Fix("multiply by the size of an element, `sizeof(*pointer)`"),
    )


_WIDTHS = {
    **dict.fromkeys(("float", "int", "unsigned", "unsigned int", "int32_t", "uint32_t", "float32_t"), 4),
    **dict.fromkeys(("short", "unsigned short", "int16_t", "uint16_t", "half", "__half", "__nv_bfloat16"), 2),
}


def _measures(subject: Counted, context: Context) -> bool:
    """The call speaks of bytes, or its text is not at hand; of elements of another type it says so itself."""
    lines = context.text.get(subject.span.path, ())
    written = " ".join(lines[subject.span.line - 1 : subject.span.end_line])
    if subject.rows:
        written = _width_of(written)
    if subject.unit > 1:
        named = re.findall(r"sizeof\s*\(?\s*([\w ]*[\w])", written)
        return len(named) != 1 or _WIDTHS.get(named[0]) != subject.unit
    return not written or re.search(r"sizeof|byte", written, re.IGNORECASE) is not None


def _width_of(written: str) -> str:
    """The argument of the call that says how much of a row is copied or filled."""
    call = re.search(r"(Memcpy2D|Memset2D)\w*\s*\((.*)", written)
    if call is None:
        return ""
    parts, depth = [""], 0
    for char in call[2]:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            break
        parts = [*parts, ""] if char == "," and depth == 0 else [*parts[:-1], parts[-1] + char]
    place = 4 if call[1] == "Memcpy2D" else 3
    return parts[place] if place < len(parts) else ""
