#include "engine/index/text_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/selection/corpus.hpp"
#include "engine/selection/selection_internal.hpp"

namespace ctxmgr::engine {
namespace {

std::vector<std::string> turns(std::size_t count) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back("user: message " + std::to_string(i) + " about topic" + std::to_string(i % 7) + " and invoice" +
                    std::to_string(i * 31 % 97));
  return texts;
}

ItemText turn(const std::string& text) {
  ItemText item;
  item.text = text;
  item.label_bytes = 6;
  item.speaker = Speaker::user;
  return item;
}

std::string answer(const TextIndex& index, std::size_t last, const std::vector<std::string>& texts) {
  SelectionRequest request;
  request.query = "invoice31 topic3";
  request.budget_tokens = 60;
  const auto counter = make_approximate_token_counter();
  const auto text = [&texts](std::size_t i) -> std::string_view { return texts[i]; };
  std::string result;
  for (const SelectedText& chosen : select({{&index, 0, last, text, {}}}, request, *counter).chosen)
    result += chosen.text + "\n";
  return result;
}

TEST(TextIndexTest, WhatComesAfterARangeDoesNotChangeIt) {
  const auto texts = turns(1500);
  TextIndex small;
  TextIndex large;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i < 700) small.append(turn(texts[i]));
    large.append(turn(texts[i]));
  }
  EXPECT_FALSE(answer(small, 700, texts).empty());
  EXPECT_EQ(answer(small, 700, texts), answer(large, 700, texts));
}

/// Whether a text is in a chat decides what hints count.
TEST(TextIndexTest, AResultBehindARangeDoesNotMakeAChatALoop) {
  TextIndex index;
  index.append(turn("user: hello"));
  ItemText result;
  result.text = "result";
  result.call = "read(a)";
  result.speaker = Speaker::tool;
  index.append(result);
  index.append(turn("user: thanks"));
  EXPECT_FALSE(index.answers_calls(0, 1));
  EXPECT_TRUE(index.answers_calls(0, 2));
  EXPECT_FALSE(index.answers_calls(2, 3));
  const std::vector<IndexSlice> before{{&index, 0, 1}};
  const std::vector<IndexSlice> all{{&index, 0, 3}};
  EXPECT_TRUE(Corpus(before).is_chat());
  EXPECT_FALSE(Corpus(all).is_chat());
}

TEST(TextIndexTest, FindsTheNewestAnswerOfACallBeforeAPosition) {
  TextIndex index;
  ItemText item;
  item.speaker = Speaker::tool;
  for (const char* call : {"read(a)", "read(b)", "read(a)"}) {
    item.text = "result";
    item.call = call;
    index.append(item);
  }
  const Term call = hash_term("read(a)");
  EXPECT_EQ(index.newest_answer(call, 3), 2U);
  EXPECT_EQ(index.newest_answer(call, 2), 0U);
  EXPECT_EQ(index.newest_answer(hash_term("read(c)"), 3), 3U);
}

TEST(TextIndexTest, PostingsAreAscendingAcrossSegments) {
  const auto texts = turns(1200);
  TextIndex index;
  for (const std::string& text : texts) index.append(turn(text));
  std::vector<std::size_t> chunks;
  index.for_each_posting(hash_term("topic3"), 100, 1100, [&](std::size_t chunk, float) { chunks.push_back(chunk); });
  ASSERT_FALSE(chunks.empty());
  EXPECT_TRUE(std::is_sorted(chunks.begin(), chunks.end()));
  EXPECT_GE(chunks.front(), 100U);
  EXPECT_LT(chunks.back(), 1100U);
}

TEST(TextIndexTest, WhatIsForgottenIsAnalysedAgainForFewItemsAndTheSelectionIsTheSame) {
  const auto texts = turns(1500);
  TextIndex full;
  TextIndex lean;
  for (const std::string& text : texts) {
    full.append(turn(text));
    lean.append(turn(text));
    lean.forget_all_but_newest(100);
  }
  EXPECT_LT(lean.bytes() * 2, full.bytes());
  EXPECT_EQ(lean.item(1399), nullptr);
  EXPECT_NE(lean.item(1400), nullptr);

  std::map<std::size_t, ItemAnalysis> again;
  TermAnalyzer analyzer;
  const auto text = [&texts](std::size_t i) -> std::string_view { return texts[i]; };
  IndexSlice slice{&lean, 0, texts.size(), text, {}};
  slice.analysis = [&](std::size_t i) -> const ItemAnalysis& {
    if (again.count(i) == 0) again.emplace(i, analyze_item(turn(texts[i]), analyzer));
    return again.at(i);
  };
  SelectionRequest request;
  request.query = "invoice31 topic3";
  request.budget_tokens = 60;
  std::string result;
  for (const SelectedText& chosen : select({slice}, request, *make_approximate_token_counter()).chosen)
    result += chosen.text + "\n";
  EXPECT_FALSE(result.empty());
  EXPECT_EQ(result, answer(full, texts.size(), texts));
  EXPECT_LT(again.size(), 300U);
}

TEST(TextIndexTest, AnIndexThatIsSearchedItemByItemForgetsNothing) {
  TextIndex index;
  for (const std::string& text : turns(20)) index.append(turn(text));
  index.forget_all_but_newest(5);
  EXPECT_NE(index.item(0), nullptr);
}

}  // namespace
}  // namespace ctxmgr::engine
