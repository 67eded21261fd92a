#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ctxpack::view {

/// Text as HTML that is nothing but text, in elements and in quoted attributes alike: the only way by which names, reasons
/// and other words from outside get into a page. Control characters, what
/// turns the order of others around, and invalid UTF-8 become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

/// 1234567 as "1 234 567", with blanks that do not break.
[[nodiscard]] std::string grouped(std::int64_t value);

/// "12.3 %", "—" of nothing.
[[nodiscard]] std::string percent(double part, double whole);

/// "$0.0123"; "—" where it is 0.
[[nodiscard]] std::string usd(double value);
inline constexpr double least_usd = 0.000005;  ///< Less is shown as nothing.

/// A share for a style: "12.345%", between 0 and 100.
[[nodiscard]] std::string share(double part, double whole);

/// HTML, piece by piece. Markup is what this program says, words are what anybody says.
class Writer {
 public:
  Writer& markup(std::string_view html) {
    out_ += html;
    return *this;
  }
  Writer& words(std::string_view text) {
    out_ += escaped(text);
    return *this;
  }
  /// A name, which may be of another direction than what stands around it.
  Writer& name(std::string_view text) { return markup("<bdi dir=auto>").words(text).markup("</bdi>"); }
  Writer& number(std::int64_t value) { return markup(grouped(value)); }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace ctxpack::view
