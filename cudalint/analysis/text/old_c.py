"""C as it was written before prototypes, with every line where it was, for those who read it as C++.

    net *make(in, out)          net *make(int in, int out)
    int in, out;
    {                           {

    net *make();                net *make(...);          what a declaration without parameters says in C

Words that are names in C alone (`new`, `class`) get a capital letter.
"""

from __future__ import annotations

import re

_NOT_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#[ \t]*pragma(?:\\.|[^\\\n])*",
    re.DOTALL | re.MULTILINE,
)
_TYPES_BEHIND = re.compile(r"\w\s*\)\s*\n\s*(?:[A-Za-z_][^\n;{}()]*;|\{)")
_DEFINITION = re.compile(
    r"^(?P<head>(?P<type>(?>(?:[A-Za-z_]\w*[ \t*\n]+)*)\**)(?P<name>[A-Za-z_]\w*)\s*+\()"
    r"(?P<names>\s*+[A-Za-z_]\w*+\s*+(?>(?:,\s*+[A-Za-z_]\w*+\s*+)*))\)"
    r"(?P<declared>(?>(?:\s*+[A-Za-z_][\w\s*,\[\]]*+;)*))\s*+\{",
    re.MULTILINE,
)
_DECLARATOR = re.compile(
    r"(?P<type>.*?)(?P<stars>[*\s]*)(?P<name>[A-Za-z_]\w*)(?P<sizes>(?:\s*\[[^\]]*\])*)", re.DOTALL
)
_WITHOUT_PARAMETERS = re.compile(
    r"^(?P<head>(?!(?:do|else|goto|return|typedef)\b)[A-Za-z_]\w*[\w \t*]*[ \t*]\w+[ \t]*\()[ \t]*(?=\)[ \t]*;)",
    re.MULTILINE,
)
_STATEMENTS = frozenset(["do", "else", "for", "if", "return", "sizeof", "switch", "while"])
_CPP = re.compile(
    r"\bnew\s+(?:\(\s*std|[A-Za-z_])|\bnew\s*\(|\b(?:class|namespace)\s+\w+\s*[:{]|\btemplate\s*<|\busing\s+\w|"
    r"\bthis\s*->|\b(?:public|private|protected)\s*:|::|\bstatic_cast\b|__cplusplus"
)
_NAMES_IN_C = re.compile(
    r"\b(?:class|delete|friend|mutable|namespace|new|operator|private|protected|public|this|virtual)\b"
)


def in_new_words(text: str) -> str:
    """A C file that C++ reads; a file that is C++ stays as it is."""
    if _CPP.search(_NOT_CODE.sub(_blanked, text)):
        return text
    return with_open_parameters(_renamed(with_prototypes(text)))


def with_prototypes(text: str) -> str:
    """Definitions with the types of their parameters where these stand in C++."""
    if _TYPES_BEHIND.search(text) is None:
        return text
    code = _NOT_CODE.sub(_blanked, text)
    parts, at = list[str](), 0
    for found in _DEFINITION.finditer(code):
        parameters = _parameters(found)
        if parameters is not None:
            lines = "\n" * found["names"].count("\n"), "\n" * code.count("\n", found.end("names"), found.end())
            parts += [text[at : found.end("head")], parameters, lines[0], ")", lines[1], "{"]
            at = found.end()
    return "".join(parts) + text[at:]


def with_open_parameters(text: str) -> str:
    """Declarations without parameters take any."""
    return _WITHOUT_PARAMETERS.sub(r"\g<head>...", text) if "__cplusplus" not in text else text


def _renamed(text: str) -> str:
    code, parts, at = _NOT_CODE.sub(_blanked, text), list[str](), 0
    for found in _NAMES_IN_C.finditer(code):
        parts += [text[at : found.start()], found[0].capitalize()]
        at = found.end()
    return "".join(parts) + text[at:]


def _parameters(found: re.Match[str]) -> str | None:
    """With their types; None for what is no definition of the old kind."""
    names = [name.strip() for name in found["names"].split(",")]
    given = _declared(found["declared"])
    plain = not (found["type"].strip() or given) or found["name"] in _STATEMENTS or names == ["void"]
    if plain or _STATEMENTS & set(found["type"].split()) or not given.keys() <= set(names):
        return None
    return ", ".join(given.get(name, f"int {name}") for name in names)


def _declared(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for statement in text.split(";"):
        type_ = ""
        for each in statement.split(","):
            declarator = _DECLARATOR.fullmatch(each.strip())
            if declarator is not None:
                type_ = declarator["type"].strip() or type_
                stars, name, sizes = declarator["stars"].strip(), declarator["name"], declarator["sizes"]
                found[name] = f"{type_ or 'int'} {stars}{name}{sizes}"
    return found


def _blanked(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])
