#include <string>
#include <utility>
#include <vector>

#include "support/stages_fixture.hpp"

namespace ctxmgr::engine {
namespace {

/// What of a thread is looked through, and what is found in it for a question at its end.
class EvidenceStageTest : public StagesFixture {
 protected:
  static constexpr std::int64_t plenty = 10'000;

  void asked(std::vector<ConversationMessage> messages, const std::string& question) {
    context_.conversation_history = std::move(messages);
    context_.conversation_history.push_back({Role::user, question});
    make_by_hand_asked_last();
  }

  std::vector<MessageRange> competing(std::size_t cut, const std::vector<TaskMessage>& task = {}) {
    Suffix suffix;
    suffix.cut = cut;
    return competing_messages(layout_input(), suffix, task);
  }

  /// Of a thread whose messages are all cut but for the question.
  ThreadSearch search(std::int64_t tokens) {
    ThreadSearch search;
    search.end = search.cut = context_.conversation_history.size() - 1;
    search.query = layout_input().prepared.gathered.searched;
    search.question = search.hinted_by = search.end;
    search.tokens = tokens;
    search.most_ranges = 100;
    return search;
  }

  std::vector<std::size_t> found(const ThreadSearch& search) {
    std::vector<std::size_t> messages;
    if (const auto made = find_in_thread(layout_input(), search))
      for (const auto& piece : made->pieces) messages.push_back(piece.message);
    return messages;
  }

  std::int64_t tokens_found(const ThreadSearch& search) {
    const auto made = find_in_thread(layout_input(), search);
    return made ? show_evidence(layout_input(), *made)->tokens : 0;
  }
};

using Places = std::vector<std::size_t>;

std::vector<ConversationMessage> herons() {
  return {{Role::user, "The heron eats at noon."},
          {Role::assistant, "Noted."},
          {Role::user, "It rains on the roof of the mill."},
          {Role::user, "The heron sleeps at dusk."}};
}

TEST_F(EvidenceStageTest, NothingCompetesWhereNothingIsCut) {
  asked({}, "When does the heron eat?");
  EXPECT_TRUE(competing(0).empty());
  EXPECT_TRUE(competing(1).empty()) << "the question is sent";
  EXPECT_TRUE(read_for_search({}, layout_input()).empty());
}

TEST_F(EvidenceStageTest, WhatIsCutCompetesButForWhatIsSent) {
  auto messages = herons();
  messages[1].retention = Retention::pinned;
  asked(std::move(messages), "When does the heron eat?");
  const auto ranges = competing(5);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].last, 1U);
  EXPECT_EQ(ranges[1].first, 2U);
  EXPECT_EQ(ranges[1].last, 4U);
  TaskMessage task;
  task.whole = true;
  EXPECT_EQ(count_of(competing(5, {task})), 2U);
  task.whole = false;
  EXPECT_EQ(count_of(competing(5, {task})), 3U) << "of a task that was shortened the rest can be found";
  request_.history.evidence_share = 0;
  inputs_.reset();
  EXPECT_TRUE(competing(5).empty()) << "nothing is looked for";
}

TEST_F(EvidenceStageTest, NothingCompetesThatIsPinned) {
  auto messages = herons();
  for (auto& message : messages) message.retention = Retention::pinned;
  asked(std::move(messages), "When does the heron eat?");
  EXPECT_TRUE(competing(5).empty());
  EXPECT_TRUE(found(search(plenty)).empty());
}

TEST_F(EvidenceStageTest, NothingIsFoundWhereNothingIsHidden) {
  asked(herons(), "When does the heron eat?");
  auto nothing_cut = search(plenty);
  nothing_cut.cut = 0;
  EXPECT_TRUE(found(nothing_cut).empty());
  auto all_shown = search(plenty);
  all_shown.shown = {0, 1, 2, 3};
  EXPECT_TRUE(found(all_shown).empty());
  auto no_ranges = search(plenty);
  no_ranges.most_ranges = 0;
  EXPECT_TRUE(found(no_ranges).empty()) << "the state has room for none";
}

