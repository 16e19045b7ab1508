"""Tests of the formats on hand-made scan results."""
