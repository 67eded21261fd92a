#include "engine/words/names.hpp"

#include <algorithm>
#include <cstddef>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t shortest_name = 4;
constexpr std::size_t longest_name_path = 60;
constexpr std::size_t longest_name = 120;        // What is longer is data.
constexpr std::size_t shortest_base64 = 60;      // A line of an encoded file has 64 or 76.
constexpr std::size_t longest_base64_piece = 3;  // on average

bool is_of_name(char c) {
  return ascii::is_digit(c) || ascii::is_upper(c) || ascii::is_lower(c) || c == '_' || c == '/' || c == '.' || c == '-';
}

std::string_view stripped(std::string_view run) {
  constexpr std::string_view marks = "./-";
  const auto first = run.find_first_not_of(marks);
  if (first == std::string_view::npos) return {};
  return run.substr(first, run.find_last_not_of(marks) - first + 1);
}

/// A ruler of underscores names nothing.
bool is_ruler(std::string_view run) { return run.find_first_not_of("_/.-") == std::string_view::npos; }

bool is_name(std::string_view run) {
  if (run.size() < shortest_name || is_ruler(run)) return false;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const char c = run[i];
    if (ascii::is_digit(c) || c == '_' || c == '/' || c == '.' || c == '-') return true;
    if (i > 0 && ascii::is_upper(c) && ascii::is_lower(run[i - 1])) return true;
  }
  return false;
}

/// From a slash on, where there is one in what is kept.
std::string_view tail_of(std::string_view name) {
  if (name.size() <= longest_name_path || name.find('/') == std::string_view::npos) return name;
  const auto tail = name.substr(name.size() - longest_name_path);
  const auto slash = tail.find('/');
  return slash == std::string_view::npos ? name.substr(name.rfind('/') + 1) : tail.substr(slash + 1);
}

/// "226.00" of "2,226.00", "1.742" of "1.742,50": with a comma it would be a number, without one it is another.
bool is_torn_number(std::string_view text, std::size_t first, std::size_t last) {
  const auto is_number = [](char c) { return ascii::is_digit(c) || c == '.'; };
  const auto run = text.substr(first, last - first);
  if (!std::all_of(run.begin(), run.end(), is_number)) return false;
  const bool goes_on = last + 1 < text.size() && text[last] == ',' && ascii::is_digit(text[last + 1]);
  return goes_on || (first > 1 && text[first - 1] == ',' && ascii::is_digit(text[first - 2]));
}

bool is_of_base64(char c) {
  return ascii::is_digit(c) || ascii::is_upper(c) || ascii::is_lower(c) || c == '+' || c == '/' || c == '=';
}

/// How many pieces a run falls into as people would read it: words with or without a capital, capitals, numbers.
std::size_t pieces_in(std::string_view run) {
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const char before = i == 0 ? ' ' : run[i - 1];
    const bool goes_on = (ascii::is_digit(run[i]) && ascii::is_digit(before)) ||
                         (ascii::is_upper(run[i]) && ascii::is_upper(before)) ||
                         (ascii::is_lower(run[i]) && ascii::is_letter(before));
    pieces += goes_on ? 0U : 1U;
  }
  return pieces;
}

/// A line of bytes in base64: long, of all its letters, and without words. Fingerprints and ids are shorter, hashes have one case.
bool is_base64_line(std::string_view run) {
  return run.size() >= shortest_base64 && std::any_of(run.begin(), run.end(), ascii::is_digit) &&
         std::any_of(run.begin(), run.end(), ascii::is_upper) && std::any_of(run.begin(), run.end(), ascii::is_lower) &&
         pieces_in(run) * longest_base64_piece > run.size();
}

/// "18.771Z" of "11:02:18.771Z".
bool is_torn_time(std::string_view text, std::size_t first, std::size_t last) {
  const auto are_digits = [text](std::size_t at) { return ascii::is_digit(text[at]) && ascii::is_digit(text[at + 1]); };
  return first >= 3 && first + 2 <= last && text[first - 1] == ':' && are_digits(first - 3) && are_digits(first) &&
         (first + 2 == last || text[first + 2] == '.' || text[first + 2] == 'Z');
}

/// Runs of what names are made of, without marks at both ends.
template <class See>
void for_each_run(std::string_view text, const See& see) {
  std::size_t read = 0;  // as far as it was read for base64
  for (std::size_t at = 0; at < text.size();) {
    if (at >= read && is_of_base64(text[at])) {
      read = at;
      while (read < text.size() && is_of_base64(text[read])) ++read;
      if (is_base64_line(text.substr(at, read - at))) at = read;
    }
    if (at >= text.size()) break;
    if (!is_of_name(text[at])) {
      ++at;
      continue;
    }
    const auto first = at;
    while (at < text.size() && is_of_name(text[at])) ++at;
    if (!is_torn_number(text, first, at) && !is_torn_time(text, first, at))
      see(stripped(text.substr(first, at - first)));
  }
}

}  // namespace

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for_each_run(text, [&names](std::string_view run) {
    if (!is_name(run)) return;
    const auto name = tail_of(run);
    if (name.size() <= longest_name) names.push_back(name);
  });
  return names;
}

std::string_view with_root(std::string_view text, std::string_view name) {
  auto at = static_cast<std::size_t>(name.data() - text.data());
  const auto end = at + name.size();
  const bool is_hidden = at > 1 && text[at - 1] == '.' && text[at - 2] == '/';
  if (is_hidden) --at;
  const bool is_home = is_hidden && at > 1 && text[at - 2] == '~';
  if (is_home && (at == 2 || !is_of_name(text[at - 3]))) return text.substr(at - 2, end - at + 2);
  const bool is_rooted =
      at > 0 && text[at - 1] == '/' && (at == 1 || (text[at - 2] != ':' && !is_of_name(text[at - 2])));
  return is_rooted ? text.substr(at - 1, end - at + 1) : name;
}

std::vector<std::string_view> capitals_in(std::string_view text) {
  std::vector<std::string_view> words;
  for_each_run(text, [&words](std::string_view run) {
    if (run.size() >= shortest_name && std::all_of(run.begin(), run.end(), ascii::is_upper)) words.push_back(run);
  });
  return words;
}

bool is_identifier(std::string_view name) {
  bool letter = false;
  bool mark = false;
  for (const char c : name) {
    letter = letter || ascii::is_upper(c) || ascii::is_lower(c);
    mark = mark || ascii::is_digit(c) || c == '_' || c == '/' || c == '.';
  }
  return letter && mark;
}

}  // namespace ctxmgr::engine
