"""Guards that hold a place against another count than the one that the launch covers and the rows are made of.

k<<<dim3(ceil_div(m, 256), b), 256>>>(b, n, m, queries, points, out):
    i = blockIdx.x * blockDim.x + threadIdx.x;  if (i >= n) return;          m queries, and n points for each of them
    queries += blockIdx.y * m * 3 + i * 3;  for (k = 0; k < n; k++) ...
"""

from __future__ import annotations

from collections.abc import Iterator

from cudalint.analysis.coordinates.crossed_guards import guard_parts
from cudalint.analysis.text.guard_patterns import GuardIssue, names_in, short
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import leaves, uncast
from cudalint.analysis.text.tail_patterns import is_element, is_rounded_up, size_of_side, terms_of
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax


def launched_sides(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each kernel."""
    program = program_of(outline)
    told: set[int] = set()
    for launch, body in launched_kernels(program, outline):
        for axis, side in zip("xyz", launch.grid):
            if id(body.function) in told or side is None or not is_rounded_up(side, launch, program):
                continue
            covered = _covered(side, launch, body, program)
            found = _other_side(axis, covered, body) if covered is not None else None
            if covered is not None and found is not None:
                told.add(id(body.function))
                condition, place, bound, row = found
                text = f"`{short(condition)}` holds `{place}` against {bound}: the launch is for {covered}, as in `{short(row)}`"
                yield GuardIssue(body.function, condition, text, side, behind=(row,))


def _covered(side: Syntax, launch: TextLaunch, body: Body, program: Program) -> str | None:
    """The one parameter of the kernel that gets the size which this side of the grid covers."""
    value = size_of_side(side, program.scope(launch.function))
    names = set() if value is None else names_in(value)
    given = [n for n, a in zip(body.scope.parameters, launch.arguments) if a.kind == "identifier" and a.text in names]
    fixed = len(given) == 1 and given[0] not in body.scope.values and given[0] not in body.scope.grown
    return given[0] if fixed else None


def _other_side(axis: str, covered: str, body: Body) -> tuple[Syntax, str, str, Syntax] | None:
    """The guard, its place and bound, and the row that the place is an element of by its number of elements."""
    for node in body.nodes:
        condition, then = node.child("condition"), node.child("consequence")
        if node.kind != "if_statement" or condition is None or then is None:
            continue
        for part in guard_parts(condition, leaves(then)):
            bound = part.bound.text
            if bound == covered or bound not in body.scope.parameters or part.name not in body.positions:
                continue
            if bound in body.scope.values or not is_element(body.scope.values[part.name][0], axis):
                continue
            if not _is_compared(part.name, covered, body) and _is_counted(bound, body):
                row = _row(part.name, covered, body)
                if row is not None and _row(part.name, bound, body) is None:
                    return condition, part.name, bound, row
    return None


def _is_compared(place: str, covered: str, body: Body) -> bool:
    return any(
        node.op in ("<", "<=", ">", ">=", "==", "!=") and {place, covered} <= names_in(node) for node in body.nodes
    )


def _is_counted(bound: str, body: Body) -> bool:
    """A loop of each thread goes from zero up to the bound: what it counts are other elements than the threads are for."""
    for node in body.nodes:
        condition, start = node.child("condition"), node.child("initializer")
        if node.kind == "for_statement" and condition is not None and start is not None:
            left, right = condition.child("left"), condition.child("right")
            if condition.op == "<" and left is not None and right is not None and uncast(right).text == bound:
                if start.bare.rstrip(";").endswith(f"{left.text}=0"):
                    return True
    return False


def _row(place: str, size: str, body: Body) -> Syntax | None:
    """`batch * size * 3 + place * 3`: the place counts the elements of a row that has so many."""
    for node in body.nodes:
        parent = body.parents.get(id(node))
        if node.op != "+" or node.kind != "binary_expression" or (parent is not None and parent.op == "+"):
            continue
        factors = [_factors(term) for term in terms_of(node)]
        for own in factors:
            if place not in own:
                continue
            rest = sorted(factor for factor in own if factor != place)
            for other in factors:
                if size in other and other is not own:
                    left = list(other)
                    left.remove(size)
                    if all(factor in left for factor in rest) and len(left) > len(rest):
                        return node
    return None


def _factors(term: Syntax) -> list[str]:
    term = uncast(term)
    while term.kind == "parenthesized_expression" and term.children:
        term = uncast(term.children[0])
    if term.op == "*" and len(term.children) == 2:
        return [factor for child in term.children for factor in _factors(child)]
    return [term.bare]
