"""Replay files: canonical, the same on every run, and read as data only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint.cli.main import run as command
from cudalint.confirm import replay as files
from cudalint.confirm.gpu.plan_file import PlanError, buffer_bytes, canonical, with_id
from cudalint.engine import ScanOptions, scan
from cudalint.engine.replays import Recorded, written
from cudalint.finding import Evidence, Finding, ScanResult

ROOT = Path(__file__).parents[2]
SAXPY = ROOT / "fixtures" / "showcase" / "saxpy.cu"
LAUNCHED = """
__global__ void add(float *x, const int *places, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] += 1.0f;
}
void run(const float *host, int n) {
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    add<<<(n + 127) / 128, 128>>>(x, nullptr, n);
}
"""


def scanned(source: Path, where: Path) -> ScanResult:
    return scan(
        ScanOptions((str(source),), select=("IDX101",), replay_dir=str(where), project_root=str(source.parent), jobs=1)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The replay of the showcase's finding."""
    where = tmp_path_factory.mktemp("replays")
    (finding,) = scanned(SAXPY, where).findings
    assert finding.replay is not None
    return Path(finding.replay)


@pytest.fixture
def stored(folder: Path) -> dict[str, Any]:
    return files.read(folder)


def rewritten(path: Path, stored: dict[str, Any], **changes: Any) -> Path:
    """A file whose digest is right, with changed parts."""
    changed = {**stored, **changes}
    path.write_bytes(canonical({**changed, "digest": files._digest(changed)}))
    return path


# --- writing ---------------------------------------------------------------------------------------------------------


def test_nothing_is_written_that_was_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(LAUNCHED)
    (finding,) = scan(ScanOptions((str(tmp_path / "k.cu"),), select=("IDX101",), jobs=1)).findings
    assert finding.replay is None and os.listdir(tmp_path) == ["k.cu"]


def test_two_scans_write_the_same_bytes(tmp_path: Path, folder: Path) -> None:
    (finding,) = scanned(SAXPY, tmp_path).findings
    assert Path(finding.replay or "").name == folder.name == finding.fingerprint[:12]
    assert (Path(finding.replay or "") / files.NAME).read_bytes() == (folder / files.NAME).read_bytes()


def test_the_file_is_canonical(folder: Path, stored: dict[str, Any]) -> None:
    assert canonical(stored) == (folder / files.NAME).read_bytes()


def test_the_id_stays_while_lines_move(tmp_path: Path) -> None:
    ids = []
    for name, text in (("a", LAUNCHED), ("b", "\n\n// moved\n" + LAUNCHED)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "k.cu").write_text(text)
        (finding,) = scanned(tmp_path / name / "k.cu", tmp_path / name / "out").findings
        ids.append(Path(finding.replay or "").name)
    assert ids[0] == ids[1]


def test_everything_is_in_it(stored: dict[str, Any]) -> None:
    plan, run = stored["plan"], stored["runs"]["emulator"]
    assert plan["slice"]["text"] and plan["ir"]["table"] and plan["options"] and plan["launch"]["block"] == [256, 1, 1]
    assert set(stored["inputs"]) == {buffer["name"] for buffer in plan["buffers"]} == set(run["outputs"])
    assert run["verdict"] == "confirmed" and run["guards"][0]["side"] == "above" and "numpy" in run["versions"]


def test_only_the_contents_that_matter_are_left(tmp_path: Path) -> None:
    source = ROOT / "fixtures" / "IDX101-global-bounds" / "bad_guarded_id_from_memory.cu"
    (finding,) = scanned(source, tmp_path).findings
    plan = files.read(Path(finding.replay or ""))["plan"]
    made = {b["name"].partition(":")[2]: buffer_bytes(b, plan["seed"]) or b"" for b in plan["buffers"]}
    rows = plan["args"][3]["value"]
    assert sorted(memoryview(made["ids"]).cast("i")) == [0] * (len(made["ids"]) // 4 - 1) + [rows]
    assert not any(made["table"])


def test_of_equal_findings_each_has_a_folder(tmp_path: Path, stored: dict[str, Any]) -> None:
    (finding,) = scan(ScanOptions((str(SAXPY),), jobs=1)).findings
    shown = replace(finding, replay=stored["plan"]["id"])
    runs = {"emulator": {**stored["runs"]["emulator"], "observations": {}}}
    given = written([shown, shown], [Recorded(stored["plan"], runs)], str(tmp_path))
    assert [Path(f.replay or "").name for f in given] == [finding.fingerprint[:12], f"{finding.fingerprint[:12]}-2"]


def test_what_no_run_has_shown_has_no_replay(tmp_path: Path, stored: dict[str, Any]) -> None:
    (finding,) = scan(ScanOptions((str(SAXPY),), jobs=1)).findings
    refuted: Finding = replace(finding, replay=stored["plan"]["id"], evidence=Evidence.UNCONFIRMED)
    assert written([refuted], [Recorded(stored["plan"], {})], str(tmp_path))[0].replay is None
    assert not os.listdir(tmp_path)


# --- running again ---------------------------------------------------------------------------------------------------


def test_a_replay_gives_the_same_inputs_outputs_and_verdict(stored: dict[str, Any]) -> None:
    done = files.again(stored, files.EMULATOR)
    assert done.same_inputs and done.same_verdict and done.same_outputs


def test_the_command_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["replay", str(folder), "--on", "emulator"]) == 0
    out = capsys.readouterr().out
    assert "IDX101 global-bounds" in out and "input `run_saxpy:x`: 4 bytes" in out
    assert out.endswith("the same inputs, the same verdict, the same outputs\n")


