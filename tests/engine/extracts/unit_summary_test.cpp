#include "engine/extracts/unit_summary.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "core/utf8.hpp"
#include "engine/extracts/extractive_summary.hpp"
#include "support/any_text.hpp"

namespace ctxmgr::engine {
namespace {

struct Summarized {
  Summarized(std::string source, ContentFormat format, std::int64_t tokens, std::size_t label = 0)
      : text(std::move(source)) {
    TermAnalyzer analyzer;
    ItemText item;
    item.text = text;
    item.format = format;
    item.label_bytes = label;
    const ItemAnalysis analysis = analyze_item(item, analyzer);
    const std::vector<double> match(analysis.atoms.size(), 0);
    result = summarize_units(text, analysis, reduce(text, analysis, match), summary_scores(analysis, match), tokens,
                             *counter);
  }

  std::string text;
  std::unique_ptr<TokenCounter> counter = make_approximate_token_counter();
  RenderedText result;
};

std::string requests(int first, int last) {
  std::string log;
  for (int i = first; i < last; ++i) log += "2024-01-01 10:00:00 INFO request " + std::to_string(i) + " served\n";
  return log;
}

std::size_t count(const std::string& text, const std::string& words) {
  std::size_t times = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++times;
  return times;
}

// Takes out what lies from `open` to the next `close`, both included; an empty one: `open` alone.
void erase_notes(std::string& text, const std::string& open, const std::string& close) {
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at))
    text.erase(at, close.empty() ? open.size() : text.find(close, at) + close.size() - at);
}

std::string without_blanks(std::string text) {
  std::string kept;
  for (const char c : text)
    if (std::string_view(" \t\r\n\f\v").find(c) == std::string_view::npos) kept += c;
  return kept;
}

TEST(UnitSummaryTest, ALogSaysHowManyLinesAreAlike) {
  const Summarized log(requests(0, 100) + "2024-01-01 10:09:00 ERROR disk full\n" + requests(100, 200),
                       ContentFormat::log, 200);
  EXPECT_EQ(log.result.text,
            "2024-01-01 10:00:00 INFO request 0 served [×200 alike]\n"
            "…\n"
            "2024-01-01 10:00:00 INFO request 99 served\n"
            "2024-01-01 10:09:00 ERROR disk full\n"
            "2024-01-01 10:00:00 INFO request 100 served\n"
            "2024-01-01 10:00:00 INFO request 101 served\n"
            "…\n"
            "2024-01-01 10:00:00 INFO request 199 served");
}

TEST(UnitSummaryTest, TheErrorIsTheLastToGo) {
  const Summarized log(requests(0, 100) + "2024-01-01 10:09:00 ERROR disk full\n" + requests(100, 200),
                       ContentFormat::log, 30);
  EXPECT_NE(log.result.text.find("disk full"), std::string::npos);
}

TEST(UnitSummaryTest, JsonSaysHowManyRecordsAreLeftOutAndWhatTheyHave) {
  std::string json = "[";
  for (int i = 1; i <= 50; ++i)
    json += std::string(i > 1 ? ", " : "") + R"({"id": )" + std::to_string(i) + R"(, "ok": true})";
  EXPECT_EQ(Summarized(json + "]", ContentFormat::json, 100).result.text,
            "[50 records: \"id\" 1 to 50; \"ok\" true ×50] {\"id\": 1, \"ok\": true} [… 48 more like these] "
            "{\"id\": 50, \"ok\": true}");
}

TEST(UnitSummaryTest, ATableKeepsItsHeaderAndCountsRows) {
  std::string table = "id,name,city\n";
  for (int i = 0; i < 90; ++i) table += std::to_string(i) + ",Ann,Rome\n";
  const Summarized csv(table, ContentFormat::table, 40);
  EXPECT_EQ(csv.result.text.substr(0, 24), "id,name,city\n0,Ann,Rome\n");
  EXPECT_NE(csv.result.text.find(" rows]\n89,Ann,Rome"), std::string::npos);
}

TEST(UnitSummaryTest, ADiffCountsChangesThatItLeavesOut) {
  std::string diff = "--- a/x\n+++ b/x\n@@ -1,90 +1,90 @@\n";
  for (int i = 0; i < 90; ++i)
    diff += " context line number " + std::to_string(i) + "\n+added line number " + std::to_string(i) + "\n";
  const Summarized summary(diff, ContentFormat::diff, 60);
  EXPECT_EQ(summary.result.text.substr(0, 34), "--- a/x\n+++ b/x\n@@ -1,90 +1,90 @@\n");
  EXPECT_GE(count(summary.result.text, "\n+added"), count(summary.result.text, "\n context"));
  EXPECT_NE(summary.result.text.find(" changed]"), std::string::npos);
}

TEST(UnitSummaryTest, CodeKeepsItsIndents) {
  std::string code = "class Pump:\n    def start(self):\n";
  for (int i = 0; i < 50; ++i) code += "        self.step(" + std::to_string(i) + ")\n";
  const Summarized summary(code + "    def stop(self):\n        pass\n", ContentFormat::code, 40);
  EXPECT_NE(summary.result.text.find(" lines]\n    def stop(self):"), std::string::npos);
}

TEST(UnitSummaryTest, ALabelStaysInFront) {
  const Summarized turn("tool: " + requests(0, 50), ContentFormat::log, 60, 6);
  EXPECT_EQ(turn.result.text.substr(0, 26), "tool: 2024-01-01 10:00:00 ");
}

TEST(UnitSummaryTest, WhatFitsComesWholeAndNothingGivesNothing) {
  EXPECT_EQ(Summarized("a,b,c\n1,2,3\n", ContentFormat::table, 50).result.text, "a,b,c\n1,2,3\n");
  EXPECT_EQ(Summarized("", ContentFormat::log, 50).result.text, "");
  EXPECT_EQ(Summarized(requests(0, 9), ContentFormat::log, 0).result.text, "");
}

RC_GTEST_PROP(UnitSummaryPropertyTest, StaysInTargetAndCopiesTheSourceByItsSpans, ()) {
  const auto format = *rc::gen::element(ContentFormat::json, ContentFormat::code, ContentFormat::log,
                                        ContentFormat::diff, ContentFormat::table);
  const auto target = *rc::gen::inRange<std::int64_t>(0, 150);
  const std::string source = *test::any_text();
  const Summarized summary(source, format, target, source.substr(0, 5) == "Ann: " ? 5U : 0U);
  RC_ASSERT(summary.counter->count(summary.result.text) <= target);
  std::size_t end = 0;
  std::string copied;
  for (const TextSpan& span : summary.result.spans) {
    RC_ASSERT(span.offset >= end);
    end = span.offset + span.length;
    RC_ASSERT(end <= source.size());
    RC_ASSERT(utf8::floor_boundary(source, span.offset) == span.offset);
    RC_ASSERT(utf8::floor_boundary(source, end) == end);
    copied += source.substr(span.offset, span.length);
  }
  // Without the notes, and where the source cannot be taken for one, the text is what the spans say.
  if (source.find("\u2026") != std::string::npos || summary.result.text.find(" records") != std::string::npos) return;
  std::string text = summary.result.text;
  erase_notes(text, " [\u00D7", "]");
  erase_notes(text, "[\u2026", "]");
  erase_notes(text, "\u2026", "");
  RC_ASSERT(without_blanks(text) == without_blanks(copied));
}

}  // namespace
}  // namespace ctxmgr::engine
