"""Logarithms of what ordinary inputs make infinite or zero.

y = logf(1.f + expf(x));                                inf beyond 88, where the result is x
loss = t * logf(p) + (1 - t) * logf(1.f - p);           p = 0 or 1 gives 0 * inf, which is NaN
entropy -= p * logf(p);                                 the same for p = 0, where the limit is 0
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.precision.float_patterns import is_exponential, is_tested
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.scopes import POINTER, uncast
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_LOG = re.compile(r"^(::|std::)?(__)?h?log(2|10)?f?$")
_LOG1P = re.compile(r"^(::|std::)?log1pf?$")
_ONE = re.compile(r"1(\.0*)?f?")
_BOUNDS = re.compile(r"-|abs|min|clamp|threshold|limit", re.IGNORECASE)


def overflowing_softplus(outline: Outline) -> Iterator[GuardIssue]:
    """`log(1 + exp(x))` of an x that nothing bounds."""
    program = program_of(outline)
    for body in bodies(program):
        for node in body.nodes:
            exponential = _exponential_beside_one(node, body)
            if exponential is not None and not _is_bounded(exponential, node, body, program):
                text = f"`{short(node)}` is inf where `{short(exponential)}` overflows, beyond 88"
                yield GuardIssue(body.function, node, text)


def _exponential_beside_one(node: Syntax, body: Body) -> Syntax | None:
    """The exponential of `log(1 + exp(x))` and `log1p(exp(x))`, also through a variable."""
    argument, name = _argument(node)
    if argument is None:
        return None
    if _LOG1P.match(name):
        return _exponential(argument, body)
    left, right = argument.child("left"), argument.child("right")
    if not _LOG.match(name) or argument.op != "+" or left is None or right is None:
        return None
    for one, other in ((left, right), (right, left)):
        if _ONE.fullmatch(uncast(one).bare):
            return _exponential(other, body)
    return None


def _argument(node: Syntax) -> tuple[Syntax | None, str]:
    callee, arguments = node.child("function"), node.child("arguments")
    if node.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) != 1:
        return None, ""
    return uncast(arguments.children[0]), callee.text


def _exponential(node: Syntax, body: Body) -> Syntax | None:
    node = uncast(node)
    values = body.scope.values.get(node.text, []) if node.kind == "identifier" else [node]
    return values[0] if len(values) == 1 and is_exponential(values[0]) else None


def _is_bounded(exponential: Syntax, node: Syntax, body: Body, program: Program) -> bool:
    """A sign, a clamp, or a condition of the function or around its calls keeps the exponent small."""
    exponent = exponential.child("arguments") or exponential
    read = _read(exponent)
    texts = [exponential.text, *(value.text for name in read for value in body.scope.values.get(name, []))]
    if any(map(_BOUNDS.search, texts)) or any(_asks(other, read) for other in body.nodes):
        return True
    given = read & set(body.scope.parameters)
    return bool(given) and body.function.role == "device" and _is_called_on_condition(body, given, program)


def _read(node: Syntax) -> set[str]:
    """The variables and elements that a value is made of, without those that say which element."""
    if node.kind in ("subscript_expression", "field_expression", "identifier"):
        return {node.bare}
    callee = node.child("function")
    return set().union(*(_read(child) for child in node.children if child is not callee)) if node.children else set()


def _asks(node: Syntax, read: set[str]) -> bool:
    condition = node.child("condition")
    if node.kind not in ("if_statement", "conditional_expression") or condition is None:
        return False
    return not read.isdisjoint(_read(condition))


def _is_called_on_condition(body: Body, given: set[str], program: Program) -> bool:
    """`x > 20.f ? x : softplus(x)`."""
    places = [place for place, name in enumerate(body.scope.parameters) if name in given]
    for call in program.callers(body.function.name.rpartition("::")[2]):
        read = set().union(*(_read(call.arguments[place]) for place in places if place < len(call.arguments)))
        if any(_asks(node, read) for node in call.function.body.walk()):
            return True
    return False


def unbounded_logarithms(outline: Outline) -> Iterator[GuardIssue]:
    """`log(p)` and `log(1 - p)` of a loaded p: one of them is infinite where p is 0 or 1."""
    for body in bodies(program_of(outline)):
        plain: dict[str, Syntax] = {}
        complements: set[str] = set()
        for node in body.nodes:
            argument, name = _argument(node)
            if argument is None or not (_LOG.match(name) or _LOG1P.match(name)) or _is_floored(node, body):
                continue
            if _LOG.match(name):
                plain.setdefault(argument.bare, node)
                complements |= _complement(argument)
            elif argument.op == "-" and len(argument.children) == 1:
                complements.add(argument.children[0].bare)
        for of in sorted(complements & set(plain)):
            if _is_loaded(of, body) and not is_tested(of, body) and not any(_asks(n, {of}) for n in body.nodes):
                node = plain[of]
                text = f"`{short(node)}` and the logarithm of 1 - {of}: one is infinite where {of} is 0 or 1"
                yield GuardIssue(body.function, node, text)


def vanishing_products(outline: Outline) -> Iterator[GuardIssue]:
    """`p * log(p)`, or `p * (log(p) - log(q))`, of a loaded p, or one that an exponential is in: 0 * inf where p is 0."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            factors = [_positive(factor) for factor in _factors(node)] if node.op == "*" else []
            whole = body.parents.get(id(node))
            if not factors or (whole is not None and whole.kind == "binary_expression" and whole.op == "*"):
                continue
            for term in (term for factor in factors for term in _terms(factor)):
                argument, name = _argument(_positive(term))
                if argument is None or not _LOG.match(name) or argument.bare not in {f.bare for f in factors}:
                    continue
                of = argument.bare
                given = _is_loaded(of, body) or _is_of_exponential(argument, body)
                if given and not is_tested(of, body) and not any(_asks(n, {of}) for n in body.nodes):
                    yield GuardIssue(body.function, node, f"`{short(node)}` is 0 * inf, and NaN, where {of} is 0")
                    break


