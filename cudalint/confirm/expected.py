"""What a launch leaves in its buffers by the emulator, where a GPU has to give the very same bytes.

That is so where every operation is rounded once as IEEE 754 has it (+ - * / sqrt fma, conversions, minimum and maximum;
compiled without contraction), and where no order of threads decides: where one is seen (a ticket, the last block of a grid), runs
in other orders leave the same. A buffer that hangs on a clock is not told; what hangs on bits that nobody decides (of memory
that the kernel did not write, of what is no number) may be anything: a run with other bits shows it. Results of transcendental
functions and atomic sums of floats have to be near: within what runs of the emulator with the errors of these leave.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cudalint import ir
from cudalint.confirm.emulate.expressions import CLOCKS
from cudalint.confirm.emulate.functions import part_of
from cudalint.confirm.emulate.inexact import Inexact, is_bounded, unit_in_last_place
from cudalint.confirm.emulate.run import Aggregate, Buffer, PointerTo, run
from cudalint.confirm.emulate.scheduler import Schedule
from cudalint.confirm.gpu.guard import digest
from cudalint.confirm.gpu.near import DTYPES, numbers
from cudalint.confirm.gpu.plan_file import ELEMENTS
from cudalint.confirm.moved import moved_registers
from cudalint.confirm.plan import Plan
from cudalint.confirm.primitives import with_primitives
from cudalint.ir.walk import evaluated, reached, registers_read, statements

STEP_LIMIT = 100_000
WORK_LIMIT = 1 << 26  # steps of single lanes
LARGEST_BUFFER = 1 << 24
SAME_VALUE = "same_value"  # of a race whose order decides nothing
RUNS = 8  # with the errors of functions: all up, all down, and by drawn signs
ROUNDED = range(2, RUNS)  # with roundings behind functions that are off too, by drawn signs
ORDERS: tuple[Schedule, ...] = ("warp", "reversed", "random", "random")  # of threads, where atomics give theirs away
COMMUTING = {"add", "min", "max", "and", "or", "xor"}  # of one kind alone, in any order
ORDER_DECIDES = "the order of threads decides"
ELEMENT_NAMES = {type_: name for name, type_ in ELEMENTS.items()}
_ROUNDED_ONCE = re.compile(
    r"^_*(sqrt|fma|add|sub|mul|div|neg|f?min|f?max|umin|umax|fdim|l?l?abs|fabs|floor|ceil|trunc|rint|round|nearbyint|copysign|flush|isnan|isinf"
    r"|isfinite|signbit|popc|popcll|clz|clzll|ffs|ffsll|brev|brevll|mulhi|umulhi|mul24|umul24|mad|byte_perm|funnelshift_\w+|sad|usad|hadd"
    r"|uhadd|rhadd|urhadd|dp4a|bswap|saturate)f?$"
)


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """What a buffer holds behind the launch, and how far each element may be from it."""

    element: ir.Type
    wanted: bytes
    allowed: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Left:
    """The buffers behind a run, the types of what was stored in them, and whether bits that nobody decides entered."""

    data: dict[str, bytes]
    stored: Mapping[str, set[ir.Type]]
    undecided: bool


@dataclass(frozen=True, slots=True)
class Expected:
    """Digests of buffers that have to hold the same bytes, and buffers that hold results of functions."""

    outputs: dict[str, str] = field(default_factory=dict)
    near: dict[str, Near] = field(default_factory=dict)
    reason: str = ""  # why nothing is promised


def expected_outputs(unit: ir.Unit, plan: Plan, seed: int) -> dict[str, str]:
    """Digests of the buffers that the kernel gets as arguments, as they are behind the launch; empty where nothing is promised."""
    kernel = unit.functions[plan.kernel]
    if shows_order(unit, kernel) or not all(map(_is_rounded_once, reached(unit, kernel))):
        return {}
    left = _left(unit, plan, seed)
    other = left if isinstance(left, str) or not left.undecided else _left(unit, plan, seed, other_bits=True)
    if isinstance(left, str) or isinstance(other, str):
        return {}
    elements = _elements(kernel, plan, left)
    told = (name for name, data in left.data.items() if other.data[name] == data)
    return {name: digest(left.data[name]) for name in told if not _holds_nan(left.data[name], elements.get(name))}


def expected(unit: ir.Unit, plan: Plan, seed: int, exact_sums: bool = False) -> Expected:
    """As `expected_outputs`, and where functions or atomic sums of floats enter, elements within what their errors make of them.

    `exact_sums`: somebody promises that the order of threads decides nothing (sums of whole numbers).
    """
    unit = with_primitives(unit)
    kernel = unit.functions[plan.kernel]
    if not exact_sums and any(map(_sums_vectors, reached(unit, kernel))):
        return Expected(reason=ORDER_DECIDES)
    unbounded = next((e for f in reached(unit, kernel) for e in _evaluated(f) if not _is_bounded(e)), None)
    if unbounded is not None:
        return Expected(reason=f"nothing bounds {_described(unbounded)}")
    if any(map(_stores_addresses, reached(unit, kernel))):
        return Expected(reason="it stores addresses")
    left = _left(unit, plan, seed, races=not exact_sums)
    if isinstance(left, str):
        return Expected(reason=left)
    in_order = exact_sums or not any(map(_sums, reached(unit, kernel)))
    other = _left(unit, plan, seed, other_bits=True) if left.undecided else left
    if isinstance(other, str):
        return Expected(reason=f"with other bits where nobody decides them: {other}")
    others: list[_Left | str] = []
    if not in_order or not all(map(_is_rounded_once, reached(unit, kernel))):
        others += [_left(unit, plan, seed, Inexact(number)) for number in range(RUNS)]
    failed = next((other for other in others if isinstance(other, str)), None)
    if failed is not None:
        return Expected(reason=f"with the errors of functions: {failed}")
    moved = [each.data for each in others if not isinstance(each, str)]
    if moved:
        behind = moved_registers(unit, reached(unit, kernel))
        rounded = [_left(unit, plan, seed, Inexact(number, behind)) for number in ROUNDED]
        moved += [each.data for each in rounded if not isinstance(each, str)]
    told = _bands(unit, plan, left, other.data, moved)
    timed = any(_is_clock(e) for f in reached(unit, kernel) for e in _evaluated(f))
    if timed or (not exact_sums and _order_may_decide(unit, kernel)):
        again = [_left(unit, plan, seed + number, schedule=order) for number, order in enumerate(ORDERS, 1)]
        left_again = [None if isinstance(each, str) else each.data for each in again]
        names = (*told.outputs, *told.near)
        same = [n for n in names if all(data is not None and _is_told(n, data[n], told) for data in left_again)]
        if len(same) < len(names) and not timed:
            return Expected(reason=ORDER_DECIDES)
        if not same:
            return Expected(reason="all that it leaves hangs on a clock")
        return Expected(
            {n: told.outputs[n] for n in same if n in told.outputs}, {n: told.near[n] for n in same if n in told.near}
        )
    return told


def _is_told(name: str, data: bytes, told: Expected) -> bool:
    """What another run leaves in the buffer is what is promised of it."""
    return digest(data) == told.outputs[name] if name in told.outputs else _is_near(data, told.near[name])


def _is_near(data: bytes, near: Near) -> bool:
    label = ELEMENT_NAMES[near.element]
    given, wanted = numbers(data, label), numbers(near.wanted, label)
    with np.errstate(all="ignore"):
        equal = (given == wanted) | (np.isnan(given) & np.isnan(wanted))
        return bool((equal | (np.abs(given - wanted) <= near.allowed) | np.isinf(near.allowed)).all())


def _bands(
    unit: ir.Unit, plan: Plan, left: _Left, other_bits: dict[str, bytes], others: list[dict[str, bytes]]
) -> Expected:
    """An element may be twice as far away as any run is, and by one unit in the last place in a buffer that moves.

    Errors that cancel in all the runs would leave an element no room: it has that of half of the buffer's at least, for its size.
    The bits of what is no number are nobody's promise: a buffer that holds it is compared by its numbers, and one of other
    elements without the bytes that `other_bits` leave in another way. What moves in a buffer of unknown elements is not told;
    where integers are stored in a buffer of floats, they carry the bits of these.
    """
    kernel = unit.functions[plan.kernel]
    elements, parameters = _elements(kernel, plan, left), _parameters(kernel, plan)
    before = {b.name: b"" if b.data is None else b.data.tobytes() for b in plan.buffers}
    outputs: dict[str, str] = {}
    near: dict[str, Near] = {}
    for name, data in left.data.items():
        moved = [other[name] for other in others]
        element = elements.get(name)
        still = all(each == data for each in moved)
        if not still and isinstance(element, ir.Int) and isinstance(parameters.get(name), ir.Float):
            element = parameters[name]
        if element is None and still:
            element = ir.UINT8
        if element is None:
            continue
        free = _free(data, other_bits[name], element)
        if still:
            if free.any() or _holds_nan(data, element):
                near[name] = Near(element, data, np.where(free, np.inf, 0.0))
            else:
                outputs[name] = digest(data)
            continue
        label = ELEMENT_NAMES[element]
        wanted = numbers(data, label)
        with np.errstate(all="ignore"):
            spread = np.max([np.abs(numbers(each, label) - wanted) for each in moved], axis=0)
            allowed = 2 * np.where(np.isfinite(spread), spread, 0.0)
            if isinstance(element, ir.Float):
                first = before[name].ljust(len(data), b"\0")
                touched = ((numbers(first, label) != wanted) | (allowed > 0)) & np.isfinite(wanted)
                shares = (allowed / np.abs(wanted))[touched & (allowed > 0) & (wanted != 0)]
                if shares.size:
                    allowed = np.maximum(allowed, np.where(touched, np.median(shares) * np.abs(wanted), 0.0))
                allowed += np.where(touched, unit_in_last_place(wanted, element), 0.0)
        near[name] = Near(element, data, np.where(free, np.inf, allowed))
    return Expected(outputs, near)


def _free(data: bytes, other: bytes, element: ir.Type) -> npt.NDArray[np.bool_]:
    """Which elements are other ones where other bits enter; that one is no number is told."""
    size = DTYPES[ELEMENT_NAMES[element]].itemsize
    whole = len(data) // size * size
    pairs = (np.frombuffer(each[:whole], np.uint8).reshape(-1, size) for each in (data, other))
    free = np.asarray(np.not_equal(*pairs).any(axis=1))
    if isinstance(element, ir.Float):
        first, second = (numbers(each, ELEMENT_NAMES[element]) for each in (data, other))
        free &= ~(np.isnan(first) & np.isnan(second))
    return free


def _elements(kernel: ir.Function, plan: Plan, left: _Left) -> dict[str, ir.Type]:
    """What lies in a buffer: of the only type that is stored there, else of that of the parameter."""
    found = {name: min(types, key=repr) for name, types in left.stored.items() if len(types) == 1}
    return _parameters(kernel, plan) | {name: type_ for name, type_ in found.items() if type_ in ELEMENT_NAMES}


def _parameters(kernel: ir.Function, plan: Plan) -> dict[str, ir.Type]:
    """The elements of buffers by the types of the parameters that point to them."""
    found: dict[str, ir.Type] = {}
    for arg, param in zip(plan.launch.args, kernel.params):
        if isinstance(arg, PointerTo) and arg.buffer is not None and isinstance(param.var.type, ir.Pointer):
            element = param.var.type.element
            leaf = element.element if isinstance(element, ir.Vector) else element
            if leaf in ELEMENT_NAMES:
                found.setdefault(arg.buffer, leaf)
    return found


def _holds_nan(data: bytes, element: ir.Type | None) -> bool:
    return isinstance(element, ir.Float) and bool(np.isnan(numbers(data, ELEMENT_NAMES[element])).any())


def _stores_addresses(function: ir.Function) -> bool:
    """They are other ones on every machine."""
    stores = (stmt for stmt in statements(function.body) if isinstance(stmt, ir.Store))
    return any(isinstance(stmt.value.type, ir.Pointer) for stmt in stores)


def _left(
    unit: ir.Unit,
    plan: Plan,
    seed: int,
    inexact: Inexact | None = None,
    races: bool = False,
    schedule: Schedule = "lowest",
    other_bits: bool = False,
) -> _Left | str:
    """The buffers that the kernel gets as arguments behind the launch, or why there is nothing to tell."""
    outcome = run(
        unit, plan.kernel, plan.launch, plan.buffers, seed=seed, step_limit=STEP_LIMIT, work_limit=WORK_LIMIT,
        detect_races=races, inexact=inexact, schedule=schedule, other_bits=other_bits,
    )  # fmt: skip
    if outcome.status != "finished":
        return f"{outcome.status.replace('_', ' ')}: {outcome.reason}"
    events = [event for event in outcome.events if event.kind != "race" or event.detail != SAME_VALUE]
    faults = [event for event in events if event.kind != "uninitialised" or event.detail == "shared"]
    if faults:
        event = faults[0]
        return f"{event.kind} {event.detail} at {event.access.span}"
    given = {arg.buffer for arg in plan.launch.args if isinstance(arg, PointerTo)}
    given |= {to.buffer for arg in plan.launch.args if isinstance(arg, Aggregate) for _, to in arg.pointers}
    left = {b.name: _bytes_of(b, outcome.buffers.get(b.name), outcome.pages.get(b.name, {})) for b in plan.buffers}
    held = {name: data for name, data in left.items() if name in given and data is not None}
    return _Left(held, outcome.stored, outcome.undecided)


def _bytes_of(buffer: Buffer, data: object, pages: Mapping[int, object]) -> bytes | None:
    if buffer.extent > LARGEST_BUFFER:
        return None
    if data is not None:
        return bytes(memoryview(data))  # type: ignore[arg-type]
    whole = bytearray(buffer.extent)
    for number, page in pages.items():
        piece = bytes(memoryview(page))  # type: ignore[arg-type]
        start = number * len(piece)
        whole[start : start + len(piece)] = piece[: max(0, buffer.extent - start)]
    return bytes(whole)


def shows_order(unit: ir.Unit, kernel: ir.Function) -> bool:
    """Results depend on the order of threads: of sums that are rounded, or of what atomics give back."""
    return _order_may_decide(unit, kernel) or any(_sums(f) or _sums_vectors(f) for f in reached(unit, kernel))


def _sums(function: ir.Function) -> bool:
    """Atomic sums of floats: each addition rounds."""
    return any(
        isinstance(s, ir.Atomic) and s.op in ("add", "sub") and _adds_floats(s) for s in statements(function.body)
    )


def _order_may_decide(unit: ir.Unit, kernel: ir.Function) -> bool:
    """An atomic gives the order back, or leaves another value in another order: it replaces, or meets other operations."""
    atomics = [s for f in reached(unit, kernel) for s in statements(f.body) if isinstance(s, ir.Atomic)]
    operations = {"add" if stmt.op == "sub" else stmt.op for stmt in atomics} - {"load"}
    if operations - COMMUTING or len(operations) > 1:
        return True
    return any(map(_gives_order_back, reached(unit, kernel)))


def _gives_order_back(function: ir.Function) -> bool:
    """What an atomic gives back is used."""
    found = list(statements(function.body))
    used = frozenset[str]().union(*map(registers_read, found))
    return any(isinstance(s, ir.Atomic) and s.target is not None and s.target.name in used for s in found)


def _sums_vectors(function: ir.Function) -> bool:
    """Their errors no run has."""
    atomics = (s for s in statements(function.body) if isinstance(s, ir.Atomic))
    return any(isinstance(arg.type, ir.Vector) for s in atomics if _adds_floats(s) for arg in s.args)


def _is_rounded_once(function: ir.Function) -> bool:
    return all(map(_is_exact, _evaluated(function)))


def _evaluated(function: ir.Function) -> Iterator[ir.Expr]:
    return (e for stmt in statements(function.body) for e in evaluated(stmt))


def _is_bounded(expr: ir.Expr) -> bool:
    """Rounded once, or with an error that is known."""
    if _is_exact(expr) or _is_clock(expr) or (isinstance(expr, ir.Binary) and expr.op is ir.BinaryOp.DIVIDE):
        return True
    leaf = expr.type.element if isinstance(expr.type, ir.Vector) else expr.type
    return isinstance(expr, ir.Math) and is_bounded(expr.name, leaf)


def _described(expr: ir.Expr) -> str:
    if isinstance(expr, ir.Math):
        return f"the error of {expr.name}"
    return f"an opaque value: {expr.reason}" if isinstance(expr, ir.Opaque) else "an expression"


def _adds_floats(stmt: ir.Atomic) -> bool:
    leaves = (arg.type.element if isinstance(arg.type, ir.Vector) else arg.type for arg in stmt.args)
    return any(isinstance(leaf, ir.Float) for leaf in leaves)


def _is_clock(expr: ir.Expr) -> bool:
    """What hangs on it is not told."""
    return isinstance(expr, ir.Opaque) and expr.reason.rsplit("::", 1)[-1] in CLOCKS


def _is_exact(expr: ir.Expr) -> bool:
    if isinstance(expr, ir.Opaque):
        return part_of(expr.reason) is not None
    if isinstance(expr, ir.Binary) and expr.op is ir.BinaryOp.DIVIDE and isinstance(expr.type, ir.Float):
        return expr.type.format not in ("f16", "bf16")  # halves are divided through an approximate reciprocal
    return not isinstance(expr, ir.Math) or _ROUNDED_ONCE.match(expr.name) is not None
