"""Barriers, races, signals, pipelines and waits, as far as the text of a function shows them."""
