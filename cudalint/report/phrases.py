"""The words that the text report and SARIF messages share: launches, threads, assumptions, the point of failure."""

from __future__ import annotations

import re

from cudalint import ir
from cudalint.finding import Assumption, Dim3, Evidence, Finding, ThreadAccess, Witness, without_first_value

SHOWN_VALUES = 12
MOST_ASSUMED = 12  # a contract that contradicts itself has many facts
WEAK_ORIGINS = ("inferred", "comment", "assert", "ordinary")
UNITS = ("KiB", "MiB", "GiB", "TiB")


def dim(value: Dim3) -> str:
    return f"({value[0]},{value[1]},{value[2]})"


def size(count: int) -> str:
    """Bytes as people read them: `320 B`, `16.0 GiB`."""
    if count < 1024:
        return f"{count} B"
    power = min((count.bit_length() - 1) // 10, len(UNITS))
    return f"{count / 1024**power:.1f} {UNITS[power - 1]}"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def place(path: str | None, line: int | None) -> str:
    if path is None:
        return ""
    return path if line is None else f"{path}:{line}"


def assumption(fact: Assumption) -> str:
    """The fact and where it comes from: its place, its origin where that is weak or all there is."""
    where = place(fact.path, fact.line)
    origin = fact.origin if not where or fact.origin in WEAK_ORIGINS else ""
    return f"{fact.text} ({', '.join(filter(None, (origin, where)))})"


def subject(finding: Finding) -> str:
    """`silu_mul<2>`, or the function where no kernel is named."""
    name = finding.kernel or finding.function or ""
    arguments = finding.instance.template_args if finding.instance else ()
    return f"{name}<{', '.join(arguments)}>" if name and arguments and "<" not in name else name


def call(finding: Finding) -> str:
    """`silu_mul<2> launched by forward() at kernel.cu:157`."""
    name = subject(finding)
    site = finding.launch_site
    if finding.kernel and finding.function and finding.function != finding.kernel:
        name = f"{finding.function}() in {name}"
    if site is None:
        return name
    host = f"by {site.host_function}() " if site.host_function else ""
    return f"{name} launched {host}at {place(site.path, site.line)}".strip()


def launch(witness: Witness) -> str:
    shape = witness.launch
    shared = f" shared {size(shape.shared)}" if shape.shared else ""
    return f"grid {dim(shape.grid)} block {dim(shape.block)}{shared}"


def values(witness: Witness) -> str:
    """`n = 5, m = 3`, the first few, and `places[...] = 5` of what memory holds."""
    items = list(dict.fromkeys(f"{short(name, witness)} = {value}" for name, value in witness.named_values.items()))
    items = [*(f"{name}[...] = {value}" for name, value in witness.contents.items()), *items]
    hidden = len(items) - SHOWN_VALUES
    more = [f"and {hidden} more"] if hidden > 0 else []
    return ", ".join(items[:SHOWN_VALUES] + more)


def point(witness: Witness) -> str:
    """`block (0,0,0) thread (1,0,0): index 4, extent 4`."""
    who = [f"block {dim(witness.block)}"] if witness.block else []
    who += [f"thread {dim(witness.thread)}"] if witness.thread else []
    what = [f"index {witness.index}"] if witness.index is not None else []
    what += [f"extent {witness.extent}"] if witness.extent is not None else []
    return ": ".join(filter(None, (" ".join(who), ", ".join(what))))


def circumstances(finding: Finding) -> str:
    """The public call or the launch, the values, then who goes wrong: one line. The trigger is not repeated."""
    trigger, witness = finding.trigger or "", finding.witness
    if witness is None:
        return trigger
    rest = "" if trigger and _names_values(trigger, witness) else values(witness)
    start = ": ".join(filter(None, (trigger, rest)))
    return "; ".join(filter(None, (start, launch(witness), "" if _names_thread(trigger) else point(witness))))


def short(name: str, witness: Witness) -> str:
    """`n` for the value `forward:n` of a host function, where nothing else that is called so has another value."""
    last = name.rpartition(":")[2].removeprefix(f"~{ir.UNDECLARED}")
    values = {value for other, value in witness.values.items() if other.rpartition(":")[2] == last}
    return without_first_value(last if len(values) <= 1 else name)


def _names_values(trigger: str, witness: Witness) -> bool:
    return all(f"{short(name, witness)} = {value}" in trigger for name, value in witness.named_values.items())


def _names_thread(trigger: str) -> bool:
    return "thread (" in trigger


def general(finding: Finding) -> str:
    """`whenever B*S*M % 4 != 0; assuming out = empty({B*S, M}) (kernel.cu:115)`."""
    parts = [condition(finding)] if finding.condition else []
    told = [a for a in finding.assumptions if a.origin != "limit"]  # limits hold on every machine
    told = [a for a in told if a.text != "..." and not a.text.endswith("== ...")]  # too long to be written
    if told:
        more = len(told) - MOST_ASSUMED
        rest = [f"and {more} more that `--format json` lists"] if more > 1 else []
        parts.append("assuming " + ", ".join([*map(assumption, told[:MOST_ASSUMED] if rest else told), *rest]))
    return "; ".join(parts)


def condition(finding: Finding) -> str:
    """`whenever n % 256 != 0`, or `in general index 4*i, extent n` where the index and its extent are given instead."""
    text, witness = finding.condition or "", finding.witness
    if witness is not None:
        for name in sorted(witness.values, key=len, reverse=True):
            text = re.sub(rf"(?<![\w:.]){re.escape(name)}(?!\w)", short(name, witness), text)
    return f"in general {text}" if text.startswith("index ") else f"whenever {text}"


def evidence(finding: Finding) -> str:
    """`emulated, needs 320 B`, with the reason where a run says less than the witness."""
    words = [finding.evidence.value]
    if finding.evidence_reason and finding.evidence in (Evidence.REFUTED, Evidence.UNCONFIRMED):
        words = [f"{finding.evidence.value} ({finding.evidence_reason})"]
    if finding.witness and finding.witness.bytes_needed is not None:
        words.append(f"needs {size(finding.witness.bytes_needed)}")
    return ", ".join(words)


def access(side: ThreadAccess) -> str:
    """`block (0,0,0) thread (1,0,0) write, element 5, at k.cu:12`."""
    element = f", element {side.index}" if side.index is not None else ""
    return f"block {dim(side.block)} thread {dim(side.thread)}: {side.kind}{element}, at {place(side.path, side.line)}"
