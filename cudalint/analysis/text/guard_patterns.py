"""Guards that the text shows to be wrong or missing: no extent is needed to see that two uses of one index disagree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cudalint.analysis.text.guard_conditions import guards_of
from cudalint.analysis.text.marks import marks_of
from cudalint.analysis.text.scopes import COORDINATES, INT, POINTER, UNSIGNED, WIDE, Scope, kind_of, leaves, uncast
from cudalint.analysis.text.text_program import CEIL, Body, Program, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_THREAD = re.compile(r"threadIdx\.[xyz]")
_POSITION = re.compile(r"\b(threadIdx|blockIdx)\b")
_TELLS_POSITION = re.compile(
    r"(\b|_)((thread|block|meta_group)_rank|(thread|group)_index|global_thread_(id|index|idx))$"
)
_COUNT = re.compile(
    r"(^|_|\.|>)(n|N|num|size|count|len|length|rows|cols|columns|width|height|total)(_|$)|[sS]ize$|[cC]ount$|[nN]um[A-Z]|"
    r"(rows|cols|len|width|height|elements|tokens|_dim|vocab_size|frames|frames_)$|(^|_)ne\d*$|(^|_|\.|>)n([A-Z]\w*|[a-z]+s)$|"
    r"(^|_)(vocab|bins|classes|experts|labels|nodes)$"
)
_LETTER = re.compile(r"[A-Z]")  # M, N, K: a size of the problem where it is a parameter
_SIZE_CALL = re.compile(r"(\.|->)(size|numel|length|elements)\(\)$")
_PART_OF_COUNT = re.compile(r"\d+[uUlL]*")
_SIDE_CALL = re.compile(r"\.size\(\w*\)$")
_CONSTANT_CALL = re.compile(r"[\w:]+\(\)|\w+\.meta_group_size\(\)")  # `warp_threads()`: the same for everybody
_BOUNDARY = re.compile(r"last|max|end|upper|limit|stop|final|high", re.IGNORECASE)
OFFSETS = re.compile(
    r"(^|row|col|ind|seg|page|batch|seq)_?ptrs?$|off|cum|scan|prefix|bound|start|begin|split|(^|_)cu_|hist|bin|edges",
    re.IGNORECASE,
)
_REPEATS = re.compile(r"rep|iter|trial|step|time|loop|round|warm|unroll", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GuardIssue:
    """`place` is what is wrong, `about` what it disagrees with, `behind` what is reached through it."""

    function: TextFunction
    place: Syntax
    text: str
    about: Syntax | None = None
    certain: bool = True
    behind: tuple[Syntax, ...] = ()


def bodies(program: Program, roles: tuple[str, ...] = ("kernel", "device")) -> Iterator[Body]:
    for function in program.outline.functions:
        if function.role in roles:
            yield _body(function, program)


def _body(function: TextFunction, program: Program) -> Body:
    if id(function) not in program.bodies:
        nodes = list(function.body.walk())
        parents = {id(child): node for node in nodes for child in node.children}
        scope = program.scope(function)
        program.bodies[id(function)] = Body(function, scope, parents, nodes, positions_of(scope))
    return program.bodies[id(function)]


def positions_of(scope: Scope) -> frozenset[str]:
    """Variables that are computed from the place in the launch alone."""
    if scope.positions is None:
        found: set[str] = set()
        for _ in range(3):
            for name, values in scope.values.items():
                if name not in found and len(values) == 1 and _is_position(values[0], found):
                    found.add(name)
        scope.positions = frozenset(found)
    return scope.positions


def _is_position(value: Syntax, known: set[str]) -> bool:
    calls = [n for n in value.walk() if n.kind == "call_expression"]
    told = [n for n in calls if _tells_position(n)]
    within = {id(inner) for call in told for inner in call.walk()}
    if any(n.kind in _NO_POSITION for n in value.walk()):
        return False
    if not all(id(call) in within or is_product(call) or _CONSTANT_CALL.fullmatch(call.text) for call in calls):
        return False
    return bool(told) or _POSITION.search(value.text) is not None or not known.isdisjoint(names_in(value))


def _tells_position(call: Syntax) -> bool:
    """`cg::this_grid().thread_rank()`: a function without arguments that says where the thread is."""
    callee, arguments = call.child("function"), call.child("arguments")
    plain = callee is not None and _TELLS_POSITION.search(callee.text) is not None
    return plain and (arguments is None or not arguments.children)


def is_product(call: Syntax) -> bool:
    callee = call.child("function")
    return (
        callee is not None and re.search(r"mul|^min$|^max$|_cast<|size_t|int", callee.text, re.IGNORECASE) is not None
    )


_NO_POSITION = {"subscript_expression", "conditional_expression", "pointer_expression"}


def names_in(node: Syntax) -> set[str]:
    """Identifiers, and `threadIdx.x` and its like as one."""
    nodes = list(node.walk())
    found = {n.text for n in nodes if n.kind == "identifier"}
    return found | {n.text for n in nodes if n.kind == "field_expression" and COORDINATES.fullmatch(n.text)}


# --- a guard that lets one too many pass ---------------------------------------------------------------------------------


def inclusive_guards(outline: Outline) -> Iterator[GuardIssue]:
    """`if (i > n) return;` or `if (i <= n) x[i] = 0;` although i counts from zero and n is a number of elements."""
    for body in bodies(program_of(outline)):
        for node in body.nodes:
            for part, operators, end in guards_of(node, body):
                issue = _inclusive(part, operators, end, body)
                if issue is not None:
                    yield issue


def compared(condition: Syntax, operators: tuple[str, str]) -> tuple[Syntax, Syntax] | None:
    """What is compared and with what, where the operator is the first of the two, or the second with the sides exchanged."""
    left, right = condition.child("left"), condition.child("right")
    if condition.kind != "binary_expression" or left is None or right is None or condition.op not in operators:
        return None
    return (right, left) if condition.op == operators[1] else (left, right)


def _inclusive(condition: Syntax, operators: tuple[str, str], end: int, body: Body) -> GuardIssue | None:
    sides = compared(condition, operators)
    if sides is None:
        return None
    left, right = sides
    twin = _stops_earlier(condition, body)
    if not _is_name(left) or not (twin or is_count(right, body)):
        return None
    if _is_shifted(left.text, body) or knows_the_end(left.text, right.text, body):
        return None
    used = [use for use in indexed_with(left.text, body, condition.end) if use.start < end]
    used = used or [use for use in indexed_through(left.text, body, condition.end) if use.start < end]
    if not used or counts_ends(left.text, used, body) or _is_read_at(right.text, used, body):
        return None
    if (
        not twin
        and not is_placed(left.text, body)
        and not (_is_loaded(left.text, body) and (_scaled_in(used, left.text) or _is_kept_from_zero(left.text, body)))
    ):
        return None
    return GuardIssue(body.function, condition, f"`{condition.text}` lets {left.text} == {right.text} pass", used[0])


def _is_name(node: Syntax) -> bool:
    """A variable, or the place of the thread in the block as it is."""
    return node.kind == "identifier" or _THREAD.fullmatch(node.text) is not None


def is_placed(name: str, body: Body) -> bool:
    """Every variable of the name begins at the place in the launch."""
    if _THREAD.fullmatch(name):
        return True
    values = body.scope.values.get(name, [])
    return bool(values) and all(_is_position(value, set(body.positions)) for value in values)


def _stops_earlier(condition: Syntax, body: Body) -> bool:
    """Another loop of the function has the same head, and stops before the bound."""
    loop = body.parents.get(id(condition))
    if loop is None or loop.kind != "for_statement" or condition.op != "<=" or "Idx" in condition.text:
        return False
    head = _head(loop)
    twins = [n for n in body.nodes if n.kind == "for_statement" and n is not loop and _head(n) == head != ""]
    strict = [other for n in twins if (other := n.child("condition")) is not None and other.op == "<"]
    return any(re.sub(r"\s|<=?", "", c.text) == re.sub(r"\s|<=?", "", condition.text) for c in strict)


def _head(loop: Syntax) -> str:
    """How the loop begins and goes on, where it is not from one on."""
    start, step = loop.child("initializer"), loop.child("update")
    if start is None or step is None or re.search(r"=\s*1\b", start.text):
        return ""
    first = (start.text.rstrip(";").partition(",")[0], step.text.partition(",")[0])
    return re.sub(r"\s", "", ";".join(first))


def is_count_name(name: str) -> bool:
    return _COUNT.search(name) is not None


def is_count(bound: Syntax, body: Body) -> bool:
    """A number of elements by its name, or a whole part of one."""
    bound = uncast(bound)
    if bound.kind == "parenthesized_expression" and bound.children:
        return is_count(bound.children[0], body)
    if bound.kind == "binary_expression" and bound.op == "*":
        return _is_whole(bound, body)
    if bound.kind == "binary_expression" and bound.op == "/":
        left, right = bound.child("left"), bound.child("right")
        return left is not None and right is not None and _is_part(left, right, body)
    if bound.kind == "call_expression":
        return _SIZE_CALL.search(bound.text) is not None or _is_rounded_up(bound, body)
    if bound.kind not in ("identifier", "field_expression") or bound.text in body.positions:
        return False
    if _LETTER.fullmatch(bound.text):
        values = body.scope.values.get(bound.text, [])
        if len(values) == 1 and (_SIDE_CALL.search(values[0].text) or _is_whole(values[0], body)):
            return True  # N of `int N = B * T;`
        return bound.text in body.scope.parameters and body.scope.types.get(bound.text) in (INT, UNSIGNED, WIDE)
    return _COUNT.search(bound.text) is not None and _BOUNDARY.search(bound.text) is None


def _is_whole(product: Syntax, body: Body) -> bool:
    return product.op == "*" and all(is_count(factor, body) or _is_given(factor, body) for factor in product.children)


def _is_given(factor: Syntax, body: Body) -> bool:
    """A whole number that the function is given: as a factor beside others it is the length of one side."""
    given = factor.kind == "identifier" and factor.text in body.scope.parameters
    return given and body.scope.types.get(factor.text) in (INT, UNSIGNED, WIDE) and not _BOUNDARY.search(factor.text)


def _is_part(whole: Syntax, divisor: Syntax, body: Body) -> bool:
    return _PART_OF_COUNT.fullmatch(divisor.text) is not None and is_count(whole, body)


def _is_rounded_up(call: Syntax, body: Body) -> bool:
    """The number of vectors or tiles that a number of elements fills: `ceil_div(n, 4)`."""
    callee, arguments = call.child("function"), call.child("arguments")
    if callee is None or arguments is None or len(arguments.children) != 2 or not CEIL.search(callee.text):
        return False
    return is_count(arguments.children[0], body)


def _is_shifted(name: str, body: Body) -> bool:
    """The variable counts from one."""
    return any(re.search(r"\+\s*1\b(?!\s*\))", value.text) for value in body.scope.values.get(name, []))


def knows_the_end(name: str, bound: str, body: Body) -> bool:
    """The kernel treats the index that equals the bound on its own, or has rows that are one longer than the bound."""
    name, bound = re.escape(name), re.escape(bound)
    ends = re.compile(rf"^{name}\s*[=!]=\s*{bound}$|^{bound}\s*[=!]=\s*{name}$")
    rows = re.compile(rf"\*\s*\({bound}\s*\+\s*1\)$|^\({bound}\s*\+\s*1\)\s*\*")
    before = re.compile(rf"^\(?\s*({name}\s*<\s*{bound}|{bound}\s*>\s*{name})\s*\)?$")
    for node in body.nodes:
        if node.kind == "binary_expression" and (ends.match(node.text) or rows.search(node.text)):
            return True
        condition = node.child("condition")
        if node.kind == "conditional_expression" and condition is not None and before.match(condition.text):
            return True
    return False


def indexed_with(name: str, body: Body, after: int) -> list[Syntax]:
    """Subscripts and pointer offsets behind a place whose index mentions the variable, not reduced by one."""
    found: list[Syntax] = []
    for node in body.nodes:
        if node.start < after or node.text != name or not _is_name(node):
            continue
        for parent, child in body.ancestors(node):
            if parent.kind == "subscript_expression" and parent.child("argument") is not child:
                found.append(parent)
                break
            if parent.kind == "binary_expression" and parent.op in ("+", "*"):
                other = parent.child("left") if parent.child("right") is child else parent.child("right")
                if other is not None and parent.op == "+" and kind_of(other, body.scope) == POINTER:
                    found.append(parent)
                    break
                continue
            if parent.kind not in ("cast_expression", "binary_expression"):
                break
            if parent.kind == "binary_expression":
                break
    return found


def indexed_through(name: str, body: Body, after: int) -> Iterator[Syntax]:
    """The same for variables that are made of it, behind the place."""
    made, pending = {name}, [name]
    for source in pending:
        less = re.compile(rf"\b{re.escape(source)}\s*-")
        for other, values in body.scope.values.items():
            once = len(values) == 1 and other not in body.scope.grown and source not in body.scope.grown
            if other not in made and len(made) < 8 and any(_is_made_of(v, source, after, less, once) for v in values):
                made.add(other)
                pending.append(other)
                yield from indexed_with(other, body, after)


def _is_made_of(value: Syntax, name: str, after: int, less: re.Pattern[str], once: bool) -> bool:
    if once and value.op == "*" and any(part.text == name for part in value.children):
        return True  # a row or an offset that was worked out before the guard
    if value.kind == "binary_expression" and value.op == "+" and any(part.text == name for part in value.children):
        return True  # also where it stands before the guard, and whatever is added
    kinds = {n.kind for n in value.walk()}
    plain = kinds.isdisjoint({"call_expression", "subscript_expression", "conditional_expression"})
    return value.start > after and plain and name in names_in(value) and less.search(value.text) is None


def counts_ends(name: str, used: list[Syntax], body: Body) -> bool:
    """One of the arrays holds the ends of pieces, one more than there are pieces.

    Not where it is read at the next place too, or at the one before: the end of that is where a piece begins.
    """
    ends = [use for use in used if OFFSETS.search(_base_of(use)) and "*" not in use.children[-1].text]
    following = re.compile(rf"\b{re.escape(name)}\s*\+\s*1\b")
    before = re.compile(rf"\[\s*{re.escape(name)}\s*-\s*1\s*\]$")
    bases = {_base_of(use) for use in ends}
    from_before = any(
        n.kind == "subscript_expression" and before.search(n.text) and _base_of(n) in bases for n in body.nodes
    )
    return bool(ends) and not from_before and not any(following.search(use.text) for use in ends)


def _is_read_at(bound: str, used: list[Syntax], body: Body) -> bool:
    """One of the arrays is used at the bound itself, `cdf[n]`: it has one element more."""
    bases = {_base_of(use) for use in used}
    ends = (n for n in body.nodes if n.kind == "subscript_expression" and n.children[-1].bare.strip("[]") == bound)
    return bound not in body.scope.grown and any(_base_of(n) in bases for n in ends)


def _is_loaded(name: str, body: Body) -> bool:
    return any(value.kind == "subscript_expression" for value in body.scope.values.get(name, []))


def _is_kept_from_zero(name: str, body: Body) -> bool:
    """`b >= 0 && b <= bins`: who asks for both ends means a place."""
    lowest = re.compile(rf"{re.escape(name)}(>=0|<0)|0(<=|>){re.escape(name)}")
    return any(node.kind == "binary_expression" and lowest.fullmatch(node.bare) for node in body.nodes)


def _scaled_in(uses: list[Syntax], name: str) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\s*\*|\*\s*{re.escape(name)}\b", use.text) for use in uses)


def _base_of(use: Syntax) -> str:
    base = use.child("argument") or use.child("left")
    return base.text if base is not None else ""


# --- a guard that covers one access and not its neighbour ------------------------------------------------------------------


def unguarded_siblings(outline: Outline) -> Iterator[GuardIssue]:
    """A read with an index that elsewhere in the kernel is compared with the size first."""
    for body in bodies(program_of(outline), ("kernel",)):
        pointers = {n for n in body.scope.parameters if body.scope.types.get(n) == POINTER}
        candidates = (body.positions | {"threadIdx.x", "threadIdx.y"}) & body.scope.limits.keys()
        for name in sorted(candidates - body.scope.grown):
            guards = [g for g in comparisons_of(name, body) if g is not None]
            if not guards or any(g.leaving for g in guards):
                continue
            inside = [r for r in _reads(name, pointers, body) if is_guarded(r, name, body)]
            outside = [r for r in _reads(name, pointers, body) if not is_guarded(r, name, body)]
            if all(_is_for_neighbour(g.condition) for g in guards):  # it speaks of places like those that it guards
                outside = [r for r in outside if any(_place_of(r) == _place_of(other) for other in inside)]
            told = set().union(*(names_in(g.condition) for g in guards)) - {name, *name.split(".")}
            outside = [r for r in outside if not _is_in_row_of_number(r, name, told, body)]
            if not inside:  # what is written under the guard is no larger for the one who reads it
                kept = {_base_of(w) for w in _writes(name, pointers, body) if is_guarded(w, name, body)}
                inside = outside = [read for read in outside if _base_of(read) in kept]
            if inside and outside:
                text = f"`{outside[0].text}` is read without the guard `{guards[0].condition.text}`"
                yield GuardIssue(body.function, outside[0], " ".join(text.split())[:160], guards[0].condition)


def _is_in_row_of_number(read: Syntax, name: str, told: set[str], body: Body) -> bool:
    """`x[k * 128 + i]`, where guards speak of other sizes: how long the rows are is written there."""
    if not told.isdisjoint(names_in(read)):
        return False
    constants = body.scope.outline.constants
    for node in read.walk():
        parts = node.children if node.kind == "binary_expression" and node.op == "+" else []
        rows = (part for part in parts if part.kind == "binary_expression" and part.op == "*")
        if any(part.text == name for part in parts) and any(
            side.kind == "number_literal" or side.text in constants for row in rows for side in row.children
        ):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Comparison:
    condition: Syntax
    leaving: bool


def comparisons_of(name: str, body: Body) -> Iterator[Comparison | None]:
    for node in body.nodes:
        condition = node.child("condition")
        compared = [] if condition is None else [p for p in operands_of(condition) if _compares(p, name, body)]
        if condition is None or not compared:
            continue
        consequence, other = node.child("consequence"), node.child("alternative")
        leaving = node.kind == "if_statement" and consequence is not None and leaves(consequence)
        if not leaving and all(_is_from_below(part, name) for part in compared) and not _holds_read(other):
            continue
        yield Comparison(condition, leaving)


def _is_from_below(condition: Syntax, name: str) -> bool:
    """`i > first`: what is under it may be as far on as it likes."""
    left = condition.child("left")
    return left is not None and (left.text == name) == (condition.op in (">", ">="))


def _holds_read(node: Syntax | None) -> bool:
    return node is not None and any(inner.kind == "subscript_expression" for inner in node.walk())


def _compares(condition: Syntax, name: str, body: Body) -> bool:
    """The variable alone stands on one side, a parameter or its member on the other."""
    left, right = condition.child("left"), condition.child("right")
    if condition.kind != "binary_expression" or condition.op not in ("<", "<=", ">", ">=") or not left or not right:
        return False
    other = right if left.text == name else left
    given = set(body.scope.parameters)
    return name in (left.text, right.text) and bool(names_in(other)) and names_in(other) <= given


def _is_for_neighbour(condition: Syntax) -> bool:
    """`i < n - 1`: what it guards is not the element itself."""
    return any(part.kind == "binary_expression" and part.op in ("+", "-") for part in condition.walk())


def _place_of(read: Syntax) -> str:
    base = read.child("argument")
    return "".join(child.bare for child in read.children if child is not base)


def _writes(name: str, pointers: set[str], body: Body) -> Iterator[Syntax]:
    """Elements, or members of them, that are assigned where the index is the variable itself."""
    for node in body.nodes:
        left = node.child("left") if node.kind == "assignment_expression" else None
        while left is not None and left.kind == "field_expression":
            left = left.child("argument")
        base = left.child("argument") if left is not None and left.kind == "subscript_expression" else None
        if left is not None and base is not None and base.text in pointers and left.children[-1].text == name:
            yield left


def _reads(name: str, pointers: set[str], body: Body) -> Iterator[Syntax]:
    for node in body.nodes:
        base = node.child("argument")
        if node.kind != "subscript_expression" or base is None or base.text not in pointers:
            continue
        if not any(name in names_in(child) for child in node.children if child is not base):
            continue
        parent = body.parents.get(id(node))
        written = parent is not None and parent.kind == "assignment_expression" and parent.child("left") is node
        if not written and not (parent is not None and parent.kind == "pointer_expression" and parent.op == "&"):
            yield node


def is_guarded(node: Syntax, name: str, body: Body) -> bool:
    """Under any condition at all that mentions the variable, or what is made of it, or that is a flag.

    So is what only some blocks do: `blockIdx.x < gridDim.x - 1`.
    """
    marks = marks_of({name}, body)
    for parent, child in body.ancestors(node):
        condition = parent.child("condition")
        if condition is not None and child is not condition:
            mentioned = names_in(condition)
            if any(m.startswith("gridDim") for m in mentioned) and any(m.startswith("blockIdx") for m in mentioned):
                return True
            if name in mentioned or any(other in marks or name in closure_of(other, body) for other in mentioned):
                return True
        if parent.kind == "binary_expression" and parent.op in ("&&", "||") and parent.child("right") is child:
            return True
    return False


def closure_of(name: str, body: Body) -> set[str]:
    found: set[str] = set()
    pending = [name]
    while pending and len(found) < 40:
        for value in body.scope.values.get(pending.pop(), []):
            fresh = names_in(value) - found
            found |= fresh
            pending += sorted(fresh)
    return found


def operands_of(condition: Syntax) -> list[Syntax]:
    """What is joined by && and ||."""
    if condition.kind == "binary_expression" and condition.op in ("&&", "||"):
        return [part for child in condition.children for part in operands_of(child)]
    return [condition]


def short(node: Syntax) -> str:
    return " ".join(node.text.split())[:60]


Finder = Callable[[Outline], Iterator[GuardIssue]]
