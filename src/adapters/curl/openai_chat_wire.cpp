#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "adapters/curl/wire.hpp"
#include "adapters/curl/wire_common.hpp"
#include "core/json/part_forms.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr::wire {
namespace chat {
namespace {

Json response_format(const Json& schema, StructuredOutput how) {
  if (how == StructuredOutput::json_object) return {{"type", "json_object"}};
  return {{"type", "json_schema"},
          {"json_schema", {{"name", "reply"}, {"schema", schema}, {"strict", is_strict_schema(schema)}}}};
}

/// The body without its messages, which are by far the largest part and are put in as text.
Result<Json> write_frame(const LlmRequest& request, const BodyOptions& options) {
  Json body = {{"model", options.model}};
  if (!request.tools.empty()) {
    auto tools = parse_json(to_openai_json(request.tools));
    if (!tools) return tl::unexpected<Error>(tools.error());
    body["tools"] = *std::move(tools);
  }
  auto schema = response_schema(request);
  if (!schema) return schema;
  if (!schema->is_null() && options.quirks.structured_output != StructuredOutput::prompt) {
    body["response_format"] = response_format(*schema, options.quirks.structured_output);
  }
  if (request.temperature && options.quirks.takes_temperature) body["temperature"] = *request.temperature;
  if (request.max_output_tokens) {
    body[options.quirks.max_completion_tokens ? "max_completion_tokens" : "max_tokens"] = *request.max_output_tokens;
  }
  if (options.delivery == Delivery::stream) {
    body["stream"] = true;
    if (options.quirks.stream_options) body["stream_options"] = {{"include_usage", true}};
  }
  if (auto merged = merge_extra_body(body, request, options); !merged) return tl::unexpected<Error>(merged.error());
  return body;
}

/// Anthropic's images and documents, as a chat request has them.
Json chat_part(const Json& part) {
  const auto* const type = get_string(part, "type");
  const Json* const source = find_field(part, "source");
  if (type == nullptr || source == nullptr || (*type != "image" && *type != "document")) return part;
  const auto* const data = get_string(*source, "data");
  const auto* const kind = get_string(*source, "type");
  if (kind != nullptr && *kind == "text" && data != nullptr) return {{"type", "text"}, {"text", *data}};
  const auto place = forms::source_url(*source);
  if (*type == "image") return {{"type", "image_url"}, {"image_url", {{"url", place}}}};
  Json file = {{"file_data", place}};
  if (const auto* const title = get_string(part, "title")) file["filename"] = *title;
  return {{"type", "file"}, {"file", std::move(file)}};
}

/// Media of other services change their form; their thoughts and tools' items are left out.
std::vector<ConversationMessage> for_chat(std::vector<ConversationMessage> messages) {
  for (auto& message : messages) {
    auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
    if (parts == nullptr) continue;
    std::erase_if(*parts, [](const ContentPart& part) {
      if (part.kind != PartKind::other) return false;
      const auto json = parse_part(part);
      return forms::is_of_anthropic(json) || forms::is_of_responses(json);
    });
    for (auto& part : *parts) {
      if (part.kind != PartKind::image && part.kind != PartKind::file) continue;
      const auto json = chat_part(parse_part(part));
      const auto* const text = get_string(json, "text");
      part = text == nullptr ? ContentPart{part.kind, {}, dump_json(json)} : ContentPart{PartKind::text, *text, {}};
    }
  }
  return messages;
}

Result<std::string> write_body(const LlmRequest& request, const BodyOptions& options) {
  const auto frame = write_frame(request, options);
  if (!frame) return tl::unexpected<Error>(frame.error());
  auto body = dump_json(*frame);
  if (frame->contains("messages")) return body;  // The caller's own.
  body.pop_back();
  return body + ",\"messages\":" + to_openai_json(for_chat(with_schema_in_words(request, options))) + "}";
}

FinishReason finish_reason(const Json& choice) {
  const auto* const reason = get_string(choice, "finish_reason");
  if (reason == nullptr) return FinishReason::other;
  if (*reason == "stop") return FinishReason::stop;
  if (*reason == "length") return FinishReason::length;
  if (*reason == "tool_calls" || *reason == "function_call") return FinishReason::tool_calls;
  if (*reason == "content_filter") return FinishReason::refusal;
  return FinishReason::other;
}

ToolCall read_tool_call(const Json& json) {
  const Json* const function = find_field(json, "function");
  const Json& called = function != nullptr ? *function : json;
  auto call = make_tool_call(get_string(json, "id"), get_string(called, "name"), find_field(called, "arguments"));
  call.extra_json = extra_fields(json, {"id", "type", "function", "index"});
  return call;
}

bool read_content(const Json& content, MessageContent& out) {
  ContentBuilder builder;
  if (content.is_string()) {
    out = content.string();
    return true;
  }
  if (!content.is_array()) return false;
  for (const Json& part : content) {
    const auto* const type = get_string(part, "type");
    const auto* const text = get_string(part, "text");
    if (type != nullptr && *type == "text" && text != nullptr) {
      builder.add_text(*text, part);
    } else {
      builder.add_opaque(part);
    }
  }
  out = builder.take();
  return true;
}

UsageMetadata read_usage(const Json& reply) {
  const Json* const usage = find_field(reply, "usage");
  const Json* const details = usage == nullptr ? nullptr : find_field(*usage, "prompt_tokens_details");
  UsageMetadata out;
  out.prompt_tokens = token_count(usage, "prompt_tokens");
  out.completion_tokens = token_count(usage, "completion_tokens");
  out.cached_prompt_tokens =
      std::max(token_count(details, "cached_tokens"), token_count(usage, "prompt_cache_hit_tokens"));  // DeepSeek
  out.cache_write_tokens = token_count(details, "cache_write_tokens");
  out.calls = 1;
  return out;
}

const Json* first_choice(const Json& reply) {
  const Json* const choices = find_field(reply, "choices");
  return choices != nullptr && choices->is_array() && !choices->empty() ? &choices->front() : nullptr;
}

/// Without words there has to be a reason.
bool has_ended_well(FinishReason reason) { return reason == FinishReason::stop || reason == FinishReason::other; }

/// Some models stop after their thoughts.
bool has_reasoned(const Json& message) {
  constexpr std::array<const char*, 3> fields = {"reasoning_content", "reasoning", "reasoning_details"};
  return std::any_of(fields.begin(), fields.end(), [&](const char* field) {
    const Json* const thoughts = find_field(message, field);
    return thoughts != nullptr && !thoughts->empty() && *thoughts != "";
  });
}

Result<LlmResponse> read_reply(const Json& reply) {
  const Json* const choice = first_choice(reply);
  const Json* const message = choice == nullptr ? nullptr : find_field(*choice, "message");
  if (message == nullptr || !message->is_object()) {
    return fail(ErrorCode::bad_data, "the reply holds no message");
  }
  LlmResponse response;
  response.message.role = Role::assistant;
  response.finish_reason = finish_reason(*choice);
  const Json* const calls = find_field(*message, "tool_calls");
  if (calls != nullptr && calls->is_array()) {
    for (const Json& call : *calls) {
      if (!call.is_object()) return fail(ErrorCode::bad_data, "the reply holds a tool call that is no object");
      response.message.tool_calls.push_back(read_tool_call(call));
    }
  }
  const Json* const content = find_field(*message, "content");
  const auto* const refusal = get_string(*message, "refusal");
  if (refusal != nullptr && !refusal->empty()) {
    response.message.content = *refusal;
    response.finish_reason = FinishReason::refusal;
  } else if (content != nullptr) {
    if (!read_content(*content, response.message.content)) {
      return fail(ErrorCode::bad_data, "the reply's content is neither text nor parts");
    }
  } else if (response.message.tool_calls.empty() && has_ended_well(response.finish_reason) && !has_reasoned(*message)) {
    return fail(ErrorCode::bad_data, "the reply is empty");
  }
  if (!response.message.tool_calls.empty() && response.finish_reason == FinishReason::stop) {
    response.finish_reason = FinishReason::tool_calls;  // Some servers say "stop" where they mean this.
  }
  // Reasoning, signatures, annotations.
  response.message.extra_json = extra_fields(*message, {"role", "content", "tool_calls", "refusal"});
  response.usage = read_usage(reply);
  if (const auto* const model = get_string(reply, "model")) response.model = *model;
  return response;
}

class ChatStreamReader final : public StreamReader {
 public:
  tl::expected<std::string, http::Failure> on_event(const http::SseEvent& event) override {
    if (event.data == "[DONE]") {
      is_done_ = true;
      return std::string();
    }
    const auto chunk = parse_event(event);
    if (!chunk) return tl::unexpected<http::Failure>(chunk.error());
    if (http::reports_error(*chunk)) {
      return tl::unexpected<http::Failure>(http::classify_late_error(event.data, std::chrono::system_clock::now()));
    }
    if (const auto* const model = get_string(*chunk, "model")) model_ = *model;
    if (const Json* const usage = find_field(*chunk, "usage")) usage_ = *usage;
    const Json* const choice = first_choice(*chunk);
    if (choice == nullptr || get_int(*choice, "index").value_or(0) != 0) return std::string();
    if (const auto* const reason = get_string(*choice, "finish_reason")) finish_reason_ = *reason;
    const Json* const delta = find_field(*choice, "delta");
    return delta == nullptr ? std::string() : add_delta(*delta);
  }

