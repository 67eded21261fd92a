#include "c/preparation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>

#include "c/texts.hpp"
#include "ctxmgr/c/ctxmgr.h"
#include "support/steered_agent.hpp"

namespace {

using ctxmgr::testing::agent_budget;
using ctxmgr::testing::SteeredAgent;
using ctxmgr::testing::take;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr int steps = 56;

ctxmgr_code complete(void* user, const char* request, size_t size, int64_t, ctxmgr_reply* reply) {
  ++*static_cast<std::atomic<int>*>(user);
  const auto answer = SteeredAgent::completion_of({request, size});
  ctxmgr_reply_set(reply, answer.data(), answer.size());
  return CTXMGR_OK;
}

/// An agent of 56 steps, with a host that prepares or does not.
class CPreparationTest : public ::testing::Test {
 protected:
  struct Figures {
    int compactions = 0;
    int with_summary = 0;
    int over = 0;
    int torn = 0;
    int asked_by_builds = 0;
    int asked_ahead = 0;
  };

  ~CPreparationTest() override {
    ctxmgr_thread_destroy(thread_);
    ctxmgr_manager_destroy(manager_);
  }

  void open(bool has_model) {
    ctxmgr_callbacks callbacks{};
    callbacks.struct_size = sizeof callbacks;
    callbacks.user = &asked_;
    callbacks.complete = has_model ? complete : nullptr;
    ASSERT_EQ(ctxmgr_manager_create("{}", 2, &callbacks, &manager_, nullptr), CTXMGR_OK);
    ASSERT_EQ(ctxmgr_thread_create(manager_, &thread_, nullptr), CTXMGR_OK);
  }

  static json request(json messages = json::array()) {
    json body = {{"model", "gpt-5.6"}};
    if (!messages.empty()) body["messages"] = std::move(messages);
    return {{"body", body}, {"max_input_tokens", agent_budget}, {"scope", "s"}, {"max_llm_calls", 0}};
  }

  template <class Handle, class Call>
  json done(Handle* handle, Call call, const json& asked) {
    const auto text = asked.dump();
    ctxmgr_text *result = nullptr, *error = nullptr;
    EXPECT_EQ(call(handle, text.data(), text.size(), &result, &error), CTXMGR_OK);
    if (result != nullptr) return json::parse(take(result));
    ADD_FAILURE() << take(error);
    return {};
  }

  template <class Build, class Prepare>
  Figures replay(const Build& build, const Prepare& prepare) {
    Figures figures;
    SteeredAgent agent;
    for (int step = 0; step < steps && !HasFailure(); ++step) {
      const int before = asked_;
      const json built = build(agent.act(step));
      if (!built.contains("body")) break;
      figures.asked_by_builds += asked_ - before;
      const auto& metadata = built["metadata"];
      const bool is_compacted = metadata.contains("compaction");
      const auto& messages = built["body"]["messages"];
      figures.compactions += is_compacted ? 1 : 0;
      figures.with_summary += is_compacted && messages.dump().find("summary of [") != std::string::npos ? 1 : 0;
      figures.over += metadata["input_tokens_used"] > agent_budget ? 1 : 0;
      figures.torn += SteeredAgent::is_torn(messages) ? 1 : 0;
      const int ahead = asked_;
      prepare(built);
      figures.asked_ahead += asked_ - ahead;
    }
    return figures;
  }

  json step_of_thread(json messages) { return done(thread_, ctxmgr_thread_build, request(std::move(messages))); }

  /// Makes the calls of a preparation.
  void answer(ctxmgr_preparation* preparation) {
    for (;;) {
      ctxmgr_text* result = nullptr;
      ASSERT_EQ(ctxmgr_preparation_next(preparation, &result, nullptr), CTXMGR_OK);
      const auto next = json::parse(take(result));
      if (next["done"].get<bool>()) break;
      ASSERT_FALSE(next["calls"].empty());
      for (const auto& call : next["calls"]) {
        ++asked_;
        const auto reply = SteeredAgent::completion_of(call["request"].dump());
        ASSERT_EQ(ctxmgr_preparation_reply(preparation, call["id"], CTXMGR_OK, reply.data(), reply.size(), nullptr),
                  CTXMGR_OK);
      }
    }
    ctxmgr_preparation_destroy(preparation);
  }

  static void expect_all_prepared(const Figures& figures) {
    EXPECT_GT(figures.compactions, 1);
    EXPECT_EQ(figures.with_summary, figures.compactions);
    EXPECT_EQ(figures.asked_by_builds, 0);
    EXPECT_GT(figures.asked_ahead, 0);
    EXPECT_EQ(figures.over, 0);
    EXPECT_EQ(figures.torn, 0);
  }

