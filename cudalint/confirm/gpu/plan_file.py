"""Plan files: one launch of one kernel, with everything that another machine needs to run and to judge it.

    plan     = schema, id, kernel, path, code, fingerprint, seed, slice, options, launch, args*, buffers*, expectation,
               and for the emulator: ir, constants*, emulator
    slice    = text, name, instrumented {text, sites*, races, across} or null; the slice itself is null where a GPU cannot run
               it, and `unsliced` says why
    ir       = kernel: its id, table: the functions that it reaches (ir/portable.py)
    emulator = meant: which events are the failure (meant.py) or null, races: whether they are looked for, blocks: those that
               are run or null for all, steps, work: where a run ends
    launch   = grid, block, shared, cooperative
    arg      = {scalar: C type, value} | {pointer: buffer or null, offset} | {bytes: base64, pointers: [[at, buffer, offset]*]}
    buffer   = name, size, contents: {drawn: element, bounds} | {zero} | {literal: base64} | {pieces: [[at, base64]*]}
               of zeros elsewhere; pointers: [[at, buffer, offset]*]
    expectation = kinds, lines: [[path, line]*], blocks: the flat indices of the blocks to watch, ordered: whether results depend on
               the order of threads; of a clean run outputs: the digest of each buffer behind the launch, where the emulator
               promises it bit for bit; near: the elements of the others and how far each may be away (near.py);
               written: buffers of which every byte has to be written; guarded: [path, line] of shuffles whose results are read
               under a condition only

Text is canonical JSON: sorted keys, no spaces, one line end; the id is the hash of all the rest. Buffers are made from
the seed on the machine that runs them. Reading raises PlanError with one line that says what is wrong.
"""

from __future__ import annotations

import base64
import json
import re
import stat
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from cudalint import ir
from cudalint.confirm.gpu import near
from cudalint.confirm.inputs import contents

SCHEMA = "cudalint-plan/1"
SUFFIX = ".plan.json"
LARGEST_FILE = 1 << 28
Plan = dict[str, Any]

ELEMENTS: dict[str, ir.Type] = {
    **{f"{sign}{bits}": ir.Int(bits, sign == "i") for sign in "iu" for bits in (8, 16, 32, 64)},
    **{name: ir.Float(name) for name in ("f16", "bf16", "f32", "f64")},
    "bool": ir.BOOL,
}
_INTEGERS = {f"{sign}{bits}": np.dtype(f"<{sign}{bits // 8}") for sign in "iu" for bits in (8, 16, 32, 64)}
_FLOATS: dict[str, np.dtype[Any]] = {"f16": np.dtype("<f2"), "f32": np.dtype("<f4"), "f64": np.dtype("<f8")}
_FIELDS: dict[str, Any] = {
    "schema": str, "id": str, "kernel": str, "path": str, "code": str, "fingerprint": str, "seed": int,
    "slice": (dict, type(None)), "options": list, "launch": dict, "args": list, "buffers": list, "expectation": dict,
}  # fmt: skip
_MOST_STEPS, _MOST_WORK, _MOST_BLOCKS = 1 << 20, 1 << 30, 1 << 12
_FAR = 1 << 48  # bytes
_USED = re.compile(rb"[^\0](?:\0{0,15}[^\0])*")  # bytes with few zeros between them
_PIECE = 16  # bytes that a piece costs beside its own


class PlanError(Exception):
    """A plan that cannot be read; one line."""


# --- text ------------------------------------------------------------------------------------------------------------


