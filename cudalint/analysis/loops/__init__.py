"""Loops that stop early, go on too long or never end."""
