#include "engine/build/analysis_cache.hpp"

#include "engine/history/known_messages.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

class AnalysisCacheTest : public ::testing::Test {
 protected:
  std::unique_ptr<KnownThread> thread(const std::string& text) {
    auto known = std::make_unique<KnownThread>();
    EXPECT_TRUE(known->analysis.extend({{Role::user, text}}, *counter_));
    return known;
  }
  static std::vector<std::uint64_t> hashes_of(const std::string& text) {
    return KnownMessages().hashes({{Role::user, text}});
  }
  std::unique_ptr<ArtifactSet> set(std::size_t count) {
    while (documents_.size() < count)
      documents_.push_back(std::make_unique<Artifact>(make_document(std::to_string(documents_.size()), "text")));
    std::vector<Item> items;
    for (std::size_t i = 0; i < count; ++i) items.push_back({documents_[i].get()});
    auto made = std::make_unique<ArtifactSet>();
    const CallOptions call;
    Pace pace(call, *clock_);
    made->update(items, fingerprints(items), *counter_, pace);
    return made;
  }

  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  std::vector<std::unique_ptr<Artifact>> documents_;
  AnalysisCache cache_{1 << 20};
};

TEST_F(AnalysisCacheTest, GivesAThreadOutToOneBuildOfItsVocabulary) {
  cache_.put_thread(thread("a"), "o200k");
  EXPECT_EQ(cache_.take_beginning(hashes_of("a"), "cl100k"), nullptr);
  EXPECT_EQ(cache_.take_beginning(hashes_of("b"), "o200k"), nullptr);
  EXPECT_NE(cache_.take_beginning(hashes_of("a"), "o200k"), nullptr);
  EXPECT_EQ(cache_.take_beginning(hashes_of("a"), "o200k"), nullptr);
}

TEST_F(AnalysisCacheTest, FindsTheLongestBeginningOfAThreadByItsMessages) {
  const std::vector<ConversationMessage> messages = {{Role::user, "a"}, {Role::assistant, "b"}, {Role::user, "c"}};
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}}) {
    auto thread = std::make_unique<KnownThread>();
    ASSERT_TRUE(
        thread->analysis.extend({messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(size)}, *counter_));
    cache_.put_thread(std::move(thread), "t");
  }
  const auto hashes = KnownMessages().hashes(messages);
  EXPECT_EQ(cache_.take_beginning(KnownMessages().hashes({{Role::user, "other"}, {Role::assistant, "b"}}), "t"),
            nullptr);
  EXPECT_EQ(cache_.take_beginning(hashes, "other"), nullptr);
  const auto best = cache_.take_beginning(hashes, "t");
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->analysis.size(), 2U);
  EXPECT_EQ(cache_.take_beginning(hashes, "t")->analysis.size(), 1U);
  EXPECT_EQ(cache_.take_beginning(hashes, "t"), nullptr);
}

TEST_F(AnalysisCacheTest, KeepsOneOfEach) {
  cache_.put_thread(thread("a"), "o200k");
  cache_.put_thread(thread("a"), "o200k");
  EXPECT_NE(cache_.take_beginning(hashes_of("a"), "o200k"), nullptr);
  EXPECT_EQ(cache_.take_beginning(hashes_of("a"), "o200k"), nullptr);
}

TEST_F(AnalysisCacheTest, FindsTheLongestBeginningOfAList) {
  const auto chain = set(4)->chain();
  cache_.put_artifacts(set(1), "t");
  cache_.put_artifacts(set(3), "t");
  const auto best = cache_.take_artifacts(chain, "t");
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->size(), 3U);
  EXPECT_EQ(cache_.take_artifacts(chain, "t")->size(), 1U);
  EXPECT_EQ(cache_.take_artifacts(chain, "t"), nullptr);
}

TEST_F(AnalysisCacheTest, ForgetsTheLeastRecentlyUsedAndWhatIsTooLarge) {
  const auto bytes = thread("a")->bytes();
  AnalysisCache small(bytes * 2);
  for (const char* name : {"a", "b", "c"}) small.put_thread(thread(name), "t");
  EXPECT_EQ(small.take_beginning(hashes_of("a"), "t"), nullptr);
  EXPECT_NE(small.take_beginning(hashes_of("c"), "t"), nullptr);
  AnalysisCache none(0);
  none.put_thread(thread("a"), "t");
  EXPECT_EQ(none.take_beginning(hashes_of("a"), "t"), nullptr);
}

TEST_F(AnalysisCacheTest, OfAThreadThatIsTooLargeTheIndexGoesLast) {
  std::vector<ConversationMessage> messages;
  for (int i = 0; i < 300; ++i)
    messages.push_back({Role::user, "The quince of " + std::to_string(i) + " stands here."});
  const auto indexed = [&] {
    auto known = std::make_unique<KnownThread>();
    EXPECT_TRUE(known->analysis.extend(messages, *counter_));
    const CallOptions call;
    Pace pace(call, *clock_);
    known->analysis.index_up_to(messages.size(), messages, pace);
    return known;
  };
  const auto kept_by = [&](std::size_t bytes) {
    AnalysisCache cache(bytes);
    auto analysis = indexed();
    cache.put_thread(std::move(analysis), "t");
    const auto kept = cache.take_beginning(KnownMessages().hashes(messages), "t");
    return kept == nullptr ? std::size_t{0} : kept->analysis.index().size();
  };
  auto searched = indexed();
  searched->analysis.forget_analyses();
  EXPECT_LT(searched->bytes(), indexed()->bytes());
  EXPECT_EQ(kept_by(searched->bytes()), messages.size());
  EXPECT_EQ(kept_by(searched->bytes() - 1), 0U);
}

}  // namespace
}  // namespace ctxmgr::engine
