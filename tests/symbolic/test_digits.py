"""Two threads meet at one element only where all digits of their indices agree."""

from __future__ import annotations

from cudalint.symbolic.solver.parts import conjuncts
from cudalint.symbolic.synchronization.digits import Side, meeting
from cudalint.term import (
    FALSE,
    Term,
    add,
    conjunction,
    equal,
    less,
    multiply,
    number,
    quotient,
    remainder,
    scale,
    symbol,
)

T = symbol("threadIdx.x", 0, 1023, "thread")
B = symbol("blockIdx.x", 0, (1 << 31) - 1, "block")
D = symbol("blockDim.x", 1, 1024)
N = symbol("n", 0, 1 << 30)
K = symbol("k#1", 0, 1 << 40, "thread")
IN_BLOCK = less(T, D)


def met(first: Term, second: Term, *known: Term, same_block: bool = False, proved: bool = False) -> Term | None:
    """The meeting of two 4-byte accesses at these elements."""
    sides = [Side(scale(term, 4), 4, frozenset(known)) for term in (first, second)]
    return meeting(sides[0], sides[1], same_block, lambda *_: proved)


def agree(*digits: Term) -> Term:
    """These differ between the blocks and have to be equal."""
    pairs = [
        (symbol(d.parts[0] + "@1", *d.parts[1:]), symbol(d.parts[0] + "@2", *d.parts[1:])) for d in digits
    ]  # fmt: skip
    return conjunction(*(equal(a, b) for a, b in pairs))


def test_the_global_index_of_a_thread_tells_block_and_thread() -> None:
    index = add(multiply(B, D), T)
    assert met(index, index, IN_BLOCK) is agree(T, B)


def test_without_the_bound_of_the_lower_digit_the_sum_alone_is_equal() -> None:
    index = add(multiply(B, D), T)
    assert met(index, index) not in (None, agree(T, B))


def test_a_guard_on_the_column_keeps_rows_apart() -> None:
    row, column = symbol("row", 0, 1000, "thread"), symbol("column", 0, 1000, "thread")
    index = add(multiply(row, N), column)
    assert met(index, index, less(column, N)) is agree(column, row)


def test_strides_of_a_loop_go_on_above_the_grid() -> None:
    narrow = symbol("threadIdx.x", 0, 255, "thread")
    grid = symbol("gridDim.x", 1, 100)
    index = add(scale(B, 256), narrow, multiply(K, scale(grid, 256)))
    assert met(index, index, less(B, grid)) is agree(narrow, B, K)


def test_neighbouring_fields_never_meet() -> None:
    assert met(scale(T, 2), add(scale(T, 2), number(1))) is FALSE


def test_neighbouring_elements_are_left_to_the_solver() -> None:
    assert met(T, add(T, number(1)), same_block=True) is None


def test_a_product_of_two_threads_symbols_is_no_digit() -> None:
    assert met(multiply(T, K), multiply(T, K)) is None


def test_what_threads_of_a_block_share_cancels() -> None:
    index = add(multiply(B, N), T)
    assert met(index, index, same_block=True) is agree(T)


def test_a_weight_that_may_be_zero_leaves_its_digit_open() -> None:
    stride = symbol("stride", 0, 100)
    assert met(multiply(T, stride), multiply(T, stride), same_block=True) is not agree(T)


def test_a_lower_digit_is_not_split_off_where_a_higher_weight_is_no_multiple() -> None:
    narrow = symbol("threadIdx.x", 0, 127, "thread")
    index = add(multiply(B, N), scale(K, 128), narrow)
    met_at = met(index, index)
    assert met_at is not None
    assert conjunction(met_at, agree(narrow)) is not met_at, "block b + 1 may reach element t + 1 of block b"


def test_row_and_column_that_change_places_leave_the_threads_apart() -> None:
    thread = symbol("threadIdx.x", 0, 127, "thread")
    warp, lane, row = quotient(thread, number(32)), remainder(thread, number(32)), symbol("row#1", 0, 31, "thread")
    stored = add(scale(warp, 1056), scale(row, 33), lane)
    read = add(scale(warp, 1056), scale(lane, 33), row)
    alike, turned = met(stored, stored, same_block=True), met(stored, read, same_block=True)
    assert alike is not None and agree(thread) in conjuncts(alike)
    assert turned is not None and agree(thread) not in conjuncts(turned)
