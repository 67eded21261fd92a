#include <map>
#include <utility>
#include <vector>

#include "adapters/curl/wire.hpp"
#include "adapters/curl/wire_common.hpp"
#include "ctxmgr/core/json_forms.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr::wire {
namespace {

constexpr std::int64_t default_max_tokens = 4'096;  // The API has no default of its own.

Result<std::string> write_body(const LlmRequest& request, const BodyOptions& options) {
  Json body = {{"model", options.model}};
  if (options.delivery != Delivery::count_tokens) {
    body["max_tokens"] = request.max_output_tokens.value_or(default_max_tokens);
    if (request.temperature && options.quirks.takes_temperature) body["temperature"] = *request.temperature;
  }
  if (options.delivery == Delivery::stream) body["stream"] = true;
  if (!request.tools.empty()) {
    auto tools = parse_json(to_anthropic_json(request.tools));
    if (!tools) return tl::unexpected<Error>(tools.error());
    body["tools"] = *std::move(tools);
  }
  const auto schema = response_schema(request);
  if (!schema) return tl::unexpected<Error>(schema.error());
  if (!schema->is_null() && options.quirks.structured_output == StructuredOutput::json_schema) {
    body["output_config"] = {{"format", {{"type", "json_schema"}, {"schema", *schema}}}};
  }
  const auto written = to_anthropic_json(with_schema_in_words(request, options)).and_then(parse_json);
  if (!written) return tl::unexpected<Error>(written.error());
  body.update(*written);
  if (auto merged = merge_extra_body(body, request, options); !merged) return tl::unexpected<Error>(merged.error());
  return dump_json(body);
}

FinishReason finish_reason(const Json& reply) {
  const auto* const reason = get_string(reply, "stop_reason");
  if (reason == nullptr) return FinishReason::other;
  if (*reason == "end_turn" || *reason == "stop_sequence") return FinishReason::stop;
  if (*reason == "max_tokens" || *reason == "model_context_window_exceeded") return FinishReason::length;
  if (*reason == "tool_use") return FinishReason::tool_calls;
  return *reason == "refusal" ? FinishReason::refusal : FinishReason::other;
}

/// The service's `input_tokens` leave out what was read from the cache or written to it; ours are all input.
UsageMetadata read_usage(const Json& reply) {
  const Json* const usage = find_field(reply, "usage");
  UsageMetadata out;
  out.cached_prompt_tokens = token_count(usage, "cache_read_input_tokens");
  out.cache_write_tokens = token_count(usage, "cache_creation_input_tokens");
  out.prompt_tokens = token_count(usage, "input_tokens") + out.cached_prompt_tokens + out.cache_write_tokens;
  out.completion_tokens = token_count(usage, "output_tokens");
  out.calls = 1;
  return out;
}

Result<LlmResponse> read_reply(const Json& reply) {
  const Json* const blocks = find_field(reply, "content");
  if (blocks == nullptr || !blocks->is_array()) return fail(ErrorCode::bad_data, "the reply holds no content");
  LlmResponse response;
  response.message.role = Role::assistant;
  response.finish_reason = finish_reason(reply);
  ContentBuilder content;
  for (const Json& block : *blocks) {
    const auto* const type = get_string(block, "type");
    const auto* const text = get_string(block, "text");
    if (type != nullptr && *type == "text" && text != nullptr) {
      content.add_text(*text, block);
    } else if (type != nullptr && *type == "tool_use") {
      response.message.tool_calls.push_back(read_call_item(block, "id", "input"));
      content.add_call(response.message.tool_calls.back());
    } else {
      content.add_opaque(block);
    }
  }
  response.message.content = content.take();
  response.usage = read_usage(reply);
  if (const auto* const model = get_string(reply, "model")) response.model = *model;
  return response;
}

class AnthropicStreamReader final : public StreamReader {
 public:
  tl::expected<std::string, http::Failure> on_event(const http::SseEvent& event) override {
    const auto json = parse_event(event);
    if (!json) return tl::unexpected<http::Failure>(json.error());
    const auto* const named = get_string(*json, "type");
    const std::string type = named == nullptr ? event.type : *named;
    if (type == "error") {
      return tl::unexpected<http::Failure>(http::classify_late_error(event.data, std::chrono::system_clock::now()));
    }
    if (type == "message_start") start(*json);
    if (type == "content_block_start") start_block(*json);
    if (type == "message_delta") add_message_delta(*json);
    if (type == "message_stop") is_complete_ = true;
    return type == "content_block_delta" ? add_block_delta(*json) : std::string();
  }

