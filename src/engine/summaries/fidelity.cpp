#include "engine/summaries/fidelity.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>
#include <vector>

#include "core/utf8.hpp"
#include "engine/index/languages.hpp"
#include "engine/words/figures.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_compound = 200;  // bytes; a longer word is not looked into

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({std::abs(a), std::abs(b), 1.0}); }

bool same_unit(const MeasureUnit& a, const MeasureUnit& b) {
  return a.kind == b.kind || a.kind == MeasureUnit::Kind::none || b.kind == MeasureUnit::Kind::none;
}

/// What a source says, ready to be asked.
class SourceFacts {
 public:
  explicit SourceFacts(std::string_view text) : read_(read_figures(text)) {
    for (const auto& figure : read_.figures) add(figure);
    for (const auto& name : read_.names) {
      words_.insert(name.folded);
      if (name.is_exact) parts_.push_back(read_figures(spaced(name.folded)));
      for (std::size_t at = 0; at < std::min(name.folded.size(), longest_compound); ++at) add_part(name.folded, at);
    }
    std::copy_if(read_.folded.begin(), read_.folded.end(), std::back_inserter(dense_), [](char c) { return c != ' '; });
    for (const auto& part : parts_) {
      for (const auto& figure : part.figures) add(figure);
    }
  }

  [[nodiscard]] bool says(const Figure& figure) const {
    // The sign of a currency stands before its figure and is not in the figure's text.
    const bool money = figure.unit.kind >= MeasureUnit::Kind::dollar;
    if (!money && read_.folded.find(figure.text) != std::string::npos && figure.text.size() > 3) return true;
    if (!figure.dates.empty())
      return std::any_of(figure.dates.begin(), figure.dates.end(), [&](const Date& date) { return says(date); });
    for (const double value : figure.values) {
      if (value == 1 && figure.unit.kind == MeasureUnit::Kind::none) return true;  // as often as not an article
      if (std::any_of(flat_.begin(), flat_.end(), [&](const Figure* other) { return equal(value, figure, *other); }))
        return true;
    }
    const bool measured = !figure.values.empty() && figure.unit.kind != MeasureUnit::Kind::none;
    return !figure.parts.empty() && !measured &&
           std::all_of(figure.parts.begin(), figure.parts.end(), [&](const Figure& part) { return says(part); });
  }

  /// A name, inflected or shortened perhaps.
  [[nodiscard]] bool names(const NameInText& name) const {
    if (words_.count(name.folded) > 0) return true;
    if (utf8::count_code_points(name.folded) < 2) return false;
    if (read_.folded.find(name.folded) != std::string::npos) return true;
    return std::any_of(words_.begin(), words_.end(),
                       [&](const std::string& word) { return are_forms(word, name.folded); }) ||
           is_initials(name);
  }

  /// An identifier: as it is, or each of its parts.
  [[nodiscard]] bool has(const NameInText& name) const {
    if (read_.folded.find(name.folded) != std::string::npos) return true;
    if (name.folded.size() > 3 && dense_.find(name.folded) != std::string::npos) return true;
    const auto parts = read_figures(spaced(name.folded));
    const bool split = parts.names.size() + parts.figures.size() > 1;
    if (!split) return quarter(name.folded);
    return std::all_of(parts.figures.begin(), parts.figures.end(), [&](const Figure& part) { return says(part); }) &&
           std::all_of(parts.names.begin(), parts.names.end(), [&](const NameInText& part) {
             return part.folded == "and" || part.folded == "or" || names(part);
           });
  }

 private:
  void add(const Figure& figure) {
    flat_.push_back(&figure);
    for (const auto& part : figure.parts) add(part);
  }

  void add_part(const std::string& word, std::size_t at) {
    if (at > 0 && std::string_view("-/.'@_").find(word[at - 1]) != std::string_view::npos)
      words_.insert(word.substr(at));
    if (std::string_view("-/.'@_").find(word[at]) != std::string_view::npos && at > 0)
      words_.insert(word.substr(0, at));
  }

  static bool equal(double value, const Figure& figure, const Figure& other) {
    for (const double theirs : other.values) {
      const bool half_day = figure.is_time && other.is_time && is_near(value, theirs + 720);
      if (half_day) return true;
      if (!same_unit(figure.unit, other.unit)) continue;
      const bool both = figure.unit.kind != MeasureUnit::Kind::none && other.unit.kind != MeasureUnit::Kind::none;
      if (is_near(value * (both ? figure.unit.factor : 1), theirs * (both ? other.unit.factor : 1))) return true;
      const bool shares = figure.unit.kind != other.unit.kind && (figure.unit.kind == MeasureUnit::Kind::percent ||
                                                                  other.unit.kind == MeasureUnit::Kind::percent);
      if (shares && (is_near(value / 100, theirs) || is_near(value, theirs / 100))) return true;
    }
    for (const auto& date : other.dates) {
      if (is_near(value, date.year) || is_near(value, date.day) || is_near(value, date.month)) return true;
    }
    return false;
  }

