"""Compiles public programs together with a recorder of their launches into one folder, to be run where a GPU is.

    CUDALINT_CORPORA=/path/to/clones python -m tests.gpu.recorded.build FOLDER [program ...]

programs.tsv names the programs: their sources as patterns below their folder, flags, libraries, arguments (`|` between
those of several runs) and data. FOLDER
gets one binary of each that compiles, their data, the runtime, the recorder and `record.sh`, which runs them all:

    cd FOLDER && ./record.sh RECORDS SECONDS

Libraries other than the runtime are looked for in the folders that CUDALINT_LIBRARIES names (their headers beside them, in
`../include`), and by record.sh in what Python packages of that machine bring. What fails to compile is printed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
COLUMNS = ("repository", "program", "folder", "sources", "flags", "libraries", "arguments", "data")
NVCC = (
    *("nvcc", "-cudart", "shared", "-arch=sm_90", "-std=c++17", "--extended-lambda", "-w"),
    *(
        "-Xcompiler",
        "-O1,-g1,-w,-fno-optimize-sibling-calls,-fno-inline-functions-called-once",
        "-Xcompiler",
        "-no-pie",
    ),
)
MOST_SECONDS = 400


@dataclass(frozen=True, slots=True)
class Program:
    """One row of programs.tsv; `-` is an empty cell there."""

    repository: str
    program: str
    folder: str
    sources: str
    flags: str
    libraries: str
    arguments: str
    data: str

    @property
    def name(self) -> str:
        return f"{self.repository}-{self.program}"


def programs() -> list[Program]:
    """All rows; ValueError names one that cannot be read."""
    lines = (HERE / "programs.tsv").read_text(encoding="utf-8").splitlines()
    if tuple(lines[0].split("\t")) != COLUMNS:
        raise ValueError(f"programs.tsv begins with {COLUMNS}")
    found = []
    for number, line in enumerate(lines[1:], 2):
        cells = ["" if cell == "-" else cell for cell in line.split("\t")]
        if len(cells) != len(COLUMNS):
            raise ValueError(f"programs.tsv:{number}: {len(cells)} cells")
        found.append(Program(*cells))
    return found


def compiled(program: Program, corpora: Path, folder: Path) -> str:
    """An empty text, or what the compiler said."""
    root = corpora / program.repository
    here = root / program.folder
    sources = [path for pattern in program.sources.split() for path in _matching(here, pattern)]
    if not sources:
        return f"no {program.sources} below {here}"
    libraries = [Path(each) for each in os.environ.get("CUDALINT_LIBRARIES", "").split(":") if each]
    wanted = [each for each in program.libraries.split(",") if each]
    command = [
        *NVCC,
        *(f"-I{path}" for path in (here, here / "inc", root / "Common", *sorted({path.parent for path in sources}))),
        *(f"-I{path.parent / 'include'}" for path in libraries),
        *program.flags.split(),
        *map(str, sources),
        *("-o", str(folder / "bin" / program.name)),
        *(part for name in wanted for part in _library(name, libraries)),
    ]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"more than {MOST_SECONDS} s"
    return "" if run.returncode == 0 else run.stderr.strip()[-600:] or "failed"


def _matching(folder: Path, pattern: str) -> list[Path]:
    """The files below the folder, or beside it where the pattern begins with `../`."""
    while pattern.startswith("../"):
        folder, pattern = folder.parent, pattern[3:]
    return sorted(folder.glob(pattern))


def _library(name: str, folders: list[Path]) -> tuple[str, ...]:
    found = [str(path) for folder in folders for path in sorted(folder.glob(f"lib{name}.so*"))]
    return ("-Xlinker", found[0]) if found else (f"-l{name}",)


def gathered(program: Program, corpora: Path, folder: Path) -> None:
    """The folder in which the program runs, with its data and a line of arguments for each run."""
    run = folder / "run" / program.name
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir(parents=True)
    lines = [each.strip() + "\n" for each in program.arguments.split("|")]
    (run / "arguments").write_text("".join(lines), encoding="utf-8")
    here = corpora / program.repository / program.folder
    for pattern in program.data.split():
        for path in sorted(here.glob(pattern)):
            target = run / path.relative_to(here)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def recorder(folder: Path) -> None:
    """The library to preload, and the runtime that it stands before."""
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    flags = ["-std=c++17", "-O1", "-shared", "-fPIC", f"-I{toolkit / 'include'}"]
    target = str(folder / "librecorder.so")
    subprocess.run(["g++", *flags, "-o", target, str(HERE / "recorder.cpp"), "-ldl"], check=True)
    for runtime in sorted((toolkit / "lib64").glob("libcudart.so.*")):
        shutil.copyfile(runtime, folder / "lib" / runtime.name)
    asked = subprocess.run(["g++", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True)
    shutil.copyfile(asked.stdout.strip(), folder / "lib" / "libgomp.so.1")
    shutil.copy(HERE / "record.sh", folder / "record.sh")


def main(arguments: list[str]) -> int:
    corpora = Path(os.environ.get("CUDALINT_CORPORA", ""))
    if not arguments or not corpora.is_dir():
        print(__doc__)
        return 2
    folder = Path(arguments[0]).resolve()
    for part in ("bin", "lib", "run"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    recorder(folder)
    chosen = [each for each in programs() if not arguments[1:] or each.program in arguments[1:]]
    with ThreadPoolExecutor(int(os.environ.get("CUDALINT_JOBS", "1"))) as pool:
        for program, wrong in zip(chosen, pool.map(lambda each: compiled(each, corpora, folder), chosen)):
            if not wrong:
                gathered(program, corpora, folder)
            print(f"{program.name}: {wrong or 'compiled'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
