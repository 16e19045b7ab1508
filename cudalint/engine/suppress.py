"""`// cudalint: ignore[IDX101] reason` hides a finding on its line."""

from __future__ import annotations

from collections.abc import Iterable

from cudalint.finding import Finding, Note
from cudalint.frontend.syntax import Suppression


class Suppressions:
    """The comments of all files that were read, by place."""

    def __init__(self, comments: Iterable[Suppression]) -> None:
        self._rules: dict[tuple[str, int], set[str]] = {}
        for comment in comments:
            self._rules.setdefault((comment.span.path, comment.line), set()).update(comment.rules)

    def cover(self, finding: Finding) -> bool:
        """Whether a comment names the finding's code or name for its line."""
        rules = self._rules.get((finding.span.path, finding.span.line), ())
        return finding.code in rules or finding.name in rules


def ignored_comments(comments: Iterable[Suppression]) -> list[Note]:
    """Those of code that is not trusted: what they would hide is shown."""
    return [
        Note(f"ignore[{', '.join(c.rules)}] ignored (--untrusted): {c.reason}".rstrip(": "), c.span.path, c.span.line)
        for c in dict.fromkeys(comments)
    ]
