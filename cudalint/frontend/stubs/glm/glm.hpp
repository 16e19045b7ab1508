// Own declarations of OpenGL Mathematics, written from its public reference: https://glm.g-truc.net/0.9.9/api/index.html
// Every length is written out: no loop stands between an access and its meaning.
#pragma once

#include <cmath>
#include <cstddef>

#define GLM_HD __host__ __device__ inline
#define GLM_FUNC_QUALIFIER GLM_HD
#define GLM_FUNC_DECL __host__ __device__

namespace glm {

enum qualifier { packed_highp, packed_mediump, packed_lowp, highp = packed_highp, mediump = packed_mediump, lowp = packed_lowp, defaultp = highp };
typedef int length_t;
typedef unsigned int uint;

template <length_t L, typename T, qualifier Q = defaultp> struct vec;
template <length_t C, length_t R, typename T, qualifier Q = defaultp> struct mat;
template <typename T, qualifier Q = defaultp> struct qua;

template <typename T, qualifier Q> struct vec<1, T, Q> {
  typedef T value_type;
  typedef vec<1, bool, Q> bool_type;
  union { T x, r, s; };
  vec() = default;
  static __host__ __device__ constexpr length_t length() { return 1; }
  template <typename U> __host__ __device__ constexpr vec(U s) : x(T(s)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr vec(const vec<1, U, P> &v) : x(T(v.x)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr explicit vec(const vec<2, U, P> &v) : x(T(v.x)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr explicit vec(const vec<3, U, P> &v) : x(T(v.x)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr explicit vec(const vec<4, U, P> &v) : x(T(v.x)) {}
  __host__ __device__ constexpr T &operator[](length_t i) { return x; }
  __host__ __device__ constexpr const T &operator[](length_t i) const { return x; }
  template <typename U> __host__ __device__ vec &operator+=(U s) { x += T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator+=(const vec<1, U, P> &v) { x += T(v.x); return *this; }
  template <typename U> __host__ __device__ vec &operator-=(U s) { x -= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator-=(const vec<1, U, P> &v) { x -= T(v.x); return *this; }
  template <typename U> __host__ __device__ vec &operator*=(U s) { x *= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator*=(const vec<1, U, P> &v) { x *= T(v.x); return *this; }
  template <typename U> __host__ __device__ vec &operator/=(U s) { x /= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator/=(const vec<1, U, P> &v) { x /= T(v.x); return *this; }
  template <typename U> __host__ __device__ vec &operator%=(U s) { x %= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator%=(const vec<1, U, P> &v) { x %= T(v.x); return *this; }
  template <typename U> __host__ __device__ vec &operator&=(U s) { x &= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator&=(const vec<1, U, P> &v) { x &= T(v.x); return *this; }
  template <typename U> __host__ __device__ vec &operator|=(U s) { x |= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator|=(const vec<1, U, P> &v) { x |= T(v.x); return *this; }
  template <typename U> __host__ __device__ vec &operator^=(U s) { x ^= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator^=(const vec<1, U, P> &v) { x ^= T(v.x); return *this; }
  __host__ __device__ vec &operator++() { ++x; return *this; }
  __host__ __device__ vec operator++(int) { vec before = *this; ++*this; return before; }
  __host__ __device__ vec &operator--() { --x; return *this; }
  __host__ __device__ vec operator--(int) { vec before = *this; --*this; return before; }
};

template <typename T, qualifier Q> struct vec<2, T, Q> {
  typedef T value_type;
  typedef vec<2, bool, Q> bool_type;
  union { T x, r, s; };
  union { T y, g, t; };
  vec() = default;
  static __host__ __device__ constexpr length_t length() { return 2; }
  template <typename U> __host__ __device__ constexpr explicit vec(U s) : x(T(s)), y(T(s)) {}
  template <typename A, typename B> __host__ __device__ constexpr vec(A x_, B y_) : x(T(x_)), y(T(y_)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr vec(const vec<2, U, P> &v) : x(T(v.x)), y(T(v.y)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr explicit vec(const vec<3, U, P> &v) : x(T(v.x)), y(T(v.y)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr explicit vec(const vec<4, U, P> &v) : x(T(v.x)), y(T(v.y)) {}
  __host__ __device__ constexpr T &operator[](length_t i) { return i == 0 ? x : y; }
  __host__ __device__ constexpr const T &operator[](length_t i) const { return i == 0 ? x : y; }
  template <typename U> __host__ __device__ vec &operator+=(U s) { x += T(s); y += T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator+=(const vec<2, U, P> &v) { x += T(v.x); y += T(v.y); return *this; }
  template <typename U> __host__ __device__ vec &operator-=(U s) { x -= T(s); y -= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator-=(const vec<2, U, P> &v) { x -= T(v.x); y -= T(v.y); return *this; }
  template <typename U> __host__ __device__ vec &operator*=(U s) { x *= T(s); y *= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator*=(const vec<2, U, P> &v) { x *= T(v.x); y *= T(v.y); return *this; }
  template <typename U> __host__ __device__ vec &operator/=(U s) { x /= T(s); y /= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator/=(const vec<2, U, P> &v) { x /= T(v.x); y /= T(v.y); return *this; }
  template <typename U> __host__ __device__ vec &operator%=(U s) { x %= T(s); y %= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator%=(const vec<2, U, P> &v) { x %= T(v.x); y %= T(v.y); return *this; }
  template <typename U> __host__ __device__ vec &operator&=(U s) { x &= T(s); y &= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator&=(const vec<2, U, P> &v) { x &= T(v.x); y &= T(v.y); return *this; }
  template <typename U> __host__ __device__ vec &operator|=(U s) { x |= T(s); y |= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator|=(const vec<2, U, P> &v) { x |= T(v.x); y |= T(v.y); return *this; }
  template <typename U> __host__ __device__ vec &operator^=(U s) { x ^= T(s); y ^= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator^=(const vec<2, U, P> &v) { x ^= T(v.x); y ^= T(v.y); return *this; }
  __host__ __device__ vec &operator++() { ++x; ++y; return *this; }
  __host__ __device__ vec operator++(int) { vec before = *this; ++*this; return before; }
  __host__ __device__ vec &operator--() { --x; --y; return *this; }
  __host__ __device__ vec operator--(int) { vec before = *this; --*this; return before; }
};

template <typename T, qualifier Q> struct vec<3, T, Q> {
  typedef T value_type;
  typedef vec<3, bool, Q> bool_type;
  union { T x, r, s; };
  union { T y, g, t; };
  union { T z, b, p; };
  vec() = default;
  static __host__ __device__ constexpr length_t length() { return 3; }
  template <typename U> __host__ __device__ constexpr explicit vec(U s) : x(T(s)), y(T(s)), z(T(s)) {}
  template <typename A, typename B, typename C> __host__ __device__ constexpr vec(A x_, B y_, C z_) : x(T(x_)), y(T(y_)), z(T(z_)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr vec(const vec<3, U, P> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr explicit vec(const vec<4, U, P> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
  template <typename A, typename B, qualifier P> __host__ __device__ constexpr vec(const vec<2, A, P> &v, B s) : x(T(v.x)), y(T(v.y)), z(T(s)) {}
  template <typename A, typename B, qualifier P> __host__ __device__ constexpr vec(A s, const vec<2, B, P> &v) : x(T(s)), y(T(v.x)), z(T(v.y)) {}
  __host__ __device__ constexpr T &operator[](length_t i) { return i == 0 ? x : i == 1 ? y : z; }
  __host__ __device__ constexpr const T &operator[](length_t i) const { return i == 0 ? x : i == 1 ? y : z; }
  template <typename U> __host__ __device__ vec &operator+=(U s) { x += T(s); y += T(s); z += T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator+=(const vec<3, U, P> &v) { x += T(v.x); y += T(v.y); z += T(v.z); return *this; }
  template <typename U> __host__ __device__ vec &operator-=(U s) { x -= T(s); y -= T(s); z -= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator-=(const vec<3, U, P> &v) { x -= T(v.x); y -= T(v.y); z -= T(v.z); return *this; }
  template <typename U> __host__ __device__ vec &operator*=(U s) { x *= T(s); y *= T(s); z *= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator*=(const vec<3, U, P> &v) { x *= T(v.x); y *= T(v.y); z *= T(v.z); return *this; }
  template <typename U> __host__ __device__ vec &operator/=(U s) { x /= T(s); y /= T(s); z /= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator/=(const vec<3, U, P> &v) { x /= T(v.x); y /= T(v.y); z /= T(v.z); return *this; }
  template <typename U> __host__ __device__ vec &operator%=(U s) { x %= T(s); y %= T(s); z %= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator%=(const vec<3, U, P> &v) { x %= T(v.x); y %= T(v.y); z %= T(v.z); return *this; }
  template <typename U> __host__ __device__ vec &operator&=(U s) { x &= T(s); y &= T(s); z &= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator&=(const vec<3, U, P> &v) { x &= T(v.x); y &= T(v.y); z &= T(v.z); return *this; }
  template <typename U> __host__ __device__ vec &operator|=(U s) { x |= T(s); y |= T(s); z |= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator|=(const vec<3, U, P> &v) { x |= T(v.x); y |= T(v.y); z |= T(v.z); return *this; }
  template <typename U> __host__ __device__ vec &operator^=(U s) { x ^= T(s); y ^= T(s); z ^= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator^=(const vec<3, U, P> &v) { x ^= T(v.x); y ^= T(v.y); z ^= T(v.z); return *this; }
  __host__ __device__ vec &operator++() { ++x; ++y; ++z; return *this; }
  __host__ __device__ vec operator++(int) { vec before = *this; ++*this; return before; }
  __host__ __device__ vec &operator--() { --x; --y; --z; return *this; }
  __host__ __device__ vec operator--(int) { vec before = *this; --*this; return before; }
};

template <typename T, qualifier Q> struct vec<4, T, Q> {
  typedef T value_type;
  typedef vec<4, bool, Q> bool_type;
  union { T x, r, s; };
  union { T y, g, t; };
  union { T z, b, p; };
  union { T w, a, q; };
  vec() = default;
  static __host__ __device__ constexpr length_t length() { return 4; }
  template <typename U> __host__ __device__ constexpr explicit vec(U s) : x(T(s)), y(T(s)), z(T(s)), w(T(s)) {}
  template <typename A, typename B, typename C, typename D> __host__ __device__ constexpr vec(A x_, B y_, C z_, D w_) : x(T(x_)), y(T(y_)), z(T(z_)), w(T(w_)) {}
  template <typename U, qualifier P> __host__ __device__ constexpr vec(const vec<4, U, P> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {}
  template <typename A, typename B, qualifier P> __host__ __device__ constexpr vec(const vec<3, A, P> &v, B s) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(s)) {}
  template <typename A, typename B, qualifier P> __host__ __device__ constexpr vec(A s, const vec<3, B, P> &v) : x(T(s)), y(T(v.x)), z(T(v.y)), w(T(v.z)) {}
  template <typename A, typename B, qualifier P> __host__ __device__ constexpr vec(const vec<2, A, P> &u, const vec<2, B, P> &v) : x(T(u.x)), y(T(u.y)), z(T(v.x)), w(T(v.y)) {}
  template <typename A, typename B, typename C, qualifier P> __host__ __device__ constexpr vec(const vec<2, A, P> &v, B s, C t) : x(T(v.x)), y(T(v.y)), z(T(s)), w(T(t)) {}
  __host__ __device__ constexpr T &operator[](length_t i) { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  __host__ __device__ constexpr const T &operator[](length_t i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  template <typename U> __host__ __device__ vec &operator+=(U s) { x += T(s); y += T(s); z += T(s); w += T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator+=(const vec<4, U, P> &v) { x += T(v.x); y += T(v.y); z += T(v.z); w += T(v.w); return *this; }
  template <typename U> __host__ __device__ vec &operator-=(U s) { x -= T(s); y -= T(s); z -= T(s); w -= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator-=(const vec<4, U, P> &v) { x -= T(v.x); y -= T(v.y); z -= T(v.z); w -= T(v.w); return *this; }
  template <typename U> __host__ __device__ vec &operator*=(U s) { x *= T(s); y *= T(s); z *= T(s); w *= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator*=(const vec<4, U, P> &v) { x *= T(v.x); y *= T(v.y); z *= T(v.z); w *= T(v.w); return *this; }
  template <typename U> __host__ __device__ vec &operator/=(U s) { x /= T(s); y /= T(s); z /= T(s); w /= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator/=(const vec<4, U, P> &v) { x /= T(v.x); y /= T(v.y); z /= T(v.z); w /= T(v.w); return *this; }
  template <typename U> __host__ __device__ vec &operator%=(U s) { x %= T(s); y %= T(s); z %= T(s); w %= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator%=(const vec<4, U, P> &v) { x %= T(v.x); y %= T(v.y); z %= T(v.z); w %= T(v.w); return *this; }
  template <typename U> __host__ __device__ vec &operator&=(U s) { x &= T(s); y &= T(s); z &= T(s); w &= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator&=(const vec<4, U, P> &v) { x &= T(v.x); y &= T(v.y); z &= T(v.z); w &= T(v.w); return *this; }
  template <typename U> __host__ __device__ vec &operator|=(U s) { x |= T(s); y |= T(s); z |= T(s); w |= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator|=(const vec<4, U, P> &v) { x |= T(v.x); y |= T(v.y); z |= T(v.z); w |= T(v.w); return *this; }
  template <typename U> __host__ __device__ vec &operator^=(U s) { x ^= T(s); y ^= T(s); z ^= T(s); w ^= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ vec &operator^=(const vec<4, U, P> &v) { x ^= T(v.x); y ^= T(v.y); z ^= T(v.z); w ^= T(v.w); return *this; }
  __host__ __device__ vec &operator++() { ++x; ++y; ++z; ++w; return *this; }
  __host__ __device__ vec operator++(int) { vec before = *this; ++*this; return before; }
  __host__ __device__ vec &operator--() { --x; --y; --z; --w; return *this; }
  __host__ __device__ vec operator--(int) { vec before = *this; --*this; return before; }
};

template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator+(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(a.x + b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator+(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return vec<1, T, Q>(T(a.x + s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator+(typename vec<1, T, Q>::value_type s, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(s + b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator-(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(a.x - b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator-(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return vec<1, T, Q>(T(a.x - s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator-(typename vec<1, T, Q>::value_type s, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(s - b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator*(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(a.x * b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator*(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return vec<1, T, Q>(T(a.x * s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator*(typename vec<1, T, Q>::value_type s, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(s * b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator/(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(a.x / b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator/(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return vec<1, T, Q>(T(a.x / s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator/(typename vec<1, T, Q>::value_type s, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(s / b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator%(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(a.x % b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator%(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return vec<1, T, Q>(T(a.x % s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator%(typename vec<1, T, Q>::value_type s, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(s % b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator&(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(a.x & b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator&(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return vec<1, T, Q>(T(a.x & s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator&(typename vec<1, T, Q>::value_type s, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(s & b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator|(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(a.x | b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator|(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return vec<1, T, Q>(T(a.x | s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator|(typename vec<1, T, Q>::value_type s, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(s | b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator^(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(a.x ^ b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator^(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return vec<1, T, Q>(T(a.x ^ s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator^(typename vec<1, T, Q>::value_type s, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(s ^ b.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator+(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(+a.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator-(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(-a.x)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> operator~(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(~a.x)); }
template <typename T, qualifier Q> GLM_HD bool operator==(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return a.x == b.x; }
template <typename T, qualifier Q> GLM_HD bool operator!=(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return !(a == b); }
template <typename T, qualifier Q> GLM_HD T dot(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return a.x * b.x; }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> abs(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::abs(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> sqrt(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::sqrt(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> exp(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::exp(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> exp2(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::exp2(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> log(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::log(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> log2(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::log2(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> sin(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::sin(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> cos(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::cos(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> tan(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::tan(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> asin(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::asin(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> acos(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::acos(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> atan(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::atan(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> sinh(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::sinh(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> cosh(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::cosh(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> tanh(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::tanh(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> floor(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::floor(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> ceil(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::ceil(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> round(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::round(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> trunc(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(::trunc(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> inversesqrt(const vec<1, T, Q> &a) { return vec<1, T, Q>(T(1) / T(::sqrt(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> fract(const vec<1, T, Q> &a) { return vec<1, T, Q>(a.x - T(::floor(a.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> sign(const vec<1, T, Q> &a) { return vec<1, T, Q>(T((T(0) < a.x) - (a.x < T(0)))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> radians(const vec<1, T, Q> &a) { return vec<1, T, Q>(a.x * T(0.01745329251994329577)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> degrees(const vec<1, T, Q> &a) { return vec<1, T, Q>(a.x * T(57.295779513082320877)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> min(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(b.x < a.x ? b.x : a.x); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> min(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return min(a, vec<1, T, Q>(s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> max(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(a.x < b.x ? b.x : a.x); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> max(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return max(a, vec<1, T, Q>(s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> pow(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(::pow(a.x, b.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> mod(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(a.x - b.x * T(::floor(a.x / b.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> atan(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, T, Q>(T(::atan2(a.x, b.x))); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> mod(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type s) { return mod(a, vec<1, T, Q>(s)); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> fma(const vec<1, T, Q> &a, const vec<1, T, Q> &b, const vec<1, T, Q> &c) { return a * b + c; }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> mix(const vec<1, T, Q> &a, const vec<1, T, Q> &b, const vec<1, T, Q> &t) { return a + (b - a) * t; }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> mix(const vec<1, T, Q> &a, const vec<1, T, Q> &b, typename vec<1, T, Q>::value_type t) { return a + (b - a) * t; }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> clamp(const vec<1, T, Q> &a, const vec<1, T, Q> &low, const vec<1, T, Q> &high) { return min(max(a, low), high); }
template <typename T, qualifier Q> GLM_HD vec<1, T, Q> clamp(const vec<1, T, Q> &a, typename vec<1, T, Q>::value_type low, typename vec<1, T, Q>::value_type high) { return min(max(a, low), high); }
template <typename T, qualifier Q> GLM_HD vec<1, bool, Q> lessThan(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, bool, Q>(a.x < b.x); }
template <typename T, qualifier Q> GLM_HD vec<1, bool, Q> lessThanEqual(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, bool, Q>(a.x <= b.x); }
template <typename T, qualifier Q> GLM_HD vec<1, bool, Q> greaterThan(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, bool, Q>(a.x > b.x); }
template <typename T, qualifier Q> GLM_HD vec<1, bool, Q> greaterThanEqual(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, bool, Q>(a.x >= b.x); }
template <typename T, qualifier Q> GLM_HD vec<1, bool, Q> equal(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, bool, Q>(a.x == b.x); }
template <typename T, qualifier Q> GLM_HD vec<1, bool, Q> notEqual(const vec<1, T, Q> &a, const vec<1, T, Q> &b) { return vec<1, bool, Q>(a.x != b.x); }
template <qualifier Q> GLM_HD bool all(const vec<1, bool, Q> &a) { return a.x; }
template <qualifier Q> GLM_HD bool any(const vec<1, bool, Q> &a) { return a.x; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator+(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(a.x + b.x), T(a.y + b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator+(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return vec<2, T, Q>(T(a.x + s), T(a.y + s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator+(typename vec<2, T, Q>::value_type s, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(s + b.x), T(s + b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator-(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(a.x - b.x), T(a.y - b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator-(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return vec<2, T, Q>(T(a.x - s), T(a.y - s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator-(typename vec<2, T, Q>::value_type s, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(s - b.x), T(s - b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator*(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(a.x * b.x), T(a.y * b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator*(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return vec<2, T, Q>(T(a.x * s), T(a.y * s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator*(typename vec<2, T, Q>::value_type s, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(s * b.x), T(s * b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator/(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(a.x / b.x), T(a.y / b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator/(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return vec<2, T, Q>(T(a.x / s), T(a.y / s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator/(typename vec<2, T, Q>::value_type s, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(s / b.x), T(s / b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator%(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(a.x % b.x), T(a.y % b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator%(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return vec<2, T, Q>(T(a.x % s), T(a.y % s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator%(typename vec<2, T, Q>::value_type s, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(s % b.x), T(s % b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator&(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(a.x & b.x), T(a.y & b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator&(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return vec<2, T, Q>(T(a.x & s), T(a.y & s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator&(typename vec<2, T, Q>::value_type s, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(s & b.x), T(s & b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator|(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(a.x | b.x), T(a.y | b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator|(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return vec<2, T, Q>(T(a.x | s), T(a.y | s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator|(typename vec<2, T, Q>::value_type s, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(s | b.x), T(s | b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator^(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(a.x ^ b.x), T(a.y ^ b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator^(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return vec<2, T, Q>(T(a.x ^ s), T(a.y ^ s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator^(typename vec<2, T, Q>::value_type s, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(s ^ b.x), T(s ^ b.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator+(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(+a.x), T(+a.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator-(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(-a.x), T(-a.y)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator~(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(~a.x), T(~a.y)); }
template <typename T, qualifier Q> GLM_HD bool operator==(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return a.x == b.x && a.y == b.y; }
template <typename T, qualifier Q> GLM_HD bool operator!=(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return !(a == b); }
template <typename T, qualifier Q> GLM_HD T dot(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return a.x * b.x + a.y * b.y; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> abs(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::abs(a.x)), T(::abs(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> sqrt(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::sqrt(a.x)), T(::sqrt(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> exp(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::exp(a.x)), T(::exp(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> exp2(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::exp2(a.x)), T(::exp2(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> log(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::log(a.x)), T(::log(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> log2(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::log2(a.x)), T(::log2(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> sin(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::sin(a.x)), T(::sin(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> cos(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::cos(a.x)), T(::cos(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> tan(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::tan(a.x)), T(::tan(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> asin(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::asin(a.x)), T(::asin(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> acos(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::acos(a.x)), T(::acos(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> atan(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::atan(a.x)), T(::atan(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> sinh(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::sinh(a.x)), T(::sinh(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> cosh(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::cosh(a.x)), T(::cosh(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> tanh(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::tanh(a.x)), T(::tanh(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> floor(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::floor(a.x)), T(::floor(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> ceil(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::ceil(a.x)), T(::ceil(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> round(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::round(a.x)), T(::round(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> trunc(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(::trunc(a.x)), T(::trunc(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> inversesqrt(const vec<2, T, Q> &a) { return vec<2, T, Q>(T(1) / T(::sqrt(a.x)), T(1) / T(::sqrt(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> fract(const vec<2, T, Q> &a) { return vec<2, T, Q>(a.x - T(::floor(a.x)), a.y - T(::floor(a.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> sign(const vec<2, T, Q> &a) { return vec<2, T, Q>(T((T(0) < a.x) - (a.x < T(0))), T((T(0) < a.y) - (a.y < T(0)))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> radians(const vec<2, T, Q> &a) { return vec<2, T, Q>(a.x * T(0.01745329251994329577), a.y * T(0.01745329251994329577)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> degrees(const vec<2, T, Q> &a) { return vec<2, T, Q>(a.x * T(57.295779513082320877), a.y * T(57.295779513082320877)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> min(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> min(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return min(a, vec<2, T, Q>(s, s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> max(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> max(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return max(a, vec<2, T, Q>(s, s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> pow(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(::pow(a.x, b.x)), T(::pow(a.y, b.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> mod(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(a.x - b.x * T(::floor(a.x / b.x)), a.y - b.y * T(::floor(a.y / b.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> atan(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(T(::atan2(a.x, b.x)), T(::atan2(a.y, b.y))); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> mod(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type s) { return mod(a, vec<2, T, Q>(s, s)); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> fma(const vec<2, T, Q> &a, const vec<2, T, Q> &b, const vec<2, T, Q> &c) { return a * b + c; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> mix(const vec<2, T, Q> &a, const vec<2, T, Q> &b, const vec<2, T, Q> &t) { return a + (b - a) * t; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> mix(const vec<2, T, Q> &a, const vec<2, T, Q> &b, typename vec<2, T, Q>::value_type t) { return a + (b - a) * t; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> clamp(const vec<2, T, Q> &a, const vec<2, T, Q> &low, const vec<2, T, Q> &high) { return min(max(a, low), high); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> clamp(const vec<2, T, Q> &a, typename vec<2, T, Q>::value_type low, typename vec<2, T, Q>::value_type high) { return min(max(a, low), high); }
template <typename T, qualifier Q> GLM_HD vec<2, bool, Q> lessThan(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, bool, Q>(a.x < b.x, a.y < b.y); }
template <typename T, qualifier Q> GLM_HD vec<2, bool, Q> lessThanEqual(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, bool, Q>(a.x <= b.x, a.y <= b.y); }
template <typename T, qualifier Q> GLM_HD vec<2, bool, Q> greaterThan(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, bool, Q>(a.x > b.x, a.y > b.y); }
template <typename T, qualifier Q> GLM_HD vec<2, bool, Q> greaterThanEqual(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, bool, Q>(a.x >= b.x, a.y >= b.y); }
template <typename T, qualifier Q> GLM_HD vec<2, bool, Q> equal(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, bool, Q>(a.x == b.x, a.y == b.y); }
template <typename T, qualifier Q> GLM_HD vec<2, bool, Q> notEqual(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, bool, Q>(a.x != b.x, a.y != b.y); }
template <qualifier Q> GLM_HD bool all(const vec<2, bool, Q> &a) { return a.x && a.y; }
template <qualifier Q> GLM_HD bool any(const vec<2, bool, Q> &a) { return a.x || a.y; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator+(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(a.x + b.x), T(a.y + b.y), T(a.z + b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator+(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return vec<3, T, Q>(T(a.x + s), T(a.y + s), T(a.z + s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator+(typename vec<3, T, Q>::value_type s, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(s + b.x), T(s + b.y), T(s + b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator-(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(a.x - b.x), T(a.y - b.y), T(a.z - b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator-(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return vec<3, T, Q>(T(a.x - s), T(a.y - s), T(a.z - s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator-(typename vec<3, T, Q>::value_type s, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(s - b.x), T(s - b.y), T(s - b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(a.x * b.x), T(a.y * b.y), T(a.z * b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return vec<3, T, Q>(T(a.x * s), T(a.y * s), T(a.z * s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(typename vec<3, T, Q>::value_type s, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(s * b.x), T(s * b.y), T(s * b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator/(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(a.x / b.x), T(a.y / b.y), T(a.z / b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator/(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return vec<3, T, Q>(T(a.x / s), T(a.y / s), T(a.z / s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator/(typename vec<3, T, Q>::value_type s, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(s / b.x), T(s / b.y), T(s / b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator%(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(a.x % b.x), T(a.y % b.y), T(a.z % b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator%(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return vec<3, T, Q>(T(a.x % s), T(a.y % s), T(a.z % s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator%(typename vec<3, T, Q>::value_type s, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(s % b.x), T(s % b.y), T(s % b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator&(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(a.x & b.x), T(a.y & b.y), T(a.z & b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator&(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return vec<3, T, Q>(T(a.x & s), T(a.y & s), T(a.z & s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator&(typename vec<3, T, Q>::value_type s, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(s & b.x), T(s & b.y), T(s & b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator|(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(a.x | b.x), T(a.y | b.y), T(a.z | b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator|(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return vec<3, T, Q>(T(a.x | s), T(a.y | s), T(a.z | s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator|(typename vec<3, T, Q>::value_type s, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(s | b.x), T(s | b.y), T(s | b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator^(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(a.x ^ b.x), T(a.y ^ b.y), T(a.z ^ b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator^(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return vec<3, T, Q>(T(a.x ^ s), T(a.y ^ s), T(a.z ^ s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator^(typename vec<3, T, Q>::value_type s, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(s ^ b.x), T(s ^ b.y), T(s ^ b.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator+(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(+a.x), T(+a.y), T(+a.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator-(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(-a.x), T(-a.y), T(-a.z)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator~(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(~a.x), T(~a.y), T(~a.z)); }
template <typename T, qualifier Q> GLM_HD bool operator==(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
template <typename T, qualifier Q> GLM_HD bool operator!=(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return !(a == b); }
template <typename T, qualifier Q> GLM_HD T dot(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> abs(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::abs(a.x)), T(::abs(a.y)), T(::abs(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> sqrt(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::sqrt(a.x)), T(::sqrt(a.y)), T(::sqrt(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> exp(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::exp(a.x)), T(::exp(a.y)), T(::exp(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> exp2(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::exp2(a.x)), T(::exp2(a.y)), T(::exp2(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> log(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::log(a.x)), T(::log(a.y)), T(::log(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> log2(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::log2(a.x)), T(::log2(a.y)), T(::log2(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> sin(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::sin(a.x)), T(::sin(a.y)), T(::sin(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> cos(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::cos(a.x)), T(::cos(a.y)), T(::cos(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> tan(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::tan(a.x)), T(::tan(a.y)), T(::tan(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> asin(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::asin(a.x)), T(::asin(a.y)), T(::asin(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> acos(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::acos(a.x)), T(::acos(a.y)), T(::acos(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> atan(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::atan(a.x)), T(::atan(a.y)), T(::atan(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> sinh(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::sinh(a.x)), T(::sinh(a.y)), T(::sinh(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> cosh(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::cosh(a.x)), T(::cosh(a.y)), T(::cosh(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> tanh(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::tanh(a.x)), T(::tanh(a.y)), T(::tanh(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> floor(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::floor(a.x)), T(::floor(a.y)), T(::floor(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> ceil(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::ceil(a.x)), T(::ceil(a.y)), T(::ceil(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> round(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::round(a.x)), T(::round(a.y)), T(::round(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> trunc(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(::trunc(a.x)), T(::trunc(a.y)), T(::trunc(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> inversesqrt(const vec<3, T, Q> &a) { return vec<3, T, Q>(T(1) / T(::sqrt(a.x)), T(1) / T(::sqrt(a.y)), T(1) / T(::sqrt(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> fract(const vec<3, T, Q> &a) { return vec<3, T, Q>(a.x - T(::floor(a.x)), a.y - T(::floor(a.y)), a.z - T(::floor(a.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> sign(const vec<3, T, Q> &a) { return vec<3, T, Q>(T((T(0) < a.x) - (a.x < T(0))), T((T(0) < a.y) - (a.y < T(0))), T((T(0) < a.z) - (a.z < T(0)))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> radians(const vec<3, T, Q> &a) { return vec<3, T, Q>(a.x * T(0.01745329251994329577), a.y * T(0.01745329251994329577), a.z * T(0.01745329251994329577)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> degrees(const vec<3, T, Q> &a) { return vec<3, T, Q>(a.x * T(57.295779513082320877), a.y * T(57.295779513082320877), a.z * T(57.295779513082320877)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> min(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> min(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return min(a, vec<3, T, Q>(s, s, s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> max(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y, a.z < b.z ? b.z : a.z); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> max(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return max(a, vec<3, T, Q>(s, s, s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> pow(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(::pow(a.x, b.x)), T(::pow(a.y, b.y)), T(::pow(a.z, b.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> mod(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(a.x - b.x * T(::floor(a.x / b.x)), a.y - b.y * T(::floor(a.y / b.y)), a.z - b.z * T(::floor(a.z / b.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> atan(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(T(::atan2(a.x, b.x)), T(::atan2(a.y, b.y)), T(::atan2(a.z, b.z))); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> mod(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type s) { return mod(a, vec<3, T, Q>(s, s, s)); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> fma(const vec<3, T, Q> &a, const vec<3, T, Q> &b, const vec<3, T, Q> &c) { return a * b + c; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> mix(const vec<3, T, Q> &a, const vec<3, T, Q> &b, const vec<3, T, Q> &t) { return a + (b - a) * t; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> mix(const vec<3, T, Q> &a, const vec<3, T, Q> &b, typename vec<3, T, Q>::value_type t) { return a + (b - a) * t; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> clamp(const vec<3, T, Q> &a, const vec<3, T, Q> &low, const vec<3, T, Q> &high) { return min(max(a, low), high); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> clamp(const vec<3, T, Q> &a, typename vec<3, T, Q>::value_type low, typename vec<3, T, Q>::value_type high) { return min(max(a, low), high); }
template <typename T, qualifier Q> GLM_HD vec<3, bool, Q> lessThan(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, bool, Q>(a.x < b.x, a.y < b.y, a.z < b.z); }
template <typename T, qualifier Q> GLM_HD vec<3, bool, Q> lessThanEqual(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, bool, Q>(a.x <= b.x, a.y <= b.y, a.z <= b.z); }
template <typename T, qualifier Q> GLM_HD vec<3, bool, Q> greaterThan(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, bool, Q>(a.x > b.x, a.y > b.y, a.z > b.z); }
template <typename T, qualifier Q> GLM_HD vec<3, bool, Q> greaterThanEqual(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, bool, Q>(a.x >= b.x, a.y >= b.y, a.z >= b.z); }
template <typename T, qualifier Q> GLM_HD vec<3, bool, Q> equal(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, bool, Q>(a.x == b.x, a.y == b.y, a.z == b.z); }
template <typename T, qualifier Q> GLM_HD vec<3, bool, Q> notEqual(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, bool, Q>(a.x != b.x, a.y != b.y, a.z != b.z); }
template <qualifier Q> GLM_HD bool all(const vec<3, bool, Q> &a) { return a.x && a.y && a.z; }
template <qualifier Q> GLM_HD bool any(const vec<3, bool, Q> &a) { return a.x || a.y || a.z; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator+(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(a.x + b.x), T(a.y + b.y), T(a.z + b.z), T(a.w + b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator+(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return vec<4, T, Q>(T(a.x + s), T(a.y + s), T(a.z + s), T(a.w + s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator+(typename vec<4, T, Q>::value_type s, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(s + b.x), T(s + b.y), T(s + b.z), T(s + b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator-(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(a.x - b.x), T(a.y - b.y), T(a.z - b.z), T(a.w - b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator-(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return vec<4, T, Q>(T(a.x - s), T(a.y - s), T(a.z - s), T(a.w - s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator-(typename vec<4, T, Q>::value_type s, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(s - b.x), T(s - b.y), T(s - b.z), T(s - b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator*(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(a.x * b.x), T(a.y * b.y), T(a.z * b.z), T(a.w * b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator*(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return vec<4, T, Q>(T(a.x * s), T(a.y * s), T(a.z * s), T(a.w * s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator*(typename vec<4, T, Q>::value_type s, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(s * b.x), T(s * b.y), T(s * b.z), T(s * b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator/(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(a.x / b.x), T(a.y / b.y), T(a.z / b.z), T(a.w / b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator/(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return vec<4, T, Q>(T(a.x / s), T(a.y / s), T(a.z / s), T(a.w / s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator/(typename vec<4, T, Q>::value_type s, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(s / b.x), T(s / b.y), T(s / b.z), T(s / b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator%(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(a.x % b.x), T(a.y % b.y), T(a.z % b.z), T(a.w % b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator%(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return vec<4, T, Q>(T(a.x % s), T(a.y % s), T(a.z % s), T(a.w % s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator%(typename vec<4, T, Q>::value_type s, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(s % b.x), T(s % b.y), T(s % b.z), T(s % b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator&(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(a.x & b.x), T(a.y & b.y), T(a.z & b.z), T(a.w & b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator&(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return vec<4, T, Q>(T(a.x & s), T(a.y & s), T(a.z & s), T(a.w & s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator&(typename vec<4, T, Q>::value_type s, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(s & b.x), T(s & b.y), T(s & b.z), T(s & b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator|(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(a.x | b.x), T(a.y | b.y), T(a.z | b.z), T(a.w | b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator|(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return vec<4, T, Q>(T(a.x | s), T(a.y | s), T(a.z | s), T(a.w | s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator|(typename vec<4, T, Q>::value_type s, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(s | b.x), T(s | b.y), T(s | b.z), T(s | b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator^(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(a.x ^ b.x), T(a.y ^ b.y), T(a.z ^ b.z), T(a.w ^ b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator^(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return vec<4, T, Q>(T(a.x ^ s), T(a.y ^ s), T(a.z ^ s), T(a.w ^ s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator^(typename vec<4, T, Q>::value_type s, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(s ^ b.x), T(s ^ b.y), T(s ^ b.z), T(s ^ b.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator+(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(+a.x), T(+a.y), T(+a.z), T(+a.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator-(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(-a.x), T(-a.y), T(-a.z), T(-a.w)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator~(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(~a.x), T(~a.y), T(~a.z), T(~a.w)); }
template <typename T, qualifier Q> GLM_HD bool operator==(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
template <typename T, qualifier Q> GLM_HD bool operator!=(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return !(a == b); }
template <typename T, qualifier Q> GLM_HD T dot(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> abs(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::abs(a.x)), T(::abs(a.y)), T(::abs(a.z)), T(::abs(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> sqrt(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::sqrt(a.x)), T(::sqrt(a.y)), T(::sqrt(a.z)), T(::sqrt(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> exp(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::exp(a.x)), T(::exp(a.y)), T(::exp(a.z)), T(::exp(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> exp2(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::exp2(a.x)), T(::exp2(a.y)), T(::exp2(a.z)), T(::exp2(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> log(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::log(a.x)), T(::log(a.y)), T(::log(a.z)), T(::log(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> log2(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::log2(a.x)), T(::log2(a.y)), T(::log2(a.z)), T(::log2(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> sin(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::sin(a.x)), T(::sin(a.y)), T(::sin(a.z)), T(::sin(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> cos(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::cos(a.x)), T(::cos(a.y)), T(::cos(a.z)), T(::cos(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> tan(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::tan(a.x)), T(::tan(a.y)), T(::tan(a.z)), T(::tan(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> asin(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::asin(a.x)), T(::asin(a.y)), T(::asin(a.z)), T(::asin(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> acos(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::acos(a.x)), T(::acos(a.y)), T(::acos(a.z)), T(::acos(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> atan(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::atan(a.x)), T(::atan(a.y)), T(::atan(a.z)), T(::atan(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> sinh(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::sinh(a.x)), T(::sinh(a.y)), T(::sinh(a.z)), T(::sinh(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> cosh(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::cosh(a.x)), T(::cosh(a.y)), T(::cosh(a.z)), T(::cosh(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> tanh(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::tanh(a.x)), T(::tanh(a.y)), T(::tanh(a.z)), T(::tanh(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> floor(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::floor(a.x)), T(::floor(a.y)), T(::floor(a.z)), T(::floor(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> ceil(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::ceil(a.x)), T(::ceil(a.y)), T(::ceil(a.z)), T(::ceil(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> round(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::round(a.x)), T(::round(a.y)), T(::round(a.z)), T(::round(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> trunc(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(::trunc(a.x)), T(::trunc(a.y)), T(::trunc(a.z)), T(::trunc(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> inversesqrt(const vec<4, T, Q> &a) { return vec<4, T, Q>(T(1) / T(::sqrt(a.x)), T(1) / T(::sqrt(a.y)), T(1) / T(::sqrt(a.z)), T(1) / T(::sqrt(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> fract(const vec<4, T, Q> &a) { return vec<4, T, Q>(a.x - T(::floor(a.x)), a.y - T(::floor(a.y)), a.z - T(::floor(a.z)), a.w - T(::floor(a.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> sign(const vec<4, T, Q> &a) { return vec<4, T, Q>(T((T(0) < a.x) - (a.x < T(0))), T((T(0) < a.y) - (a.y < T(0))), T((T(0) < a.z) - (a.z < T(0))), T((T(0) < a.w) - (a.w < T(0)))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> radians(const vec<4, T, Q> &a) { return vec<4, T, Q>(a.x * T(0.01745329251994329577), a.y * T(0.01745329251994329577), a.z * T(0.01745329251994329577), a.w * T(0.01745329251994329577)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> degrees(const vec<4, T, Q> &a) { return vec<4, T, Q>(a.x * T(57.295779513082320877), a.y * T(57.295779513082320877), a.z * T(57.295779513082320877), a.w * T(57.295779513082320877)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> min(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z, b.w < a.w ? b.w : a.w); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> min(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return min(a, vec<4, T, Q>(s, s, s, s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> max(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y, a.z < b.z ? b.z : a.z, a.w < b.w ? b.w : a.w); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> max(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return max(a, vec<4, T, Q>(s, s, s, s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> pow(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(::pow(a.x, b.x)), T(::pow(a.y, b.y)), T(::pow(a.z, b.z)), T(::pow(a.w, b.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> mod(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(a.x - b.x * T(::floor(a.x / b.x)), a.y - b.y * T(::floor(a.y / b.y)), a.z - b.z * T(::floor(a.z / b.z)), a.w - b.w * T(::floor(a.w / b.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> atan(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(T(::atan2(a.x, b.x)), T(::atan2(a.y, b.y)), T(::atan2(a.z, b.z)), T(::atan2(a.w, b.w))); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> mod(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type s) { return mod(a, vec<4, T, Q>(s, s, s, s)); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> fma(const vec<4, T, Q> &a, const vec<4, T, Q> &b, const vec<4, T, Q> &c) { return a * b + c; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> mix(const vec<4, T, Q> &a, const vec<4, T, Q> &b, const vec<4, T, Q> &t) { return a + (b - a) * t; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> mix(const vec<4, T, Q> &a, const vec<4, T, Q> &b, typename vec<4, T, Q>::value_type t) { return a + (b - a) * t; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> clamp(const vec<4, T, Q> &a, const vec<4, T, Q> &low, const vec<4, T, Q> &high) { return min(max(a, low), high); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> clamp(const vec<4, T, Q> &a, typename vec<4, T, Q>::value_type low, typename vec<4, T, Q>::value_type high) { return min(max(a, low), high); }
template <typename T, qualifier Q> GLM_HD vec<4, bool, Q> lessThan(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, bool, Q>(a.x < b.x, a.y < b.y, a.z < b.z, a.w < b.w); }
template <typename T, qualifier Q> GLM_HD vec<4, bool, Q> lessThanEqual(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, bool, Q>(a.x <= b.x, a.y <= b.y, a.z <= b.z, a.w <= b.w); }
template <typename T, qualifier Q> GLM_HD vec<4, bool, Q> greaterThan(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, bool, Q>(a.x > b.x, a.y > b.y, a.z > b.z, a.w > b.w); }
template <typename T, qualifier Q> GLM_HD vec<4, bool, Q> greaterThanEqual(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, bool, Q>(a.x >= b.x, a.y >= b.y, a.z >= b.z, a.w >= b.w); }
template <typename T, qualifier Q> GLM_HD vec<4, bool, Q> equal(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, bool, Q>(a.x == b.x, a.y == b.y, a.z == b.z, a.w == b.w); }
template <typename T, qualifier Q> GLM_HD vec<4, bool, Q> notEqual(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, bool, Q>(a.x != b.x, a.y != b.y, a.z != b.z, a.w != b.w); }
template <qualifier Q> GLM_HD bool all(const vec<4, bool, Q> &a) { return a.x && a.y && a.z && a.w; }
template <qualifier Q> GLM_HD bool any(const vec<4, bool, Q> &a) { return a.x || a.y || a.z || a.w; }

template <length_t L, typename T, qualifier Q> GLM_HD T length2(const vec<L, T, Q> &a) { return dot(a, a); }
template <length_t L, typename T, qualifier Q> GLM_HD T length(const vec<L, T, Q> &a) { return T(::sqrt(dot(a, a))); }
template <length_t L, typename T, qualifier Q> GLM_HD T distance(const vec<L, T, Q> &a, const vec<L, T, Q> &b) { return length(a - b); }
template <length_t L, typename T, qualifier Q> GLM_HD vec<L, T, Q> normalize(const vec<L, T, Q> &a) { return a * (T(1) / length(a)); }
template <length_t L, typename T, qualifier Q> GLM_HD vec<L, T, Q> lerp(const vec<L, T, Q> &a, const vec<L, T, Q> &b, T t) { return a + (b - a) * t; }
template <length_t L, typename T, qualifier Q> GLM_HD vec<L, T, Q> reflect(const vec<L, T, Q> &i, const vec<L, T, Q> &n) { return i - n * dot(n, i) * T(2); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> cross(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
  return vec<3, T, Q>(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y);
}

#define GLM_OF_NUMBERS(T) \
  GLM_HD T min(T a, T b) { return b < a ? b : a; } \
  GLM_HD T max(T a, T b) { return a < b ? b : a; } \
  GLM_HD T clamp(T a, T low, T high) { return min(max(a, low), high); } \
  GLM_HD T abs(T a) { return a < T(0) ? -a : a; } \
  GLM_HD T sign(T a) { return T((T(0) < a) - (a < T(0))); }
GLM_OF_NUMBERS(int)
GLM_OF_NUMBERS(float)
GLM_OF_NUMBERS(double)
#undef GLM_OF_NUMBERS
GLM_HD unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
GLM_HD unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
GLM_HD unsigned clamp(unsigned a, unsigned low, unsigned high) { return min(max(a, low), high); }

#define GLM_OF_REALS(T) \
  GLM_HD T mix(T a, T b, T t) { return a + (b - a) * t; } \
  GLM_HD T lerp(T a, T b, T t) { return a + (b - a) * t; } \
  GLM_HD T mod(T a, T b) { return a - b * T(::floor(a / b)); } \
  GLM_HD T fract(T a) { return a - T(::floor(a)); } \
  GLM_HD T inversesqrt(T a) { return T(1) / T(::sqrt(a)); } \
  GLM_HD T radians(T a) { return a * T(0.01745329251994329577); } \
  GLM_HD T degrees(T a) { return a * T(57.295779513082320877); } \
  GLM_HD T dot(T a, T b) { return a * b; } \
  GLM_HD T length(T a) { return abs(a); } \
  GLM_HD T atan(T y, T x) { return T(::atan2(y, x)); } \
  GLM_HD T smoothstep(T low, T high, T a) { T t = clamp((a - low) / (high - low), T(0), T(1)); return t * t * (T(3) - T(2) * t); } \
  GLM_HD T step(T edge, T a) { return a < edge ? T(0) : T(1); }
GLM_OF_REALS(float)
GLM_OF_REALS(double)
#undef GLM_OF_REALS
using ::acos;
using ::asin;
using ::atan;
using ::ceil;
using ::cos;
using ::cosh;
using ::exp;
using ::exp2;
using ::floor;
using ::fma;
using ::isinf;
using ::isnan;
using ::log;
using ::log2;
using ::pow;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
template <typename T> GLM_HD constexpr T pi() { return T(3.14159265358979323846); }
template <typename T> GLM_HD constexpr T two_pi() { return T(6.28318530717958647692); }
template <typename T> GLM_HD constexpr T half_pi() { return T(1.57079632679489661923); }
template <typename T> GLM_HD constexpr T epsilon() { return T(sizeof(T) == 4 ? 1.1920928955078125e-07 : 2.220446049250313e-16); }
template <typename T> GLM_HD constexpr T zero() { return T(0); }
template <typename T> GLM_HD constexpr T one() { return T(1); }
template <typename T> GLM_HD constexpr T identity() { return T(1); }

// Matrices of columns.
template <typename T, qualifier Q> struct mat<2, 2, T, Q> {
  typedef T value_type;
  typedef vec<2, T, Q> col_type;
  typedef vec<2, T, Q> row_type;
  typedef mat<2, 2, T, Q> transpose_type;
  col_type value[2];
  mat() = default;
  static __host__ __device__ constexpr length_t length() { return 2; }
  template <typename U> __host__ __device__ explicit mat(U s) { value[0] = col_type(T(s), T(0)); value[1] = col_type(T(0), T(s)); }
  __host__ __device__ mat(const col_type &c0, const col_type &c1) { value[0] = c0; value[1] = c1; }
  __host__ __device__ mat(T m00, T m01, T m10, T m11) { value[0] = col_type(m00, m01); value[1] = col_type(m10, m11); }
  template <typename U, qualifier P> __host__ __device__ mat(const mat<2, 2, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); }
  template <typename U, qualifier P> __host__ __device__ explicit mat(const mat<3, 3, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); }
  template <typename U, qualifier P> __host__ __device__ explicit mat(const mat<4, 4, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  template <typename U, qualifier P> __host__ __device__ mat &operator+=(const mat<2, 2, U, P> &m) { value[0] += m[0]; value[1] += m[1]; return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator-=(const mat<2, 2, U, P> &m) { value[0] -= m[0]; value[1] -= m[1]; return *this; }
  template <typename U> __host__ __device__ mat &operator+=(U s) { value[0] += T(s); value[1] += T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator-=(U s) { value[0] -= T(s); value[1] -= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator*=(U s) { value[0] *= T(s); value[1] *= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator/=(U s) { value[0] /= T(s); value[1] /= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator*=(const mat<2, 2, U, P> &m) { return *this = *this * m; }
};
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator+(const mat<2, 2, T, Q> &a, const mat<2, 2, T, Q> &b) { return mat<2, 2, T, Q>(a[0] + b[0], a[1] + b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator-(const mat<2, 2, T, Q> &a, const mat<2, 2, T, Q> &b) { return mat<2, 2, T, Q>(a[0] - b[0], a[1] - b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator+(const mat<2, 2, T, Q> &a, typename mat<2, 2, T, Q>::value_type s) { return mat<2, 2, T, Q>(a[0] + s, a[1] + s); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator-(const mat<2, 2, T, Q> &a, typename mat<2, 2, T, Q>::value_type s) { return mat<2, 2, T, Q>(a[0] - s, a[1] - s); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator*(const mat<2, 2, T, Q> &a, typename mat<2, 2, T, Q>::value_type s) { return mat<2, 2, T, Q>(a[0] * s, a[1] * s); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator/(const mat<2, 2, T, Q> &a, typename mat<2, 2, T, Q>::value_type s) { return mat<2, 2, T, Q>(a[0] / s, a[1] / s); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator*(typename mat<2, 2, T, Q>::value_type s, const mat<2, 2, T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator-(const mat<2, 2, T, Q> &a) { return mat<2, 2, T, Q>(-a[0], -a[1]); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator*(const mat<2, 2, T, Q> &a, const vec<2, T, Q> &v) { return a[0] * v.x + a[1] * v.y; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator*(const vec<2, T, Q> &v, const mat<2, 2, T, Q> &a) { return vec<2, T, Q>(dot(v, a[0]), dot(v, a[1])); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> transpose(const mat<2, 2, T, Q> &a) { return mat<2, 2, T, Q>(a[0].x, a[1].x, a[0].y, a[1].y); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> outerProduct(const vec<2, T, Q> &c, const vec<2, T, Q> &r) { return mat<2, 2, T, Q>(c * r.x, c * r.y); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> matrixCompMult(const mat<2, 2, T, Q> &a, const mat<2, 2, T, Q> &b) { return mat<2, 2, T, Q>(a[0] * b[0], a[1] * b[1]); }
template <typename T, qualifier Q> GLM_HD bool operator==(const mat<2, 2, T, Q> &a, const mat<2, 2, T, Q> &b) { return a[0] == b[0] && a[1] == b[1]; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> column(const mat<2, 2, T, Q> &a, length_t i) { return a[i]; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> row(const mat<2, 2, T, Q> &a, length_t i) { return vec<2, T, Q>(a[0][i], a[1][i]); }
template <typename T, qualifier Q> struct mat<2, 3, T, Q> {
  typedef T value_type;
  typedef vec<3, T, Q> col_type;
  typedef vec<2, T, Q> row_type;
  typedef mat<3, 2, T, Q> transpose_type;
  col_type value[2];
  mat() = default;
  static __host__ __device__ constexpr length_t length() { return 2; }
  template <typename U> __host__ __device__ explicit mat(U s) { value[0] = col_type(T(s), T(0), T(0)); value[1] = col_type(T(0), T(s), T(0)); }
  __host__ __device__ mat(const col_type &c0, const col_type &c1) { value[0] = c0; value[1] = c1; }
  __host__ __device__ mat(T m00, T m01, T m02, T m10, T m11, T m12) { value[0] = col_type(m00, m01, m02); value[1] = col_type(m10, m11, m12); }
  template <typename U, qualifier P> __host__ __device__ mat(const mat<2, 3, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  template <typename U, qualifier P> __host__ __device__ mat &operator+=(const mat<2, 3, U, P> &m) { value[0] += m[0]; value[1] += m[1]; return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator-=(const mat<2, 3, U, P> &m) { value[0] -= m[0]; value[1] -= m[1]; return *this; }
  template <typename U> __host__ __device__ mat &operator+=(U s) { value[0] += T(s); value[1] += T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator-=(U s) { value[0] -= T(s); value[1] -= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator*=(U s) { value[0] *= T(s); value[1] *= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator/=(U s) { value[0] /= T(s); value[1] /= T(s); return *this; }
};
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator+(const mat<2, 3, T, Q> &a, const mat<2, 3, T, Q> &b) { return mat<2, 3, T, Q>(a[0] + b[0], a[1] + b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator-(const mat<2, 3, T, Q> &a, const mat<2, 3, T, Q> &b) { return mat<2, 3, T, Q>(a[0] - b[0], a[1] - b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator+(const mat<2, 3, T, Q> &a, typename mat<2, 3, T, Q>::value_type s) { return mat<2, 3, T, Q>(a[0] + s, a[1] + s); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator-(const mat<2, 3, T, Q> &a, typename mat<2, 3, T, Q>::value_type s) { return mat<2, 3, T, Q>(a[0] - s, a[1] - s); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator*(const mat<2, 3, T, Q> &a, typename mat<2, 3, T, Q>::value_type s) { return mat<2, 3, T, Q>(a[0] * s, a[1] * s); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator/(const mat<2, 3, T, Q> &a, typename mat<2, 3, T, Q>::value_type s) { return mat<2, 3, T, Q>(a[0] / s, a[1] / s); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator*(typename mat<2, 3, T, Q>::value_type s, const mat<2, 3, T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator-(const mat<2, 3, T, Q> &a) { return mat<2, 3, T, Q>(-a[0], -a[1]); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(const mat<2, 3, T, Q> &a, const vec<2, T, Q> &v) { return a[0] * v.x + a[1] * v.y; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator*(const vec<3, T, Q> &v, const mat<2, 3, T, Q> &a) { return vec<2, T, Q>(dot(v, a[0]), dot(v, a[1])); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> transpose(const mat<2, 3, T, Q> &a) { return mat<3, 2, T, Q>(a[0].x, a[1].x, a[0].y, a[1].y, a[0].z, a[1].z); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> outerProduct(const vec<3, T, Q> &c, const vec<2, T, Q> &r) { return mat<2, 3, T, Q>(c * r.x, c * r.y); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> matrixCompMult(const mat<2, 3, T, Q> &a, const mat<2, 3, T, Q> &b) { return mat<2, 3, T, Q>(a[0] * b[0], a[1] * b[1]); }
template <typename T, qualifier Q> GLM_HD bool operator==(const mat<2, 3, T, Q> &a, const mat<2, 3, T, Q> &b) { return a[0] == b[0] && a[1] == b[1]; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> column(const mat<2, 3, T, Q> &a, length_t i) { return a[i]; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> row(const mat<2, 3, T, Q> &a, length_t i) { return vec<2, T, Q>(a[0][i], a[1][i]); }
template <typename T, qualifier Q> struct mat<2, 4, T, Q> {
  typedef T value_type;
  typedef vec<4, T, Q> col_type;
  typedef vec<2, T, Q> row_type;
  typedef mat<4, 2, T, Q> transpose_type;
  col_type value[2];
  mat() = default;
  static __host__ __device__ constexpr length_t length() { return 2; }
  template <typename U> __host__ __device__ explicit mat(U s) { value[0] = col_type(T(s), T(0), T(0), T(0)); value[1] = col_type(T(0), T(s), T(0), T(0)); }
  __host__ __device__ mat(const col_type &c0, const col_type &c1) { value[0] = c0; value[1] = c1; }
  __host__ __device__ mat(T m00, T m01, T m02, T m03, T m10, T m11, T m12, T m13) { value[0] = col_type(m00, m01, m02, m03); value[1] = col_type(m10, m11, m12, m13); }
  template <typename U, qualifier P> __host__ __device__ mat(const mat<2, 4, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  template <typename U, qualifier P> __host__ __device__ mat &operator+=(const mat<2, 4, U, P> &m) { value[0] += m[0]; value[1] += m[1]; return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator-=(const mat<2, 4, U, P> &m) { value[0] -= m[0]; value[1] -= m[1]; return *this; }
  template <typename U> __host__ __device__ mat &operator+=(U s) { value[0] += T(s); value[1] += T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator-=(U s) { value[0] -= T(s); value[1] -= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator*=(U s) { value[0] *= T(s); value[1] *= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator/=(U s) { value[0] /= T(s); value[1] /= T(s); return *this; }
};
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator+(const mat<2, 4, T, Q> &a, const mat<2, 4, T, Q> &b) { return mat<2, 4, T, Q>(a[0] + b[0], a[1] + b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator-(const mat<2, 4, T, Q> &a, const mat<2, 4, T, Q> &b) { return mat<2, 4, T, Q>(a[0] - b[0], a[1] - b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator+(const mat<2, 4, T, Q> &a, typename mat<2, 4, T, Q>::value_type s) { return mat<2, 4, T, Q>(a[0] + s, a[1] + s); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator-(const mat<2, 4, T, Q> &a, typename mat<2, 4, T, Q>::value_type s) { return mat<2, 4, T, Q>(a[0] - s, a[1] - s); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator*(const mat<2, 4, T, Q> &a, typename mat<2, 4, T, Q>::value_type s) { return mat<2, 4, T, Q>(a[0] * s, a[1] * s); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator/(const mat<2, 4, T, Q> &a, typename mat<2, 4, T, Q>::value_type s) { return mat<2, 4, T, Q>(a[0] / s, a[1] / s); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator*(typename mat<2, 4, T, Q>::value_type s, const mat<2, 4, T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator-(const mat<2, 4, T, Q> &a) { return mat<2, 4, T, Q>(-a[0], -a[1]); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator*(const mat<2, 4, T, Q> &a, const vec<2, T, Q> &v) { return a[0] * v.x + a[1] * v.y; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator*(const vec<4, T, Q> &v, const mat<2, 4, T, Q> &a) { return vec<2, T, Q>(dot(v, a[0]), dot(v, a[1])); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> transpose(const mat<2, 4, T, Q> &a) { return mat<4, 2, T, Q>(a[0].x, a[1].x, a[0].y, a[1].y, a[0].z, a[1].z, a[0].w, a[1].w); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> outerProduct(const vec<4, T, Q> &c, const vec<2, T, Q> &r) { return mat<2, 4, T, Q>(c * r.x, c * r.y); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> matrixCompMult(const mat<2, 4, T, Q> &a, const mat<2, 4, T, Q> &b) { return mat<2, 4, T, Q>(a[0] * b[0], a[1] * b[1]); }
template <typename T, qualifier Q> GLM_HD bool operator==(const mat<2, 4, T, Q> &a, const mat<2, 4, T, Q> &b) { return a[0] == b[0] && a[1] == b[1]; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> column(const mat<2, 4, T, Q> &a, length_t i) { return a[i]; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> row(const mat<2, 4, T, Q> &a, length_t i) { return vec<2, T, Q>(a[0][i], a[1][i]); }
template <typename T, qualifier Q> struct mat<3, 2, T, Q> {
  typedef T value_type;
  typedef vec<2, T, Q> col_type;
  typedef vec<3, T, Q> row_type;
  typedef mat<2, 3, T, Q> transpose_type;
  col_type value[3];
  mat() = default;
  static __host__ __device__ constexpr length_t length() { return 3; }
  template <typename U> __host__ __device__ explicit mat(U s) { value[0] = col_type(T(s), T(0)); value[1] = col_type(T(0), T(s)); value[2] = col_type(T(0), T(0)); }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2) { value[0] = c0; value[1] = c1; value[2] = c2; }
  __host__ __device__ mat(T m00, T m01, T m10, T m11, T m20, T m21) { value[0] = col_type(m00, m01); value[1] = col_type(m10, m11); value[2] = col_type(m20, m21); }
  template <typename U, qualifier P> __host__ __device__ mat(const mat<3, 2, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); value[2] = col_type(m[2]); }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  template <typename U, qualifier P> __host__ __device__ mat &operator+=(const mat<3, 2, U, P> &m) { value[0] += m[0]; value[1] += m[1]; value[2] += m[2]; return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator-=(const mat<3, 2, U, P> &m) { value[0] -= m[0]; value[1] -= m[1]; value[2] -= m[2]; return *this; }
  template <typename U> __host__ __device__ mat &operator+=(U s) { value[0] += T(s); value[1] += T(s); value[2] += T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator-=(U s) { value[0] -= T(s); value[1] -= T(s); value[2] -= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator*=(U s) { value[0] *= T(s); value[1] *= T(s); value[2] *= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator/=(U s) { value[0] /= T(s); value[1] /= T(s); value[2] /= T(s); return *this; }
};
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator+(const mat<3, 2, T, Q> &a, const mat<3, 2, T, Q> &b) { return mat<3, 2, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator-(const mat<3, 2, T, Q> &a, const mat<3, 2, T, Q> &b) { return mat<3, 2, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator+(const mat<3, 2, T, Q> &a, typename mat<3, 2, T, Q>::value_type s) { return mat<3, 2, T, Q>(a[0] + s, a[1] + s, a[2] + s); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator-(const mat<3, 2, T, Q> &a, typename mat<3, 2, T, Q>::value_type s) { return mat<3, 2, T, Q>(a[0] - s, a[1] - s, a[2] - s); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator*(const mat<3, 2, T, Q> &a, typename mat<3, 2, T, Q>::value_type s) { return mat<3, 2, T, Q>(a[0] * s, a[1] * s, a[2] * s); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator/(const mat<3, 2, T, Q> &a, typename mat<3, 2, T, Q>::value_type s) { return mat<3, 2, T, Q>(a[0] / s, a[1] / s, a[2] / s); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator*(typename mat<3, 2, T, Q>::value_type s, const mat<3, 2, T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator-(const mat<3, 2, T, Q> &a) { return mat<3, 2, T, Q>(-a[0], -a[1], -a[2]); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator*(const mat<3, 2, T, Q> &a, const vec<3, T, Q> &v) { return a[0] * v.x + a[1] * v.y + a[2] * v.z; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(const vec<2, T, Q> &v, const mat<3, 2, T, Q> &a) { return vec<3, T, Q>(dot(v, a[0]), dot(v, a[1]), dot(v, a[2])); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> transpose(const mat<3, 2, T, Q> &a) { return mat<2, 3, T, Q>(a[0].x, a[1].x, a[2].x, a[0].y, a[1].y, a[2].y); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> outerProduct(const vec<2, T, Q> &c, const vec<3, T, Q> &r) { return mat<3, 2, T, Q>(c * r.x, c * r.y, c * r.z); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> matrixCompMult(const mat<3, 2, T, Q> &a, const mat<3, 2, T, Q> &b) { return mat<3, 2, T, Q>(a[0] * b[0], a[1] * b[1], a[2] * b[2]); }
template <typename T, qualifier Q> GLM_HD bool operator==(const mat<3, 2, T, Q> &a, const mat<3, 2, T, Q> &b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> column(const mat<3, 2, T, Q> &a, length_t i) { return a[i]; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> row(const mat<3, 2, T, Q> &a, length_t i) { return vec<3, T, Q>(a[0][i], a[1][i], a[2][i]); }
template <typename T, qualifier Q> struct mat<3, 3, T, Q> {
  typedef T value_type;
  typedef vec<3, T, Q> col_type;
  typedef vec<3, T, Q> row_type;
  typedef mat<3, 3, T, Q> transpose_type;
  col_type value[3];
  mat() = default;
  static __host__ __device__ constexpr length_t length() { return 3; }
  template <typename U> __host__ __device__ explicit mat(U s) { value[0] = col_type(T(s), T(0), T(0)); value[1] = col_type(T(0), T(s), T(0)); value[2] = col_type(T(0), T(0), T(s)); }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2) { value[0] = c0; value[1] = c1; value[2] = c2; }
  __host__ __device__ mat(T m00, T m01, T m02, T m10, T m11, T m12, T m20, T m21, T m22) { value[0] = col_type(m00, m01, m02); value[1] = col_type(m10, m11, m12); value[2] = col_type(m20, m21, m22); }
  template <typename U, qualifier P> __host__ __device__ mat(const mat<3, 3, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); value[2] = col_type(m[2]); }
  template <typename U, qualifier P> __host__ __device__ explicit mat(const mat<4, 4, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); value[2] = col_type(m[2]); }
  template <typename U, qualifier P> __host__ __device__ explicit mat(const mat<2, 2, U, P> &m) { value[0] = col_type(T(m[0][0]), T(m[0][1]), T(0)); value[1] = col_type(T(m[1][0]), T(m[1][1]), T(0)); value[2] = col_type(T(0), T(0), T(1)); }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  template <typename U, qualifier P> __host__ __device__ mat &operator+=(const mat<3, 3, U, P> &m) { value[0] += m[0]; value[1] += m[1]; value[2] += m[2]; return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator-=(const mat<3, 3, U, P> &m) { value[0] -= m[0]; value[1] -= m[1]; value[2] -= m[2]; return *this; }
  template <typename U> __host__ __device__ mat &operator+=(U s) { value[0] += T(s); value[1] += T(s); value[2] += T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator-=(U s) { value[0] -= T(s); value[1] -= T(s); value[2] -= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator*=(U s) { value[0] *= T(s); value[1] *= T(s); value[2] *= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator/=(U s) { value[0] /= T(s); value[1] /= T(s); value[2] /= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator*=(const mat<3, 3, U, P> &m) { return *this = *this * m; }
};
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator+(const mat<3, 3, T, Q> &a, const mat<3, 3, T, Q> &b) { return mat<3, 3, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator-(const mat<3, 3, T, Q> &a, const mat<3, 3, T, Q> &b) { return mat<3, 3, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator+(const mat<3, 3, T, Q> &a, typename mat<3, 3, T, Q>::value_type s) { return mat<3, 3, T, Q>(a[0] + s, a[1] + s, a[2] + s); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator-(const mat<3, 3, T, Q> &a, typename mat<3, 3, T, Q>::value_type s) { return mat<3, 3, T, Q>(a[0] - s, a[1] - s, a[2] - s); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator*(const mat<3, 3, T, Q> &a, typename mat<3, 3, T, Q>::value_type s) { return mat<3, 3, T, Q>(a[0] * s, a[1] * s, a[2] * s); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator/(const mat<3, 3, T, Q> &a, typename mat<3, 3, T, Q>::value_type s) { return mat<3, 3, T, Q>(a[0] / s, a[1] / s, a[2] / s); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator*(typename mat<3, 3, T, Q>::value_type s, const mat<3, 3, T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator-(const mat<3, 3, T, Q> &a) { return mat<3, 3, T, Q>(-a[0], -a[1], -a[2]); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(const mat<3, 3, T, Q> &a, const vec<3, T, Q> &v) { return a[0] * v.x + a[1] * v.y + a[2] * v.z; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(const vec<3, T, Q> &v, const mat<3, 3, T, Q> &a) { return vec<3, T, Q>(dot(v, a[0]), dot(v, a[1]), dot(v, a[2])); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> transpose(const mat<3, 3, T, Q> &a) { return mat<3, 3, T, Q>(a[0].x, a[1].x, a[2].x, a[0].y, a[1].y, a[2].y, a[0].z, a[1].z, a[2].z); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> outerProduct(const vec<3, T, Q> &c, const vec<3, T, Q> &r) { return mat<3, 3, T, Q>(c * r.x, c * r.y, c * r.z); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> matrixCompMult(const mat<3, 3, T, Q> &a, const mat<3, 3, T, Q> &b) { return mat<3, 3, T, Q>(a[0] * b[0], a[1] * b[1], a[2] * b[2]); }
template <typename T, qualifier Q> GLM_HD bool operator==(const mat<3, 3, T, Q> &a, const mat<3, 3, T, Q> &b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> column(const mat<3, 3, T, Q> &a, length_t i) { return a[i]; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> row(const mat<3, 3, T, Q> &a, length_t i) { return vec<3, T, Q>(a[0][i], a[1][i], a[2][i]); }
template <typename T, qualifier Q> struct mat<3, 4, T, Q> {
  typedef T value_type;
  typedef vec<4, T, Q> col_type;
  typedef vec<3, T, Q> row_type;
  typedef mat<4, 3, T, Q> transpose_type;
  col_type value[3];
  mat() = default;
  static __host__ __device__ constexpr length_t length() { return 3; }
  template <typename U> __host__ __device__ explicit mat(U s) { value[0] = col_type(T(s), T(0), T(0), T(0)); value[1] = col_type(T(0), T(s), T(0), T(0)); value[2] = col_type(T(0), T(0), T(s), T(0)); }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2) { value[0] = c0; value[1] = c1; value[2] = c2; }
  __host__ __device__ mat(T m00, T m01, T m02, T m03, T m10, T m11, T m12, T m13, T m20, T m21, T m22, T m23) { value[0] = col_type(m00, m01, m02, m03); value[1] = col_type(m10, m11, m12, m13); value[2] = col_type(m20, m21, m22, m23); }
  template <typename U, qualifier P> __host__ __device__ mat(const mat<3, 4, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); value[2] = col_type(m[2]); }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  template <typename U, qualifier P> __host__ __device__ mat &operator+=(const mat<3, 4, U, P> &m) { value[0] += m[0]; value[1] += m[1]; value[2] += m[2]; return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator-=(const mat<3, 4, U, P> &m) { value[0] -= m[0]; value[1] -= m[1]; value[2] -= m[2]; return *this; }
  template <typename U> __host__ __device__ mat &operator+=(U s) { value[0] += T(s); value[1] += T(s); value[2] += T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator-=(U s) { value[0] -= T(s); value[1] -= T(s); value[2] -= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator*=(U s) { value[0] *= T(s); value[1] *= T(s); value[2] *= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator/=(U s) { value[0] /= T(s); value[1] /= T(s); value[2] /= T(s); return *this; }
};
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator+(const mat<3, 4, T, Q> &a, const mat<3, 4, T, Q> &b) { return mat<3, 4, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator-(const mat<3, 4, T, Q> &a, const mat<3, 4, T, Q> &b) { return mat<3, 4, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator+(const mat<3, 4, T, Q> &a, typename mat<3, 4, T, Q>::value_type s) { return mat<3, 4, T, Q>(a[0] + s, a[1] + s, a[2] + s); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator-(const mat<3, 4, T, Q> &a, typename mat<3, 4, T, Q>::value_type s) { return mat<3, 4, T, Q>(a[0] - s, a[1] - s, a[2] - s); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator*(const mat<3, 4, T, Q> &a, typename mat<3, 4, T, Q>::value_type s) { return mat<3, 4, T, Q>(a[0] * s, a[1] * s, a[2] * s); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator/(const mat<3, 4, T, Q> &a, typename mat<3, 4, T, Q>::value_type s) { return mat<3, 4, T, Q>(a[0] / s, a[1] / s, a[2] / s); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator*(typename mat<3, 4, T, Q>::value_type s, const mat<3, 4, T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator-(const mat<3, 4, T, Q> &a) { return mat<3, 4, T, Q>(-a[0], -a[1], -a[2]); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator*(const mat<3, 4, T, Q> &a, const vec<3, T, Q> &v) { return a[0] * v.x + a[1] * v.y + a[2] * v.z; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(const vec<4, T, Q> &v, const mat<3, 4, T, Q> &a) { return vec<3, T, Q>(dot(v, a[0]), dot(v, a[1]), dot(v, a[2])); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> transpose(const mat<3, 4, T, Q> &a) { return mat<4, 3, T, Q>(a[0].x, a[1].x, a[2].x, a[0].y, a[1].y, a[2].y, a[0].z, a[1].z, a[2].z, a[0].w, a[1].w, a[2].w); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> outerProduct(const vec<4, T, Q> &c, const vec<3, T, Q> &r) { return mat<3, 4, T, Q>(c * r.x, c * r.y, c * r.z); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> matrixCompMult(const mat<3, 4, T, Q> &a, const mat<3, 4, T, Q> &b) { return mat<3, 4, T, Q>(a[0] * b[0], a[1] * b[1], a[2] * b[2]); }
template <typename T, qualifier Q> GLM_HD bool operator==(const mat<3, 4, T, Q> &a, const mat<3, 4, T, Q> &b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> column(const mat<3, 4, T, Q> &a, length_t i) { return a[i]; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> row(const mat<3, 4, T, Q> &a, length_t i) { return vec<3, T, Q>(a[0][i], a[1][i], a[2][i]); }
template <typename T, qualifier Q> struct mat<4, 2, T, Q> {
  typedef T value_type;
  typedef vec<2, T, Q> col_type;
  typedef vec<4, T, Q> row_type;
  typedef mat<2, 4, T, Q> transpose_type;
  col_type value[4];
  mat() = default;
  static __host__ __device__ constexpr length_t length() { return 4; }
  template <typename U> __host__ __device__ explicit mat(U s) { value[0] = col_type(T(s), T(0)); value[1] = col_type(T(0), T(s)); value[2] = col_type(T(0), T(0)); value[3] = col_type(T(0), T(0)); }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2, const col_type &c3) { value[0] = c0; value[1] = c1; value[2] = c2; value[3] = c3; }
  __host__ __device__ mat(T m00, T m01, T m10, T m11, T m20, T m21, T m30, T m31) { value[0] = col_type(m00, m01); value[1] = col_type(m10, m11); value[2] = col_type(m20, m21); value[3] = col_type(m30, m31); }
  template <typename U, qualifier P> __host__ __device__ mat(const mat<4, 2, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); value[2] = col_type(m[2]); value[3] = col_type(m[3]); }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  template <typename U, qualifier P> __host__ __device__ mat &operator+=(const mat<4, 2, U, P> &m) { value[0] += m[0]; value[1] += m[1]; value[2] += m[2]; value[3] += m[3]; return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator-=(const mat<4, 2, U, P> &m) { value[0] -= m[0]; value[1] -= m[1]; value[2] -= m[2]; value[3] -= m[3]; return *this; }
  template <typename U> __host__ __device__ mat &operator+=(U s) { value[0] += T(s); value[1] += T(s); value[2] += T(s); value[3] += T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator-=(U s) { value[0] -= T(s); value[1] -= T(s); value[2] -= T(s); value[3] -= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator*=(U s) { value[0] *= T(s); value[1] *= T(s); value[2] *= T(s); value[3] *= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator/=(U s) { value[0] /= T(s); value[1] /= T(s); value[2] /= T(s); value[3] /= T(s); return *this; }
};
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator+(const mat<4, 2, T, Q> &a, const mat<4, 2, T, Q> &b) { return mat<4, 2, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator-(const mat<4, 2, T, Q> &a, const mat<4, 2, T, Q> &b) { return mat<4, 2, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator+(const mat<4, 2, T, Q> &a, typename mat<4, 2, T, Q>::value_type s) { return mat<4, 2, T, Q>(a[0] + s, a[1] + s, a[2] + s, a[3] + s); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator-(const mat<4, 2, T, Q> &a, typename mat<4, 2, T, Q>::value_type s) { return mat<4, 2, T, Q>(a[0] - s, a[1] - s, a[2] - s, a[3] - s); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator*(const mat<4, 2, T, Q> &a, typename mat<4, 2, T, Q>::value_type s) { return mat<4, 2, T, Q>(a[0] * s, a[1] * s, a[2] * s, a[3] * s); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator/(const mat<4, 2, T, Q> &a, typename mat<4, 2, T, Q>::value_type s) { return mat<4, 2, T, Q>(a[0] / s, a[1] / s, a[2] / s, a[3] / s); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator*(typename mat<4, 2, T, Q>::value_type s, const mat<4, 2, T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator-(const mat<4, 2, T, Q> &a) { return mat<4, 2, T, Q>(-a[0], -a[1], -a[2], -a[3]); }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> operator*(const mat<4, 2, T, Q> &a, const vec<4, T, Q> &v) { return a[0] * v.x + a[1] * v.y + a[2] * v.z + a[3] * v.w; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator*(const vec<2, T, Q> &v, const mat<4, 2, T, Q> &a) { return vec<4, T, Q>(dot(v, a[0]), dot(v, a[1]), dot(v, a[2]), dot(v, a[3])); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> transpose(const mat<4, 2, T, Q> &a) { return mat<2, 4, T, Q>(a[0].x, a[1].x, a[2].x, a[3].x, a[0].y, a[1].y, a[2].y, a[3].y); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> outerProduct(const vec<2, T, Q> &c, const vec<4, T, Q> &r) { return mat<4, 2, T, Q>(c * r.x, c * r.y, c * r.z, c * r.w); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> matrixCompMult(const mat<4, 2, T, Q> &a, const mat<4, 2, T, Q> &b) { return mat<4, 2, T, Q>(a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]); }
template <typename T, qualifier Q> GLM_HD bool operator==(const mat<4, 2, T, Q> &a, const mat<4, 2, T, Q> &b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3]; }
template <typename T, qualifier Q> GLM_HD vec<2, T, Q> column(const mat<4, 2, T, Q> &a, length_t i) { return a[i]; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> row(const mat<4, 2, T, Q> &a, length_t i) { return vec<4, T, Q>(a[0][i], a[1][i], a[2][i], a[3][i]); }
template <typename T, qualifier Q> struct mat<4, 3, T, Q> {
  typedef T value_type;
  typedef vec<3, T, Q> col_type;
  typedef vec<4, T, Q> row_type;
  typedef mat<3, 4, T, Q> transpose_type;
  col_type value[4];
  mat() = default;
  static __host__ __device__ constexpr length_t length() { return 4; }
  template <typename U> __host__ __device__ explicit mat(U s) { value[0] = col_type(T(s), T(0), T(0)); value[1] = col_type(T(0), T(s), T(0)); value[2] = col_type(T(0), T(0), T(s)); value[3] = col_type(T(0), T(0), T(0)); }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2, const col_type &c3) { value[0] = c0; value[1] = c1; value[2] = c2; value[3] = c3; }
  __host__ __device__ mat(T m00, T m01, T m02, T m10, T m11, T m12, T m20, T m21, T m22, T m30, T m31, T m32) { value[0] = col_type(m00, m01, m02); value[1] = col_type(m10, m11, m12); value[2] = col_type(m20, m21, m22); value[3] = col_type(m30, m31, m32); }
  template <typename U, qualifier P> __host__ __device__ mat(const mat<4, 3, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); value[2] = col_type(m[2]); value[3] = col_type(m[3]); }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  template <typename U, qualifier P> __host__ __device__ mat &operator+=(const mat<4, 3, U, P> &m) { value[0] += m[0]; value[1] += m[1]; value[2] += m[2]; value[3] += m[3]; return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator-=(const mat<4, 3, U, P> &m) { value[0] -= m[0]; value[1] -= m[1]; value[2] -= m[2]; value[3] -= m[3]; return *this; }
  template <typename U> __host__ __device__ mat &operator+=(U s) { value[0] += T(s); value[1] += T(s); value[2] += T(s); value[3] += T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator-=(U s) { value[0] -= T(s); value[1] -= T(s); value[2] -= T(s); value[3] -= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator*=(U s) { value[0] *= T(s); value[1] *= T(s); value[2] *= T(s); value[3] *= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator/=(U s) { value[0] /= T(s); value[1] /= T(s); value[2] /= T(s); value[3] /= T(s); return *this; }
};
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator+(const mat<4, 3, T, Q> &a, const mat<4, 3, T, Q> &b) { return mat<4, 3, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator-(const mat<4, 3, T, Q> &a, const mat<4, 3, T, Q> &b) { return mat<4, 3, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator+(const mat<4, 3, T, Q> &a, typename mat<4, 3, T, Q>::value_type s) { return mat<4, 3, T, Q>(a[0] + s, a[1] + s, a[2] + s, a[3] + s); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator-(const mat<4, 3, T, Q> &a, typename mat<4, 3, T, Q>::value_type s) { return mat<4, 3, T, Q>(a[0] - s, a[1] - s, a[2] - s, a[3] - s); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator*(const mat<4, 3, T, Q> &a, typename mat<4, 3, T, Q>::value_type s) { return mat<4, 3, T, Q>(a[0] * s, a[1] * s, a[2] * s, a[3] * s); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator/(const mat<4, 3, T, Q> &a, typename mat<4, 3, T, Q>::value_type s) { return mat<4, 3, T, Q>(a[0] / s, a[1] / s, a[2] / s, a[3] / s); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator*(typename mat<4, 3, T, Q>::value_type s, const mat<4, 3, T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator-(const mat<4, 3, T, Q> &a) { return mat<4, 3, T, Q>(-a[0], -a[1], -a[2], -a[3]); }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(const mat<4, 3, T, Q> &a, const vec<4, T, Q> &v) { return a[0] * v.x + a[1] * v.y + a[2] * v.z + a[3] * v.w; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator*(const vec<3, T, Q> &v, const mat<4, 3, T, Q> &a) { return vec<4, T, Q>(dot(v, a[0]), dot(v, a[1]), dot(v, a[2]), dot(v, a[3])); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> transpose(const mat<4, 3, T, Q> &a) { return mat<3, 4, T, Q>(a[0].x, a[1].x, a[2].x, a[3].x, a[0].y, a[1].y, a[2].y, a[3].y, a[0].z, a[1].z, a[2].z, a[3].z); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> outerProduct(const vec<3, T, Q> &c, const vec<4, T, Q> &r) { return mat<4, 3, T, Q>(c * r.x, c * r.y, c * r.z, c * r.w); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> matrixCompMult(const mat<4, 3, T, Q> &a, const mat<4, 3, T, Q> &b) { return mat<4, 3, T, Q>(a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]); }
template <typename T, qualifier Q> GLM_HD bool operator==(const mat<4, 3, T, Q> &a, const mat<4, 3, T, Q> &b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3]; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> column(const mat<4, 3, T, Q> &a, length_t i) { return a[i]; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> row(const mat<4, 3, T, Q> &a, length_t i) { return vec<4, T, Q>(a[0][i], a[1][i], a[2][i], a[3][i]); }
template <typename T, qualifier Q> struct mat<4, 4, T, Q> {
  typedef T value_type;
  typedef vec<4, T, Q> col_type;
  typedef vec<4, T, Q> row_type;
  typedef mat<4, 4, T, Q> transpose_type;
  col_type value[4];
  mat() = default;
  static __host__ __device__ constexpr length_t length() { return 4; }
  template <typename U> __host__ __device__ explicit mat(U s) { value[0] = col_type(T(s), T(0), T(0), T(0)); value[1] = col_type(T(0), T(s), T(0), T(0)); value[2] = col_type(T(0), T(0), T(s), T(0)); value[3] = col_type(T(0), T(0), T(0), T(s)); }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2, const col_type &c3) { value[0] = c0; value[1] = c1; value[2] = c2; value[3] = c3; }
  __host__ __device__ mat(T m00, T m01, T m02, T m03, T m10, T m11, T m12, T m13, T m20, T m21, T m22, T m23, T m30, T m31, T m32, T m33) { value[0] = col_type(m00, m01, m02, m03); value[1] = col_type(m10, m11, m12, m13); value[2] = col_type(m20, m21, m22, m23); value[3] = col_type(m30, m31, m32, m33); }
  template <typename U, qualifier P> __host__ __device__ mat(const mat<4, 4, U, P> &m) { value[0] = col_type(m[0]); value[1] = col_type(m[1]); value[2] = col_type(m[2]); value[3] = col_type(m[3]); }
  template <typename U, qualifier P> __host__ __device__ explicit mat(const mat<2, 2, U, P> &m) { value[0] = col_type(T(m[0][0]), T(m[0][1]), T(0), T(0)); value[1] = col_type(T(m[1][0]), T(m[1][1]), T(0), T(0)); value[2] = col_type(T(0), T(0), T(1), T(0)); value[3] = col_type(T(0), T(0), T(0), T(1)); }
  template <typename U, qualifier P> __host__ __device__ explicit mat(const mat<3, 3, U, P> &m) { value[0] = col_type(T(m[0][0]), T(m[0][1]), T(m[0][2]), T(0)); value[1] = col_type(T(m[1][0]), T(m[1][1]), T(m[1][2]), T(0)); value[2] = col_type(T(m[2][0]), T(m[2][1]), T(m[2][2]), T(0)); value[3] = col_type(T(0), T(0), T(0), T(1)); }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  template <typename U, qualifier P> __host__ __device__ mat &operator+=(const mat<4, 4, U, P> &m) { value[0] += m[0]; value[1] += m[1]; value[2] += m[2]; value[3] += m[3]; return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator-=(const mat<4, 4, U, P> &m) { value[0] -= m[0]; value[1] -= m[1]; value[2] -= m[2]; value[3] -= m[3]; return *this; }
  template <typename U> __host__ __device__ mat &operator+=(U s) { value[0] += T(s); value[1] += T(s); value[2] += T(s); value[3] += T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator-=(U s) { value[0] -= T(s); value[1] -= T(s); value[2] -= T(s); value[3] -= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator*=(U s) { value[0] *= T(s); value[1] *= T(s); value[2] *= T(s); value[3] *= T(s); return *this; }
  template <typename U> __host__ __device__ mat &operator/=(U s) { value[0] /= T(s); value[1] /= T(s); value[2] /= T(s); value[3] /= T(s); return *this; }
  template <typename U, qualifier P> __host__ __device__ mat &operator*=(const mat<4, 4, U, P> &m) { return *this = *this * m; }
};
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator+(const mat<4, 4, T, Q> &a, const mat<4, 4, T, Q> &b) { return mat<4, 4, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator-(const mat<4, 4, T, Q> &a, const mat<4, 4, T, Q> &b) { return mat<4, 4, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator+(const mat<4, 4, T, Q> &a, typename mat<4, 4, T, Q>::value_type s) { return mat<4, 4, T, Q>(a[0] + s, a[1] + s, a[2] + s, a[3] + s); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator-(const mat<4, 4, T, Q> &a, typename mat<4, 4, T, Q>::value_type s) { return mat<4, 4, T, Q>(a[0] - s, a[1] - s, a[2] - s, a[3] - s); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator*(const mat<4, 4, T, Q> &a, typename mat<4, 4, T, Q>::value_type s) { return mat<4, 4, T, Q>(a[0] * s, a[1] * s, a[2] * s, a[3] * s); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator/(const mat<4, 4, T, Q> &a, typename mat<4, 4, T, Q>::value_type s) { return mat<4, 4, T, Q>(a[0] / s, a[1] / s, a[2] / s, a[3] / s); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator*(typename mat<4, 4, T, Q>::value_type s, const mat<4, 4, T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator-(const mat<4, 4, T, Q> &a) { return mat<4, 4, T, Q>(-a[0], -a[1], -a[2], -a[3]); }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator*(const mat<4, 4, T, Q> &a, const vec<4, T, Q> &v) { return a[0] * v.x + a[1] * v.y + a[2] * v.z + a[3] * v.w; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> operator*(const vec<4, T, Q> &v, const mat<4, 4, T, Q> &a) { return vec<4, T, Q>(dot(v, a[0]), dot(v, a[1]), dot(v, a[2]), dot(v, a[3])); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> transpose(const mat<4, 4, T, Q> &a) { return mat<4, 4, T, Q>(a[0].x, a[1].x, a[2].x, a[3].x, a[0].y, a[1].y, a[2].y, a[3].y, a[0].z, a[1].z, a[2].z, a[3].z, a[0].w, a[1].w, a[2].w, a[3].w); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> outerProduct(const vec<4, T, Q> &c, const vec<4, T, Q> &r) { return mat<4, 4, T, Q>(c * r.x, c * r.y, c * r.z, c * r.w); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> matrixCompMult(const mat<4, 4, T, Q> &a, const mat<4, 4, T, Q> &b) { return mat<4, 4, T, Q>(a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]); }
template <typename T, qualifier Q> GLM_HD bool operator==(const mat<4, 4, T, Q> &a, const mat<4, 4, T, Q> &b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3]; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> column(const mat<4, 4, T, Q> &a, length_t i) { return a[i]; }
template <typename T, qualifier Q> GLM_HD vec<4, T, Q> row(const mat<4, 4, T, Q> &a, length_t i) { return vec<4, T, Q>(a[0][i], a[1][i], a[2][i], a[3][i]); }

template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator*(const mat<2, 2, T, Q> &a, const mat<2, 2, T, Q> &b) { return mat<2, 2, T, Q>(a * b[0], a * b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator*(const mat<2, 3, T, Q> &a, const mat<2, 2, T, Q> &b) { return mat<2, 3, T, Q>(a * b[0], a * b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator*(const mat<2, 4, T, Q> &a, const mat<2, 2, T, Q> &b) { return mat<2, 4, T, Q>(a * b[0], a * b[1]); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator*(const mat<2, 2, T, Q> &a, const mat<3, 2, T, Q> &b) { return mat<3, 2, T, Q>(a * b[0], a * b[1], a * b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator*(const mat<2, 3, T, Q> &a, const mat<3, 2, T, Q> &b) { return mat<3, 3, T, Q>(a * b[0], a * b[1], a * b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator*(const mat<2, 4, T, Q> &a, const mat<3, 2, T, Q> &b) { return mat<3, 4, T, Q>(a * b[0], a * b[1], a * b[2]); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator*(const mat<2, 2, T, Q> &a, const mat<4, 2, T, Q> &b) { return mat<4, 2, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator*(const mat<2, 3, T, Q> &a, const mat<4, 2, T, Q> &b) { return mat<4, 3, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator*(const mat<2, 4, T, Q> &a, const mat<4, 2, T, Q> &b) { return mat<4, 4, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator*(const mat<3, 2, T, Q> &a, const mat<2, 3, T, Q> &b) { return mat<2, 2, T, Q>(a * b[0], a * b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator*(const mat<3, 3, T, Q> &a, const mat<2, 3, T, Q> &b) { return mat<2, 3, T, Q>(a * b[0], a * b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator*(const mat<3, 4, T, Q> &a, const mat<2, 3, T, Q> &b) { return mat<2, 4, T, Q>(a * b[0], a * b[1]); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator*(const mat<3, 2, T, Q> &a, const mat<3, 3, T, Q> &b) { return mat<3, 2, T, Q>(a * b[0], a * b[1], a * b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator*(const mat<3, 3, T, Q> &a, const mat<3, 3, T, Q> &b) { return mat<3, 3, T, Q>(a * b[0], a * b[1], a * b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator*(const mat<3, 4, T, Q> &a, const mat<3, 3, T, Q> &b) { return mat<3, 4, T, Q>(a * b[0], a * b[1], a * b[2]); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator*(const mat<3, 2, T, Q> &a, const mat<4, 3, T, Q> &b) { return mat<4, 2, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator*(const mat<3, 3, T, Q> &a, const mat<4, 3, T, Q> &b) { return mat<4, 3, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator*(const mat<3, 4, T, Q> &a, const mat<4, 3, T, Q> &b) { return mat<4, 4, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> operator*(const mat<4, 2, T, Q> &a, const mat<2, 4, T, Q> &b) { return mat<2, 2, T, Q>(a * b[0], a * b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 3, T, Q> operator*(const mat<4, 3, T, Q> &a, const mat<2, 4, T, Q> &b) { return mat<2, 3, T, Q>(a * b[0], a * b[1]); }
template <typename T, qualifier Q> GLM_HD mat<2, 4, T, Q> operator*(const mat<4, 4, T, Q> &a, const mat<2, 4, T, Q> &b) { return mat<2, 4, T, Q>(a * b[0], a * b[1]); }
template <typename T, qualifier Q> GLM_HD mat<3, 2, T, Q> operator*(const mat<4, 2, T, Q> &a, const mat<3, 4, T, Q> &b) { return mat<3, 2, T, Q>(a * b[0], a * b[1], a * b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> operator*(const mat<4, 3, T, Q> &a, const mat<3, 4, T, Q> &b) { return mat<3, 3, T, Q>(a * b[0], a * b[1], a * b[2]); }
template <typename T, qualifier Q> GLM_HD mat<3, 4, T, Q> operator*(const mat<4, 4, T, Q> &a, const mat<3, 4, T, Q> &b) { return mat<3, 4, T, Q>(a * b[0], a * b[1], a * b[2]); }
template <typename T, qualifier Q> GLM_HD mat<4, 2, T, Q> operator*(const mat<4, 2, T, Q> &a, const mat<4, 4, T, Q> &b) { return mat<4, 2, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 3, T, Q> operator*(const mat<4, 3, T, Q> &a, const mat<4, 4, T, Q> &b) { return mat<4, 3, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> operator*(const mat<4, 4, T, Q> &a, const mat<4, 4, T, Q> &b) { return mat<4, 4, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]); }

template <typename T, qualifier Q> GLM_HD T determinant(const mat<2, 2, T, Q> &m) { return m[0].x * m[1].y - m[1].x * m[0].y; }
template <typename T, qualifier Q> GLM_HD T determinant(const mat<3, 3, T, Q> &m) { return dot(m[0], cross(m[1], m[2])); }
template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> inverse(const mat<2, 2, T, Q> &m) {
  return mat<2, 2, T, Q>(m[1].y, -m[0].y, -m[1].x, m[0].x) * (T(1) / determinant(m));
}
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> inverse(const mat<3, 3, T, Q> &m) {
  return transpose(mat<3, 3, T, Q>(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]))) * (T(1) / determinant(m));
}
template <typename T, qualifier Q> __host__ __device__ T determinant(const mat<4, 4, T, Q> &m);
template <typename T, qualifier Q> __host__ __device__ mat<4, 4, T, Q> inverse(const mat<4, 4, T, Q> &m);
template <length_t L, typename T, qualifier Q> GLM_HD mat<L, L, T, Q> inverseTranspose(const mat<L, L, T, Q> &m) { return transpose(inverse(m)); }

template <typename T, qualifier Q> struct qua {
  typedef T value_type;
  T w, x, y, z;
  qua() = default;
  static __host__ __device__ constexpr length_t length() { return 4; }
  __host__ __device__ constexpr qua(T w_, T x_, T y_, T z_) : w(w_), x(x_), y(y_), z(z_) {}
  __host__ __device__ constexpr qua(T s, const vec<3, T, Q> &v) : w(s), x(v.x), y(v.y), z(v.z) {}
  template <typename U, qualifier P> __host__ __device__ constexpr qua(const qua<U, P> &q) : w(T(q.w)), x(T(q.x)), y(T(q.y)), z(T(q.z)) {}
  __host__ __device__ explicit qua(const mat<3, 3, T, Q> &m);
  __host__ __device__ explicit qua(const mat<4, 4, T, Q> &m);
  static __host__ __device__ constexpr qua wxyz(T w_, T x_, T y_, T z_) { return qua(w_, x_, y_, z_); }
  __host__ __device__ T &operator[](length_t i) { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  __host__ __device__ const T &operator[](length_t i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  __host__ __device__ qua &operator+=(const qua &q) { w += q.w; x += q.x; y += q.y; z += q.z; return *this; }
  __host__ __device__ qua &operator-=(const qua &q) { w -= q.w; x -= q.x; y -= q.y; z -= q.z; return *this; }
  __host__ __device__ qua &operator*=(T s) { w *= s; x *= s; y *= s; z *= s; return *this; }
  __host__ __device__ qua &operator/=(T s) { w /= s; x /= s; y /= s; z /= s; return *this; }
};
template <typename T, qualifier Q> GLM_HD qua<T, Q> operator+(const qua<T, Q> &a, const qua<T, Q> &b) { return qua<T, Q>(a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> operator-(const qua<T, Q> &a, const qua<T, Q> &b) { return qua<T, Q>(a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> operator-(const qua<T, Q> &a) { return qua<T, Q>(-a.w, -a.x, -a.y, -a.z); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> operator*(const qua<T, Q> &a, typename qua<T, Q>::value_type s) { return qua<T, Q>(a.w * s, a.x * s, a.y * s, a.z * s); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> operator*(typename qua<T, Q>::value_type s, const qua<T, Q> &a) { return a * s; }
template <typename T, qualifier Q> GLM_HD qua<T, Q> operator/(const qua<T, Q> &a, typename qua<T, Q>::value_type s) { return qua<T, Q>(a.w / s, a.x / s, a.y / s, a.z / s); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> operator*(const qua<T, Q> &a, const qua<T, Q> &b) {
  return qua<T, Q>(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x);
}
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> operator*(const qua<T, Q> &q, const vec<3, T, Q> &v) {
  const vec<3, T, Q> axis(q.x, q.y, q.z), side = cross(axis, v);
  return v + (side * q.w + cross(axis, side)) * T(2);
}
template <typename T, qualifier Q> GLM_HD bool operator==(const qua<T, Q> &a, const qua<T, Q> &b) { return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z; }
template <typename T, qualifier Q> GLM_HD T dot(const qua<T, Q> &a, const qua<T, Q> &b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }
template <typename T, qualifier Q> GLM_HD T length(const qua<T, Q> &a) { return T(::sqrt(dot(a, a))); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> normalize(const qua<T, Q> &a) { return a * (T(1) / length(a)); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> conjugate(const qua<T, Q> &a) { return qua<T, Q>(a.w, -a.x, -a.y, -a.z); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> inverse(const qua<T, Q> &a) { return conjugate(a) / dot(a, a); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> cross(const qua<T, Q> &a, const qua<T, Q> &b) { return a * b; }
template <typename T, qualifier Q> GLM_HD vec<3, T, Q> rotate(const qua<T, Q> &q, const vec<3, T, Q> &v) { return q * v; }
template <typename T, qualifier Q> __host__ __device__ qua<T, Q> slerp(const qua<T, Q> &a, const qua<T, Q> &b, T t);
template <typename T, qualifier Q> __host__ __device__ qua<T, Q> mix(const qua<T, Q> &a, const qua<T, Q> &b, T t);
template <typename T, qualifier Q> __host__ __device__ qua<T, Q> lerp(const qua<T, Q> &a, const qua<T, Q> &b, T t);
template <typename T, qualifier Q> __host__ __device__ qua<T, Q> angleAxis(const T &angle, const vec<3, T, Q> &axis);
template <typename T, qualifier Q> __host__ __device__ qua<T, Q> quat_cast(const mat<3, 3, T, Q> &m);
template <typename T, qualifier Q> __host__ __device__ qua<T, Q> quat_cast(const mat<4, 4, T, Q> &m);
template <typename T, qualifier Q> __host__ __device__ mat<3, 3, T, Q> mat3_cast(const qua<T, Q> &q);
template <typename T, qualifier Q> __host__ __device__ mat<4, 4, T, Q> mat4_cast(const qua<T, Q> &q);
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> toMat3(const qua<T, Q> &q) { return mat3_cast(q); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> toMat4(const qua<T, Q> &q) { return mat4_cast(q); }
template <typename T, qualifier Q> GLM_HD qua<T, Q> toQuat(const mat<3, 3, T, Q> &m) { return quat_cast(m); }
template <typename T, qualifier Q> __host__ __device__ mat<4, 4, T, Q> translate(const mat<4, 4, T, Q> &m, const vec<3, T, Q> &v);
template <typename T, qualifier Q> __host__ __device__ mat<4, 4, T, Q> rotate(const mat<4, 4, T, Q> &m, T angle, const vec<3, T, Q> &axis);
template <typename T, qualifier Q> __host__ __device__ mat<4, 4, T, Q> scale(const mat<4, 4, T, Q> &m, const vec<3, T, Q> &v);
template <typename T, qualifier Q> __host__ __device__ mat<4, 4, T, Q> lookAt(const vec<3, T, Q> &eye, const vec<3, T, Q> &center, const vec<3, T, Q> &up);
template <typename T> __host__ __device__ mat<4, 4, T, defaultp> perspective(T fovy, T aspect, T near_, T far_);
template <typename T> __host__ __device__ mat<4, 4, T, defaultp> ortho(T left, T right, T bottom, T top, T near_, T far_);

template <typename T, qualifier Q> GLM_HD mat<2, 2, T, Q> diagonal2x2(const vec<2, T, Q> &v) { return mat<2, 2, T, Q>(v.x, T(0), T(0), v.y); }
template <typename T> GLM_HD vec<2, T, defaultp> make_vec2(const T *p) { return vec<2, T, defaultp>(p[0], p[1]); }
template <typename T> GLM_HD mat<2, 2, T, defaultp> make_mat2(const T *p) { return mat<2, 2, T, defaultp>(p[0], p[1], p[2], p[3]); }
template <typename T, qualifier Q> GLM_HD mat<3, 3, T, Q> diagonal3x3(const vec<3, T, Q> &v) { return mat<3, 3, T, Q>(v.x, T(0), T(0), T(0), v.y, T(0), T(0), T(0), v.z); }
template <typename T> GLM_HD vec<3, T, defaultp> make_vec3(const T *p) { return vec<3, T, defaultp>(p[0], p[1], p[2]); }
template <typename T> GLM_HD mat<3, 3, T, defaultp> make_mat3(const T *p) { return mat<3, 3, T, defaultp>(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]); }
template <typename T, qualifier Q> GLM_HD mat<4, 4, T, Q> diagonal4x4(const vec<4, T, Q> &v) { return mat<4, 4, T, Q>(v.x, T(0), T(0), T(0), T(0), v.y, T(0), T(0), T(0), T(0), v.z, T(0), T(0), T(0), T(0), v.w); }
template <typename T> GLM_HD vec<4, T, defaultp> make_vec4(const T *p) { return vec<4, T, defaultp>(p[0], p[1], p[2], p[3]); }
template <typename T> GLM_HD mat<4, 4, T, defaultp> make_mat4(const T *p) { return mat<4, 4, T, defaultp>(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14], p[15]); }
template <typename T> GLM_HD qua<T, defaultp> make_quat(const T *p) { return qua<T, defaultp>(p[3], p[0], p[1], p[2]); }
template <length_t L, typename T, qualifier Q> GLM_HD T *value_ptr(vec<L, T, Q> &v) { return &v.x; }
template <length_t L, typename T, qualifier Q> GLM_HD const T *value_ptr(const vec<L, T, Q> &v) { return &v.x; }
template <length_t C, length_t R, typename T, qualifier Q> GLM_HD T *value_ptr(mat<C, R, T, Q> &m) { return &m[0].x; }
template <length_t C, length_t R, typename T, qualifier Q> GLM_HD const T *value_ptr(const mat<C, R, T, Q> &m) { return &m[0].x; }

typedef vec<1, float, defaultp> vec1;
typedef vec<2, float, defaultp> vec2;
typedef vec<3, float, defaultp> vec3;
typedef vec<4, float, defaultp> vec4;
typedef vec<1, float, defaultp> fvec1;
typedef vec<2, float, defaultp> fvec2;
typedef vec<3, float, defaultp> fvec3;
typedef vec<4, float, defaultp> fvec4;
typedef vec<1, double, defaultp> dvec1;
typedef vec<2, double, defaultp> dvec2;
typedef vec<3, double, defaultp> dvec3;
typedef vec<4, double, defaultp> dvec4;
typedef vec<1, int, defaultp> ivec1;
typedef vec<2, int, defaultp> ivec2;
typedef vec<3, int, defaultp> ivec3;
typedef vec<4, int, defaultp> ivec4;
typedef vec<1, unsigned, defaultp> uvec1;
typedef vec<2, unsigned, defaultp> uvec2;
typedef vec<3, unsigned, defaultp> uvec3;
typedef vec<4, unsigned, defaultp> uvec4;
typedef vec<1, bool, defaultp> bvec1;
typedef vec<2, bool, defaultp> bvec2;
typedef vec<3, bool, defaultp> bvec3;
typedef vec<4, bool, defaultp> bvec4;
typedef mat<2, 2, float, defaultp> mat2;
typedef mat<2, 2, float, defaultp> mat2x2;
typedef mat<2, 3, float, defaultp> mat2x3;
typedef mat<2, 4, float, defaultp> mat2x4;
typedef mat<3, 3, float, defaultp> mat3;
typedef mat<3, 2, float, defaultp> mat3x2;
typedef mat<3, 3, float, defaultp> mat3x3;
typedef mat<3, 4, float, defaultp> mat3x4;
typedef mat<4, 4, float, defaultp> mat4;
typedef mat<4, 2, float, defaultp> mat4x2;
typedef mat<4, 3, float, defaultp> mat4x3;
typedef mat<4, 4, float, defaultp> mat4x4;
typedef mat<2, 2, float, defaultp> fmat2;
typedef mat<2, 2, float, defaultp> fmat2x2;
typedef mat<2, 3, float, defaultp> fmat2x3;
typedef mat<2, 4, float, defaultp> fmat2x4;
typedef mat<3, 3, float, defaultp> fmat3;
typedef mat<3, 2, float, defaultp> fmat3x2;
typedef mat<3, 3, float, defaultp> fmat3x3;
typedef mat<3, 4, float, defaultp> fmat3x4;
typedef mat<4, 4, float, defaultp> fmat4;
typedef mat<4, 2, float, defaultp> fmat4x2;
typedef mat<4, 3, float, defaultp> fmat4x3;
typedef mat<4, 4, float, defaultp> fmat4x4;
typedef mat<2, 2, double, defaultp> dmat2;
typedef mat<2, 2, double, defaultp> dmat2x2;
typedef mat<2, 3, double, defaultp> dmat2x3;
typedef mat<2, 4, double, defaultp> dmat2x4;
typedef mat<3, 3, double, defaultp> dmat3;
typedef mat<3, 2, double, defaultp> dmat3x2;
typedef mat<3, 3, double, defaultp> dmat3x3;
typedef mat<3, 4, double, defaultp> dmat3x4;
typedef mat<4, 4, double, defaultp> dmat4;
typedef mat<4, 2, double, defaultp> dmat4x2;
typedef mat<4, 3, double, defaultp> dmat4x3;
typedef mat<4, 4, double, defaultp> dmat4x4;
typedef qua<float, defaultp> quat;
typedef qua<float, defaultp> fquat;
typedef qua<double, defaultp> dquat;
typedef vec<1, signed char, defaultp> i8vec1;
typedef vec<2, signed char, defaultp> i8vec2;
typedef vec<3, signed char, defaultp> i8vec3;
typedef vec<4, signed char, defaultp> i8vec4;
typedef vec<1, unsigned char, defaultp> u8vec1;
typedef vec<2, unsigned char, defaultp> u8vec2;
typedef vec<3, unsigned char, defaultp> u8vec3;
typedef vec<4, unsigned char, defaultp> u8vec4;
typedef vec<1, short, defaultp> i16vec1;
typedef vec<2, short, defaultp> i16vec2;
typedef vec<3, short, defaultp> i16vec3;
typedef vec<4, short, defaultp> i16vec4;
typedef vec<1, unsigned short, defaultp> u16vec1;
typedef vec<2, unsigned short, defaultp> u16vec2;
typedef vec<3, unsigned short, defaultp> u16vec3;
typedef vec<4, unsigned short, defaultp> u16vec4;
typedef vec<1, int, defaultp> i32vec1;
typedef vec<2, int, defaultp> i32vec2;
typedef vec<3, int, defaultp> i32vec3;
typedef vec<4, int, defaultp> i32vec4;
typedef vec<1, unsigned int, defaultp> u32vec1;
typedef vec<2, unsigned int, defaultp> u32vec2;
typedef vec<3, unsigned int, defaultp> u32vec3;
typedef vec<4, unsigned int, defaultp> u32vec4;
typedef vec<1, long long, defaultp> i64vec1;
typedef vec<2, long long, defaultp> i64vec2;
typedef vec<3, long long, defaultp> i64vec3;
typedef vec<4, long long, defaultp> i64vec4;
typedef vec<1, unsigned long long, defaultp> u64vec1;
typedef vec<2, unsigned long long, defaultp> u64vec2;
typedef vec<3, unsigned long long, defaultp> u64vec3;
typedef vec<4, unsigned long long, defaultp> u64vec4;

}  // namespace glm
