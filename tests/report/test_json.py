from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from cudalint.finding import Level
from cudalint.report import json_report
from tests.report.factory import BOUNDS, EMPTY, KERNELS, NOTE, RACE, RESULT, SOURCES, result

FINDING = """
code name level confidence evidence message path line column end_line end_column kernel function assumptions
witness trigger condition launch_site instance also_in related fix evidence_reason fingerprint replay
"""
WITNESS = ["launch", "block", "thread", "values", "threads", "index", "extent", "bytes_needed", "contents"]


def document(*findings: Any) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(json_report.render(result(*findings), SOURCES))
    return loaded


def test_names_of_the_top_level() -> None:
    found = document(BOUNDS)
    assert {"schema", "version", "verdict", "targets", "findings", "coverage", "kernels", "notes"} <= set(found)
    assert found["schema"] == "cudalint/1"
    assert found["coverage"] == {
        "files": 2,
        "files_failed": 1,
        "kernels": 2,
        "kernels_complete": 1,
        "kernels_exact": 1,
        "obligations": {"safe": 1, "violated": 1, "unknown": 1, "unreachable": 0},
        "safe_under_inferred_preconditions": 0,
        "uncalled_device_functions": 0,
        "uncalled_obligations": {"safe": 0, "violated": 0, "unknown": 0, "unreachable": 0},
    }


def test_device_functions_that_nobody_calls_are_listed_apart() -> None:
    alone = replace(KERNELS[0], name="helper", device=True)
    found: dict[str, Any] = json.loads(json_report.render(replace(RESULT, kernels=(*KERNELS, alone)), SOURCES))
    assert [each["name"] for each in found["uncalled_device_functions"]] == ["helper"]
    assert "helper" not in [each["name"] for each in found["kernels"]]
    assert found["coverage"]["kernels"] == len(KERNELS) and found["coverage"]["uncalled_device_functions"] == 1


def test_names_of_a_finding() -> None:
    (finding,) = document(BOUNDS)["findings"]
    assert list(finding) == FINDING.split()
    assert list(finding["witness"]) == WITNESS
    assert finding["witness"]["launch"] == {"grid": [1, 1, 1], "block": [256, 1, 1], "shared": 0}
    assert finding["launch_site"] == {"path": "src/k.cu", "line": 22, "host_function": "main"}
    assert finding["instance"] == {"template_args": ["float"], "target": "sm_80"}
    assert finding["assumptions"][0] == {"text": "extent(y) = n", "origin": "launch", "path": "src/k.cu", "line": 20}
    assert finding["fix"]["text"] == "return where i >= n" and len(finding["fix"]["edits"]) == 1


def test_absent_is_null() -> None:
    (finding,) = document(NOTE)["findings"]
    assert all(finding[name] is None for name in ("witness", "kernel", "fix", "replay", "launch_site", "trigger"))


def test_large_integers_are_strings() -> None:
    (finding,) = document(RACE)["findings"]
    assert finding["witness"]["values"] == {"total": str(1 << 60)}
    assert json_report.portable([1 << 53, (1 << 53) + 1, -(1 << 54), True]) == [
        1 << 53,
        str((1 << 53) + 1),
        str(-(1 << 54)),
        True,
    ]


def test_sides_of_a_race() -> None:
    (finding,) = document(RACE)["findings"]
    assert [side["kind"] for side in finding["witness"]["threads"]] == ["write", "read"]
    assert finding["related"][0]["line"] == 10 and finding["related"][0]["message"] == "the other access"


def test_kernels_and_obligations() -> None:
    kernel = document()["kernels"][0]
    assert {"name", "path", "line", "complete", "exact", "unmodelled", "opaque", "obligations"} <= set(kernel)
    obligation = kernel["obligations"][2]
    assert {"kind", "line", "column", "verdict", "reason", "facts"} <= set(obligation)
    assert obligation["reason"] == "no-extent"


def test_verdict_in_one_word() -> None:
    proved = replace(
        EMPTY, files=1, kernels=(replace(KERNELS[0], obligations=(KERNELS[0].obligations[1],)),), files_failed=0
    )
    words = {
        "violated": RESULT,
        "unknown": result(),
        "nothing": EMPTY,
        "safe": proved,
    }
    for word, scan in words.items():
        assert json.loads(json_report.render(scan, {}))["verdict"] == word
    only_a_note = replace(proved, findings=(replace(NOTE, level=Level.NOTE),))
    assert json.loads(json_report.render(only_a_note, {}))["verdict"] == "safe"


def test_any_text_gives_valid_unicode() -> None:
    text = json_report.render(result(replace(NOTE, message="\udc80 é \U0001f600")), {})
    assert text.isascii()
    assert json.loads(text)["findings"][0]["message"] == "\ufffd é \U0001f600"
