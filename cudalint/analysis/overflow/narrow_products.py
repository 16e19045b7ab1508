"""Products of sizes that are computed in 32 bits and then address or allocate memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from cudalint.analysis.overflow.launched_products import (
    is_checked_in_launch,
    is_counted_wide,
    launched_product,
)
from cudalint.analysis.overflow.moved_pointers import accesses_through
from cudalint.analysis.overflow.permitted_sizes import is_asked_before, is_permitted_to_wrap
from cudalint.analysis.overflow.widened_siblings import WidenedSiblings
from cudalint.analysis.text.addressed import bytes_of_element
from cudalint.analysis.text.launch_text import launches_of
from cudalint.analysis.text.magnitude import (
    FIXED,
    IMAGE,
    POSITIONS,
    ROW,
    SMALL,
    VAGUE,
    Size,
    Term,
    counts_tokens,
    is_plain,
    largest_of,
    largest_term,
    magnitude,
    names_of,
    roles_of,
    value_of,
)
from cudalint.analysis.text.magnitude import UNKNOWN as UNKNOWN_SIZE
from cudalint.analysis.text.scopes import INT, POINTER, UNKNOWN, UNSIGNED, WIDE, Scope, kind_of, kind_of_type
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Program, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction
from cudalint.source import Span

LIMITS = {INT: 2.0**31, UNSIGNED: 2.0**32}
_SIDES = re.compile(r"[hwHW]")  # of an image
_SHARED = re.compile(r"(^|_)(s|sh|sm|smem|shm|shared|tile|scratch)(_|$)|smem|shared|[tT]ile", re.IGNORECASE)
_FOR_READERS = re.compile(r"(print|dump|debug)", re.IGNORECASE)  # nobody reads 2^31 numbers
ARRAY_BYTES = 2.0**34  # of one array: what nobody but its index says is larger
TOLD = 2.0**26  # what is known of a size is not all: a product that the file widens elsewhere counts from here on
SIZED_CALLS = ("malloc", "memcpy", "memset", "calloc", "memmove", "fread", "fwrite")


@dataclass(frozen=True, slots=True)
class NarrowProduct:
    """`bound` is the largest ordinary term; `sink` says what the value is used for, at `uses`.

    `sibling` is what the file computes in 64 bits although it is like this product.
    """

    expression: Syntax
    function: TextFunction
    kind: str
    size: Size
    bound: Term
    sink: str
    uses: tuple[Span, ...]
    sibling: Syntax | None = None
    again: bool = False  # the sibling is no smaller, for the same memory or of the same place
    plain: bool = False  # of sides of a tensor in a launch of the file, which nothing else says are large
    tokens: bool = False  # a token for each block, times a size that nothing is said of
    beyond: bool = False  # each array that it addresses has more than ARRAY_BYTES before the product wraps
    reached: tuple[
        Span, ...
    ] = ()  # the accesses through the pointers that it moves, where these are all that uses them
    home: bool = False  # it is kept in 64 bits, in device code or for it: who wrote that knows how large it gets


def narrow_products(outline: Outline) -> Iterator[NarrowProduct]:
    """Each maximal sum of products once, where it is larger than its type in ordinary use."""
    program = program_of(outline)
    siblings = WidenedSiblings(program)
    for function in outline.functions:
        if "*" in function.body.text and _FOR_READERS.match(function.name.rpartition("::")[2]) is None:
            for product in _in_function(program, function, siblings):
                if _is_of_one_accessor(product, program.scope(function)):
                    continue
                plain = _is_of_plain_tensor(product, function, program)
                sibling = product.sibling or siblings.of(product.expression, function)
                tokens = _is_of_tokens(product, program.scope(function))
                again = product.sibling is not None
                yield replace(product, sibling=sibling, again=again, plain=plain, tokens=tokens)


def _is_of_one_accessor(product: NarrowProduct, scope: Scope) -> bool:
    """At most the sides of a tensor behind an accessor of 32 bits: the library refuses one with 2^31 elements."""
    for coefficient, factors in product.bound:
        sides = [_OF_ACCESSOR.fullmatch(name) for name, _ in factors]
        owners = {side["batched"] or side["owner"] for side in sides if side is not None}
        once = coefficient <= 1 and all(power <= 1 for _, power in factors)
        if once and None not in sides and len(owners) == 1:
            (owner,) = owners
            return scope.structures.get(owner, "").endswith("Accessor32")
    return False


_OF_ACCESSOR = re.compile(r"batch of (?P<batched>\w+)|(?P<owner>\w+)\.size\(\d\)")


def _is_of_tokens(product: NarrowProduct, scope: Scope) -> bool:
    """`token * d` with a token for each block: a row of numbers for each of a large number of tokens."""
    tokens = {
        node.text
        for node in product.expression.walk()
        if node.kind == "identifier" and counts_tokens(node.text) and _BLOCK.fullmatch(_value_of(node.text, scope))
    }
    others = [name for name in names_of(product.bound) if POSITIONS.fullmatch(name) is None]
    return bool(tokens) and len(others) == 1 and largest_of(others[0]) == (UNKNOWN_SIZE, VAGUE)


def _value_of(name: str, scope: Scope) -> str:
    """The only value that a variable has, as it is written."""
    values = scope.values.get(name, [])
    return values[0].text if len(values) == 1 and name not in scope.grown else ""


_BLOCK = re.compile(r"(\w+\s*\(|\(\w+\)|static_cast<\w+>\()?\s*blockIdx\s*\.\s*x\s*\)?")


def _is_of_plain_tensor(product: NarrowProduct, function: TextFunction, program: Program) -> bool:
    """Sides of a tensor with no other name than `rows` and `cols`, in a kernel that computes nothing in 64 bits."""
    names = [name for name in names_of(product.bound) if POSITIONS.fullmatch(name) is None]
    launches = launches_of(function.name.rpartition("::")[2], program)
    from_tensors = bool(launches) and all(_TENSOR.search(each.function.body.text) for each in launches)
    text = " ".join((*(parameter.text for parameter in function.parameters), function.body.text))
    places = len(names) < len(names_of(product.bound))
    told = places and any(_is_of_named_rows(each.grid[0]) for each in launches)
    return from_tensors and not told and all(map(is_plain, names)) and _WIDENS.search(text) is None


def _is_of_named_rows(side: Syntax | None) -> bool:
    """The grid has a block for each of something that comes in large numbers: tokens, words of a vocabulary."""
    names = () if side is None else re.findall(r"[A-Za-z_]\w*", side.text)
    return any(largest_of(name)[1] is ROW and not is_plain(name) for name in names)


_TENSOR = re.compile(r"\.size\s*\(|\.sizes\s*\(\)|\.numel\s*\(\)")
_WIDENS = re.compile(
    r"(\(|<)\s*(size_t|u?int64_t|(unsigned )?long( long)?|ptrdiff_t)\s*(\)|>\s*\()|\b(size_t|u?int64_t|long long)\s+\w"
)


def _in_function(program: Program, function: TextFunction, siblings: WidenedSiblings) -> Iterator[NarrowProduct]:
    parents: dict[int, Syntax] = {}
    products: list[Syntax] = []
    for node in function.body.walk():
        for child in node.children:
            parents[id(child)] = node
        if node.kind == "binary_expression" and node.op == "*":
            products.append(node)
    if not products:
        return
    scope = program.scope(function)
    sizes = Sizes(program, function)
    seen: set[int] = set()
    for node in products:
        whole, kind = _maximal(node, parents, scope)
        if id(whole) in seen or kind not in LIMITS:
            continue
        seen.add(id(whole))
        twin = siblings.twin(node, function) or siblings.whole(node, function)
        launched = launched_product(whole, function, program) if twin is None else None
        twin = twin or launched
        total = _is_wide_total(whole, parents, scope)
        if is_permitted_to_wrap(whole, LIMITS[kind], parents, program, function):
            large = sizes.of(whole)
            bound = largest_term(large)
            yield NarrowProduct(whole, function, kind, large, bound, "size", (whole.span,), sibling=twin, home=True)
            continue
        if function.role == "host" and is_asked_before(whole, function):
            continue
        if magnitude(sizes.of(whole)) <= (TOLD if twin is not None or total else LIMITS[kind]):
            continue
        sink, uses = _sink(whole, parents, scope)
        if not sink and twin is not None and _is_of_pointer(whole, parents):
            sink, uses = "offset", (whole,)
        if sink in ("", "bound") and launched is not None and _is_kept_bound(whole, parents, scope):
            sink, uses = "bound", (whole,)
        if not sink or (sink == "index" and (function.role == "host" or _too_large(kind, uses, parents))):
            continue
        if sink != "size" and is_checked_in_launch(whole, function, program, LIMITS[kind]):
            continue
        size = _where_used(whole, kind, uses, program, function, twin is not None or total)
        if size is not None and (sink != "bound" or uses == (whole,) or ROW in roles_of(largest_term(size))):
            bytes_ = min((bytes_of_element(use, parents, scope) for use in uses), default=0)
            beyond = sink in ("index", "offset") and LIMITS[kind] * bytes_ > ARRAY_BYTES
            places = tuple(use.span for use in uses)
            through = [accesses_through(use, parents, scope) for use in uses] if sink == "offset" else []
            reached = tuple(access.span for each in through for access in each) if all(through) else ()
            several = function.role == "host" and len(names_of(largest_term(size))) > 2
            home = _is_kept_wide(whole, parents, scope, program) and (several or _has_sizes(largest_term(size)))
            yield NarrowProduct(
                whole,
                function,
                kind,
                size,
                largest_term(size),
                sink,
                places,
                sibling=twin,
                beyond=beyond,
                reached=reached,
                home=home or total,
            )


def _is_kept_wide(node: Syntax, parents: dict[int, Syntax], scope: Scope, program: Program) -> bool:
    """`int64_t at = row * columns + column` in device code, and `return row * columns` of a function that gives 64 bits.

    In host code `int64_t total = n * c * h * w`, up to which a kernel counts in 64 bits.
    """
    if scope.function.role == "host":
        parent = parents.get(id(node))
        declared = parent.child("declarator") if parent is not None and parent.kind == "init_declarator" else None
        wide = declared is not None and scope.types.get(declared.text) == WIDE
        return declared is not None and wide and is_counted_wide(declared.text, scope.function, program)
    if _direct_sink(node, parents, scope) != "size":
        return False
    while (parent := parents.get(id(node))) is not None and (
        parent.kind == "conditional_expression" or (parent.kind == "binary_expression" and parent.op in ("+", "-"))
    ):
        node = parent
    if parent is None or parent.kind in ("argument_list", "binary_expression"):
        return False
    return parent.kind != "assignment_expression" or parent.op == "="


def _is_wide_total(node: Syntax, parents: dict[int, Syntax], scope: Scope) -> bool:
    """`int64_t total = rows * columns;` of two sizes that the kernel is given, up to which a variable of 64 bits counts."""
    parent = parents.get(id(node))
    declared = parent.child("declarator") if parent is not None and parent.kind == "init_declarator" else None
    if declared is None or scope.function.role == "host" or scope.types.get(declared.text) != WIDE:
        return False
    factors = node.children if node.op == "*" else ()
    sizes = all(f.text in scope.parameters and largest_of(f.text)[1] not in (SMALL, IMAGE) for f in factors)
    counted = any(
        scope.types.get(name) == WIDE and declared.text in (limit.text for limit in limits)
        for name, limits in scope.limits.items()
    )
    return len(factors) == 2 and sizes and counted


def _is_of_pointer(node: Syntax, parents: dict[int, Syntax]) -> bool:
    """`void *out = begin + row * bytes`, where nothing is known of `begin` itself."""
    summed = False
    while (parent := parents.get(id(node))) is not None and parent.op == "+":
        node, summed = parent, True
    declared = parent.child("declarator") if parent is not None and parent.kind == "init_declarator" else None
    return summed and declared is not None and declared.kind == "pointer_declarator"


def _has_sizes(bound: Term) -> bool:
    """Two sizes at least that are neither small by their names nor sides of an image or matrix, beside places and constants."""
    _, factors = min(bound, key=lambda monomial: (value_of(monomial), monomial), default=(1.0, ()))
    names = [name for name, exponent in factors if exponent > 0 and not name.startswith("fixed:")]
    sizes = [name for name in names if POSITIONS.fullmatch(name) is None and largest_of(name)[0] != FIXED]
    plain = [name for name in sizes if is_plain(name) or _SIDES.fullmatch(name)]
    return sum(largest_of(name)[1] not in (SMALL, IMAGE) for name in sizes if name not in plain) > 1


def _too_large(kind: str, uses: tuple[Syntax, ...], parents: dict[int, Syntax]) -> bool:
    """2^32 elements that have members or elements of their own are beyond the memory of a device."""
    return kind == UNSIGNED and bool(uses) and all(_is_composite(use, parents) for use in uses)


def _is_composite(use: Syntax, parents: dict[int, Syntax]) -> bool:
    node = use
    while (parent := parents.get(id(node))) is not None and node.kind != "subscript_expression":
        node = parent
    member = parent.child("field") if parent is not None and parent.kind == "field_expression" else None
    if parent is None or node.kind != "subscript_expression" or parent.child("argument") is not node:
        return False
    return parent.kind == "subscript_expression" or (member is not None and member.text not in ("x", "y", "z", "w"))


def _where_used(
    node: Syntax, kind: str, uses: tuple[Syntax, ...], program: Program, function: TextFunction, told: bool
) -> Size | None:
    """The size with what is checked on the way to the first use that lets it be too large, or is `told` to be."""
    for use in uses:
        sizes = Sizes(program, function, use.start)
        cap = sizes.caps.of(node)
        size = sizes.of(node)
        if (cap is None or cap > LIMITS[kind]) and (told or magnitude(size) > LIMITS[kind]):
            return size
    return None


def _maximal(node: Syntax, parents: dict[int, Syntax], scope: Scope) -> tuple[Syntax, str]:
    """The arithmetic around a product as far as it stays in 32 bits, and its kind."""
    kind = kind_of(node, scope)
    if kind == UNKNOWN:
        kind = _kind_of_home(node, parents, scope)
    while kind in LIMITS:
        parent = parents.get(id(node))
        if parent is None or parent.kind != "binary_expression" or parent.op not in ("+", "-", "*"):
            break
        outer = kind_of(parent, scope)
        if outer not in LIMITS:
            break
        node, kind = parent, outer
    return node, kind


def _kind_of_home(node: Syntax, parents: dict[int, Syntax], scope: Scope) -> str:
    """Where a factor's type is not known, the 32-bit variable that holds the result says that it is narrow."""
    top = node
    while (parent := parents.get(id(top))) is not None and parent.kind == "binary_expression":
        if kind_of(parent, scope) != UNKNOWN or parent.op not in ("+", "-", "*"):
            return UNKNOWN
        top = parent
    if parent is not None and parent.kind == "init_declarator":
        name = parent.child("declarator")
        declared = scope.types.get(name.text, UNKNOWN) if name is not None else UNKNOWN
        known = {kind_of(part, scope) for part in node.children}
        return declared if declared in LIMITS and known & {INT, UNSIGNED} else UNKNOWN
    return UNKNOWN


