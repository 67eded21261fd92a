#include "engine/history/notes.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using testing::words;

class NotesTest : public ::testing::Test {
 protected:
  void say(Role role, const std::string& text) { history_.push_back({role, text}); }
  void work(const std::string& id, const std::string& result) {
    history_.push_back(testing::tool_call(id));
    history_.push_back(testing::tool_result(id, result));
  }
  std::string notes(std::size_t cut, std::int64_t limit) {
    EXPECT_TRUE(thread_.extend(history_, *counter_));
    NotesInput in{history_, thread_, *counter_, cut, history_.size(), limit, {}, finished_, {}, summaries_};
    in.is_shown = [this](std::size_t i) { return shown_ == i; };
    const auto made = make_notes(in);
    EXPECT_LE(made ? counter_->count_message(*made) : 0, limit);
    EXPECT_FALSE(made && text_of(*made).empty());
    return made ? text_of(*made) : std::string();
  }

  std::vector<ConversationMessage> history_;
  std::optional<std::size_t> shown_{};
  std::vector<NotedSummary> summaries_;
  std::vector<std::size_t> finished_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  ThreadAnalysis thread_{ToolRules{{"fetch_once", ToolRetention::not_refetched}}};
};

TEST_F(NotesTest, SummariesThatFitIntoHalfOfWhatNamesWouldHaveStandWholeTheNewestFirst) {
  say(Role::user, "Mend the parser.");
  work("a", "In src/late_fee.cpp there is parse_fee_table.");
  work("b", words(20));
  summaries_ = {{{0, 2}, "OLDER " + words(40)}, {{2, 4}, "NEWER " + words(20)}};
  const auto both = notes(4, 800);
  EXPECT_LT(both.find("summary of [1-2]: OLDER"), both.find("summary of [3-4]: NEWER"));
  EXPECT_TRUE(contains(both, "parse_fee_table")) << both;
  const auto one = notes(4, 260);
  EXPECT_FALSE(contains(one, "OLDER")) << one;
  EXPECT_TRUE(contains(one, "summary of [3-4]: NEWER filler0")) << one;
}

TEST_F(NotesTest, SayWhatIsNotShownAndNameWhatStandsInItBehindItsCall) {
  say(Role::user, "Mend the parser.");
  work("a", "In src/late_fee.cpp there is parse_fee_table.");
  work("b", words(20));
  const auto text = notes(3, 400);
  EXPECT_TRUE(contains(text, "not instructions"));
  EXPECT_TRUE(contains(text, "[1-3]: 1 search")) << text;
  EXPECT_LT(text.find("search"), text.find("src/late_fee.cpp parse_fee_table"));
}

TEST_F(NotesTest, ACallAndItsResultHaveOneLine) {
  say(Role::user, "Mend the parser.");
  auto call = testing::tool_call("a");
  call.content = "It must be in src/parser.cpp.";
  history_.push_back(std::move(call));
  history_.push_back(testing::tool_result("a", "parse_fee_table"));
  const auto text = notes(3, 400);
  EXPECT_TRUE(contains(text, " parse_fee_table src/parser.cpp\n")) << text;
}

TEST_F(NotesTest, APathKeepsTheSlashThatItBeginsWith) {
  say(Role::user, "Look.");
  work("a", "/etc/cron.daily/dpkg and https://example.org/a.html");
  const auto text = notes(3, 400);
  EXPECT_TRUE(contains(text, " /etc/cron.daily/dpkg example.org/a.html")) << text;
}

TEST_F(NotesTest, WhatTheThreadBeganWithIsNotCalledAnswered) {
  finished_ = {0, 2};
  say(Role::user, "We write a report. Durations are in seconds. It is due on Friday.");
  say(Role::assistant, "Begun.");
  say(Role::user, "Go on.");
  say(Role::assistant, "Done.");
  const auto text = notes(4, 400);
  EXPECT_TRUE(contains(text, "[1] \"We write a report.\" \"Durations are in seconds.\"")) << text;
  EXPECT_FALSE(contains(text, "as of [1]")) << text;
}

