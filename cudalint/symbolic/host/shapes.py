"""Sizes, ranks, strides and buffers of tensors and vectors, and what comparisons of their shapes say."""

from __future__ import annotations

from functools import reduce

from cudalint import ir
from cudalint.source import Span
from cudalint.symbolic.host.element_types import item_type
from cudalint.symbolic.host.evaluate import size_term
from cudalint.symbolic.host.made_filled import move
from cudalint.symbolic.host.names import pointee_of, simple_name
from cudalint.symbolic.host.site import Site
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.text import plain
from cudalint.symbolic.host.values import (
    APPROXIMATE,
    LARGEST_SIZE,
    NULL,
    SIZES,
    Address,
    Either,
    HostObject,
    Layout,
    Sizes,
    Tensor,
    Value,
)
from cudalint.symbolic.host_vocabulary import words
from cudalint.symbolic.walk import integers
from cudalint.term import (
    FALSE,
    TRUE,
    All,
    Any_,
    Number,
    Term,
    choice,
    conjunction,
    equal,
    free_symbols,
    multiply,
    negation,
    number,
    subtract,
    symbol,
)

_LARGEST_RANK = 8
_ORDINARY_RANK = 5
_RANKS_WITH_FORMATS = (4, 5)  # whose dimensions a memory format such as ChannelsLast may reorder


