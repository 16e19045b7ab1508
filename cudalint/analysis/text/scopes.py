"""What the text of one function says of its names: their types, what is assigned to them, and what guards them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cudalint.ir.syntax import Outline, Syntax, TextFunction

INT, UNSIGNED, WIDE, POINTER, FLOATING, UNKNOWN = "int", "unsigned", "wide", "pointer", "floating", "unknown"
LEAVING = {"return_statement", "continue_statement", "break_statement", "throw_statement", "goto_statement"}
_WORDS = re.compile(
    r"\b(const|constexpr|static|volatile|__restrict__|__restrict|restrict|register|inline|std|mutable)\b|::|&"
)
_OF_INDICES = ("index_t", "idx_t", "IdxT", "IdType", "IndexType", "IndexT", "Index_t", "size_type", "value_idx", "Idx")
_SPELLED = {
    **dict.fromkeys(("int", "int32_t", "int32", "signed", "signed int", "short", "int16_t", "int8_t", "char"), INT),
    **dict.fromkeys(("unsigned char", "uint8_t", "uint16_t", "unsigned short", "bool", "ushort", "uchar"), INT),
    **dict.fromkeys(("unsigned", "unsigned int", "uint", "uint32_t", "uint32", "u32"), UNSIGNED),
    **dict.fromkeys(("size_t", "int64_t", "uint64_t", "long", "long long", "unsigned long", "ssize_t"), WIDE),
    **dict.fromkeys(("unsigned long long", "ptrdiff_t", "intptr_t", "uintptr_t", "long int", "int64", "uint64"), WIDE),
    **dict.fromkeys(("long long int", "unsigned long long int", "long unsigned int"), WIDE),
    **dict.fromkeys(_OF_INDICES, INT),
    **dict.fromkeys(("float", "double", "half", "__half", "__nv_bfloat16", "nv_bfloat16"), FLOATING),
}
_INT_VECTOR = re.compile(r"(\w+::)*(u?int[234]|[iu]vec[234]|Vector[234]i|Eigen::Vector[234]i|dim3)\b")
_ENABLED = re.compile(r"(?:typename\s+)?(?:std::)?enable_if(?:_t)?\s*<.*,\s*([\w:* ]+)>(?:::type)?$", re.DOTALL)
_ASSERTS = re.compile(r"assert\w*$|(^|_)D?CHECK$|_ASSERT$|_ENFORCE$", re.IGNORECASE)
COORDINATES = re.compile(r"(threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*[xyz]")


@dataclass(slots=True)
class Scope:
    """`values` are the expressions that a name gets, `limits` those that it stays below, `grown` names that change in place.

    `raised` are those of them that do not only become smaller, `steps` the statements that change them. `vectors` are names
    of integer vectors such as int3; `elements` holds what the elements of a pointer are; `fields` are the assignments to
    members, as they are written; `structures` are the names of the types of objects, without namespaces and template arguments.
    """

    outline: Outline
    function: TextFunction
    types: dict[str, str] = field(default_factory=dict)
    elements: dict[str, str] = field(default_factory=dict)
    values: dict[str, list[Syntax]] = field(default_factory=dict)
    limits: dict[str, list[Syntax]] = field(default_factory=dict)
    grown: set[str] = field(default_factory=set)
    raised: set[str] = field(default_factory=set)
    steps: dict[str, list[Syntax]] = field(default_factory=dict)
    fields: dict[str, list[Syntax]] = field(default_factory=dict)
    vectors: set[str] = field(default_factory=set)
    structures: dict[str, str] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    positions: frozenset[str] | None = None  # names that are made of the place in the launch alone, once somebody asked


def scope_of(function: TextFunction, outline: Outline) -> Scope:
    """The names of a function. Two variables of one name count as one whose type is unknown where they differ."""
    scope = Scope(outline, function)
    names = [_declare(parameter, scope) for parameter in function.parameters]
    scope.parameters = tuple(name or "" for name in names)
    for node in function.body.walk():
        if node.kind == "declaration":
            _declare(node, scope)
        elif node.kind == "assignment_expression":
            _assign(node, scope)
        elif node.kind == "update_expression" and node.children and node.children[0].kind == "identifier":
            scope.grown.add(node.children[0].text)
            scope.steps.setdefault(node.children[0].text, []).append(node)
            if node.op != "--":
                scope.raised.add(node.children[0].text)
        elif node.kind in ("if_statement", "for_statement", "while_statement", "do_statement"):
            _note_limits(node, scope)
        elif node.kind == "conditional_expression":
            condition = node.child("condition")
            if condition is not None:
                _limit(condition, scope, holds=True, steps=False)
        elif node.kind == "call_expression":
            _note_assertion(node, scope)
    return scope


def kind_of_type(written: str, outline: Outline, depth: int = 0) -> str:
    """The arithmetic kind that a written type stands for."""
    if "*" in written:
        return POINTER
    enabled = _ENABLED.match(written.strip())
    if enabled is not None and depth < 4:
        return kind_of_type(enabled[1], outline, depth + 1)
    plain = " ".join(_WORDS.sub(" ", written).split())
    if plain in outline.types and depth < 4:
        kind = kind_of_type(outline.types[plain], outline, depth + 1)
        if kind != UNKNOWN:
            return kind
    if plain in _SPELLED:
        return _SPELLED[plain]
    return _SPELLED.get(plain.rpartition(" ")[2], UNKNOWN)


def _declare(node: Syntax, scope: Scope) -> str | None:
    written = node.child("type")
    if written is None:
        return None
    name = None
    for declarator in node.all("declarator") or node.all("default_value"):
        target, value = declarator, None
        if declarator.kind == "init_declarator":
            target, value = declarator.child("declarator") or declarator, declarator.child("value")
        name = _declared_name(target)
        if name is None:
            continue
        if _INT_VECTOR.match(written.text):
            scope.vectors.add(name)
        scope.structures[name] = written.text.partition("<")[0].rpartition("::")[2].strip()
        kind = POINTER if _is_pointer(target) else kind_of_type(written.text, scope.outline)
        if written.text == "auto" and value is not None and kind == UNKNOWN:
            kind = kind_of(value, scope)
        if kind == POINTER:
            scope.elements[name] = kind_of_type(written.text, scope.outline)
        scope.types[name] = kind if scope.types.get(name, kind) == kind else UNKNOWN
        if value is not None:
            scope.values.setdefault(name, []).append(value)
    return name


def _declared_name(node: Syntax) -> str | None:
    while node.kind not in ("identifier", "field_identifier"):
        inner = node.child("declarator") or (node.children[-1] if node.children else None)
        if inner is None:
            return None
        node = inner
    return node.text


def _is_pointer(node: Syntax) -> bool:
    if node.kind == "reference_declarator":
        return bool(node.children) and _is_pointer(node.children[-1])
    return node.kind in ("pointer_declarator", "array_declarator")


def _assign(node: Syntax, scope: Scope) -> None:
    left, right = node.child("left"), node.child("right")
    if left is not None and left.kind == "field_expression":
        scope.fields.setdefault(left.text, []).append(node)
    if left is None or right is None or left.kind != "identifier":
        return
    if node.op == "=":
        scope.values.setdefault(left.text, []).append(right)
        return
    scope.grown.add(left.text)
    scope.steps.setdefault(left.text, []).append(node)
    if node.op not in ("-=", "/=", ">>="):
        scope.raised.add(left.text)


# --- guards ------------------------------------------------------------------------------------------------------------


def _note_limits(node: Syntax, scope: Scope) -> None:
    condition = node.child("condition")
    if condition is None:
        return
    if node.kind != "if_statement":
        _limit(condition, scope, holds=True)
        return
    consequence = node.child("consequence")
    if consequence is not None and leaves(consequence):
        _limit(condition, scope, holds=False, steps="break" in consequence.text)
    else:
        _limit(condition, scope, holds=True, steps=False)


def _note_assertion(call: Syntax, scope: Scope) -> None:
    callee, arguments = call.child("function"), call.child("arguments")
    if callee is not None and arguments is not None and _ASSERTS.search(callee.text):
        for argument in arguments.children[:1]:
            _limit(argument, scope, holds=True)


def is_inside(node: Syntax, whole: Syntax) -> bool:
    """The node stands in the other one, or is it."""
    return whole.start <= node.start and node.end <= whole.end and node.file == whole.file


def leaves(statement: Syntax) -> bool:
    """Whether the statement ends by leaving the function or the loop."""
    if statement.kind == "compound_statement":
        return bool(statement.children) and leaves(statement.children[-1])
    return statement.kind in LEAVING or statement.text.lstrip().startswith(("return", "continue", "break"))


def _limit(condition: Syntax, scope: Scope, holds: bool, steps: bool = True) -> None:
    """Note what the condition bounds; `!=` does so only where one of both `steps` towards the other."""
    if condition.kind == "declaration" or condition.kind != "binary_expression":
        return
    left, right = condition.child("left"), condition.child("right")
    if left is None or right is None:
        return
    if condition.op in ("&&", "||"):
        if (condition.op == "&&") == holds:
            _limit(left, scope, holds, steps)
            _limit(right, scope, holds, steps)
        return
    op = (
        condition.op
        if holds
        else {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}.get(condition.op)
    )
    if op in ("<", "<=") or (op == "!=" and steps):
        _below(left, right, scope)
    if op in (">", ">=") or (op == "!=" and steps):
        _below(right, left, scope)


def _below(small: Syntax, large: Syntax, scope: Scope) -> None:
    small = uncast(small)
    named = small.kind == "identifier" or COORDINATES.fullmatch(small.text) is not None
    if named and large.kind != "number_literal":
        scope.limits.setdefault(small.text, []).append(large)
    elif small.kind == "binary_expression" and small.op == "+":
        for part in (small.child("left"), small.child("right")):
            if part is not None:
                _below(part, large, scope)


# --- types of expressions ----------------------------------------------------------------------------------------------


def kind_of(node: Syntax, scope: Scope) -> str:
    """The arithmetic kind of an expression."""
    match node.kind:
        case "number_literal":
            text = node.text.lower()
            if "." in text or ("e" in text and "x" not in text) or (text.endswith("f") and "x" not in text):
                return FLOATING
            return WIDE if "l" in text else UNSIGNED if text.endswith("u") else INT
        case "identifier":
            return _kind_of_name(node.text, scope)
        case "binary_expression":
            return _kind_of_binary(node, scope)
        case "cast_expression" | "sizeof_expression" | "call_expression":
            return _kind_of_conversion(node, scope)
        case "field_expression":
            if COORDINATES.fullmatch(node.text):
                return UNSIGNED
            base, name = node.child("argument"), node.child("field")
            if base is not None and base.text in scope.vectors:
                return INT
            written = _written_member(base, name, scope)
            return kind_of_type(written, scope.outline) if written else UNKNOWN
        case "unary_expression" | "update_expression":
            return kind_of(node.children[0], scope) if node.children else UNKNOWN
        case "conditional_expression":
            sides = [kind_of(s, scope) for s in (node.child("consequence"), node.child("alternative")) if s is not None]
            return joined(sides)
        case "subscript_expression":
            base = node.child("argument")
            return scope.elements.get(base.text, UNKNOWN) if base is not None else UNKNOWN
        case "pointer_expression":
            return POINTER if node.op == "&" else UNKNOWN
        case _:
            return UNKNOWN


def _written_member(base: Syntax | None, name: Syntax | None, scope: Scope) -> str:
    """The type of a member: of the structure that its object has, else of every member with the name."""
    if name is None:
        return ""
    structure = scope.structures.get(base.text, "") if base is not None else ""
    members = scope.outline.members
    return members.get(f"{structure}::{name.text}") or members.get(name.text, "")


def _kind_of_name(name: str, scope: Scope) -> str:
    if name in scope.types:
        return scope.types[name]
    if name in scope.outline.constants or name == "warpSize" or name in scope.function.template:
        return INT
    written = scope.outline.members.get(name)
    return kind_of_type(written, scope.outline) if written else UNKNOWN


def _kind_of_binary(node: Syntax, scope: Scope) -> str:
    left, right = node.child("left"), node.child("right")
    if left is None or right is None:
        return UNKNOWN
    if node.op in ("<", "<=", ">", ">=", "==", "!=", "&&", "||"):
        return INT
    if node.op in ("<<", ">>"):
        return kind_of(left, scope)
    return joined([kind_of(left, scope), kind_of(right, scope)])


def joined(kinds: list[str]) -> str:
    """The kind of an arithmetic operation on these kinds."""
    for kind in (POINTER, FLOATING, WIDE, UNKNOWN, UNSIGNED):
        if kind in kinds:
            return kind
    return INT


def _kind_of_conversion(node: Syntax, scope: Scope) -> str:
    if node.kind == "sizeof_expression":
        return WIDE
    if node.kind == "cast_expression":
        written = node.child("type")
        return _kind_of_cast(written.text, scope.outline) if written is not None else UNKNOWN
    callee, arguments = node.child("function"), node.child("arguments")
    if callee is None:
        return UNKNOWN
    target = cast_target(node)
    if target is not None:
        return _kind_of_cast(target, scope.outline)
    name = callee.text.rpartition("::")[2]
    if name in ("min", "max") and arguments is not None:
        return joined([kind_of(argument, scope) for argument in arguments.children])
    if "." in callee.text and callee.text.partition(".")[0] in scope.vectors:
        return INT
    results = {f.result for f in scope.outline.functions if f.name == name}
    kinds = {kind_of_type(result, scope.outline) for result in results}
    return kinds.pop() if len(kinds) == 1 else UNKNOWN


def _kind_of_cast(written: str, outline: Outline) -> str:
    """Who casts to a type of indices that is not here, such as `IdxT`, casts to one that is wide where that matters."""
    plain = " ".join(_WORDS.sub(" ", written).split())
    return UNKNOWN if plain in _OF_INDICES and plain not in outline.types else kind_of_type(written, outline)


def uncast(node: Syntax) -> Syntax:
    """What a cast is of."""
    arguments = node.child("arguments")
    if node.kind == "cast_expression":
        value = node.child("value")
    elif node.kind == "call_expression" and cast_target(node) is not None and arguments is not None:
        value = arguments.children[0] if len(arguments.children) == 1 else None
    else:
        return node
    return node if value is None else uncast(value)


def cast_target(node: Syntax) -> str | None:
    """The type of `static_cast<T>(x)`; of `T(x)` where T is a known arithmetic type."""
    callee = node.child("function")
    if callee is None:
        return None
    matched = re.match(r"(?:static_cast|reinterpret_cast|const_cast)\s*<(.*)>$", callee.text, re.DOTALL)
    if matched:
        return matched[1].strip()
    plain = " ".join(_WORDS.sub(" ", callee.text).split())
    return plain if plain in _SPELLED else None
