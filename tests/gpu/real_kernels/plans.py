"""Plans of hinted kernels: the emulator runs each launch here, a GPU has to leave the same."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from cudalint import ir
from cudalint.confirm.emulate.run import Buffer
from cudalint.confirm.expected import expected
from cudalint.confirm.inputs import contents
from cudalint.confirm.plan import CannotPlan, Expectation, Plan, make_plan
from cudalint.contract import Contract, Fact, Geometry
from cudalint.engine.contracts import annotation_facts
from cudalint.engine.plans import PlanFile, launch_plan_file
from cudalint.finding import Dim3, LaunchShape
from cudalint.frontend.python_strings import embedded_sources
from cudalint.frontend.syntax import Annotation
from cudalint.frontend.translate import KernelEntry, ParseOptions, Translation, translate
from cudalint.project.discovery import read_source
from cudalint.term import Term, Undefined, evaluate
from tests.gpu.real_kernels.hints import Drawn, Hint, Launch

SEED = 1
CLEAN = Expectation(("clean",), ())
_DTYPES = {"f16": "<f2", "bf16": "<f4", "f32": "<f4", "f64": "<f8"}


class CannotCompare(Exception):
    """Why a hinted kernel has no plan."""


@dataclass(frozen=True, slots=True)
class Made:
    """A plan, or why there is none; `close` where functions enter, so that bytes need not be equal."""

    hint: Hint
    launch: Launch
    plan: PlanFile | None
    reason: str = ""

    @property
    def close(self) -> bool:
        return self.plan is not None and bool(self.plan["expectation"]["near"])


def plans_of(hint: Hint, corpora: Path) -> Iterator[Made]:
    """One for each launch of the hint."""
    for number, launch in enumerate(hint.launches):
        try:
            yield Made(hint, launch, _plan(hint, launch, corpora, SEED + number))
        except (CannotCompare, CannotPlan) as error:
            yield Made(hint, launch, None, str(error))


def _plan(hint: Hint, launch: Launch, corpora: Path, seed: int) -> PlanFile:
    translation = _translated(
        hint.repository, hint.file, hint.name, hint.defines, hint.includes, hint.instance, corpora
    )
    entry = next((e for e in translation.kernels if e.name == hint.name and e.functions), None)
    if entry is None:
        raise CannotCompare("the kernel is not in the file")
    if not entry.exact:
        gap = next(iter((*entry.gaps, *entry.opaque)), None)
        raise CannotCompare(f"the kernel is not known exactly: {gap.reason if gap else '?'}")
    unit = translation.unit
    kernel = unit.functions[_function(hint, entry, unit)]
    contract = Contract(kernel.id, _facts(hint, kernel, entry))
    made = make_plan(
        kernel, contract, _shape(contract, launch), launch.values, CLEAN, seed, {**launch.reals}
    )  # fmt: skip
    made = _with_contents(made, hint, kernel, unit, seed)
    told = expected(unit, made, seed, hint.exact_sums)
    if told.reason:
        raise CannotCompare(told.reason)
    folders = _folders(hint.repository, hint.includes, corpora)
    return launch_plan_file(made, told, unit, contract, translation.source, seed, hint.defines, folders)


def _folders(repository: str, includes: tuple[str, ...], corpora: Path) -> tuple[str, ...]:
    return tuple(str(corpora / repository / folder) for folder in includes)


@lru_cache(maxsize=4)
def _translated(
    repository: str, file: str, name: str, defines: tuple[str, ...], includes: tuple[str, ...], instance: str | None,
    corpora: Path,
) -> Translation:  # fmt: skip
    root = corpora / repository
    source = read_source(str(root / file), f"{repository}/{file}")
    if source is not None and file.endswith(".py"):
        inside = (embedded.source for embedded in embedded_sources(source))
        source = next((each for each in inside if re.search(rf"\b{name}\b", each.text)), None)
    if source is None:
        raise CannotCompare(f"{repository}/{file} cannot be read")
    options = ParseOptions(
        includes=_folders(repository, includes, corpora), defines=defines,
        instances=(instance,) if instance else (),
    )  # fmt: skip
    return translate(source, options, str(root))


def _function(hint: Hint, entry: KernelEntry, unit: ir.Unit) -> str:
    if hint.instance is None:
        return entry.functions[0]
    wanted = _plain(hint.instance[hint.instance.index("<") :])
    for id_ in entry.functions:
        if _plain(f"<{','.join(unit.functions[id_].template_args)}>") == wanted:
            return id_
    known = ", ".join("<" + ", ".join(unit.functions[i].template_args) + ">" for i in entry.functions)
    raise CannotCompare(f"no instance {hint.instance}, only {known}")


def _plain(text: str) -> str:
    return text.replace(" ", "")


def _facts(hint: Hint, kernel: ir.Function, entry: KernelEntry) -> tuple[Fact, ...]:
    texts = tuple(Annotation(text, entry.name_span, entry.name_span) for text in hint.facts)
    facts, errors = annotation_facts(kernel, texts)
    if errors:
        raise CannotCompare(f"the facts: {errors[0].message}")
    return facts


def _shape(contract: Contract, launch: Launch) -> LaunchShape:
    geometry = next((f.what for f in contract.facts if isinstance(f.what, Geometry)), None)
    free = Geometry((None, None, None), (None, None, None))
    block = launch.block or _dims((geometry or free).block, launch.values, "block")
    sizes = {f"blockDim.{axis}": size for axis, size in zip("xyz", block)}
    grid = launch.grid or _dims((geometry or free).grid, {**launch.values, **sizes}, "grid")
    shared = launch.shared
    if shared is None:
        shared = 0
        if geometry is not None and geometry.shared is not None:
            shared = _value(geometry.shared, {**launch.values, **sizes}, "shared")
    return LaunchShape(grid, block, shared)


def _dims(terms: tuple[Term | None, Term | None, Term | None], values: dict[str, int], what: str) -> Dim3:
    if terms[0] is None:
        raise CannotCompare(f"the {what} of the launch is not told")
    x, y, z = (1 if term is None else _value(term, values, what) for term in terms)
    return x, y, z


def _value(term: Term, values: dict[str, int], what: str) -> int:
    try:
        return evaluate(term, values)
    except Undefined as error:
        raise CannotCompare(f"the {what} of the launch needs {error}") from None


# --- contents ----------------------------------------------------------------------------------------------------------


def _with_contents(made: Plan, hint: Hint, kernel: ir.Function, unit: ir.Unit, seed: int) -> Plan:
    elements = {p.var.name: p.var.type.element for p in kernel.params if isinstance(p.var.type, ir.Pointer)}
    unknown = set(hint.draw) - {b.name for b in made.buffers} - set(hint.constants)
    if unknown:
        raise CannotCompare(f"no buffer is called {sorted(unknown)[0]}")
    buffers = [
        _drawn(b.name, elements[b.name], b.extent, hint.draw[b.name], seed) if b.name in hint.draw else b
        for b in made.buffers
    ]
    return replace(made, buffers=(*buffers, *_constants(hint, unit, seed)))


def _constants(hint: Hint, unit: ir.Unit, seed: int) -> Iterator[Buffer]:
    for name in hint.constants:
        found = next((g.var for g in unit.globals.values() if g.var.name == name), None)
        size = ir.size_of(found.type) if found is not None else None
        if found is None or size is None:
            raise CannotCompare(f"no variable is called {name}")
        element = found.type
        while isinstance(element, ir.Array):
            element = element.element
        how = hint.draw.get(name)
        yield contents(name, element, size, None, seed) if how is None else _drawn(name, element, size, how, seed)


def _drawn(label: str, element: ir.Type, size: int, how: Drawn, seed: int) -> Buffer:
    leaf = element.element if isinstance(element, ir.Vector) else element
    if not isinstance(leaf, ir.Float) or leaf.format not in _DTYPES:
        raise CannotCompare(f"`{label}` holds no numbers of floating point")
    count = size // (ir.size_of(leaf) or 1)
    chances = contents(label, ir.F64, 8 * count, None, seed).data
    assert chances is not None
    share = (chances.view("<f8") + 1) / 2
    values = np.floor(share * 17) - 8 if isinstance(how, str) else how[0] + share * (how[1] - how[0])
    raw = values.astype(_DTYPES[leaf.format])
    if leaf.format == "bf16":
        raw = (raw.view("<u4") >> 16).astype("<u2")
    return Buffer(label, np.ascontiguousarray(raw).view(np.uint8))


def corpora_folder() -> Path | None:
    folder = Path(os.environ.get("CUDALINT_CORPORA", ""))
    return folder if os.environ.get("CUDALINT_CORPORA") and folder.is_dir() else None
