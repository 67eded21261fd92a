#include "ctxmgr/responses.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/json/responses.hpp"
#include "core/json/types.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "request_fields.hpp"
#include "unchanged_messages.hpp"
#include "wire_forms.hpp"

namespace ctxmgr {
namespace {

struct Instructions {
  std::string text{};
};

void read_json(JsonReader& in, const Json& json, Instructions& out) {
  if (!in.is_object(json)) return;
  in.field(json, "instructions", out.text);
}

/// Whether the service has earlier items of its own.
bool is_continued(const Json& request) {
  return find_field(request, "previous_response_id") != nullptr || find_field(request, "conversation") != nullptr;
}

/// Results of calls that stand in what the service keeps: without these here, they are no results but items that have to
/// be sent.
void pin_results_of_before(const Json& input, ResponsesMessages& read) {
  std::set<std::string> called;
  for (std::size_t i = 0; i < read.messages.size(); ++i) {
    ConversationMessage& message = read.messages[i];
    for (const ToolCall& call : message.tool_calls) called.insert(call.id);
    if (message.role != Role::tool || called.count(message.tool_call_id) != 0) continue;
    message = {Role::user, std::vector<ContentPart>{{PartKind::other, {}, dump_json(input[read.items[i].first])}}};
    message.retention = Retention::pinned;
  }
}

/// A request without its items, and what was read of it.
struct ReadResponses {
  Json json{};  ///< Its input is an empty list, or a string.
  engine::ReadList list{};
};

Result<ReadResponses> read_items(Json json, engine::ReadList list) {
  auto instructions = decode_json<Instructions>(json);
  if (!instructions) return tl::unexpected(std::move(instructions.error()));
  const Json* const input = find_field(json, "input");
  if (input == nullptr) return fail(ErrorCode::invalid_argument, "/input: expected a string or an array of items");
  auto read = read_responses_items(*input);
  if (!read) return fail(read.error().code, "/input" + read.error().message);
  if (input->is_string() && input->string().empty()) *read = {};
  if (read->messages.empty() && list.elements.empty())
    return fail(ErrorCode::invalid_argument, "/input: there are no items");
  if (is_continued(json)) {
    if (!list.elements.empty()) return fail(ErrorCode::invalid_argument, "read without what is before it");
    list.is_kept = false;
    pin_results_of_before(*input, *read);
  }
  auto elements = input->is_array() ? std::exchange(json["input"].elements(), {}) : Json::Array{};
  list.append(std::move(elements), std::move(read->messages), read->items);
  using Instruction = std::optional<ConversationMessage>;
  list.set_instructions(instructions->text.empty() ? Instruction()
                                                   : ConversationMessage{Role::system, std::move(instructions->text)});
  return ReadResponses{std::move(json), std::move(list)};
}

Result<WireRequest> request_of_responses(ReadResponses& read, BuildRequest options, const AttachmentSource& source,
                                         const CallOptions& call) {
  auto fields = decode_json<RequestFields>(read.json);
  if (!fields) return tl::unexpected(std::move(fields.error()));
  fields->sent_beside = fields_beside(read.json, {"input", "instructions"});
  auto context = make_context(std::move(read.list.messages), *fields, source, call);
  if (!context) return tl::unexpected(std::move(context.error()));
  apply(*fields, context->conversation_history, options);
  if (!options.shape) options.shape = MessageShape{};  // Items have none.
  options.shape->unique_call_ids = true;
  return WireRequest{std::move(*context), std::move(options)};
}

/// A request as it came, and which items each message of ours is.
struct ResponsesOriginal {
  /// `messages`: of the list.
  ResponsesOriginal(const ReadResponses& request, const std::vector<ConversationMessage>& read)
      : json(request.json),
        elements(request.list.elements),
        items(request.list.places),
        messages(read),
        hashes(request.list.known->hashes(read)) {}

  const Json& json;  ///< Without its items.
  const Json::Array& elements;
  const std::vector<std::pair<std::size_t, std::size_t>>& items;
  const std::vector<ConversationMessage>& messages;
  const std::vector<std::uint64_t>& hashes;
};

std::string write_responses_request(const ResponsesOriginal& original, const BuiltContext& context,
                                    std::optional<std::int64_t> service_compacts_at) {
  const std::vector<ConversationMessage>& built = context.messages;
  Json request = original.json;
  erase_own_fields(request);
  write_tools(context, ToolShape::responses, request);
  ask_for_compaction(service_compacts_at, ToolShape::responses, request);
  const Json& input = original.json["input"];
  const auto unchanged = find_unchanged(original.messages, original.hashes, built);
  const bool has_instructions = find_field(original.json, "instructions") != nullptr;
  const bool keeps_instructions = has_instructions && !unchanged.empty() && unchanged.front() == 0U;
  if (has_instructions && !keeps_instructions) request.erase("instructions");
  const std::size_t start = keeps_instructions ? 1 : 0;
  const bool keeps_input = input.is_string() && built.size() == start + 1 && unchanged[start];
  if (keeps_input) return dump_json(request);
  Json items = Json::array();
  for (std::size_t i = start; i < built.size(); ++i) {
    if (!unchanged[i] || !input.is_array()) {
      write_responses_items(built[i], items);
      continue;
    }
    const auto [first, end] = original.items[*unchanged[i]];
    for (std::size_t item = first; item < end; ++item) items.push_back(original.elements[item]);
  }
  request["input"] = std::move(items);
  return dump_json(request);
}

}  // namespace

Result<BuiltWire> build_items(const ContextManager& manager, std::string_view body, WireOptions options,
                              const CallOptions& call) {
  const auto ask = [&](ReadResponses& read) {
    return request_of_responses(read, std::move(options.request), options.attachments, call);
  };
  const auto write = [](const ReadResponses& read, const WireRequest& asked,
                        const BuiltContext& built) -> Result<std::string> {
    return write_responses_request(ResponsesOriginal(read, asked.context.conversation_history), built,
                                   asked.request.history.service_compacts_at);
  };
  return fit(manager, {engine::ListForm::responses, body, "input"}, &read_items, ask, write, call);
}

Result<WireRequest> read_items_request(std::string_view body, WireOptions options, const CallOptions& call) {
  auto json = parse_json(body);
  if (!json) return tl::unexpected(std::move(json.error()));
  auto read = read_items(std::move(*json), {});
  if (!read) return tl::unexpected(std::move(read.error()));
  return request_of_responses(*read, std::move(options.request), options.attachments, call);
}

Result<WireRequest> parse_responses_request(std::string_view json, const AttachmentSource& source,
                                            const CallOptions& call) {
  return read_wire(WireForm::responses, json, {{}, source}, call);
}

Result<WireBuild> build_responses(const ContextManager& manager, std::string_view body, BuildRequest options,
                                  const AttachmentSource& source, const CallOptions& call) {
  return with_text(build_wire(manager, WireForm::responses, body, {std::move(options), source}, call));
}

Result<WireRequest> responses_build_request(std::string_view body, BuildRequest options, const AttachmentSource& source,
                                            const CallOptions& call) {
  return read_wire(WireForm::responses, body, {std::move(options), source}, call);
}

Result<PlanPreview> plan_responses(const ContextManager& manager, std::string_view body, BuildRequest options,
                                   const AttachmentSource& source, const CallOptions& call) {
  return plan_wire(manager, WireForm::responses, body, {std::move(options), source}, call);
}

}  // namespace ctxmgr
