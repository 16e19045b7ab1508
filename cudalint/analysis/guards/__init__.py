"""Guards that are wrong, missing, late or held against the wrong bound."""
