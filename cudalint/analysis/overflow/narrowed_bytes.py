"""Sizes in bytes that are computed in 64 bits and kept in 32, and then make, clear or copy memory.

const size_t cells = (size_t)nx * ny * nz;
const unsigned bytes = cells * sizeof(float);        // the author counts cells in 64 bits: there may be more than 2^30
cudaMalloc(&field, bytes);                            // a small piece of what is used
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.overflow.narrow_products import LIMITS
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in, short
from cudalint.analysis.text.magnitude import magnitude
from cudalint.analysis.text.scopes import INT, UNSIGNED, WIDE, leaves, uncast
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax

_OF_MEMORY = re.compile(
    r"(cuda|hip|cu)Mem(cpy|set)\w*|(cuda|hip|cu)Malloc\w*|(cuda|hip|cu)MemAlloc\w*|mem(cpy|set)|\w*[aA]lloc\w*"
)
_WIDENED = re.compile(
    r"(?:static_cast\s*<|\()\s*(?:std::)?(?:size_t|u?int64_t|(?:unsigned\s+)?long\s+long|ptrdiff_t)\s*[>)]"
)
_CHECKS = re.compile(r"assert\w*$|(?:^|_)D?CHECK\w*$|_ASSERT$|_ENFORCE\w*$|require|ensure", re.IGNORECASE)
_WITH_ZERO = re.compile(r"^[\w.]+(?:==|<=|<|!=|>)0[uUlL]*$|^[\w.]+<1[uUlL]*$")
_ENDS = re.compile(r"\b(?:throw|return|exit|abort|goto|terminate)\b")
_ASKED = re.compile(r"INT_?(32_)?MAX|numeric_limits<\s*(std::)?u?int|0x[7f]f{7}|2147483647|4294967295", re.IGNORECASE)


def narrowed_bytes(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each variable; certain where the text allows more than it holds, or widens a product on the way."""
    if "sizeof" not in outline.root.text:
        return
    program = program_of(outline)
    for body in bodies(program, ("host",)):
        for name, values in body.scope.values.items():
            kind = body.scope.types.get(name)
            if kind not in (INT, UNSIGNED) or len(values) != 1 or name in body.scope.grown:
                continue
            wide = _wide_count(values[0], body)
            use = _use(name, body) if wide is not None else None
            if wide is None or use is None or _ASKED.search(body.function.body.text):
                continue
            if _is_checked({name, *names_in(values[0])}, body, program):
                continue
            sizes = Sizes(program, body.function, use.start)
            cap = sizes.caps.of(values[0])
            if cap is not None and cap <= LIMITS[kind]:
                continue
            certain = cap is not None or (_is_widened(wide, body) and magnitude(sizes.of(values[0])) > LIMITS[kind])
            text = f"`{name}` keeps 32 bits of the size in bytes `{short(values[0])}`"
            yield GuardIssue(body.function, values[0], text, use, certain=certain)


def _is_checked(names: set[str], body: Body, program: Program) -> bool:
    """A condition leaves the function early, which names the count or the bytes, or what is made of the count."""
    scope = body.scope
    told = names | {n for n, values in scope.values.items() if any(names & _sized(value) for value in values)}
    leaving = [node for node in body.nodes if _leaves_early(node)]
    if any(not told.isdisjoint(_sized(node.children[0])) for node in leaving):
        return True
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind != "call_expression" or callee is None or arguments is None:
            continue
        if _CHECKS.search(callee.text) and not told.isdisjoint(names_in(arguments)):
            return True
        if any(uncast(given).text in told for given in arguments.children) and _leaves(callee.text, program):
            return True
    return False


def _sized(node: Syntax) -> set[str]:
    """The names in a condition or value, but for what calls that make or fill memory get, and for what is compared with zero."""
    callee = node.child("function")
    if callee is not None and _OF_MEMORY.fullmatch(callee.text.rpartition("::")[2]):
        return set()
    if node.op == "!" or _WITH_ZERO.search(node.bare):
        return set()
    return set[str]().union({node.text} if node.kind == "identifier" else (), *map(_sized, node.children))


def _leaves_early(node: Syntax) -> bool:
    """An `if` whose branch returns, throws or ends the program."""
    taken = node.child("consequence") if node.kind == "if_statement" else None
    return taken is not None and (leaves(taken) or _ENDS.search(taken.text) is not None)


def _leaves(callee: str, program: Program) -> bool:
    """A function of the file that gives nothing back, and throws or ends the program in a condition."""
    name = callee.rpartition("::")[2]
    own = [f for f in program.outline.functions if f.role == "host" and f.name.rpartition("::")[2] == name]
    return any(f.result == "void" and any(_leaves_early(node) for node in f.body.walk()) for f in own)


def _wide_count(value: Syntax, body: Body) -> Syntax | None:
    """The variable of 64 bits that is multiplied by the size of an element, without a cast that says that it is cut."""
    if value.kind != "binary_expression" or value.op != "*" or "sizeof" not in value.text:
        return None
    names = (node for node in value.walk() if node.kind == "identifier")
    return next((name for name in names if body.scope.types.get(name.text) == WIDE), None)


def _is_widened(count: Syntax, body: Body) -> bool:
    """Its value is a product that a cast takes to 64 bits."""
    values = body.scope.values.get(count.text, [])
    return len(values) == 1 and "*" in values[0].text and _WIDENED.search(values[0].text) is not None


def _use(name: str, body: Body) -> Syntax | None:
    """A call that makes, clears or copies as many bytes."""
    for node in body.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and callee is not None and arguments is not None:
            given = any(uncast(argument).text == name for argument in arguments.children)
            if given and _OF_MEMORY.fullmatch(callee.text.rpartition("::")[2]):
                return node
    return None
