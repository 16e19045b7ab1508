"""The dynamic shared memory of a launch is limited where nothing around it may raise the limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.contract import Contract, Fact, Geometry, Origin
from cudalint.engine.shared_limits import with_unraised_limits
from cudalint.project.callers import Neighbour
from cudalint.source import SourceFile
from cudalint.term import number, symbol

BYTES = symbol("run:bytes", 0, 1 << 31)
RAISES = "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);"


def is_limited(text: str, path: str = "k.cu", *neighbours: str, origin: Origin = Origin.LAUNCH) -> bool:
    free = (None, None, None)
    contract = Contract("k", (Fact(Geometry(free, free, BYTES), origin, "the launch"),))
    around = [Neighbour(each, frozenset()) for each in neighbours]
    ((found,),) = with_unraised_limits({"k": (contract,)}, (), (SourceFile(path, f"/{path}", text),), around).values()
    return len(found.facts) > len(contract.facts)


@pytest.mark.parametrize(
    ("text", "limited"),
    [("k<<<1, 32, bytes>>>(x);", True), (f"// {RAISES}", True), (f"void f() {{ {RAISES} }}", False)],
)
def test_the_text_decides_but_not_its_comments(text: str, limited: bool) -> None:
    assert is_limited(text) is limited


def test_python_has_ways_of_its_own() -> None:
    assert not is_limited("", "k.py")
    assert not is_limited("", "k.cu", "/absent/run.py")


def test_a_file_around_may_raise_it_or_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "plain.cu").write_text("void g();")
    (tmp_path / "raises.cu").write_text(f"void g() {{ {RAISES} }}")
    assert is_limited("", "k.cu", str(tmp_path / "plain.cu"))
    assert not is_limited("", "k.cu", str(tmp_path / "plain.cu"), str(tmp_path / "raises.cu"))
    assert not is_limited("", "k.cu", str(tmp_path / "absent.cu"))


def test_what_the_user_states_is_left_alone() -> None:
    assert not is_limited("", origin=Origin.ANNOTATION)


def test_a_number_is_no_computed_size() -> None:
    free = (None, None, None)
    contract = Contract("k", (Fact(Geometry(free, free, number(1 << 17)), Origin.LAUNCH, "the launch"),))
    assert with_unraised_limits({"k": (contract,)}, (), (), ()) == {"k": (contract,)}