  [[nodiscard]] bool is_complete() const override { return is_done_ || !finish_reason_.empty(); }
  [[nodiscard]] bool is_over() const override { return is_done_; }

  [[nodiscard]] Json reply() const override {
    Json message = message_;
    if (!tool_calls_.empty()) {
      message["tool_calls"] = Json::array();
      for (const auto& [place, call] : tool_calls_) message["tool_calls"].push_back(call);
    }
    Json choice = {{"message", std::move(message)}};
    if (!finish_reason_.empty()) choice["finish_reason"] = finish_reason_;
    return {{"model", model_}, {"choices", Json::array({std::move(choice)})}, {"usage", usage_}};
  }

 private:
  /// Strings grow, lists grow, the rest is replaced: this holds for content, refusals and reasoning of all kinds.
  static void grow(Json& target, const Json& piece) {
    if (target.is_string() && piece.is_string()) {
      target.string() += piece.string();
    } else if (target.is_array() && piece.is_array()) {
      for (const Json& element : piece) target.push_back(element);
    } else {
      target = piece;
    }
  }

  std::string add_delta(const Json& delta) {
    for (const auto& [key, value] : delta.members()) {
      if (value.is_null() || key == "role") continue;
      if (key == "tool_calls") {
        if (value.is_array()) add_tool_calls(value);
      } else if (key == "reasoning_details" && value.is_array()) {
        add_reasoning_details(value);
      } else {
        grow(message_[key], value);
      }
    }
    const auto* const text = get_string(delta, "content");
    return text == nullptr ? std::string() : *text;
  }