# --- what the value is used for ---------------------------------------------------------------------------------------


def _sink(node: Syntax, parents: dict[int, Syntax], scope: Scope) -> tuple[str, tuple[Syntax, ...]]:
    """`index`, `offset` or `size` with the places of use, or nothing."""
    direct = _direct_sink(node, parents, scope)
    if direct:
        return direct, (node,)
    while (parent := parents.get(id(node))) is not None and parent.kind == "binary_expression":
        if parent.op not in ("+", "-", "*"):
            return "", ()
        node = parent
    if parent is None:
        return "", ()
    name = None
    if parent.kind == "init_declarator":
        declared = parent.child("declarator")
        name = declared.text if declared is not None else None
    elif parent.kind == "assignment_expression" and parent.op in ("=", "+=") and parent.child("right") is node:
        left = parent.child("left")
        name = left.text if left is not None and left.kind == "identifier" else None
    if name is None:
        return "", ()
    return _uses(name, parents, scope, 0)


def _direct_sink(node: Syntax, parents: dict[int, Syntax], scope: Scope) -> str:
    widened = False
    while True:
        parent = parents.get(id(node))
        if parent is None:
            return ""
        if parent.kind == "subscript_expression":
            return "index" if parent.child("argument") is not node and _is_memory(parent, scope) else ""
        if parent.kind == "binary_expression" and parent.op in ("+", "-", "*"):
            other = parent.child("left") if parent.child("right") is node else parent.child("right")
            kind = kind_of(other, scope) if other is not None else UNKNOWN
            widened = widened or kind == WIDE
            if kind == POINTER and parent.op != "*":
                return "offset" if other is not None and _is_large(other.text) else ""
            node = parent
            continue
        if parent.kind == "conditional_expression" and parent.child("condition") is not node:
            node = parent
            continue
        if parent.kind == "binary_expression":
            return "" if widened else _counted(node, parent, scope)
        return _sink_of_statement(node, parent, parents, scope)


