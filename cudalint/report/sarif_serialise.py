"""sarif-om objects as plain data: each attribute carries its name in the schema."""

from __future__ import annotations

from typing import Any

import attr


def plain(value: Any) -> Any:
    """Lists, dicts, strings and numbers; attributes that are None or at a default that says nothing are left out."""
    if attr.has(type(value)):
        pairs = ((each, getattr(value, each.name)) for each in attr.fields(type(value)))
        return {each.metadata["schema_property_name"]: plain(v) for each, v in pairs if not _absent(each, v)}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items() if each is not None}
    return value


def _absent(attribute: Any, value: Any) -> bool:
    return value is None or (not isinstance(value, str) and value == attribute.default)