  /// OpenRouter: pieces of one index and type are one thought.
  void add_reasoning_details(const Json& pieces) {
    Json& thoughts = message_["reasoning_details"];
    if (!thoughts.is_array()) thoughts = Json::array();
    for (const Json& piece : pieces) {
      const auto same = [&](const Json& thought) {
        return get_int(piece, "index") && get_int(piece, "index") == get_int(thought, "index") &&
               find_field(piece, "type") != nullptr && piece["type"] == thought["type"];
      };
      const auto begun = std::find_if(thoughts.begin(), thoughts.end(), same);
      if (begun == thoughts.end()) {
        thoughts.push_back(piece);
        continue;
      }
      for (const auto& [key, value] : piece.members()) {
        const bool grows = key == "text" || key == "summary" || key == "data";
        if (grows && begun->contains(key)) {
          grow((*begun)[key], value);
        } else if (!value.is_null()) {
          (*begun)[key] = value;
        }
      }
    }
  }

  void add_tool_calls(const Json& pieces) {
    for (const Json& piece : pieces) {
      Json& call = tool_calls_[place_of(piece)];
      if (!call.is_object()) call = Json::object();
      for (const auto& [key, value] : piece.members()) {
        if (key == "function") {
          add_to_function(call[key], value);
        } else if (!value.is_null() && !(value.is_string() && value.string().empty())) {
          call[key] = value;
        }
      }
    }
  }

  static void add_to_function(Json& function, const Json& piece) {
    if (!piece.is_object()) return;
    for (const auto& [key, value] : piece.members()) {
      if (value.is_null()) continue;
      if (key == "arguments") {
        grow(function[key], value);
      } else if (!function.contains(key)) {
        function[key] = value;
      }
    }
  }

  /// By index, and by arrival among those of one index.
  using Place = std::pair<std::int64_t, int>;

  /// Servers that leave the index out send each call whole, with an id of its own. Others say 0 of every call.
  Place place_of(const Json& piece) {
    const auto last = tool_calls_.empty() ? Place{-1, 0} : tool_calls_.rbegin()->first;
    const auto index = get_int(piece, "index");
    if (!index) return get_string(piece, "id") != nullptr || last.first < 0 ? Place{last.first + 1, 0} : last;
    const auto after = tool_calls_.upper_bound({*index, std::numeric_limits<int>::max()});
    if (after == tool_calls_.begin() || std::prev(after)->first.first != *index) return {*index, 0};
    const auto& [place, begun] = *std::prev(after);
    return begins_another(piece, begun) ? Place{place.first, place.second + 1} : place;
  }

  static bool begins_another(const Json& piece, const Json& begun) {
    const auto* const id = get_string(piece, "id");
    const auto* const begun_id = get_string(begun, "id");
    if (id != nullptr && !id->empty() && begun_id != nullptr) return *id != *begun_id;
    const Json* const function = find_field(piece, "function");
    const Json* const begun_function = find_field(begun, "function");
    if (function == nullptr || begun_function == nullptr || get_string(*function, "name") == nullptr) return false;
    const auto* const arguments = get_string(*begun_function, "arguments");
    const auto parsed = parse_json(arguments == nullptr ? std::string_view() : *arguments);
    return parsed && parsed->is_object();  // A whole object takes no further piece.
  }

  Json message_ = {{"role", "assistant"}};
  std::map<Place, Json> tool_calls_;
  Json usage_;
  std::string model_;
  std::string finish_reason_;
  bool is_done_ = false;
};

std::unique_ptr<StreamReader> make_stream_reader() { return std::make_unique<ChatStreamReader>(); }

}  // namespace
}  // namespace chat

const Wire openai_chat = {"/chat/completions", "", true, chat::write_body, chat::read_reply, chat::make_stream_reader};

}  // namespace ctxmgr::wire
