"""Functions of numbers and casts, by the names that CUDA and its libraries give them: they read no memory, no other thread."""

import re

NUMERIC = re.compile(
    r"(::|std::)?_*(r?sqrt|exp(2|10|m1)?|log(2|10|1p)?|pow|f?abs|f?max|f?min|fma|tanh|rcp|fdividef|frcp|fsqrt|frsqrt)f?(_r[nzud])?"
    r"|__\w+2\w+|(static|reinterpret)_cast<.*>|float|double|int|half|__half|scalar_t|acc_t|T"
)
