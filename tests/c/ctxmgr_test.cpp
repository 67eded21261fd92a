#include "ctxmgr/c/ctxmgr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "c/texts.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/session/context_tools.hpp"

namespace {

using ctxmgr::testing::message;
using ctxmgr::testing::take;
using nlohmann::json;
using ::testing::HasSubstr;

class CInterfaceTest : public ::testing::Test {
 protected:
  void TearDown() override { ctxmgr_manager_destroy(manager_); }

  ctxmgr_manager* manager(const std::string& options = "{}", const ctxmgr_callbacks* callbacks = nullptr) {
    ctxmgr_text* error = nullptr;
    EXPECT_EQ(ctxmgr_manager_create(options.data(), options.size(), callbacks, &manager_, &error), CTXMGR_OK);
    EXPECT_EQ(error, nullptr);
    return manager_;
  }

  using Call = ctxmgr_code (*)(const ctxmgr_manager*, const char*, size_t, ctxmgr_text**, ctxmgr_text**);

  json done(Call call, const json& request) {
    const auto text = request.dump();
    ctxmgr_text *result = nullptr, *error = nullptr;
    const auto code = call(manager_, text.data(), text.size(), &result, &error);
    EXPECT_EQ(code, CTXMGR_OK) << take(error);
    return result == nullptr ? json() : json::parse(take(result));
  }

  std::string failed(Call call, const json& request, ctxmgr_code expected) {
    const auto text = request.dump();
    ctxmgr_text *result = nullptr, *error = nullptr;
    EXPECT_EQ(call(manager_, text.data(), text.size(), &result, &error), expected);
    EXPECT_EQ(result, nullptr);
    return error == nullptr ? "" : take(error);
  }

