#include "ctxmgr/core/message_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/shaped_messages.hpp"
#include "core/tool_messages.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

using testing::calling;
using ::testing::ElementsAre;
using testing::result;

using Messages = std::vector<ConversationMessage>;

std::string shaped(Messages messages, const MessageShape& shape) {
  return to_openai_json(shape_messages(std::move(messages), shape));
}

MessageShape preset(const char* service) { return message_shape(service).value(); }

TEST(MessageShapeTest, WithoutDemandsNothingChanges) {
  const Messages messages{{Role::assistant, "a"}, {Role::system, "s"}, {Role::user, "u"}, {Role::user, "v"}};
  EXPECT_FALSE(preset("openai").demands_anything());
  EXPECT_EQ(shaped(messages, preset("openai")), to_openai_json(messages));
}

TEST(MessageShapeTest, InstructionsStandInFrontAndLaterOnesAreTheUsers) {
  MessageShape shape;
  shape.system_in_front = true;
  EXPECT_EQ(shaped({{Role::system, "a"}, {Role::developer, "b"}, {Role::user, "u"}, {Role::system, "c"}}, shape),
            R"([{"role":"system","content":"a\n\nb"},{"role":"user","content":"u"},{"role":"user","content":"c"}])");
}

TEST(MessageShapeTest, TheFirstWordIsTheUsers) {
  MessageShape shape;
  shape.user_first = true;
  EXPECT_EQ(
      shaped({{Role::system, "s"}, {Role::assistant, "a"}}, shape),
      R"([{"role":"system","content":"s"},{"role":"user","content":"Continue."},{"role":"assistant","content":"a"}])");
  EXPECT_EQ(shaped({{Role::user, "u"}, {Role::assistant, "a"}}, shape),
            R"([{"role":"user","content":"u"},{"role":"assistant","content":"a"}])");
}

TEST(MessageShapeTest, NeighboursOfOneRoleAreOneMessage) {
  MessageShape shape;
  shape.alternating = true;
  ConversationMessage named{Role::user, "v"};
  named.name = "ada";
  const auto out =
      shape_with_places({{Role::user, "u"}, named, {Role::assistant, "a"}, calling({"c"}), result("c")}, shape);
  EXPECT_EQ(
      to_openai_json(out.messages),
      R"([{"role":"user","content":"u\n\nada: v"},{"role":"assistant","content":"a","tool_calls":[{"id":"c",)"
      R"("type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"r","tool_call_id":"c"}])");
  EXPECT_THAT(out.places, ElementsAre(0, 0, 1, 1, 2));
  const Messages parts{{Role::user, std::vector<ContentPart>{{PartKind::image, "", R"({"type":"image_url"})"}}},
                       {Role::user, "what is it?"}};
  EXPECT_EQ(shaped(parts, shape),
            R"([{"role":"user","content":[{"type":"image_url"},{"type":"text","text":"what is it?"}]}])");
}

TEST(MessageShapeTest, ResultsStayWithTheirCalls) {
  MessageShape shape;
  shape.alternating = true;
  const Messages messages{calling({"a"}), result("a"), calling({"b"}), result("b"), {Role::assistant, "x"}};
  EXPECT_EQ(shaped(messages, shape), to_openai_json(messages));
}

TEST(MessageShapeTest, AfterAResultTheAssistantHasAWord) {
  EXPECT_EQ(
      shaped({{Role::user, "u"}, calling({"a"}), result("a"), {Role::user, "v"}}, preset("mistral")),
      R"([{"role":"user","content":"u"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function",)"
      R"("function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"r","tool_call_id":"a"},)"
      R"({"role":"assistant","content":"Understood."},{"role":"user","content":"v"}])");
}

TEST(MessageShapeTest, TextPartsAreAStringWhereThatIsAskedFor) {
  const Messages messages{{Role::user, std::vector<ContentPart>{{PartKind::text, "a", ""}, {PartKind::text, "b", ""}}}};
  EXPECT_EQ(shaped(messages, preset("llama_cpp")), R"([{"role":"user","content":"a\n\nb"}])");
  const Messages image{{Role::user, std::vector<ContentPart>{{PartKind::image, "", R"({"type":"image_url"})"}}}};
  EXPECT_EQ(shaped(image, preset("llama_cpp")), to_openai_json(image));
}

TEST(MessageShapeTest, AServiceIsKnownByItsHost) {
  EXPECT_FALSE(message_shape_of_host("api.openai.com").demands_anything());
  EXPECT_TRUE(message_shape_of_host("api.mistral.ai").answer_after_tool);
  EXPECT_TRUE(message_shape_of_host("generativelanguage.googleapis.com").alternating);
  EXPECT_FALSE(message_shape_of_host("notmistral.ai").demands_anything());
  EXPECT_FALSE(message_shape_of_host("127.0.0.1").demands_anything());
  EXPECT_FALSE(message_shape("nobody"));
}

/// What a strict template refuses.
std::string offence_in(const Messages& messages, const MessageShape& shape) {
  std::size_t at = 0;
  while (at < messages.size() && messages[at].role == Role::system) ++at;
  if (shape.system_in_front && at > 1) return "two instructions";
  if (shape.user_first && at < messages.size() && messages[at].role != Role::user) return "not the user first";
  for (std::size_t i = at + 1; i < messages.size(); ++i) {
    const auto& before = messages[i - 1];
    if (messages[i].role == Role::system && shape.system_in_front) return "an instruction in the middle";
    if (shape.answer_after_tool && before.role == Role::tool && messages[i].role == Role::user)
      return "user after tool";
    const bool same = before.role == messages[i].role && before.role != Role::tool && before.tool_calls.empty();
    if (shape.alternating && same) return "neighbours";
  }
  return {};
}

Messages any_thread() {
  Messages messages;
  const auto count = *rc::gen::inRange(0, 15);
  for (int i = 0; i < count; ++i) {
    const auto id = std::to_string(i);
    switch (*rc::gen::inRange(0, 4)) {
      case 0: messages.push_back({Role::system, "s" + id}); break;
      case 1: messages.push_back({Role::user, "u" + id}); break;
      case 2: messages.push_back({Role::assistant, "a" + id}); break;
      default: messages.push_back(calling({id})), messages.push_back(result(id));
    }
  }
  return messages;
}

TEST(MessageShapeTest, EveryThreadGetsTheShapeAndLosesNothing) {
  for (const char* service : {"anthropic", "gemini", "bedrock", "mistral", "llama_cpp", "vllm"}) {
    EXPECT_TRUE(rc::check([&] {
      const auto messages = any_thread();
      const auto out = shape_with_places(messages, preset(service));
      RC_ASSERT(offence_in(out.messages, preset(service)) == "");
      RC_ASSERT(out.places.size() == messages.size());
      for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto text = text_of(messages[i]);
        RC_ASSERT(text_of(out.messages.at(out.places[i])).find(text) != std::string::npos);
      }
      const auto again = shape_messages(out.messages, preset(service));
      RC_ASSERT(to_json(again) == to_json(out.messages));
    }));
  }
}

TEST(MessageShapeTest, WhatIsAppendedChangesOnlyTheLastMessage) {
  EXPECT_TRUE(rc::check([] {
    auto messages = any_thread();
    const auto before = shape_messages(messages, preset("mistral"));
    messages.push_back({Role::user, "new"});
    const auto after = shape_messages(messages, preset("mistral"));
    for (std::size_t i = 0; i + 1 < before.size(); ++i) RC_ASSERT(to_json(after.at(i)) == to_json(before[i]));
  }));
}

}  // namespace
}  // namespace ctxmgr
