#include "engine/planning/catalogue.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

class CatalogueTest : public ::testing::Test {
 protected:
  CatalogueTest() {
    for (const auto* id : {"low", "high", "middle"}) {
      artifacts_.push_back(make_document("source", std::string("content of ") + id));
      artifacts_.back().artifact_id = id;
    }
    ranked_.resize(3);
    ranked_[0].relevance = 0.1;
    ranked_[1].relevance = 0.9;
    ranked_[2].relevance = 0.5;
  }
  std::vector<std::string> ids(std::size_t most) {
    std::vector<std::string> ids;
    for (const auto& entry : catalogue(most)) ids.push_back(entry.artifact->artifact_id);
    return ids;
  }
  std::vector<CatalogueEntry> catalogue(std::size_t most) {
    std::vector<CatalogueEntry> entries;
    for (const auto& artifact : artifacts_) entries.push_back({&artifact, 10});
    return make_catalogue(std::move(entries), ranked_, most, cache_, "scope", {});
  }

  std::vector<Artifact> artifacts_;
  std::vector<RankedArtifact> ranked_;
  SummaryCache cache_;
};

TEST_F(CatalogueTest, TheMostRelevantComeFirstAndTheRestIsLeftOut) {
  EXPECT_EQ(ids(9), (std::vector<std::string>{"high", "middle", "low"}));
  EXPECT_EQ(ids(2), (std::vector<std::string>{"high", "middle"}));
  EXPECT_TRUE(ids(0).empty());
}

TEST_F(CatalogueTest, PassagesAreCutFromTheContentInTheirOrder) {
  ranked_[1].hits = {{{11, 4}, 0.9}, {{0, 7}, 0.4}};
  EXPECT_EQ(catalogue(1)[0].passages, (std::vector<std::string>{"high", "content"}));
}

TEST_F(CatalogueTest, APassageIsShownOnceAtTheMostRelevantThatHasIt) {
  ranked_[0].hits = {{{0, 7}, 0.9}, {{11, 3}, 0.5}};
  ranked_[1].hits = {{{0, 7}, 0.9}, {{0, 8}, 0.4}};
  const auto entries = catalogue(3);
  EXPECT_EQ(entries[0].passages, std::vector<std::string>{"content"});
  EXPECT_EQ(entries[2].passages, std::vector<std::string>{"low"});
}

TEST_F(CatalogueTest, FocusesOfCachedSummariesGoToTheirArtifact) {
  SummaryKey key;
  key.scope = "scope";
  key.content_hash = content_hash(artifacts_[2]);
  key.focus = "costs";
  key.model = "m";
  cache_.store(key, "A summary.");
  const auto entries = catalogue(3);
  EXPECT_TRUE(entries[0].focuses.empty());
  EXPECT_EQ(entries[1].focuses, std::vector<std::string>{"costs"});
}

}  // namespace
}  // namespace ctxmgr::engine
