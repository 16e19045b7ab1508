#include <cudalint_stubs/raft.h>
