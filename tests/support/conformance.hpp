#pragma once
#include <string>
#include <vector>

#include "ctxmgr/ports/artifact_archive.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"

/// \file
/// Does an implementation keep its port's contract? As `ctxmgr/testing/conformance.hpp`, for the ports of which hosts write few.
namespace ctxmgr::testing {

[[nodiscard]] std::vector<std::string> check_token_counter(const TokenCounter& counter);

/// Cancellation, deadlines and the order of replies; makes about ten small calls.
[[nodiscard]] std::vector<std::string> check_llm_client(LlmClient& client);

[[nodiscard]] std::vector<std::string> check_embedder(Embedder& embedder);

[[nodiscard]] std::vector<std::string> check_artifact_archive(ArtifactArchive& archive);

}  // namespace ctxmgr::testing
