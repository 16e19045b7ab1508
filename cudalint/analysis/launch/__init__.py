"""Launches that cannot work, or not as they are written."""
