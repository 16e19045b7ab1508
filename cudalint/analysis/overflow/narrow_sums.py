"""Sums by functions of thrust, std and cub that add up in fewer bits than their result has.

thrust::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin());      int32_t lengths, int64_t offsets: they wrap at 2^31
const int64_t total = thrust::reduce(n.begin(), n.end(), 0);                  0 is an int
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.overflow.counted_flags import stays_small
from cudalint.analysis.precision.device_sums import DeviceSum, device_sums
from cudalint.analysis.text.guard_patterns import GuardIssue, short
from cudalint.analysis.text.scopes import FLOATING, INT, UNSIGNED, WIDE, kind_of_type
from cudalint.analysis.text.text_program import program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline

_INT = 4  # bytes
_LONG = 8


def narrow_sums(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each call."""
    for each in device_sums(outline):
        adds, wide = _adds_in(each), _needs(each, outline)
        kinds = {kind_of_type(written, outline) for written in (adds, each.source) if written}
        if not adds or not wide or not kinds <= {INT, UNSIGNED, WIDE}:
            continue
        width, needed = bytes_of_type(adds) or _LONG, bytes_of_type(wide) or 0
        if width >= _INT and stays_small(each, program_of(outline)):
            continue
        if width < needed and (needed >= _LONG or width < _INT):
            text = f"`{short(each.node)}` adds up in `{adds}`, of {8 * width} bits, what goes to `{wide}`"
            yield GuardIssue(each.function, each.node, text, certain=_is_certain(each, width))


def _is_certain(each: DeviceSum, width: int) -> bool:
    """Sums of the host are of few numbers, a written type is meant, and a wide sum of integers may be a number of flags."""
    of_host = "std::" in each.node.text.partition("(")[0]
    written = each.begins is not None and each.begins.kind != "number_literal" and each.initial == each.result
    return not of_host and not written and (each.scans or width < _INT or bytes_of_type(each.source) == _LONG)


def _adds_in(each: DeviceSum) -> str:
    """The type of the sum; cub promotes what is narrower than an int."""
    if each.begins is not None:
        return each.initial
    cub = "DeviceScan" in each.node.text.partition("(")[0]
    return "int" if cub and (bytes_of_type(each.source) or _LONG) < _INT else each.source


def _needs(each: DeviceSum, outline: Outline) -> str:
    """The wider of what the sum goes to and, where it begins with a number, what it takes."""
    wide = [each.result, each.source if each.begins is not None else ""]
    known = [w for w in wide if w and kind_of_type(w, outline) != FLOATING and bytes_of_type(w) is not None]
    return max(known, key=lambda written: bytes_of_type(written) or 0, default="")
