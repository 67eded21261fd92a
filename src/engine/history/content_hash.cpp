#include "engine/history/content_hash.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <variant>

#include "core/json/json.hpp"
#include "engine/index/fingerprint.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::string_view breakpoint = "cache_control";

/// Joins fields, each with its length, so that it counts where one ends.
class Hash {
 public:
  void add(std::string_view text) { hash_ = fingerprint(text, hash_); }
  void add_fields(std::string_view json) {
    std::string rest;
    add(without_breakpoint(json, rest));
  }
  void add_number(std::int64_t number) {
    std::array<char, sizeof number> bytes{};
    std::memcpy(bytes.data(), &number, sizeof number);
    add({bytes.data(), bytes.size()});
  }
  template <class Clock, class Duration>
  void add_time(const std::optional<std::chrono::time_point<Clock, Duration>>& time) {
    add_number(time ? static_cast<std::int64_t>(time->time_since_epoch().count()) : -1);
  }
  [[nodiscard]] std::uint64_t take() const { return hash_.low; }

 private:
  Fingerprint hash_;
};

void add_content(const MessageContent& content, Hash& hash) {
  hash.add_number(static_cast<std::int64_t>(content.index()));
  if (const auto* text = std::get_if<std::string>(&content)) hash.add(*text);
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&content)) {
    for (const auto& part : *parts) {
      hash.add_number(static_cast<std::int64_t>(part.kind));
      hash.add(part.text);
      hash.add_fields(part.json);
    }
  }
}

void add_step(const ReasoningStepRecord& step, Hash& hash) {
  hash.add_number(step.step_index);
  hash.add(step.thought);
  hash.add_time(step.timestamp);
  for (const auto& call : step.tool_predictions)
    for (const auto* field : {&call.tool_name, &call.arguments_json, &call.reasoning}) hash.add(*field);
  for (const auto& result : step.tool_results) {
    hash.add_number(result.success ? 1 : 0);
    for (const auto* field : {&result.tool_name, &result.result, &result.error}) hash.add(*field);
  }
}

}  // namespace

std::string_view without_breakpoint(std::string_view fields, std::string& rest) {
  if (fields.find(breakpoint) == std::string_view::npos) return fields;
  auto object = parse_json(fields);
  if (!object || !object->is_object() || find_field(*object, breakpoint) == nullptr) return fields;
  object->erase(breakpoint);
  rest = object->empty() ? std::string() : dump_json(*object);
  return rest;
}

std::uint64_t content_hash(const ConversationMessage& message) {
  Hash hash;
  hash.add_number(static_cast<std::int64_t>(message.role));
  hash.add_number(static_cast<std::int64_t>(message.retention));
  add_content(message.content, hash);
  for (const auto& call : message.tool_calls) {
    for (const auto* field : {&call.id, &call.name, &call.arguments_json}) hash.add(*field);
    hash.add_fields(call.extra_json);
  }
  for (const auto* field : {&message.tool_call_id, &message.name, &message.agent}) hash.add(*field);
  hash.add_fields(message.extra_json);
  for (const auto& step : message.reasoning_steps) add_step(step, hash);
  hash.add_number(message.sequence_number.value_or(-1));
  hash.add_time(message.created_at);
  if (message.summary_of) {
    hash.add_number(message.summary_of->first);
    hash.add_number(message.summary_of->last);
  }
  return hash.take();
}

}  // namespace ctxmgr::engine
