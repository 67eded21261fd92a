#include "engine/build/verify.hpp"

#include <utility>

#include "core/shaped_messages.hpp"
#include "core/worded.hpp"

namespace ctxmgr::engine {
namespace {

constexpr int most_corrections = 8;

/// How many messages of the new list are made of the first `count` alone.
std::size_t place_of(std::size_t count, const std::vector<std::size_t>& places) {
  if (count == 0) return 0;
  const bool is_shared = count < places.size() && places[count] == places[count - 1];
  return places[count - 1] + (is_shared ? 0 : 1);
}

/// In the shape that the service demands. A message that joins one before it is not stable before it is there.
Assembly shaped(Assembly assembly, const MessageShape& shape) {
  if (!shape.demands_anything()) return assembly;
  auto in_shape = shape_with_places(std::move(assembly.messages), shape);
  const auto& places = in_shape.places;
  assembly.leading = place_of(assembly.leading, places);
  assembly.stable = place_of(assembly.stable, places);
  for (auto* const at : {&assembly.notes_at, &assembly.block_at, &assembly.steps_at}) {
    if (*at) *at = places[**at];
  }
  for (auto& at : assembly.evidence_at) at = places[at];
  for (auto& at : assembly.behind_at) at = places[at];
  assembly.messages = std::move(in_shape.messages);
  return assembly;
}

}  // namespace

AssemblySource source_of(const BuildInputs& inputs, const Prepared& prepared) {
  return {inputs.context,    prepared.thread(),          *prepared.suffixes, *prepared.views,
          *prepared.counter, prepared.gathered.question, &inputs.put_in};
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
    verified.assembly = shaped(assemble(parts, source), input.prepared.shape);
    verified.tokens = count_messages(*input.prepared.counter, verified.assembly.messages);
    if (verified.tokens <= most) return verified;
    limit -= verified.tokens - most;
  }
  return fail(ErrorCode::budget_exceeded,
              worded("the messages cannot be brought under {} tokens by this counter", most));
}

}  // namespace ctxmgr::engine
