#include "ctxmgr/session/tool_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/engine/tool_search.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/session/memory_tool.hpp"

namespace ctxmgr {
namespace {

using ::testing::HasSubstr;

class ToolSetTest : public ::testing::Test {
 protected:
  ToolSetTest() {
    all_.context.emplace(*ContextStore::open({"s", make_memory_key_value_store()}));
    all_.memory = MemoryOptions{"ada", make_memory_key_value_store()};
    all_.searched = {{"weigh_cargo", "Weighs the cargo of a ship.", "{}"}, {"send_mail", "Sends a mail.", "{}"}};
    all_.has_room_tools = true;
    receipt_.input_tokens_used = 300;
    receipt_.messages_limit = 1'000;
  }

  std::string answer(const ToolSet& tools, const std::string& name, const std::string& arguments = "{}") const {
    const auto message = tools.run({"call-1", name, arguments, {}}, receipt_);
    EXPECT_EQ(message.role, Role::tool);
    EXPECT_EQ(message.tool_call_id, "call-1");
    return text_of(message);
  }

  ToolSet all_;
  ContextUtilizationMetadata receipt_;
};

TEST_F(ToolSetTest, EveryToolThatIsDefinedIsHandledAndAnswers) {
  const auto definitions = all_.definitions();
  EXPECT_EQ(definitions.size(), 7U);
  for (const auto& tool : definitions) {
    EXPECT_TRUE(all_.handles(tool.name)) << tool.name;
    EXPECT_NE(answer(all_, tool.name), "") << tool.name;
    EXPECT_FALSE(ToolSet{}.handles(tool.name)) << tool.name;
  }
  EXPECT_TRUE(ToolSet{}.definitions().empty());
}

TEST_F(ToolSetTest, EachCallGoesToItsTool) {
  answer(all_, "set_context", R"({"key":"berth","value":"seven"})");
  EXPECT_THAT(answer(all_, "get_context", R"({"key":"berth"})"), HasSubstr("seven"));
  answer(all_, "memory", R"({"command":"create","path":"/memories/a.md","file_text":"likes tea"})");
  EXPECT_THAT(answer(all_, "memory", R"({"command":"view","path":"/memories/a.md"})"), HasSubstr("likes tea"));
  EXPECT_THAT(answer(all_, std::string(search_tools_name), R"({"query":"weigh the cargo"})"), HasSubstr("weigh_cargo"));
  EXPECT_EQ(answer(all_, std::string(context_remaining_name)),
            text_of(answer_context_remaining({"call-1", std::string(context_remaining_name), "{}", {}}, receipt_)));
  EXPECT_THAT(answer(all_, std::string(compact_context_name)), HasSubstr("compacted"));
}

TEST_F(ToolSetTest, ToolsThatAreNotChosenAreNeitherHandledNorRun) {
  ToolSet tools;
  tools.has_room_tools = true;
  EXPECT_EQ(tools.definitions().size(), 2U);
  for (const auto* name : {"get_context", "memory", "search_tools", "shell", ""}) {
    EXPECT_FALSE(tools.handles(name)) << name;
    EXPECT_THAT(answer(tools, name), HasSubstr("there is no such tool")) << name;
  }
}

TEST_F(ToolSetTest, AMemoryThatCannotBeReachedIsSaidToTheModel) {
  ToolSet tools;
  tools.memory = MemoryOptions{};
  EXPECT_THAT(answer(tools, "memory", R"({"command":"view","path":"/memories"})"), HasSubstr("cannot be reached"));
}

TEST_F(ToolSetTest, ABuildAddsTheSearchByItselfWhereItLeavesToolsOut) {
  for (const auto& tool : all_.definitions()) EXPECT_NE(tool.name, search_tools_name);
  EXPECT_TRUE(all_.handles(search_tools_name));
}

}  // namespace
}  // namespace ctxmgr
