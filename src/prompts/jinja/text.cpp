#include "prompts/jinja/text.hpp"

#include <utf8proc.h>

#include <cstdlib>

#include "core/ascii.hpp"
#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {
namespace {

utf8proc_int32_t signed_point(char32_t c) { return static_cast<utf8proc_int32_t>(c); }
utf8proc_category_t category(char32_t c) { return utf8proc_category(signed_point(c)); }
char32_t upper_of(char32_t c) { return static_cast<char32_t>(utf8proc_toupper(signed_point(c))); }
char32_t lower_of(char32_t c) { return static_cast<char32_t>(utf8proc_tolower(signed_point(c))); }
char32_t title_of(char32_t c) { return static_cast<char32_t>(utf8proc_totitle(signed_point(c))); }

/// The letters of a character that is several in upper case, such as "ss" of "ß"; empty for any other. These are the
/// characters that fold to several, but for the capital i with a dot and the capital sharp s.
std::u32string several_letters(char32_t c) {
  if (c < 0xDF || c == 0x130 || c == 0x1E9E) return {};
  utf8proc_int32_t letters[4];
  int boundary = 0;
  const auto count = utf8proc_decompose_char(signed_point(c), letters, 4, UTF8PROC_CASEFOLD, &boundary);
  return count > 1 ? std::u32string(letters, letters + count) : std::u32string();
}

// The title case that utf8proc has for "ß" is not Unicode's.
void append_title(char32_t c, std::string& out) {
  const bool has_title = c != 0xDF && (title_of(c) != c || category(c) == UTF8PROC_CATEGORY_LT);
  if (!has_title && !several_letters(c).empty()) refuse("the title case of such a letter is not supported");
  utf8::append(out, title_of(c));
}

bool changes_case(char32_t c) { return title_of(c) != c || lower_of(c) != c; }

bool is_cased(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LT ||
         changes_case(c);
}

/// Letters that are raised or stand in squares: Unicode gives some of them a case that they cannot change.
bool may_be_cased(char32_t c) {
  return c == 0xAA || c == 0xBA || (c >= 0x1F130 && c <= 0x1F189) || category(c) == UTF8PROC_CATEGORY_LM;
}

// A capital sigma at the end of a word is another letter than within one.
void append_lower_sigma(const std::vector<char32_t>& text, std::size_t position, std::string& out) {
  const bool has_next = position + 1 < text.size();
  const bool next_cased = has_next && is_cased(text[position + 1]);
  const bool next_plain = !has_next || is_space(text[position + 1]);
  const bool previous_cased = position > 0 && is_cased(text[position - 1]);
  const bool previous_plain = position == 0 || is_space(text[position - 1]);
  if (next_cased || previous_plain) {
    utf8::append(out, 0x3C3);
  } else if (previous_cased && next_plain) {
    utf8::append(out, 0x3C2);
  } else {
    refuse("the lower case of a sigma beside punctuation is not supported");
  }
}

void append_lower(const std::vector<char32_t>& text, std::size_t position, std::string& out) {
  const char32_t c = text[position];
  if (c == 0x130) {
    out += "i\xCC\x87";
  } else if (c == 0x3A3) {
    append_lower_sigma(text, position, out);
  } else {
    utf8::append(out, lower_of(c));
  }
}

bool is_identifier_part(char32_t c, bool first) {
  if (c < 0x80) {
    const char letter = static_cast<char>(c);
    return letter == '_' || ascii::is_letter(letter) || (!first && ascii::is_digit(letter));
  }
  const auto kind = category(c);
  const bool letter = (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO) || kind == UTF8PROC_CATEGORY_NL;
  return letter || (!first && (kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ND));
}

}  // namespace

std::vector<char32_t> decode_all(std::string_view text) {
  std::vector<char32_t> result;
  result.reserve(text.size());
  for (std::size_t offset = 0; offset < text.size();) result.push_back(decode_next(text, offset));
  return result;
}

std::size_t byte_offset(std::string_view text, std::size_t index) {
  std::size_t offset = 0;
  for (; index > 0 && offset < text.size(); --index) offset += sequence_length(text[offset]);
  return std::min(offset, text.size());
}

bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_printable(char32_t c) {
  if (c < 0x80) return c >= 0x20 && c < 0x7F;
  const auto kind = category(c);
  return kind != UTF8PROC_CATEGORY_CN && kind < UTF8PROC_CATEGORY_ZS;
}

std::string to_upper(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t offset = 0; offset < text.size();) {
    const char32_t c = decode_next(text, offset);
    const std::u32string letters = several_letters(c);
    if (letters.empty()) utf8::append(out, upper_of(c));
    for (const char32_t letter : letters) utf8::append(out, upper_of(letter));
  }
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto points = decode_all(text);
  for (std::size_t i = 0; i < points.size(); ++i) append_lower(points, i, out);
  return out;
}

std::string capitalize(std::string_view text) {
  std::string out;
  const auto points = decode_all(text);
  if (!points.empty()) append_title(points[0], out);
  for (std::size_t i = 1; i < points.size(); ++i) append_lower(points, i, out);
  return out;
}

std::string to_title(std::string_view text) {
  std::string out;
  const auto points = decode_all(text);
  char32_t previous = ' ';
  for (std::size_t i = 0; i < points.size(); previous = points[i++]) {
    const bool within_word = is_cased(previous);
    if (!within_word && may_be_cased(previous) && changes_case(points[i])) {
      refuse("the title case of a letter behind such a character is not supported");
    }
    if (within_word) {
      append_lower(points, i, out);
    } else {
      append_title(points[i], out);
    }
  }
  return out;
}

bool is_identifier(std::string_view name) {
  bool is_ascii = true;
  for (std::size_t offset = 0; offset < name.size();) {
    const bool first = offset == 0;
    const char32_t c = decode_next(name, offset);
    if (!is_identifier_part(c, first)) return false;
    is_ascii = is_ascii && c < 0x80;
  }
  if (is_ascii) return !name.empty();
  utf8proc_uint8_t* normal = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
                                   static_cast<utf8proc_ssize_t>(name.size()), &normal, options);
  const bool stable = length == static_cast<utf8proc_ssize_t>(name.size()) &&
                      std::equal(name.begin(), name.end(), reinterpret_cast<const char*>(normal));
  std::free(normal);
  return stable;
}

}  // namespace ctxmgr::jinja
