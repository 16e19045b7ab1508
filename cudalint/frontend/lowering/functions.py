"""Functions: parameters, roles, bodies; and the queue of those that are still to be lowered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise, takewhile

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind, TypeKind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.base_parts import to_class
from cudalint.frontend.lowering.captures import THIS, escaping, referenced
from cudalint.frontend.lowering.context import Body, Program, Record
from cudalint.frontend.lowering.names import function_id, qualified_name, template_args, written_id
from cudalint.frontend.lowering.scan import address_taken
from cudalint.frontend.lowering.types import is_aggregate, is_closure, is_reference
from cudalint.ir import nodes as ir
from cudalint.ir.plain_tests import with_plain_tests
from cudalint.ir.types import VOID, Pointer, Struct, Type, Unknown, field_of
from cudalint.source import Span

BODIES = (Kind.COMPOUND_STMT, Kind.CXX_TRY_STMT)
LONGEST_BOUNDS = 120
MOST_NAMES = 4  # by each other, from a bound to a number
_BOUNDS = re.compile(r"__launch_bounds__\s*\(([^()]*)\)")
MOST_INSTANCES = 6  # of one kernel template
MOST_HOST_INSTANCES = 6  # of one template of host functions
MOST_DISPATCHERS = (
    24  # of one template of functions for both sides that host code calls, or of small ones that give a value
)
SMALL = 400  # bytes
_NUMBER = re.compile(r"\d+")


def body_of(declaration: Cursor) -> Cursor | None:
    return next((c for c in clang.children(declaration) if c.kind in BODIES), None)


def definition_of(target: Cursor) -> Cursor | None:
    """The declaration with a body, if this unit holds one."""
    if body_of(target) is not None:
        return target
    found = target.get_definition()
    return found if found is not None and body_of(found) is not None else None


def request(program: Program, target: Cursor, by_host: bool = False, by_device: bool = False) -> str | None:
    """The id of a function with a body, which is then lowered once; None where it has none, or is one instance too many.

    Only `by_host`, for host functions, are those of one template counted: device code needs what it calls. `by_device`: it is
    device code, whoever calls it.
    """
    key = clang.identity(target)
    if key in program.ids:
        return program.ids[key]
    definition = definition_of(target)
    if definition is None:
        return None
    known = clang.identity(definition) in program.ids
    if not known and _is_too_many(program, definition, by_host):
        return None
    made = function_id(program, definition)
    program.ids[key] = made
    if by_device:
        program.device.add(made)
    if not known:
        program.pending.append((made, definition))
    return made


def _is_too_many(program: Program, definition: Cursor, by_host: bool) -> bool:
    """Whether enough instances of this template are lowered; those of kernels that are not are counted."""
    if clang.template_of(definition) is None:
        return False
    role = role_of(definition)
    if role == ir.Role.KERNEL:
        program.instances[qualified_name(definition)] += 1
        return program.instances[qualified_name(definition)] > MOST_INSTANCES
    both = by_host and is_for_both(definition)
    if both or (by_host and role == ir.Role.HOST and definition.kind == Kind.FUNCTION_DECL):
        place = name_span(program, definition)
        program.host_instances[place] += 1
        many = both or _is_small_value(definition)
        return program.host_instances[place] > (MOST_DISPATCHERS if many else MOST_HOST_INSTANCES)
    return False


def _is_small_value(definition: Cursor) -> bool:
    extent = definition.extent
    size: int = extent.end.offset - extent.start.offset
    return size <= SMALL and bool(definition.result_type.kind != TypeKind.VOID)


def request_here(program: Program, target: Cursor, span: Span) -> str | None:
    """A copy of a library function for one call: what goes wrong in it is shown where it is called."""
    definition = definition_of(target)
    if definition is None:
        return None
    name = f"{function_id(program, definition)} at {span.path}:{span.line}:{span.column}"
    if name not in program.call_spans:
        program.call_spans[name] = span
        program.pending.append((name, definition))
    return name


def request_with(program: Program, target: Cursor, given: Mapping[int, Cursor]) -> str | None:
    """A copy of a device function for the functions that its parameters are, by their positions."""
    definition = definition_of(target)
    if definition is None:
        return None
    params = [clang.identity(c) for c in clang.children(definition) if c.kind == Kind.PARM_DECL]
    held = ", ".join(f"{position}: {function_id(program, function)}" for position, function in given.items())
    name = f"{function_id(program, definition)} with {held}"
    if name not in program.given:
        program.given[name] = {params[position]: function for position, function in given.items()}
        program.pending.append((name, definition))
    return name


def reference_to(body: Body, target: Cursor, type_: Type) -> ir.Expr:
    """A function as a value."""
    name = request(body.program, target)
    if name is not None:
        called(body, name)
    declared = written_id(target) if role_of(target) == ir.Role.KERNEL else qualified_name(target)
    return ir.FunctionRef(name or declared, type_)


def is_implicit(target: Cursor) -> bool:
    """A member that the compiler made: it stands where its class does."""
    owner = target.semantic_parent
    return owner is not None and (target.is_default_method() or target.location.offset == owner.location.offset)


def called(body: Body, name: str) -> None:
    """Note that this function uses that one."""
    body.record.calls[name] = None
    if not body.for_host:
        _called_by_device(body.program, name)


def _called_by_device(program: Program, name: str) -> None:
    """What was lowered as host code before that was known is lowered again, with what it calls."""
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name in program.device:
            continue
        program.device.add(name)
        known = program.functions.get(name)
        if known is not None and known.role != ir.Role.KERNEL:
            waiting += program.records[name].calls
            program.pending.append((name, program.definitions[name]))


def role_of(declaration: Cursor) -> ir.Role:
    kinds = {c.kind for c in clang.children(declaration)}
    if Kind.CUDAGLOBAL_ATTR in kinds:
        return ir.Role.KERNEL
    return ir.Role.DEVICE if Kind.CUDADEVICE_ATTR in kinds else ir.Role.HOST


def is_for_both(declaration: Cursor) -> bool:
    """Whether it is `__host__ __device__`: device code, unless only host code calls it."""
    kinds = {c.kind for c in clang.children(declaration)}
    return Kind.CUDAHOST_ATTR in kinds and Kind.CUDADEVICE_ATTR in kinds


def is_for_host(program: Program, name: str, declaration: Cursor) -> bool:
    """Whether host code alone is known to call it."""
    if name in program.device:
        return False
    return role_of(declaration) == ir.Role.HOST or is_for_both(declaration)


def role_in(program: Program, name: str, declaration: Cursor) -> ir.Role:
    """A function without attributes (a lambda, a constexpr function) is a device function if one calls it."""
    role = role_of(declaration)
    return ir.Role.DEVICE if role == ir.Role.HOST and name in program.device else role


def lower_function(program: Program, name: str, declaration: Cursor) -> None:
    """Lower one body into the program; a failure of ours becomes a hole that covers the function."""
    record = Record()
    program.records[name] = record
    program.definitions[name] = declaration
    body = Body(program, declaration, record, program.call_spans.get(name))
    body.given = program.given.get(name, {})
    program.functions[name] = _lower(body, name, declaration)


def _lower(body: Body, name: str, declaration: Cursor) -> ir.Function:
    from cudalint.frontend.lowering.statements import compound

    span = body.span(declaration)
    body.role = role_in(body.program, name, declaration)
    body.for_host = is_for_host(body.program, name, declaration)
    body.escaping = escaping(declaration)
    body.address_taken = address_taken(declaration) | referenced(declaration, body.escaping)
    params = parameters(body, declaration)
    block = body_of(declaration)
    if body.role is ir.Role.KERNEL and not body.program.kernels:
        return _made(body, name, declaration, params, span, block)
    if body.program.has_guesses:
        note_guesses(body, declaration)
    enter_closure(body, declaration)
    if declaration.kind == Kind.CONSTRUCTOR:
        member_initializers(body, declaration)
    if block is not None and block.kind == Kind.COMPOUND_STMT:
        body.record.body = body.program.locator.extent(block)
        compound(body, block)
    elif block is not None:
        body.statement(block)
    return _made(body, name, declaration, params, span, block)


def _made(
    body: Body, name: str, declaration: Cursor, params: tuple[ir.Param, ...], span: Span, block: Cursor | None
) -> ir.Function:
    result = body.program.types.translate(declaration.result_type)
    return ir.Function(
        name, qualified_name(declaration), body.role, template_args(declaration), params,
        VOID if declaration.kind == Kind.CONSTRUCTOR else result, with_plain_tests(tuple(body.block)), span,
        launch_bounds(body, declaration, block), name_span(body.program, declaration),
    )  # fmt: skip


def note_guesses(body: Body, declaration: Cursor) -> None:
    """Every name whose declaration is a guess is a gap, at its first use."""
    seen: set[str] = set()
    known: set[int] = set()
    for cursor in clang.of_kinds(declaration, *_NAMES):
        target = clang.referenced(cursor)
        if target is None or clang.identity(target) in known:
            continue
        known.add(clang.identity(target))
        if target.spelling not in seen and body.program.is_guessed(target):
            seen.add(target.spelling)
            body.gap(f"unknown name {target.spelling}", body.span(cursor))


_NAMES = (Kind.TYPE_REF, Kind.TEMPLATE_REF, Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.CALL_EXPR)


def enter_closure(body: Body, declaration: Cursor) -> None:
    """In a lambda's call operator `this` is that of the function that made it, if it was captured."""
    owner = declaration.semantic_parent
    if owner is None or not is_closure(owner.type):
        return
    body.closure, body.this = body.this, None
    held = body.program.captures.get(clang.identity(owner), ())
    if THIS in held and body.closure is not None and isinstance(body.closure.type, Pointer):
        closure = body.closure.type.element
        known = field_of(closure, f"capture.{held.index(THIS)}")
        if known is not None:
            span = body.span(declaration)
            body.this = body.fresh(known.type, span, "this")
            place = ir.Field(build.element(body.closure, build.ZERO, closure), known.name, known.type)
            body.emit(ir.Load(body.this, place, span))