  std::atomic<int> asked_{0};
  ctxmgr_manager* manager_ = nullptr;
  ctxmgr_thread* thread_ = nullptr;
};

TEST_F(CPreparationTest, EveryCompactionOfAThreadHasItsSummaryAndNoBuildAsksAModel) {
  open(true);
  std::int64_t calls = 0;
  const auto figures =
      replay([this](json added) { return step_of_thread(std::move(added)); },
             [&](const json&) {
               calls += done(thread_, ctxmgr_thread_prepare_compaction, request())["calls"].get<std::int64_t>();
             });
  expect_all_prepared(figures);
  EXPECT_EQ(calls, figures.asked_ahead);
}

TEST_F(CPreparationTest, WithoutPreparingNoCompactionHasAny) {
  open(true);
  const auto figures = replay([this](json added) { return step_of_thread(std::move(added)); }, [](const json&) {});
  EXPECT_GT(figures.compactions, 1);
  EXPECT_EQ(figures.with_summary, 0);
  EXPECT_EQ(figures.asked_by_builds, 0);
}

TEST_F(CPreparationTest, AHostThatMakesTheCallsItselfNeedsNoCallback) {
  open(false);
  expect_all_prepared(replay(
      [this](json added) { return step_of_thread(std::move(added)); },
      [this](const json&) {
        const auto text = request().dump();
        ctxmgr_preparation* preparation = nullptr;
        ASSERT_EQ(ctxmgr_thread_start_compaction(thread_, text.data(), text.size(), &preparation, nullptr), CTXMGR_OK);
        answer(preparation);
      }));
}

TEST_F(CPreparationTest, RequestsWithoutAThreadArePreparedByTheirState) {
  open(true);
  json all = json::array();
  json last;
  expect_all_prepared(replay(
      [&](const json& added) {
        for (const auto& message : added) all.push_back(message);
        last["body"] = {{"model", "gpt-5.6"}, {"messages", all}};
        last["max_input_tokens"] = agent_budget;
        last["scope"] = "s";
        last["max_llm_calls"] = 0;
        return done(manager_, ctxmgr_build, last);
      },
      [&](const json& built) {
        last["thread_state"] = built["thread_state"];
        (void)done(manager_, ctxmgr_prepare_compaction, last);
      }));
}

TEST_F(CPreparationTest, WhatCannotBePreparedIsRefused) {
  open(false);
  const auto refused = [&](const json& asked) {
    const auto text = asked.dump();
    ctxmgr_text *result = nullptr, *error = nullptr;
    EXPECT_EQ(ctxmgr_thread_prepare_compaction(thread_, text.data(), text.size(), &result, &error),
              CTXMGR_INVALID_ARGUMENT);
    return error == nullptr ? std::string() : take(error);
  };
  SteeredAgent agent;
  (void)step_of_thread(agent.act(0));
  EXPECT_THAT(refused(request()), HasSubstr("there is no client to summarise with"));
  EXPECT_THAT(refused(request(agent.act(1))), HasSubstr("takes no new ones"));
  EXPECT_EQ(ctxmgr_start_compaction(manager_, "{}", 2, nullptr, nullptr), CTXMGR_INVALID_ARGUMENT);
  EXPECT_EQ(ctxmgr_preparation_next(nullptr, nullptr, nullptr), CTXMGR_INVALID_ARGUMENT);
  EXPECT_EQ(ctxmgr_preparation_reply(nullptr, 1, CTXMGR_OK, "", 0, nullptr), CTXMGR_INVALID_ARGUMENT);
  ctxmgr_preparation_destroy(nullptr);
}

TEST_F(CPreparationTest, AReplyThatIsNoneIsAFailedCallAndAPreparationOutlivesItsThread) {
  open(false);
  SteeredAgent agent;
  ctxmgr_preparation* preparation = nullptr;
  json next;
  for (int step = 0; step < steps && (next.is_null() || next["calls"].empty()); ++step) {
    ctxmgr_preparation_destroy(preparation);
    (void)step_of_thread(agent.act(step));
    const auto text = request().dump();
    ASSERT_EQ(ctxmgr_thread_start_compaction(thread_, text.data(), text.size(), &preparation, nullptr), CTXMGR_OK);
    ctxmgr_text* result = nullptr;
    ASSERT_EQ(ctxmgr_preparation_next(preparation, &result, nullptr), CTXMGR_OK);
    next = json::parse(take(result));
  }
  ctxmgr_thread_destroy(std::exchange(thread_, nullptr));
  for (std::size_t i = 0; i < next["calls"].size(); ++i) {
    const std::string reply = i == 0 ? "{}" : "down";
    const auto code = i == 0 ? CTXMGR_OK : CTXMGR_UNAVAILABLE;
    EXPECT_EQ(ctxmgr_preparation_reply(preparation, next["calls"][i]["id"], code, reply.data(), reply.size(), nullptr),
              i == 0 ? CTXMGR_BAD_DATA : CTXMGR_OK);
  }
  ctxmgr_text* result = nullptr;
  ASSERT_EQ(ctxmgr_preparation_next(preparation, &result, nullptr), CTXMGR_OK);
  EXPECT_TRUE(json::parse(take(result))["done"].get<bool>());
  ctxmgr_preparation_destroy(preparation);
}

}  // namespace