TEST_F(EvidenceStageTest, WhatIsNotSentWholeBehindTheCutIsLookedThroughToo) {
  asked(herons(), "When does the heron eat?");
  auto of_extracts = search(plenty);
  of_extracts.cut = 0;
  of_extracts.extracts = {0, 2};
  EXPECT_EQ(found(of_extracts), Places{0});
}

TEST_F(EvidenceStageTest, EvidenceIsThereWhereItJustFits) {
  asked({{Role::user, "The heron eats at noon."}, {Role::assistant, "Noted."}}, "When does the heron eat?");
  const auto tokens = tokens_found(search(plenty));
  ASSERT_GT(tokens, 0);
  EXPECT_EQ(tokens_found(search(tokens)), tokens);
  EXPECT_LT(tokens_found(search(tokens - 1)), tokens);
  prepared_->overhead_tokens = tokens;
  EXPECT_EQ(tokens_found(search(tokens)), 0) << "the frame alone takes all of it";
}

TEST_F(EvidenceStageTest, WhatSaysTheSameIsFoundOnce) {
  asked({{Role::user, "The heron eats at noon."}, {Role::user, "The heron eats at noon."}}, "When does the heron eat?");
  EXPECT_EQ(found(search(plenty)), Places{0});
}

TEST_F(EvidenceStageTest, WhatStandsAlreadyIsNotFoundAgain) {
  asked(herons(), "When does the heron eat?");
  const auto first = find_in_thread(layout_input(), search(plenty));
  ASSERT_TRUE(first);
  auto again = search(plenty);
  again.former = {*first};
  EXPECT_FALSE(find_in_thread(layout_input(), again));
}

TEST_F(EvidenceStageTest, WhatAnswersAsWellIsAllFound) {
  asked(herons(), "What does the heron do?");
  EXPECT_THAT(found(search(plenty)), ::testing::IsSupersetOf({0U, 3U}));
  auto one = search(plenty);
  one.most_ranges = 1;
  EXPECT_EQ(found(one).size(), 1U) << "where there is room for one";
}

TEST_F(EvidenceStageTest, APieceThatWasMadeOutOfDateSaysSoAndGoesOnSayingTheSame) {
  const auto call = [](const std::string& id, const std::string& tool, const std::string& arguments) {
    ConversationMessage message;
    message.role = Role::assistant;
    message.tool_calls.push_back({id, tool, arguments});
    return message;
  };
  const auto result = [](const std::string& id, const std::string& text) {
    ConversationMessage message;
    message.role = Role::tool;
    message.tool_call_id = id;
    message.content = text;
    return message;
  };
  asked({call("a", "read_file", R"({"path": "heron.py"})"), result("a", "the heron eats at noon"),
         call("b", "edit_file", R"({"path": "heron.py", "old_str": "noon", "new_str": "dusk"})"), result("b", "ok")},
        "When does the heron eat?");
  const auto made = find_in_thread(layout_input(), search(plenty));
  ASSERT_TRUE(made);
  const auto shown = show_evidence(layout_input(), *made);
  ASSERT_TRUE(shown);
  EXPECT_THAT(text_of(shown->message), ::testing::HasSubstr("[2] read_file(heron.py) (changed in [3]): "));
  auto& history = context_.conversation_history;
  history.push_back(call("c", "edit_file", R"({"path": "heron.py", "old_str": "dusk", "new_str": "dawn"})"));
  history.push_back(result("c", "ok"));
  inputs_.reset();
  EXPECT_EQ(text_of(show_evidence(layout_input(), *made)->message), text_of(shown->message));
}

TEST_F(EvidenceStageTest, EvidenceThatNoMessageHasIsNotShown) {
  asked(herons(), "When does the heron eat?");
  EXPECT_FALSE(show_evidence(layout_input(), {4, 0, {}}));
  EXPECT_TRUE(show_evidence(layout_input(), {4, 0, {{0, {{0, 5}}, {}}}}));
  EXPECT_FALSE(show_evidence(layout_input(), {4, 0, {{0, {{0, 5'000}}, {}}}}));
  EXPECT_FALSE(show_evidence(layout_input(), {4, 0, {{9, {{0, 5}}, {}}}}));
}

}  // namespace
}  // namespace ctxmgr::engine
