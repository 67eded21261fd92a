#include "core/binary_content.hpp"

#include <algorithm>
#include <array>

#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

using namespace std::string_view_literals;

/// With what files begin whose first bytes may all be printable, or are few.
constexpr std::array beginnings{"%PDF-"sv,
                                "PK\x03\x04"sv,
                                "\x89PNG\r\n"sv,
                                "GIF87a"sv,
                                "GIF89a"sv,
                                "\xFF\xD8\xFF"sv,
                                "\x7F"
                                "ELF"sv,
                                "\x1F\x8B\x08"sv,
                                "\xD0\xCF\x11\xE0"sv,
                                "OggS\0"sv};

constexpr std::size_t looked_at_bytes = 8'192;
constexpr std::size_t one_of = 10;  ///< More zero bytes than this share are no text: UTF-16 has every second.

}  // namespace

bool is_binary(std::string_view content) {
  const auto begins = [&](std::string_view beginning) { return content.substr(0, beginning.size()) == beginning; };
  if (std::any_of(beginnings.begin(), beginnings.end(), begins)) return true;
  const auto sample = content.substr(0, utf8::floor_boundary(content, looked_at_bytes));
  const auto zeros = static_cast<std::size_t>(std::count(sample.begin(), sample.end(), '\0'));
  return zeros > 0 && (zeros * one_of > sample.size() || !utf8::is_valid(sample));
}

}  // namespace ctxmgr
