#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/llm_client.hpp"

/// \file
/// Calls of a client that somebody else wrote, which may throw or miscount after all.
namespace ctxmgr {

/// The client; for null, one whose calls say so.
[[nodiscard]] inline std::shared_ptr<LlmClient> required(std::shared_ptr<LlmClient> client) {
  if (client) return client;
  return make_llm_client([](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
    return fail(ErrorCode::invalid_argument, "the decorator was made without a client");
  });
}

[[nodiscard]] inline Result<LlmResponse> complete_safely(LlmClient& client, const LlmRequest& request,
                                                         const CallOptions& call) {
  try {
    return client.complete(request, call);
  } catch (...) {
    return fail(ErrorCode::internal, "the LLM client threw an exception");
  }
}

[[nodiscard]] inline std::vector<Result<LlmResponse>> fail_all(std::size_t count, const Error& error) {
  return std::vector<Result<LlmResponse>>(count, Result<LlmResponse>(tl::unexpected<Error>(error)));
}

/// One result for each request, whatever the client does.
[[nodiscard]] inline std::vector<Result<LlmResponse>> complete_all_safely(LlmClient& client,
                                                                          const std::vector<LlmRequest>& requests,
                                                                          const CallOptions& call) {
  try {
    auto results = client.complete_all(requests, call);
    if (results.size() == requests.size()) return results;
  } catch (...) {
    return fail_all(requests.size(), {ErrorCode::internal, "the LLM client threw an exception", {}});
  }
  return fail_all(requests.size(), {ErrorCode::internal, "the LLM client miscounted its replies", {}});
}

/// The requests of the given indexes, to be asked again or elsewhere.
[[nodiscard]] inline std::vector<LlmRequest> requests_at(const std::vector<LlmRequest>& requests,
                                                         const std::vector<std::size_t>& indexes) {
  std::vector<LlmRequest> picked;
  picked.reserve(indexes.size());
  for (const auto index : indexes) picked.push_back(requests[index]);
  return picked;
}

}  // namespace ctxmgr
