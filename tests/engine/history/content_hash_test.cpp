#include "engine/history/content_hash.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace ctxmgr::engine {
namespace {

ConversationMessage full() {
  ConversationMessage message{Role::assistant, "text"};
  message.tool_calls.push_back({"id", "name", "{}", "{}"});
  message.reasoning_steps.push_back({});
  message.reasoning_steps[0].tool_results.push_back({"tool", true, "result", "error", {}});
  message.sequence_number = 3;
  return message;
}

TEST(ContentHashTest, EveryFieldCounts) {
  const std::vector<std::function<void(ConversationMessage&)>> edits{
      [](auto& m) { m.content = "tex!"; },
      [](auto& m) {
        m.content = std::vector<ContentPart>{{PartKind::text, "text", ""}};
      },
      [](auto& m) { m.role = Role::user; },
      [](auto& m) { m.tool_calls[0].arguments_json = "[]"; },
      [](auto& m) { m.tool_calls[0].id = "iD"; },
      [](auto& m) { m.tool_call_id = "a"; },
      [](auto& m) { m.name = "a"; },
      [](auto& m) { m.extra_json = "a"; },
      [](auto& m) { m.sequence_number = 4; },
      [](auto& m) { m.retention = Retention::pinned; },
      [](auto& m) { m.reasoning_steps[0].tool_results[0].result = "resulT"; },
      [](auto& m) { m.reasoning_steps[0].thought = "t"; }};
  std::set<std::uint64_t> hashes{content_hash(full())};
  for (const auto& edit : edits) {
    auto message = full();
    edit(message);
    EXPECT_TRUE(hashes.insert(content_hash(message)).second);
  }
  EXPECT_EQ(content_hash(full()), content_hash(full()));
}

}  // namespace
}  // namespace ctxmgr::engine