def parameters(body: Body, declaration: Cursor) -> tuple[ir.Param, ...]:
    found: list[ir.Param] = []
    if declaration.kind in (Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION):
        if not declaration.is_static_method():
            owner = body.program.types.translate(declaration.semantic_parent.type)
            body.this = ir.Var(body.unique("this"), Pointer(owner))
            found.append(ir.Param(body.this))
    found += [parameter(body, p) for p in clang.children(declaration) if p.kind == Kind.PARM_DECL]
    return tuple(found)


def parameter(body: Body, declaration: Cursor) -> ir.Param:
    type_ = body.program.types.of_parameter(declaration.type)
    key = clang.identity(declaration)
    var = ir.Var(body.unique(declaration.spelling or "arg"), type_)
    reference = is_reference(declaration.type)
    memory = is_aggregate(type_) or (key in body.address_taken and not reference)
    body.variables[key] = var
    if reference:
        body.references.add(key)
    elif declaration.type.is_const_qualified() and not is_aggregate(type_):
        body.constants[var.name] = body.span(declaration)
    if memory:
        body.memory.add(var.name)
    canonical = declaration.type.get_canonical()
    pointer = canonical.kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE)
    const = pointer and canonical.get_pointee().is_const_qualified()
    return ir.Param(var, declaration.type.is_restrict_qualified(), const, reference, memory)


