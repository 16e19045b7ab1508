"""Sums of real numbers by functions of thrust and std that begin with a whole number, and add up in its type.

const float s = thrust::reduce(x.begin(), x.end(), 0);            each step drops the fraction
const float s = thrust::reduce(x.begin(), x.end(), 0.0f);
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.precision.device_sums import device_sums
from cudalint.analysis.text.guard_patterns import GuardIssue, short
from cudalint.analysis.text.scopes import FLOATING, INT, UNSIGNED, WIDE, kind_of_type
from cudalint.ir.syntax import Outline

_WHOLE = (INT, UNSIGNED, WIDE)


def truncated_device_sums(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each call, at the value to begin with; a whole result may be a number of ones."""
    for each in device_sums(outline):
        whole = bool(each.initial) and kind_of_type(each.initial, outline) in _WHOLE
        if each.begins is not None and whole and kind_of_type(each.source, outline) == FLOATING:
            text = f"`{short(each.begins)}` makes `{each.initial}` of the sum, and each step drops the fraction of what it adds"
            yield GuardIssue(each.function, each.begins, text, certain=kind_of_type(each.result, outline) not in _WHOLE)
