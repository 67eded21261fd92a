#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"

/// \file
/// Does an implementation keep its port's contract? For any test framework: each function returns a line for every
/// promise that is broken, and nothing where all are kept.
///
///     EXPECT_EQ(check_key_value_store([] { return std::make_unique<MyStore>(); }), std::vector<std::string>{});
namespace ctxmgr::testing {

/// `make` opens an empty store each time. Several threads; a few seconds. `sleep` lets expiry be checked: it must make
/// the store's time pass (default: it really sleeps, 150 ms at most).
[[nodiscard]] CTXMGR_API std::vector<std::string> check_key_value_store(
    const std::function<std::unique_ptr<KeyValueStore>()>& make,
    const std::function<void(std::chrono::milliseconds)>& sleep = {});

/// `make` opens an empty store each time. Several threads; a few seconds.
[[nodiscard]] CTXMGR_API std::vector<std::string> check_conversation_store(
    const std::function<std::unique_ptr<ConversationStore>()>& make);

[[nodiscard]] CTXMGR_API std::vector<std::string> check_token_counter(const TokenCounter& counter);

/// Cancellation, deadlines and the order of replies; makes about ten small calls.
[[nodiscard]] CTXMGR_API std::vector<std::string> check_llm_client(LlmClient& client);

[[nodiscard]] CTXMGR_API std::vector<std::string> check_embedder(Embedder& embedder);

[[nodiscard]] CTXMGR_API std::vector<std::string> check_artifact_archive(ArtifactArchive& archive);

}  // namespace ctxmgr::testing
