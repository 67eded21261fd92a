#include "ctxmgr/engine/context_manager.hpp"

#include <algorithm>
#include <utility>

#include "engine/build/build_services.hpp"
#include "engine/build/list_memo.hpp"
#include "engine/build/prepare.hpp"
#include "engine/context_build_impl.hpp"
#include "engine/summaries/client_calls.hpp"
#include "ports/deadline.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {

/// For functions of the library that are no members of the manager.
const std::shared_ptr<const engine::BuildServices>& services_of(const ContextManager& manager);

struct ContextManager::Impl {
  std::shared_ptr<const engine::BuildServices> services;

  static const Impl& of(const ContextManager& manager) { return *manager.impl_; }
  friend const std::shared_ptr<const engine::BuildServices>& services_of(const ContextManager& manager) {
    return of(manager).services;
  }
};

namespace {

/// Longer than any build; keeps points in time in range.
constexpr std::chrono::milliseconds longest_limit = std::chrono::hours(24 * 365);

/// The planner's own time limit, within the caller's deadline.
CallOptions limited(CallOptions call, const Clock& clock, std::chrono::milliseconds limit) {
  const auto latest = clock.steady_now() + std::clamp(limit, std::chrono::milliseconds(0), longest_limit);
  call.deadline = call.deadline ? std::min(*call.deadline, latest) : latest;
  return call;
}

/// One round: everything that can be asked now, at the same time. Summaries that other builds make are waited for after
/// this build's own calls, so that two builds never wait for each other.
void run_round(engine::Build& build, const engine::BuildServices& services, const BuildRequest& request) {
  const auto& call = build.asking();
  const auto pending = build.next_calls();
  if (pending.empty()) return build.wait_for_others();
  const bool planning = pending.front().request.purpose == LlmPurpose::context_planning;
  const auto limit = planning ? limited(call, *services.options.clock, request.planning.planner_timeout) : call;
  const engine::CallListener listener{services.options.observer.get(), request.scope};
  engine::answer_all(*services.options.client, pending, limit, listener,
                     [&](std::size_t id, Result<LlmResponse> response) { build.reply(id, std::move(response)); });
}

/// Summaries for a compaction have to be kept until it comes.
Result<void> check_scope(const engine::BuildServices& services, const BuildRequest& request) {
  if (!engine::may_use_models(request) || services.keeps_summaries(request.scope)) return {};
  return fail(ErrorCode::invalid_argument,
              "scope: is empty. The summary store keeps no summary without one: name the session or the tenant");
}

/// What a compaction hides is found by one.
BuildRequest compacted_now(BuildRequest request) {
  request.compact_now = true;
  return request;
}

}  // namespace

ContextManager::ContextManager() : ContextManager(ContextManagerOptions{}) {}

ContextManager::ContextManager(ContextManagerOptions options)
    : impl_(std::make_shared<const Impl>(Impl{std::make_shared<const engine::BuildServices>(std::move(options))})) {}

const ModelCatalog& ContextManager::catalog() const { return impl_->services->options.catalog; }

engine::ListMemo& lists_of(const ContextManager& manager) { return services_of(manager)->lists; }

Result<BuiltContext> build_known(const ContextManager& manager, const Context& context, const BuildRequest& request,
                                 const CallOptions& call, std::shared_ptr<engine::KnownMessages> known) {
  const auto& services = *services_of(manager);
  const auto caller = services.options.client ? engine::Caller::blocks : engine::Caller::nobody;
  return guarded([&]() -> Result<BuiltContext> {
    engine::Build running({context, request, services_of(manager), call, caller, nullptr, {}, std::move(known)});
    if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "the build was cancelled");
    if (auto prepared = running.prepare(); !prepared) return tl::unexpected(prepared.error());
    while (!running.done() && !call.cancellation.is_cancelled() &&
           !is_over(running.asking(), *services.options.clock)) {
      run_round(running, services, request);
    }
    return running.finish();
  });
}

Observer* ContextManager::observer() const { return impl_->services->options.observer.get(); }

