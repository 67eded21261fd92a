#include "ctxmgr/engine/context_build.hpp"

#include <utility>

#include "engine/context_build_impl.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {

ContextBuild::ContextBuild(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ContextBuild::ContextBuild(ContextBuild&&) noexcept = default;
ContextBuild& ContextBuild::operator=(ContextBuild&&) noexcept = default;
ContextBuild::~ContextBuild() = default;

std::vector<PendingCall> ContextBuild::next_calls() {
  if (!impl_ || impl_->broken) return {};
  auto calls = guarded([&]() -> Result<std::vector<PendingCall>> { return impl_->build.next_calls(); });
  if (calls) return *std::move(calls);
  impl_->broken = calls.error();
  return {};
}

void ContextBuild::reply(std::size_t id, Result<LlmResponse> response) {
  if (!impl_ || impl_->broken) return;
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
  if (impl->broken) return tl::unexpected(*impl->broken);
  return guarded([&] { return impl->build.finish(); });
}

}  // namespace ctxmgr
