#include "engine/summaries/fidelity.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "engine/index/languages.hpp"
#include "engine/words/dates.hpp"
#include "engine/words/figure_tokens.hpp"
#include "engine/words/figure_words.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view joints = "-/'@_:\\";

using FigureTokens = std::vector<FigureToken>;

bool is_letter_or_high(char c) { return ascii::is_letter(c) || (static_cast<unsigned char>(c) & 0x80) != 0; }

std::string without_leading_zeros(std::string_view number) {
  const auto first = std::min(number.find_first_not_of('0'), number.size());
  return first < number.size() && ascii::is_digit(number[first]) ? std::string(number.substr(first))
                                                                 : "0" + std::string(number.substr(first));
}

std::vector<std::string_view> pieces_at(std::string_view text, std::string_view marks) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find_first_of(marks, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// The numbers in a word: digits with the marks of thousands, decimals, times and versions between them.
std::vector<std::string_view> numbers_in(std::string_view word) {
  std::vector<std::string_view> numbers;
  for (auto at = word.find_first_of(digits); at < word.size();) {
    const auto end = std::min(word.find_first_not_of("0123456789.,':", at), word.size());
    const auto run = word.substr(at, end - at);
    numbers.push_back(run.substr(0, run.find_last_of(digits) + 1));
    at = word.find_first_of(digits, end);
  }
  return numbers;
}

/// "1,234" is 1234 or 1.234, "12,50" is 12.5. Times, versions and the like are what they are.
std::vector<std::string> readings(std::string_view number) {
  const auto parts = pieces_at(number, ".,'");
  if (parts.size() == 1) return {without_leading_zeros(number)};
  std::string whole;
  for (const auto part : parts) whole += part;
  std::vector<std::string> out;
  const auto first = number[parts[0].size()], last = number[number.size() - parts.back().size() - 1];
  const bool groups = parts[0].size() <= 3 &&
                      std::all_of(parts.begin() + 1, parts.end(), [](auto part) { return part.size() == 3; }) &&
                      std::count(number.begin(), number.end(), first) + 1 == static_cast<std::ptrdiff_t>(parts.size());
  if (groups) out.push_back(without_leading_zeros(whole));
  if (parts.size() == 2 || first != last) {
    whole.insert(whole.size() - parts.back().size(), 1, '.');
    const auto end = whole.find_last_not_of('0');
    out.push_back(without_leading_zeros(whole.substr(0, whole[end] == '.' ? end : end + 1)));
  }
  if (out.empty()) out.emplace_back(number);
  return out;
}

/// Whether one has all units of the other.
bool agree(const std::vector<UnitSet>& a, const std::vector<UnitSet>& b) {
  const auto covers = [](const std::vector<UnitSet>& all, const std::vector<UnitSet>& some) {
    return std::all_of(some.begin(), some.end(), [&](UnitSet unit) {
      return std::any_of(all.begin(), all.end(), [unit](UnitSet other) { return (unit & other) != 0; });
    });
  };
  return covers(a, b) || covers(b, a);
}

/// What a word behind its last number says: "45mw", "2025'te", "8-го".
std::string_view ending(std::string_view word) {
  const auto last = word.find_last_of(digits);
  const auto begin = word.find_first_not_of("-'", last + 1);
  return last == std::string_view::npos || begin == std::string_view::npos ? std::string_view() : word.substr(begin);
}

/// Whether a word is numbers, with letters at its end perhaps.
bool is_figure(std::string_view word) {
  const auto tail = ending(word);
  return ascii::is_digit(word[0]) && std::all_of(tail.begin(), tail.end(), is_letter_or_high) &&
         std::none_of(word.begin(), word.end() - static_cast<std::ptrdiff_t>(tail.size()), is_letter_or_high);
}

/// "12 480": the last of the words that are one number.
std::size_t end_of_number(const FigureTokens& tokens, std::size_t at) {
  const auto are_digits = [](std::string_view text) {
    return text.find_first_not_of(digits) == std::string_view::npos;
  };
  const bool begins = tokens[at].folded.size() <= 3 && are_digits(tokens[at].folded);
  while (begins && at + 1 < tokens.size() && tokens[at + 1].folded.size() == 3 && are_digits(tokens[at + 1].folded))
    ++at;
  return at;
}

std::string joined(const FigureTokens& tokens, std::size_t first, std::size_t last) {
  std::string number;
  for (auto at = first; at <= last; ++at) number += tokens[at].folded;
  return number;
}

std::vector<UnitSet> units_beside(const FigureTokens& tokens, std::size_t first, std::size_t last) {
  std::vector<UnitSet> units;
  const auto add = [&units](std::string_view word) {
    if (const auto meant = units_of(word)) return units.push_back(meant), true;
    return false;
  };
  if (first > 0 && are_currencies(units_of(tokens[first - 1].folded))) add(tokens[first - 1].folded);
  const auto tail = ending(tokens[last].folded);
  if (!tail.empty() && !add(tail)) return units;
  for (auto at = last + 1; at < std::min(tokens.size(), last + 3); ++at)
    if (tokens[at].starts_sentence || !add(tokens[at].folded)) break;
  return units;
}

/// "GB" beside a number, "C" behind a degree.
bool is_unit(const FigureTokens& tokens, std::size_t at) {
  const auto is_measure = [&](std::size_t other) {
    return other < tokens.size() && (is_figure(tokens[other].folded) || units_of(tokens[other].folded) != 0);
  };
  return units_of(tokens[at].folded) != 0 && (is_measure(at + 1) || (at > 0 && is_measure(at - 1)));
}

/// What a source says, ready to be asked.
class SourceFacts {
 public:
  explicit SourceFacts(std::string_view text) {
    const auto tokens = figure_tokens(text);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      const auto& word = tokens[at].folded;
      if (tokens[at].after_blank) folded_ += ' ';
      folded_ += word;
      initials_ += word[0];
      words_.insert(word);
      add_numbers(tokens, at);
    }
  }

  [[nodiscard]] bool says(std::string_view number, const std::vector<UnitSet>& units) const {
    for (const auto& reading : readings(number)) {
      const auto found = numbers_.find(reading);
      if (found == numbers_.end() && reading == "1") return true;  // as often as not an article
      if (found != numbers_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                 [&](const auto& theirs) { return agree(units, theirs); }))
        return true;
    }
    // "3.11.2025": a date.
    const auto parts = pieces_at(number, ".");
    return parts.size() == 3 && parts[2].size() == 4 &&
           std::all_of(parts.begin(), parts.end(), [&](auto part) { return says(part, {}); });
  }

  /// A name, inflected or shortened perhaps.
  [[nodiscard]] bool names(const FigureToken& name) const {
    if (words_.count(name.folded) > 0 || is_initials(name)) return true;
    if (utf8::count_code_points(name.folded) < 2) return false;
    if (folded_.find(name.folded) != std::string::npos) return true;
    if (const int month = month_of(name.folded); month > 0 && says(std::to_string(month), {})) return true;
    return std::any_of(words_.begin(), words_.end(), [&](const std::string& word) {
      return word.size() > 2 && name.folded.compare(0, word.size(), word) == 0;
    });
  }

  /// An identifier: as it is, or each of its parts.
  [[nodiscard]] bool has(const FigureToken& name) const {
    if (folded_.find(name.folded) != std::string::npos) return true;
    const auto parts = pieces_at(name.folded, joints);
    return parts.size() > 1 && std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
             const auto read = figure_tokens(part);
             return read.empty() || (is_figure(part) ? says(numbers_in(part)[0], {}) : names(read[0]));
           });
  }

 private:
  void add_numbers(const FigureTokens& tokens, std::size_t at) {
    const auto& word = tokens[at].folded;
    const auto add = [this](std::string_view number, const std::vector<UnitSet>& units = {}) {
      for (auto& reading : readings(number)) numbers_[reading].push_back(units);
    };
    if (const auto spelled = number_word(word)) add(spelled->digits, units_beside(tokens, at, at));
    if (const int month = month_of(word)) add(std::to_string(month));
    const auto last = end_of_number(tokens, at);
    if (last > at) add(joined(tokens, at, last), units_beside(tokens, at, last));
    for (const auto number : numbers_in(word)) {
      add(number, is_figure(word) ? units_beside(tokens, at, at) : std::vector<UnitSet>());
      const auto colon = number.rfind(':');
      if (colon != std::string_view::npos) add(number.substr(0, colon));
      const auto parts = pieces_at(number, ".");
      for (std::size_t i = 0; parts.size() > 2 && i < parts.size(); ++i) add(parts[i]);
    }
  }

  /// The initials of some words that follow each other.
  [[nodiscard]] bool is_initials(const FigureToken& name) const {
    return name.text.size() > 1 && name.text.size() < 7 &&
           std::all_of(name.text.begin(), name.text.end(), ascii::is_upper) &&
           initials_.find(name.folded) != std::string::npos;
  }

  std::string folded_;
  std::string initials_;
  std::unordered_map<std::string, std::vector<std::vector<UnitSet>>> numbers_;  ///< With the units of each place.
  std::unordered_set<std::string> words_;
};

