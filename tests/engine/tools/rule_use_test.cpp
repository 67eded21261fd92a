#include "engine/tools/rule_use.hpp"

#include <gmock/gmock.h>

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using Names = std::vector<std::string>;

const ToolRules rules{{"ls", ToolRetention::cut_first},
                      {"board_*", ToolRetention::keeps_latest},
                      {"board_a", ToolRetention::never_cut},
                      {"get_polcy", ToolRetention::never_cut}};

TEST(RuleUseTest, TellsRulesThatHoldForCallsFromThoseThatHoldForNothing) {
  const auto use =
      use_of(rules, {testing::tool_call("1", "board_a"), testing::tool_call("2", "update_plan")}, {{"ls"}});
  EXPECT_EQ(use.holding, Names{"board_*"});
  EXPECT_EQ(use.idle, (Names{"board_a", "get_polcy"})) << "one behind another, one misspelt";
}

TEST(RuleUseTest, OfTwoThatAreTheSameTheSecondIsIdle) {
  const auto use = use_of({{"ls"}, {"ls"}}, {testing::tool_call("1", "ls")}, {});
  EXPECT_EQ(use.holding, Names{"ls"});
  EXPECT_EQ(use.idle, Names{"ls"});
}

TEST(RuleUseTest, WithoutToolsAndCallsNothingIsKnownOfARule) {
  EXPECT_EQ(note_of_idle(use_of(rules, {{Role::user, "Hello."}}, {})), "");
  EXPECT_EQ(note_of_idle(use_of({}, {testing::tool_call("1", "ls")}, {})), "");
}

TEST(RuleUseTest, TenAreNamed) {
  RuleUse use;
  for (int i = 0; i < 12; ++i) use.idle.push_back("t" + std::to_string(i));
  use.holding = {"ls", "board_*"};
  EXPECT_EQ(note_of_idle(use),
            "tool rules that hold for no call and no definition: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more");
  EXPECT_EQ(words_of_holding(use), "; tool rules that held: ls, board_*");
}

class ToolRuleNotesTest : public testing::BuildTest {
 protected:
  std::string notes_of(const BuiltContext& built) {
    std::string text;
    for (const auto& note : built.metadata.notes) text += note + "\n";
    return text;
  }
};

TEST_F(ToolRuleNotesTest, AMisspeltRuleIsInTheReceiptAndChangesNoByte) {
  say(Role::user, "Read the policy.");
  add(testing::tool_call("1", "get_policy"));
  add(testing::tool_result("1", "Fees are due in May."));
  const auto plain = build(4'000).value();
  request_.tool_rules = {{"get_polcy", ToolRetention::cut_first}};
  const auto misspelt = build(4'000).value();
  EXPECT_THAT(notes_of(misspelt), ::testing::HasSubstr("no definition: get_polcy\n"));
  EXPECT_EQ(to_openai_json(misspelt.messages), to_openai_json(plain.messages));
  request_.tool_rules = {{"get_*", ToolRetention::cut_first}};
  EXPECT_THAT(notes_of(build(4'000).value()), ::testing::Not(::testing::HasSubstr("tool rules")));
}

TEST_F(ToolRuleNotesTest, ACompactionNamesTheRulesThatHold) {
  request_.planning.mode = PlannerMode::deterministic;
  request_.tool_rules = {{"get_policy", ToolRetention::never_cut}, {"ls", ToolRetention::cut_first}};
  say(Role::user, "Mend the fees.");
  std::string note;
  for (int i = 0; i < 40 && note.empty(); ++i) {
    const auto id = std::to_string(i);
    add(testing::tool_call(id, i == 0 ? "get_policy" : "read"));
    add(testing::tool_result(id, testing::words(150)));
    const auto built = build(4'000).value();
    request_.thread_state = built.thread_state;
    for (const auto& said : built.metadata.notes)
      if (said.rfind("compacted: ", 0) == 0) note = said;
  }
  EXPECT_THAT(note, ::testing::EndsWith("; tool rules that held: get_policy"));
}

}  // namespace
}  // namespace ctxmgr::engine