def canonical(value: object) -> bytes:
    """The bytes of a JSON value: the same for equal values, everywhere."""
    return (json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n").encode()


def with_id(plan: Mapping[str, Any]) -> Plan:
    """The plan with its schema and its id."""
    body = {**plan, "schema": SCHEMA}
    body.pop("id", None)
    return {**body, "id": blake2b(canonical(body), digest_size=10).hexdigest()}


def write_plan(directory: Path, plan: Plan) -> Path:
    path = directory / f"{plan['id']}{SUFFIX}"
    path.write_bytes(canonical(plan))
    return path


def plan_paths(directory: Path) -> list[Path]:
    return sorted(directory.glob(f"*{SUFFIX}"))


def result_path(plan: Path) -> Path:
    return plan.with_name(plan.name.removesuffix(SUFFIX) + ".result.json")


def read_json(path: Path) -> Any:
    """The value of a file; raises PlanError, also for a file that is too large or none."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise PlanError(f"{path.name}: this is no file")
        if about.st_size > LARGEST_FILE:
            raise PlanError(f"{path.name}: {about.st_size} bytes, more than the {LARGEST_FILE} that are read")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise PlanError(f"{path.name}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise PlanError(f"{path.name}: this is not JSON") from None


def read_plan(path: Path) -> Plan:
    """The plan of a file; raises PlanError."""
    plan = read_json(path)
    try:
        return validated(plan)
    except PlanError as error:
        raise PlanError(f"{path.name}: {error}") from None


def validated(plan: object) -> Plan:
    """The plan, if everything that a run relies on is there; raises PlanError."""
    try:
        return _validated(plan)
    except (TypeError, KeyError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise PlanError(f"a part of it has another form than it has to have ({type(error).__name__})") from None


def _validated(plan: object) -> Plan:
    if not isinstance(plan, dict):
        raise PlanError("a plan is a JSON object")
    if plan.get("schema") != SCHEMA:
        raise PlanError(f"the schema is {plan.get('schema')!r}, this version reads {SCHEMA!r}")
    for name, type_ in _FIELDS.items():
        if not isinstance(plan.get(name), type_):
            raise PlanError(f"`{name}` is missing or has another type than {_named(type_)}")
    if with_id(plan)["id"] != plan["id"]:
        raise PlanError("the id is not the hash of the contents: the file was changed or cut off")
    _check_launch(plan["launch"])
    sizes: dict[str, int] = {}
    for buffer in (*plan["buffers"], *_list(plan, "constants")):
        _check_buffer(buffer)
        sizes[buffer["name"]] = buffer["size"]
    for buffer in plan["buffers"]:
        _check_pointers(buffer, buffer["size"], sizes, f"buffer `{buffer['name']}`")
    for position, arg in enumerate(plan["args"]):
        _check_arg(arg, sizes, f"argument {position}")
    if plan["slice"] is not None:
        _check_slice(plan["slice"])
    _check_expectation(plan["expectation"])
    _check_emulator(plan)
    return plan


def _named(type_: Any) -> str:
    return " or ".join(each.__name__ for each in type_) if isinstance(type_, tuple) else str(type_.__name__)


def _list(plan: Mapping[str, Any], name: str) -> list[Any]:
    value = plan.get(name, [])
    _require(isinstance(value, list), f"`{name}` is no list")
    return list(value)


def _require(ok: bool, text: str) -> None:
    if not ok:
        raise PlanError(text)


def _is_size(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _check_launch(launch: dict[str, Any]) -> None:
    for name, limits in (("grid", (2**31 - 1, 65535, 65535)), ("block", (1024, 1024, 64))):
        dims = launch.get(name)
        fits = isinstance(dims, list) and len(dims) == 3 and all(_is_size(d, m) and d > 0 for d, m in zip(dims, limits))
        _require(fits, f"`launch.{name}` is not three sizes within the limits of a launch")
    _require(_is_size(launch.get("shared"), 1 << 20), "`launch.shared` is not a size in bytes")


def _check_buffer(buffer: object) -> None:
    _require(isinstance(buffer, dict) and isinstance(buffer.get("name"), str), "a buffer has no name")
    assert isinstance(buffer, dict)
    name = buffer["name"]
    _require(_is_size(buffer.get("size"), 1 << 48), f"buffer `{name}`: the size is not a number of bytes")
    contained = buffer.get("contents")
    _require(isinstance(contained, dict), f"buffer `{name}`: no contents")
    assert isinstance(contained, dict)
    if "literal" in contained:
        _require(len(decoded(contained["literal"])) == buffer["size"], f"buffer `{name}`: its bytes are not its size")
    elif "pieces" in contained:
        _check_pieces(contained["pieces"], buffer)
    elif "drawn" in contained:
        _require(contained["drawn"] in ELEMENTS, f"buffer `{name}`: unknown element type {contained['drawn']!r}")
        bounds = contained.get("bounds")
        pair = (
            isinstance(bounds, list) and len(bounds) == 2 and all(type(b) is int and abs(b) < 1 << 63 for b in bounds)
        )
        _require(bounds is None or pair, f"buffer `{name}`: its bounds are no two integers")
    else:
        _require("zero" in contained, f"buffer `{name}`: contents of an unknown kind")


def _check_pieces(pieces: object, buffer: Mapping[str, Any]) -> None:
    name, size = buffer["name"], buffer["size"]
    _require(
        isinstance(pieces, list) and size <= LARGEST_FILE,
        f"buffer `{name}`: its pieces are no list, or it is too large",
    )
    for piece in pieces if isinstance(pieces, list) else ():
        fits = isinstance(piece, list) and len(piece) == 2 and _is_size(piece[0], size)
        _require(fits and piece[0] + len(decoded(piece[1])) <= size, f"buffer `{name}`: a piece outside of it")


def _check_arg(arg: object, sizes: Mapping[str, int], where: str) -> None:
    _require(isinstance(arg, dict), f"{where} is not an object")
    assert isinstance(arg, dict)
    if "scalar" in arg:
        _require(arg["scalar"] in ELEMENTS, f"{where}: unknown type {arg['scalar']!r}")
        scalar_bytes(arg)
    elif "pointer" in arg:
        _check_target(arg["pointer"], arg.get("offset", 0), sizes, where)
    elif "bytes" in arg:
        _check_pointers(arg, len(decoded(arg["bytes"])), sizes, where)
    else:
        raise PlanError(f"{where} is of an unknown kind")


def _check_pointers(holder: Mapping[str, Any], size: int, sizes: Mapping[str, int], where: str) -> None:
    for pointer in _list(holder, "pointers"):
        _require(isinstance(pointer, list) and len(pointer) == 3, f"{where}: a pointer is no place, buffer and offset")
        _require(_is_size(pointer[0], size - 8), f"{where}: a pointer outside of its bytes")
        _check_target(pointer[1], pointer[2], sizes, where)


def _check_target(target: object, offset: object, sizes: Mapping[str, int], where: str) -> None:
    _require(target is None or (isinstance(target, str) and target in sizes), f"{where}: no buffer {target!r}")
    _require(type(offset) is int and abs(offset) < _FAR, f"{where}: the offset is no number of bytes")


def _check_emulator(plan: Mapping[str, Any]) -> None:
    part, settings = plan.get("ir"), plan.get("emulator")
    if part is None or settings is None:
        return
    _require(isinstance(part, dict) and isinstance(part.get("kernel"), str), "`ir` has no kernel")
    _require(isinstance(settings, dict) and isinstance(settings.get("races"), bool), "`emulator` is not understood")
    limits = (("steps", _MOST_STEPS), ("work", _MOST_WORK))
    _require(all(_is_size(settings.get(name), most) for name, most in limits), "`emulator` has no limits of its run")
    blocks = settings.get("blocks")
    grid = plan["launch"]["grid"]
    last = grid[0] * grid[1] * grid[2] - 1
    some = isinstance(blocks, list) and 0 < len(blocks) <= _MOST_BLOCKS and all(_is_size(b, last) for b in blocks)
    _require(blocks is None or some, "`emulator.blocks` are no blocks of the grid")
    _require("table" in part and "meant" in settings, "`ir` or `emulator` is not whole")


def _check_slice(part: dict[str, Any]) -> None:
    _require(isinstance(part.get("text"), str) and isinstance(part.get("name"), str), "`slice` has no text or no name")
    copy = part.get("instrumented")
    _require(
        copy is None or (isinstance(copy, dict) and isinstance(copy.get("text"), str)),
        "`slice.instrumented` has no text",
    )


def _check_expectation(expectation: dict[str, Any]) -> None:
    _require(isinstance(expectation.get("kinds"), list), "`expectation.kinds` is no list")
    _require(isinstance(expectation.get("lines"), list), "`expectation.lines` is no list")
    outputs = expectation.get("outputs", {})
    digests = isinstance(outputs, dict) and all(isinstance(value, str) for value in outputs.values())
    _require(isinstance(expectation.get("ordered", False), bool), "`expectation.ordered` is no boolean")
    _require(digests, "`expectation.outputs` holds no digests by buffer")
    _require(isinstance(expectation.get("guarded", []), list), "`expectation.guarded` is no list")
    whole = expectation.get("written", [])
    _require(
        isinstance(whole, list) and all(isinstance(n, str) for n in whole),
        "`expectation.written` is no list of buffers",
    )
    distances = expectation.get("near", {})
    _require(isinstance(distances, dict), "`expectation.near` holds no buffers")
    for name, entry in distances.items():
        try:
            near.check(entry)
        except ValueError as error:
            raise PlanError(f"`expectation.near` of `{name}`: {error}") from None


# --- bytes -----------------------------------------------------------------------------------------------------------


def decoded(text: object) -> bytes:
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except ValueError:
        raise PlanError("bytes that are not base64") from None


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def literal(data: bytes) -> dict[str, Any]:
    """Contents as they are: whole, or in pieces where most bytes are zero."""
    used = [(found.start(), found[0]) for found in _USED.finditer(data)]
    if 2 * sum(_PIECE + len(piece) for _, piece in used) >= len(data):
        return {"literal": encoded(data)}
    return {"pieces": [[at, encoded(piece)] for at, piece in used]}


def scalar_bytes(arg: Mapping[str, Any]) -> bytes:
    """The bytes of a scalar argument in its C type. Floats are written as `float.hex`."""
    type_: str = arg["scalar"]
    value: Any = arg.get("value")
    try:
        if type_ == "bool":
            return bytes([bool(value)])
        if type_ in _INTEGERS:
            return np.array(int(value), dtype=_INTEGERS[type_]).tobytes()
        number = float.fromhex(value) if isinstance(value, str) else float(value)
        if type_ == "bf16":
            return np.array(number, dtype="<f4").tobytes()[2:]
        return bytes(np.array(number).astype(_FLOATS[str(type_)]).tobytes())
    except (ValueError, OverflowError, TypeError, KeyError):
        raise PlanError(f"{value!r} is no value of type {type_}") from None


def argument_bytes(arg: Mapping[str, Any], addresses: Mapping[str, int]) -> bytes:
    """The bytes of an argument, with the addresses of the buffers put in."""
    if "scalar" in arg:
        return scalar_bytes(arg)
    if "pointer" in arg:
        return address_bytes(arg["pointer"], arg.get("offset", 0), addresses)
    data = bytearray(decoded(arg["bytes"]))
    for at, target, offset in arg.get("pointers", []):
        data[at : at + 8] = address_bytes(target, offset, addresses)
    return bytes(data)


def address_bytes(buffer: str | None, offset: int, addresses: Mapping[str, int]) -> bytes:
    """A pointer into a buffer; None is the null pointer."""
    return (0 if buffer is None else addresses[buffer] + offset).to_bytes(8, "little")


def buffer_bytes(buffer: Mapping[str, Any], seed: int) -> bytes | None:
    """The contents of a buffer; None for one that is all zero."""
    contained = buffer["contents"]
    if "literal" in contained:
        return decoded(contained["literal"])
    if "pieces" in contained:
        data = bytearray(buffer["size"])
        for at, piece in contained["pieces"]:
            data[at : at + len(decoded(piece))] = decoded(piece)
        return bytes(data)
    if "drawn" not in contained:
        return None
    limits = contained.get("bounds")
    bounds = (limits[0], limits[1]) if limits else None
    drawn = contents(buffer["name"], ELEMENTS[contained["drawn"]], buffer["size"], bounds, seed)
    return None if drawn.data is None else drawn.data.tobytes()
