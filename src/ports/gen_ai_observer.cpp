#include "ctxmgr/ports/gen_ai_observer.hpp"

#include <mutex>
#include <string>
#include <utility>
#include <variant>

#include "core/json/json.hpp"

namespace ctxmgr {
namespace {

constexpr std::string_view own_prefix = "ctxmgr.";

/// The convention's name for a field of a model call; empty where it has none.
std::string_view convention_name(std::string_view field) {
  if (field == "model") return "gen_ai.request.model";
  if (field == "prompt_tokens") return "gen_ai.usage.input_tokens";
  if (field == "completion_tokens") return "gen_ai.usage.output_tokens";
  if (field == "error") return "error.type";
  return {};
}

Json value_of(const EventField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return *number;
  if (const auto* real = std::get_if<double>(&field.value)) return *real;
  return std::get<std::string_view>(field.value);
}

Json attributes_of(const Event& event) {
  Json attributes = Json::object();
  const bool is_call = event.kind == EventKind::llm_call;
  if (is_call) attributes["gen_ai.operation.name"] = "chat";
  if (!event.scope.empty()) attributes["gen_ai.conversation.id"] = event.scope;
  for (const EventField& field : event.fields) {
    const auto name = is_call ? convention_name(field.name) : std::string_view();
    const auto* const text = std::get_if<std::string_view>(&field.value);
    if (name == "error.type" && text != nullptr && text->empty()) continue;  // There was none.
    attributes[name.empty() ? std::string(own_prefix).append(field.name) : std::string(name)] = value_of(field);
  }
  return attributes;
}

class GenAiObserver final : public Observer {
 public:
  GenAiObserver(std::function<void(std::string_view)> write, std::shared_ptr<Clock> clock)
      : write_(std::move(write)), clock_(clock != nullptr ? std::move(clock) : make_system_clock()) {}

  void on_event(const Event& event) override {
    try {
      const auto since = clock_->now().time_since_epoch();
      const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
      const bool is_call = event.kind == EventKind::llm_call;
      const auto name = is_call ? std::string("gen_ai.client.inference.operation.details")
                                : std::string(own_prefix).append(to_string(event.kind));
      Json line;
      line["time_unix_nano"] = std::to_string(nanoseconds);
      line["name"] = name;
      line["attributes"] = attributes_of(event);
      const auto text = dump_json(line) + "\n";
      const std::lock_guard lock(mutex_);
      write_(text);
    } catch (...) {  // Whoever watches must not be able to break what it watches.
    }
  }

 private:
  std::mutex mutex_;
  const std::function<void(std::string_view)> write_;
  const std::shared_ptr<Clock> clock_;
};

}  // namespace

std::unique_ptr<Observer> make_gen_ai_observer(std::function<void(std::string_view line)> write,
                                               std::shared_ptr<Clock> clock) {
  return std::make_unique<GenAiObserver>(std::move(write), std::move(clock));
}

}  // namespace ctxmgr
