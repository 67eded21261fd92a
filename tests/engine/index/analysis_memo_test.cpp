#include "engine/index/analysis_memo.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace ctxmgr::engine {
namespace {

class AnalysisMemoTest : public ::testing::Test {
 protected:
  static ItemText text(std::string_view words) {
    ItemText item;
    item.text = words;
    return item;
  }
  std::shared_ptr<const ItemAnalysis> get(const ItemText& item) { return get(item, memo_); }
  std::shared_ptr<const ItemAnalysis> get(const ItemText& item, AnalysisMemo& memo) {
    return memo.get(item, memo.key(item), analyzer_);
  }

  TermAnalyzer analyzer_;
  AnalysisMemo memo_{1 << 20};
};

TEST_F(AnalysisMemoTest, AnalysesAContentOnce) {
  const std::string again = "alpha beta";
  EXPECT_EQ(get(text("alpha beta")), get(text(again)));
  EXPECT_NE(get(text("alpha beta")), get(text("alpha beta ")));
}

TEST_F(AnalysisMemoTest, WhateverTheAnalysisDependsOnIsPartOfTheKey) {
  const auto plain = get(text("user: alpha"));
  ItemText other = text("user: alpha");
  other.label_bytes = 6;
  EXPECT_NE(get(other), plain);
  other = text("user: alpha");
  other.format = ContentFormat::code;
  EXPECT_NE(get(other), plain);
  other = text("user: alpha");
  other.speaker = Speaker::tool;
  EXPECT_NE(get(other), plain);
  other = text("user: alpha");
  other.trust = Trust::trusted;
  EXPECT_NE(get(other), plain);
  other = text("user: alpha");
  other.language = Language::english;
  EXPECT_NE(get(other), plain);
}

TEST_F(AnalysisMemoTest, TitleCallAndTextAreToldApart) {
  ItemText title = text("c");
  title.title = "ab";
  ItemText call = text("c");
  call.call = "ab";
  ItemText both = text("c");
  both.title = "a";
  both.call = "b";
  EXPECT_NE(memo_.key(title), memo_.key(call));
  EXPECT_NE(memo_.key(title), memo_.key(both));
  EXPECT_NE(memo_.key(title), memo_.key(text("abc")));
}

TEST_F(AnalysisMemoTest, TwoMemosHaveDifferentKeys) { EXPECT_NE(memo_.key(text("a")), AnalysisMemo(1).key(text("a"))); }

TEST(AnalysisMemoThreadsTest, ServesSeveralThreads) {
  AnalysisMemo memo(1 << 14);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&memo] {
      TermAnalyzer analyzer;
      for (int i = 0; i < 200; ++i) {
        const std::string words = "alpha beta " + std::to_string(i % 40);
        ItemText item;
        item.text = words;
        EXPECT_EQ(memo.get(item, memo.key(item), analyzer)->text_bytes, words.size());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(memo.bytes(), std::size_t{1} << 14);
}

}  // namespace
}  // namespace ctxmgr::engine
