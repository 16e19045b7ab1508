"""Products, places and counters that are too narrow for what they count."""