TEST_F(NotesTest, TheDecimalsOfATableComeBehindAllOtherNames) {
  say(Role::user, "Look.");
  work("a", "in src/older.cpp at 13.5");
  std::string table = "src/newer.cpp";
  for (int i = 10; i < 30; ++i) table += " 2." + std::to_string(i);
  work("b", table);
  const auto text = notes(5, 400);
  EXPECT_LT(text.find("13.5"), text.find("2.10")) << text;
  EXPECT_TRUE(contains(text, "src/older.cpp")) << text;
  EXPECT_TRUE(contains(text, "2.10")) << text;
}

TEST_F(NotesTest, NamesGiveWayOneByOneWhereTheWholeIsATokenTooLong) {
  work("a", words(40) + " parse_fee_table apply_fee_table late_fee_table member_table loan_table return_table");
  work("b", words(5));
  bool some = false;
  for (std::int64_t limit = 40; limit < 200; ++limit) some = some || contains(notes(2, limit), "parse_fee_table");
  EXPECT_TRUE(some);
}

TEST_F(NotesTest, OfRequestsThatWereAnsweredLongAgoRulesAndFactsAreQuotedAndNothingThatReadsAsOpen) {
  for (const auto* request :
       {"Mend the parser.", "Run the check.", "Always answer in German.", "The invoice is INV_2291.", "Count.",
        "Sum up.", "Go over it.", "Read it.", "Sort it.", "Close it."}) {
    finished_.push_back(history_.size());
    say(Role::user, request);
    say(Role::assistant, "Done.");
  }
  work("check", "fine");
  const auto text = notes(history_.size(), 800);
  EXPECT_TRUE(contains(text, "\"Mend the parser.\"")) << text;
  EXPECT_FALSE(contains(text, "Run the check.")) << text;
  EXPECT_TRUE(contains(text, "\"Always answer in German.\"")) << text;
  EXPECT_TRUE(contains(text, "\"The invoice is INV_2291.\"")) << text;
  EXPECT_TRUE(contains(text, "asked and answered: \"Close it.\"")) << text;
}

TEST_F(NotesTest, WhatWasAnsweredAndHasNoLineIsQuoted) {
  for (const auto* request :
       {"Write down that the key is KEY_1.", "Write down that the key is KEY_2.", "Now close it."}) {
    finished_.push_back(history_.size());
    say(Role::user, request);
    say(Role::assistant, "Done.");
  }
  work("check", "fine");
  const auto text = notes(history_.size(), 110);
  EXPECT_TRUE(contains(text, "\"Write down that the key is KEY_2.\"")) << text;
}

TEST_F(NotesTest, OfAChatTheNewestFactsAreQuotedAndNothingIsCalledAnswered) {
  for (const auto* said :
       {"Let's fly on 14 June.", "No, not the 14th, the 16th.", "Where is it warm in June?", "Thanks."}) {
    finished_.push_back(history_.size());
    say(Role::user, said);
    say(Role::assistant, "I see.");
  }
  const auto text = notes(history_.size(), 150);
  EXPECT_FALSE(contains(text, "asked and answered")) << text;
  EXPECT_TRUE(contains(text, "the 16th.")) << text;
  EXPECT_FALSE(contains(text, "warm")) << text;
}

TEST_F(NotesTest, OfAChatTheRestIsQuotedWhereThereIsRoom) {
  for (const auto* said : {"My brother is allergic to nuts though.", "We are five at the table.", "Thanks."}) {
    finished_.push_back(history_.size());
    say(Role::user, said);
    say(Role::assistant, "I see.");
  }
  const auto text = notes(history_.size(), 300);
  EXPECT_TRUE(contains(text, "My brother is allergic to nuts though.")) << text;
  EXPECT_FALSE(contains(text, "Thanks.")) << text;
}

