// Declared in prelude.h, or not needed.
