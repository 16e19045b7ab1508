// <chrono> and <ratio>: durations and time points with their arithmetic, clocks, the parts of a date.
#pragma once
namespace std {
template <long N, long D = 1> struct ratio {
  static constexpr long __divisor(long a, long b) { return b == 0 ? (a < 0 ? -a : a) : __divisor(b, a % b); }
  static constexpr long num = N / __divisor(N, D), den = D / __divisor(N, D);
  typedef ratio<num, den> type;
};
typedef ratio<1, 1000> milli;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000000000> nano;
typedef ratio<1000> kilo;
typedef ratio<1000000> mega;
template <class A, class B> using ratio_divide = typename ratio<A::num * B::den, A::den * B::num>::type;
template <class A, class B> using ratio_multiply = typename ratio<A::num * B::num, A::den * B::den>::type;

namespace chrono {
#pragma clang force_cuda_host_device begin
template <class R, class P = ratio<1>> struct duration;
template <class A, class B> using __cudalint_common_period = ratio<ratio<A::num, B::num>::__divisor(A::num, B::num), A::den / ratio<1>::__divisor(A::den, B::den) * B::den>;
template <class R, class P, class S, class Q> using __cudalint_common = duration<typename std::common_type<R, S>::type, typename __cudalint_common_period<P, Q>::type>;
template <class D, class R, class P> constexpr D duration_cast(const duration<R, P> &d) {
  typedef ratio_divide<P, typename D::period> factor;
  typedef typename std::common_type<typename D::rep, R, long>::type wide;
  return D(static_cast<typename D::rep>(static_cast<wide>(d.count()) * static_cast<wide>(factor::num) / static_cast<wide>(factor::den)));
}
template <class R, class P> struct duration {
  typedef R rep;
  typedef typename P::type period;
  R __count;
  constexpr duration() = default;
  template <class T, class = std::enable_if_t<__is_convertible_to(T, R)>> constexpr explicit duration(const T &count) : __count(static_cast<R>(count)) {}
  template <class S, class Q, class = std::enable_if_t<std::is_floating_point_v<R> || ratio_divide<Q, P>::den == 1>> constexpr duration(const duration<S, Q> &other) : __count(duration_cast<duration>(other).count()) {}
  constexpr R count() const { return __count; }
  constexpr duration operator+() const { return *this; }
  constexpr duration operator-() const { return duration(-__count); }
  constexpr duration &operator++() { ++__count; return *this; }
  constexpr duration &operator--() { --__count; return *this; }
  constexpr duration &operator+=(const duration &other) { __count += other.count(); return *this; }
  constexpr duration &operator-=(const duration &other) { __count -= other.count(); return *this; }
  constexpr duration &operator*=(const R &by) { __count *= by; return *this; }
  constexpr duration &operator/=(const R &by) { __count /= by; return *this; }
  constexpr duration &operator%=(const duration &other) { __count %= other.count(); return *this; }
  static constexpr duration zero() { return duration(R(0)); }
  static constexpr duration min() { return duration(std::numeric_limits<R>::lowest()); }
  static constexpr duration max() { return duration(std::numeric_limits<R>::max()); }
};
template <class R, class P, class S, class Q> constexpr __cudalint_common<R, P, S, Q> operator+(const duration<R, P> &a, const duration<S, Q> &b) { typedef __cudalint_common<R, P, S, Q> C; return C(C(a).count() + C(b).count()); }
template <class R, class P, class S, class Q> constexpr __cudalint_common<R, P, S, Q> operator-(const duration<R, P> &a, const duration<S, Q> &b) { typedef __cudalint_common<R, P, S, Q> C; return C(C(a).count() - C(b).count()); }
template <class R, class P, class S, class Q> constexpr __cudalint_common<R, P, S, Q> operator%(const duration<R, P> &a, const duration<S, Q> &b) { typedef __cudalint_common<R, P, S, Q> C; return C(C(a).count() % C(b).count()); }
template <class R, class P, class S, class Q> constexpr typename std::common_type<R, S>::type operator/(const duration<R, P> &a, const duration<S, Q> &b) { typedef __cudalint_common<R, P, S, Q> C; return C(a).count() / C(b).count(); }
template <class R, class P, class S, class = std::enable_if_t<__is_convertible_to(S, R)>> constexpr duration<typename std::common_type<R, S>::type, P> operator*(const duration<R, P> &a, const S &by) { return duration<typename std::common_type<R, S>::type, P>(a.count() * by); }
template <class S, class R, class P, class = std::enable_if_t<__is_convertible_to(S, R)>> constexpr duration<typename std::common_type<R, S>::type, P> operator*(const S &by, const duration<R, P> &a) { return a * by; }
template <class R, class P, class S, class = std::enable_if_t<__is_convertible_to(S, R)>> constexpr duration<typename std::common_type<R, S>::type, P> operator/(const duration<R, P> &a, const S &by) { return duration<typename std::common_type<R, S>::type, P>(a.count() / by); }
template <class R, class P, class S, class = std::enable_if_t<__is_convertible_to(S, R)>> constexpr duration<typename std::common_type<R, S>::type, P> operator%(const duration<R, P> &a, const S &by) { return duration<typename std::common_type<R, S>::type, P>(a.count() % by); }
#define CUDALINT_COMPARE(op) \
  template <class R, class P, class S, class Q> constexpr bool operator op(const duration<R, P> &a, const duration<S, Q> &b) { typedef __cudalint_common<R, P, S, Q> C; return C(a).count() op C(b).count(); }
CUDALINT_COMPARE(==) CUDALINT_COMPARE(!=) CUDALINT_COMPARE(<) CUDALINT_COMPARE(<=) CUDALINT_COMPARE(>) CUDALINT_COMPARE(>=)
#undef CUDALINT_COMPARE
template <class D, class R, class P> constexpr D floor(const duration<R, P> &d) { D t = duration_cast<D>(d); return t > d ? D(t.count() - 1) : t; }
template <class D, class R, class P> constexpr D ceil(const duration<R, P> &d) { D t = duration_cast<D>(d); return t < d ? D(t.count() + 1) : t; }
template <class D, class R, class P> constexpr D round(const duration<R, P> &d);
typedef duration<long, nano> nanoseconds;
typedef duration<long, micro> microseconds;
typedef duration<long, milli> milliseconds;
typedef duration<long> seconds;
typedef duration<long, ratio<60>> minutes;
typedef duration<long, ratio<3600>> hours;
typedef duration<int, ratio<86400>> days;
typedef duration<int, ratio<604800>> weeks;
typedef duration<int, ratio<31556952>> years;
typedef duration<int, ratio<2629746>> months;
template <class C, class D = seconds> struct time_point {
  typedef C clock;
  typedef D duration;
  typedef typename D::rep rep;
  typedef typename D::period period;
  D __since;
  constexpr time_point() : __since(D::zero()) {}
  constexpr explicit time_point(const D &since) : __since(since) {}
  template <class E, class = std::enable_if_t<__is_convertible_to(E, D)>> constexpr time_point(const time_point<C, E> &other) : __since(other.time_since_epoch()) {}
  constexpr D time_since_epoch() const { return __since; }
  constexpr time_point &operator+=(const D &d) { __since += d; return *this; }
  constexpr time_point &operator-=(const D &d) { __since -= d; return *this; }
  static constexpr time_point min() { return time_point(D::min()); }
  static constexpr time_point max() { return time_point(D::max()); }
};
template <class C, class D, class R, class P> constexpr auto operator+(const time_point<C, D> &t, const duration<R, P> &d) { return time_point<C, decltype(D() + d)>(t.time_since_epoch() + d); }
template <class R, class P, class C, class D> constexpr auto operator+(const duration<R, P> &d, const time_point<C, D> &t) { return t + d; }
template <class C, class D, class R, class P> constexpr auto operator-(const time_point<C, D> &t, const duration<R, P> &d) { return time_point<C, decltype(D() - d)>(t.time_since_epoch() - d); }
template <class C, class D, class E> constexpr auto operator-(const time_point<C, D> &a, const time_point<C, E> &b) { return a.time_since_epoch() - b.time_since_epoch(); }
#define CUDALINT_COMPARE(op) \
  template <class C, class D, class E> constexpr bool operator op(const time_point<C, D> &a, const time_point<C, E> &b) { return a.time_since_epoch() op b.time_since_epoch(); }
CUDALINT_COMPARE(==) CUDALINT_COMPARE(!=) CUDALINT_COMPARE(<) CUDALINT_COMPARE(<=) CUDALINT_COMPARE(>) CUDALINT_COMPARE(>=)
#undef CUDALINT_COMPARE
template <class E, class C, class D> constexpr time_point<C, E> time_point_cast(const time_point<C, D> &t) { return time_point<C, E>(duration_cast<E>(t.time_since_epoch())); }
template <class E, class C, class D> constexpr time_point<C, E> floor(const time_point<C, D> &t) { return time_point<C, E>(floor<E>(t.time_since_epoch())); }
template <class E, class C, class D> constexpr time_point<C, E> ceil(const time_point<C, D> &t) { return time_point<C, E>(ceil<E>(t.time_since_epoch())); }
template <class E, class C, class D> constexpr time_point<C, E> round(const time_point<C, D> &t);
#define CUDALINT_CLOCK(name) struct name { typedef nanoseconds duration; typedef duration::rep rep; typedef duration::period period; typedef chrono::time_point<name, nanoseconds> time_point; static time_point now(); static time_t to_time_t(const time_point &); static time_point from_time_t(time_t); };
CUDALINT_CLOCK(system_clock) CUDALINT_CLOCK(steady_clock)
#undef CUDALINT_CLOCK
typedef steady_clock high_resolution_clock;
template <class D> using sys_time = time_point<system_clock, D>;
typedef sys_time<days> sys_days;
typedef sys_time<seconds> sys_seconds;
template <class D> struct is_clock : std::false_type {};
#define CUDALINT_FIELD(name, T) \
  struct name { \
    T __value; \
    name() = default; \
    constexpr explicit name(unsigned value) : __value(static_cast<T>(value)) {} \
    constexpr explicit operator unsigned() const { return __value; } \
    constexpr bool ok() const; \
  }; \
  constexpr bool operator==(const name &a, const name &b) { return a.__value == b.__value; } \
  constexpr bool operator!=(const name &a, const name &b) { return a.__value != b.__value; } \
  constexpr bool operator<(const name &a, const name &b) { return a.__value < b.__value; } \
  constexpr bool operator>(const name &a, const name &b) { return a.__value > b.__value; } \
  constexpr bool operator<=(const name &a, const name &b) { return a.__value <= b.__value; } \
  constexpr bool operator>=(const name &a, const name &b) { return a.__value >= b.__value; }
CUDALINT_FIELD(day, unsigned char) CUDALINT_FIELD(month, unsigned char)
#undef CUDALINT_FIELD
struct last_spec { explicit last_spec() = default; };
inline constexpr last_spec last{};
struct year {
  short __value;
  year() = default;
  constexpr explicit year(int value) : __value(static_cast<short>(value)) {}
  constexpr explicit operator int() const { return __value; }
  constexpr bool is_leap() const { return __value % 4 == 0 && (__value % 100 != 0 || __value % 400 == 0); }
  constexpr bool ok() const;
};
constexpr bool operator==(const year &a, const year &b) { return a.__value == b.__value; }
constexpr bool operator!=(const year &a, const year &b) { return a.__value != b.__value; }
constexpr bool operator<(const year &a, const year &b) { return a.__value < b.__value; }
constexpr year operator+(const year &y, const years &n) { return year(int(y) + n.count()); }
constexpr month operator+(const month &m, const months &n);
struct weekday {
  unsigned char __value;
  weekday() = default;
  constexpr explicit weekday(unsigned value) : __value(static_cast<unsigned char>(value == 7 ? 0 : value)) {}
  constexpr weekday(const sys_days &d);
  constexpr unsigned c_encoding() const { return __value; }
  constexpr unsigned iso_encoding() const { return __value == 0 ? 7 : __value; }
};
constexpr days operator-(const weekday &a, const weekday &b);
constexpr bool operator==(const weekday &a, const weekday &b) { return a.__value == b.__value; }
struct year_month { chrono::year __year; chrono::month __month; constexpr chrono::year year() const { return __year; } constexpr chrono::month month() const { return __month; } };
struct month_day { chrono::month __month; chrono::day __day; };
constexpr month_day operator/(const month &m, const day &d) { return {m, d}; }
constexpr month_day operator/(const month &m, int d) { return {m, day(d)}; }
struct year_month_day_last { chrono::year __year; chrono::month __month; constexpr chrono::day day() const; constexpr operator sys_days() const; };
struct year_month_day {
  chrono::year __year;
  chrono::month __month;
  chrono::day __day;
  year_month_day() = default;
  constexpr year_month_day(const chrono::year &y, const chrono::month &m, const chrono::day &d) : __year(y), __month(m), __day(d) {}
  constexpr year_month_day(const sys_days &d);
  constexpr year_month_day(const year_month_day_last &l);
  constexpr operator sys_days() const;
  constexpr chrono::year year() const { return __year; }
  constexpr chrono::month month() const { return __month; }
  constexpr chrono::day day() const { return __day; }
  constexpr bool ok() const;
  constexpr year_month_day &operator+=(const months &);
};
constexpr bool operator==(const year_month_day &a, const year_month_day &b) { return a.__year == b.__year && a.__month == b.__month && a.__day == b.__day; }
constexpr year_month_day operator+(const year_month_day &, const months &);
constexpr year_month_day operator+(const year_month_day &, const years &);
constexpr year_month_day operator-(const year_month_day &, const months &);
constexpr year_month_day operator/(const month_day &md, const year &y) { return {y, md.__month, md.__day}; }
constexpr year_month_day operator/(const month_day &md, int y) { return {year(y), md.__month, md.__day}; }
constexpr year_month_day operator/(const year &y, const month_day &md) { return {y, md.__month, md.__day}; }
constexpr year_month operator/(const year &y, const month &m) { return {y, m}; }
constexpr year_month operator/(const year &y, int m) { return {y, month(m)}; }
constexpr year_month_day operator/(const year_month &ym, const day &d) { return {ym.__year, ym.__month, d}; }
constexpr year_month_day operator/(const year_month &ym, int d) { return {ym.__year, ym.__month, day(d)}; }
constexpr year_month_day_last operator/(const year_month &ym, last_spec) { return {ym.__year, ym.__month}; }
struct weekday_indexed { chrono::weekday __weekday; unsigned char __index; constexpr unsigned index() const { return __index; } };
struct year_month_weekday { year_month_weekday() = default; constexpr year_month_weekday(const sys_days &d); constexpr unsigned index() const; constexpr chrono::weekday weekday() const; constexpr operator sys_days() const; };
inline constexpr month January{1}, February{2}, March{3}, April{4}, May{5}, June{6}, July{7}, August{8}, September{9}, October{10}, November{11}, December{12};
inline constexpr weekday Sunday{0}, Monday{1}, Tuesday{2}, Wednesday{3}, Thursday{4}, Friday{5}, Saturday{6};
template <class D> struct hh_mm_ss {
  typedef D precision;
  D __since;
  hh_mm_ss() = default;
  constexpr explicit hh_mm_ss(D d) : __since(d) {}
  constexpr bool is_negative() const { return __since < D::zero(); }
  constexpr chrono::hours hours() const { return duration_cast<chrono::hours>(__since < D::zero() ? -__since : __since); }
  constexpr chrono::minutes minutes() const { return duration_cast<chrono::minutes>(__since < D::zero() ? -__since : __since) % chrono::hours(1); }
  constexpr chrono::seconds seconds() const { return duration_cast<chrono::seconds>(__since < D::zero() ? -__since : __since) % chrono::minutes(1); }
  constexpr D subseconds() const;
  constexpr D to_duration() const { return __since; }
};
#pragma clang force_cuda_host_device end
}  // namespace chrono
inline namespace literals {
inline namespace chrono_literals {
#pragma clang force_cuda_host_device begin
constexpr chrono::hours operator""h(unsigned long long n) { return chrono::hours(n); }
constexpr chrono::minutes operator""min(unsigned long long n) { return chrono::minutes(n); }
constexpr chrono::seconds operator""s(unsigned long long n) { return chrono::seconds(n); }
constexpr chrono::milliseconds operator""ms(unsigned long long n) { return chrono::milliseconds(n); }
constexpr chrono::microseconds operator""us(unsigned long long n) { return chrono::microseconds(n); }
constexpr chrono::nanoseconds operator""ns(unsigned long long n) { return chrono::nanoseconds(n); }
#pragma clang force_cuda_host_device end
}
}
namespace chrono { using namespace literals::chrono_literals; }
}  // namespace std
