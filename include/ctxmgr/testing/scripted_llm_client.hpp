#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/llm_client.hpp"

namespace ctxmgr::testing {

/// A client that gives the replies that a test told it, in the order of the requests, and remembers the requests. When it
/// has nothing left to say, it answers `unavailable`. It never waits; a cancelled call is answered `cancelled`.
/// Thread-safety: all methods may be called from several threads at once.
class CTXMGR_API ScriptedLlmClient final : public LlmClient {
 public:
  ScriptedLlmClient();
  ~ScriptedLlmClient() override;

  ScriptedLlmClient& then_reply(std::string text);
  ScriptedLlmClient& then_reply(LlmResponse response);
  ScriptedLlmClient& then_fail(Error error);

  /// Everything asked so far, oldest first.
  [[nodiscard]] std::vector<LlmRequest> requests() const;

  [[nodiscard]] Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override;

  /// One after the other, so that the i-th line answers the i-th request.
  [[nodiscard]] std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                              const CallOptions& call) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ctxmgr::testing
