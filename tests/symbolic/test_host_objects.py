"""Objects that the program makes with `new` and keeps behind owners: their constructors say what their members are."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent, Geometry
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.walk.closed_forms import made_at
from cudalint.term import free_symbols

HEAD = """
#include <memory>
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
struct Buffer { float *data; int n; Buffer(int m) : n(m) { cudaMalloc(&data, 4 * m); } void run() { k<<<n, 64>>>(data, n); } };
struct Sizes { int n; float *data; };
void change(std::unique_ptr<Buffer> &buffer);
"""


def contract_of(body: str, members: str = "") -> Contract:
    text = f"{HEAD}\n{members}\nvoid go(int n, void *place) {{ {body} }}"
    if "run()" not in body:
        text = text.replace("void run() { k<<<n, 64>>>(data, n); }", "")
    ((contract,),) = launch_contracts(translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit).values()
    return contract


def test_what_a_static_variable_holds_was_not_made_by_the_walk_of_a_kernel() -> None:
    body = "static int blocks[4] = {0}; int at = n & 3; if (blocks[at] == 0) look_up(&blocks[at]); k<<<blocks[at], 64>>>(place, n);"
    contract = contract_of(body.replace("place", "(float *)place"), "void look_up(int *found);")
    geometries = [fact.what for fact in contract.facts if isinstance(fact.what, Geometry)]
    atoms = {atom for each in geometries for atom in free_symbols(each.grid[0])}
    assert [text for text in told(contract) if "static" in text] == []
    assert any("blocks" in str(atom.parts[0]) for atom in atoms) and {made_at(atom) for atom in atoms} == {0}


def told(contract: Contract) -> list[str]:
    return [fact.text for fact in contract.facts if isinstance(fact.what, Geometry | Extent)]


@pytest.mark.parametrize(
    "body",
    [
        "Buffer *b = new Buffer(n); b->run();",
        "std::unique_ptr<Buffer> b(new Buffer(n)); b->run();",
        "auto b = std::make_unique<Buffer>(n); b->run();",
        "std::shared_ptr<Buffer> b = std::make_shared<Buffer>(n); b->run();",
        "std::shared_ptr<Buffer> b; b = std::make_shared<Buffer>(n); b->run();",
        "std::unique_ptr<Buffer> a(new Buffer(n)); auto b = std::move(a); b->run();",
        "std::unique_ptr<Buffer> b; b.reset(new Buffer(n)); b->run();",
        "Buffer *b = new (place) Buffer(n); b->run();",
    ],
)
def test_a_constructor_fills_the_object_that_is_made(body: str) -> None:
    contract = contract_of(body)
    assert told(contract) == ["grid = n, block = 64", "x = cudaMalloc(4*n bytes)"] and not contract.missing


def test_a_member_owns_what_the_constructor_made() -> None:
    members = "struct Layer { std::unique_ptr<Buffer> b; Layer(int m) : b(new Buffer(m)) {} void run() { b->run(); } };"
    assert told(contract_of("Layer layer(n); layer.run();", members)) == [
        "grid = n, block = 64",
        "x = cudaMalloc(4*n bytes)",
    ]


def test_an_owner_that_a_function_elsewhere_got_may_own_another_object() -> None:
    contract = contract_of("auto b = std::make_unique<Buffer>(n); change(b); k<<<b->n, 64>>>(b->data, b->n);")
    assert {each.subject for each in contract.missing} >= {"grid", "x"}


@pytest.mark.parametrize(
    ("made", "bytes_"),
    [("new float(n)", "4"), ("new float[n]", "4*n"), ("new Sizes{n, nullptr}", "16"), ("new float[n]()", "4*n")],
)
def test_a_number_in_parentheses_is_a_value_and_no_count(made: str, bytes_: str) -> None:
    contract = contract_of(f"auto *p = {made}; k<<<n, 64>>>((float *)p, n);")
    assert told(contract)[1] == f"x = operator new({bytes_} bytes)"
