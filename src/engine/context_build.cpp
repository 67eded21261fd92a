#include "ctxmgr/engine/context_build.hpp"

#include <utility>

#include "engine/context_build_impl.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {

ContextBuild::ContextBuild(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ContextBuild::ContextBuild(ContextBuild&&) noexcept = default;
ContextBuild& ContextBuild::operator=(ContextBuild&&) noexcept = default;
ContextBuild::~ContextBuild() {
  if (impl_ && !impl_->broken) impl_->build.end();
}

engine::Fingerprint ContextBuild::Impl::shape_of(const Context& context) {
  engine::Fingerprint joined;
  const auto add = [&joined](const auto& parts) {
    const std::pair place(parts.data(), parts.size());
    joined = engine::fingerprint({reinterpret_cast<const char*>(&place), sizeof place}, joined);
  };
  add(context.conversation_history);
  add(context.artifacts);
  add(context.step_records);
  return joined;
}

engine::Fingerprint ContextBuild::Impl::fingerprint_of(const Context& context) {
  auto joined = shape_of(context);
  for (const auto& message : context.conversation_history) {
    joined = engine::message_fingerprint(message, joined);
    if (message.retention == Retention::pinned) joined = engine::fingerprint("pinned", joined);
  }
  for (const auto& artifact : context.artifacts) {
    for (const auto* text : {&artifact.artifact_id, &artifact.source, &artifact.content})
      joined = engine::fingerprint(*text, joined);
  }
  for (const auto& step : context.step_records) {
    joined = engine::fingerprint(step.thought, joined);
    for (const auto& result : step.tool_results) joined = engine::fingerprint(result.tool_name, joined);
  }
  return joined;
}

bool ContextBuild::Impl::is_usable(bool read_all) {
  if (broken) return false;
  if (build.has_read_all()) return true;
  const auto is_changed = guarded(
      [&]() -> Result<bool> { return shape_of(context) != shape || (read_all && fingerprint_of(context) != seen); });
  if (is_changed && !*is_changed) return true;
  broken = is_changed ? Error{ErrorCode::invalid_argument, "the context changed while it was built", {}}
                      : is_changed.error();
  return false;
}

std::vector<PendingCall> ContextBuild::next_calls() {
  if (!impl_ || !impl_->is_usable(false)) return {};
  auto calls = guarded([&]() -> Result<std::vector<PendingCall>> { return impl_->build.next_calls(); });
  if (calls) return *std::move(calls);
  impl_->broken = calls.error();
  return {};
}

void ContextBuild::reply(std::size_t id, Result<LlmResponse> response) {
  if (!impl_ || !impl_->is_usable(false)) return;
  const auto taken = guarded([&]() -> Result<void> {
    impl_->build.reply(id, std::move(response));
    return {};
  });
  if (!taken) impl_->broken = taken.error();
}

bool ContextBuild::done() const { return !impl_ || impl_->broken || impl_->build.done(); }

Result<BuiltContext> ContextBuild::finish() && {
  if (!impl_) return fail(ErrorCode::invalid_argument, "the build was finished before");
  const auto impl = std::move(impl_);
  if (!impl->is_usable(true)) return tl::unexpected(*impl->broken);
  return guarded([&] { return impl->build.finish(); });
}

}  // namespace ctxmgr
