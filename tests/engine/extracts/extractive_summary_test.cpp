#include "engine/extracts/extractive_summary.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

class ExtractiveSummaryTest : public ::testing::Test {
 protected:
  SelectedText summarize(const std::string& text, std::int64_t tokens, ContentFormat format = ContentFormat::markdown) {
    ItemText item;
    item.text = text;
    item.format = format;
    analysis_ = analyze_item(item, analyzer_);
    focus_.resize(analysis_.atoms.size(), 0);
    return summarize_item(text, analysis_, focus_, tokens, *counter_);
  }

  TermAnalyzer analyzer_;
  ItemAnalysis analysis_;
  std::vector<double> focus_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

constexpr const char* report =
    "The pump of the northern station moves water. The pump was built by the old company in town. Birds sang in the "
    "trees "
    "all day. The pump failed with an error on Monday. The station has a second pump for water.";

TEST_F(ExtractiveSummaryTest, ErrorsStayLongest) {
  EXPECT_NE(summarize(report, 16).text.find("failed with an error"), std::string::npos);
}

TEST_F(ExtractiveSummaryTest, WhatTheTextIsAboutComesBeforeWhatItIsNot) {
  const std::string text = summarize(report, 40).text;
  EXPECT_NE(text.find("pump of the northern station"), std::string::npos);
  EXPECT_EQ(text.find("Birds"), std::string::npos);
}

TEST_F(ExtractiveSummaryTest, TheFocusHasTheLargestShare) {
  focus_ = {0, 0, 1, 0, 0};
  EXPECT_NE(summarize(report, 32).text.find("Birds"), std::string::npos);
}

TEST_F(ExtractiveSummaryTest, SentencesKeepTheirOrderAndWhatIsLeftOutIsMarked) {
  const SelectedText summary = summarize(report, 40);
  EXPECT_LE(summary.tokens, 40);
  EXPECT_EQ(summary.view, ArtifactView::extract);
  EXPECT_NE(summary.text.find("\u2026"), std::string::npos);
  std::size_t end = 0;
  for (const TextSpan& span : summary.spans) {
    EXPECT_GE(span.offset, end);
    end = span.offset + span.length;
    EXPECT_NE(summary.text.find(std::string(report).substr(span.offset, span.length)), std::string::npos);
  }
}

TEST_F(ExtractiveSummaryTest, ASentenceSaidAgainWaitsForWhatIsNew) {
  const std::string again = "The harbour master closed the northern gate at noon. ";
  const std::string text =
      summarize(again + again + again + "Fishermen paid their fees before the evening bell.", 32).text;
  EXPECT_NE(text.find("Fishermen"), std::string::npos);
}

TEST_F(ExtractiveSummaryTest, ACodeLineBringsItsFence) {
  const std::string text = summarize("Intro text comes first here.\n```\ncall_error(1);\nother();\n```\n", 14).text;
  EXPECT_NE(text.find("```\ncall_error(1);"), std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 3), "```");
}

TEST_F(ExtractiveSummaryTest, StructuredTextIsReducedByItsStructure) {
  EXPECT_EQ(summarize("a,b,c\n1,2,3\n4,5,6\n7,8,9\n", 8, ContentFormat::table).reason, "reduced by its structure");
}

// 200 lines of each form, one of which reports an error; a tenth of the room.
struct Form {
  ContentFormat format;
  std::string head;
  std::string line;  // "%" stands for the number.
  std::string error;
  std::string tail;

  std::string text(int error_at) const {
    std::string all = head;
    for (int i = 0; i < 200; ++i) {
      const std::string& shape = i == error_at ? error : line;
      const std::size_t at = shape.find('%');
      all.append(shape, 0, at).append(std::to_string(100 + i)).append(shape, at + 1).append(i < 199 ? "\n" : "");
    }
    return all + tail;
  }
};

const Form log_form{ContentFormat::log, "", "2026-03-01 08:%:00 INFO request served",
                    "2026-03-01 08:%:00 ERROR disk full", ""};
const Form forms[] = {
    log_form,
    {ContentFormat::json, "[", R"({"id": %, "state": "up"},)", R"({"id": %, "state": "failed"},)", "{}]"},
    {ContentFormat::table, "id,state,note\n", "%,up,fine", "%,down,connection refused", ""},
    {ContentFormat::diff, "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,200 +1,200 @@\n", " line %", "+error %", ""},
    {ContentFormat::text, "", "The pump of station % moves water to the town.\n", "The pump of station % failed.\n",
     ""}};

TEST_F(ExtractiveSummaryTest, AnErrorIsKeptWhereverItStandsInAnyForm) {
  for (const Form& form : forms)
    for (const int at : {0, 1, 77, 198, 199}) {
      const std::string text = form.text(at);
      const std::string error = form.error.substr(form.error.find('%') + 1);
      const SelectedText summary = summarize(text, counter_->count(text) / 10, form.format);
      EXPECT_NE(summary.text.find(std::to_string(100 + at) + error.substr(0, error.find_first_of(",\n", 2))),
                std::string::npos)
          << form.error << " at " << at << "\n"
          << summary.text;
    }
}

TEST_F(ExtractiveSummaryTest, ALogShowsWhenItBeginsAndEnds) {
  const std::string text = log_form.text(77);
  const std::string summary = summarize(text, counter_->count(text) / 10, ContentFormat::log).text;
  EXPECT_EQ(summary.find("2026-03-01 08:100:00"), 0U);
  EXPECT_NE(summary.find("2026-03-01 08:299:00"), std::string::npos);
}

TEST_F(ExtractiveSummaryTest, TheErrorsOfALogComeBeforeItsEnds) {
  const std::string text = log_form.text(77);
  EXPECT_NE(summarize(text, 24, ContentFormat::log).text.find("ERROR"), std::string::npos);
}

TEST_F(ExtractiveSummaryTest, ScoresLieBetweenZeroAndOne) {
  for (const double focus : {0.0, 1.0}) {
    (void)summarize(report, 10);
    for (const double score : summary_scores(analysis_, std::vector<double>(analysis_.atoms.size(), focus))) {
      EXPECT_GE(score, 0);
      EXPECT_LE(score, 1);
    }
  }
}

TEST_F(ExtractiveSummaryTest, NoRoomGivesNothing) {
  EXPECT_EQ(summarize(report, 0).view, ArtifactView::none);
  EXPECT_EQ(summarize("", 10).text, "");
}

}  // namespace
}  // namespace ctxmgr::engine
