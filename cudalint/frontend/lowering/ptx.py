"""The text of inline assembly: operands by number, and what each instruction of PTX does.

asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(p));
Assembly(outputs=("=f", "=f"), inputs=("l",), instructions=(Instruction("ld.global.v2.f32", ("{%0, %1}", "[%2]")),))
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)  # or a string, which may hold such marks
_OPERAND = re.compile(r'(?:\[\s*(\w+)\s*\]\s*)?"((?:[^"\\]|\\.)*)"\s*\(')
_ESCAPES = {"n": "\n", "t": " ", "\\": "\\", '"': '"'}
_NAMED = re.compile(r"%\[(\w+)\]")
_LABEL = re.compile(r"[\w$%{}]+:(?!:)\s*")
_PREDICATE = re.compile(r"@!?%*[\w$]+\s+")


class Does(Enum):
    """What an instruction does besides computing its outputs."""

    PURE = "computes in registers"
    COLLECTIVE = "exchanges registers with other lanes"
    NOTHING = "has no effect that the language can see"
    MEMORY = "accesses memory"
    ORDER = "orders or synchronises"
    EXIT = "may end the thread"
    UNKNOWN = "is not in the table"


@dataclass(frozen=True, slots=True)
class Instruction:
    """`opcode` with its modifiers, `operands` as written; `guarded` where a predicate decides."""

    opcode: str
    operands: tuple[str, ...]
    guarded: bool = False
    predicate: str = ""  # `@p` or `@!p`

    @property
    def parts(self) -> list[str]:
        return self.opcode.split(".")


@dataclass(frozen=True, slots=True)
class Assembly:
    code: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    instructions: tuple[Instruction, ...]


_PURE = (
    "mov add sub mul mad fma lop3 prmt shf bfe bfi bfind popc clz brev cvt cvta and or xor not shl shr min max abs neg "
    "ex2 lg2 sin cos tanh rcp sqrt rsqrt div rem selp setp slct set dp4a dp2a isspacep mul24 mad24 sad copysign testp "
    ".reg .pred .b32 .b64 addc subc madc cnot szext fns bmsk mapa getctarank createpolicy"
)
_WORDS: dict[Does, str] = {
    Does.PURE: _PURE,
    Does.COLLECTIVE: "shfl vote match redux activemask elect mma movmatrix",
    Does.NOTHING: "griddepcontrol setmaxnreg prefetch prefetchu nanosleep pragma applypriority bra",  # bra: inside
    Does.MEMORY: (
        "ld ldu st atom red ldmatrix stmatrix multimem wmma wgmma tcgen05 cp tex tld4 suld sust discard tensormap "
        "st_async red_async"
    ),
    Does.ORDER: "bar barrier membar fence mbarrier",
    Does.EXIT: "trap exit brkpt",
}
_TABLE: dict[str, Does] = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_PREFIXES = (
    ("vadd", Does.PURE),
    ("vsub", Does.PURE),
    ("vabsdiff", Does.PURE),
    ("vset", Does.PURE),
    ("vmin", Does.PURE),
)


def does(instruction: Instruction) -> Does:
    """The kind of an instruction by its opcode."""
    name = instruction.opcode if instruction.opcode.startswith(".") else instruction.parts[0]
    if name.startswith("."):
        return Does.PURE if name.startswith(".reg") else Does.UNKNOWN
    known = _TABLE.get(name)
    return known or next((kind for prefix, kind in _PREFIXES if name.startswith(prefix)), Does.UNKNOWN)


def parse(text: str) -> Assembly | None:
    """The assembly statement `asm ... ( ... )`; None where its template is not made of literals only."""
    text = _COMMENT.sub(lambda m: m[1] or " ", text)
    start = text.find("(")
    end = text.rfind(")")
    if not text.lstrip().startswith(("asm", "__asm")) or start < 0 or end < start:
        return None
    sections = _sections(text[start + 1 : end])
    if _STRING.sub("", sections[0]).strip():
        return None
    code = "".join(_unescaped(s) for s in _STRING.findall(sections[0]))
    outputs, inputs = (_OPERAND.findall(sections[i]) if i < len(sections) else [] for i in (1, 2))
    names = [name for name, _ in (*outputs, *inputs)]
    code = _NAMED.sub(lambda m: f"%{names.index(m[1])}" if m[1] in names else m[0], code)
    instructions = tuple(_instruction(s) for s in _statements(code))
    written, read = (tuple(constraint for _, constraint in each) for each in (outputs, inputs))
    return Assembly(" ".join(code.split()), written, read, instructions)


def _unescaped(literal: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), literal)


def _sections(inside: str) -> list[str]:
    """The parts between the colons: template, outputs, inputs, clobbers."""
    sections, depth, start, at = [], 0, 0, 0
    while at < len(inside):
        char = inside[at]
        if char == '"':
            match = _STRING.match(inside, at)
            at = match.end() if match else at + 1
            continue
        depth += (char in "([{") - (char in ")]}")
        if char == ":" and depth == 0:
            sections.append(inside[start:at])
            start = at + 1
        elif char == ":" and inside[at : at + 2] == "::":
            at += 1
        at += 1
    return [*sections, inside[start:]]


def _statements(code: str) -> list[str]:
    """Instructions without comments, labels and the braces of blocks."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", code, flags=re.DOTALL)
    found, current = [], ""
    for char in code:
        if char in "{}" and not current.strip():
            continue
        if (char == "}" and current.count("{") <= current.count("}")) or char == ";":
            found.append(current)
            current = ""
        else:
            current += char
            current = _LABEL.sub("", current.lstrip(), count=1) if char == ":" else current
    found.append(current)
    return [" ".join(s.split()) for s in found if s.strip()]


def _instruction(statement: str) -> Instruction:
    guard = _PREDICATE.match(statement)
    plain = statement[guard.end() :] if guard else statement
    opcode, _, rest = plain.partition(" ")
    return Instruction(opcode, tuple(_operands(rest)), guard is not None, guard[0].strip() if guard else "")


def _operands(text: str) -> list[str]:
    found, depth, current = [], 0, ""
    for char in text:
        depth += (char in "[{(") - (char in "]})")
        if char == "," and depth == 0:
            found.append(current.strip())
            current = ""
        else:
            current += char
    return [*found, current.strip()] if current.strip() else found
