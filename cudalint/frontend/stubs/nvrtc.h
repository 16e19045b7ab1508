#include <cudalint_stubs/nvrtc.h>
