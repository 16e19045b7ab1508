"""Every fixture says what it promises; here the whole chain, with the emulator, is held to it."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fixture_format import PROVED, expected, fixture_id, fixtures, limits, open_accesses, rule_code

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Evidence, Finding, ScanResult

BAD, OK, LIMIT = fixtures("bad"), fixtures("ok"), fixtures("limit")
BOUNDS = ("IDX101", "IDX102", "IDX103")
AUDITED: tuple[str, ...] = ()  # rules that `--profile audit` alone shows


@cache
def elsewhere() -> ProcessPoolExecutor:
    """Scans of many files empty the table of terms, which are equal by identity: those of other modules stay as they are."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), end_with_the_parent)


def end_with_the_parent() -> None:
    """A process whose parent is gone waits for ever: the worker of the tests may end without a word."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


@cache
def scanned(path: Path, profile: str = "default") -> ScanResult:
    """Each fixture is a project of its own: who launches what is looked for in all files of one."""
    with tempfile.TemporaryDirectory() as root:
        own = shutil.copy(path, root)
        options = ScanOptions(paths=(own,), project_root=root, profile=profile, confirm="emulator", jobs=1)
        return elsewhere().submit(scan, options).result()


def told(findings: tuple[Finding, ...]) -> list[str]:
    """The findings as lines that a failure prints."""
    return [f"{f.span.line}: {f.code} {f.message} [{f.confidence.value}, {f.evidence.value}]" for f in findings]


def lines_of(finding: Finding) -> set[int]:
    return {finding.span.line, *(related.span.line for related in finding.related)}


# Each file is scanned once: processes that share the tests do not share results.


@pytest.mark.parametrize("path", BAD, ids=fixture_id)
def test_bad_is_found_on_the_guilty_line_and_out_of_bounds_is_seen_by_the_emulator(path: Path) -> None:
    code, promised = rule_code(path), expected(path)
    assert promised and all(codes == {code} for codes in promised.values()), "a bad fixture marks its guilty lines"
    result = scanned(path, "audit" if code in AUDITED else "default")
    own = [finding for finding in result.findings if finding.code == code]
    astray = tuple(finding for finding in result.findings if finding.span.line not in promised)
    assert not astray, f"findings on innocent lines: {told(astray)}"
    primary = {finding.span.line for finding in own}
    covered = set().union(*map(lines_of, own)) if code.startswith("SYN") else primary
    assert primary and set(promised) <= covered, f"promised {sorted(promised)}, said {told(result.findings)}"
    for finding in own if code in BOUNDS else ():
        assert finding.witness is not None
        assert finding.evidence is Evidence.EMULATED, f"{finding.evidence.value}: {finding.evidence_reason}"


@pytest.mark.parametrize("path", OK, ids=fixture_id)
def test_ok_is_silent_and_in_bounds_is_proved(path: Path) -> None:
    assert not expected(path), "an ok fixture has no guilty line"
    result = scanned(path)
    assert not result.findings, told(result.findings)
    assert result.kernels and not result.files_failed
    if rule_code(path) in PROVED:
        assert all(kernel.complete and kernel.obligations for kernel in result.kernels)
        assert not open_accesses(result)


@pytest.mark.parametrize("path", LIMIT, ids=fixture_id)
def test_limit_still_holds(path: Path) -> None:
    known = limits(path)
    assert known, "a limit fixture marks the line that is missed"
    said = {(finding.span.line, finding.code) for finding in scanned(path).findings}
    for limit in known:
        assert (limit.line, limit.code) not in said, f"found now: rename to bad_ and expect {limit.code}"


def test_every_bad_fixture_has_its_correct_twin() -> None:
    lonely = [fixture_id(p) for p in BAD if not p.with_name("ok_" + p.name.removeprefix("bad_")).exists()]
    assert not lonely


def test_there_are_at_least_forty_bounds_pairs() -> None:
    assert len([p for p in BAD if rule_code(p) in BOUNDS]) >= 40
