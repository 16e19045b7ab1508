from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cudalint.finding import Finding, ScanResult
from cudalint.report import sarif
from cudalint.report.fingerprints import line_hashes
from cudalint.source import Span
from tests.report.factory import BOUNDS, EMPTY, NOTE, RACE, RESULT, RULES, SOURCES, TEXT, result

SCHEMA = Path(__file__).parent.parent / "data" / "sarif-schema-2.1.0.json"


def run_of(scan: ScanResult) -> dict[str, Any]:
    """The one run of the log, after validation against the official schema."""
    log = json.loads(sarif.render(scan, SOURCES, RULES))
    validator().validate(log)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def validator() -> jsonschema.Draft4Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


def one(finding: Finding) -> dict[str, Any]:
    (found,) = run_of(result(finding))["results"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("scan", [RESULT, EMPTY, result(NOTE), result(replace(NOTE, level=BOUNDS.level))])
def test_valid(scan: ScanResult) -> None:
    run_of(scan)


def test_the_schema_rejects_what_is_wrong() -> None:
    log = json.loads(sarif.render(RESULT, SOURCES, RULES))
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(log)


def test_rules_carry_their_page() -> None:
    rule = run_of(RESULT)["tool"]["driver"]["rules"][0]
    assert rule["id"] == "IDX101" and rule["name"] == "GlobalBounds"
    assert rule["help"]["text"].startswith("An access to global memory")
    assert "    y[i] = 0;" in rule["help"]["markdown"]
    assert rule["defaultConfiguration"] == {"level": "error"}
    assert "security-severity" not in json.dumps(rule)


def test_results_name_their_rule_and_level() -> None:
    run = run_of(result(NOTE, BOUNDS, RACE))
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for found in run["results"]:
        assert rules[found["ruleIndex"]] == found["ruleId"]
        assert found["level"] in ("error", "warning", "note")


def test_places_are_relative_and_of_one_line() -> None:
    long = replace(BOUNDS, span=Span("src/k.cu", 4, 2, 5, 2))
    (place,) = one(long)["locations"]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "src/k.cu", "uriBaseId": "%SRCROOT%"}
    assert place["physicalLocation"]["region"] == {"startLine": 4, "startColumn": 2, "endColumn": 25}


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/ü.cu", "a%20b/%C3%BC.cu"),
        ("c:x.cu", "./c%3Ax.cu"),
        ("bad\udcff.cu", "bad%FF.cu"),
        ("100%.cu", "100%25.cu"),
    ],
)
def test_uris(path: str, uri: str) -> None:
    assert sarif.uri(path) == uri


def test_fingerprints() -> None:
    prints = one(BOUNDS)["partialFingerprints"]
    assert prints["primaryLocationLineHash"] == line_hashes(TEXT)[3]
    assert prints["cudalint/v1"] == BOUNDS.fingerprint


def test_races_have_a_flow_per_thread() -> None:
    found = one(RACE)
    (flow,) = found["codeFlows"]
    assert [thread["id"] for thread in flow["threadFlows"]] == [
        "block (0,0,0) thread (32,0,0)",
        "block (0,0,0) thread (0,0,0)",
    ]
    related = [place["physicalLocation"]["region"]["startLine"] for place in found["relatedLocations"]]
    assert related == [10, 11, 10]


def test_failures_are_notifications_of_a_successful_run() -> None:
    (invocation,) = run_of(RESULT)["invocations"]
    assert invocation["executionSuccessful"] is True
    assert [each["level"] for each in invocation["toolExecutionNotifications"]] == ["note", "error"]


def test_messages_hold_no_accidental_links() -> None:
    assert "](" not in one(replace(BOUNDS, message="write to a[i](b)"))["message"]["text"]


def test_same_bytes_for_any_order_and_place() -> None:
    moved = {path: replace(source, absolute="/elsewhere/k.cu") for path, source in SOURCES.items()}
    first = sarif.render(result(RACE, BOUNDS), SOURCES, RULES)
    assert first == sarif.render(result(BOUNDS, RACE), moved, RULES)
    assert "/somewhere" not in first
