#include "prompts/jinja/text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {
namespace {

constexpr bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

utf8proc_int32_t signed_point(char32_t c) { return static_cast<utf8proc_int32_t>(c); }
char32_t upper_of(char32_t c) { return static_cast<char32_t>(utf8proc_toupper(signed_point(c))); }
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

void append_upper(char32_t c, std::string& out) {
  const std::u32string letters = several_letters(c);
  if (letters.empty()) encode(upper_of(c), out);
  for (const char32_t letter : letters) encode(upper_of(letter), out);
}

// The first of several letters that has a title case gets it; an iota after it becomes the small one below.
// The title case that utf8proc has for "ß" is not Unicode's.
void append_title(char32_t c, std::string& out) {
  const std::u32string letters = several_letters(c);
  const bool has_title = c != 0xDF && (title_of(c) != c || category(c) == UTF8PROC_CATEGORY_LT);
  if (letters.empty() || has_title) return encode(title_of(c), out);
  bool raised = false;
  for (const char32_t letter : letters) {
    encode(!raised ? title_of(letter) : letter == 0x3B9 ? 0x345 : letter, out);
    raised = raised || title_of(letter) != letter;
  }
}

/// Unicode's Other_Uppercase and Other_Lowercase: Roman numerals, letters in circles, letters that are raised.
struct CharacterRange {
  char32_t first;
  char32_t last;
};
constexpr CharacterRange other_upper[] = {
    {0x2160, 0x216F}, {0x24B6, 0x24CF}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
constexpr CharacterRange other_lower[] = {
    {0xAA, 0xAA},     {0xBA, 0xBA},     {0x2B0, 0x2B8},     {0x2C0, 0x2C1},     {0x2E0, 0x2E4},     {0x345, 0x345},
    {0x37A, 0x37A},   {0x1D2C, 0x1D6A}, {0x1D78, 0x1D78},   {0x1D9B, 0x1DBF},   {0x2071, 0x2071},   {0x207F, 0x207F},
    {0x2090, 0x209C}, {0x2170, 0x217F}, {0x24D0, 0x24E9},   {0x2C7C, 0x2C7D},   {0xA69C, 0xA69D},   {0xA770, 0xA770},
    {0xA7F8, 0xA7F9}, {0xAB5C, 0xAB5F}, {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA}};

template <std::size_t n>
bool is_in_ranges(const CharacterRange (&ranges)[n], char32_t c) {
  return std::any_of(ranges, ranges + n,
                     [c](const CharacterRange& range) { return range.first <= c && c <= range.last; });
}

bool is_upper(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z';
  return category(c) == UTF8PROC_CATEGORY_LU || is_in_ranges(other_upper, c);
}

bool is_lower(char32_t c) {
  if (c < 0x80) return c >= 'a' && c <= 'z';
  return category(c) == UTF8PROC_CATEGORY_LL || is_in_ranges(other_lower, c);
}

bool is_cased(char32_t c) { return is_upper(c) || is_lower(c) || category(c) == UTF8PROC_CATEGORY_LT; }

// A capital sigma at the end of a word is another letter than within one.
void append_lower_sigma(const std::vector<char32_t>& text, std::size_t position, std::string& out) {
  const bool has_next = position + 1 < text.size();
  const bool next_cased = has_next && is_cased(text[position + 1]);
  const bool next_plain = !has_next || is_space(text[position + 1]);
  const bool previous_cased = position > 0 && is_cased(text[position - 1]);
  const bool previous_plain = position == 0 || is_space(text[position - 1]);
  if (next_cased || previous_plain) {
    encode(0x3C3, out);
  } else if (previous_cased && next_plain) {
    encode(0x3C2, out);
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
    encode(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))), out);
  }
}

bool all_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is_identifier_part(char32_t c, bool first) {
  if (c == '_' || is_ascii_letter(c)) return true;
  if (c < 0x80) return !first && c >= '0' && c <= '9';
  const auto kind = category(c);
  const bool letter = (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO) || kind == UTF8PROC_CATEGORY_NL;
  return letter || (!first && (kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ND));
}

}  // namespace

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

char32_t decode_next(std::string_view text, std::size_t& offset) {
  const auto byte = [&](std::size_t at) { return static_cast<char32_t>(static_cast<unsigned char>(text[at])); };
  const std::size_t start = offset;
  const std::size_t length = std::min(sequence_length(text[start]), text.size() - start);
  offset += length;
  if (length == 1) return byte(start);
  char32_t code_point = byte(start) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code_point = (code_point << 6U) | (byte(start + i) & 0x3FU);
  return code_point;
}

void encode(char32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int extra = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr char32_t leads[] = {0xC0, 0xE0, 0xF0};
  out += static_cast<char>(leads[extra - 1] | (c >> (6 * extra)));
  for (int i = extra - 1; i >= 0; --i) out += static_cast<char>(0x80U | ((c >> (6 * i)) & 0x3FU));
}

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

bool is_decimal(char32_t c) { return c < 0x80 ? c >= '0' && c <= '9' : category(c) == UTF8PROC_CATEGORY_ND; }

bool is_printable(char32_t c) {
  if (c < 0x80) return c >= 0x20 && c < 0x7F;
  const auto kind = category(c);
  return kind != UTF8PROC_CATEGORY_CN && kind < UTF8PROC_CATEGORY_ZS;
}

bool is_word(char32_t c) { return c == '_' || is_ascii_letter(c) || (c >= '0' && c <= '9'); }

std::string_view strip_left(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    std::size_t next = offset;
    if (!is_space(decode_next(text, next))) break;
    offset = next;
  }
  return text.substr(offset);
}

std::string_view strip_right(std::string_view text) {
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80) --start;
    std::size_t offset = start;
    if (!is_space(decode_next(text, offset))) break;
    text = text.substr(0, start);
  }
  return text;
}

std::string to_upper(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  if (all_ascii(text)) {
    std::transform(text.begin(), text.end(), std::back_inserter(out), ascii_upper);
    return out;
  }
  for (std::size_t offset = 0; offset < text.size();) append_upper(decode_next(text, offset), out);
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  if (all_ascii(text)) {
    std::transform(text.begin(), text.end(), std::back_inserter(out), ascii_lower);
    return out;
  }
  const auto points = decode_all(text);
  for (std::size_t i = 0; i < points.size(); ++i) append_lower(points, i, out);
  return out;
}

std::string capitalize(std::string_view text) {
  std::string out;
  const auto points = decode_all(text);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0) {
      append_title(points[i], out);
    } else {
      append_lower(points, i, out);
    }
  }
  return out;
}

std::string to_title(std::string_view text) {
  std::string out;
  const auto points = decode_all(text);
  bool within_word = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (within_word) {
      append_lower(points, i, out);
    } else {
      append_title(points[i], out);
    }
    within_word = is_cased(points[i]);
  }
  return out;
}

bool is_identifier(std::string_view name) {
  if (name.empty()) return false;
  for (std::size_t offset = 0; offset < name.size();) {
    const bool first = offset == 0;
    if (!is_identifier_part(decode_next(name, offset), first)) return false;
  }
  if (all_ascii(name)) return true;
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
