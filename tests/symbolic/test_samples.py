"""A path that a known launch takes is not asked about."""

from __future__ import annotations

from cudalint import term as t
from cudalint.symbolic.solver.question import Model
from cudalint.symbolic.solver.samples import has_model

THREAD = t.symbol("threadIdx.x", 0, 255, "thread")
BLOCK = t.symbol("blockIdx.x", 0, 1 << 20, "block")
N = t.symbol("n", 0, 1 << 20)
LAUNCH = Model({"n": 300, "threadIdx.x": 7, "blockIdx.x": 0}, {})
INDEX = t.add(t.scale(BLOCK, 256), THREAD)


def test_the_model_of_another_question_shows_that_a_path_is_taken() -> None:
    assert has_model((t.less(INDEX, N),), [LAUNCH])


def test_another_thread_of_the_same_launch_shows_it() -> None:
    assert has_model((t.less(INDEX, N), t.equal(THREAD, t.number(0))), [LAUNCH])
    assert has_model((t.less(INDEX, N), t.at_most(t.number(32), THREAD)), [LAUNCH])
    assert has_model((t.less(INDEX, N), t.at_most(t.number(1), BLOCK)), [LAUNCH])


def test_what_no_thread_of_a_known_launch_does_is_left_open() -> None:
    assert not has_model((t.at_most(t.number(1000), N),), [LAUNCH])
    assert not has_model((t.less(N, INDEX), t.equal(BLOCK, t.number(0))), [LAUNCH])


def test_a_thread_that_the_block_does_not_have_shows_nothing() -> None:
    few = t.symbol("threadIdx.x", 0, 15, "thread")
    assert not has_model((t.at_most(t.number(15), few),), [Model({"threadIdx.x": 3}, {})])


def test_nothing_is_shown_by_a_model_that_leaves_a_quotient_without_a_value() -> None:
    size = t.symbol("size", 0, 10)
    assert not has_model((t.equal(t.quotient(N, size), t.number(3)),), [Model({"n": 6, "size": 0}, {})])


def test_without_models_nothing_is_shown() -> None:
    assert not has_model((t.at_most(THREAD, t.number(3)),), [])