  ctxmgr_manager* manager_ = nullptr;
};

json chat(std::size_t turns) {
  auto messages = json::array({message("system", "Be brief.")});
  for (std::size_t i = 0; i < turns; ++i) {
    messages.push_back(message("user", "Tell me about topic " + std::to_string(i) + ", please, in some detail."));
    messages.push_back(
        message("assistant", "Topic " + std::to_string(i) + " has the code K" + std::to_string(i * 7) + "."));
  }
  messages.push_back(message("user", "Which code has topic 3?"));
  return {{"model", "gpt-4o"}, {"messages", messages}};
}

TEST_F(CInterfaceTest, FitsARequestIntoItsBudgetAndSaysWhatItDid) {
  manager();
  const auto built = done(ctxmgr_build, {{"body", chat(40)}, {"max_input_tokens", 400}});
  EXPECT_LE(built["metadata"]["input_tokens_used"].get<int>(), 400);
  EXPECT_EQ(built["body"]["model"], "gpt-4o");
  EXPECT_THAT(built["body"]["messages"].dump(), HasSubstr("K21"));
  EXPECT_TRUE(built["thread_state"].is_string());

  const auto next =
      done(ctxmgr_build, {{"body", chat(40)}, {"max_input_tokens", 400}, {"thread_state", built["thread_state"]}});
  EXPECT_LE(next["metadata"]["input_tokens_used"].get<int>(), 400);
}

TEST_F(CInterfaceTest, TakesAnthropicsAndResponsesForms) {
  manager();
  json anthropic = {
      {"model", "claude-sonnet-4-5"}, {"max_tokens", 100}, {"system", "Be brief."}, {"messages", json::array()}};
  anthropic["messages"].push_back(message("user", "hello"));
  const auto built = done(ctxmgr_build, {{"form", "anthropic"}, {"body", anthropic}, {"max_input_tokens", 500}});
  EXPECT_EQ(built["body"]["messages"][0]["content"], "hello");

  const json responses = {{"model", "gpt-4o"}, {"input", json::array({message("user", "hello")})}};
  EXPECT_TRUE(done(ctxmgr_build, {{"form", "responses"}, {"body", responses}})["body"].contains("input"));
}

TEST_F(CInterfaceTest, ADryRunGivesPlanAndReceipt) {
  manager();
  const auto plan = done(ctxmgr_plan, {{"body", chat(40)}, {"max_input_tokens", 400}});
  EXPECT_TRUE(plan.contains("plan"));
  EXPECT_LE(plan["metadata"]["input_tokens_used"].get<int>(), 400);
  EXPECT_FALSE(plan["would_use_llm"].is_null());
}

TEST_F(CInterfaceTest, AReceiptIsExplainedForPeople) {
  manager();
  const auto built = done(ctxmgr_build, {{"body", chat(40)}, {"max_input_tokens", 400}});
  const auto metadata = built["metadata"].dump();
  ctxmgr_text *result = nullptr, *error = nullptr;
  ASSERT_EQ(ctxmgr_explain(metadata.data(), metadata.size(), &result, &error), CTXMGR_OK) << take(error);
  const auto receipt = ctxmgr::from_json<ctxmgr::ContextUtilizationMetadata>(metadata);
  EXPECT_EQ(take(result), ctxmgr::explain(*receipt));
  EXPECT_EQ(receipt->messages_limit, 400);
}

TEST_F(CInterfaceTest, WhatIsNoReceiptIsNotExplained) {
  ctxmgr_text *result = nullptr, *error = nullptr;
  EXPECT_EQ(ctxmgr_explain("[1]", 3, &result, &error), CTXMGR_INVALID_ARGUMENT);
  EXPECT_EQ(result, nullptr);
  EXPECT_NE(take(error), "");
  EXPECT_EQ(ctxmgr_explain("{}", 2, nullptr, nullptr), CTXMGR_INVALID_ARGUMENT);
}

/// A request in one of the three forms with twenty tools, one of which is demanded.
json with_tools(const std::string& form) {
  json body = {{"model", "gpt-4o"}, {"tools", json::array()}};
  if (form == "anthropic") body["max_tokens"] = 100;
  body[form == "responses" ? "input" : "messages"] = chat(20)["messages"];
  if (form == "anthropic") body["messages"].erase(0);
  for (int i = 0; i < 20; ++i) {
    json tool = {{"name", "ledger_" + std::to_string(i)},
                 {"description", "Reads one of the many ledgers of the books."}};
    tool[form == "anthropic" ? "input_schema" : "parameters"] = {{"type", "object"}};
    if (form == "responses") tool["type"] = "function";
    body["tools"].push_back(form == "openai" ? json{{"type", "function"}, {"function", tool}} : tool);
  }
  body["tool_choice"] = {{"type", form == "anthropic" ? "tool" : "function"}, {"name", "ledger_7"}};
  return body;
}

TEST_F(CInterfaceTest, ADryRunTellsWhatTheBuildDoes) {
  manager();
  for (const std::string form : {"openai", "anthropic", "responses"}) {
    const json request = {{"form", form},        {"body", with_tools(form)},     {"max_input_tokens", 500},
                          {"tools_budget", 150}, {"pinned_tools", {"ledger_3"}}, {"session", "s-" + form}};
    const auto planned = done(ctxmgr_plan, request)["metadata"], built = done(ctxmgr_build, request)["metadata"];
    EXPECT_LE(built["tools_tokens"].get<int>(), 150 + 8) << form << ": definitions, and what tool_choice says";
    for (const char* figure : {"tools_tokens", "tools_left_out", "max_input_tokens", "input_tokens_used"})
      EXPECT_EQ(planned.value(figure, json()), built.value(figure, json("none"))) << form << ' ' << figure;
    EXPECT_THAT(built["tools_left_out"].dump(), ::testing::Not(HasSubstr("\"ledger_7\"")));
    EXPECT_THAT(built["tools_left_out"].dump(), ::testing::Not(HasSubstr("\"ledger_3\"")));
    EXPECT_THAT(built["tools_left_out"].dump(), HasSubstr("\"ledger_5\""));
  }
}

TEST_F(CInterfaceTest, BadInputIsACodeAndAMessage) {
  manager();
  EXPECT_THAT(failed(ctxmgr_build, json::array(), CTXMGR_INVALID_ARGUMENT), HasSubstr("object"));
  EXPECT_THAT(failed(ctxmgr_build, {{"body", chat(1)}, {"max_tokens", 1}}, CTXMGR_INVALID_ARGUMENT),
              ::testing::AllOf(HasSubstr("\"max_tokens\""), HasSubstr("max_input_tokens, ")));
  EXPECT_THAT(failed(ctxmgr_build, {{"body", chat(1)}, {"shape", "lama"}}, CTXMGR_INVALID_ARGUMENT),
              HasSubstr("llama_cpp"));
  EXPECT_THAT(failed(ctxmgr_build, {{"body", chat(1)}, {"max_input_tokens", 3}}, CTXMGR_BUDGET_EXCEEDED),
              ::testing::AllOf(HasSubstr("is 3"), HasSubstr("raise max_input_tokens")));
  EXPECT_THAT(failed(ctxmgr_build, {{"max_input_tokens", 3}}, CTXMGR_INVALID_ARGUMENT), HasSubstr("body"));
  ctxmgr_text* error = nullptr;
  EXPECT_EQ(ctxmgr_build(manager_, "{", 1, nullptr, &error), CTXMGR_INVALID_ARGUMENT);
  take(error);
  ctxmgr_text* result = nullptr;
  EXPECT_EQ(ctxmgr_build(nullptr, "{}", 2, &result, nullptr), CTXMGR_INVALID_ARGUMENT);
  EXPECT_EQ(ctxmgr_build(manager_, nullptr, 2, &result, nullptr), CTXMGR_INVALID_ARGUMENT);
}

TEST_F(CInterfaceTest, AMessageNamesFieldsOfTheRequestAndModelsThatThereAre) {
  manager();
  json body = chat(1);
  body["model"] = "gtp-4o-mini";
  EXPECT_THAT(failed(ctxmgr_build, {{"body", body}}, CTXMGR_INVALID_ARGUMENT),
              ::testing::AllOf(HasSubstr("did you mean gpt-4o-mini, "),
                               HasSubstr("set max_input_tokens or context_window_tokens"),
                               ::testing::Not(HasSubstr("budget."))));
}

TEST_F(CInterfaceTest, OptionsAreCheckedWhenAManagerIsMade) {
  for (const std::string options : {"[]", "{\"stores\":\"memory\"}", "{\"store\":\"ftp:x\"}", "{\"catalog\":{\"x\":"}) {
    ctxmgr_manager* made = nullptr;
    ctxmgr_text* error = nullptr;
    EXPECT_EQ(ctxmgr_manager_create(options.data(), options.size(), nullptr, &made, &error), CTXMGR_INVALID_ARGUMENT);
    EXPECT_EQ(made, nullptr);
    EXPECT_FALSE(take(error).empty()) << options;
  }
  ctxmgr_callbacks callbacks{};
  ctxmgr_manager* made = nullptr;
  EXPECT_EQ(ctxmgr_manager_create("{}", 2, &callbacks, &made, nullptr), CTXMGR_INVALID_ARGUMENT) << "no struct_size";
}

/// Counts letters: far more than any vocabulary does.
int64_t count_letters(void*, const char*, size_t size) { return static_cast<int64_t>(size); }

TEST_F(CInterfaceTest, AHostsCountServesAnyModelAndGoesBeforeABuiltInVocabulary) {
  ctxmgr_callbacks callbacks{};
  callbacks.struct_size = sizeof callbacks;
  callbacks.count = count_letters;
  callbacks.count_is_exact = 1;
  manager("{}", &callbacks);
  const auto built = done(ctxmgr_build, {{"body", chat(40)}, {"max_input_tokens", 1000}});
  std::size_t letters = 0;
  for (const auto& sent : built["body"]["messages"]) letters += sent["content"].get<std::string>().size();
  EXPECT_LE(letters, 1000U);
  EXPECT_GT(letters, 300U);
}

TEST_F(CInterfaceTest, AHostOfAnOlderVersionHasASmallerStruct) {
  ctxmgr_callbacks callbacks{};
  callbacks.struct_size = offsetof(ctxmgr_callbacks, store);  // as it was before stores
  callbacks.count = count_letters;
  callbacks.store = reinterpret_cast<const ctxmgr_store*>(std::uintptr_t{1});  // behind the host's struct
  manager("{}", &callbacks);
  int64_t tokens = 0;
  EXPECT_EQ(ctxmgr_count(manager_, "gpt-4o", 6, "hello", 5, &tokens, nullptr), CTXMGR_OK);
  EXPECT_EQ(tokens, 5);
}

TEST_F(CInterfaceTest, CountsByTheModelsVocabulary) {
  manager();
  const std::string model = "gpt-4o", text = "hello world";
  int64_t tokens = 0;
  EXPECT_EQ(ctxmgr_count(manager_, model.data(), model.size(), text.data(), text.size(), &tokens, nullptr), CTXMGR_OK);
  EXPECT_EQ(tokens, 2);
  EXPECT_EQ(ctxmgr_count(manager_, nullptr, 0, nullptr, 0, &tokens, nullptr), CTXMGR_OK);
  EXPECT_EQ(tokens, 0);
}

TEST_F(CInterfaceTest, WhatIsLeftOutIsReadBackByTheSessionsTools) {
  manager();
  auto request = chat(1);
  std::string page;
  for (int i = 0; i < 2'000; ++i) page += "Line " + std::to_string(i) + " of the page says nothing of interest.\n";
  request["attachments"] = json::array({{{"id", "page"}, {"content", page + "The gate is purple.\n"}}});
  const auto built = done(ctxmgr_build, {{"body", request}, {"max_input_tokens", 2000}, {"session", "s1"}});
  const auto text = built["body"]["messages"].dump();
  const auto at = text.find("artifact:");
  ASSERT_NE(at, std::string::npos) << text;
  const auto key = text.substr(at, 9 + 16);

  const auto tools = done(ctxmgr_tools, {{"session", "s1"}, {"form", "anthropic"}});
  EXPECT_TRUE(tools[0].contains("input_schema"));
  EXPECT_EQ(ctxmgr_tool_instructions(), ctxmgr::ContextTools::instructions());
  const auto read =
      done(ctxmgr_call_tool, {{"session", "s1"}, {"id", "c1"}, {"name", "get_context"}, {"arguments", {{"key", key}}}});
  EXPECT_EQ(read["role"], "tool");
  EXPECT_THAT(read.dump(), HasSubstr("Line 0 of the page"));
  EXPECT_THAT(
      done(ctxmgr_call_tool, {{"session", "s2"}, {"id", "c1"}, {"name", "get_context"}, {"arguments", {{"key", key}}}})
          .dump(),
      ::testing::Not(HasSubstr("Line 0 of the page")));
  failed(ctxmgr_call_tool, {{"session", "s1"}, {"name", "rm"}}, CTXMGR_NOT_FOUND);
}

TEST_F(CInterfaceTest, EveryCodeHasAName) {
  EXPECT_STREQ(ctxmgr_code_name(CTXMGR_OK), "ok");
  EXPECT_STREQ(ctxmgr_code_name(CTXMGR_BUDGET_EXCEEDED), "budget_exceeded");
  EXPECT_STREQ(ctxmgr_code_name(CTXMGR_INTERNAL), "internal");
  EXPECT_STREQ(ctxmgr_code_name(99), "unknown");
  EXPECT_STREQ(ctxmgr_code_name(-1), "unknown");
  EXPECT_STRNE(ctxmgr_version(), "");
}

TEST(CInterfaceThreadsTest, OneManagerServesAllThreads) {
  ctxmgr_manager* manager = nullptr;
  ASSERT_EQ(ctxmgr_manager_create(nullptr, 0, nullptr, &manager, nullptr), CTXMGR_OK);
  const auto request = json{{"body", chat(20)}, {"max_input_tokens", 400}}.dump();
  std::vector<std::thread> threads;
  std::vector<int> codes(8, -1);
  for (auto& code : codes) {
    threads.emplace_back([&] {
      ctxmgr_text* result = nullptr;
      code = ctxmgr_build(manager, request.data(), request.size(), &result, nullptr);
      ctxmgr_text_free(result);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(codes, ::testing::Each(CTXMGR_OK));
  ctxmgr_manager_destroy(manager);
}

}  // namespace
