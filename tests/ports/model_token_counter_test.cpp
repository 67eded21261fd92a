#include "ports/model_token_counter.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

const std::string picture =
    R"({"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzk"}})";

ConversationMessage showing(const std::string& json) {
  return {Role::user, std::vector<ContentPart>{{PartKind::text, "12345678", {}}, {PartKind::image, {}, json}}};
}

ModelTokenCounter counter_for(std::string_view model) { return {make_approximate_token_counter(), model}; }

TEST(ModelTokenCounterTest, TextIsTheOthersAndImagesAreTheModels) {
  const auto counter = counter_for("gpt-4o");
  const auto words = make_approximate_token_counter()->count_message({Role::user, "12345678"});
  EXPECT_EQ(counter.count_message({Role::user, "12345678"}), words);
  EXPECT_EQ(counter.count_message(showing(picture)), words + 85 + 2 * 170);
  EXPECT_EQ(counter.count_message(showing(picture)), words + 85 + 2 * 170) << "again, from what was read before";
}

TEST(ModelTokenCounterTest, AnEstimateIsKnownAsOne) {
  const auto counter = counter_for("gpt-4o");
  EXPECT_TRUE(counter.knows_media_of({{Role::user, "text"}, showing(picture)}));
  EXPECT_FALSE(
      counter.knows_media_of({showing(R"({"type":"image_url","image_url":{"url":"https://example.com/a"}})")}));
  EXPECT_FALSE(counter_for("my-own-model").knows_media_of({showing(picture)}));
}

TEST(ModelTokenCounterTest, WordsInPartsOfOtherKindsAreCountedAsBefore) {
  const ConversationMessage thinking{
      Role::assistant,
      std::vector<ContentPart>{{PartKind::other, {}, R"({"type":"thinking","thinking":"carry the one"})"}}};
  EXPECT_EQ(counter_for("gpt-4o").count_message(thinking), make_approximate_token_counter()->count_message(thinking));
}

TEST(ModelTokenCounterTest, AChatTemplateTakesItsShare) {
  const auto plain = make_approximate_token_counter()->count_message({Role::user, "hi"});
  EXPECT_EQ(counter_for("llama3.1:8b").count_message({Role::user, "hi"}), plain + 1);
  EXPECT_GT(counter_for("llama3.1:8b").request_overhead(), 0);
  EXPECT_EQ(counter_for("gpt-4o").request_overhead(), 0);
}

/// Frames with two tokens, as no other counter does.
class TwoTokens : public TokenCounter {
 public:
  TokenCounterInfo info() const override { return {{}, true}; }
  std::int64_t count(std::string_view text) const override { return static_cast<std::int64_t>(text.size()); }
  std::int64_t count_message(const ConversationMessage& message) const override { return 2 + count(text_of(message)); }
};

TEST(ModelTokenCounterTest, ACounterThatFramesInItsOwnWayGetsNothingOnTop) {
  const ModelTokenCounter counter(std::make_shared<TwoTokens>(), "qwen2.5-7b-instruct");
  EXPECT_EQ(counter.count_message({Role::user, "hi"}), 4);
  EXPECT_EQ(counter.request_overhead(), 0);
  EXPECT_EQ(counter.count_prompt({{Role::user, "hi"}, {Role::assistant, "ho"}}), 4 + 4 + 3);
}

TEST(ModelTokenCounterTest, ACounterThatCountsAPromptInItsOwnWayGetsNothingOnTop) {
  struct Whole final : TokenCounter {
    TokenCounterInfo info() const override { return {{}, true, false, true}; }
    std::int64_t count(std::string_view text) const override { return static_cast<std::int64_t>(text.size()); }
    std::int64_t count_prompt(const std::vector<ConversationMessage>& messages) const override {
      return TokenCounter::count_prompt(messages) + 20;
    }
  };
  const ModelTokenCounter counter(std::make_shared<Whole>(), "qwen2.5-7b-instruct");
  EXPECT_EQ(counter.request_overhead(), 0);
  EXPECT_EQ(counter.count_prompt({{Role::user, "hi"}}), 3 + 6 + 20);
  EXPECT_TRUE(counter.info().framing_exact);
}

TEST(ModelTokenCounterTest, APromptIsTheSumOfItsMessagesWithMediaAndMarkup) {
  for (const char* const model : {"gpt-4o", "llama3.1:8b"}) {
    const auto counter = counter_for(model);
    const std::vector<ConversationMessage> said{{Role::user, "12345678"}, showing(picture), {Role::assistant, "ho"}};
    auto sum = counter.reply_priming_tokens();
    for (const auto& message : said) sum += counter.count_message(message);
    EXPECT_EQ(counter.count_prompt(said), sum) << model;
  }
}

TEST(ModelTokenCounterTest, WithoutACounterThereIsNone) {
  EXPECT_EQ(make_model_token_counter(nullptr, "gpt-4o"), nullptr);
}

}  // namespace
}  // namespace ctxmgr
