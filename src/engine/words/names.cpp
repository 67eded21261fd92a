#include "engine/words/names.hpp"

#include <algorithm>
#include <cstddef>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t shortest_name = 4;
constexpr std::size_t longest_name_path = 60;
constexpr std::size_t longest_name = 120;  // What is longer is data.

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

/// Runs of what names are made of, without marks at both ends.
template <class See>
void for_each_run(std::string_view text, const See& see) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_of_name(text[at])) {
      ++at;
      continue;
    }
    const auto first = at;
    while (at < text.size() && is_of_name(text[at])) ++at;
    if (!is_torn_number(text, first, at)) see(stripped(text.substr(first, at - first)));
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
  const auto at = static_cast<std::size_t>(name.data() - text.data());
  const bool is_rooted =
      at > 0 && text[at - 1] == '/' && (at == 1 || (text[at - 2] != ':' && !is_of_name(text[at - 2])));
  return is_rooted ? text.substr(at - 1, name.size() + 1) : name;
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
