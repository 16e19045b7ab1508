"""Integers that are too narrow for what they count, or that wrap on the way to their bound."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.overflow.thread_bits import BEYOND, INT_BITS, is_signed, widened, wrong_bits
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, short
from cudalint.analysis.text.magnitude import AXIS, ROW, largest_of
from cudalint.analysis.text.scopes import INT, UNKNOWN, UNSIGNED, WIDE, kind_of
from cudalint.analysis.text.text_program import Body, Program, number_of, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_SHORT = re.compile(r"^(const\s+)?(int16_t|short|short int|uint16_t|unsigned short|ushort)(\s+const)?$")
_BYTES = re.compile(r"bytes|pitch|byte_?size|num_?elements|numel", re.IGNORECASE)
_ANY = ("kernel", "device", "host")


def short_sizes(outline: Outline) -> Iterator[GuardIssue]:
    """A 16-bit parameter for a number of rows or columns, or a 16-bit result for a number of bytes."""
    program = program_of(outline)
    for function in outline.functions:
        scope = program.scope(function)
        for parameter, name in zip(function.parameters, scope.parameters):
            written = parameter.child("type")
            if name and written is not None and _SHORT.match(written.text) and largest_of(name)[1] in (ROW, AXIS):
                if function.role == "host" or "*" in parameter.text or "&" in parameter.text:
                    continue
                if not _is_flagged(name, function):
                    yield GuardIssue(function, parameter, f"`{name}` counts in 16 bits: 32767 or 65535 at most")
        if _SHORT.match(function.result) and _BYTES.search(function.name) and function.body.children:
            text = f"{function.name}() returns its size in 16 bits"
            yield GuardIssue(function, function.body, text)


def _is_flagged(name: str, function: TextFunction) -> bool:
    """`full || col < size` at every use: a caller with a size that does not bind sets the template's flag, and nobody reads it."""
    uses = [node for node in function.body.walk() if node.kind == "identifier" and node.text == name]
    behind = [
        inner
        for node in function.body.walk()
        if node.kind == "binary_expression" and node.op == "||" and node.children[0].text in function.template
        for inner in node.children[-1].walk()
        if inner.kind == "identifier" and inner.text == name
    ]
    return bool(uses) and len(behind) == len(uses)


def wrapping_powers(outline: Outline) -> Iterator[GuardIssue]:
    """`while (stride <= size) stride *= n;` in 32 bits: past the bound it can wrap and be below it again."""
    for body in bodies(program_of(outline), _ANY):
        for node in body.nodes:
            condition = node.child("condition") if node.kind in ("for_statement", "while_statement") else None
            for part in [] if condition is None else _comparisons(condition):
                left, right = part.child("left"), part.child("right")
                if left is None or right is None or part.op not in ("<", "<=") or left.kind != "identifier":
                    continue
                if kind_of(left, body.scope) not in (INT, UNSIGNED) or right.kind == "number_literal":
                    continue
                growth = _multiplied(left.text, node, body)
                if growth is not None:
                    text = f"`{' '.join(growth.text.split())}` can wrap before `{part.text}` fails"
                    yield GuardIssue(body.function, growth, text, part)


def _comparisons(condition: Syntax) -> list[Syntax]:
    if condition.kind == "binary_expression" and condition.op in ("&&", "||"):
        return [part for child in condition.children for part in _comparisons(child)]
    return [condition] if condition.kind == "binary_expression" else []


def _multiplied(name: str, loop: Syntax, body: Body) -> Syntax | None:
    """`name *= x` with an x that is no constant."""
    for node in loop.walk():
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and node.op == "*=" and left is not None and left.text == name:
            fixed = right is None or right.kind == "number_literal" or right.text in body.function.template
            if not fixed and right is not None and right.text not in body.scope.outline.constants:
                return node
    return None


def narrow_shifts(outline: Outline) -> Iterator[GuardIssue]:
    """`(1 << bits) < n` where n has 64 bits or as many as a template says, and `mask |= 1 << i` of a mask with 64 bits."""
    program = program_of(outline)
    for body in bodies(program, _ANY):
        for node in body.nodes:
            found = _place_of_64_bits(node, body, program)
            if found is not None:
                target, place, why = found
                yield GuardIssue(body.function, place, f"`{short(place)}` is an int: {why.format(target)}")
                continue
            left, right = node.child("left"), node.child("right")
            if (
                node.kind == "assignment_expression"
                and node.op in _INTO_MASK
                and left is not None
                and right is not None
            ):
                shift = next(filter(lambda part: _shifts_one(part, body), right.walk()), None)
                if shift is not None and kind_of(left, body.scope) == WIDE and _reaches_past_int(shift, body):
                    text = f"`{shift.text}` is an int: it sets no bit of `{left.text}` beyond 31"
                    yield GuardIssue(body.function, shift, text)
                continue
            if node.kind != "binary_expression" or node.op not in ("<", "<=", ">", ">=") or not left or not right:
                continue
            for shift, other in ((left, right), (right, left)):
                if _shifts_one(shift, body) and _is_wide(other, body):
                    text = f"`{shift.text}` is an int: it cannot reach `{other.text}` beyond 2^31"
                    yield GuardIssue(body.function, shift, text)


