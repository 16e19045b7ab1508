"""Tests of what ships: the hook, the wheel, the README."""
