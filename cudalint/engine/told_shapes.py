"""What the comments beside a kernel say of its pointers' shapes: for memory of which the contract knows no size.

A comment proves nothing. Accesses that nothing else decides are asked again as if it were true: one that goes wrong then
contradicts it, and is a finding; one that does not stays unknown, and the line that would promise it is told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cudalint import ir
from cudalint.contract import Contract, Extent, Fact, Origin
from cudalint.finding import Confidence, Verdict
from cudalint.frontend.annotations import facts_of
from cudalint.frontend.shape_comments import ShapeComment, names_of
from cudalint.frontend.translate import KernelEntry, Translation
from cudalint.symbolic.model import Obligation
from cudalint.symbolic.solver.effort import Effort


def told_shapes(entry: KernelEntry, kernel: ir.Function, translation: Translation) -> tuple[Fact, ...]:
    """An extent for each pointer whose shape the comments give in the kernel's own integers; of two shapes, neither."""
    params = {p.var.name: p.var.type for p in kernel.params}
    found: dict[str, set[tuple[str, ...]]] = {}
    said: dict[str, ShapeComment] = {}
    for shape in (s for index in translation.indexes for s in index.shapes if s.kernel == entry.name_span):
        found.setdefault(shape.pointer, set()).add(shape.dimensions)
        said.setdefault(shape.pointer, shape)
    return tuple(
        fact
        for pointer, shape in said.items()
        if len(found[pointer]) == 1
        and isinstance(params.get(pointer), ir.Pointer)
        and all(isinstance(params.get(name), ir.Int) for name in names_of(shape.dimensions))
        for fact in _facts(shape, params)
    )


def with_shapes(contract: Contract, shapes: tuple[Fact, ...]) -> Contract | None:
    """The contract with the shapes of the pointers that it knows nothing of; None where there is none."""
    known = {f.what.pointer for f in contract.facts if isinstance(f.what, Extent)}
    more = tuple(f for f in shapes if _pointer(f) not in known)
    return replace(contract, facts=(*contract.facts, *more)) if more else None


def contradictions(
    unit: ir.Unit,
    kernel: ir.Function,
    told: Contract,
    obligations: list[Obligation],
    effort: Effort,
) -> list[Obligation]:
    """Accesses among the open ones that leave what the comments say in ordinary use: the code or the comment is wrong.

    Those that stay inside are told which promise settles them.
    """
    from cudalint.symbolic.analyse import bounds_of

    texts = {_pointer(f): f"// cudalint: {f.text}" for f in told.facts if f.origin is Origin.COMMENT}
    open_ = [o for o in obligations if _is_open(o) and o.object is not None and o.object.name in texts]
    places = {(o.span, o.access) for o in open_}
    if not places:
        return []
    asked: Callable[[Obligation], bool] = lambda o: o.kind == "bounds" and (o.span, o.access) in places  # noqa: E731
    decided = bounds_of(unit, kernel, told, asked, effort)
    wrong = [o for o in decided if o.verdict is Verdict.VIOLATED and o.confidence is Confidence.HIGH]
    fits = {(o.span, o.access) for o in decided} - {
        (o.span, o.access) for o in decided if o.verdict is not Verdict.SAFE
    }
    for obligation in open_:
        if obligation.object is not None and (obligation.span, obligation.access) in fits:
            obligation.detail = f"as a comment has it; `{texts[obligation.object.name]}` promises it"
    for obligation in wrong:
        obligation.confidence = Confidence.MEDIUM
    return wrong


def _is_open(obligation: Obligation) -> bool:
    return obligation.kind == "bounds" and obligation.extent is None and obligation.verdict is Verdict.UNKNOWN


def _pointer(fact: Fact) -> str:
    assert isinstance(fact.what, Extent)
    return fact.what.pointer


def _facts(shape: ShapeComment, params: dict[str, ir.Type]) -> tuple[Fact, ...]:
    text = f"shape({shape.pointer}) = [{', '.join(shape.dimensions)}]"
    found, errors = facts_of(text, shape.span, params, Origin.COMMENT)
    return () if errors else tuple(f for f in found if isinstance(f.what, Extent))
