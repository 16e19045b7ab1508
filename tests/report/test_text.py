from __future__ import annotations

from dataclasses import replace

from cudalint.finding import CHOSEN, Assumption
from cudalint.report import phrases, text, verify_text
from cudalint.report.summary import explain_parse
from tests.report.factory import BOUNDS, EMPTY, KERNELS, NOTE, RACE, RESULT, RULES, SOURCES, result

BOUNDS_TEXT = """\
error[IDX101] global-bounds: write past the end of `y`                            src/k.cu:4:2
   saxpy<float> launched by main() at src/k.cu:22
   4 |     y[i] = a * x[i] + y[i];
     |     ^^^^
   n = 1; grid (1,1,1) block (256,1,1); block (0,0,0) thread (1,0,0): index 1, extent 1
   whenever n % 256 != 0; assuming extent(y) = n (src/k.cu:20), y does not overlap x (default)  emulated, needs 8 B
   fix: return where i >= n                                                       replay: .cudalint/replay/3f2a
"""

RACE_TEXT = """\
error[SYN101] shared-race: two threads meet at `s` with no barrier between them   src/k.cu:11:24
   shift
   block (0,0,0) thread (32,0,0)            block (0,0,0) thread (0,0,0)
   write element 32 at src/k.cu:10          read element 32 at src/k.cu:11
   10 |     s[threadIdx.x] = threadIdx.x;   11 |     out[threadIdx.x] = s[threadIdx.x ^ 32];
      |     ^^^^^^^^^^^^^^                     |                        ^^^^^^^^^^^^^^^^^^^^
   total = 1152921504606846976; grid (1,1,1) block (256,1,1) shared 1.0 KiB
   witness
"""

SUMMARY = """\
note: 1 include not found
warning: src/locked.cu: could not be read: permission denied
not fully understood: 1 kernel (1 inline assembly); --explain-parse lists every place
not decided: 1 no-extent; `cudalint verify` lists every access
   no-extent: no extent is known for the memory behind them; a launch or `// cudalint: extent(x) = n` would settle them
2 errors; not shown: 1 low, 2 medium (--profile audit)
2 files (1 failed), 2 kernels analysed (1 complete, 1 exact); accesses: 1 safe, 1 violated, 1 unknown, 0 unreachable
"""


def test_findings_in_order_then_the_summary() -> None:
    assert text.render(RESULT, SOURCES, RULES) == f"{BOUNDS_TEXT}\n{RACE_TEXT}\n{SUMMARY}"


def test_nothing_found_because_nothing_was_there_is_said() -> None:
    assert "warning: no CUDA kernel found: nothing was checked" in text.render(EMPTY, {}, ())


def test_unknown_sources_cost_the_excerpt_only() -> None:
    report = text.render(result(BOUNDS, RACE), {}, RULES)
    assert "index 1, extent 1" in report and "^" not in report.replace("x ^ 32", "")


def test_colour_changes_nothing_but_colour() -> None:
    import re

    coloured = text.render(RESULT, SOURCES, RULES, colour=True)
    assert "\x1b[1;31m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text.render(RESULT, SOURCES, RULES)


def test_hostile_names_do_not_reach_the_terminal() -> None:
    hostile = replace(BOUNDS, message="\x1b[2Jgone", kernel="k\r\n\x07", trigger="f(\u202e)")
    report = text.render(result(hostile), SOURCES, RULES)
    assert not any(character in report for character in "\x1b\r\x07\u202e")


def test_order_of_findings_does_not_matter() -> None:
    assert text.render(result(NOTE, BOUNDS, RACE), SOURCES) == text.render(result(RACE, NOTE, BOUNDS), SOURCES)


def test_verify_lists_verdicts_facts_and_the_table() -> None:
    report = verify_text.render(RESULT, SOURCES, RULES)
    assert "   4:13       read           safe         [1]\n" in report
    assert "   4:20       read           unknown      no-extent: extent(y)?\n" in report
    assert "   [1] extent(y) = n (launch, src/k.cu:20)\n" in report
    assert "total   2 kernels     1     1         1        0            1         1\n" in report


def test_explain_parse_lists_every_gap() -> None:
    assert list(explain_parse(KERNELS)) == [
        "shift (src/k.cu:7:1): not complete",
        "   src/k.cu:10:5: not understood: inline assembly",
    ]


def test_notes_that_say_the_same_at_many_places_are_one_entry_behind_the_findings() -> None:
    notes = [replace(NOTE, span=replace(NOTE.span, line=line, end_line=line)) for line in range(1, 13)]
    report = text.render(result(BOUNDS, *notes), SOURCES, RULES)
    assert report.count(f"note[{NOTE.code}]") == 1
    assert report.index("error[") < report.index("note[")
    assert "12 places" in report and "and 4 more" in report


def test_a_few_notes_are_shown_one_by_one() -> None:
    notes = [replace(NOTE, span=replace(NOTE.span, line=line, end_line=line)) for line in range(1, 4)]
    assert text.render(result(*notes), SOURCES, RULES).count(f"note[{NOTE.code}]") == 3


def test_names_that_the_walk_has_made_and_facts_that_are_too_long_are_not_shown() -> None:
    assert BOUNDS.witness is not None
    values = {f"run{CHOSEN}1": 64, "run:rows": 7, "run:chosen1": 3}
    facts = tuple(Assumption(text, "launch") for text in ("...", "chosen1 == ...", "rows <= 8"))
    told = replace(BOUNDS, trigger=None, witness=replace(BOUNDS.witness, values=values), assumptions=facts)
    assert phrases.values(told.witness or BOUNDS.witness) == "rows = 7, chosen1 = 3"
    assert "rows <= 8" in phrases.general(told) and "..." not in phrases.general(told)


def test_of_many_assumptions_the_first_are_told_and_the_number_of_the_others() -> None:
    facts = tuple(Assumption(f"n{i} == {i}", "launch") for i in range(14))
    shown = phrases.general(replace(BOUNDS, assumptions=facts))
    assert "n11 == 11 (launch), and 2 more that `--format json` lists" in shown and "n12" not in shown
    assert phrases.general(replace(BOUNDS, assumptions=facts[:13])).endswith("n12 == 12 (launch)")
