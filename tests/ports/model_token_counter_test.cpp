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

TEST(ModelTokenCounterTest, WithoutACounterThereIsNone) {
  EXPECT_EQ(make_model_token_counter(nullptr, "gpt-4o"), nullptr);
}

}  // namespace
}  // namespace ctxmgr
