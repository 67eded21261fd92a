#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "c/texts.hpp"
#include "ctxmgr/c/ctxmgr.h"
#include "support/steered_agent.hpp"

namespace {

using ctxmgr::testing::take;
using nlohmann::json;
using ::testing::HasSubstr;

/// What a host's hook heard; it asks for message 6 to stay, and says where to look.
struct Heard {
  std::vector<json> events;
};

ctxmgr_code hear(void* user, const char* event, size_t size, ctxmgr_reply* reply) {
  auto& heard = *static_cast<Heard*>(user);
  heard.events.push_back(json::parse(std::string(event, size)));
  const std::string answer =
      heard.events.back()["phase"] == "before" ? R"({"keep":[6]})" : R"({"text":"Decisions are in notes.md."})";
  ctxmgr_reply_set(reply, answer.data(), answer.size());
  return CTXMGR_OK;
}

struct Figures {
  int over = 0;
  int torn = 0;
  int without_list = 0;
  int without_policy = 0;
  int compactions = 0;
  json last;
};

/// The agent's run through a thread of the C interface.
Figures replay(const char* rules, Heard* heard) {
  ctxmgr_callbacks callbacks{};
  callbacks.struct_size = sizeof callbacks;
  callbacks.user = heard;
  callbacks.compaction = heard == nullptr ? nullptr : hear;
  ctxmgr_manager* manager = nullptr;
  ctxmgr_thread* thread = nullptr;
  EXPECT_EQ(ctxmgr_manager_create("{}", 2, &callbacks, &manager, nullptr), CTXMGR_OK);
  EXPECT_EQ(ctxmgr_thread_create(manager, &thread, nullptr), CTXMGR_OK);
  ctxmgr::testing::SteeredAgent agent;
  Figures figures;
  for (int step = 0; step < ctxmgr::testing::agent_steps; ++step) {
    const json request = {{"body", {{"model", "gpt-5.6"}, {"messages", agent.act(step)}}},
                          {"max_input_tokens", ctxmgr::testing::agent_budget},
                          {"tool_rules", json::parse(rules)}};
    const auto text = request.dump();
    ctxmgr_text *result = nullptr, *error = nullptr;
    EXPECT_EQ(ctxmgr_thread_build(thread, text.data(), text.size(), &result, &error), CTXMGR_OK);
    if (result == nullptr) {
      ADD_FAILURE() << take(error);
      break;
    }
    const auto built = json::parse(take(result));
    const auto body = built["body"]["messages"].dump();
    const auto& metadata = built["metadata"];
    figures.over += metadata["input_tokens_used"] > ctxmgr::testing::agent_budget ? 1 : 0;
    figures.torn += ctxmgr::testing::SteeredAgent::is_torn(built["body"]["messages"]) ? 1 : 0;
    figures.without_list += body.find(agent.list) == std::string::npos ? 1 : 0;
    figures.without_policy += step >= 3 && body.find("POLICY") == std::string::npos ? 1 : 0;
    figures.compactions += metadata.contains("compaction") ? 1 : 0;
    figures.last = built["body"]["messages"];
  }
  ctxmgr_thread_destroy(thread);
  ctxmgr_manager_destroy(manager);
  return figures;
}

TEST(CSteeringTest, TheLatestListIsInEveryRequestOfAnAgentOf60Steps) {
  const auto figures = replay(ctxmgr::testing::agent_rules, nullptr);
  EXPECT_EQ(figures.over, 0);
  EXPECT_EQ(figures.torn, 0);
  EXPECT_EQ(figures.without_list, 0);
  EXPECT_EQ(figures.without_policy, 0);
  EXPECT_GT(figures.compactions, 1);
}

TEST(CSteeringTest, WithoutTheRulesTheListIsLost) {
  const auto figures = replay(ctxmgr::testing::no_rules, nullptr);
  EXPECT_GT(figures.without_list, 0);
  EXPECT_GT(figures.without_policy, 0);
  EXPECT_EQ(figures.torn, 0);
}

TEST(CSteeringTest, AHostHearsOfACompactionBeforeAndAfterItAndIsHeard) {
  Heard heard;
  const auto figures = replay(ctxmgr::testing::agent_rules, &heard);
  ASSERT_EQ(heard.events.size(), static_cast<std::size_t>(figures.compactions) * 2);
  EXPECT_EQ(heard.events[0]["phase"], "before");
  EXPECT_EQ(heard.events[1]["phase"], "after");
  const auto& report = heard.events[1]["compaction"];
  EXPECT_EQ(report["reason"], "the room is full");
  EXPECT_GT(report["tokens_before"], report["tokens_after"]);
  EXPECT_FALSE(report["messages"].empty());
  EXPECT_THAT(figures.last.dump(), HasSubstr("Decisions are in notes.md."));
  EXPECT_EQ(figures.over + figures.torn, 0);
}

TEST(CSteeringTest, AMisspelledRuleIsRefused) {
  ctxmgr_manager* manager = nullptr;
  ASSERT_EQ(ctxmgr_manager_create("{}", 2, nullptr, &manager, nullptr), CTXMGR_OK);
  const std::string text =
      R"({"body":{"model":"gpt-5.6","messages":[]},"tool_rules":[{"tool":"a","retention":"keep"}]})";
  ctxmgr_text *result = nullptr, *error = nullptr;
  EXPECT_EQ(ctxmgr_build(manager, text.data(), text.size(), &result, &error), CTXMGR_INVALID_ARGUMENT);
  EXPECT_THAT(take(error), HasSubstr("retention"));
  ctxmgr_manager_destroy(manager);
}

}  // namespace