def _counted(node: Syntax, parent: Syntax, scope: Scope) -> str:
    """The upper side of a comparison in device code; a share of the work by place that is divided after it has wrapped."""
    larger = parent.child("right") if parent.op in ("<", "<=") else parent.child("left")
    if parent.op in ("<", "<=", ">", ">=") and larger is node and scope.function.role != "host":
        return "bound"
    divisor = parent.child("right")
    shared_out = divisor is not None and "gridDim" in divisor.text and "blockIdx" in node.text
    if parent.op == "/" and parent.child("left") is node and shared_out:
        return "quotient"
    return ""


def _is_kept_bound(node: Syntax, parents: dict[int, Syntax], scope: Scope) -> bool:
    """`int total = rows * columns;` with which a place in the launch is compared."""
    parent = parents.get(id(node))
    declared = parent.child("declarator") if parent is not None and parent.kind == "init_declarator" else None
    bounds = (limit.text for limits in scope.limits.values() for limit in limits)
    return declared is not None and declared.text in bounds


def _is_below_counter(bound: Syntax, parents: dict[int, Syntax], scope: Scope) -> bool:
    """What is compared with the bound is worked out by the function itself: what a caller gives may count anything."""
    node = bound
    while (parent := parents.get(id(node))) is not None and parent.op not in ("<", "<=", ">", ">="):
        node = parent
    if parent is None:
        return False
    names = {each.text for side in parent.children if side is not node for each in side.walk()}
    return not names.isdisjoint(scope.values.keys() - set(scope.parameters))


