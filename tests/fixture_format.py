"""Reads what the fixtures promise: `// expect: CODE [CODE ...]` and `// limit: CODE reason` at the end of a line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cudalint.finding import Reason, ScanResult, Verdict

PROVED = ("IDX101", "IDX102", "IDX103", "IDX201")  # the rules whose ok fixtures are proved
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"

_EXPECT = re.compile(r"//\s*expect:\s*([A-Z]{3}\d{3}(?:[ ,]+[A-Z]{3}\d{3})*)\s*$")
_LIMIT = re.compile(r"//\s*limit:\s*([A-Z]{3}\d{3})\s+(\S.*)$")
_FOLDER = re.compile(r"([A-Z]{3}\d{3})-")


@dataclass(frozen=True, slots=True)
class Limit:
    """A known miss: a finding of `code` that today's analysis does not report on `line`."""

    line: int
    code: str
    reason: str


def fixtures(kind: str) -> list[Path]:
    """All fixtures of a kind (`bad`, `ok`, `limit`) in the folders of rules, sorted."""
    return sorted(p for p in FIXTURES.glob(f"*/{kind}_*.cu") if _FOLDER.match(p.parent.name))


def rule_code(path: Path) -> str:
    """The code of the rule whose folder holds the fixture."""
    match = _FOLDER.match(path.parent.name)
    if match is None:
        raise ValueError(f"{path.parent.name}: a folder of fixtures is named CODE-name")
    return match.group(1)


def fixture_id(path: Path) -> str:
    """`IDX101/bad_missing_guard`."""
    return f"{rule_code(path)}/{path.stem}"


def expected(path: Path) -> dict[int, frozenset[str]]:
    """The codes that are promised for each guilty line."""
    found = ((line, _EXPECT.search(text)) for line, text in _lines(path))
    return {line: frozenset(re.split(r"[ ,]+", match.group(1))) for line, match in found if match}


def limits(path: Path) -> list[Limit]:
    """The known misses of a fixture."""
    found = ((line, _LIMIT.search(text)) for line, text in _lines(path))
    return [Limit(line, match.group(1), match.group(2).strip()) for line, match in found if match]


def _lines(path: Path) -> list[tuple[int, str]]:
    return list(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))


def open_accesses(result: ScanResult) -> list[str]:
    """What is not proved, but for what the callers of a device function have to see to."""
    return [
        f"{o.span.line}:{o.span.column} {o.kind} {o.verdict.value} {o.reason.value if o.reason else ''} {o.detail}".strip()
        for kernel in result.kernels
        for o in kernel.obligations
        if o.verdict is not Verdict.SAFE and not (kernel.device and o.reason is Reason.CALLER)
    ]
