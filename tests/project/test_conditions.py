"""Which macros and which target let a line of a file through the preprocessor."""

from __future__ import annotations

import pytest

from cudalint.project.conditions import DEFAULT, Setting, setting_for

K = "__global__ void k();"


def setting(*lines: str) -> Setting | None:
    """Of the line that holds the kernel."""
    return setting_for("\n".join(lines), lines.index(K) + 1, 800)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (["#ifndef GUARD_H", "#define GUARD_H"], DEFAULT),
        (["#ifdef ENABLE_FP8"], Setting(("ENABLE_FP8",))),
        (["#if defined(A) && !defined(B)"], Setting(("A",))),
        (["#if defined(A) || \\", "    defined(B)"], Setting(("A",))),
        (["#if (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900))"], Setting((), "sm_90")),
        (["#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 1000 // Blackwell"], Setting((), "sm_100")),
        (["#ifdef A", "int x;", "#else"], DEFAULT),
        (["#if VERSION", "int x;", "#elif MODE == 1"], Setting(("MODE",))),
        (["#ifdef A", "#ifdef B", "#endif"], Setting(("A",))),
        (["#ifdef A", "#if __CUDA_ARCH__ >= 900"], Setting(("A",), "sm_90")),
    ],
)
def test_the_smallest_change_is_chosen(before: list[str], expected: Setting) -> None:
    assert setting(*before, K, "#endif") == expected


@pytest.mark.parametrize(
    "condition", ["0", "MACRO(3)", "9 * * 9", "1 / 0", "defined(", "__has_include(<x.h>)", "A > 7"]
)
def test_what_cannot_be_settled_stays_out(condition: str) -> None:
    assert setting(f"#if {condition}", K, "#endif") is None
