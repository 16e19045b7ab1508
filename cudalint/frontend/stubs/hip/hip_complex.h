#include <cuComplex.h>
