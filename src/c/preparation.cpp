#include "c/preparation.hpp"

#include <utility>

#include "c/callbacks.hpp"
#include "core/json/json.hpp"

namespace ctxmgr::c {

std::string Preparation::next() {
  const std::scoped_lock lock(mutex_);
  std::string calls;
  for (const auto& pending : build_.next_calls()) {
    calls += calls.empty() ? "" : ",";
    calls += "{\"id\":" + std::to_string(pending.id) + ",\"request\":" + write_request(pending.request) + "}";
  }
  return "{\"calls\":[" + calls + "],\"done\":" + (build_.done() ? "true" : "false") + "}";
}

Result<void> Preparation::reply(std::uint64_t id, ctxmgr_code code, std::string_view text) {
  auto response =
      code == CTXMGR_OK ? read_completion(std::string(text)) : Result<LlmResponse>(failed(code, "model", text));
  const std::scoped_lock lock(mutex_);
  Result<void> taken;
  if (code == CTXMGR_OK && !response) taken = tl::unexpected(response.error());
  build_.reply(static_cast<std::size_t>(id), std::move(response));
  return taken;
}

std::string write_usage(const UsageMetadata& usage) {
  return dump_json({{"calls", usage.calls},
                    {"prompt_tokens", usage.prompt_tokens},
                    {"completion_tokens", usage.completion_tokens},
                    {"total_tokens", usage.total_tokens()}});
}

}  // namespace ctxmgr::c