def _shifts_one(node: Syntax, body: Body) -> bool:
    left, right = node.child("left"), node.child("right")
    if node.kind != "binary_expression" or node.op != "<<" or left is None or right is None:
        return False
    return left.text in ("1", "1u", "1U") and right.kind == "identifier" and right.text in body.scope.grown


_INTO_MASK = ("=", "|=", "^=", "+=")


def _place_of_64_bits(node: Syntax, body: Body, program: Program) -> tuple[str, Syntax, str] | None:
    """(the word of 64 bits, `1 << (v & 63)`, what is wrong) of a declaration, an assignment, a cast or an atomic operation."""
    type_, shift = widened(node, body) if node.kind in ("cast_expression", "call_expression") else ("", None)
    if shift is not None:
        why = wrong_bits(shift, body, program)
        return (type_, shift, why) if why else None
    target, value = _word_and_value(node)
    if target is None or value is None or kind_of(target, body.scope) != WIDE:
        return None
    for part in _bit_operands(value):
        why = wrong_bits(part, body, program)
        if why == BEYOND or (why and is_signed(value, part, body)):
            return target.text, part, why
    return None


def _word_and_value(node: Syntax) -> tuple[Syntax | None, Syntax | None]:
    """What is set and what to, of a declaration, an assignment or an atomic operation."""
    target, value = node.child("declarator") or node.child("left"), node.child("value") or node.child("right")
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind == "call_expression" and callee is not None and arguments is not None and len(arguments.children) == 2:
        address, value = arguments.children
        is_atomic = _ATOMIC.search(callee.text) is not None and address.kind == "pointer_expression"
        return (address.child("argument") if is_atomic and address.op == "&" else None), value
    is_set = node.kind == "init_declarator" or (node.kind == "assignment_expression" and node.op in _INTO_MASK)
    return (target, value) if is_set else (None, None)


_ATOMIC = re.compile(r"^(::)?atomic(Or|Xor|Exch|Add)$")


def _bit_operands(value: Syntax) -> Iterator[Syntax]:
    """What bit operations put together."""
    if value.kind in ("parenthesized_expression", "unary_expression") or value.op in ("|", "^", "&"):
        for child in value.children:
            yield from _bit_operands(child)
    else:
        yield value


def _reaches_past_int(shift: Syntax, body: Body) -> bool:
    """The loop that counts the bits goes on to more of them than an int has."""
    counter = shift.child("right")
    for parent, _ in body.ancestors(shift):
        condition = parent.child("condition") if parent.kind == "for_statement" else None
        for part in [] if condition is None else _comparisons(condition):
            place, end = part.child("left"), part.child("right")
            if place is None or end is None or counter is None or part.op not in ("<", "<="):
                continue
            if place.text != counter.text:
                continue
            most = body.scope.outline.constants.get(end.text, number_of(end.text))
            if most > INT_BITS:
                return True
    return False


def _is_wide(node: Syntax, body: Body) -> bool:
    kind = kind_of(node, body.scope)
    if kind == WIDE:
        return True
    if kind != UNKNOWN or node.kind != "identifier" or node.text not in body.scope.parameters:
        return False
    written = body.function.parameters[body.scope.parameters.index(node.text)].child("type")
    return written is not None and written.text in body.function.template


def underflowing_rests(outline: Outline) -> Iterator[GuardIssue]:
    """`min(part, n - i * part)` in unsigned arithmetic where `part` was rounded up: the last start can lie beyond n."""
    for body in bodies(program_of(outline), _ANY):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) != 2:
                continue
            if callee.text.rpartition("::")[2].partition("<")[0] not in ("min", "umin"):
                continue
            for part, rest in (tuple(arguments.children), tuple(reversed(arguments.children))):
                if _underflows(part, rest, body):
                    text = f"`{rest.text}` wraps where the last part begins behind the end"
                    yield GuardIssue(body.function, rest, text)


def _underflows(part: Syntax, rest: Syntax, body: Body) -> bool:
    whole, start = rest.child("left"), rest.child("right")
    if part.kind != "identifier" or rest.kind != "binary_expression" or rest.op != "-" or not whole or not start:
        return False
    if kind_of(rest, body.scope) not in (WIDE, UNSIGNED) or not _is_unsigned(whole, body):
        return False
    rounded = [v.text for v in body.scope.values.get(part.text, [])]
    starts = [v.text for v in body.scope.values.get(start.text, [])] if start.kind == "identifier" else [start.text]
    guarded = re.search(
        rf"\b{re.escape(start.text)}\s*(<|>=|>)|(<|<=|>)\s*{re.escape(start.text)}\b", body.function.body.text
    )
    if guarded or any("min" in text or "?" in text for text in starts):
        return False
    ceiling = any(re.search(r"\+.*-\s*1\s*\)*\s*/|ceil|div_?up", text, re.IGNORECASE) for text in rounded)
    return ceiling and len(starts) == 1 and re.search(rf"\*\s*{part.text}\b|\b{part.text}\s*\*", starts[0]) is not None


def _is_unsigned(node: Syntax, body: Body) -> bool:
    """Declared as size_t or another unsigned type."""
    for declared in (*body.function.parameters, *(n for n in body.nodes if n.kind == "declaration")):
        written = declared.child("type")
        if written is not None and re.search(rf"\b{re.escape(node.text)}\b", declared.text):
            return re.search(r"size_t|unsigned|uint", written.text) is not None
    return False
