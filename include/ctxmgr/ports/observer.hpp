#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// The kind of an event. In brackets, its fields.
enum class EventKind {
  build_step,          ///< A step of a build ended [step, elapsed_us].
  plan_decided,        ///< [source, reason, artifacts].
  llm_call,            ///< A model call came back [purpose, model, prompt_tokens, completion_tokens, error].
  cache_lookup,        ///< A lookup in the summary cache [hit].
  budget_threshold,    ///< A thread passed 50, 75 or 90 % of its budget [percent, tokens, max_input_tokens].
  artifact_shortened,  ///< [artifact_id, strategy, tokens_before, tokens_after].
  context_access,      ///< A context tool or a `ContextStore` was used [operation, key, agent, error].
  context_refetch,     ///< Something that a build had left out was read after all [key, kind].
  warning,             ///< A note of a build: an assumption or a failure [text].
  compaction,  ///< A thread is about to be compacted, or was [phase: "before" or "after", reason, messages: "3-80, 85",
               ///< tokens_before, tokens_after, prefix_tokens_kept].
};

struct EventField {
  std::string_view name{};
  std::variant<std::int64_t, double, std::string_view> value{};
};

/// Views are valid during the call only. Never any artifact content, prompt or secret.
struct Event {
  EventKind kind = EventKind::warning;
  std::string_view scope{};  ///< `BuildRequest::scope`, or the session or workflow it belongs to.
  std::vector<EventField> fields{};
};

[[nodiscard]] CTXMGR_API std::string_view to_string(EventKind kind);

/// Port: hears of events, for logs, metrics, traces and progress bars. Called synchronously by whichever thread works,
/// several at once. Return quickly, do not call back into the reporting object, do not throw.
class CTXMGR_API Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer();

  virtual void on_event(const Event& event) = 0;
};

/// An observer from a function; its exceptions are dropped.
[[nodiscard]] CTXMGR_API std::unique_ptr<Observer> make_observer(std::function<void(const Event&)> on_event);

}  // namespace ctxmgr
