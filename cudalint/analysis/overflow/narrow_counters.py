"""Places in the launch that a function keeps in 32 bits although their bound has 64, and another one keeps them in 64.

for (int i = first; i < count; i += step) y[i] = x[i];           // int64_t count
for (int64_t i = first; i < count; i += step) sum += x[i];       // elsewhere in the file
int end = count - first > INT_MAX ? INT_MAX : count - first;     // the kernel itself knows that it may be as large
for (int i = first; i < count; i += step)                        // size_t step: whoever wrote that counts in 64 bits
y + i * width                                                    // many times the bound, in 32 bits
store(y, i, x[i]);   void store(float *y, int64_t i, float v)    // who chooses the element does so in 64 bits
fill(x, x.numel()), nnz, num_elements                            // the bound counts the elements of an array
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.overflow.element_counts import (
    LARGE,
    counted_elements,
    handed_on,
    is_large_product,
    is_of_sizes,
    may_be_large,
)
from cudalint.analysis.overflow.wide_places import place_in_64_bits
from cudalint.analysis.text.addressed import SMALLEST, bytes_of_element
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, closure_of, names_in, short
from cudalint.analysis.text.magnitude import SMALL, VAGUE, is_stride, largest_of
from cudalint.analysis.text.scopes import INT, POINTER, UNSIGNED, WIDE, kind_of, uncast
from cudalint.analysis.text.tail_patterns import worked_out
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax

_CUT = re.compile(r"static_cast<(std::)?int(32_t)?>\s*\(\s*blockIdx|\((std::)?int(32_t)?\)\s*blockIdx")  # on purpose
ARRAY_BYTES = 2.0**34  # of one array: what nobody but its index says is larger
_LARGEST = re.compile(r"\bINT_?(32_)?MAX\b|\b0x7[fF]{7}\b|\b2147483647\b|numeric_limits<(std::)?int(32_t)?>::max")


@dataclass(frozen=True, slots=True)
class _Counter:
    body: Body
    name: str
    kind: str
    bound: str
    chosen: bool = False  # the instance of the template says how many bits the bound has


def narrow_counters(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each narrow variable that comes from the launch, is compared with a bound of 64 bits and is an index."""
    found = [counter for body in bodies(program_of(outline), ("kernel", "device")) for counter in _counters(body)]
    wide = {key: c for c in reversed(found) if c.kind == WIDE and not c.chosen for key in ((c.name, ""), ("", c.bound))}
    for counter in found:
        if counter.kind in (INT, UNSIGNED) and not is_stride(counter.bound):
            yield from _issue(counter, wide)  # what is counted up to a stride are the elements of one row


def _issue(counter: _Counter, wide: dict[tuple[str, str], _Counter]) -> Iterator[GuardIssue]:
    about = _told(counter, wide) if counter.kind == INT else None
    if about is not None:
        value = counter.body.scope.values[counter.name][0]
        has = "may have" if counter.chosen else "has"
        text = f"`{counter.name}` has 32 bits and counts up to `{counter.bound}`, which {has} 64"
        use = _use(counter, made=False)
        yield GuardIssue(counter.body.function, value, text, about, behind=() if use is None else (use,))
    elif _is_wide_parameter(counter) and (product := _product(counter)) is not None:
        text = f"`{short(product)}` has 32 bits, and `{counter.name}` counts up to `{counter.bound}`, which has 64"
        yield GuardIssue(counter.body.function, product, text, counter.body.scope.values[counter.name][0])


def _told(counter: _Counter, wide: dict[tuple[str, str], _Counter]) -> Syntax | None:
    """What says that the bound may be larger than the variable, where the variable chooses an element."""
    if counter.chosen:
        return _wide_step(counter) or _of_elements(counter)
    if (call := place_in_64_bits(counter.name, counter.bound, counter.body)) is not None:
        return call
    stepped, many = _wide_step(counter), _product_of_sizes(counter)
    if stepped or many or counter.bound in counter.body.scope.parameters:
        twin = wide.get(("", counter.bound)) or wide.get((counter.name, ""))
        beside = None if twin is None or twin.body.function.name == counter.body.function.name else twin
        beside = None if beside is not None and _counts_a_row(counter) else beside
        about = (stepped or _asked(counter) or many) if beside is None else beside.body.scope.values[beside.name][0]
        vague = beside is not None and largest_of(counter.bound)[1] is VAGUE
        made = (vague or many is not None) and _passes(counter)
        if about is not None and (stepped or _use(counter, made) is not None):
            return about
    return _of_elements(counter)


def _is_wide_parameter(counter: _Counter) -> bool:
    return not counter.chosen and counter.bound in counter.body.scope.parameters


def _of_elements(counter: _Counter) -> Syntax | None:
    """The bound counts the elements of an array that fits into the memory of a device when they are 2^31."""
    body = counter.body
    direct = _use(counter, made=False)
    use = direct or _use(counter, _passes(counter)) or handed_on(counter.name, body)
    if use is None or _bytes_at(use, body) * LARGE > ARRAY_BYTES:
        return None
    bound = next((limit for limit in body.scope.limits[counter.name] if limit.text == counter.bound), None)
    each = direct is not None and not _is_row(counter)
    said = None if bound is None else counted_elements(bound, body, each)
    return said if bound is not None and may_be_large(bound, use, body) else None


def _is_row(counter: _Counter) -> bool:
    """The variable is multiplied by a size: there are fewer of what it counts than elements."""
    products = (node for node in counter.body.nodes if node.kind == "binary_expression" and node.op == "*")
    factors = (names_in(node) for node in products if any(child.text == counter.name for child in node.children))
    return any(names != {counter.name} for names in factors)


