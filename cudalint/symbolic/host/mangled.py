"""Which kernel a program means that looks one up by name at run time: plain, as an expression, or as compilers mangle it.

    cuModuleGetFunction(&f, module, "scale")          extern "C" __global__ void scale(...)
    nvrtcGetLoweredName(program, "scale<float, 4>", &name)
    cuLibraryGetKernel(&k, library, "_ZN3ops5scaleIfLi4EEEvPT_i")

Names are read as the Itanium C++ ABI writes them: nested names, and arguments of templates that are fundamental types or numbers.
"""

from __future__ import annotations

import re

_TYPES = {
    "v": "void", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short", "t": "unsigned short",
    "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long", "x": "long long", "y": "unsigned long long",
    "f": "float", "d": "double",
}  # fmt: skip
_NUMBER = re.compile(r"L[a-z](n?\d+)E")


def means(name: str, head: str) -> bool:
    """Whether the name is that of a kernel whose id begins with `head`: `ops::scale<float, 4>`."""
    said = demangled(name) if name.startswith("_Z") else name.lstrip("&")
    return said is not None and _plain(said) == _plain(head)


def demangled(name: str) -> str | None:
    """`ops::scale<float, 4>` of `_ZN3ops5scaleIfLi4EEEvPT_i`, without parameters; None where more is in it than is read here."""
    rest = name.removeprefix("_Z")
    nested = rest.startswith("N")
    parts, rest = _source_names(rest[1:] if nested else rest)
    given: list[str] = []
    if parts and rest.startswith("I"):
        listed = _template_arguments(rest[1:])
        if listed is None:
            return None
        given, rest = listed
    if not parts or (nested and not rest.startswith("E")):
        return None
    arguments = f"<{', '.join(given)}>" if given else ""
    return "::".join(parts) + arguments


def _source_names(text: str) -> tuple[list[str], str]:
    """`["ops", "scale"]` of `3ops5scale...`, and what follows; an unnamed namespace has no name."""
    parts: list[str] = []
    while (count := re.match(r"\d+", text)) is not None:
        end = count.end() + int(count[0])
        part = text[count.end() : end]
        if not part.startswith("_GLOBAL__N"):
            parts.append(part)
        text = text[end:]
    return parts, text


def _template_arguments(text: str) -> tuple[list[str], str] | None:
    """The arguments up to their end, and what follows."""
    found: list[str] = []
    while text and not text.startswith("E"):
        value = _NUMBER.match(text)
        names, rest = _source_names(text)
        if value is not None:
            found.append(value[1].replace("n", "-"))
            text = text[value.end() :]
        elif text[0] in _TYPES:
            found.append(_TYPES[text[0]])
            text = text[1:]
        elif len(names) == 1:
            found.append(names[0])
            text = rest
        else:
            return None
    return (found, text[1:]) if text else None


def _plain(name: str) -> str:
    name = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", name))
    return re.sub(r"\(anonymous namespace\)::|\s+", "", re.sub(r"(?<=\d)[uUlL]+\b", "", name))