  [[nodiscard]] bool says(const Date& date) const {
    return std::any_of(flat_.begin(), flat_.end(), [&](const Figure* other) {
      return std::any_of(other->dates.begin(), other->dates.end(), [&](const Date& theirs) {
        return agree(date.year, theirs.year) && agree(date.month, theirs.month) && agree(date.day, theirs.day);
      });
    });
  }

  /// What the date leaves open, or what the source says elsewhere.
  [[nodiscard]] bool agree(int ours, int theirs) const {
    if (ours == 0 || ours == theirs) return true;
    Figure number;
    number.values = {static_cast<double>(ours)};
    return theirs == 0 && says(number);
  }

  /// "Q3", where the source has a third quarter.
  [[nodiscard]] bool quarter(std::string_view word) const {
    if (word.size() != 2 || (word[0] != 'q' && word[0] != 't') || word[1] < '1' || word[1] > '4') return false;
    Figure number;
    number.values = {static_cast<double>(word[1] - '0')};
    return word[1] == '1' || says(number);
  }

  /// The initials of some words that follow each other.
  [[nodiscard]] bool is_initials(const NameInText& name) const {
    if (name.text.size() < 2 || name.text.size() > 6 ||
        !std::all_of(name.text.begin(), name.text.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
      return false;
    std::string initials;
    for (const auto& word : read_.names) initials += word.folded[0];
    return initials.find(name.folded) != std::string::npos || unit_of(name.folded).has_value() || name.folded == "tl";
  }

  static bool are_forms(std::string_view a, std::string_view b) {
    const auto same = static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin())
            .first -
        a.begin());
    const auto whole = std::min(a.size(), b.size());
    if (same == whole && same >= 3) return true;
    return same >= 4 && same * 10 >= std::max(a.size(), b.size()) * 6;
  }

  static std::string spaced(std::string text) {
    for (auto& c : text) {
      if (std::string_view("-/'@_:\\").find(c) != std::string_view::npos) c = ' ';
    }
    return text;
  }

  Figures read_;
  std::string dense_;           ///< Without blanks: "LH 1420" is LH1420.
  std::vector<Figures> parts_;  ///< Of identifiers.
  std::vector<const Figure*> flat_;
  std::unordered_set<std::string> words_;
};

/// "Lyon-Ghent": a capital behind a dash is no sentence's.
bool joins_names(std::string_view word) {
  const auto dash = word.find('-');
  return dash != std::string_view::npos && dash + 1 < word.size() && word[dash + 1] >= 'A' && word[dash + 1] <= 'Z';
}

/// Whether a word may be judged as a name: a capital where the language needs none.
bool is_proper_name(const std::vector<NameInText>& names, std::size_t at, Language language) {
  const auto& name = names[at];
  if (!name.capital || name.in_heading || is_function_word(name.folded, Language::english)) return false;
  if (is_function_word(name.folded, language)) return false;
  if (joins_names(name.text)) return true;
  const bool follows = at > 0 && names[at - 1].capital && !is_function_word(names[at - 1].folded, language);
  if (language == Language::german) return follows && !name.starts_sentence;
  return !name.starts_sentence || (at + 1 < names.size() && names[at + 1].capital && !names[at + 1].starts_sentence);
}

/// "1." or "2)" at the start of a line numbers the summary's own list.
std::string without_numbering(std::string_view summary) {
  std::string text;
  for (std::size_t at = 0; at < summary.size();) {
    const auto end = std::min(summary.find('\n', at), summary.size());
    auto line = summary.substr(at, end - at);
    const auto mark = line.find_first_not_of("0123456789");
    const bool numbered = mark != std::string_view::npos && mark > 0 && mark < 3 && mark + 1 < line.size() &&
                          (line[mark] == '.' || line[mark] == ')') && line[mark + 1] == ' ';
    text += numbered ? line.substr(mark + 1) : line;
    text += '\n';
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string invented(std::string_view summary, std::string_view source, SummaryLanguage written_in) {
  const SourceFacts said(source);
  const auto read = read_figures(without_numbering(summary));
  for (const auto& figure : read.figures) {
    if (figure.is_sure && !said.says(figure)) return figure.text;
  }
  const auto language = detect_language(written_in == SummaryLanguage::of_source ? source : summary);
  for (std::size_t i = 0; i < read.names.size(); ++i) {
    const auto& name = read.names[i];
    const bool exact = name.is_exact || joins_names(name.text);
    if (exact ? !said.has(name) : is_proper_name(read.names, i, language) && !said.names(name)) return name.text;
  }
  return {};
}

}  // namespace ctxmgr::engine
