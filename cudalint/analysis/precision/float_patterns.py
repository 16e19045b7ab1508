"""Floating-point formulas that give inf or NaN for ordinary inputs although another formula does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.caps import Caps
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_EXP = re.compile(r"^((\w+(<\w+>)?)?::)*(__)?h?exp(2|10)?(f|_approx)?$|^fast_?exp$")
_LOG = re.compile(r"^(::|std::)?(__)?h?log(2|10)?f?$")
_MAXIMUM = re.compile(r"^(::|std::)?(__)?[fh]?max(f|imum)?$")
_SAFE = re.compile(r"eps|1e-|1\.e-|FLT_MIN|max|min\b|EPS|tiny|clamp", re.IGNORECASE)


def overflowing_ratios(outline: Outline) -> Iterator[GuardIssue]:
    """`(e - 1) / (e + 1)` with e = exp(...): inf / inf is NaN where the result is 1."""
    for body in bodies(program_of(outline)):
        exponentials = {name for name, values in body.scope.values.items() if any(map(is_exponential, values))}
        for node in body.nodes:
            above, below = node.child("left"), node.child("right")
            if node.kind != "binary_expression" or node.op != "/" or above is None or below is None:
                continue
            shared = (exponentials & names_in(above) & names_in(below)) or (_calls_in(above) & _calls_in(below))
            name = sorted(shared)[0] if shared else ""
            values = body.scope.values.get(name, []) or [part for part in above.walk() if part.text == name]
            if not shared or not _grows(above, shared) or _falls(values, body):
                continue
            if not _is_of_negative(values, node, body) and not _is_asked_finite(name, node, body):
                text = f"`{_short(node)}` is inf / inf where {name} overflows"
                yield GuardIssue(body.function, node, text)


def _calls_in(value: Syntax) -> set[str]:
    """The exponentials that are written out there: `expf(x) / (1 + expf(x))`."""
    return {part.text for part in value.walk() if is_exponential(part)}


def is_exponential(value: Syntax) -> bool:
    callee = value.child("function")
    return value.kind == "call_expression" and callee is not None and _EXP.match(callee.text) is not None


def _grows(above: Syntax, names: set[str]) -> bool:
    return above.text in names or (above.kind == "binary_expression" and above.op in ("+", "-"))


_NEGATED = re.compile(r"^\(?\s*-|max|fabs|abs")


def _falls(exponentials: list[Syntax], body: Body) -> bool:
    """The argument is never positive: exp(-x), or a difference from a maximum; also in a variable."""
    for value in exponentials:
        arguments = value.child("arguments")
        if arguments is None:
            continue
        held = [v for name in names_in(arguments) for v in body.scope.values.get(name, [])]
        if any(_NEGATED.search(text) for text in (arguments.text, *(each.text for each in held))):
            return True
    return False


_ZERO = re.compile(r"0+(\.0*)?f?")


def _is_of_negative(exponentials: list[Syntax], node: Syntax, body: Body) -> bool:
    """A branch around it says that what the exponential is of is below zero."""
    given = [value.child("arguments") for value in exponentials]
    of = {a.children[0].text for a in given if a is not None and len(a.children) == 1}
    for parent, child in body.ancestors(node):
        if parent.kind not in ("if_statement", "conditional_expression"):
            continue
        below = ("<", "<=") if child is parent.child("consequence") else (">", ">=")
        for part in (parent.child("condition") or parent).walk():
            left, right = part.child("left"), part.child("right")
            if part.op in below and left is not None and right is not None and left.text in of:
                return child is not parent.child("condition") and _ZERO.fullmatch(right.text) is not None
    return False


_FINITE = re.compile(r"(std::|__)?is(inf|finite)[fdl]?")


def _is_asked_finite(name: str, node: Syntax, body: Body) -> bool:
    """`if (isinf(e)) ... else` here, or `if (isfinite(e))` here: the exponential did not overflow on this way."""
    for parent, child in body.ancestors(node):
        condition = parent.child("condition")
        if parent.kind not in ("if_statement", "conditional_expression") or condition is None or child is condition:
            continue
        asked, expected = condition, child is parent.child("consequence")
        while asked.kind in ("condition_clause", "parenthesized_expression") or asked.op == "!":
            expected ^= asked.op == "!"
            asked = asked.child("value") or asked.child("argument") or asked.children[0]
        callee, arguments = asked.child("function"), asked.child("arguments")
        if callee is None or arguments is None or [a.text for a in arguments.children] != [name]:
            continue
        question = _FINITE.fullmatch(callee.text)
        if question is not None and expected is (question[2] == "finite"):
            return True
    return False


def unshifted_softmaxes(outline: Outline) -> Iterator[GuardIssue]:
    """A sum of exponentials of raw values that divides, or whose logarithm is taken: no largest value was subtracted."""
    for body in bodies(program_of(outline), ("kernel",)):
        if re.search(r"max", body.function.body.text, re.IGNORECASE) and not _is_maximum_unused(body):
            continue
        for name, node in _exponential_sums(body):
            if _divides_by(name, body) or _has_logarithm(name, body):
                yield GuardIssue(
                    body.function, node, f"`{_short(node)}` overflows: the row's maximum is not subtracted"
                )


def _is_maximum_unused(body: Body) -> bool:
    """All that is said of a maximum is how it is found: `m = fmaxf(m, x[i])`, by the block too; nothing subtracts it."""
    found: set[str] = set()
    arrays: set[str] = set()
    told: set[int] = set()
    added = {left.text for left, _ in _assigned(body, "+=")}  # the same array adds up later on
    for node in body.nodes:
        if node.kind == "declaration":
            told |= {name.start for name in node.all("declarator")}  # `float s_sum, s_max;`
        left, right = node.child("left") or node.child("declarator"), node.child("right") or node.child("value")
        if node.kind not in ("assignment_expression", "init_declarator") or left is None or right is None:
            continue
        told.add(left.start)
        if node.op in ("", "=") and _is_of_maxima(left, right, found, arrays):
            if left.kind == "identifier" and left.text not in added:
                found.add(left.text)
            arrays |= {_array_of(left)} - {""}
            told |= {part.start for part in node.walk()}
    others = (node for node in body.nodes if node.kind == "identifier" and node.start not in told)
    known = bool(found or arrays)
    return known and not any(node.text in found or "max" in node.text.lower() for node in others)


def _is_of_maxima(left: Syntax, right: Syntax, found: set[str], arrays: set[str]) -> bool:
    """The maximum of two values, of the threads, or one that was found before."""
    if right.kind == "conditional_expression":
        condition, *choices = right.children
        compared = condition.op in ("<", ">", "<=", ">=") and len(choices) == 2
        if compared and left.bare in {choice.bare for choice in choices} and left.text in condition.text:
            return not re.search("min", left.text, re.IGNORECASE) and condition.op.startswith(">")
        return bool(choices) and all(_is_of_maxima(left, choice, found, arrays) for choice in choices)
    callee, arguments = right.child("function"), right.child("arguments")
    if right.kind == "call_expression" and callee is not None and arguments is not None:
        moved = _MOVED.search(callee.text) is not None and any(each.text in found for each in arguments.children)
        return moved or _MAXIMUM.search(callee.text) is not None or _OF_THREADS.search(callee.text) is not None
    return right.text in found or _array_of(right) in arrays


_MOVED = re.compile(r"shfl\w*$")
_OF_THREADS = re.compile(r"(reduce\w*max|max\w*reduce|(warp|block)_?max)\w*(<.*>)?$", re.IGNORECASE | re.DOTALL)


def _exponential_sums(body: Body) -> Iterator[tuple[str, Syntax]]:
    """(accumulator, exponential) for `sum += exp(x[i])`, also through a variable or an element."""
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind != "assignment_expression" or node.op != "+=" or left is None or right is None:
            continue
        parts = [part for part in right.walk() if part.kind != "binary_expression"] if right.op == "+" else [right]
        for part in parts:
            for value in _values_of(part, body):
                if is_exponential(value) and _is_raw(value, body):
                    yield left.text, value
                    break


def _values_of(part: Syntax, body: Body) -> list[Syntax]:
    """What the variable or element was last set to in front of the place, or what is written there."""
    if part.kind == "identifier":
        return body.scope.values.get(part.text, [])
    if part.kind not in ("subscript_expression", "field_expression"):
        return [part]
    return [right for left, right in _assigned(body, "=") if left.bare == part.bare and right.start < part.start][-1:]


def _is_raw(call: Syntax, body: Body) -> bool:
    """The argument is a loaded value, neither negated nor a difference."""
    arguments = call.child("arguments")
    if arguments is None or len(arguments.children) != 1 or "-" in arguments.text:
        return False
    argument = _unconverted(arguments.children[0])
    if argument.kind == "identifier":
        values = body.scope.values.get(argument.text, [])
        return len(values) == 1 and _unconverted(values[0]).kind == "subscript_expression"
    owner = argument.child("argument") if argument.kind == "field_expression" else argument  # `pair[i].x`
    return owner is not None and owner.kind == "subscript_expression"


def _unconverted(value: Syntax) -> Syntax:
    """What a cast or a conversion to float is of."""
    value = uncast(value)
    callee, arguments = value.child("function"), value.child("arguments")
    if callee is None or arguments is None or len(arguments.children) != 1 or not _TO_FLOAT.match(callee.text):
        return value
    return _unconverted(arguments.children[0])


_TO_FLOAT = re.compile(r"^(__(half|bfloat16|ldg)(2float)?|to_?float|float)$", re.IGNORECASE)


def _divides_by(name: str, body: Body) -> bool:
    """By the sum itself, what is computed from it, or an array in which the threads add up theirs."""
    arrays = {_array_of(left) for left, right in _assigned(body) if right.text == name} - {""}
    for node in body.nodes:
        right = node.child("right")
        if node.kind in ("binary_expression", "assignment_expression") and node.op in ("/", "/=") and right is not None:
            if right.text == name or any(name in names_in(v) for v in body.scope.values.get(right.text, [])):
                return True
            if right.op == "+" and any(part.text == name for part in right.children):
                return True
            total = [right, *body.scope.values.get(right.text, [])]
            if any(_array_of(value) in arrays for value in total if value.kind == "subscript_expression"):
                return True
        callee, arguments = node.child("function"), node.child("arguments")
        if callee is not None and arguments is not None and callee.text in ("__fdividef", "fdividef"):
            below = arguments.children[-1:]
            if any(_is_made_of(name, part, body) for part in below):
                return True
    return False


def _is_made_of(name: str, value: Syntax, body: Body, hops: int = 4) -> bool:
    names = names_in(value)
    if name in names or not hops:
        return name in names
    return any(_is_made_of(name, v, body, hops - 1) for n in sorted(names) for v in body.scope.values.get(n, []))


def _has_logarithm(name: str, body: Body) -> bool:
    """Of the sum itself, or of an array in which the threads add up theirs."""
    arrays = {_array_of(left) for left, right in _assigned(body) if right.text == name} - {""}
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None or not _LOG.match(callee.text):
            continue
        if any(argument.text == name or _array_of(argument) in arrays for argument in arguments.children):
            return True
    return False


def _assigned(body: Body, by: str = "") -> Iterator[tuple[Syntax, Syntax]]:
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and node.op.startswith(by) and left is not None and right is not None:
            yield left, right


def _array_of(element: Syntax) -> str:
    base = element.child("argument") if element.kind == "subscript_expression" else None
    return "" if base is None else base.text


def truncated_divisors(outline: Outline) -> Iterator[GuardIssue]:
    """`part = 256 / n` and later `x / part`: from n = 257 on the divisor is zero."""
    for body in bodies(program_of(outline), ("kernel", "device", "host")):
        assigned: dict[str, list[Syntax]] = {name: list(values) for name, values in body.scope.values.items()}
        for name, values in sorted(assigned.items()):
            small = [value for value in values if _can_truncate(value, body)]
            before = [v for v in values if small and v.start <= small[-1].start and v.text != "0"]
            if not small or not all(_can_truncate(value, body) for value in before):
                continue
            use = _zero_division(name, small[-1], body)
            if use is not None:
                text = f"`{_short(small[-1])}` is 0 for large sizes, and `{_short(use)}` divides by it"
                yield GuardIssue(body.function, small[-1], text, use)


LARGEST_ELEMENT, LARGEST_BITS = 16, 8
_ELEMENT_SIZE = re.compile(r"(elem(ent)?|item|type|scalar)_?(size|bytes)$", re.IGNORECASE)
_BITS = re.compile(r"(^|_)n?(um_?)?bits?(_?(rate|width|depth|size|count))?$|^(n|num)bits?$", re.IGNORECASE)


def _can_truncate(value: Syntax, body: Body) -> bool:
    above, below = value.child("left"), value.child("right")
    if value.kind != "binary_expression" or value.op != "/" or above is None or below is None:
        return False
    fixed = above.kind == "number_literal" and "." not in above.text and above.text.rstrip("uUlL").isdigit()
    free = below.kind in ("identifier", "field_expression") and below.text not in body.scope.outline.constants
    known = below.text in body.function.template or below.text.isupper() or "sizeof" in below.text
    static = any(number.kind == "number_literal" for number in body.scope.values.get(below.text, []))
    if not fixed or not free or known or static:
        return False
    count = int(above.text.rstrip("uUlL"))
    if count >= LARGEST_BITS and _BITS.search(below.text):
        return False
    cap = Caps(program_of(body.scope.outline), body.function, value.start).of(below)
    if cap is not None and cap <= count:
        return False
    return count > 1 and (count < LARGEST_ELEMENT or _ELEMENT_SIZE.search(below.text) is None)


def _zero_division(name: str, value: Syntax, body: Body) -> Syntax | None:
    """A division by the variable behind the assignment, with no test or clamp of it on the way."""
    for node in body.nodes:
        if node.start <= value.end:
            continue
        condition = node.child("condition")
        if condition is not None and name in names_in(condition):
            return None
        right = node.child("right")
        if node.kind == "assignment_expression" and node.child("left") is not None and right is not None:
            target = node.child("left")
            if target is not None and target.text == name and re.search(r"max|\?", right.text):
                return None
        if node.kind == "binary_expression" and node.op in ("/", "%") and right is not None and right.text == name:
            return node
        if node.kind == "call_expression" and _divides_in_call(node, name):
            return node
    return None


def _divides_in_call(node: Syntax, name: str) -> bool:
    callee, arguments = node.child("function"), node.child("arguments")
    if callee is None or arguments is None or len(arguments.children) != 2:
        return False
    divides = re.search(r"div_?up|ceil_?div|div_?round", callee.text, re.IGNORECASE) is not None
    return divides and arguments.children[1].text == name


def empty_sums(outline: Outline) -> Iterator[GuardIssue]:
    """`total / sum` where both add up the same loaded values from zero: 0 / 0 where all are zero."""
    for body in bodies(program_of(outline), ("kernel",)):
        sums = _sums_from_zero(body)
        for node in body.nodes:
            above, below = node.child("left"), node.child("right")
            if node.kind != "binary_expression" or node.op != "/" or above is None or below is None:
                continue
            if (
                above.text in sums
                and below.text in sums
                and above.text != below.text
                and not is_tested(below.text, body)
            ):
                yield GuardIssue(body.function, node, f"`{_short(node)}` is 0 / 0 where every value is zero")


def _sums_from_zero(body: Body) -> set[str]:
    zero = {n for n, vs in body.scope.values.items() if len(vs) == 1 and re.fullmatch(r"\(?0?\.?0*f?\)?", vs[0].text)}
    found: set[str] = set()
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and node.op == "+=" and left is not None and right is not None:
            loaded = any(
                part.kind == "subscript_expression" and not _is_of_weights(part, body) for part in right.walk()
            )
            if left.text in zero and loaded and not re.search(r"exp", right.text):
                found.add(left.text)
    return found


def _is_of_weights(element: Syntax, body: Body) -> bool:
    """An element of `float weight[] = {0.375f, 0.25f, 0.0625f}`: numbers of the kernel, none of them zero."""
    array = element.child("argument")
    values = body.scope.values.get(array.text, []) if array is not None else []
    listed = [v for v in values if v.kind == "initializer_list"]
    numbers = [number for v in listed for number in v.children if number.kind != "comment"]
    fixed = all(n.kind == "number_literal" and re.search(r"[1-9]", n.text.partition("e")[0]) for n in numbers)
    return len(listed) == len(values) == 1 and bool(numbers) and fixed


def is_tested(name: str, body: Body) -> bool:
    """Some condition, maximum or small constant stands against zero; of a copy is enough."""
    copies = _copies(name, body)
    for node in body.nodes:
        condition = node.child("condition")
        if condition is not None and (name in names_in(condition) or any(c in condition.text for c in copies)):
            return True
        callee = node.child("function")
        if (
            node.kind == "call_expression"
            and callee is not None
            and _SAFE.search(callee.text)
            and name in names_in(node)
        ):
            return True
        if node.kind == "assignment_expression" and node.child("left") is not None and _SAFE.search(node.text):
            left = node.child("left")
            if left is not None and left.text == name:
                return True
    return False


def _copies(name: str, body: Body) -> list[str]:
    """What is set to the value, converted at most."""
    found = []
    for node in body.nodes:
        left, right = node.child("left"), node.child("right")
        if node.kind == "assignment_expression" and node.op == "=" and left is not None and right is not None:
            kinds = {part.kind for part in right.walk()}
            if name in names_in(right) and kinds.isdisjoint({"binary_expression", "conditional_expression"}):
                found.append(left.text)
    return [text for text in found if text != name]


def complement_divisors(outline: Outline) -> Iterator[GuardIssue]:
    """`a / (1 - b)` with a loaded b that can be 1."""
    for body in bodies(program_of(outline), ("kernel", "device")):
        for node in body.nodes:
            below = node.child("right")
            if node.kind != "binary_expression" or node.op != "/" or below is None or below.op != "-":
                continue
            one, other = below.child("left"), below.child("right")
            if one is None or other is None or not re.fullmatch(r"1(\.0*)?f?", one.text):
                continue
            values = body.scope.values.get(other.text, []) if other.kind == "identifier" else [other]
            loaded = len(values) == 1 and values[0].kind == "subscript_expression"
            if loaded and not is_tested(other.text, body):
                yield GuardIssue(
                    body.function, below, f"`{_short(below)}` is zero where {other.text} is 1, and divides"
                )


def _short(node: Syntax) -> str:
    return " ".join(node.text.split())[:60]
