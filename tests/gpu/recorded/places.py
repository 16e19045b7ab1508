"""Gives recorded launches the places in the source that they come from, and gathers them by repository.

    python -m tests.gpu.recorded.places FOLDER RECORDS OUT

FOLDER is what build.py made, RECORDS what record.sh wrote there. OUT/repository.jsonl gets one line for each program (its
runs' exit statuses, the device, the number of all launches) and one for each different launch: `kernel` as the compiler spells it,
`places` as [path, line] from the launch outwards, and the rest as recorder.cpp wrote it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.gpu.recorded.build import Program, programs

MOST_PLACES = 6
Place = tuple[str, int]
Line = dict[str, Any]


def places_of(binary: Path, addresses: Iterable[int], repository: str) -> dict[int, list[Place]]:
    """The lines of the repository's files at each address, the innermost first."""
    wanted = sorted(set(addresses))
    if not wanted:
        return {}
    command = ["addr2line", "-i", "-a", "-e", str(binary), *(hex(each) for each in wanted)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[int, list[Place]] = {}
    address = 0
    for line in said.splitlines():
        if line.startswith("0x"):
            address = int(line, 16)
            found[address] = []
        elif (place := _place(line, repository)) is not None:
            found[address].append(place)
    return found


def _place(line: str, repository: str) -> Place | None:
    path, _, number = line.partition(" (discriminator")[0].rpartition(":")
    _, inside, relative = path.partition(f"/{repository}/")
    return (_without_dots(relative), int(number)) if inside and number.isdigit() and number != "0" else None


def _without_dots(path: str) -> str:
    kept: list[str] = []
    for part in path.split("/"):
        if part == ".." and kept:
            kept.pop()
        elif part != ".":
            kept.append(part)
    return "/".join(kept)


def demangled(names: Sequence[str]) -> dict[str, str]:
    """`void scale<float>(float*, int)` by the compiler's name for it."""
    if not names:
        return {}
    said = subprocess.run(["c++filt", *names], capture_output=True, text=True, check=True).stdout
    return dict(zip(names, said.splitlines()))


def placed(program: Program, lines: Sequence[Line], statuses: list[int], binary: Path) -> list[Line]:
    """The lines of one program, its own line first."""
    launches = [line for line in lines if "kernel" in line]
    places = places_of(binary, (frame for line in launches for frame in line["frames"]), program.repository)
    names = demangled(sorted({line["kernel"] for line in launches}))
    own = {
        "program": program.program,
        "folder": program.folder,
        "exits": statuses,
        "launches": sum(line.get("launches", 0) for line in lines),
        "device": next((line["device"] for line in lines if "device" in line), {}),
    }
    found: dict[str, Line] = {}
    for line in launches:
        own_places = [place for frame in line.pop("frames") for place in places.get(frame, [])][:MOST_PLACES]
        launch = {**line, "kernel": names[line["kernel"]], "places": own_places}
        found[json.dumps(launch)] = launch
    return [own, *found.values()]


def _lines(record: Path) -> list[Line]:
    text = record.read_text(encoding="utf-8") if record.is_file() else ""
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")]


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print(__doc__)
        return 2
    folder, records, out = (Path(each) for each in arguments)
    out.mkdir(parents=True, exist_ok=True)
    runs: dict[str, list[tuple[str, int]]] = {}
    for line in (records / "runs.txt").read_text(encoding="utf-8").splitlines():
        name, record, status = line.split()
        runs.setdefault(name, []).append((record, int(status)))
    written: dict[str, list[Line]] = {}
    for program in programs():
        if program.name in runs:
            lines = [line for record, _ in runs[program.name] for line in _lines(records / f"{record}.jsonl")]
            statuses = [status for _, status in runs[program.name]]
            found = placed(program, lines, statuses, folder / "bin" / program.name)
            written.setdefault(program.repository, []).extend(found)
            print(f"{program.name}: exit {statuses}, {len(found) - 1} different launches")
    for repository, lines in written.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (out / f"{repository}.jsonl").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
