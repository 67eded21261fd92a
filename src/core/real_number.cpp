#include "core/real_number.hpp"

#include <charconv>
#include <cmath>
#include <version>
#ifndef __cpp_lib_to_chars
#include <locale>
#include <sstream>
#include <string>
#endif

namespace ctxmgr {
namespace {

/// Of a number that no double holds: whether it is too large or too small.
double beyond(std::string_view text) {
  const auto exponent = text.find_first_of("eE");
  const bool is_small = exponent != std::string_view::npos ? text.substr(exponent).find('-') != std::string_view::npos
                                                           : text.find_first_of("123456789") > text.find('.');
  const double size = is_small ? 0.0 : HUGE_VAL;
  return !text.empty() && text.front() == '-' ? -size : size;
}

}  // namespace

#ifdef __cpp_lib_to_chars
std::optional<double> read_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return beyond(text);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}
#else
// Standard libraries without from_chars() for doubles: libc++ before 20.
std::optional<double> read_real(std::string_view text) {
  constexpr std::string_view known = "0123456789+-.eE";
  if (text.empty() || text.front() == '+' || text.find_first_not_of(known) != std::string_view::npos)
    return std::nullopt;
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  double value = 0;
  in >> value;
  if (in.fail() && std::fabs(value) >= 1) return beyond(text);
  if (in.fail() || in.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return value;
}
#endif

}  // namespace ctxmgr
