#pragma once
#include <cstddef>
#include <memory>
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
  nobody,    ///< No client: the deterministic planner, extracts.
  blocks,    ///< `build()`: may wait for other builds' summaries.
  replies,   ///< A host with a loop of its own: never waits.
  dry_run,   ///< Like nobody, and neither the embedder is asked nor the observer told.
  prepares,  ///< A dry run but for the summaries of the next compaction.
};

/// What a build is asked to do, and with what. Nothing in it changes while the build runs.
struct BuildInputs {
  const Context& context;
  BuildRequest request;
  std::shared_ptr<const BuildServices> services;
  CallOptions call{};
  Caller caller = Caller::nobody;
  const Context* given = nullptr;     ///< Set: the host's, of which `context` is a mended copy,
  std::vector<std::size_t> put_in{};  ///< in which these messages, ascending, are not the host's.
  /// Of the messages of `context`.
  std::shared_ptr<KnownMessages> known = std::make_shared<KnownMessages>();

  /// The same of a mended copy of the context.
  [[nodiscard]] BuildInputs with(const Context& mended, std::vector<std::size_t> its_own) const {
    return {mended, request, services, call, caller, &context, std::move(its_own)};
  }

  /// So many messages the host gave.
  [[nodiscard]] std::size_t messages_given() const {
    return (given == nullptr ? context : *given).conversation_history.size();
  }

  /// Whether the policy lets models plan and summarise, whoever makes this build: then what they made for earlier builds is used.
  [[nodiscard]] bool may_use_models() const {
    return request.planning.mode != PlannerMode::deterministic && request.planning.mode != PlannerMode::none;
  }

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
