"""What constructs compute: the texts of `fixtures/lowering` on the emulator, against the values that C++ gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cudalint.confirm.emulate.run import Buffer, LaunchInput, PointerTo, Scalar, run
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile

FIXTURES = Path(__file__).parents[2] / "fixtures" / "lowering"


def launched(
    fixture: str, kernel: str, arguments: list[np.ndarray | int], block: int, shared: int = 0
) -> dict[str, np.ndarray]:
    """The arrays, by parameter, after one block of the fixture's kernel with `shared` bytes of dynamic shared memory."""
    source = SourceFile("k.cu", "/nowhere/k.cu", (FIXTURES / f"{fixture}.cu").read_text())
    unit = translate(source, ParseOptions(), "/nowhere").unit
    found = next(f for f in unit.functions.values() if f.name == kernel)
    buffers, values = [], []
    for param, value in zip(found.params, arguments, strict=True):
        if isinstance(value, np.ndarray):
            buffers.append(Buffer(param.var.name, value.view(np.uint8)))
            values.append(PointerTo(param.var.name))
        else:
            values.append(Scalar(value))  # type: ignore[arg-type]
    outcome = run(unit, found.id, LaunchInput((1, 1, 1), (block, 1, 1), shared, tuple(values)), tuple(buffers))
    assert (outcome.status, outcome.events) == ("finished", ())
    return {name: data.view(np.float32) for name, data in outcome.buffers.items()}


def test_constant_pointers_to_functions_call_what_they_hold() -> None:
    x = np.arange(4, dtype=np.float32)
    y = launched("function_constants", "apply", [np.zeros(4, np.float32), x, 4], 4)["y"]
    assert y.tolist() == ((2 * x + 1) + (x * x + 2)).tolist()


def test_range_based_loops_take_each_element_once() -> None:
    y = launched("range_for", "strides", [np.zeros(16, np.float32), 8], 2)["y"]
    expected = np.zeros(16, np.float32)
    expected[[0, 8, 4]] = 10
    expected[[0, 1]] = 8
    assert y.tolist() == expected.tolist()


def test_a_member_template_is_called_with_what_its_arguments_say() -> None:
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.float32)
    assert launched("member_templates", "windows", [np.zeros(2, np.float32), x], 2)["y"].tolist() == [4, 9]


def test_a_static_member_template_needs_no_word_that_says_so() -> None:
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.float32)
    y = launched("static_member_templates", "sums", [np.zeros(2, np.float32), x], 2)["y"]
    assert y.tolist() == [4, 14]


def test_a_respelled_dynamic_array_is_as_long_as_the_launch_says() -> None:
    x = np.arange(8, dtype=np.float32)
    y = launched("dynamic_of_instances", "reversed", [np.zeros(8, np.float32), x, 8], 8, shared=32)["y"]
    assert y.tolist() == x[::-1].tolist()


def test_jumps_to_later_labels_skip_what_is_between() -> None:
    x = np.array([-1, 2, 5], np.float32)
    assert launched("forward_jumps", "guarded", [np.full(4, 9, np.float32), x, 3], 4)["y"].tolist() == [0, 3, 6, 9]
    rows = np.array([7, 0, 7, 1, 7, 7], np.float32)
    y = launched("forward_jumps", "searched", [np.zeros(3, np.float32), rows, 2], 3)["y"]
    assert y.tolist() == [1, 3, -3]  # rows 0 and 2 take one away, row 1 goes on
    y = launched("forward_jumps", "skipped", [np.zeros(2, np.float32), 6], 2)["y"]
    assert y.tolist() == [0 + 10 + 10 + 2 + 10 + 3 + 10, 0 + 10 + 100 + 1 + 10 + 2 + 10 + 3 + 10]


def test_members_of_a_union_without_a_name_share_their_bytes() -> None:
    x = np.array([0x01020304, 0x05060708], np.uint32)
    y = launched("unnamed_unions", "split", [np.zeros(2, np.uint32), x], 2)["y"].view(np.uint32)
    assert y.tolist() == [0x04, 0x08 + 0x3F]


def test_members_of_constant_objects_call_what_they_hold() -> None:
    x = np.arange(4, dtype=np.float32)
    y = launched("function_tables", "apply", [np.zeros(4, np.float32), x, 4], 4)["y"]
    assert y.tolist() == ((2 * x + 1) + 10 * (x + 3)).tolist()


def test_the_maximum_of_halves_of_torch() -> None:
    x = np.array([1, 3, 2, -4], np.float16)
    assert launched("narrow_maximum", "largest", [np.zeros(2, np.float32), x, 4], 1)["y"].tolist() == [3, 6]


def test_numbers_and_arrays_of_cutlass() -> None:
    x = np.array([1, 2, 3, 4, -5, -6, -7, -8], np.float16)
    y = launched("cutlass_numbers", "scaled", [np.full(3, 9, np.float32), x, 2], 2)["y"]
    assert y.tolist() == [20 + 2, -52 + 2 + 52, 0]


def test_radix_keys_have_the_order_of_their_numbers() -> None:
    x = np.array([1.5, -2], np.float32)
    y = launched("radix_keys", "keys", [np.zeros(4, np.uint32), x], 2)["y"].view(np.uint32).tolist()
    bits = x.view(np.uint32).tolist()
    assert y == [bits[0] ^ 0x80000000, bits[1] ^ 0xFFFFFFFF, *bits]


def test_objects_are_made_of_lists_and_arrays_read_from_their_ends() -> None:
    x = np.array([4, 2], np.float32)
    assert launched("made_of_lists", "made", [np.zeros(2, np.float32), x], 1)["y"].tolist() == [
        5 + 20,
        1 + 2 * 2 + 3 * 4,
    ]
