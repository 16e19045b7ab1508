"""Cases of a dispatch that a build switches on are read, but not in a file that has dispatches of its own around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudalint.engine import ScanOptions
from cudalint.engine.jobs import plan_jobs
from cudalint.project.discovery import discover
from tests.project.test_discovery import tree

HEADER = "#ifdef HALF\n#define CASE_HALF(T) case 2: f<T>();\n#else\n#define CASE_HALF(T)\n#endif\n"
OWN = "#define BY_MODE(m, ...) \\\n  switch (m) { \\\n    case 0: __VA_ARGS__(); }\n"


@pytest.mark.parametrize(("own", "defines"), [("", ("HALF",)), (OWN, ()), ("#define N 4\n// switch\n", ("HALF",))])
def test_a_dispatch_has_its_cases_where_no_other_one_is_around_it(
    tmp_path: Path, own: str, defines: tuple[str, ...]
) -> None:
    text = '#include "dispatch.h"\n' + own + "__global__ void k(int *p) { p[0] = 0; }\n"
    tree(tmp_path, {"dispatch.h": HEADER, "a.cu": text})
    found = discover([str(tmp_path)], project_root=str(tmp_path))
    (job,) = (j for j in plan_jobs(found, ScanOptions(paths=(str(tmp_path),))).jobs if j.source.path == "a.cu")
    assert job.parse.defines == defines
