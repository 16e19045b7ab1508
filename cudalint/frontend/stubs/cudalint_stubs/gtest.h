// GoogleTest: a test is a host function, a typed one that of the first type of its list.
#pragma once
#include "std.h"
namespace testing {
struct Test { virtual ~Test(); virtual void SetUp(); virtual void TearDown(); static void SetUpTestSuite(); static void TearDownTestSuite(); static bool HasFailure(); };
template <class T> struct WithParamInterface { typedef T ParamType; static const T &GetParam(); };
template <class T> struct TestWithParam : Test, WithParamInterface<T> { typedef T ParamType; };
struct Environment { virtual ~Environment(); virtual void SetUp(); virtual void TearDown(); };
struct AssertionResult { AssertionResult(bool success); template <class T> AssertionResult &operator<<(const T &value); operator bool() const; };
AssertionResult AssertionSuccess();
AssertionResult AssertionFailure();
struct __cudalint_outcome { template <class T> const __cudalint_outcome &operator<<(const T &value) const; };
template <class... A> __cudalint_outcome __cudalint_expected(const A &...values);
template <class... T> struct Types {};
template <class... T> struct __cudalint_first { typedef int type; };
template <class T, class... R, class... X> struct __cudalint_first<Types<T, R...>, X...> { typedef T type; };
Environment *AddGlobalTestEnvironment(Environment *environment);
void InitGoogleTest(int *argc, char **argv);
}  // namespace testing
int RUN_ALL_TESTS();
#define TEST(suite, name) static void suite##_##name##_Test()
#define TEST_F(suite, name)                                                                                     \
  struct suite##_##name##_Test : suite { void TestBody(); };                                                    \
  static void suite##_##name##_run(suite##_##name##_Test *test) { test->TestBody(); }                           \
  void suite##_##name##_Test::TestBody()
#define TEST_P(suite, name) TEST_F(suite, name)
#define TYPED_TEST_SUITE(suite, ...) typedef ::testing::__cudalint_first<__VA_ARGS__>::type suite##_cudalint_type
#define TYPED_TEST_CASE(suite, ...) TYPED_TEST_SUITE(suite, __VA_ARGS__)
#define TYPED_TEST(suite, name)                                                                                 \
  template <class T_> struct suite##_##name##_Test : suite<T_> { typedef suite<T_> TestFixture; typedef T_ TypeParam; void TestBody(); }; \
  static void suite##_##name##_run(suite##_##name##_Test<suite##_cudalint_type> *test) { test->TestBody(); }    \
  template <class T_> void suite##_##name##_Test<T_>::TestBody()
#define INSTANTIATE_TEST_SUITE_P(...) static_assert(true, "")
#define INSTANTIATE_TEST_CASE_P(...) static_assert(true, "")
#define CUDALINT_EXPECTED(...) ::testing::__cudalint_expected(__VA_ARGS__)
#define CUDALINT_RUN(statement) if (bool once = true) { statement; } else ::testing::__cudalint_outcome{}
#define EXPECT_TRUE(value) CUDALINT_EXPECTED(bool(value))
#define EXPECT_FALSE(value) CUDALINT_EXPECTED(bool(value))
#define EXPECT_EQ(a, b) CUDALINT_EXPECTED(a, b)
#define EXPECT_NE(a, b) CUDALINT_EXPECTED(a, b)
#define EXPECT_LT(a, b) CUDALINT_EXPECTED(a, b)
#define EXPECT_LE(a, b) CUDALINT_EXPECTED(a, b)
#define EXPECT_GT(a, b) CUDALINT_EXPECTED(a, b)
#define EXPECT_GE(a, b) CUDALINT_EXPECTED(a, b)
#define EXPECT_STREQ(a, b) CUDALINT_EXPECTED(a, b)
#define EXPECT_FLOAT_EQ(a, b) CUDALINT_EXPECTED(a, b)
#define EXPECT_DOUBLE_EQ(a, b) CUDALINT_EXPECTED(a, b)
#define EXPECT_NEAR(a, b, error) CUDALINT_EXPECTED(a, b, error)
#define EXPECT_THROW(statement, type) CUDALINT_RUN(statement)
#define EXPECT_NO_THROW(statement) CUDALINT_RUN(statement)
#define EXPECT_ANY_THROW(statement) CUDALINT_RUN(statement)
#define ASSERT_TRUE(value) EXPECT_TRUE(value)
#define ASSERT_FALSE(value) EXPECT_FALSE(value)
#define ASSERT_EQ(a, b) EXPECT_EQ(a, b)
#define ASSERT_NE(a, b) EXPECT_NE(a, b)
#define ASSERT_LT(a, b) EXPECT_LT(a, b)
#define ASSERT_LE(a, b) EXPECT_LE(a, b)
#define ASSERT_GT(a, b) EXPECT_GT(a, b)
#define ASSERT_GE(a, b) EXPECT_GE(a, b)
#define ASSERT_STREQ(a, b) EXPECT_STREQ(a, b)
#define ASSERT_FLOAT_EQ(a, b) EXPECT_FLOAT_EQ(a, b)
#define ASSERT_DOUBLE_EQ(a, b) EXPECT_DOUBLE_EQ(a, b)
#define ASSERT_NEAR(a, b, error) EXPECT_NEAR(a, b, error)
#define ASSERT_THROW(statement, type) EXPECT_THROW(statement, type)
#define ASSERT_NO_THROW(statement) EXPECT_NO_THROW(statement)
#define SUCCEED() CUDALINT_EXPECTED()
#define FAIL() CUDALINT_EXPECTED()
#define ADD_FAILURE() CUDALINT_EXPECTED()
#define GTEST_SKIP() CUDALINT_EXPECTED()
#define SCOPED_TRACE(message) static_assert(true, "")
