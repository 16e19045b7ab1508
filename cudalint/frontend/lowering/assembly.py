"""Inline assembly: registers in, registers out where no instruction touches memory or other threads."""

from __future__ import annotations

import re

from cudalint.frontend import clang
from cudalint.frontend.clang import Cursor, Kind
from cudalint.frontend.lowering import build
from cudalint.frontend.lowering.context import Body, statement
from cudalint.ir import nodes as ir
from cudalint.ir.types import UINT32

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_PURE = re.compile(
    r"(?:@!?%?\w+\s+)?(?:mov|add|sub|mul|mad|fma|lop3|prmt|shf|bfe|bfi|bfind|popc|clz|brev|cvt|cvta|and|or|xor|not|shl|shr"
    r"|min|max|abs|neg|ex2|lg2|sin|cos|tanh|rcp|sqrt|rsqrt|div|rem|selp|setp|slct|set|dp4a|dp2a|vadd\w*|vsub\w*|"
    r"vabsdiff\w*|vset\w*|isspacep|mul24|mad24|sad|copysign|testp|\.reg|addc|subc|madc)\b"
)
_REGISTERS = {"laneid": "laneid", "warpid": "warpid"}


@statement(Kind.ASM_STMT)
def assembly(body: Body, cursor: Cursor) -> None:
    """Known special registers are values, other pure instructions are opaque, the rest is a hole."""
    code, outputs = _parts(body.text(cursor))
    operands = clang.children(cursor)
    if code is None or len(operands) < outputs or not _is_pure(code):
        body.hole("inline assembly", cursor)
        return
    written, read = operands[:outputs], operands[outputs:]
    args = tuple(body.value(o) for o in read)
    span = body.span(cursor)
    for i, output in enumerate(written):
        place = body.place(output)
        type_ = build.place_type(place)
        special = _special(code)
        if special is not None and outputs == 1:
            body.write(place, build.convert(ir.Builtin(special, UINT32), type_), span)
            continue
        if "+" in _constraint(body.text(cursor), i):
            args = (body.read(place, span), *args)
        body.write(place, body.opaque(f"asm {code} #{i}", args, type_, span), span)


def _parts(text: str) -> tuple[str | None, int]:
    """The instructions, and the number of output operands; None where the text is a macro's use."""
    if not text.lstrip().startswith(("asm", "__asm")):
        return None, 0
    start = text.find("(")
    plain = _STRING.sub(lambda m: "s" * len(m[0]), text)
    end = plain.find(":", start)
    head = text[start : end if end >= 0 else len(text)]
    code = " ".join("".join(s[1:-1] for s in _STRING.findall(head)).replace("\\n", " ").replace("\\t", " ").split())
    if end < 0:
        return code, 0
    after = plain.find(":", end + 1)
    return code, len(_OPERAND.findall(plain[end + 1 : after if after >= 0 else len(plain)]))


_OPERAND = re.compile(r"s\s*\(")


def _constraint(text: str, i: int) -> str:
    strings = _STRING.findall(text[_STRING.sub(lambda m: "s" * len(m[0]), text).find(":") :])
    return strings[i] if i < len(strings) else ""


def _is_pure(code: str) -> bool:
    """Every instruction is arithmetic on registers; no label, branch, memory or thread is named."""
    parts = [p.strip() for p in code.replace("{", ";").replace("}", ";").split(";")]
    return all(_PURE.match(p) and "clock" not in p and "globaltimer" not in p for p in parts if p)


def _special(code: str) -> str | None:
    match = re.fullmatch(r"mov\.[us]32 %0, %%?(\w+);?", code)
    return _REGISTERS.get(match[1]) if match else None
