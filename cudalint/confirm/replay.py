"""Replay files: one finding with its launch, every input byte and what runs of it gave, to be run again on any machine.

    ID/replay.json = schema, id, digest, finding {code, name, message, path, line, column, kernel, fingerprint},
                     plan (gpu/plan_file.py: IR, slice, options, launch, arguments, buffers by seed or literally),
                     inputs {buffer: {size, digest}},
                     runs {emulator or gpu: {verdict, detail, error, by, events, outputs, guards, steps, versions}}

The id is that of the finding, so that it stays while lines move; the digest is the hash of all the rest. Text is canonical
JSON, the same for the same finding. A file is data: what it says is looked at and run by the emulator, or compiled for a GPU
where the caller asks for it, and nothing else.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from cudalint.confirm import emulated
from cudalint.confirm.gpu.guard import digest
from cudalint.confirm.gpu.plan_file import Plan, PlanError, buffer_bytes, canonical, read_json, validated, write_plan

SCHEMA = "cudalint-replay/1"
NAME = "replay.json"
EMULATOR, GPU = "emulator", "gpu"
MOST_DRAWN = 1 << 29  # bytes of inputs that are made to be compared
Replay = dict[str, Any]
_FINDING = ("code", "name", "message", "path", "kernel", "fingerprint")


class CannotReplay(Exception):
    """The file cannot be run here; one line with the next step."""


# --- files ----------------------------------------------------------------------------------------------------------------


def make(id_: str, finding: Mapping[str, Any], plan: Plan, runs: Mapping[str, Mapping[str, Any]]) -> Replay:
    """The replay with its digest; `runs` are results by what ran them."""
    body = {
        "schema": SCHEMA,
        "id": id_,
        "finding": dict(finding),
        "plan": plan,
        "inputs": inputs(plan),
        "runs": {on: run_of(result, on) for on, result in sorted(runs.items())},
    }
    return {**body, "digest": _digest(body)}


def _digest(replay: Mapping[str, Any]) -> str:
    return blake2b(canonical({**replay, "digest": None}), digest_size=10).hexdigest()


def inputs(plan: Plan) -> dict[str, dict[str, Any]]:
    """Size and digest of each buffer before the launch; buffers of zeros are named as such."""
    recipes = [*plan["buffers"], *plan.get("constants", [])]
    if sum(recipe["size"] for recipe in recipes if "zero" not in recipe["contents"]) > MOST_DRAWN:
        raise PlanError(f"its inputs are larger than the {MOST_DRAWN} bytes that are made here")
    found = {}
    for recipe in recipes:
        data = buffer_bytes(recipe, plan["seed"])
        found[recipe["name"]] = {"size": recipe["size"], "digest": "zeros" if data is None else digest(data)}
    return found


def run_of(result: Mapping[str, Any], on: str) -> dict[str, Any]:
    """What a replay keeps of a result."""
    observations = result["observations"]
    kept = {name: result.get(name) for name in ("verdict", "detail", "error", "by", "versions")}
    if on == EMULATOR:
        return {**kept, **observations.get(EMULATOR, {})}
    runs: list[dict[str, Any]] = (observations.get("plain") or {}).get("runs") or [{}]
    return {**kept, "outputs": runs[0].get("outputs", {}), "guards": runs[0].get("bands", [])}


def write(directory: Path, replay: Replay) -> Path:
    """The folder of the replay; raises OSError."""
    folder = directory / str(replay["id"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NAME).write_bytes(canonical(replay))
    return folder


def read(path: Path) -> Replay:
    """The replay of a file or of its folder; raises PlanError."""
    file = path / NAME if path.is_dir() else path
    replay = read_json(file)
    try:
        return _validated(replay)
    except PlanError as error:
        raise PlanError(f"{file.name}: {error}") from None
    except (TypeError, KeyError, ValueError, AttributeError, RecursionError) as error:
        raise PlanError(f"{file.name}: a part has another form than it has to have ({type(error).__name__})") from None


def _validated(replay: object) -> Replay:
    if not isinstance(replay, dict):
        raise PlanError("a replay is a JSON object")
    if replay.get("schema") != SCHEMA:
        raise PlanError(f"the schema is {str(replay.get('schema'))[:40]!r}, this version reads {SCHEMA!r}")
    if replay.get("digest") != _digest(replay):
        raise PlanError("the digest is not the hash of the contents: the file was changed or cut off")
    finding, runs = replay["finding"], replay["runs"]
    texts = [*(finding[name] for name in _FINDING if finding[name] is not None), replay["id"]]
    if not all(isinstance(text, str) for text in texts):
        raise PlanError("`finding` is not understood")
    if not runs or not all(on in (EMULATOR, GPU) and isinstance(run["verdict"], str) for on, run in runs.items()):
        raise PlanError("`runs` holds no verdict")
    validated(replay["plan"])
    return replay


# --- runs -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Again:
    """Another run of a replay, beside the one that it is compared with."""

    on: str
    recorded_on: str
    recorded: Mapping[str, Any]
    run: Mapping[str, Any]
    inputs: Mapping[str, Mapping[str, Any]]
    same_inputs: bool

    @property
    def same_verdict(self) -> bool:
        return bool(self.recorded["verdict"] == self.run["verdict"])

    @property
    def same_outputs(self) -> bool | None:
        """None where outputs of a GPU and of the emulator stand beside each other: they end at different places."""
        if self.on != self.recorded_on:
            return None
        return bool(self.recorded.get("outputs") == self.run.get("outputs"))


def again(replay: Replay, on: str, gpu: int = 0, timeout: float = 10.0) -> Again:
    """Run it; raises CannotReplay where that is not possible here, PlanError for inputs that cannot be made."""
    plan = replay["plan"]
    given = inputs(plan)
    recorded_on = on if on in replay["runs"] else next(iter(sorted(replay["runs"])))
    result = emulated.result(plan) if on == EMULATOR else _on_gpu(plan, gpu, timeout)
    recorded = replay["runs"][recorded_on]
    return Again(on, recorded_on, recorded, run_of(result, on), given, given == replay["inputs"])


def _on_gpu(plan: Plan, gpu: int, timeout: float) -> dict[str, Any]:
    from cudalint.confirm.gpu.pool import WorkerFailed
    from cudalint.confirm.gpu.worker import Settings, each_result

    if plan["slice"] is None:
        reason = plan.get("unsliced") or "it holds no source"
        raise CannotReplay(f"this replay is not for a GPU ({reason}); --on emulator runs it")
    with tempfile.TemporaryDirectory(prefix="cudalint-") as folder:
        path = write_plan(Path(folder), plan)
        try:
            ((_, result, _),) = each_result([path], Settings(gpu=gpu, timeout=timeout))
        except WorkerFailed as error:
            raise CannotReplay(f"{error}; --on emulator needs no GPU") from None
    if isinstance(result, str):
        raise CannotReplay(result)
    return result