def _is_memory(subscript: Syntax, scope: Scope) -> bool:
    base = subscript.child("argument")
    if base is None or base.kind != "identifier":
        return base is None or _is_large(base.text)
    return _is_large(base.text) and _is_pointed(base.text, scope) and not _is_shared(base.text, scope)


def _is_shared(name: str, scope: Scope) -> bool:
    return re.search(rf"__shared__[^;{{]*\b{re.escape(name)}\s*\[", scope.function.body.text) is not None


def _is_pointed(name: str, scope: Scope) -> bool:
    return scope.types.get(name, POINTER) in (POINTER, UNKNOWN)


def _is_large(name: str) -> bool:
    """Not shared memory by its name."""
    return _SHARED.search(name) is None


def _sink_of_statement(node: Syntax, parent: Syntax, parents: dict[int, Syntax], scope: Scope) -> str:
    if parent.kind == "init_declarator":
        declared = parent.child("declarator")
        if declared is not None and _is_sum(node) and scope.types.get(declared.text.lstrip("* ")) == POINTER:
            return "offset"  # `float *row = matrices.first + r * columns;`, whatever the member is
        return "size" if declared is not None and scope.types.get(declared.text) == WIDE else ""
    if parent.kind == "assignment_expression" and parent.child("right") is node:
        left = parent.child("left")
        if left is None:
            return ""
        if (parent.op in ("+=", "-=") or _is_sum(node)) and kind_of(left, scope) == POINTER:
            return "offset"
        return "size" if kind_of(left, scope) == WIDE else ""
    if parent.kind == "argument_list":
        call = parents.get(id(parent))
        callee = call.child("function") if call is not None else None
        name = callee.text.lower() if callee is not None else ""
        return "size" if any(word in name for word in SIZED_CALLS) else ""
    if parent.kind == "return_statement":
        return "size" if kind_of_type(scope.function.result, scope.outline) == WIDE else ""
    return ""


