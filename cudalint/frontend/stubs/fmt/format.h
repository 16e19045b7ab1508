// Own declarations of the {fmt} library, written from its public reference: https://fmt.dev/latest/api/
#pragma once

#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

namespace fmt {

using std::string_view;

template <typename... T> struct format_string {
  template <typename S> constexpr format_string(const S &);
};

struct runtime_format_string { string_view str; };
runtime_format_string runtime(string_view text);

struct format_parse_context {
  constexpr const char *begin() const;
  constexpr const char *end() const;
};
struct format_context {
  struct iterator {
    char &operator*();
    iterator &operator++();
  };
  iterator out();
};
template <typename T, typename Char = char, typename Enable = void> struct formatter {
  constexpr const char *parse(format_parse_context &context);
  template <typename C> auto format(const T &value, C &context) const { return context.out(); }
};

template <typename F, typename... T> std::string format(const F &text, T &&...values);
template <typename F, typename... T> std::string sprintf(const F &text, const T &...values);
template <typename F, typename... T> void print(const F &text, T &&...values);
template <typename F, typename... T> void print(std::FILE *file, const F &text, T &&...values);
template <typename F, typename... T> void println(const F &text, T &&...values);
template <typename O, typename F, typename... T> O format_to(O out, const F &text, T &&...values);
template <typename F, typename... T> std::size_t formatted_size(const F &text, T &&...values);
template <typename T> std::string to_string(const T &value);

template <typename T> struct joined {};
template <typename R> joined<R> join(const R &range, string_view separator);
template <typename I> joined<I> join(I begin, I end, string_view separator);
template <typename T> struct named {};
template <typename T> named<T> arg(const char *name, const T &value);
template <typename P> const void *ptr(P pointer);

template <typename T, std::size_t N = 500> struct basic_memory_buffer {
  T *data();
  std::size_t size() const;
  void push_back(const T &value);
  void clear();
  template <typename R> void append(const R &range);
};
using memory_buffer = basic_memory_buffer<char>;
template <std::size_t N> std::string to_string(const basic_memory_buffer<char, N> &buffer);

inline namespace literals {
struct named_value {
  template <typename T> named<T> operator=(const T &value) const;
};
constexpr named_value operator""_a(const char *name, std::size_t size) { return {}; }
}  // namespace literals

}  // namespace fmt