def member_initializers(body: Body, declaration: Cursor) -> None:
    """`: n(k), Base(x)`, then the members' own initialisers; a member that is a reference holds an address.

    A constructor that leaves the object to another one of its class (`: T(k)`) initialises nothing behind that.
    """
    from cudalint.frontend.lowering.arguments import by_reference
    from cudalint.frontend.lowering.initialize import initialize

    if body.this is None or not isinstance(body.this.type, Pointer):
        return
    this = build.element(body.this, build.ZERO, body.this.type.element)
    below = [c for c in clang.children(declaration) if c.kind != Kind.PARM_DECL]
    parts = [value for member, value in pairwise(below) if member.kind in _BASES and value.kind == Kind.CALL_EXPR]
    bases = {clang.identity(value.type.get_canonical().get_declaration()) for value in parts}
    delegates, given = clang.identity(declaration.semantic_parent) in bases, set()
    if not delegates:
        default_bases(body, this, declaration.semantic_parent, bases)
        given |= _lost_members(body, declaration, {m.spelling for m in below if m.kind == Kind.MEMBER_REF})
    for member, value in pairwise(below):
        if member.kind == Kind.MEMBER_REF and value.kind.is_expression():
            target = clang.referenced(member)
            given.add(member.spelling)
            type_ = body.program.types.translate(target.type) if target is not None else Unknown(member.spelling)
            place = ir.Field(this, member.spelling, type_)
            if target is not None and is_reference(target.type):
                body.write(place, by_reference(body, value, target.type), body.span(member))
            else:
                initialize(body, place, value, body.span(member))
        elif member.kind in _BASES and value.kind == Kind.CALL_EXPR:
            base = body.type_of(value)
            part = build.element(to_class(body, body.this, Pointer(base)), build.ZERO, base)
            initialize(body, part, value, body.span(value))
    if not delegates:
        default_members(body, this, declaration.semantic_parent, given)


