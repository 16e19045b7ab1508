"""Inline assembly by the table of PTX: loads, stores, atomics, barriers, fences and shuffles as statements of the IR.

What computes in registers gives opaque values. What accesses memory in ways that no statement says is one opaque
statement with its operands: understood, without a model. An opcode outside the table is a hole.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build, ptx
from cudalint.frontend.lowering.assembly_operands import ADDRESS, Use, elements, reached
from cudalint.frontend.lowering.assembly_predicates import lowered_in_turn
from cudalint.frontend.lowering.context import Body, statement
from cudalint.frontend.lowering.macros import assembly_texts
from cudalint.frontend.lowering.ptx import Assembly, Does, Instruction
from cudalint.ir import nodes as ir
from cudalint.ir.types import BOOL, F32, INT32, UINT8, UINT32, UINT64, Float, Int, Pointer, Type, Vector, size_of

_REGISTERS: dict[str, str] = {"laneid": "laneid", "warpid": "warpid"}
_REGISTERS |= {f"tid.{a}": f"threadIdx.{a}" for a in "xyz"} | {f"ctaid.{a}": f"blockIdx.{a}" for a in "xyz"}
_REGISTERS |= {f"ntid.{a}": f"blockDim.{a}" for a in "xyz"} | {f"nctaid.{a}": f"gridDim.{a}" for a in "xyz"}
_SPECIAL = re.compile(r"%%?([a-z][\w.]*)")
_SHUFFLES = {"idx": "shfl", "up": "shfl_up", "down": "shfl_down", "bfly": "shfl_xor"}
_ATOMICS = ("add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas")
_SCOPES = {
    "cta": ir.Scope.BLOCK, "gl": ir.Scope.DEVICE, "gpu": ir.Scope.DEVICE, "sys": ir.Scope.SYSTEM,
    "cluster": ir.Scope.CLUSTER,
}  # fmt: skip
_ORDERS = {
    "volatile": ir.Order.VOLATILE, "relaxed": ir.Order.RELAXED, "acquire": ir.Order.ACQUIRE,
    "release": ir.Order.RELEASE, "acq_rel": ir.Order.ACQ_REL, "nc": ir.Order.READ_ONLY,
}  # fmt: skip
_OF_SCOPE = (ir.Order.RELAXED, ir.Order.ACQUIRE, ir.Order.RELEASE, ir.Order.ACQ_REL)
_APPROXIMATE = {
    "rsqrt": "fast_rsqrt", "sqrt": "fast_sqrt", "rcp": "fast_rcp", "ex2": "fast_exp2", "lg2": "fast_log2",
    "sin": "fast_sin", "cos": "fast_cos", "tanh": "fast_tanh",
}  # fmt: skip
WARP = 32
_FLOATS = {"f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64"}


@statement(Kind.ASM_STMT)
def assembly(body: Body, cursor: Cursor) -> None:
    operands = clang.children(cursor)
    made = _parsed(body, cursor, len(operands))
    if made is None:
        body.hole("inline assembly", cursor)
        return
    kinds = {ptx.does(i) for i in made.instructions}
    if Does.UNKNOWN in kinds:
        opcode = next(i.opcode for i in made.instructions if ptx.does(i) is Does.UNKNOWN)
        body.hole(f"inline assembly: {opcode}", cursor)
        return
    use = _use(body, made, operands, cursor)
    if _is_exact(use) or _is_modelled(use):
        return
    if _is_window_number(use):
        return
    if kinds <= {Does.PURE} and not _SPECIAL.search(_without_registers(made.code)):
        _compute(use)
    elif kinds - {Does.NOTHING} or made.outputs:
        _opaque(use, kinds)


def _parsed(body: Body, cursor: Cursor, operands: int) -> Assembly | None:
    """The statement as written, or as the one macro definition with as many operands has it."""
    written = body.text(cursor)
    texts = [written] if written.lstrip().startswith(("asm", "__asm")) else assembly_texts(body, cursor)
    found = dict.fromkeys(ptx.parse(text) for text in texts)
    fitting = [m for m in found if m is not None and len(m.outputs) + len(m.inputs) == operands]
    return fitting[0] if len(fitting) == 1 else None


def _use(body: Body, made: Assembly, operands: list[Cursor], cursor: Cursor) -> Use:
    count = len(made.outputs)
    values = {count + i: body.value(o) for i, o in enumerate(operands[count : count + len(made.inputs)])}
    places = [body.place(o) for o in operands[:count]]
    span = body.span(cursor)
    for i, (constraint, place) in enumerate(zip(made.outputs, places)):
        if "+" in constraint:
            values[i] = body.read(place, span)
    return Use(body, made, places, values, span)


def _without_registers(code: str) -> str:
    """The code without the registers that it declares itself."""
    names = {n.strip(" %;") for m in re.findall(r"\.reg\s+\.\w+\s+([^;]+);", code) for n in m.split(",")}
    return _SPECIAL.sub(lambda m: "" if m[1] in names else m[0], code)


def _compute(use: Use) -> None:
    args = tuple(use.values[i] for i in sorted(use.values))
    if any(not isinstance(build.place_type(place), Pointer) for place in use.places):
        lost = elements(arg for arg in args if isinstance(arg.type, Pointer))
        if lost:  # what takes the numbers may access what the pointers lead to
            use.body.opaque_statement(f"asm {use.made.code}", use.span, (), lost)
    for i, place in enumerate(use.places):
        value = use.body.opaque(f"asm {use.made.code} #{i}", args, build.place_type(place), use.span)
        use.body.write(place, value, use.span)


def _opaque(use: Use, kinds: set[Does]) -> None:
    """A statement without a model: outputs become unknown, memory behind pointers may be read and written."""
    reads = tuple(use.values[i] for i in sorted(use.values))
    writes: tuple[ir.Place, ...] = tuple(use.places)
    if not kinds.isdisjoint((Does.MEMORY, Does.ORDER)):
        pointers = reached(use)
        writes += elements(pointers)
        reads += pointers
    opcode = next((i.opcode for i in use.made.instructions if ptx.does(i) is not Does.PURE), use.made.code)
    use.body.opaque_statement(f"asm {opcode}", use.span, reads, writes, Does.EXIT in kinds, Does.ORDER in kinds)


def _is_window_number(use: Use) -> bool:
    """`{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }`: the number of a pointer in the shared window."""
    opcodes = [i.opcode for i in use.made.instructions if not i.opcode.startswith(".")]
    if opcodes[:1] != ["cvta.to.shared.u64"] or opcodes[1:] not in ([], ["cvt.u32.u64"]) or len(use.places) != 1:
        return False
    pointer = use.address("[%1]") if len(use.values) == 1 else None
    if pointer is None:
        return False
    use.body.opaque_statement(ir.ADDRESS_AS_NUMBER, use.span, (pointer,), elements([pointer]))
    number = ir.Opaque("__cvta_generic_to_shared", (pointer,), UINT64)
    use.body.write(use.places[0], build.convert(number, build.place_type(use.places[0])), use.span)
    return True


# --- one register --------------------------------------------------------------------------------------------------


def _is_exact(use: Use) -> bool:
    """`mov.u32 %0, %tid.x;` and its relatives."""
    match = re.fullmatch(r"mov\.[usb]32 %0, ?%%?([a-z][\w.]*);?", use.made.code)
    value = special(match[1]) if match is not None and len(use.places) == 1 else None
    if value is None:
        return False
    use.body.write(use.places[0], build.convert(value, build.place_type(use.places[0])), use.span)
    return True


def special(name: str) -> ir.Expr | None:
    """The value of a special register, where the language has it."""
    if name in _REGISTERS:
        return ir.Builtin(_REGISTERS[name], UINT32)
    if not name.startswith("lanemask_"):
        return None
    one, lane = ir.Const(1, UINT32), ir.Builtin("laneid", UINT32)
    bit = ir.Binary(ir.BinaryOp.SHIFT_LEFT, one, lane, UINT32)
    below = ir.Binary(ir.BinaryOp.SUBTRACT, bit, one, UINT32)
    upto = ir.Binary(ir.BinaryOp.OR, below, bit, UINT32)
    masks = {"eq": bit, "lt": below, "le": upto, "ge": _inverse(below), "gt": _inverse(upto)}
    return masks.get(name.removeprefix("lanemask_"))


def _inverse(value: ir.Expr) -> ir.Expr:
    return ir.Unary(ir.UnaryOp.NOT, value, UINT32)


# --- one instruction -------------------------------------------------------------------------------------------------


def _is_modelled(use: Use) -> bool:
    """Whether the IR has a statement for each instruction, under the predicate that guards it; they are emitted then."""
    return lowered_in_turn(use, _MODELS.get)


def _load(use: Use, instruction: Instruction) -> bool:
    if len(instruction.operands) != 2:
        return False
    targets, pointer = use.outputs_of(instruction.operands[0]), use.address(instruction.operands[1], True)
    type_ = _accessed(instruction, len(targets or ()))
    if targets is None or pointer is None or type_ is None:
        return False
    value = use.body.read(_behind(pointer, type_), use.span, _order_for_all(instruction))
    for i, place in enumerate(targets):
        part = ir.Extract(value, "xyzw"[i], type_.element) if isinstance(type_, Vector) else value
        use.body.write(place, _registered(part, build.place_type(place)), use.span)
    return True


def _store(use: Use, instruction: Instruction) -> bool:
    if len(instruction.operands) != 2:
        return False
    pieces = [p.strip() for p in instruction.operands[1].strip("{} ").split(",")]
    values, pointer = [use.operand(p) for p in pieces], use.address(instruction.operands[0], True)
    type_ = _accessed(instruction, len(pieces))
    given = [v for v in values if v is not None]
    if pointer is None or type_ is None or len(given) != len(values):
        return False
    if isinstance(type_, Vector):
        element = type_.element
        value: ir.Expr = ir.Construct(tuple(_registered(v, element) for v in given), type_)
    else:
        value = _registered(given[0], type_)
    if _order(instruction) is ir.Order.RELEASE:
        use.body.emit(ir.Fence(_scope(instruction), use.span, ir.Order.RELEASE))
    use.body.write(_behind(pointer, type_), value, use.span, _order_for_all(instruction))
    return True


def _atomic(use: Use, instruction: Instruction) -> bool:
    operation = next((p for p in instruction.parts if p in _ATOMICS), None)
    operands = list(instruction.operands)
    target = use.outputs_of(operands.pop(0)) if instruction.parts[0] == "atom" and operands else []
    type_ = _accessed(instruction, 1)
    if operation is None or target is None or not operands or type_ is None or "x2" in instruction.opcode:
        return False
    pointer, args = use.address(operands[0], True), [use.operand(o) for o in operands[1:]]
    given = tuple(_registered(a, type_) for a in args if a is not None)
    if pointer is None or len(given) != len(args) or any("v2" in p or "v4" in p for p in instruction.parts):
        return False
    result = use.body.fresh(type_, use.span) if target else None
    scope = _scope(instruction)
    order = next((_ORDERS[p] for p in instruction.parts if p in _ORDERS), ir.Order.RELAXED)
    use.body.emit(ir.Atomic(operation, _behind(pointer, type_), given, result, use.span, order, scope))
    if target and result is not None:
        use.body.write(target[0], _registered(result, build.place_type(target[0])), use.span)
    return True


def _behind(pointer: ir.Expr, type_: Type) -> ir.Place:
    if pointer.type != Pointer(type_):
        pointer = ir.Bitcast(pointer, Pointer(type_))
    return build.element(pointer, build.ZERO, type_)


def _accessed(instruction: Instruction, count: int) -> Type | None:
    """The type of the memory that an instruction accesses, by its suffixes; that of other blocks is not followed."""
    parts = instruction.parts
    lanes = next((int(p[1:]) for p in parts if p in ("v2", "v4", "v8")), 1)
    element = _element(parts[-1])
    if element is None or lanes != count or lanes > 4 or "shared::cluster" in parts:
        return None
    return Vector(element, lanes) if lanes > 1 else element


def _element(suffix: str) -> Type | None:
    if suffix in _FLOATS:
        return Float(_FLOATS[suffix])
    match = re.fullmatch(r"([busf])(8|16|32|64)", suffix)
    return Int(int(match[2]), match[1] == "s") if match is not None and match[1] != "f" else None


def _order(instruction: Instruction) -> ir.Order:
    return next((_ORDERS[p] for p in instruction.parts if p in _ORDERS), ir.Order.PLAIN)


def _order_for_all(instruction: Instruction) -> ir.Order:
    """The order of a load or store; one for the threads of the block (`ld.relaxed.cta`) is not made for those of others."""
    order = _order(instruction)
    narrow = _scope(instruction) is ir.Scope.BLOCK and not any(p.startswith("shared") for p in instruction.parts)
    return ir.Order.VOLATILE if narrow and order in _OF_SCOPE else order


def _scope(instruction: Instruction) -> ir.Scope:
    return next((_SCOPES[p] for p in instruction.parts if p in _SCOPES), ir.Scope.DEVICE)


def _registered(value: ir.Expr, to: Type) -> ir.Expr:
    """Registers have no type: equal widths keep the bits, integers widen and narrow."""
    if value.type == to:
        return value
    if isinstance(value.type, Int) and isinstance(to, Int):
        return build.convert(value, to)
    if size_of(value.type) == size_of(to) is not None:
        return ir.Bitcast(value, to)
    return ir.Opaque("register of another width", (value,), to)


def _barrier(use: Use, instruction: Instruction) -> bool:
    parts, operands = instruction.parts, [use.operand(o) for o in instruction.operands]
    if parts[:2] == ["bar", "warp"]:
        use.body.emit(ir.Barrier(ir.Scope.WARP, use.span, mask=operands[0] if operands else None))
        return True
    if parts[:2] == ["barrier", "cluster"]:
        mode = "arrive" if "arrive" in parts else "wait"
        use.body.emit(ir.Barrier(ir.Scope.CLUSTER, use.span, mode=mode))
        return True
    modes = {"sync": "sync", "arrive": "arrive"}
    mode_of = next((modes[p] for p in parts if p in modes), None)
    if mode_of is None or not operands or any(o is None for o in operands):
        return False
    whole = len(operands) == 1 and operands[0] == ir.Const(0, INT32) and mode_of == "sync"
    if whole:
        use.body.emit(ir.Barrier(ir.Scope.BLOCK, use.span))
        return True
    count = operands[1] if len(operands) > 1 else None
    use.body.emit(ir.Barrier(ir.Scope.NAMED, use.span, id=operands[0], count=count, mode=mode_of))
    return True


def _fence(use: Use, instruction: Instruction) -> bool:
    scope = next((_SCOPES[p] for p in instruction.parts if p in _SCOPES), None)
    if scope is None or "proxy" in instruction.parts:
        return False
    use.body.emit(ir.Fence(scope, use.span))
    return True


def _exchange(use: Use, instruction: Instruction) -> bool:
    """`shfl.sync.idx.b32 d, a, b, c, mask` with a whole warp."""
    operation = next((_SHUFFLES[p] for p in instruction.parts if p in _SHUFFLES), None)
    if operation is None or len(instruction.operands) != 5:
        return False
    targets = use.outputs_of(instruction.operands[0])
    value, lane, _, mask = (use.operand(o) for o in instruction.operands[1:])
    clamp = instruction.operands[3].lower()
    if not targets or value is None or lane is None or mask is None or clamp not in ("0x1f", "31", "0", "0x0"):
        return False
    result = use.body.fresh(value.type, use.span)
    args = (value, lane, ir.Const(32, INT32))
    use.body.emit(ir.Warp(operation, build.convert(mask, UINT32), args, result, use.span))
    use.body.write(targets[0], _registered(result, build.place_type(targets[0])), use.span)
    return True


def _reduce(use: Use, instruction: Instruction) -> bool:
    """`redux.sync.add.u32 d, a, mask`."""
    parts = instruction.parts
    type_ = _element(parts[-1])
    targets = use.outputs_of(instruction.operands[0]) if len(instruction.operands) == 3 else None
    if len(parts) != 4 or type_ is None or not targets:
        return False
    value, mask = (use.operand(o) for o in instruction.operands[1:])
    if value is None or mask is None:
        return False
    result = use.body.fresh(type_, use.span)
    args = (_registered(value, type_),)
    use.body.emit(ir.Warp(f"reduce_{parts[2]}", build.convert(mask, UINT32), args, result, use.span))
    use.body.write(targets[0], _registered(result, build.place_type(targets[0])), use.span)
    return True


def _asynchronous(use: Use, instruction: Instruction) -> bool:
    """`cp.async`: the copy from global memory, its groups and waits; bulk copies are opaque."""
    parts = instruction.parts
    if parts[:2] != ["cp", "async"] or "bulk" in parts or "mbarrier" in parts:
        return False
    if parts[2] == "commit_group":
        use.body.emit(ir.AsyncCommit(use.span))
        return True
    if parts[2] in ("wait_group", "wait_all"):
        left = use.operand(instruction.operands[0]) if instruction.operands else build.ZERO
        if left is None:
            return False
        use.body.emit(ir.AsyncWait(left, use.span))
        return True
    return _copied(use, instruction)


def _copied(use: Use, instruction: Instruction) -> bool:
    operands = [o for o in instruction.operands if not o.startswith("L2")]
    source = use.address(operands[1]) if len(operands) >= 3 else None
    to = ADDRESS.match(operands[0]) if operands else None
    shared = use.values.get(int(to[1])) if to is not None else None
    if source is None or shared is None or not isinstance(shared.type, Int):
        return False
    size = use.operand(operands[3]) if len(operands) > 3 else use.operand(operands[2])
    if size is None:
        return False
    destination = ir.Bitcast(build.convert(shared, UINT64), Pointer(UINT8))
    whole = source if source.type == Pointer(UINT8) else ir.Bitcast(source, Pointer(UINT8))
    use.body.note_opaque("asm cp.async", use.span)
    use.body.emit(ir.AsyncCopy(destination, whole, build.convert(size, INT32), use.span))
    return True


def _matrix(use: Use, instruction: Instruction) -> bool:
    """`ldmatrix`, `stmatrix` of 8x8 tiles: the first 8, 16 or all 32 lanes each name a row of 16 bytes, and all lanes meet.

    Which lane gets which elements is not said.
    """
    parts, operands = instruction.parts, instruction.operands
    lanes = next((8 * int(p[1:]) for p in parts if p in ("x1", "x2", "x4")), 0)
    if not {"m8n8", "b16"} <= set(parts) or not lanes or len(operands) != 2 or "shared::cluster" in parts:
        return False
    reads = parts[0] == "ldmatrix"
    pointer = use.address(operands[1 if reads else 0], True)
    targets = use.outputs_of(operands[0]) if reads else []
    if pointer is None or targets is None:
        return False
    body, span = use.body, use.span
    row = _behind(pointer, Vector(UINT32, 4))
    body.emit(ir.Barrier(ir.Scope.WARP, span))
    with body.nested() as access:
        if reads:
            body.read(row, span)
        else:
            body.write(row, body.opaque("asm stmatrix", (), Vector(UINT32, 4), span), span)
    if lanes < WARP:
        first = ir.Binary(ir.BinaryOp.LESS, ir.Builtin("laneid", UINT32), ir.Const(lanes, UINT32), BOOL)
        access = [ir.If(first, tuple(access), (), span)]
    for stmt in (*access, ir.Barrier(ir.Scope.WARP, span)):
        body.emit(stmt)
    for place in targets:
        body.write(place, body.opaque("asm ldmatrix", (), build.place_type(place), span), span)
    return True


def _approximate(use: Use, instruction: Instruction) -> bool:
    """`rsqrt.approx.ftz.f32 d, a`: a function whose error the ISA bounds; `.ftz` makes zeros of what is subnormal."""
    parts = instruction.parts
    targets = use.outputs_of(instruction.operands[0]) if len(instruction.operands) == 2 else None
    value = use.operand(instruction.operands[1]) if targets else None
    if (
        not targets
        or value is None
        or value.type != F32
        or parts[1:] not in (["approx", "f32"], ["approx", "ftz", "f32"])
    ):
        return False
    flushes = "ftz" in parts
    given = ir.Math("flush", (value,), F32) if flushes else value
    result = ir.Math(_APPROXIMATE[parts[0]], (given,), F32)
    whole = ir.Math("flush", (result,), F32) if flushes else result
    use.body.write(targets[0], _registered(whole, build.place_type(targets[0])), use.span)
    return True


def _trap(use: Use, instruction: Instruction) -> bool:
    use.body.emit(ir.Trap(use.span))
    return True


_MODELS: dict[str, Callable[[Use, Instruction], bool]] = {
    "ld": _load, "st": _store, "atom": _atomic, "red": _atomic, "bar": _barrier, "barrier": _barrier,
    "membar": _fence, "fence": _fence, "shfl": _exchange, "redux": _reduce, "cp": _asynchronous, "trap": _trap,
    "exit": _trap, "ldmatrix": _matrix, "stmatrix": _matrix, **dict.fromkeys(_APPROXIMATE, _approximate),
}  # fmt: skip
