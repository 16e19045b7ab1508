"""What compute-sanitizer (and cuda-memcheck before it) prints: text of its four tools, and XML.

    ========= Invalid __global__ write of size 4 bytes                                  memcheck
    =========     at saxpy(int, float)+0x110 in /src/x.cu:6
    =========     by thread (96,0,0) in block (3,0,0)
    ========= Error: Race reported between Write access at k(int*)+0x90 in x.cu:10      racecheck
    =========     and Read access at k(int*)+0xa0 in x.cu:11 [126 hazards]
    ========= Barrier error detected. Divergent thread(s) in block.                     synccheck
    =========     at k(int*)+0x50 in x.cu:8
    ========= Uninitialized __global__ memory read of size 4 bytes                      initcheck

Frames of the host are left out. Older versions write `at 0x110 in /src/x.cu:6:saxpy(int, float)`; without -lineinfo there is a
function and no line. What is no report of a kernel (errors of calls, leaks) keeps its first line only. A log is text: long
lines are cut, other lines than those of the tool are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from xml.etree import ElementTree

LONGEST = 2_000  # characters of a line
MOST_REPORTS = 10_000  # different ones
ROOT = "ComputeSanitizerOutput"
TOOLS = {
    "out_of_bounds": "memcheck",
    "null": "memcheck",
    "misaligned": "memcheck",
    "race": "racecheck",
    "divergence": "synccheck",
    "uninitialised": "initcheck",
}
_PREFIX = re.compile(r"^.{0,80}?=========(?:$|[ \t](.*)$)")
_KINDS = (
    (re.compile(r"Invalid __\w+__ (?:read|write|atomic)|Address .* is out of bounds"), "out_of_bounds"),
    (re.compile(r"[Rr]ace reported between|Potential (?:RAW|WAR|WAW) hazard"), "race"),
    (re.compile(r"Barrier error detected|[Dd]ivergent thread"), "divergence"),
    (re.compile(r"Uninitialized"), "uninitialised"),
)
_HEADS = re.compile(r"^(?:COMPUTE-SANITIZER|CUDA-MEMCHECK|.*SUMMARY|Unused memory|Target application|This tool)")
_PLACED = re.compile(
    r"\bat (?P<what>.+?) in (?P<path>[^()\[\]]+?):(?P<line>\d+)(?::(?P<name>.+?))?\s*(?:\[[^\[\]]*\])?$"
)
_FRAME = re.compile(r"Device Frame:\s*(?P<path>[^()\[\]]+?):(?P<line>\d+)(?::(?P<name>.+?))?(?: \(.*)?$")
_CALLED = re.compile(r"Device Frame:\s*(?P<what>.+?) in (?P<path>[^()\[\]]+?):(?P<line>\d+)\s*$")
_BARE = re.compile(r"\bat (?:0x[0-9a-f]+ in (?P<name>.+)|(?P<what>[^ ].*?)(?:\+|:)0x[0-9a-f]+)\s*(?:\[[^\[\]]*\])?$")
_WHO = re.compile(r"\bby (thread \(\d+,\d+,\d+\) in block \(\d+,\d+,\d+\))")
_MEMORY = re.compile(r"__(\w+?)__")
_NULL = re.compile(r"Address 0x0{0,13}[0-9a-f]{1,3} is out of bounds")
_OFFSET = re.compile(r"(?:\+|:)0x[0-9a-f]+$")
_CONTINUES = (
    " ", "\t", "and ", "at ", "by ", "Address ", "Write Thread", "Read Thread", "Current Value", "Saved host", "Host Frame",
    "Device Frame",
)  # fmt: skip  # some logs have lost the blanks in front
_HOST = ("Host Frame", "Saved host backtrace")
_MANGLED = re.compile(r"_ZN?K?(?:L)?(?P<rest>\d.*)")


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in device code: `path` as it was compiled, empty where the build has no line information."""

    function: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Report:
    """`kind` is empty for what is no report of a kernel. `sides` are the accesses, two of a race; `callers` the frames around.

    `count`: how often the log has it.
    """

    kind: str
    text: str
    memory: str = ""
    sides: tuple[Frame, ...] = ()
    callers: tuple[Frame, ...] = ()
    who: str = ""
    warning: bool = False
    count: int = 1

    @property
    def tool(self) -> str:
        return TOOLS.get(self.kind, "")

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(frame.line for frame in (*self.sides, *self.callers) if frame.path)


class LogError(Exception):
    """No log of the tool; one line."""


def read(text: str) -> list[Report]:
    """Each report once, with its count, in the order of the log; raises LogError for what is none."""
    found = list(_from_xml(text) if text.lstrip()[:1] == "<" else in_text(text))
    if not found and "=========" not in text and ROOT not in text:
        raise LogError("this is no log of compute-sanitizer: no line begins with `=========`")
    counted: dict[Report, int] = {}
    for report in found:
        alike = replace(report, who="")  # other threads at the same place say nothing new
        counted[alike] = counted.get(alike, 0) + report.count
    first = {replace(report, who=""): report for report in reversed(found)}
    return [replace(first[alike], count=count) for alike, count in list(counted.items())[:MOST_REPORTS]]


# --- text -----------------------------------------------------------------------------------------------------------------