Result<BuiltContext> ContextManager::build(const Context& context, const BuildRequest& request,
                                           const CallOptions& call) const {
  return build_known(*this, context, request, call, std::make_shared<engine::KnownMessages>());
}

std::int64_t ContextManager::count(const std::vector<ConversationMessage>& messages,
                                   const BuildRequest& request) const {
  const auto counter = engine::counter_of(*impl_->services, request.models.primary);
  return counter->count_prompt(messages) + counter->count_tools(request.tools) +
         engine::tokens_beside(request, *counter);
}

Result<ContextBuild> ContextManager::start(const Context& context, BuildRequest request,
                                           const CallOptions& call) const {
  return guarded([&]() -> Result<ContextBuild> {
    auto impl = std::make_unique<ContextBuild::Impl>(
        engine::BuildInputs{context, std::move(request), impl_->services, call, engine::Caller::replies});
    if (auto prepared = impl->build.prepare(); !prepared) return tl::unexpected(prepared.error());
    return ContextBuild(std::move(impl));
  });
}

Result<UsageMetadata> ContextManager::prepare_compaction(const Context& context, const BuildRequest& request,
                                                         const CallOptions& call) const {
  const auto& services = *impl_->services;
  if (!services.options.client)
    return fail(ErrorCode::invalid_argument, "there is no client to summarise with: give the manager one");
  return guarded([&]() -> Result<UsageMetadata> {
    engine::Build build({context, compacted_now(request), impl_->services, call, engine::Caller::prepares});
    if (auto kept = check_scope(services, request); !kept) return tl::unexpected(kept.error());
    if (auto prepared = build.prepare(); !prepared) return tl::unexpected(prepared.error());
    while (!build.done() && !call.cancellation.is_cancelled() && !is_over(call, *services.options.clock))
      run_round(build, services, request);
    if (auto failed = build.summaries_failed()) return tl::unexpected(*std::move(failed));
    return build.summaries_took();
  });
}

Result<ContextBuild> ContextManager::start_compaction(const Context& context, BuildRequest request,
                                                      const CallOptions& call) const {
  return guarded([&]() -> Result<ContextBuild> {
    if (auto kept = check_scope(*impl_->services, request); !kept) return tl::unexpected(kept.error());
    auto impl = std::make_unique<ContextBuild::Impl>(engine::BuildInputs{
        context, compacted_now(std::move(request)), impl_->services, call, engine::Caller::prepares});
    if (auto prepared = impl->build.prepare(); !prepared) return tl::unexpected(prepared.error());
    return ContextBuild(std::move(impl));
  });
}

Result<PlanPreview> ContextManager::plan(const Context& context, const BuildRequest& request,
                                         const CallOptions& call) const {
  const auto& services = *impl_->services;
  return guarded([&]() -> Result<PlanPreview> {
    engine::Build tried({context, request, impl_->services, call, engine::Caller::dry_run});
    if (auto prepared = tried.prepare(); !prepared) return tl::unexpected(prepared.error());
    PlanPreview preview;
    preview.would_use_llm = tried.gate().use_llm && services.options.client != nullptr;
    preview.gate_reason = tried.gate().reason;
    const bool may_call = services.options.client != nullptr && tried.may_use_models();
    const auto planning = may_call ? tried.most_that_planning_takes() : engine::PlanningEstimate{};
    preview.expected_llm_calls = planning.calls;
    preview.expected_cost_usd = planning.spending.usd;
    auto built = tried.finish();
    if (!built) return tl::unexpected(built.error());
    preview.plan = std::move(built->plan);
    preview.metadata = std::move(built->metadata);
    preview.tokens_saved =
        std::max<std::int64_t>(0, preview.metadata.include_all_tokens - preview.metadata.input_tokens_used);
    const auto source = preview.metadata.plan_source;
    if (source == PlanSource::kept || source == PlanSource::given) preview.would_use_llm = false;
    return preview;
  });
}

}  // namespace ctxmgr
