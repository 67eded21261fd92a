#include "ctxmgr/ports/cached_embedder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/sqlite/temporary_file.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {
namespace {

/// What is about vehicles lies in one direction, all else in another.
Embeddings by_vehicle(const std::vector<std::string_view>& texts) {
  Embeddings embeddings{"vehicles", {}, {}};
  for (const std::string_view text : texts) {
    const bool vehicle = text.find("car") != std::string_view::npos || text.find("lorry") != std::string_view::npos;
    embeddings.vectors.push_back(vehicle ? std::vector<float>{0.8F, 0.6F} : std::vector<float>{-0.6F, 0.8F});
  }
  return embeddings;
}

/// A process: everything anew but the file.
class Process {
 public:
  explicit Process(const std::string& path) {
    SqliteOptions options;
    options.path = path;
    embedder_ = make_cached_embedder(make_embedder([this](const auto& texts, EmbeddingInput input, const CallOptions&) {
                                       if (input == EmbeddingInput::passage) passages += texts.size();
                                       return by_vehicle(texts);
                                     }),
                                     {make_sqlite_key_value_store(options).value()});
  }

  Selection select(const std::vector<Artifact>& artifacts) {
    SelectionRequest request;
    request.query = "car";
    request.budget_tokens = 60;
    request.embedder = embedder_.get();
    return Retriever().select(artifacts, request, *make_approximate_token_counter());
  }

  std::size_t passages = 0;

 private:
  std::unique_ptr<Embedder> embedder_;
};

TEST(SqliteCachedEmbedderTest, AnIndexSurvivesARestart) {
  const testing::TemporaryDirectory directory;
  std::vector<Artifact> artifacts;
  for (int i = 0; i < 1'000; ++i) {
    Artifact artifact;
    artifact.artifact_id = std::to_string(i);
    artifact.content =
        i == 417 ? "The lorry was loaded in the morning." : "Note " + std::to_string(i) + " is on boats.";
    artifacts.push_back(std::move(artifact));
  }
  const auto first = Process(directory.file("vectors.db")).select(artifacts);
  Process second(directory.file("vectors.db"));
  const auto again = second.select(artifacts);
  EXPECT_EQ(second.passages, 0U);
  ASSERT_FALSE(again.chosen.empty());
  EXPECT_TRUE(std::any_of(again.chosen.begin(), again.chosen.end(), [](const auto& c) { return c.index == 417; }));
  ASSERT_EQ(again.chosen.size(), first.chosen.size());
  for (std::size_t i = 0; i < again.chosen.size(); ++i) EXPECT_EQ(again.chosen[i].text, first.chosen[i].text);
}

}  // namespace
}  // namespace ctxmgr
