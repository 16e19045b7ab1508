"""What decorators of Python functions register: implementations of operators, and what these take and give.

@torch.library.custom_op("ns::scale", mutates_args=())     @torch.library.register_fake("ns::scale")
def scale(x): ...                                          def _(x): torch._check(x.dim() == 2); return torch.empty_like(x)
"""

from __future__ import annotations

import ast
import re

_DECLARING = re.compile(r"fake|abstract|meta")


def is_declaring(function: ast.FunctionDef) -> bool:
    """Whether it says what an operator gives without doing it: `@torch.library.register_fake("ns::scale")`."""
    return any(_DECLARING.search(ast.unparse(d).split("(")[0].split(".")[-1]) for d in function.decorator_list)


def declared_in(tree: ast.AST) -> dict[str, ast.FunctionDef]:
    """The functions of a file that say what operators give, by the operators' names."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    named = {f.name: f for f in functions}
    found: dict[str, ast.FunctionDef] = {}
    for function in functions:
        if is_declaring(function):
            owners = (getattr(d.value, "id", "") for d in function.decorator_list if isinstance(d, ast.Attribute))
            owned = (name for owner in owners if owner in named for name in registered_as(named[owner]))
            found |= dict.fromkeys((*registered_as(function), *owned), function)
    return found


def registered_as(function: ast.FunctionDef) -> list[str]:
    """The operators that decorators register the function as: `@torch.library.custom_op("ns::scale")`."""
    calls = [d for d in function.decorator_list if isinstance(d, ast.Call)]
    texts = [str(a.value) for call in calls for a in call.args[:1] if isinstance(a, ast.Constant)]
    return [text.split(".")[0] for text in texts if re.fullmatch(r"\w+::\w+(?:\.\w+)?", text)]


def positional(function: ast.FunctionDef) -> list[str]:
    """The parameters that callers give by their places."""
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