def test_another_verdict_is_status_1(
    tmp_path: Path, stored: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    run = {**stored["runs"]["emulator"], "verdict": "clean"}
    path = rewritten(tmp_path / "replay.json", stored, runs={"emulator": run})
    assert command(["replay", str(path), "--on", "emulator"]) == 1
    assert "another verdict" in capsys.readouterr().out


def test_other_inputs_are_status_1(tmp_path: Path, stored: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    given = {name: {**about, "digest": "0" * 20} for name, about in stored["inputs"].items()}
    assert command(["replay", str(rewritten(tmp_path / "r.json", stored, inputs=given)), "--on", "emulator"]) == 1
    assert "other inputs" in capsys.readouterr().out


def test_no_gpu_is_one_line_with_the_next_step(
    tmp_path: Path, stored: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    plan = with_id({**stored["plan"], "slice": None, "unsliced": "a macro hides it"})
    assert command(["replay", str(rewritten(tmp_path / "r.json", stored, plan=plan)), "--on", "gpu"]) == 3
    said = capsys.readouterr()
    assert "a macro hides it" in said.err and "--on emulator" in said.err and said.err.count("\n") == 1


def test_it_needs_neither_libclang_nor_z3(folder: Path) -> None:
    blocked = (
        "import sys; [sys.modules.__setitem__(n, None) for n in ('clang', 'z3', 'tree_sitter', 'sarif_om', 'cupy')]; "
    )
    script = blocked + "from cudalint.cli.main import main; main(['replay', sys.argv[1]])"
    found = subprocess.run(
        [sys.executable, "-c", script, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "") and "the same verdict" in found.stdout


# --- damage ----------------------------------------------------------------------------------------------------------


def test_no_such_file_is_a_mistake_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["replay", "/nowhere/at/all"]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"\x80\x04cos\nsystem\n", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "a JSON object"),
        (b'{"schema": "cudalint-replay/9"}', "cudalint-replay/9"),
        (b'{"schema": "cudalint-replay/1"}', "digest"),
    ],
    ids=["empty", "pickle", "deep", "list", "later", "bare"],
)
def test_what_is_no_replay_is_one_line(
    content: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "replay.json").write_bytes(content)
    assert command(["replay", str(tmp_path)]) == 3
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and said.startswith("cudalint: ")


def test_a_file_that_was_cut_off_or_changed_is_refused(folder: Path, tmp_path: Path) -> None:
    content = (folder / files.NAME).read_bytes()
    (tmp_path / "cut.json").write_bytes(content[:-100])
    (tmp_path / "changed.json").write_bytes(content.replace(b'"seed":0', b'"seed":1'))
    for name, words in (("cut.json", "not JSON"), ("changed.json", "digest")):
        with pytest.raises(PlanError, match=words):
            files.read(tmp_path / name)


@pytest.mark.parametrize(
    "change",
    [
        lambda r: {"finding": []},
        lambda r: {"finding": {**r["finding"], "path": 7}},
        lambda r: {"runs": {}},
        lambda r: {"runs": {"shell": {"verdict": "confirmed"}}},
        lambda r: {"runs": {"emulator": None}},
        lambda r: {"plan": None},
        lambda r: {"plan": with_id({**r["plan"], "launch": 3})},
        lambda r: {"plan": with_id({**r["plan"], "emulator": {**r["plan"]["emulator"], "steps": 1 << 60}})},
        lambda r: {"plan": with_id({**r["plan"], "emulator": {**r["plan"]["emulator"], "blocks": [1 << 40]}})},
        lambda r: {"plan": with_id({**r["plan"], "ir": {"kernel": 3}})},
        lambda r: {"plan": with_id({**r["plan"], "buffers": [{**b, "pointers": [[0, "q", 0]]} for b in r["plan"]["buffers"]]})},
    ],
)  # fmt: skip
def test_a_part_of_another_form_is_refused(
    change: Callable[[dict[str, Any]], dict[str, Any]], stored: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(PlanError) as error:
        files.read(rewritten(tmp_path / "replay.json", stored, **change(stored)))
    assert "\n" not in str(error.value)


def test_what_it_says_does_not_drive_the_terminal(
    tmp_path: Path, stored: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    finding = {**stored["finding"], "message": "\x1b]0;owned\x07\u202e"}
    assert command(["replay", str(rewritten(tmp_path / "r.json", stored, finding=finding)), "--on", "emulator"]) == 0
    assert not set("\x1b\x07\u202e") & set(capsys.readouterr().out)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_any_damage_is_refused_or_judged_but_never_another_failure(data: st.DataObject, folder: Path) -> None:
    """Parts anywhere in the plan are put to anything, with all digests right."""
    stored = json.loads((folder / files.NAME).read_bytes())
    holder: Any = stored["plan"]
    while isinstance(holder, dict | list) and holder:
        key = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
        if not isinstance(holder[key], dict | list) or not holder[key] or data.draw(st.integers(0, 5)) == 0:
            break
        holder = holder[key]
    holder[key] = data.draw(
        st.one_of(st.none(), st.integers(-(2**40), 2**40), st.text(max_size=3), st.just([]), st.just({}))
    )
    stored["plan"] = with_id({**stored["plan"], "schema": "cudalint-plan/1"})
    stored["digest"] = files._digest(stored)
    path = folder.parent / "damaged.json"
    path.write_bytes(canonical(stored))
    try:
        done = files.again(files.read(path), files.EMULATOR)
    except PlanError as error:
        assert "\n" not in str(error)
    else:
        assert done.run["verdict"] in ("confirmed", "fault", "clean", "error", "timeout", "differs")
