#include "engine/index/date_terms.hpp"

#include <algorithm>

#include "core/timestamp.hpp"
#include "engine/words/dates.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_question = 8192;  // bytes that are read
constexpr std::size_t day_bytes = 10;           // of "2024-05-01"

/// The mark at its start is part of no word. 0: not said.
Term term_of(const Date& date) {
  const auto number = [](int value) { return std::to_string(value) + "-"; };
  return hash_term("\x1F" + number(date.year) + number(date.month) + number(date.day));
}

int number_at(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

}  // namespace

std::string day_of(Timestamp time) { return to_rfc3339(time).substr(0, day_bytes); }

std::vector<Term> terms_of_time(Timestamp time) {
  const std::string day = day_of(time);
  if (day.size() != day_bytes || day[4] != '-') return {};
  const std::string_view text = day;
  const Date date{number_at(text.substr(0, 4)), number_at(text.substr(5, 2)), number_at(text.substr(8, 2))};
  return {term_of(date), term_of({0, date.month, date.day}), term_of({date.year, date.month, 0}),
          term_of({0, date.month, 0})};
}

std::vector<Term> date_terms_in(std::string_view question) {
  std::vector<Term> terms;
  for (const Date& date : dates_in(question.substr(0, longest_question))) terms.push_back(term_of(date));
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

}  // namespace ctxmgr::engine
