#include "engine/build/verify.hpp"

#include <fmt/format.h>

#include <utility>

namespace ctxmgr::engine {
namespace {

constexpr int most_corrections = 8;

}  // namespace

AssemblySource source_of(const BuildInputs& inputs, const Prepared& prepared) {
  return {inputs.context,  prepared.thread(), *prepared.suffixes,
          *prepared.views, *prepared.counter, prepared.gathered.question};
}

Result<Verified> verify(const FillInput& input, Filled filled) {
  Verified verified;
  verified.filled = std::move(filled);
  auto& parts = verified.filled.parts;
  const auto source = source_of(input.inputs, input.prepared);
  const auto smaller = [&](const BlockEntry& entry, std::int64_t tokens) {
    return smaller_entry(input, entry, tokens, verified.filled);
  };
  const auto most = input.prepared.budget.max_input;
  auto limit = most;
  for (int correction = 0; correction < most_corrections; ++correction) {
    if (shrink_to(limit, parts, source, input.outcome.least_important_first, smaller) > 0) verified.stepped_down = true;
    verified.assembly = assemble(parts, source);
    verified.tokens = count_messages(*input.prepared.counter, verified.assembly.messages);
    if (verified.tokens <= most) return verified;
    limit -= verified.tokens - most;
  }
  return fail(ErrorCode::budget_exceeded,
              fmt::format("the messages cannot be brought under {} tokens by this counter", most));
}

}  // namespace ctxmgr::engine
