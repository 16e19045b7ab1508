"""What names of functions, types and variables tell: `size` of `at::Tensor::size<int>`, the class of a method, T of a container."""

from __future__ import annotations

import re
from functools import lru_cache

from cudalint import ir
from cudalint.symbolic.host.text import shown
from cudalint.symbolic.host.values import Value, addresses, is_vector_type
from cudalint.symbolic.host_vocabulary import words
from cudalint.term import Term, number

_TEMPLATE_ELEMENT: dict[str, ir.Type] = {
    "float": ir.F32,
    "double": ir.F64,
    "int": ir.INT32,
    "unsigned int": ir.UINT32,
    "char": ir.INT8,
    "long": ir.INT64,
    "unsigned long": ir.UINT64,
    "unsigned char": ir.UINT8,
    "short": ir.INT16,
}
_ARRAY_OF = re.compile(r"<(?:const )?([\w ]+?)\s*\[\]")
_ELEMENT_BYTES = {"float": 4, "int": 4, "unsigned int": 4, "double": 8, "char": 1, "unsigned char": 1, "long": 8}


@lru_cache(maxsize=1 << 14)
def simple_name(qualified: str) -> str:
    """`size` of `at::Tensor::size<int>`; operators keep their name."""
    name = _without_template_arguments(qualified)
    return name.split("::")[-1].strip()


@lru_cache(maxsize=1 << 14)
def class_name(qualified: str) -> str:
    """`Tensor` of `at::Tensor::size`, or nothing for a free function."""
    parts = _without_template_arguments(qualified).split("::")
    return parts[-2].strip() if len(parts) > 1 else ""


def _without_template_arguments(name: str) -> str:
    if "operator" in name:
        head, _, tail = name.partition("operator")
        return _without_template_arguments(head) + "operator" + tail
    kept: list[str] = []
    deep = 0
    for char in name.split("(")[0]:
        deep += char == "<"
        if deep == 0:
            kept.append(char)
        deep -= char == ">"
    return "".join(kept)


def is_input(name: str) -> bool:
    """Whether what the call returns and writes comes from outside the program."""
    return name in words().inputs or name.startswith(tuple(words().input_prefixes))


def is_runtime_call(name: str) -> bool:
    """`cudaMemcpy`, but not `cuda_blocks` or `cudalib`."""
    return any(name.startswith(p) and name[len(p) : len(p) + 1].isupper() for p in words().success_prefixes)


def is_constructor(qualified: str) -> bool:
    """`Tensor::Tensor`, and `host_vector::vector`, which is inherited."""
    name, owner = simple_name(qualified), class_name(qualified)
    return bool(name) and (name == owner or {name, owner} <= words().vector_classes)


def base_of(type_: ir.Type, method: str) -> ir.Type:
    """The class of a method that a class of the project inherits: `rmm::device_scalar` of `app::device_scalar<long>`."""
    owner, _, _ = _without_template_arguments(method).rpartition("::")
    if isinstance(type_, ir.Struct) and type_.fields and owner != _without_template_arguments(type_.name).strip():
        return ir.Unknown(owner)
    return type_


def template_element(type_: ir.Type) -> ir.Type | None:
    """T of a `device_vector<T>` of a fundamental T."""
    name = type_.name if isinstance(type_, ir.Struct | ir.Unknown) else ""
    inner = name.partition("<")[2].split(",")[0].rstrip("> ").strip()
    return _TEMPLATE_ELEMENT.get(inner)


def array_element(type_: ir.Type) -> int | None:
    """Bytes of T where the type is `unique_ptr<T[]>` of a fundamental T."""
    found = _ARRAY_OF.search(type_.name) if isinstance(type_, ir.Struct | ir.Unknown) else None
    return _ELEMENT_BYTES.get(found[1]) if found else None


def pointee_of(type_: ir.Type) -> ir.Type:
    return type_.element if isinstance(type_, ir.Pointer) else type_


def place_type(place: ir.Place) -> ir.Type:
    return place.var.type if isinstance(place, ir.Variable) else place.type


def last_name(name: str) -> str:
    return name.split("<")[0].split("::")[-1].split(" ")[-1]


def pointer_name(pointer: Value, fallback: str) -> str:
    found = addresses(pointer)
    if not found or found[0].object is None:
        return fallback
    address = found[0]
    index = "" if address.offset is number(0) else f"[{address.offset!r}]"
    assert address.object is not None
    return address.object.name + index + "".join("." + f for f in address.fields)


def plain_term(value: Value) -> str:
    return shown(value) if isinstance(value, Term) else "?"


def can_grow(type_: ir.Type) -> bool:
    return is_vector_type(type_) and not _class_of(type_).endswith(("span", "view"))


def _class_of(type_: ir.Type) -> str:
    return class_name(f"{type_.name}::") if isinstance(type_, ir.Struct | ir.Unknown) else ""
