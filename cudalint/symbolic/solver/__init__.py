"""Questions to the solver: their encoding, lemmas, bounds and effort."""