def _counts_a_row(counter: _Counter) -> bool:
    """The bound is how far the rows are apart that places of the launch choose, `out + row * length`: no row is as long."""
    body = counter.body
    for node in body.nodes:
        sides = (
            [uncast(child) for child in node.children] if node.kind == "binary_expression" and node.op == "*" else []
        )
        others = [side.text for side in sides if side.text != counter.bound]
        if len(sides) == 2 and len(others) == 1 and others[0] != counter.name and _is_place(others[0], body):
            return True
    return False


def _is_place(name: str, body: Body) -> bool:
    return name in body.scope.values and _is_placed(name, body)


def _bytes_at(use: Syntax, body: Body) -> int:
    """The fewest bytes of an element there."""
    added = [child for child in use.children if kind_of(child, body.scope) != POINTER]
    return bytes_of_element(added[-1], body.parents, body.scope) if added else SMALLEST


def _wide_step(counter: _Counter) -> Syntax | None:
    """What is added to the variable is itself kept in 64 bits, in a variable of the function or by a cast."""
    for step in counter.body.scope.steps.get(counter.name, []):
        added = step.children[-1]
        counted = added.kind == "identifier" or any(uncast(each) is not each for each in added.walk())
        if step.op == "+=" and counted and kind_of(added, counter.body.scope) == WIDE:
            return step
    return None


def _product_of_sizes(counter: _Counter) -> Syntax | None:
    """The bound is a product of sizes with 64 bits that is beyond 32 in ordinary use: it is computed to be that large."""
    body = counter.body
    values = body.scope.values.get(counter.bound, [])
    fixed = len(values) == 1 and counter.bound not in body.scope.grown
    bound = values[0] if fixed else next((n for n in body.scope.limits[counter.name] if n.text == counter.bound), None)
    return bound if bound is not None and is_large_product(bound, body) else None


def _asked(counter: _Counter) -> Syntax | None:
    """Where the kernel compares its bound with the largest number of 32 bits."""
    for node in counter.body.nodes:
        if node.kind == "binary_expression" and node.op in (">", ">=", "<", "<="):
            if _LARGEST.search(node.text) and counter.bound in names_in(node):
                return node
    return None


def _product(counter: _Counter) -> Syntax | None:
    """The variable times a parameter of 32 bits, or one letter of the template, that is no small number by its name."""
    scope = counter.body.scope
    for node in counter.body.nodes:
        if node.kind == "binary_expression" and node.op == "*" and kind_of(node, scope) in (INT, UNSIGNED):
            others = [each.text for each in node.children if each.text != counter.name]
            given = len(others) == 1 and (others[0] in scope.parameters or _is_letter(others[0], counter.body))
            if given and len(node.children) == 2 and largest_of(others[0])[1] is not SMALL:
                return node
    return None


def _is_letter(name: str, body: Body) -> bool:
    return len(name) == 1 and name.isupper() and name in body.function.template


def _counters(body: Body) -> Iterator[_Counter]:
    for name in sorted(body.scope.limits.keys() & body.scope.values.keys()):
        limits = [each for each in body.scope.limits[name] if each.kind == "identifier" or is_of_sizes(each, body)]
        wide = next((each.text for each in limits if kind_of(each, body.scope) == WIDE), None)
        bound = wide or next((each.text for each in limits if _is_of_chosen_type(each, body)), None)
        if bound is None or _is_chosen_by_instance(name, body):
            continue
        if _is_placed(name, body) and not _CUT.search(body.scope.values[name][0].text):
            yield _Counter(body, name, body.scope.types.get(name, ""), bound, chosen=wide is None)


def _is_of_chosen_type(bound: Syntax, body: Body) -> bool:
    """A parameter whose type is an argument of the template."""
    if bound.text not in body.scope.parameters:
        return False
    written = body.function.parameters[body.scope.parameters.index(bound.text)].child("type")
    return written is not None and written.text in body.function.template


def _is_chosen_by_instance(name: str, body: Body) -> bool:
    """`const IdType index = ...` of a template: whoever has so many takes a wider type."""
    types = "|".join(sorted(map(re.escape, body.function.template)))
    text = body.function.body.text if types else ""
    return bool(types) and re.search(rf"\b(?:{types})\s+(?:const\s+)?{name}\b", text) is not None


def _is_placed(name: str, body: Body) -> bool:
    """It begins at the place of the thread in the whole launch, perhaps somewhere on."""
    closure = closure_of(name, body) | {name}
    return any("blockIdx" in value.text for each in closure for value in body.scope.values.get(each, []))


def _passes(counter: _Counter) -> bool:
    """It is no number of a block alone, of which there are fewer than 2^31."""
    scope = counter.body.scope
    return counter.name in scope.grown or any("*" in value.text for value in scope.values[counter.name])


def _use(counter: _Counter, made: bool) -> Syntax | None:
    """An element whose index is the variable, or a sum with it; or any that arithmetic `made` of it chooses."""
    name, body = counter.name, counter.body
    names = worked_out(name, body) if made else {name}
    for node in body.nodes:
        index = node.children[-1] if node.kind == "subscript_expression" and node.children else None
        if node.kind == "binary_expression" and node.op == "+" and kind_of(node, body.scope) == POINTER:
            index = node
        if index is not None and (
            name in map(_text, _terms(index)) or (made and not names.isdisjoint(names_in(index)))
        ):
            return node
    return None


def _text(node: Syntax) -> str:
    return node.text


def _terms(node: Syntax) -> Iterator[Syntax]:
    node = uncast(node)
    if node.kind == "binary_expression" and node.op in ("+", "-"):
        for child in node.children:
            yield from _terms(child)
    elif node.kind == "subscript_argument_list" and node.children:
        yield from _terms(node.children[0])
    else:
        yield node