/// "Lyon-Ghent": a capital behind a dash is no sentence's.
bool joins_names(std::string_view word) {
  const auto dash = word.find('-');
  return dash != std::string_view::npos && dash + 1 < word.size() && word[dash + 1] >= 'A' && word[dash + 1] <= 'Z';
}

/// An identifier, a path, a version: letters with digits, signs or capitals inside.
bool is_identifier_or_path(std::string_view word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (ascii::is_digit(word[i]) || std::string_view("_/@\\").find(word[i]) != std::string_view::npos) return true;
    if (i > 0 && ascii::is_upper(word[i]) && ascii::is_lower(word[i - 1])) return true;
  }
  return joins_names(word);
}

/// Whether a word may be judged as a name: a capital where the language needs none.
bool is_proper_name(const FigureTokens& names, std::size_t at, Language language) {
  const auto& name = names[at];
  if (!name.capital || name.in_heading || is_function_word(name.folded, language)) return false;
  const bool follows = at > 0 && names[at - 1].capital && !is_function_word(names[at - 1].folded, language);
  if (language == Language::german) return follows && !name.starts_sentence;
  return !name.starts_sentence || (at + 1 < names.size() && names[at + 1].capital && !names[at + 1].starts_sentence);
}

/// "1." or "2)" at the start of a line numbers the summary's own list.
bool numbers_list(const FigureTokens& tokens, std::size_t at) {
  return at + 1 < tokens.size() && tokens[at].starts_sentence && tokens[at].folded.size() < 3 &&
         (tokens[at + 1].starts_sentence || tokens[at + 1].text == ")");
}

