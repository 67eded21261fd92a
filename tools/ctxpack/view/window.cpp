#include "view/window.hpp"

#include <algorithm>
#include <numeric>

namespace ctxpack::view {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::fixed: return "fixed";
    case Kind::notes: return "notes";
    case Kind::history: return "history";
    case Kind::evidence: return "evidence";
    case Kind::free: return "free";
  }
  return "unknown";
}

std::string_view meaning(Kind kind) {
  switch (kind) {
    case Kind::fixed: return "tools, instructions, pins, the question";
    case Kind::notes: return "what is remembered of messages that were cut";
    case Kind::history: return "messages as they were";
    case Kind::evidence: return "documents, results and excerpts chosen for the question";
    case Kind::free: return "of the budget, not used";
  }
  return "";
}

std::int64_t Window::total() const { return std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0}); }

Window window_of(const ctxmgr::ContextUtilizationMetadata& receipt) {
  // A receipt may come from a file, so nothing is taken for granted.
  const auto at_least_0 = [](std::int64_t value) { return std::clamp<std::int64_t>(value, 0, std::int64_t{1} << 40); };
  std::int64_t left = at_least_0(receipt.input_tokens_used);
  const auto take = [&](std::int64_t wanted) {
    const auto taken = std::min(at_least_0(wanted), left);
    left -= taken;
    return taken;
  };
  Window window;
  const auto set = [&](Kind kind, std::int64_t tokens) { window.tokens[static_cast<std::size_t>(kind)] = tokens; };
  set(Kind::fixed, take(receipt.fixed_tokens) + at_least_0(receipt.tools_tokens));
  set(Kind::notes, take(receipt.breakdown.notes_tokens));
  set(Kind::evidence, take(receipt.breakdown.artifact_tokens));
  set(Kind::history, left);
  set(Kind::free, at_least_0(at_least_0(receipt.messages_limit) - at_least_0(receipt.input_tokens_used)));
  return window;
}

}  // namespace ctxpack::view
