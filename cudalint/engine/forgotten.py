"""Kernels that a source file only defines, beside others that it launches: nobody chooses sizes that are too large for them."""

from __future__ import annotations

import re

from cudalint.frontend.translate import KernelEntry, Translation


def is_forgotten(entry: KernelEntry, translation: Translation) -> bool:
    """A source file launches others of its kernels and only defines this one, and no other file launches it."""
    known = entry.launched or entry.by_name or entry.unseen or entry.device
    here = entry.span.path == translation.source.path and entry.span.path.endswith(".cu")
    beside = (each for each in translation.kernels if each.span.path == entry.span.path and each.name != entry.name)
    if known or not here or not any(each.launched for each in beside):
        return False
    name, text = re.escape(entry.name), translation.source.text
    if "##" in text:
        return False  # a macro may put names together
    return len(re.findall(rf"\b{name}\b", text)) == len(re.findall(rf"\b__global__\b[^;{{}}]*?\b{name}\s*\(", text))
