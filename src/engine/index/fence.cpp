#include "engine/index/fence.hpp"

#include "core/worded.hpp"
#include "engine/index/fingerprint.hpp"

namespace ctxmgr::engine {
namespace {

/// Each pair of digits costs nearly two tokens in every prompt, once to open and once to close. No text is so long that it
/// has all numbers of eight digits.
constexpr std::size_t digits_of_mark = 8;

std::string derived_mark(std::string_view name, std::string_view text) {
  auto number = fingerprint(text, fingerprint(name));
  auto digits = number.hex().substr(0, digits_of_mark);
  // A number that somebody has computed into the text costs another round, not the fence.
  while (text.find(digits) != std::string_view::npos) {
    number = fingerprint(digits, number);
    digits = number.hex().substr(0, digits_of_mark);
  }
  return digits;
}

}  // namespace

std::string fenced(std::string_view name, std::string_view text, std::string_view mark) {
  const bool is_free = !mark.empty() && text.find(mark) == std::string_view::npos;
  return worded("<{0}-{1}>\n{2}{3}</{0}-{1}>", name, is_free ? std::string(mark) : derived_mark(name, text), text,
                !text.empty() && text.back() == '\n' ? "" : "\n");
}

}  // namespace ctxmgr::engine
