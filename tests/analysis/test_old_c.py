"""C of before prototypes is put in the words that C++ reads; whatever is C++ stays as it was."""

from __future__ import annotations

import pytest

from cudalint.analysis.text.old_c import in_new_words

DEFINITIONS = [
    ("int f(a, b)\nint a;\nfloat *b;\n{ }\n", "int f(int a, float *b)\n\n\n{ }\n"),
    ("grid *make(rows, cols)\nint rows, cols;\n{ }\n", "grid *make(int rows, int cols)\n\n{ }\n"),
    ("load(g)\nstruct grid *g;\n{ }\n", "load(struct grid *g)\n\n{ }\n"),
    ("void seed(n)\n{ }\n", "void seed(int n)\n{ }\n"),
    ("int run(argc, argv)\nint argc;\nchar *argv[];\n{ }\n", "int run(int argc, char *argv[])\n\n\n{ }\n"),
    ("void f(a, /* of a */\n       m)\nfloat *a, **m;\n{ }\n", "void f(float *a, float **m\n)\n\n{ }\n"),
]


@pytest.mark.parametrize(("old", "new"), DEFINITIONS)
def test_parameters_get_the_types_that_stand_behind_them(old: str, new: str) -> None:
    assert in_new_words(old) == new
    assert old.count("\n") == new.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "int f(void) { }\n",
        "int f(int a) { if (a)\n{ } }\n",
        "int f(int a)\n{\nwhile (a)\n{ }\n}\n",
        "TEST(name)\n{ }\n",
        "int f(a)\nint b;\n{ }\n",
        'const char *s = "class of new";  // this is new\n#pragma omp parallel private(s)\n',
        "int *f(n)\nint n;\n{ return new int[n]; }\n",
        "class A { };\nvoid f();\n",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert in_new_words(text) == text


def test_a_declaration_without_parameters_takes_any() -> None:
    assert in_new_words("grid *make();\nint f(void);\nint g() { h(); }\n") == (
        "grid *make(...);\nint f(void);\nint g() { h(); }\n"
    )


def test_names_that_are_words_of_cpp_are_other_names() -> None:
    assert in_new_words("grid *new = make(2), *renewed;\n") == "grid *New = make(2), *renewed;\n"
