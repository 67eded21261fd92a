#include "ctxmgr/engine/retriever.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/index/analysis_memo.hpp"
#include "engine/index/artifact_item.hpp"
#include "engine/index/lending_cache.hpp"
#include "engine/selection/embedding_run.hpp"
#include "engine/selection/selection_internal.hpp"

namespace ctxmgr {
namespace {

// A shorter list is indexed as fast as it is looked up.
constexpr std::size_t least_kept_items = 64;

/// An index and what each of its items was made from, as `AnalysisMemo::key` gives it.
struct KeyedIndex {
  engine::TextIndex index{};
  std::vector<engine::Fingerprint> keys{};
};

bool begin_alike(const std::vector<engine::Fingerprint>& a, const std::vector<engine::Fingerprint>& b) {
  const auto common = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return std::equal(a.begin(), a.begin() + common, b.begin());
}

}  // namespace

class Retriever::Impl {
 public:
  explicit Impl(std::size_t cache_bytes) : memo_(cache_bytes), indexes_(cache_bytes), vectors_(cache_bytes) {}

  /// The analysis of one artifact as an index.
  engine::TextIndex index(const Artifact& artifact) {
    engine::TextIndex index;
    engine::TermAnalyzer analyzer;
    const engine::ArtifactItem item(artifact);
    engine::ItemText text = item.text();
    auto analysis = memo_.get(text, memo_.key(text), analyzer);
    if (analysis->short_turn) {  // Less than the whole is asked for: then its sentences are the pieces.
      text.speaker = engine::Speaker::document;
      analysis = memo_.get(text, memo_.key(text), analyzer);
    }
    index.append(std::move(analysis));
    return index;
  }

  /// Calls `use` with an index that begins with these artifacts.
  template <class Use>
  auto with_index(const std::vector<Artifact>& artifacts, Use use) {
    std::vector<engine::Fingerprint> keys;
    keys.reserve(artifacts.size());
    for (const Artifact& artifact : artifacts) keys.push_back(memo_.key(engine::ArtifactItem(artifact).text()));
    auto kept = take_index(keys);
    engine::TermAnalyzer analyzer;
    for (std::size_t i = kept->keys.size(); i < keys.size(); ++i) {
      kept->index.append(memo_.get(engine::ArtifactItem(artifacts[i]).text(), keys[i], analyzer));
      kept->keys.push_back(keys[i]);
    }
    auto result = use(kept->index);
    const auto are_same = [](const auto& a, const auto& b) { return begin_alike(a->keys, b->keys); };
    const auto bytes = kept->index.bytes();
    if (kept->keys.size() >= least_kept_items) indexes_.put(std::move(kept), bytes, are_same);
    return result;
  }

  engine::VectorMemo& vectors() { return vectors_; }

 private:
  /// Of the first of these items, of all of them, or of all and some that come after them: a list that has grown costs its new
  /// items only.
  std::unique_ptr<KeyedIndex> take_index(const std::vector<engine::Fingerprint>& keys) {
    const auto fit = [&](const auto& kept) { return begin_alike(kept->keys, keys) ? kept->keys.size() : 0; };
    auto kept = keys.size() >= least_kept_items ? indexes_.take(fit) : std::nullopt;
    return kept ? *std::move(kept) : std::make_unique<KeyedIndex>();
  }

  engine::AnalysisMemo memo_;
  engine::LendingCache<std::unique_ptr<KeyedIndex>> indexes_;
  engine::VectorMemo vectors_;
};

Retriever::Retriever(std::size_t cache_bytes) : impl_(std::make_unique<Impl>(cache_bytes)) {}
Retriever::Retriever(Retriever&&) noexcept = default;
Retriever& Retriever::operator=(Retriever&&) noexcept = default;
Retriever::~Retriever() = default;

Selection Retriever::select(const std::vector<Artifact>& artifacts, const SelectionRequest& request,
                            const TokenCounter& counter) const {
  std::optional<engine::EmbeddingRun> embeddings;
  if (request.embedder != nullptr) embeddings.emplace(*request.embedder, impl_->vectors(), request.call);
  return impl_->with_index(artifacts, [&](const engine::TextIndex& index) {
    auto selection = engine::select(engine::slices_of(index, artifacts, request), request, counter,
                                    embeddings ? &*embeddings : nullptr);
    if (!embeddings) return selection;
    selection.embedder_usage = embeddings->take_usage();
    selection.embedder_error = embeddings->failure();
    return selection;
  });
}

std::vector<RankedArtifact> Retriever::rank(const std::vector<Artifact>& artifacts, std::string_view query,
                                            const std::vector<std::string>& hints, std::size_t max_hits) const {
  const auto text = [&artifacts](std::size_t i) -> std::string_view { return artifacts[i].content; };
  return impl_->with_index(artifacts, [&](const engine::TextIndex& index) {
    return engine::rank({{&index, 0, artifacts.size(), text, {}}}, query, hints, max_hits);
  });
}

SelectedText Retriever::extract(const Artifact& artifact, std::string_view query, std::int64_t target_tokens,
                                const TokenCounter& counter) const {
  if (const std::int64_t whole = counter.count(artifact.content); whole <= target_tokens) {
    SelectedText full;
    full.view = ArtifactView::full;
    full.text = artifact.content;
    full.spans.push_back({0, artifact.content.size()});
    full.tokens = whole;
    full.relevance = 1;
    full.reason = "fits";
    return full;
  }
  return summarize(artifact, query, target_tokens, counter);
}

SelectedText Retriever::summarize(const Artifact& artifact, std::string_view focus, std::int64_t target_tokens,
                                  const TokenCounter& counter) const {
  const engine::TextIndex index = impl_->index(artifact);
  SelectionRequest request;
  request.query = focus;
  request.budget_tokens = target_tokens;
  const auto text = [&artifact](std::size_t) -> std::string_view { return artifact.content; };
  Selection selection = engine::select({{&index, 0, 1, text, {}}}, request, counter);
  return selection.chosen.empty() ? SelectedText{} : std::move(selection.chosen.front());
}

}  // namespace ctxmgr
