// What depends on the model and its service: media by what they cost, the shape of the list, the window.
#include "ctxmgr/core/message_shape.hpp"
#include "ports/estimate_by_kind.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::all_text;
using testing::contains;
using testing::tool_call;
using testing::tool_result;
using testing::words;

class ContextManagerCostsTest : public testing::BuildTest {};

ConversationMessage with_image(const std::string& text, const std::string& name) {
  return {
      Role::user,
      std::vector<ContentPart>{
          {PartKind::text, text, {}},
          {PartKind::image, {}, R"({"type":"image_url","image_url":{"url":"https://example.com/)" + name + "\"}}"}}};
}

std::size_t images_in(const std::vector<ConversationMessage>& messages) {
  std::size_t count = 0;
  for (const auto& message : messages) {
    const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
    if (parts == nullptr) continue;
    for (const auto& part : *parts) count += part.kind == PartKind::image ? 1 : 0;
  }
  return count;
}

TEST_F(ContextManagerCostsTest, OldImagesGiveWayFirstAndAreNamed) {
  for (int i = 0; i < 6; ++i) {
    add(with_image("Look at number " + std::to_string(i), std::to_string(i) + ".png"));
    say(Role::assistant, "I see number " + std::to_string(i));
  }
  say(Role::user, "Which was the first?");
  EXPECT_EQ(images_in(build(9'000)->messages), 6U);
  const auto built = build(3'500);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_LE(built->metadata.input_tokens_used, 3'500);
  const auto text = all_text(built->messages);
  const auto kept = images_in(built->messages);
  EXPECT_GE(kept, 2U);
  EXPECT_LT(kept, 6U);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(contains(text, "I see number " + std::to_string(i))) << i << text;
  EXPECT_TRUE(contains(text, "[left out: image https://example.com/0.png]")) << text;
  EXPECT_FALSE(contains(text, "[left out: image https://example.com/5.png]")) << "the newest goes last";
}

TEST_F(ContextManagerCostsTest, ImagesInAThreadThatGoesOnGoWithTheirTurnsWhichAreQuoted) {
  std::string text;
  for (int i = 0; i < 16; ++i) {
    add(with_image("Look at number " + std::to_string(i), std::to_string(i) + ".png"));
    const auto built = build(12'000);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_LE(built->metadata.input_tokens_used, 12'000);
    request_.thread_state = built->thread_state;
    text = all_text(built->messages);
    say(Role::assistant, "I see number " + std::to_string(i));
  }
  EXPECT_TRUE(contains(text, "[3] \"Look at number 1\"")) << text;
  EXPECT_FALSE(contains(text, "[left out: image https://example.com/14.png]")) << text;
}

TEST_F(ContextManagerCostsTest, ImagesCountWhatTheyCost) {
  add(with_image("Look", "a.png"));
  request_.models.primary = "gpt-4o-mini";
  const auto dear = build(100'000);
  request_.models.primary = "gemini-2.5-pro";
  const auto cheap = build(100'000);
  ASSERT_TRUE(dear && cheap);
  EXPECT_GT(dear->metadata.input_tokens_used, 40'000) << "without its bytes, an image counts as a large one";
  EXPECT_LT(cheap->metadata.input_tokens_used, 2'000);
  const auto counter =
      make_model_token_counter(make_estimating_counter(vocabulary_family("gpt-4o-mini")), "gpt-4o-mini");
  EXPECT_EQ(dear->metadata.input_tokens_used, count_messages(*counter, dear->messages));
}

TEST_F(ContextManagerCostsTest, TheServicesShapeIsCountedInsideTheBudget) {
  request_.shape = *message_shape("mistral");
  say(Role::system, "Be brief.");
  for (int i = 0; i < 30; ++i) {
    say(Role::user, "Question " + std::to_string(i) + " " + words(20));
    say(Role::user, "And another " + std::to_string(i));
    say(Role::system, "Be brief still.");
    add(tool_call("c" + std::to_string(i)));
    add(tool_result("c" + std::to_string(i), words(40)));
  }
  say(Role::user, "Which was the first?");
  for (std::int64_t budget = 400; budget < 8'000; budget += budget / 3) {
    const auto built = build(budget);
    ASSERT_TRUE(built) << budget << ": " << built.error().message;
    const auto& sent = built->messages;
    EXPECT_LE(count_messages(*make_approximate_token_counter(), sent), budget);
    EXPECT_EQ(to_json(shape_messages(sent, *request_.shape)), to_json(sent)) << "it is in shape";
    for (std::size_t i = 1; i < sent.size(); ++i) {
      if (sent[i].role != Role::tool) {
        EXPECT_NE(sent[i].role, sent[i - 1].role) << budget;
      }
    }
  }
}

TEST_F(ContextManagerCostsTest, TheShapeKeepsThePrefix) {
  request_.shape = *message_shape("llama_cpp");
  say(Role::system, "Be brief.");
  say(Role::user, "Read all files.");
  std::string before;
  std::size_t kept = 0;
  for (int i = 0; i < 20; ++i) {
    add(tool_call("c" + std::to_string(i)));
    add(tool_result("c" + std::to_string(i), words(30, "line")));
    const auto built = build(40'000);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    const auto json = to_json(built->messages);
    const auto end = before.empty() ? 0 : before.size() - 1;  // Without the bracket.
    kept += json.compare(0, end, before, 0, end) == 0 ? 1 : 0;
    before = json;
  }
  EXPECT_EQ(kept, 20U);
}

TEST_F(ContextManagerCostsTest, TheWindowOfAnUnknownModelIsAskedForOrSet) {
  say(Role::user, "Hello");
  const auto window = [this] {
    const auto built = ContextManager(options_).build(context_, request_);
    return built ? built->metadata.model_max_tokens : -1;
  };
  request_.models.primary = "llama3.1:8b";
  EXPECT_EQ(window(), 131'072);
  request_.models.primary = "gemma2:9b";
  EXPECT_EQ(window(), 8'192);
  request_.models.primary = "our-own-model";
  const auto refused = ContextManager(options_).build(context_, request_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(contains(refused.error().message, "our-own-model"));
  request_.budget.context_window_tokens = 12'000;
  EXPECT_EQ(window(), 12'000);
}

}  // namespace
}  // namespace ctxmgr
