"""What a file computes in 64 bits beside a product that it leaves in 32: the author knows how large the memory gets.

k + int64_t(row) * stride_k        mask + row * stride_mask
x + int64_t(row) * int64_t(cols)   w + group * rows * cols
const int64_t s01 = nb1 / 2;       const int s31 = nb3 / 2;  launched with s31, which the kernel multiplies
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import positions_of
from cudalint.analysis.text.magnitude import FIXED, SMALL, largest_of, magnitude
from cudalint.analysis.text.scopes import COORDINATES, INT, POINTER, UNKNOWN, UNSIGNED, WIDE, Scope, kind_of, uncast
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Program
from cudalint.ir.syntax import Syntax, TextFunction

LARGE = 2.0**31
NARROW = (INT, UNSIGNED)
_STRIDE = re.compile(r"stride|pitch|(^|_)ld[a-z]?(_|$)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")


class WidenedSiblings:
    """The products of a file that a cast widens, by what they multiply."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._widened: dict[str, Syntax] = {}
        self._wide: dict[str, Syntax] = {}
        self._cast_products: dict[str, list[tuple[Syntax, TextFunction]]] = {}  # each factor of which a cast widens
        self._cast_places: dict[tuple[int, str], Syntax] = {}  # products of a function whose place a cast widens
        self._cast_twins: dict[tuple[int, str], Syntax] = {}  # products of a function of which a cast widens one factor
        # products of which a cast widens a factor
        self._cast_elsewhere: dict[str, list[tuple[Syntax, TextFunction]]] = {}
        self._owners: dict[int, TextFunction] = {}  # of the products in `_wide`
        self._offsets: dict[tuple[int, str], Syntax] = {}
        self._cast_sizes: dict[tuple[int, str], Syntax] = {}  # of two sizes of a function, of which a cast widens one
        for function in program.outline.functions:
            if "*" in function.body.text:
                self._note(function)

    def of(self, product: Syntax, function: TextFunction) -> Syntax | None:
        """A product or a variable of 64 bits that is like a narrow product or one of its factors."""
        same = self._wide.get(_plain(product)) or self._beside(product, function)
        if same is not None:
            return same
        for name in _factors(product):
            found = self._widened.get(_family(name)) or self._of_argument(name, function)
            if found is not None:
                return found
        return None

    def twin(self, product: Syntax, function: TextFunction) -> Syntax | None:
        """What the author widened although it is no larger than this product of a place in the grid and a size.

        The same product in this function, with a cast, which is all that counts in host code; the same product of two
        parameters in another function, with a cast of both; the same product in a kernel of another name; or another product
        of the same place in this function.
        """
        again = self._cast_twins.get((id(function), _uncast(_parts_of(product))))
        if function.role == "host":
            return again
        scope, names = self._program.scope(function), _factors(product)
        places = positions_of(scope).intersection(names)
        if len(names) == 2 and set(names) <= set(scope.parameters):
            for cast, owner in self._cast_products.get(_plain(product), ()):
                if owner is not function and owner.role != "host":
                    return cast
        if again is not None:
            return again
        elsewhere = self.elsewhere(product, function)
        if elsewhere is not None:
            return elsewhere
        same = self._wide.get(_plain(product))
        if same is not None and self._owners[id(same)].name != function.name:
            sized = any(name in scope.parameters and largest_of(name)[1] is not SMALL for name in names)
            return same if sized and (places or "blockIdx" in product.text) else None
        for place in sorted(places):
            wide = self._cast_places.get((id(function), place))
            if wide is not None and len(_parts_of(product)) == 2 and not places.issuperset(names):
                sizes = Sizes(self._program, function)
                if magnitude(sizes.of(product)) >= max(LARGE, magnitude(sizes.of(wide))):
                    return wide
        return None

    def elsewhere(self, product: Syntax, function: TextFunction) -> Syntax | None:
        """The very same product of variables that a cast widens in another function of the file."""
        factors = [uncast(factor) for factor in _parts_of(product)]
        if any(factor.kind not in ("identifier", "field_expression") for factor in factors):
            return None
        if not any(_may_be_large(factor, function) for factor in factors):
            return None
        others = self._cast_elsewhere.get(_uncast(factors), ())
        return next((cast for cast, owner in others if owner is not function and owner.role != "host"), None)

    def _beside(self, product: Syntax, function: TextFunction) -> Syntax | None:
        """An offset or index of this function that a cast widens, with one of the sizes that are parameters and no small ones."""
        parameters = self._program.scope(function).parameters
        sizes = [name for name in _factors(product) if name in parameters and largest_of(name)[1] is not SMALL]
        return next(filter(None, (self._offsets.get((id(function), name)) for name in sizes)), None)

    def _note(self, function: TextFunction) -> None:
        scope = self._program.scope(function)
        inner: set[int] = set()  # products that are factors: a cast in one is there for the whole
        for node in function.body.walk():
            if node.kind == "binary_expression" and node.op == "*":
                inner.update(id(child) for child in node.children)
            if node.kind == "binary_expression" and node.op == "*" and kind_of(node, scope) == WIDE:
                if function.role != "host" and not any(uncast(f) is not f for f in _parts(node)):
                    self._owners.setdefault(id(self._wide.setdefault(_plain(node), node)), function)
            if node.kind == "binary_expression" and node.op == "*" and function.role == "host":
                if id(node) not in inner and _is_widened(node, scope):
                    self._cast_twins.setdefault((id(function), _uncast(_parts_of(node))), node)
            elif node.kind == "binary_expression" and node.op == "*":
                factors = _parts_of(node)
                if len(factors) == 2 and all(uncast(f) is not f and kind_of(f, scope) == WIDE for f in factors):
                    text = "*".join(uncast(factor).bare for factor in factors)
                    self._cast_products.setdefault(text, []).append((node, function))
                if id(node) not in inner and _is_widened(node, scope):
                    self._cast_twins.setdefault((id(function), _uncast(factors)), node)
                    self._cast_elsewhere.setdefault(_uncast(factors), []).append((node, function))
                    self._note_sizes(node, factors, function, scope)
                for factor in _parts(node):
                    if uncast(factor) is not factor and kind_of(factor, scope) == WIDE:
                        self._cast_places.setdefault((id(function), uncast(factor).text), node)
            offset = node.kind == "binary_expression" and node.op == "+" and kind_of(node, scope) == POINTER
            if not offset and node.kind != "subscript_expression":
                continue
            for product in _products(node if offset else _index(node)):
                if _is_widened(product, scope):
                    for name in _factors(product):
                        self._offsets.setdefault((id(function), name), product)
                        if offset and _STRIDE.search(name):
                            self._widened.setdefault(_family(name), product)

    def _note_sizes(self, node: Syntax, factors: list[Syntax], function: TextFunction, scope: Scope) -> None:
        """`(int64_t)rows * columns`: as many elements has every array with such rows, or with such columns."""
        names = [uncast(factor).text for factor in factors]
        if len(names) == 2 and all(name in scope.parameters and largest_of(name)[1] is not SMALL for name in names):
            for name in names:
                self._cast_sizes.setdefault((id(function), name), node)

    def whole(self, product: Syntax, function: TextFunction) -> Syntax | None:
        """The number of elements that the function computes in 64 bits, of which a size is the factor of a single place."""
        parameters = self._program.scope(function).parameters
        parts = [uncast(part) for part in _parts_of(product)]
        if len(parts) != 2 or any(part.kind != "identifier" for part in parts):
            return None
        sizes = [part.text for part in parts if part.text in parameters]
        return self._cast_sizes.get((id(function), sizes[0])) if len(sizes) == 1 else None

    def _of_argument(self, name: str, function: TextFunction) -> Syntax | None:
        """A caller keeps the variables that are called like its argument in 64 bits, and narrows this one."""
        parameters = self._program.scope(function).parameters
        if name not in parameters:
            return None
        position = parameters.index(name)
        for call in self._program.callers(function.name.rpartition("::")[2]):
            scope = self._program.scope(call.function)
            given = call.arguments[position].text if position < len(call.arguments) else ""
            values = scope.values.get(given, [])
            if scope.types.get(given) not in NARROW or not any(kind_of(value, scope) == WIDE for value in values):
                continue
            for other in sorted(scope.types):
                alike = other != given and _DIGITS.sub("", other) == _DIGITS.sub("", given) != other
                if alike and scope.types[other] == WIDE and scope.values.get(other):
                    return scope.values[other][0]
        return None


