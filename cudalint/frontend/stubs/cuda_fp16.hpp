// Declared in prelude.h.