_BASES = (Kind.TYPE_REF, Kind.TEMPLATE_REF)


def _lost_members(body: Body, declaration: Cursor, known: set[str]) -> set[str]:
    """Members with an initialiser that does not compile (`params(Base::given())` of an absent Base): they hold anything."""
    head = body.text(declaration).partition("{")[0]
    fields = (f.spelling for f in declaration.semantic_parent.type.get_fields()) if ":" in head else ()
    return {f for f in fields if f and f not in known and re.search(rf"\)[^;]*[:,]\s*{re.escape(f)}\s*\(", head)}


def default_members(body: Body, this: ir.Place, owner: Cursor, given: set[str]) -> None:
    from cudalint.frontend.lowering.initialize import initialize

    for field in owner.type.get_fields():
        if field.spelling in given or not field.spelling:
            continue
        init = next((c for c in clang.children(field) if c.kind in _INITIALIZERS), None)
        if init is None:
            _default_member(body, this, field)
        elif init.kind.is_expression() and not field.is_bitfield():
            type_ = body.program.types.translate(field.type)
            if field.type.get_canonical().kind != TypeKind.CONSTANTARRAY:
                initialize(body, ir.Field(this, field.spelling, type_), init, body.span(field))


def default_bases(body: Body, this: ir.Place, owner: Cursor, given: set[int]) -> None:
    """Base classes that a constructor does not name are made without arguments."""
    for base in (c for c in clang.children(owner) if c.kind == Kind.CXX_BASE_SPECIFIER):
        declared = base.type.get_canonical().get_declaration()
        own = not body.program.in_stubs(declared)
        if clang.identity(declared) not in given and (own or body.role == ir.Role.HOST):
            type_ = body.program.types.translate(base.type)
            part = build.element(to_class(body, build.address(this), Pointer(type_)), build.ZERO, type_)
            _default_object(body, part, declared, body.span(base))


def _default_member(body: Body, this: ir.Place, field: Cursor) -> None:
    """A member whose class is a library's begins as its constructor leaves it: an empty vector, a dim3 of ones."""
    type_, declared = body.program.types.translate(field.type), field.type.get_canonical().get_declaration()
    own = isinstance(type_, Struct) and not body.program.in_stubs(declared)
    if not isinstance(type_, (Struct, Unknown)) or not (own or body.role == ir.Role.HOST):
        return
    place, span = ir.Field(this, field.spelling, type_), body.span(field)
    if isinstance(type_, Struct) and type_.name == "dim3":
        body.write(place, ir.Construct((), type_), span)
    elif body.program.in_stubs(declared) and not (isinstance(type_, Struct) and type_.fields):
        name = f"{qualified_name(declared)}::{declared.spelling}"
        body.emit(ir.Call(name, (build.address(place),), None, span))
    elif not body.program.in_stubs(declared):
        _default_object(body, place, declared, span)