/// The first number that the source does not say.
std::string invented_number(const FigureTokens& tokens, const SourceFacts& said) {
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const auto last = end_of_number(tokens, at);
    if (last > at && said.says(joined(tokens, at, last), units_beside(tokens, at, last))) {
      at = last;
      continue;
    }
    const auto& word = tokens[at].folded;
    const auto units = units_beside(tokens, at, at);
    const auto spelled = number_word(word);
    if (spelled && !spelled->also_plain && !said.says(spelled->digits, units)) return word;
    if (!is_figure(word) || numbers_list(tokens, at)) continue;
    const auto numbers = numbers_in(word);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (!said.says(numbers[i], i + 1 < numbers.size() ? std::vector<UnitSet>() : units))
        return at + 1 < tokens.size() && units_of(tokens[at + 1].folded) != 0 ? word + ' ' + tokens[at + 1].folded
                                                                              : word;
  }
  return {};
}

}  // namespace

std::string invented(std::string_view summary, std::string_view source, SummaryLanguage written_in) {
  const SourceFacts said(source);
  const auto tokens = figure_tokens(summary);
  if (auto number = invented_number(tokens, said); !number.empty()) return number;
  const auto language = detect_language(written_in == SummaryLanguage::of_source ? source : summary);
  FigureTokens names;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const auto& word = tokens[at].folded;
    if (!is_figure(word) && std::any_of(word.begin(), word.end(), is_letter_or_high) && !is_unit(tokens, at))
      names.push_back(tokens[at]);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& name = names[i];
    if (is_identifier_or_path(name.text) ? !said.has(name) : is_proper_name(names, i, language) && !said.names(name))
      return name.text;
  }
  return {};
}

}  // namespace ctxmgr::engine
