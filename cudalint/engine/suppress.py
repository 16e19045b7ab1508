"""`// cudalint: ignore[IDX101] reason` hides a finding on its line."""

from __future__ import annotations

from functools import lru_cache

from cudalint.finding import Finding
from cudalint.frontend.syntax import Suppression, index
from cudalint.source import SourceFile


def suppressed(finding: Finding, source: SourceFile) -> bool:
    """Whether a comment in the source names the finding's code or name for its line."""
    return any(
        s.line == finding.span.line and (finding.code in s.rules or finding.name in s.rules)
        for s in _suppressions(source)
    )


@lru_cache(maxsize=256)
def _suppressions(source: SourceFile) -> tuple[Suppression, ...]:
    return index(source).suppressions
