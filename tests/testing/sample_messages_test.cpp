#include "testing/sample_messages.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace ctxmgr::testing {
namespace {

TEST(SampleMessagesTest, AMessageIsTheSameWhateverAStoreNumbersIt) {
  auto stored = everything_set("text");
  stored.sequence_number = 7;
  EXPECT_TRUE(same_message(everything_set("text"), stored));
}

TEST(SampleMessagesTest, EachFieldMakesADifference) {
  const std::vector<std::function<void(ConversationMessage&)>> changes{
      [](auto& m) { m.role = Role::user; },
      [](auto& m) { m.content = "text"; },
      [](auto& m) { std::get<std::vector<ContentPart>>(m.content)[1].json = "{}"; },
      [](auto& m) { m.tool_calls[0].arguments_json = "{}"; },
      [](auto& m) { m.tool_call_id.clear(); },
      [](auto& m) { m.name.clear(); },
      [](auto& m) { m.agent.clear(); },
      [](auto& m) { m.retention = Retention::normal; },
      [](auto& m) {
        m.summary_of = SequenceRange{1, 2};
      },
      [](auto& m) { m.extra_json.clear(); },
      [](auto& m) { m.reasoning_steps.pop_back(); },
      [](auto& m) { m.reasoning_steps[0].tool_results[0].execution_time += std::chrono::milliseconds(1); },
      [](auto& m) { m.reasoning_steps[0].tool_predictions[0].reasoning.clear(); }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto changed = everything_set("text");
    changes[i](changed);
    EXPECT_FALSE(same_message(everything_set("text"), changed)) << i;
  }
}

TEST(SampleMessagesTest, HasEveryByte) {
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_NE(all_bytes().find(static_cast<char>(byte)), std::string::npos) << byte;
  }
}

}  // namespace
}  // namespace ctxmgr::testing