TEST_F(NotesTest, FactsThatTheLineOfAnAnsweredRequestCutsAreQuoted) {
  const std::string filler =
      "Please write down all of this in the list of what we bought for the two rooms upstairs, would you. ";
  for (const auto& request : {std::string("Look around."), filler + "It must go out under cost centre 4471-B."}) {
    finished_.push_back(history_.size());
    say(Role::user, request);
    work("c" + std::to_string(history_.size()), "fine");
    say(Role::assistant, "Done.");
  }
  const auto text = notes(history_.size(), 400);
  EXPECT_TRUE(contains(text, "asked and answered: \"Please write")) << text;
  EXPECT_TRUE(contains(text, "\"It must go out under cost centre 4471-B.\"")) << text;
}

TEST_F(NotesTest, NamesThatAreShownAnywayAreLeftOut) {
  say(Role::user, "Mend src/shown.cpp.");
  shown_ = 0;
  work("a", "src/shown.cpp and src/kept.cpp and src/gone.cpp");
  work("b", "src/kept.cpp");
  const auto text = notes(3, 400);
  EXPECT_TRUE(contains(text, "src/gone.cpp"));
  EXPECT_FALSE(contains(text, "src/kept.cpp"));
  EXPECT_FALSE(contains(text, "src/shown.cpp"));
}

TEST_F(NotesTest, OfManyNamesTheNewestMessagesComeFirst) {
  for (int m = 0; m < 30; ++m) {
    std::string names;
    for (int i = 0; i < 60; ++i) names += " file_" + std::to_string(m) + "_" + std::to_string(i);
    work("c" + std::to_string(m), names);
  }
  const auto text = notes(60, 2'000);
  EXPECT_TRUE(contains(text, "file_29_39"));
  EXPECT_FALSE(contains(text, "file_29_45")) << "at most forty of a message come first";
  EXPECT_FALSE(contains(text, "file_2_0"));
}

TEST_F(NotesTest, WhatTheUserSaidStandsOutsideOfTheFenceAndWhatTakesItBackBehindIt) {
  say(Role::user, "Always answer in German.");
  say(Role::assistant, "Gut.");
  say(Role::user, "Stop answering in German.");
  say(Role::assistant, "See src/fees.cpp.");
  const auto text = notes(4, 600);
  const auto rule = text.find("[1] \"Always answer in German.\"");
  const auto revoked = text.find("[3] \"Stop answering in German.\"");
  ASSERT_NE(rule, std::string::npos) << text;
  EXPECT_LT(rule, revoked);
  EXPECT_LT(revoked, text.find("<notes-"));
}

TEST_F(NotesTest, WhatWasChangedAndHowTheLastRunsEndedIsSaid) {
  say(Role::user, "Mend the parser.");
  for (const char* const outcome : {"2 failed", "all passed"}) {
    auto call = testing::tool_call(outcome);
    call.tool_calls[0].name = "bash";
    call.tool_calls[0].arguments_json = R"({"command":"sed -i s/a/b/ src/fees.cpp && ctest"})";
    history_.push_back(call);
    history_.push_back(testing::tool_result(outcome, outcome));
  }
  const auto text = notes(5, 600);
  EXPECT_TRUE(contains(text, "changed: src/fees.cpp\n")) << text;
  EXPECT_TRUE(contains(text, "2 failed [3], all passed [5]")) << text;
}

TEST_F(NotesTest, WithoutRoomThereAreNone) {
  work("a", "In src/late_fee.cpp there is parse_fee_table.");
  EXPECT_EQ(notes(2, 10), "");
  EXPECT_EQ(notes(0, 400), "");
}

TEST_F(NotesTest, WhatCannotBeFetchedAgainIsQuotedFirst) {
  work("a", "plain and ordinary words");
  history_.push_back(testing::tool_call("b", "fetch_once"));
  history_.push_back(testing::tool_result("b", "the one and only answer was forty two"));
  work("c", "in src/other.cpp");
  const auto text = notes(6, 400);
  EXPECT_TRUE(contains(text, "the one and only answer was forty two")) << text;
  EXPECT_FALSE(contains(text, "plain and ordinary words"));
  EXPECT_LT(text.find("forty two"), text.find("src/other.cpp"));
}

}  // namespace
}  // namespace ctxmgr::engine
