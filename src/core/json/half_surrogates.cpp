#include "core/json/half_surrogates.hpp"

#include "core/ascii.hpp"
#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

enum class Half { none, first, second };

/// What is escaped at this place, as six characters.
Half escaped_half(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return Half::none;
  if (text[at + 2] != 'd' && text[at + 2] != 'D') return Half::none;
  if (!ascii::is_hex_digit(text[at + 4]) || !ascii::is_hex_digit(text[at + 5])) return Half::none;
  const char c = ascii::lower_case(text[at + 3]);
  if (c == '8' || c == '9' || c == 'a' || c == 'b') return Half::first;
  return c >= 'c' && c <= 'f' ? Half::second : Half::none;
}

bool is_half_in_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  return at + 3 <= text.size() && byte(0) == 0xED && byte(1) >= 0xA0 && byte(1) <= 0xBF && (byte(2) & 0xC0) == 0x80;
}

/// Puts U+FFFD, which has as many bytes, in the place of a half.
class Mender {
 public:
  explicit Mender(std::string_view json) : json_(json) {}

  void mend_escapes() {
    if (json_.find("\\ud") == std::string_view::npos && json_.find("\\uD") == std::string_view::npos) return;
    for (auto at = json_.find('\\'); at != std::string_view::npos && at + 1 < json_.size(); at = json_.find('\\', at)) {
      const Half half = escaped_half(json_, at);
      const bool is_pair = half == Half::first && escaped_half(json_, at + 6) == Half::second;
      if (half != Half::none && !is_pair) put(at, "\\ufffd");
      at += is_pair ? 12 : half != Half::none ? 6 : 2;
    }
  }

  void mend_bytes() {
    for (auto at = utf8::find_invalid(json_); at < json_.size(); at = utf8::find_invalid(json_, at)) {
      if (!is_half_in_bytes(json_, at)) return;  // Whatever else is no UTF-8 is refused.
      put(at, "\xEF\xBF\xBD");
      at += 3;
    }
  }

  std::optional<MendedHalves> finish() && {
    if (mended_.count == 0) return std::nullopt;
    return std::move(mended_);
  }

 private:
  void put(std::size_t at, std::string_view replacement) {
    if (mended_.count++ == 0) mended_.text = json_;
    mended_.text.replace(at, replacement.size(), replacement);
  }

  std::string_view json_;
  MendedHalves mended_;
};

}  // namespace

std::optional<MendedHalves> mend_half_surrogates(std::string_view json) {
  Mender mender(json);
  mender.mend_escapes();
  mender.mend_bytes();
  return std::move(mender).finish();
}

std::string note_of_half_surrogates(std::string_view json) {
  const auto mended = mend_half_surrogates(json);
  if (!mended) return {};
  if (mended->count == 1) return "mended: half of a surrogate pair became U+FFFD";
  return "mended: " + std::to_string(mended->count) + " halves of surrogate pairs became U+FFFD";
}

}  // namespace ctxmgr
