"""Floating-point formulas that lose what they compute."""
