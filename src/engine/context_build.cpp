#include "ctxmgr/engine/context_build.hpp"

#include <utility>

#include "engine/context_build_impl.hpp"

namespace ctxmgr {

ContextBuild::ContextBuild(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ContextBuild::ContextBuild(ContextBuild&&) noexcept = default;
ContextBuild& ContextBuild::operator=(ContextBuild&&) noexcept = default;
ContextBuild::~ContextBuild() = default;

std::vector<PendingCall> ContextBuild::next_calls() {
  return impl_ ? impl_->state.next_calls() : std::vector<PendingCall>();
}

void ContextBuild::reply(std::size_t id, Result<LlmResponse> response) {
  if (impl_) impl_->state.reply(id, std::move(response));
}

bool ContextBuild::done() const { return !impl_ || impl_->state.done(); }

Result<BuiltContext> ContextBuild::finish() && {
  if (!impl_) return fail(ErrorCode::invalid_argument, "the build was finished before");
  const auto impl = std::move(impl_);
  return impl->state.finish();
}

}  // namespace ctxmgr