class Shapes:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._compared: dict[Term, list[Term]] = {}  # ranks of tensors whose shapes were compared

    def size(self, tensor: Tensor, args: list[Value], state: State) -> Value:
        if tensor.either is not None and tensor.like is None:
            cond, then, orelse = tensor.either
            sizes = [self.size(each, args, state) for each in (then, orelse)]
            if all(isinstance(size, Term) for size in sizes):
                return choice(cond, *(integers.as_integer(size) for size in sizes))  # type: ignore[arg-type]
        index = args[0] if args else None
        if index is None:
            return tensor.dims[0] if tensor.dims is not None and len(tensor.dims) == 1 else self.count(tensor, state)
        root = tensor.root()
        if not isinstance(index, Number):
            from_end = subtract(integers.as_integer(index), self.rank(root)) if isinstance(index, Term) else index
            if not isinstance(from_end, Number):
                return symbol(f"~{root.name}.size(?)#{self._site.world.count()}", 0, LARGEST_SIZE)
            index = from_end
        if root.dims is not None and -len(root.dims) <= index.value < len(root.dims):
            return root.dims[index.value]
        if root.last is not None and index.value == -1:
            return root.last
        if root.follows is not None and index.value >= 0:
            place = index.value - len(root.follows.first)
            if place < 0:
                return root.follows.first[index.value]
            return self.size(root.follows.tensor, [number(root.follows.rest + place)], state)
        named = self._named_size(root, str(index.value))
        rank = self.checked_rank(root, state) if index.value < 0 else None
        if rank is not None:
            return self._named_size(root, str(index.value + rank))
        declared = self._declared_rank(root, state) if index.value < 0 else None
        if declared is not None:
            self._declare(equal(named, self._named_size(root, str(index.value + declared[0]))), declared[1], state)
        return named

    def _named_size(self, tensor: Tensor, index: str) -> Term:
        return symbol(f"{tensor.root().name}.size({index})", 0, LARGEST_SIZE)

    def rank(self, tensor: Tensor) -> Term:
        root = tensor.root()
        return number(len(root.dims)) if root.dims is not None else symbol(f"{root.name}.dim()", 0, 64)

    def count(self, tensor: Tensor, state: State) -> Term:
        """The number of elements: the product of the sizes where the rank is known."""
        if tensor.count is not None:
            return tensor.count
        if tensor.either is not None and tensor.like is None:
            cond, then, orelse = tensor.either
            return choice(cond, self.count(then, state), self.count(orelse, state))
        root = tensor.root()
        if root.count is not None:
            return root.count
        if root.dims is not None:
            product = number(1)
            for dim in root.dims:
                product = multiply(product, dim)
            return product
        rank = self.checked_rank(root, state)
        if rank is not None:
            return self._product(root, rank, state)
        named = symbol(f"{root.name}.numel()", 0, LARGEST_SIZE)
        declared = self._declared_rank(root, state)
        if declared is not None:
            self._declare(equal(named, self._product(root, declared[0], state)), declared[1], state)
        return named

    def _product(self, root: Tensor, rank: int, state: State) -> Term:
        product = number(1)
        for index in range(rank):
            product = multiply(product, self._own_size(root, index, state))
        return product

    def dims(self, tensor: Tensor, state: State, rank: int | None) -> tuple[Term, ...] | None:
        """The sizes of a tensor of known rank; `rank` where the operation takes no other."""
        root = tensor.root()
        if root.dims is not None:
            return root.dims
        rank = rank or self.checked_rank(root, state)
        return None if rank is None else tuple(self._own_size(root, index, state) for index in range(rank))

    def _own_size(self, root: Tensor, index: int, state: State) -> Term:
        return integers.as_integer(self.size(root, [number(index)], state))  # type: ignore[arg-type]

    def checked_rank(self, root: Tensor, state: State) -> int | None:
        """The rank that the host code has checked, of this tensor or of one whose shape it compared with this one's."""
        path = [c.term for c in state.path]
        declared = self._site.world.declared_on(path)
        return self._rank_after(root, [term for term in path if term not in declared])

    def _declared_rank(self, root: Tensor, state: State) -> tuple[int, Span] | None:
        """The rank that only a declaration of an operator tells, with its place."""
        path = [c.term for c in state.path]
        declared = self._site.world.declared_on(path)
        rank = self._rank_after(root, path) if declared else None
        if rank is None:
            return None
        without = ((at, [o for o in path if o is not term]) for term, at in declared.items())
        needed = (at for at, others in without if self._rank_after(root, others) is None)
        return rank, next(needed, next(iter(declared.values())))

    def _declare(self, cond: Term, place: Span, state: State) -> None:
        """What follows from a declaration is declared as well."""
        if cond is not TRUE and all(known.term is not cond for known in state.path):
            state.assume(cond, "lasting")
            self._site.world.declared.setdefault(cond, place)

    def _rank_after(self, root: Tensor, path: list[Term]) -> int | None:
        """The rank that conditions tell."""
        rank = self.rank(root)
        implied = [
            open_ for term in path if isinstance(term, Any_) and (open_ := _left_of(term, path, rank)) is not None
        ]
        parts = {p for term in (*path, *implied) for p in (term.parts[0] if isinstance(term, All) else (term,))}
        same = [rank, *(other for other in self._compared.get(rank, ()) if equal(rank, other) in parts)]
        found = (r for r in range(_LARGEST_RANK) for term in same if equal(term, number(r)) in parts)
        return next(found, None)

    def _rank_if_known(self, tensor: Tensor, state: State) -> int | None:
        root = tensor.root()
        return len(root.dims) if root.dims is not None else self.checked_rank(root, state)

    def compared_shapes(self, stmt: ir.Call, name: str, args: list[Value], state: State) -> Term | None:
        """`a.sizes() == b.sizes()`, `a.sizes().equals(b.sizes())`, `a.is_same_size(b)`"""
        if name not in words().shape_comparisons or len(args) != 2:
            return None
        shapes = [self._shape_behind(stmt, position, arg, state) for position, arg in enumerate(args)]
        if any(shape is None for shape in shapes):
            return None
        same = self._same_shape(*(shape for shape in shapes if shape is not None))
        return negation(same) if name == "operator!=" else same

    def _same_shape(self, a: Sizes, b: Sizes) -> Term:
        """Whether two shapes agree, as far as a rank that tensors have goes."""
        ranks = [self._rank_of(sizes) for sizes in (a, b)]
        for rank, other in (ranks, ranks[::-1]):
            self._compared.setdefault(rank, []).append(other)
        known = next((len(sizes.dims) for sizes in (a, b) if sizes.dims is not None), None)
        indices = range(_ORDINARY_RANK if known is None else known)
        parts = [equal(self._size_at(a, index), self._size_at(b, index)) for index in indices]
        if known is None:
            parts += [equal(self._size_at(a, -1 - index), self._size_at(b, -1 - index)) for index in indices]
            counts = [
                symbol(f"{s.tensor.root().name}.numel()", 0, LARGEST_SIZE) for s in (a, b) if s.tensor is not None
            ]
            parts += [equal(*counts)] if len(counts) == 2 else []
        return conjunction(equal(*ranks), *parts)

    def _rank_of(self, sizes: Sizes) -> Term:
        if sizes.dims is not None:
            return number(len(sizes.dims))
        assert sizes.tensor is not None
        return self.rank(sizes.tensor)

    def _size_at(self, sizes: Sizes, index: int) -> Term:
        if sizes.dims is not None:
            return sizes.dims[index]
        assert sizes.tensor is not None
        return self._named_size(sizes.tensor, str(index))

    def _shape_behind(self, stmt: ir.Call, position: int, arg: Value, state: State) -> Sizes | None:
        if isinstance(arg, Address):
            arg = state.read(arg, pointee_of(stmt.args[position].type))
        if isinstance(arg, Tensor) and position < 2 and simple_name(stmt.function) == "is_same_size":
            root = arg.root()
            arg = Sizes(root.dims, root)
        told = isinstance(arg, Sizes) and arg.last is None and (arg.dims is not None or arg.tensor is not None)
        return arg if told else None  # type: ignore[return-value]

    def stride(self, tensor: Tensor, places: list[Value], state: State) -> Value | None:
        """Not negative, as ATen has it; the elements of a tensor that was not made here need not be dense.

        Of a dimension of one element torch takes any stride for dense: no index but 0 comes to it.
        """
        rank = self._rank_if_known(tensor, state)
        index = places[0].value if places and isinstance(places[0], Number) else None
        place = index + rank if index is not None and index < 0 and rank is not None else index
        if place is not None and rank is not None and 0 <= place < rank and self._is_checked_dense(tensor, state):
            sizes = (self._own_size(tensor.root(), other, state) for other in range(place + 1, rank))
            return reduce(multiply, sizes, number(1))
        if not _is_made_here(tensor):
            self._site.world.strided.add(tensor.storage)
        if place is None:
            return None
        if _is_made_here(tensor) and tensor.dims is not None and 0 <= place < len(tensor.dims):
            if len(tensor.dims) not in _RANKS_WITH_FORMATS or not self._site.world.formatted:
                return reduce(multiply, tensor.dims[place + 1 :], number(1))
        return self._named_stride(tensor, place)

    def is_dense(self, tensor: Tensor) -> Term:
        """What `x.is_contiguous()` says of a tensor, of which nothing is known but by a check."""
        return equal(symbol(f"{tensor.name}.is_contiguous()", 0, 1), number(1))

    def _is_checked_dense(self, tensor: Tensor, state: State) -> bool:
        wanted = self.is_dense(tensor)
        parts = (part for c in state.path for part in (c.term.parts[0] if isinstance(c.term, All) else (c.term,)))
        return any(part is wanted for part in parts)

    def _named_stride(self, tensor: Tensor, place: int) -> Term:
        return symbol(f"{tensor.root().name}.stride({place})", 0, LARGEST_SIZE)

    def _layout(self, tensor: Tensor, item: Term | None, state: State) -> Layout | None:
        """Sizes and strides of a tensor that somebody else made, where its rank is known."""
        if tensor.dims is not None or tensor.like is not None or tensor.count is not None or tensor.made_by:
            return None
        rank = self.checked_rank(tensor, state)
        if not rank or tensor.name.startswith(APPROXIMATE):
            return None
        places = range(rank - 1, -1, -1)
        sizes = tuple(self._named_size(tensor, str(place)) for place in places)
        return Layout(sizes, tuple(self._named_stride(tensor, place) for place in places), item_type(tensor), item)

    def data(self, tensor: Tensor, type_: ir.Pointer, state: State) -> Address | Either:
        """The buffer, or none of a tensor that only some paths have made."""
        if tensor.either is not None:
            cond, then, orelse = tensor.either
            return Either(cond, self.data(then, type_, state), self.data(orelse, type_, state))
        found = self._buffer(tensor, type_, state)
        return found if tensor.undefined in (FALSE, TRUE) else Either(tensor.undefined, NULL, found)

    def _buffer(self, tensor: Tensor, type_: ir.Pointer, state: State) -> Address:
        """The buffer; its size follows from the element type that the pointer has."""
        item = tensor.item or size_term(type_.element)
        thin = tensor.root().thin
        untyped = isinstance(type_.element, ir.Void) and tensor.item is None
        count = self.count(tensor, state) if not thin else None
        size = None if count is None or untyped else multiply(count, item)
        key = f"{tensor.storage} {size!r}"
        is_new = key not in self._site.buffers
        if is_new:
            made = tensor.made_by or f"tensor {plain(tensor.name)}"
            untold = f"the type of the elements of {plain(tensor.name)} is not checked"
            apart = f"the elements of {plain(tensor.root().name)} may lie apart, or in each other"
            why = apart if thin else untold
            items, given = count if untyped else None, not tensor.made_by and not tensor.root().made_by
            layout = self._layout(tensor, None if untyped else item, state)
            kind = "allocation" if tensor.root().shape_of is None else SIZES
            self._site.buffers[key] = HostObject(
                tensor.storage, kind, size, made, None, why, items, item_type(tensor), given, layout
            )
        move(tensor, self._site.buffers[key], type_.element, is_new, self._site, state)
        return Address(self._site.buffers[key], number(0))


def _left_of(term: Any_, path: list[Term], asked: Term) -> Term | None:
    """What must hold of alternatives of which the path excludes all others: of `!w || w.dim() == 1` where there is a `w`."""
    if asked not in free_symbols(term):
        return None
    left = [part for part in term.parts[0] if negation(part) not in path]
    return left[0] if len(left) == 1 else None


def _is_made_here(tensor: Tensor) -> bool:
    """By a call that gives dense memory: what only copies or converts may give the tensor that it got."""
    name = tensor.made_by.partition("(")[0].removeprefix("torch::").removeprefix("cupy::")
    return tensor.dims is not None and name in words().creations
