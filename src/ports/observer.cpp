#include "ctxmgr/ports/observer.hpp"

#include <utility>

namespace ctxmgr {
namespace {

class FunctionObserver final : public Observer {
 public:
  explicit FunctionObserver(std::function<void(const Event&)> on_event) : on_event_(std::move(on_event)) {}

  void on_event(const Event& event) override {
    try {
      on_event_(event);
    } catch (...) {  // Whoever watches must not be able to break what it watches.
    }
  }

 private:
  std::function<void(const Event&)> on_event_;
};

}  // namespace

Observer::~Observer() = default;

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::build_step: return "build_step";
    case EventKind::plan_decided: return "plan_decided";
    case EventKind::llm_call: return "llm_call";
    case EventKind::cache_lookup: return "cache_lookup";
    case EventKind::budget_threshold: return "budget_threshold";
    case EventKind::compaction: return "compaction";
    case EventKind::artifact_shortened: return "artifact_shortened";
    case EventKind::context_access: return "context_access";
    case EventKind::context_refetch: return "context_refetch";
    case EventKind::warning: return "warning";
  }
  return "warning";
}

std::unique_ptr<Observer> make_observer(std::function<void(const Event&)> on_event) {
  return std::make_unique<FunctionObserver>(std::move(on_event));
}

}  // namespace ctxmgr