def _plain(product: Syntax) -> str:
    return product.bare


def _uncast(factors: list[Syntax]) -> str:
    """The factors in any order, without casts."""
    return "*".join(sorted(uncast(factor).bare for factor in factors))


def _family(name: str) -> str:
    return "stride" if _STRIDE.search(name) else name


def _products(node: Syntax) -> Iterator[Syntax]:
    """The products among the terms of a sum."""
    if node.kind == "binary_expression" and node.op in ("+", "-"):
        for child in node.children:
            yield from _products(child)
    elif node.kind == "binary_expression" and node.op == "*":
        yield node


def _may_be_large(factor: Syntax, function: TextFunction) -> bool:
    """No place or size of the launch, no constant and no argument of the template, and not small by its name."""
    largest, role = largest_of(factor.text)
    of_launch = COORDINATES.fullmatch(factor.text) is not None or factor.text in function.template
    return role is not SMALL and largest != FIXED and not of_launch


def _index(subscript: Syntax) -> Syntax:
    index = subscript.children[-1]
    return index.children[0] if index.kind == "subscript_argument_list" and index.children else index


def _is_widened(product: Syntax, scope: Scope) -> bool:
    """One factor is cast to 64 bits; without the cast the product would be narrow."""
    factors = list(_parts(product))
    cast = [f for f in factors if uncast(f) is not f and kind_of(f, scope) == WIDE]
    others = [kind_of(uncast(f), scope) for f in factors]
    return bool(cast) and all(kind in (*NARROW, UNKNOWN) for kind in others)


def _parts(node: Syntax) -> Iterator[Syntax]:
    if node.kind == "binary_expression" and node.op == "*":
        for child in node.children:
            yield from _parts(child)
    else:
        yield node


def _parts_of(product: Syntax) -> list[Syntax]:
    return list(_parts(product))


def _factors(product: Syntax) -> list[str]:
    return [node.text for node in product.walk() if node.kind == "identifier"]
