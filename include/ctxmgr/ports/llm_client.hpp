#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/usage.hpp"

namespace ctxmgr {

/// Why a call is made, so that clients and decorators can route, limit and bill by it.
enum class LlmPurpose { host, context_planning, summarization };
[[nodiscard]] CTXMGR_API std::string_view to_string(LlmPurpose value);

/// One chat completion. A plain value: it can be logged, recorded and compared.
struct LlmRequest {
  std::string model{};  ///< Empty: the client's own.
  std::vector<ConversationMessage> messages{};
  std::vector<ToolDefinition> tools{};

  /// JSON Schema of the reply, as JSON text; empty: free text. A client asks for it as strictly as its service can
  /// (strict schema, JSON mode, or not at all) and does not validate: whoever asked does.
  std::string response_schema_json{};

  std::optional<double> temperature{};  ///< A client leaves it out for a model that refuses it.
  std::optional<std::int64_t> max_output_tokens{};
  std::string extra_body_json{};  ///< JSON object merged into the request body, for fields that are not here.
  LlmPurpose purpose = LlmPurpose::host;
  std::string scope{};  ///< Whose data it is (`BuildRequest::scope`), for limits and bills by tenant. Never sent.
};

enum class FinishReason { stop, length, tool_calls, refusal, other };
[[nodiscard]] CTXMGR_API std::string_view to_string(FinishReason value);

struct LlmResponse {
  ConversationMessage message{};  ///< Role assistant; with `refusal`, the model's words.
  FinishReason finish_reason = FinishReason::stop;
  UsageMetadata usage{};  ///< Zero where the service does not report it; `calls` is 1.
  std::string model{};    ///< The model that answered.
};

/// Port: a language model. Called by `ContextManager` (plan, summaries) and `Workflow`, from several threads at once.
///
/// An implementation does not throw. It returns `cancelled` within 100 ms of cancellation, and `deadline_exceeded` no later
/// than 250 ms after the deadline. It tells passing failures (`unavailable`) from lasting ones (`denied`,
/// `context_length_exceeded`). A refusal by the model is a response. Retries belong here or into a decorator: those who
/// call make each call once.
class CTXMGR_API LlmClient {
 public:
  LlmClient() = default;
  LlmClient(const LlmClient&) = delete;
  LlmClient& operator=(const LlmClient&) = delete;
  virtual ~LlmClient();

  [[nodiscard]] virtual Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) = 0;

  /// All requests, at the same time where possible; the i-th result answers the i-th request, and a failure does not
  /// stop the others. The default calls `complete` from up to 8 threads. Override it to multiplex or to batch.
  [[nodiscard]] virtual std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                                      const CallOptions& call);
};

/// A client from a function that keeps the contract above, except that it may throw (`internal`).
/// `max_parallel` bounds `complete_all`: 1 for a model that runs in this process.
[[nodiscard]] CTXMGR_API std::unique_ptr<LlmClient> make_llm_client(
    std::function<Result<LlmResponse>(const LlmRequest&, const CallOptions&)> complete, std::size_t max_parallel = 8);

}  // namespace ctxmgr