def in_text(text: str) -> Iterator[Report]:
    """Every report of a log, also several of one place."""
    current: list[str] = []
    for raw in text.splitlines():
        prefixed = _PREFIX.match(raw[:LONGEST])
        if prefixed is None:
            continue
        line = prefixed[1] or ""
        if line and not line.startswith(_CONTINUES):
            yield from _report(current)
            current = []
        if line:
            current.append(line.strip())
    yield from _report(current)


def _report(lines: list[str]) -> Iterator[Report]:
    if not lines or _HEADS.match(lines[0]):
        return
    head = lines[0]
    kind = next((name for pattern, name in _KINDS if pattern.search(head)), "")
    device = [*_before_host(lines)]
    if kind == "out_of_bounds" and any("is misaligned" in line for line in device):
        kind = "misaligned"
    elif kind == "out_of_bounds" and any(map(_NULL.search, device)):
        kind = "null"
    if not kind:
        yield Report("", head)
        return
    memory = _MEMORY.search(head)
    who = next((found[1] for line in device if (found := _WHO.search(line))), "")
    sides = tuple(frame for line in device if "Device Frame" not in line if (frame := _side(line)) is not None)
    callers = tuple(frame for line in device if (frame := _caller(line)) is not None)
    yield Report(kind, head, memory[1] if memory else "", sides, callers, who, head.startswith(("Warning", "WARN")))


def _before_host(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if any(word in line for word in _HOST):
            return
        yield line


def _side(line: str) -> Frame | None:
    placed = _PLACED.search(line)
    if placed is not None:
        return Frame(_name(placed["name"] or placed["what"]), placed["path"], int(placed["line"]))
    bare = _BARE.search(line)
    return Frame(_name(bare["name"] or bare["what"]), "", 0) if bare is not None else None


def _caller(line: str) -> Frame | None:
    found = _CALLED.search(line)
    if found is not None:
        return Frame(_name(found["what"]), found["path"], int(found["line"]))
    found = _FRAME.search(line)
    return Frame(_name(found["name"] or ""), found["path"], int(found["line"])) if found is not None else None


def _name(written: str) -> str:
    """`saxpy` of `void ns::saxpy<float>(int, float)+0x110`, and of its mangled name."""
    plain = _OFFSET.sub("", written.strip())
    mangled = _MANGLED.match(plain)
    if mangled is not None:
        return _demangled(mangled["rest"]) or plain
    if plain.startswith("0x"):
        return ""
    depth, kept = 0, []
    for character in plain.removeprefix("void "):
        depth += (character == "<") - (character == ">")
        if character == "(" and not depth:
            break
        if not depth and character != ">":
            kept.append(character)
    return "".join(kept).rpartition("::")[2].strip()


def _demangled(rest: str) -> str:
    """The last of the names with their lengths in front: `2ns5saxpy...`."""
    name = ""
    while (digits := re.match(r"\d{1,4}", rest)) is not None:
        size = int(digits[0])
        name, rest = rest[digits.end() : digits.end() + size], rest[digits.end() + size :]
    return name


# --- XML ------------------------------------------------------------------------------------------------------------------


def _from_xml(text: str) -> Iterator[Report]:
    """The records of `--xml`; raises LogError. No document type is read: entities are for attacks alone."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise LogError("a log has no document type")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise LogError(f"this XML is damaged: {error}") from None
    if root.tag != ROOT:
        raise LogError(f"this XML is no log of compute-sanitizer: its root is not {ROOT}")
    for record in root.iter("record"):
        yield _record(record)


def _record(record: ElementTree.Element) -> Report:
    said = _text(record, "what/text")
    space, error = _text(record, "what/space"), _text(record, "what/error")
    told = f"{said} {error}"
    kind = next((name for pattern, name in _KINDS if pattern.search(told)), "")
    if not kind and re.search(r"[Oo]ut of bounds|Invalid (?:read|write|atomic)", told):
        kind = "out_of_bounds"
    if kind == "out_of_bounds" and "isaligned" in told:
        kind = "misaligned"
    sides = tuple(_frame(each) for each in record.findall("where"))
    callers = tuple(_frame(each) for each in record.findall("deviceStack/frame"))
    warning = _text(record, "level").lower() == "warning"
    return Report(kind, said or error or "record", space.strip("_").lower(), sides, callers, _who(record), warning)


def _frame(where: ElementTree.Element) -> Frame:
    line = _text(where, "line")
    path = _text(where, "path") if line.isascii() and line.isdigit() else ""
    return Frame(_name(_text(where, "func")), path[:LONGEST], int(line[:9]) if path else 0)


def _who(record: ElementTree.Element) -> str:
    thread, block = (
        ",".join(_text(record, f"who/{name}/{axis}") for axis in "xyz") for name in ("threadIdx", "blockIdx")
    )
    return f"thread ({thread}) in block ({block})" if thread.strip(",") and block.strip(",") else ""


def _text(element: ElementTree.Element, path: str) -> str:
    return " ".join((element.findtext(path) or "").split())[:LONGEST]


def reports_of_kernels(reports: Iterable[Report]) -> list[Report]:
    """Those that name a line of device code."""
    return [report for report in reports if report.kind and any(frame.path for frame in report.sides)]
