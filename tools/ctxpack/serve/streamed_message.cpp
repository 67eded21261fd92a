#include "serve/streamed_message.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "serve/bounded_json.hpp"

namespace ctxpack::serve {
namespace {

using nlohmann::ordered_json;

/// Appends a field's text to the same field of what has come so far.
void append(ordered_json& to, const ordered_json& from, const char* field, const char* to_field) {
  const auto* const text = member(from, field);
  if (text == nullptr || !text->is_string()) return;
  auto& whole = to[to_field];
  if (!whole.is_string()) whole = std::string();
  whole.get_ref<std::string&>() += text->get_ref<const std::string&>();
}

void append(ordered_json& to, const ordered_json& from, const char* field) { append(to, from, field, field); }

std::int64_t index_of(const ordered_json& object) {
  const auto* const index = member(object, "index");
  return index != nullptr && index->is_number_integer() ? index->get<std::int64_t>() : 0;
}

using Parts = std::map<std::int64_t, ordered_json>;

/// Takes the parts out.
ordered_json in_order(Parts& parts) {
  ordered_json list = ordered_json::array();
  for (auto& [index, part] : parts) list.push_back(std::move(part));
  return list;
}

struct OpenaiMessage {
  ordered_json message = {{"role", "assistant"}};
  Parts calls{};
  bool has_begun = false;
  bool is_one = true;

  void take(const ordered_json& event) {
    const auto* const choices = member(event, "choices");
    if (choices == nullptr || !choices->is_array() || choices->empty()) return;
    has_begun = true;
    is_one = is_one && choices->size() == 1 && index_of(choices->front()) == 0;
    const auto* const delta = member(choices->front(), "delta");
    if (delta == nullptr) return;
    append(message, *delta, "content");
    append(message, *delta, "reasoning_content");
    const auto* const pieces = member(*delta, "tool_calls");
    if (pieces == nullptr || !pieces->is_array()) return;
    for (const auto& piece : *pieces) take_call(piece);
  }

  void take_call(const ordered_json& piece) {
    auto& call = calls[index_of(piece)];
    if (call.is_null()) call = {{"id", ""}, {"type", "function"}, {"function", {{"name", ""}, {"arguments", ""}}}};
    if (const auto* const id = member(piece, "id"); id != nullptr && id->is_string()) call["id"] = *id;
    const auto* const function = member(piece, "function");
    if (function == nullptr) return;
    append(call["function"], *function, "name");
    append(call["function"], *function, "arguments");
  }

  ordered_json end() {
    if (!has_begun || !is_one) return nullptr;
    if (!calls.empty()) message["tool_calls"] = in_order(calls);
    return message;
  }
};

struct AnthropicMessage {
  Parts blocks{};
  std::map<std::int64_t, std::string> inputs{};

  void take(const ordered_json& event) {
    if (const auto* const block = member(event, "content_block"); block != nullptr) blocks[index_of(event)] = *block;
    const auto* const delta = member(event, "delta");
    const auto block = blocks.find(index_of(event));
    if (delta == nullptr || block == blocks.end() || !block->second.is_object()) return;
    for (const char* const field : {"text", "thinking", "signature"}) append(block->second, *delta, field);
    if (const auto* const part = member(*delta, "partial_json"); part != nullptr && part->is_string())
      inputs[block->first] += part->get_ref<const std::string&>();
  }

  ordered_json end() {
    if (blocks.empty()) return nullptr;
    for (const auto& [index, text] : inputs) {
      auto input = read_json(text);
      if (input.is_object()) blocks[index]["input"] = std::move(input);
    }
    return {{"role", "assistant"}, {"content", in_order(blocks)}};
  }
};

/// The last event has all of it.
struct ResponsesMessage {
  ordered_json response{};

  void take(const ordered_json& event) {
    const auto* const whole = member(event, "response");
    if (whole != nullptr && string_at(event, "type") == "response.completed") response = *whole;
  }
  [[nodiscard]] ordered_json end() { return std::move(response); }
};

template <class Message>
ordered_json read_events(std::string_view events) {
  constexpr std::string_view data = "data:";
  Message message;
  while (!events.empty()) {
    const auto end = events.find('\n');
    const auto line = events.substr(0, end);
    events.remove_prefix(end == std::string_view::npos ? events.size() : end + 1);
    if (line.substr(0, data.size()) != data) continue;
    const auto event = read_json(line.substr(data.size()));
    if (event.is_object()) message.take(event);
  }
  return message.end();
}

}  // namespace

ordered_json streamed_message(Api api, std::string_view events) {
  if (api == Api::responses) return read_events<ResponsesMessage>(events);
  return api == Api::anthropic ? read_events<AnthropicMessage>(events) : read_events<OpenaiMessage>(events);
}

}  // namespace ctxpack::serve
