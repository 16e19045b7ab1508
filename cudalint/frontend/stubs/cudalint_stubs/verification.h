// Statements of program verifiers, which declare them in headers of their own. What callers owe is taken as an `assert` is;
// what is to be proved says nothing here: neither invariants nor postconditions are assumed or checked.
#pragma once
#pragma clang system_header
#define __requires(e) __cudalint_assert(static_cast<bool>(e))
#define __global_requires(e) __requires(e)
#define __ensures(...) static_cast<void>(0)
#define __global_ensures(...) static_cast<void>(0)
#define __invariant(...) static_cast<void>(0)
#define __global_invariant(...) static_cast<void>(0)
#define __candidate_invariant(...) static_cast<void>(0)
#define __function_wide_invariant(...) static_cast<void>(0)
#define __function_wide_candidate_invariant(...) static_cast<void>(0)
#define __assert(...) static_cast<void>(0)
#define __global_assert(...) static_cast<void>(0)
#define __candidate_assert(...) static_cast<void>(0)
