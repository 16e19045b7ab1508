"""`check`, `verify` and the rest in a process of their own, as users run them."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.cli.command import ROOT, cudalint, started, usage_error

SHOWCASE = ROOT / "fixtures" / "showcase"
SAXPY = SHOWCASE / "saxpy.cu"
OPEN = "__global__ void fill(float* y) { y[threadIdx.x] = 0.f; }\n"


def test_version_is_quick() -> None:
    """In processor time, the best of some runs: other processes may be busy."""
    assert any(_processor_seconds("--version") < 0.15 for _ in range(20))


def _processor_seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert started(*arguments).stdout == "cudalint 0.1.0\n"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_version_imports_click_alone() -> None:
    script = (
        "import sys; from cudalint.cli.main import run; run(['--version']); print(sorted(sys.modules), file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    loaded = found.stderr
    assert not [name for name in ("numpy", "z3", "clang", "tree_sitter", "sarif_om", "attr") if f"'{name}'" in loaded]


def test_showcase_finds_each_planted_defect() -> None:
    found = cudalint("check", "--format", "json", str(SHOWCASE))
    codes = {(each["code"], Path(each["path"]).name) for each in json.loads(found.stdout)["findings"]}
    assert {("IDX101", "saxpy.cu"), ("SYN101", "block_sum.cu"), ("SYN201", "smooth.cu"), ("PRE101", "dot.cu")} <= codes
    assert found.returncode == 1


def test_fail_level_never_is_status_0() -> None:
    assert cudalint("check", "--fail-level", "never", str(SAXPY)).returncode == 0


def test_several_reports_in_one_run(tmp_path: Path) -> None:
    outputs = [f"{kind}={tmp_path / kind}" for kind in ("text", "json", "sarif")]
    found = cudalint("check", str(SAXPY), *(word for each in outputs for word in ("-o", each)))
    assert found.stdout == (tmp_path / "text").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "json").read_text())["schema"] == "cudalint/1"
    schema = json.loads((ROOT / "tests" / "data" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(schema).validate(json.loads((tmp_path / "sarif").read_text()))


def test_the_last_line_has_the_figures() -> None:
    last = cudalint("check", str(SAXPY)).stdout.splitlines()[-1]
    assert last.startswith("1 file, 1 kernel analysed (") and " safe, " in last and " unknown, " in last


def test_same_bytes_from_any_directory(tmp_path: Path) -> None:
    here = cudalint("check", "fixtures/showcase", "--format", "json", "--jobs", "1").stdout
    there = cudalint("check", str(SHOWCASE), "--format", "json", "--jobs", "2", cwd=tmp_path).stdout
    assert here == there and here


def test_standard_input() -> None:
    found = cudalint("check", "-", "--format", "json", "--fail-level", "never", stdin=SAXPY.read_text())
    assert [each["code"] for each in json.loads(found.stdout)["findings"]][:1] == ["IDX101"]


def test_text_quotes_the_source() -> None:
    text = cudalint("check", str(SAXPY)).stdout
    assert "y[i] = a * x[i] + y[i];" in text and "^^^" in text


def test_select_and_ignore() -> None:
    none = cudalint("check", str(SAXPY), "--ignore", "IDX,API,global-bounds", "--format", "json")
    assert json.loads(none.stdout)["findings"] == [] and none.returncode == 0
    some = cudalint("check", str(SHOWCASE), "--select", "SYN", "--format", "json")
    assert {each["code"][:3] for each in json.loads(some.stdout)["findings"]} == {"SYN"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check"], "name the files"),
        (["check", "/no/such.cu"], "/no/such.cu"),
        (["check", str(SAXPY), "--select", "IDX11x"], "IDX11x"),
        (["check", str(SAXPY), "--select", "global-bound"], "global-bounds"),
        (["check", str(SAXPY), "--nonsense"], "--nonsense"),
        (["check", str(SAXPY), "--block-dim", "0"], "positive"),
        (["check", str(SAXPY), "--block-dim", "64,64"], "1024"),
        (["check", str(SAXPY), "-o", "pdf=x"], "FORMAT=FILE"),
        (["check", str(SAXPY), "-o", "json=/no/such/folder/x"], "folder does not exist"),
        (["check", str(SAXPY), "-o", "json=/dev/full"], "No space left"),
        (["explain", "IDX999"], "IDX"),
        (["confirm", "/no/such"], "no such folder"),
        (["check", str(SAXPY), "--compile-commands", "/no/such.json"], "/no/such.json"),
    ],
)
def test_mistakes_are_one_line_and_status_2(arguments: list[str], words: str) -> None:
    assert words in usage_error(cudalint(*arguments))


def test_full_standard_output_is_status_2() -> None:
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "cudalint.cli.main", "check", str(SAXPY)],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert found.returncode == 2 and found.stderr.count("\n") == 1 and "No space left" in found.stderr


def test_closed_pipe_is_quiet() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "cudalint.cli.main", "check", str(SHOWCASE)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""


def test_nothing_to_check_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    found = cudalint("check", str(tmp_path))
    assert found.returncode == 0 and "warning: no CUDA" in found.stdout
    assert "no CUDA" in usage_error(cudalint("check", str(tmp_path), "--require-files"))


def test_hook_is_silent_without_cuda(tmp_path: Path) -> None:
    plain = tmp_path / "a.py"
    plain.write_text("print(1)\n")
    found = cudalint("check", "--hook", str(plain))
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_unreadable_files_cost_status_3_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(b"\0\1\2")
    (tmp_path / "b.cu").write_text(SAXPY.read_text())
    found = cudalint(
        "check", str(tmp_path / "a.cu"), str(tmp_path / "b.cu"), "--fail-level", "never", "--format", "json"
    )
    assert found.returncode == 3
    assert [each["code"] for each in json.loads(found.stdout)["findings"]][:1] == ["IDX101"]


def test_verify_lists_every_access() -> None:
    found = cudalint("verify", str(SAXPY))
    assert found.returncode == 1
    assert "violated" in found.stdout and "saxpy" in found.stdout and "total" in found.stdout


def test_verify_requires_a_proof_when_told(tmp_path: Path) -> None:
    kernel = tmp_path / "k.cu"
    kernel.write_text(OPEN)
    assert cudalint("verify", str(kernel)).returncode == 0
    assert cudalint("verify", str(kernel), "--require-proof").returncode == 3


def test_rules_and_their_pages() -> None:
    assert "IDX101  global-bounds" in cudalint("rules").stdout
    page = cudalint("explain", "global-bounds").stdout
    assert page.startswith("IDX101 global-bounds") and "Limits" in page
    assert json.loads(cudalint("rules", "--format", "json").stdout)[0]["code"]


def test_internal_errors_are_one_line_and_status_4() -> None:
    broken = "import sys, cudalint.engine; sys.modules['cudalint.engine.scan'].discover = None"
    script = f"{broken}; from cudalint.cli.main import main; main(['check', {str(SAXPY)!r}])"
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 4
    assert found.stderr.count("\n") == 1 and "CUDALINT_TRACEBACK=1" in found.stderr


def test_confirm_needs_neither_libclang_nor_z3(tmp_path: Path) -> None:
    lazy = "import sys; from cudalint.cli.main import run; run(['confirm', sys.argv[1]]); "
    script = lazy + "print([name for name in ('clang', 'z3', 'tree_sitter', 'sarif_om') if name in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.stdout == "[]\n" and "no plans" in found.stderr
