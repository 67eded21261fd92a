#include "ctxmgr/ports/gen_ai_observer.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "core/json/json.hpp"

namespace ctxmgr::test {
namespace {

Json line_of(const Event& event) {
  std::string lines;
  const auto observer = make_gen_ai_observer([&](std::string_view line) { lines += line; });
  observer->on_event(event);
  EXPECT_EQ(lines.find('\n'), lines.size() - 1) << lines;
  const auto json = parse_json(lines.substr(0, lines.size() - 1));
  EXPECT_TRUE(json) << lines;
  return json.value_or(Json());
}

TEST(GenAiObserverTest, ModelCallsHaveTheConventionsNames) {
  const auto line = line_of({EventKind::llm_call,
                             "session-1",
                             {{"purpose", "summarization"},
                              {"model", "small"},
                              {"prompt_tokens", std::int64_t{70}},
                              {"completion_tokens", std::int64_t{9}},
                              {"error", std::string_view()}}});
  EXPECT_EQ(*get_string(line, "name"), "gen_ai.client.inference.operation.details");
  const Json& attributes = *find_field(line, "attributes");
  EXPECT_EQ(*get_string(attributes, "gen_ai.operation.name"), "chat");
  EXPECT_EQ(*get_string(attributes, "gen_ai.request.model"), "small");
  EXPECT_EQ(get_int(attributes, "gen_ai.usage.input_tokens"), 70);
  EXPECT_EQ(get_int(attributes, "gen_ai.usage.output_tokens"), 9);
  EXPECT_EQ(*get_string(attributes, "gen_ai.conversation.id"), "session-1");
  EXPECT_EQ(*get_string(attributes, "ctxmgr.purpose"), "summarization");
  EXPECT_EQ(find_field(attributes, "error.type"), nullptr);
}

TEST(GenAiObserverTest, WhatFailedSaysHow) {
  const auto line = line_of({EventKind::llm_call, {}, {{"error", "unavailable"}}});
  EXPECT_EQ(*get_string(*find_field(line, "attributes"), "error.type"), "unavailable");
}

TEST(GenAiObserverTest, OtherEventsKeepTheirOwnNames) {
  const auto line = line_of({EventKind::build_step, {}, {{"step", "plan\n\"x\""}, {"elapsed_us", std::int64_t{812}}}});
  EXPECT_EQ(*get_string(line, "name"), "ctxmgr.build_step");
  EXPECT_EQ(*get_string(*find_field(line, "attributes"), "ctxmgr.step"), "plan\n\"x\"");
  EXPECT_EQ(get_int(*find_field(line, "attributes"), "ctxmgr.elapsed_us"), 812);
}

TEST(GenAiObserverTest, WhatTheWriterThrowsIsDropped) {
  const auto observer = make_gen_ai_observer([](std::string_view) { throw std::runtime_error("disk full"); });
  EXPECT_NO_THROW(observer->on_event({EventKind::warning, {}, {}}));
}

}  // namespace
}  // namespace ctxmgr::test
