#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/engine/planning_gate.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/compaction_hook.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/observer.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

/// The ports and settings of a `ContextManager`. Every field may stay as it is; then it needs no key, no server and no file.
struct ContextManagerOptions {
  /// Plans and summarises. Null: the deterministic planner and extracts.
  std::shared_ptr<LlmClient> client{};

  /// For each model the first counter of its vocabulary is used, else the first that serves any model. None: estimates.
  /// A request that names no model is counted by the first of all.
  std::vector<std::shared_ptr<TokenCounter>> token_counters{};

  /// Null: retrieval is lexical.
  std::shared_ptr<Embedder> embedder{};
  std::string embedding_model{};  ///< Name for its price; empty: embeddings cost nothing.

  /// Keeps summaries between builds and, if it is shared, between processes, for requests with a scope. Null: 64 MiB of memory.
  std::shared_ptr<KeyValueStore> summary_store{};
  std::chrono::milliseconds summary_ttl{3'600'000};
  std::string summary_secret{};  ///< Signs summaries; see `SummaryCacheOptions::secret`.

  GateThresholds gate{};  ///< When a planning call of `client` is worth it.

  std::shared_ptr<CompactionHook> compaction_hook{};  ///< Asked before and after each compaction. Null: nobody is.

  std::shared_ptr<Observer> observer{};  ///< Null: nobody is told.
  std::shared_ptr<Clock> clock{};        ///< Null: the machine's.
  ModelCatalog catalog{};

  /// Memory for token counts and search indexes of known texts. An embedder's vectors take half as much again. Where
  /// requests come as text, messages as they were read take as much again. Less memory means slower builds, never other ones.
  /// 64 MiB hold one thread of about 10 million tokens (40 MB of text), or several shorter ones. The least recently used go first.
  /// A thread that does not fit is indexed anew at each question. That takes a second of processor time for each million tokens
  /// instead of hundredths, so give such a thread 7 bytes a token.
  std::size_t analysis_cache_bytes = std::size_t{64} << 20;
};

}  // namespace ctxmgr
