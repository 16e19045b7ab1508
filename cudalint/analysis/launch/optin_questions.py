"""Host code that asks how much shared memory a block may opt in to, bounds a launch by the answer, and opts in to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.launch.named_sizes import names_behind
from cudalint.analysis.text.launch_text import plain_name
from cudalint.analysis.text.scopes import Scope
from cudalint.analysis.text.text_program import Program, TextLaunch
from cudalint.ir.syntax import Syntax

_OPTIN = re.compile(r"PerBlockOptin|PER_BLOCK_OPTIN", re.IGNORECASE)
_RAISES = re.compile(r"\b\w*(?:set|raise|allow|enable|opt_?in)\w*(?:smem|shared)\w*\s*\(", re.IGNORECASE)
_ONLY_ASKS = re.compile(r"(?:Launch\w*Kernel\w*|Occupancy\w*|Func(?:tion)?GetAttribute\w*|SetCacheConfig)$")
_COMPARES = ("<", "<=", ">", ">=")
_LEAST = re.compile(r"(?:::|std::)?min(?:<.*>)?$", re.IGNORECASE)


def is_bounded_by_optin(launch: TextLaunch, program: Program) -> bool:
    """Who asks for it goes up to it, unless somebody that is given the kernel may raise the limit."""
    text = launch.function.body.text
    if launch.shared is None or _OPTIN.search(text) is None or _RAISES.search(text) is not None:
        return False
    return _bounds(launch, program.scope(launch.function)) and not is_kernel_given(launch, program)


def asks_for_optin(launch: TextLaunch) -> bool:
    """The function of the launch asks how much a block may opt in to."""
    return _OPTIN.search(launch.function.body.text) is not None


def is_kernel_given(launch: TextLaunch, program: Program) -> bool:
    """`configure(k, bytes)`, `ensure<k>(bytes)`: a call that is no launch and no question gets the kernel."""
    scope = program.scope(launch.function)
    held = {name for name, values in scope.values.items() if any(plain_name(v.text) == launch.kernel for v in values)}
    names = {launch.kernel, *held}
    for function in program.outline.functions:
        for call in function.body.walk():
            callee = call.child("function") if call.kind == "call_expression" else None
            around = call.start <= launch.node.start < call.end
            if callee is None or around or _ONLY_ASKS.search(callee.text.partition("<")[0]):
                continue
            if names.intersection(part.text for part in _given(call, callee) if part.kind == "identifier"):
                return True
    return False


def _given(call: Syntax, callee: Syntax) -> Iterator[Syntax]:
    """What a call gets: its arguments, and those of its template; no call or launch among them."""
    arguments = call.child("arguments")
    parts = [*callee.children[1:], *(arguments.children if arguments is not None else ())]
    while parts:
        part = parts.pop()
        yield part
        parts += part.children if part.kind != "call_expression" else part.children[1:]


def _bounds(launch: TextLaunch, scope: Scope) -> bool:
    """The answer stands in the size of the launch, or is compared with something that the size is made of."""
    answers = set(_answers(scope))
    made = names_behind(launch.shared, scope) if launch.shared is not None else set[str]()
    if not answers.isdisjoint(made) or (launch.shared is not None and _OPTIN.search(launch.shared.text)):
        return True
    for node in launch.function.body.walk():
        for one, other in _compared(node):
            if _holds(one, answers, scope) and not names_behind(other, scope).isdisjoint(made - answers):
                return True
    return False


def _holds(side: Syntax, answers: set[str], scope: Scope) -> bool:
    """The side of a comparison is the answer, or is made of it."""
    written = any(answer in side.text for answer in answers if not answer.isidentifier())
    return written or _OPTIN.search(side.text) is not None or not answers.isdisjoint(names_behind(side, scope))


def _compared(node: Syntax) -> Iterator[tuple[Syntax, Syntax]]:
    """The sides of a comparison or of a minimum, in both orders."""
    callee, arguments = node.child("function"), node.child("arguments")
    pair: tuple[Syntax, ...] = node.children if node.op in _COMPARES else ()
    if callee is not None and arguments is not None and _LEAST.match(callee.text):
        pair = arguments.children
    if len(pair) == 2:
        yield pair[0], pair[1]
        yield pair[1], pair[0]


def _answers(scope: Scope) -> Iterator[str]:
    """The variables that get the answer: by their address, or as a value."""
    for node in scope.function.body.walk():
        arguments = node.child("arguments") if node.kind == "call_expression" else None
        if arguments is not None and any(_OPTIN.search(given.text) for given in arguments.children):
            yield from (given.text.lstrip("& ") for given in arguments.children if given.text.startswith("&"))
    for name, values in scope.values.items():
        if any(_OPTIN.search(value.text) for value in values):
            yield name
