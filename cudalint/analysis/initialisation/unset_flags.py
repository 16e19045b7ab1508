"""Flags that a kernel sets where something happened, and that nobody clears before.

__global__ void step(..., bool *again) { if (i < n && changed[i]) *again = true; }
cudaMalloc(&again, sizeof(bool));  step<<<grid, block>>>(..., again);  cudaMemcpy(&more, again, ...);
"""

from __future__ import annotations

import re

from cudalint.analysis.text.text_program import Body
from cudalint.ir.syntax import Syntax

_CONSTANT = re.compile(r"true|1|1u|false|0")


def flag_set(parameter: str, kernel: Body) -> Syntax | None:
    """The first store of the one constant that the kernel stores there, on a condition each time; None for other uses."""
    stores: list[Syntax] = []
    for node in kernel.nodes:
        if node.kind != "identifier" or node.text != parameter:
            continue
        store = _store(node, kernel)
        if store is None or not _is_conditional(store, kernel):
            return None
        stores.append(store)
    constants = {store.children[1].text for store in stores}
    return stores[0] if len(constants) == 1 else None


def _store(name: Syntax, kernel: Body) -> Syntax | None:
    """`*p = true` or `p[0] = 1`."""
    element = kernel.parents.get(id(name))
    if element is None or element.children[0] is not name:
        return None
    first = element.kind == "subscript_expression" and element.bare.endswith("[0]")
    if not first and not (element.kind == "pointer_expression" and element.op == "*"):
        return None
    store = kernel.parents.get(id(element))
    if store is None or store.kind != "assignment_expression" or store.op != "=" or store.children[0] is not element:
        return None
    return store if _CONSTANT.fullmatch(store.children[1].text) else None


def _is_conditional(store: Syntax, kernel: Body) -> bool:
    """It hangs on an element, or on a value that was read from one."""
    for parent, child in kernel.ancestors(store):
        condition = parent.child("condition")
        if parent.kind != "if_statement" or condition is None or child is condition:
            continue
        for part in condition.walk():
            values = kernel.scope.values.get(part.text, []) if part.kind == "identifier" else []
            if part.kind == "subscript_expression" or any("[" in value.text for value in values):
                return True
    return False
