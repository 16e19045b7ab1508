"""From libclang's trees to the IR, split by syntactic category. `unit.lower_unit` is the way in."""
