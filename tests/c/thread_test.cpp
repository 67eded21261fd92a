#include "c/thread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "c/texts.hpp"
#include "ctxmgr/c/ctxmgr.h"

namespace {

using ctxmgr::testing::message;
using ctxmgr::testing::take;
using nlohmann::json;
using ::testing::HasSubstr;

/// One turn, with a field that only the service knows.
json turn(int i) {
  json answer = message("assistant", "Topic " + std::to_string(i) + " has the code K" + std::to_string(i * 7) + ".");
  answer["of_the_service"] = i;
  return json::array({message("user", "Tell me about topic " + std::to_string(i) + ", in some detail."), answer});
}

class CThreadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(ctxmgr_manager_create("{}", 2, nullptr, &manager_, nullptr), CTXMGR_OK);
    ASSERT_EQ(ctxmgr_thread_create(manager_, &thread_, nullptr), CTXMGR_OK);
  }
  void TearDown() override {
    ctxmgr_thread_destroy(thread_);
    ctxmgr_manager_destroy(manager_);
  }

  static json request(json messages) {
    return {{"body", {{"model", "gpt-4o"}, {"messages", std::move(messages)}}}, {"max_input_tokens", 300}};
  }

  json step(const json& request) {
    const auto text = request.dump();
    ctxmgr_text *result = nullptr, *error = nullptr;
    const auto code = ctxmgr_thread_build(thread_, text.data(), text.size(), &result, &error);
    EXPECT_EQ(code, CTXMGR_OK) << take(error);
    return result == nullptr ? json() : json::parse(take(result));
  }

  ctxmgr_code failed(const json& request) {
    const auto text = request.dump();
    ctxmgr_text* result = nullptr;
    return ctxmgr_thread_build(thread_, text.data(), text.size(), &result, nullptr);
  }

  /// The same thread without a handle: all of it each time.
  json whole(const json& messages, const json& state) {
    json all = request(messages);
    if (!state.is_null()) all["thread_state"] = state;
    const auto text = all.dump();
    ctxmgr_text* result = nullptr;
    EXPECT_EQ(ctxmgr_build(manager_, text.data(), text.size(), &result, nullptr), CTXMGR_OK);
    return json::parse(take(result));
  }

  ctxmgr_manager* manager_ = nullptr;
  ctxmgr_thread* thread_ = nullptr;
};

TEST_F(CThreadTest, AStepWithWhatIsNewGivesWhatTheWholeGives) {
  json all = json::array(), state;
  for (int i = 0; i < 30; ++i) {
    json news = turn(i);
    if (i == 0) news.insert(news.begin(), message("system", "Be brief."));
    news.push_back(message("user", "And which code has topic " + std::to_string(i / 2) + "?"));
    all.insert(all.end(), news.begin(), news.end());
    const auto expected = whole(all, state);
    const auto built = step(request(news));
    EXPECT_EQ(built["body"], expected["body"]) << i;
    EXPECT_EQ(built["metadata"]["input_tokens_used"], expected["metadata"]["input_tokens_used"]);
    EXPECT_EQ(built["thread_state"], expected["thread_state"]) << i;
    EXPECT_LE(built["metadata"]["input_tokens_used"].get<int>(), 300);
    state = expected["thread_state"];
  }
}

TEST_F(CThreadTest, ABuildThatFailsLeavesTheThreadAsItWas) {
  const auto before = step(request(turn(1)));
  auto too_small = request(json::array({message("user", "What is it?")}));
  too_small["max_input_tokens"] = 3;
  EXPECT_EQ(failed(too_small), CTXMGR_BUDGET_EXCEEDED);
  too_small["keep"] = 0;
  EXPECT_EQ(failed(too_small), CTXMGR_BUDGET_EXCEEDED);
  EXPECT_EQ(step(request(json::array()))["body"], before["body"]);
}

TEST_F(CThreadTest, WhatIsNotKeptIsReplaced) {
  step(request(turn(1)));
  auto edited = request(json::array({message("user", "Something else, please.")}));
  edited["keep"] = 1;
  const auto sent = step(edited)["body"]["messages"];
  EXPECT_EQ(sent.size(), 2U);
  EXPECT_THAT(sent.dump(), ::testing::Not(HasSubstr("K7")));
}

TEST_F(CThreadTest, WhatAThreadCannotHoldIsRefused) {
  EXPECT_EQ(failed(request(json::array())), CTXMGR_INVALID_ARGUMENT) << "no message at all";
  EXPECT_EQ(failed(request(json::array({{{"role", "function"}, {"name", "f"}, {"content", "x"}}}))),
            CTXMGR_INVALID_ARGUMENT);
  auto other = request(turn(1));
  other["keep"] = 1;
  EXPECT_EQ(failed(other), CTXMGR_INVALID_ARGUMENT) << "more than there are";
  other["keep"] = "all";
  EXPECT_EQ(failed(other), CTXMGR_INVALID_ARGUMENT);
  other.erase("keep");
  other["tools_budget"] = 10;
  EXPECT_EQ(failed(other), CTXMGR_INVALID_ARGUMENT);
  other.erase("tools_budget");
  other["form"] = "anthropic";
  EXPECT_EQ(failed(other), CTXMGR_INVALID_ARGUMENT);
  ctxmgr_text* result = nullptr;
  EXPECT_EQ(ctxmgr_thread_build(nullptr, "{}", 2, &result, nullptr), CTXMGR_INVALID_ARGUMENT);
  ctxmgr_thread* thread = nullptr;
  EXPECT_EQ(ctxmgr_thread_create(nullptr, &thread, nullptr), CTXMGR_INVALID_ARGUMENT);
  ctxmgr_thread_destroy(nullptr);
}

}  // namespace
