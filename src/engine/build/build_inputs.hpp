#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "engine/build/build_services.hpp"
#include "engine/history/known_messages.hpp"

namespace ctxmgr::engine {

/// Who answers the calls of a build.
enum class Caller {
  nobody,    ///< There is no client: the deterministic planner plans, and extracts stand for summaries.
  blocks,    ///< `build()`, which may wait for other builds' summaries.
  replies,   ///< A host with a loop of its own, which never waits.
  dry_run,   ///< Nobody answers, the embedder is not asked and the observer is not told.
  prepares,  ///< A dry run, but for the summaries of the next compaction.
};

/// Whether the policy lets models plan and summarise.
[[nodiscard]] inline bool may_use_models(const BuildRequest& request) {
  return request.planning.mode != PlannerMode::deterministic && request.planning.mode != PlannerMode::none;
}

/// What a build is asked to do, and with what. Nothing in it changes while the build runs.
struct BuildInputs {
  const Context& context;
  BuildRequest request;
  std::shared_ptr<const BuildServices> services;
  CallOptions call{};
  Caller caller = Caller::nobody;
  const Context* given = nullptr;     ///< The host's context where `context` is a mended copy of it; else null.
  std::vector<std::size_t> put_in{};  ///< Messages of the copy that are not the host's, ascending.
  /// What is known of the messages of `context`.
  std::shared_ptr<KnownMessages> known = std::make_shared<KnownMessages>();
  /// For the receipt: what a compaction hook of the host did that could not be used.
  std::shared_ptr<std::vector<std::string>> hook_notes = std::make_shared<std::vector<std::string>>();

  /// The same of a mended copy of the context.
  [[nodiscard]] BuildInputs with(const Context& mended, std::vector<std::size_t> its_own) const {
    return {mended, request, services, call, caller, &context, std::move(its_own)};
  }

  /// So many messages the host gave.
  [[nodiscard]] std::size_t messages_given() const {
    return (given == nullptr ? context : *given).conversation_history.size();
  }

  /// Whether the policy lets models plan and summarise, whoever makes this build: then what they made for earlier builds is used.
  [[nodiscard]] bool may_use_models() const { return engine::may_use_models(request); }

  /// Whether summaries of this build are there for the next one.
  [[nodiscard]] bool keeps_summaries() const { return services->keeps_summaries(request.scope); }

  /// Whether this build itself may ask a model: the policy lets it, and there is somebody to answer.
  [[nodiscard]] bool asks_models() const {
    return may_use_models() && (caller == Caller::blocks || caller == Caller::replies);
  }

  /// Whether nobody outside may notice this build: embedder, observer, archive and hooks are left alone.
  [[nodiscard]] bool is_dry() const { return caller == Caller::dry_run || caller == Caller::prepares; }

  /// Tells the observer, unless this is a dry run.
  void tell(EventKind kind, std::vector<EventField> fields) const {
    if (!is_dry()) services->tell(kind, request.scope, std::move(fields));
  }
};

}  // namespace ctxmgr::engine
