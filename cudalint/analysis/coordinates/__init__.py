"""Coordinates and sides that do not belong together."""