def _factors(node: Syntax) -> Iterator[Syntax]:
    if node.kind == "binary_expression" and node.op == "*":
        for child in node.children:
            yield from _factors(child)
    else:
        yield node


def _terms(factor: Syntax) -> Iterator[Syntax]:
    """The factor, or what it is a sum or a difference of."""
    factor = uncast(factor)
    if factor.kind == "binary_expression" and factor.op in ("+", "-"):
        for child in factor.children:
            yield from _terms(child)
    else:
        yield factor


def _positive(factor: Syntax) -> Syntax:
    """What stands behind a sign and casts."""
    factor = uncast(factor)
    if factor.kind == "unary_expression" and factor.op == "-" and factor.children:
        return _positive(factor.children[-1])
    return factor


def _is_of_exponential(argument: Syntax, body: Body) -> bool:
    """`p = expf(x - m) / sum`: zero where x is far below."""
    values = body.scope.values.get(argument.text, []) if argument.kind == "identifier" else []
    single = len(values) == 1 and argument.text not in body.scope.grown
    factor = values[0] if single else None
    while factor is not None and factor.op in ("/", "*") and factor.kind == "binary_expression":
        factor = factor.child("left")
    return factor is not None and is_exponential(uncast(factor))


def _complement(argument: Syntax) -> set[str]:
    one, other = argument.child("left"), argument.child("right")
    if argument.op != "-" or one is None or other is None or not _ONE.fullmatch(uncast(one).bare):
        return set()
    return {other.bare}


def _is_floored(node: Syntax, body: Body) -> bool:
    """`fmaxf(logf(p), -100.f)`."""
    for parent, _ in body.ancestors(node):
        callee = parent.child("function")
        if callee is not None and re.search(r"max|clamp", callee.text):
            return True
    return False


def _is_loaded(of: str, body: Body) -> bool:
    """An element of memory that the kernel is given, as it is."""
    values = body.scope.values.get(of, [])
    element = re.fullmatch(r"(\w+)\[.*\]", of if not values else uncast(values[0]).bare)
    if len(values) > 1 or element is None or of in body.scope.grown:
        return False
    made = body.scope.values.get(element[1], [])
    names = {element[1]} if not made else set().union(*map(names_in, made))
    return not names.isdisjoint(name for name in body.scope.parameters if body.scope.types.get(name) == POINTER)
