#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ctxmgr/core/json_forms.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using ::testing::HasSubstr;
using testing::words;

/// A memo whose first sentence has a fact, as JSON text without quotes.
std::string memo(std::size_t i) {
  std::string text = "Memo " + std::to_string(i) + ": the door code of room " + std::to_string(i) + " is R" +
                     std::to_string(i) + "77. ";
  for (int k = 0; k < 12; ++k) text += "The harbour master writes about ships and weather and the tide. ";
  return text;
}

struct Kind {
  const char* name;
  Role role;
  const char* before;  ///< JSON of the part before the memo, and behind it.
  const char* behind;
};

const Kind kinds[] = {
    {"document", Role::user, R"({"type":"document","source":{"type":"text","data":")", R"("}})"},
    {"document of blocks", Role::user,
     R"({"type":"document","source":{"type":"content","content":[{"type":"text","text":")", R"("}]}})"},
    {"search_result", Role::user,
     R"({"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":")", R"("}]})"},
    {"mcp_tool_result", Role::assistant,
     R"({"type":"mcp_tool_result","tool_use_id":"s","content":[{"type":"text","text":")", R"("}]})"},
    {"web_fetch", Role::assistant,
     R"({"type":"web_fetch_tool_result","tool_use_id":"s","content":{"type":"web_fetch_result","url":"u","content":)"
     R"({"type":"document","source":{"type":"text","data":")",
     R"("}}}})"},
    {"code_execution", Role::assistant,
     R"({"type":"code_execution_tool_result","tool_use_id":"s","content":{"type":"code_execution_result","stdout":")",
     R"("}})"},
    {"mcp_call", Role::assistant, R"({"type":"mcp_call","id":"m","name":"get","arguments":"{}","output":")", R"("})"},
    {"file_search_call", Role::assistant,
     R"({"type":"file_search_call","id":"m","results":[{"filename":"a.txt","score":0.5,"text":")", R"("}]})"},
    {"code_interpreter_call", Role::assistant,
     R"({"type":"code_interpreter_call","id":"m","code":"x","outputs":[{"type":"logs","logs":")", R"("}]})"},
    {"resource", Role::user, R"({"type":"resource","resource":{"uri":"u","text":")", R"("}})"},
};

/// A result of the service's own tool stands behind its call.
std::string with_call(std::string before, std::size_t i) {
  const std::string of_call = R"("tool_use_id":"s)";
  const auto at = before.find(of_call);
  if (at == std::string::npos) return before;
  const auto id = std::to_string(i);
  before.insert(at + of_call.size(), id);
  return R"({"type":"server_tool_use","id":"s)" + id + R"(","name":"get","input":{}},)" + before;
}

class ContextManagerPartsTest : public ::testing::TestWithParam<Kind> {};

TEST_P(ContextManagerPartsTest, WordsOfAPartThatWasCutAreFoundWhenAsked) {
  const auto& kind = GetParam();
  for (const std::int64_t budget : {1'500, 3'000, 8'000}) {
    Context context;
    auto& history = context.conversation_history;
    for (std::size_t i = 0; i < 60; ++i) {
      if (kind.role == Role::assistant) history.push_back({Role::user, "Fetch " + std::to_string(i)});
      const auto message = from_json<ConversationMessage>(R"({"role":")" + std::string(to_string(kind.role)) +
                                                          R"(","content":[)" + with_call(kind.before, i) + memo(i) +
                                                          kind.behind + R"(,{"type":"text","text":"Keep it."}]})");
      ASSERT_TRUE(message) << message.error().message;
      history.push_back(*message);
      if (kind.role == Role::user) history.push_back({Role::assistant, "Kept. " + words(120)});
    }
    history.push_back({Role::user, "What is the door code of room 3?"});
    BuildRequest request;
    request.budget.max_input_tokens = budget;
    const auto built = ContextManager(ContextManagerOptions{}).build(context, request);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_THAT(to_openai_json(built->messages), HasSubstr("R377")) << budget;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ContextManagerPartsTest, ::testing::ValuesIn(kinds), [](const auto& kind) {
  std::string name = kind.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(ContextManagerWrittenTest, WhatAnAgentWroteIsFoundWhenAsked) {
  for (const std::int64_t budget : {2'000, 4'000, 8'000}) {
    Context context;
    auto& history = context.conversation_history;
    history.push_back({Role::user, "Write a memo for each room."});
    for (std::size_t i = 0; i < 60; ++i) {
      ConversationMessage call{Role::assistant};
      const auto id = "c" + std::to_string(i);
      call.tool_calls = {
          {id, "write_file", R"({"path":"memo)" + std::to_string(i) + R"(.txt","content":")" + memo(i) + R"("})"}};
      history.push_back(call);
      ConversationMessage result{Role::tool, "ok"};
      result.tool_call_id = id;
      history.push_back(result);
    }
    history.push_back({Role::assistant, "All memos are written."});
    history.push_back({Role::user, "What is the door code of room 3?"});
    BuildRequest request;
    request.budget.max_input_tokens = budget;
    const auto built = ContextManager(ContextManagerOptions{}).build(context, request);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_THAT(to_openai_json(built->messages), HasSubstr("R377")) << budget;
  }
}

}  // namespace
}  // namespace ctxmgr
