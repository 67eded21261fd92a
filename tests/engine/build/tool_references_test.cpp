#include "engine/build/tool_references.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {
namespace {

using Messages = std::vector<ConversationMessage>;

class ToolReferencesTest : public ::testing::Test {
 protected:
  void call(const std::string& tool) {
    ConversationMessage said{Role::assistant};
    const auto id = "c" + std::to_string(history_.size());
    said.tool_calls = {{id, tool, "{}", ""}};
    history_.push_back(std::move(said));
    ConversationMessage result{Role::tool, "done"};
    result.tool_call_id = id;
    history_.push_back(std::move(result));
  }

  void load(const std::string& tool) {
    history_.push_back(
        {Role::assistant,
         std::vector<ContentPart>{
             {PartKind::other, "", R"({"type":"server_tool_use","id":"s","name":"tool_search","input":{}})"},
             {PartKind::other, "",
              R"({"type":"tool_search_tool_result","tool_use_id":"s","content":{"type":"tool_search_tool_search_result",
                  "tool_references":[{"type":"tool_reference","tool_name":")" +
                  tool + R"("}]}})"}}});
  }

  std::vector<std::size_t> kept(std::size_t cut, std::int64_t most = 10'000) {
    const auto counter = make_approximate_token_counter();
    ThreadAnalysis thread;
    EXPECT_TRUE(thread.extend(history_, *counter));
    const Retriever retriever;
    ToolResultViews views(history_, thread, retriever, *counter, nullptr);
    const SuffixPlanner suffixes(thread, 0, views);
    return groups_that_load_tools(history_, thread, suffixes, cut, most, 8);
  }

  Messages history_{{Role::user, "Book a berth."}};
};

TEST_F(ToolReferencesTest, WhatLoadedAToolThatIsStillCalledStays) {
  load("book");     // 1
  load("weather");  // 2
  call("book");     // 3
  call("weather");  // 5
  call("book");     // 7
  EXPECT_EQ(kept(7), std::vector<std::size_t>{1}) << "nobody calls the other behind the cut";
  EXPECT_EQ(kept(5), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(kept(7, 1).empty()) << "there is no room";
}

TEST_F(ToolReferencesTest, WhatWasFoundAndIsNotCalledYetStays) {
  load("book");     // 1
  load("weather");  // 2
  call("weather");  // 3
  call("read");     // 5
  EXPECT_EQ(kept(5), std::vector<std::size_t>{1}) << "the other was called, and is not any more";
  call("book");  // 7
  call("read");  // 9
  EXPECT_TRUE(kept(9).empty());
}

TEST_F(ToolReferencesTest, OfSeveralTheNewestStaysAndNoneWhereOneStandsBehindTheCut) {
  load("book");  // 1
  load("book");  // 2
  call("book");  // 3
  EXPECT_EQ(kept(3), std::vector<std::size_t>{2});
  load("book");
  EXPECT_TRUE(kept(3).empty());
}

}  // namespace
}  // namespace ctxmgr::engine
