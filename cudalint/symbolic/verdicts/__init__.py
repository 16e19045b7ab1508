"""From obligations to verdicts: facts, ties, witnesses and how likely their sizes are."""
