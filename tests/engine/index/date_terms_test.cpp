#include "engine/index/date_terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace ctxmgr::engine {
namespace {

Timestamp at(int year, unsigned month, unsigned day) {
  return std::chrono::sys_days(std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day)) +
         std::chrono::hours(13);
}

bool finds(std::string_view question, Timestamp time) {
  const std::vector<Term> said = terms_of_time(time);
  const std::vector<Term> asked = date_terms_in(question);
  return std::any_of(asked.begin(), asked.end(),
                     [&said](Term term) { return std::find(said.begin(), said.end(), term) != said.end(); });
}

TEST(DateTermsTest, ADayIsFoundHoweverAQuestionWritesIt) {
  for (const char* question :
       {"What did she say on 1 May?", "on May 1st, 2024", "the 1st of May", "between 2024-05-01 and now", "01.05.2024",
        "Was geschah am 1. Mai 2024?", "le 1er mai 2024", "el 1 de mayo de 2024", "il 1 maggio", "em 1 de maio",
        "op 1 mei 2024", "den 1 maj 2024", "den 1. maj", "1. mai 2024", "1. toukokuuta 2024", "1 мая 2024 года"})
    EXPECT_TRUE(finds(question, at(2024, 5, 1))) << question;
}

TEST(DateTermsTest, EveryMonthHasItsNameInTwelveLanguages) {
  const std::vector<std::vector<const char*>> names{
      {"January", "Januar", "janvier", "enero", "gennaio", "janeiro", "januari", "januari", "januar", "januar",
       "tammikuuta", "января"},
      {"March", "März", "mars", "marzo", "marzo", "março", "maart", "mars", "marts", "mars", "maaliskuuta", "марта"},
      {"August", "August", "août", "agosto", "agosto", "agosto", "augustus", "augusti", "august", "august", "elokuuta",
       "августа"},
      {"December", "Dezember", "décembre", "diciembre", "dicembre", "dezembro", "december", "december", "december",
       "desember", "joulukuuta", "декабря"}};
  const unsigned months[] = {1, 3, 8, 12};
  for (std::size_t m = 0; m < names.size(); ++m)
    for (const char* name : names[m]) {
      EXPECT_TRUE(finds("7 " + std::string(name) + " 2023", at(2023, months[m], 7))) << name;
      EXPECT_FALSE(finds("8 " + std::string(name) + " 2023", at(2023, months[m], 7))) << name;
    }
}

TEST(DateTermsTest, WhatIsNamedLessExactlyFindsMore) {
  EXPECT_TRUE(finds("What happened in May 2024?", at(2024, 5, 31)));
  EXPECT_FALSE(finds("What happened in May 2024?", at(2023, 5, 31)));
  EXPECT_TRUE(finds("What happened in October?", at(2021, 10, 2)));
  EXPECT_FALSE(finds("What happened on 2 May?", at(2024, 5, 12)));
}

TEST(DateTermsTest, AWordThatIsAMonthElsewhereIsNone) {
  EXPECT_TRUE(date_terms_in("What may they say in their march of 12 hours?").empty());
  EXPECT_TRUE(date_terms_in("Who has version 3.5.1 of 2024?").empty());
  EXPECT_FALSE(date_terms_in("Who came on 3 March?").empty());
}

TEST(DateTermsTest, ADayIsWrittenAsInIso8601) { EXPECT_EQ(day_of(at(2024, 5, 1)), "2024-05-01"); }

}  // namespace
}  // namespace ctxmgr::engine