def _is_sum(node: Syntax) -> bool:
    return node.kind == "binary_expression" and node.op in ("+", "-")


def _uses(name: str, parents: dict[int, Syntax], scope: Scope, depth: int) -> tuple[str, tuple[Syntax, ...]]:
    """Where the variable, or one made of it, addresses memory."""
    found: list[Syntax] = []
    sink = ""
    for node in scope.function.body.walk():
        if node.kind != "identifier" or node.text != name:
            continue
        parent = parents.get(id(node))
        if parent is not None and parent.kind == "init_declarator" and parent.child("declarator") is node:
            continue
        direct = _direct_sink(node, parents, scope)
        bounds = direct == "bound" and _is_below_counter(node, parents, scope)
        if bounds or direct in ("index", "offset") or (direct == "size" and scope.function.role == "host"):
            sink = direct if not sink or sink == "bound" else sink
            found.append(node)
        elif depth < 2:
            further, places = _through_variable(node, name, parents, scope, depth)
            sink = further if further and (not sink or sink == "bound") else sink
            found += places
    return sink, tuple(dict.fromkeys(found))


def _through_variable(
    node: Syntax, name: str, parents: dict[int, Syntax], scope: Scope, depth: int
) -> tuple[str, tuple[Syntax, ...]]:
    while (parent := parents.get(id(node))) is not None and parent.kind == "binary_expression":
        if parent.op not in ("+", "-"):
            return "", ()
        node = parent
    if parent is None or parent.kind != "init_declarator":
        return "", ()
    declared = parent.child("declarator")
    if declared is None or declared.kind != "identifier" or declared.text == name:
        return "", ()
    return _uses(declared.text, parents, scope, depth + 1)