def _default_object(body: Body, place: ir.Place, owner: Cursor, span: Span) -> None:
    """An object of a class of the project as the constructor without arguments leaves it."""
    pattern = clang.template_of(owner) or owner
    constructors = [c for c in clang.children(owner) if c.kind == Kind.CONSTRUCTOR and c.is_default_constructor()]
    name = request(body.program, constructors[0]) if len(constructors) == 1 else None
    if name is not None:
        called(body, name)
    elif all(c.kind not in _CONSTRUCTORS for c in clang.children(pattern)):
        default_bases(body, place, owner, set())
        default_members(body, place, owner, set())
        return
    elif body.role != ir.Role.HOST:
        return
    body.emit(ir.Call(name or f"{qualified_name(owner)}::{owner.spelling}", (build.address(place),), None, span))


_CONSTRUCTORS = (Kind.CONSTRUCTOR, Kind.FUNCTION_TEMPLATE)
_INITIALIZERS = (
    Kind.INTEGER_LITERAL, Kind.FLOATING_LITERAL, Kind.INIT_LIST_EXPR, Kind.UNEXPOSED_EXPR, Kind.CXX_BOOL_LITERAL_EXPR,
    Kind.CXX_NULL_PTR_LITERAL_EXPR, Kind.DECL_REF_EXPR, Kind.UNARY_OPERATOR, Kind.BINARY_OPERATOR, Kind.CALL_EXPR,
)  # fmt: skip


def launch_bounds(body: Body, declaration: Cursor, block: Cursor | None) -> tuple[int, ...]:
    """The bounds as numbers, up to the first that is none."""
    if role_of(declaration) != ir.Role.KERNEL or block is None:
        return ()
    given = next((c for c in clang.children(declaration) if _is_bounds(c)), None)
    if given is not None and declaration.kind != Kind.FUNCTION_TEMPLATE:
        counted = (_counted(body.program, each) for each in clang.children(given))
        return tuple(takewhile(lambda number: number > 0, counted))
    found = next(filter(None, (_bounds_at(body.program, c) for c in clang.children(declaration))), None)
    if found is None:
        return ()
    values = [part.strip() for part in found[1].split(",")]
    numbers = []
    for value in values:
        if not _NUMBER.fullmatch(value):
            break
        numbers.append(int(value))
    return tuple(numbers)


def _is_bounds(attribute: Cursor) -> bool:
    return attribute.kind == Kind.ANNOTATE_ATTR and bool(attribute.spelling == "launch_bounds")


def _counted(program: Program, bound: Cursor) -> int:
    """The value of a bound; 0 where it is no number, or rests on a name whose declaration is a guess."""
    value = clang.evaluate(bound)
    return value if isinstance(value, int) and not _rests_on_guess(program, bound, MOST_NAMES) else 0


def _rests_on_guess(program: Program, value: Cursor, hops: int) -> bool:
    for cursor in clang.of_kinds(value, *_NAMES):
        target = clang.referenced(cursor)
        if target is None or clang.identity(target) == clang.identity(cursor):
            continue
        if hops == 0 or program.is_guessed(target):
            return True
        if target.kind == Kind.VAR_DECL and _rests_on_guess(program, target, hops - 1):
            return True
    return False


def _bounds_at(program: Program, attribute: Cursor) -> re.Match[str] | None:
    """The text of launch bounds that count: those of another branch of `#if` are no attribute."""
    if attribute.kind != Kind.UNEXPOSED_ATTR:
        return None
    file, start, _ = program.locator.extent(attribute)
    return _BOUNDS.match(program.locator.content(file)[start : start + LONGEST_BOUNDS].decode("utf-8", "replace"))


def name_span(program: Program, declaration: Cursor) -> Span:
    file, line, column, _ = program.locator.position(declaration.location)
    return program.locator.make(file, line, column, line, column + len(declaration.spelling.encode()))