  [[nodiscard]] bool is_complete() const override { return is_complete_; }

  [[nodiscard]] Json reply() const override {
    Json reply = message_;
    reply["content"] = Json::array();
    for (const auto& block : blocks_) reply["content"].push_back(finished(block));
    return reply;
  }

 private:
  void start(const Json& event) {
    const Json* const message = find_field(event, "message");
    if (message != nullptr && message->is_object()) message_ = *message;
  }

  void start_block(const Json& event) {
    const auto index = get_int(event, "index");
    const Json* const block = find_field(event, "content_block");
    if (!index || block == nullptr || !block->is_object()) return;
    // Proxies that say 0 of every block begin them one after the other.
    place_of_index_[*index] = blocks_.size();
    blocks_.push_back({*block, {}});
  }

  void add_message_delta(const Json& event) {
    if (const Json* const delta = find_field(event, "delta"); delta != nullptr && delta->is_object()) {
      message_.update(*delta);
    }
    const Json* const usage = find_field(event, "usage");
    if (usage == nullptr || !usage->is_object()) return;
    Json& sum = message_["usage"];
    if (!sum.is_object()) sum = Json::object();
    sum.update(*usage);
  }

  /// Text, thinking, signatures and tool input all come as strings that grow a field of their block.
  std::string add_block_delta(const Json& event) {
    const auto index = get_int(event, "index");
    const Json* const delta = find_field(event, "delta");
    if (!index || delta == nullptr || !delta->is_object()) return {};
    auto& [block, input] = block_at(*index);
    for (const auto& [key, value] : delta->members()) {
      if (key == "type") continue;
      if (key == "partial_json" && value.is_string()) {
        input += value.string();
      } else if (key == "citation") {
        if (!block["citations"].is_array()) block["citations"] = Json::array();
        block["citations"].push_back(value);
      } else if (value.is_string() && block.is_object() && block.contains(key) && block[key].is_string()) {
        block[key].string() += value.string();
      } else {
        block[key] = value;
      }
    }
    const auto* const text = get_string(*delta, "text");
    return text == nullptr ? std::string() : *text;
  }

  struct Block {
    Json json{};
    std::string input{};  ///< A tool's, in pieces.
  };

  Block& block_at(std::int64_t index) {
    const auto [place, is_new] = place_of_index_.emplace(index, blocks_.size());
    if (is_new) blocks_.emplace_back();
    return blocks_[place->second];
  }

  [[nodiscard]] static Json finished(const Block& block) {
    Json json = block.json;
    if (block.input.empty()) return json;
    auto parsed = parse_json(block.input);
    json["input"] = parsed ? *std::move(parsed) : Json(block.input);
    return json;
  }

  Json message_ = Json::object();
  std::vector<Block> blocks_;  ///< In the order in which they began.
  std::map<std::int64_t, std::size_t> place_of_index_;
  bool is_complete_ = false;
};

std::unique_ptr<StreamReader> make_stream_reader() { return std::make_unique<AnthropicStreamReader>(); }

}  // namespace

const Wire anthropic_messages = {"/v1/messages", "/v1/messages/count_tokens", false, write_body,
                                 read_reply,     make_stream_reader};

}  // namespace ctxmgr::wire
