"""What a launch leaves in its buffers by the emulator, where a GPU has to give the very same bytes.

That is so where every operation is rounded once as IEEE 754 has it (+ - * / sqrt fma, conversions, minimum and maximum;
compiled without contraction), and where no order of threads decides: transcendental functions and atomic sums of floats
leave a plan without expected bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from cudalint import ir
from cudalint.confirm.emulate.run import Buffer, PointerTo, run
from cudalint.confirm.gpu.guard import digest
from cudalint.confirm.plan import Plan
from cudalint.ir.walk import evaluated, registers_read, statements

STEP_LIMIT = 20_000
WORK_LIMIT = 1 << 26  # steps of single lanes
LARGEST_BUFFER = 1 << 24
_ROUNDED_ONCE = re.compile(
    r"^_*(sqrt|fma|add|sub|mul|div|neg|f?min|f?max|umin|umax|fdim|l?l?abs|fabs|floor|ceil|trunc|rint|round|nearbyint|copysign|isnan|isinf"
    r"|isfinite|signbit|popc|popcll|clz|clzll|ffs|ffsll|brev|brevll|mulhi|umulhi|mul24|umul24|mad|byte_perm|funnelshift_\w+|sad|usad|hadd"
    r"|uhadd|rhadd|urhadd|dp4a|bswap)f?$"
)


def expected_outputs(unit: ir.Unit, plan: Plan, seed: int) -> dict[str, str]:
    """Digests of the buffers that the kernel gets as arguments, as they are behind the launch; empty where nothing is promised."""
    kernel = unit.functions[plan.kernel]
    if shows_order(unit, kernel) or not all(map(_is_rounded_once, _reached(unit, kernel))):
        return {}
    outcome = run(
        unit, plan.kernel, plan.launch, plan.buffers, seed=seed, step_limit=STEP_LIMIT, work_limit=WORK_LIMIT,
        detect_races=False,
    )  # fmt: skip
    if outcome.status != "finished" or outcome.events:
        return {}
    given = {arg.buffer for arg in plan.launch.args if isinstance(arg, PointerTo)}
    left = {b.name: _bytes_of(b, outcome.buffers.get(b.name), outcome.pages.get(b.name, {})) for b in plan.buffers}
    return {name: digest(data) for name, data in left.items() if name in given and data is not None}


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


def _reached(unit: ir.Unit, kernel: ir.Function) -> Iterator[ir.Function]:
    pending, seen = [kernel], {kernel.id}
    while pending:
        function = pending.pop()
        yield function
        for stmt in statements(function.body):
            callee = unit.functions.get(stmt.function) if isinstance(stmt, ir.Call) else None
            if callee is not None and callee.id not in seen:
                seen.add(callee.id)
                pending.append(callee)


def shows_order(unit: ir.Unit, kernel: ir.Function) -> bool:
    """Results depend on the order of threads: of sums that are rounded, or of what atomics give back."""
    return any(map(_is_ordered, _reached(unit, kernel)))


def _is_ordered(function: ir.Function) -> bool:
    found = list(statements(function.body))
    used = frozenset[str]().union(*map(registers_read, found))
    atomics = [s for s in found if isinstance(s, ir.Atomic)]
    return any(_rounds(s) or (s.target is not None and s.target.name in used) for s in atomics)


def _is_rounded_once(function: ir.Function) -> bool:
    return all(map(_is_exact, (e for stmt in statements(function.body) for e in evaluated(stmt))))


def _rounds(stmt: ir.Atomic) -> bool:
    return stmt.op in ("add", "sub") and any(isinstance(arg.type, ir.Float) for arg in stmt.args)


def _is_exact(expr: ir.Expr) -> bool:
    if isinstance(expr, ir.Opaque):
        return False
    if isinstance(expr, ir.Binary) and expr.op is ir.BinaryOp.DIVIDE and isinstance(expr.type, ir.Float):
        return expr.type.format not in ("f16", "bf16")  # halves are divided through an approximate reciprocal
    return not isinstance(expr, ir.Math) or _ROUNDED_ONCE.match(expr.name) is not None
