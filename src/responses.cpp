#include "ctxmgr/responses.hpp"

#include <set>
#include <string>
#include <utility>

#include "core/json/responses.hpp"
#include "core/json/types.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "request_fields.hpp"
#include "unchanged_messages.hpp"

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

/// The messages of a request; instructions that stand beside the input are the first of them.
Result<ResponsesMessages> read_messages(const Json& json) {
  auto instructions = decode_json<Instructions>(json);
  if (!instructions) return tl::unexpected(std::move(instructions.error()));
  const Json* const input = find_field(json, "input");
  if (input == nullptr) return fail(ErrorCode::invalid_argument, "/input: expected a string or an array of items");
  auto read = read_responses_items(*input);
  if (!read) return fail(read.error().code, "/input" + read.error().message);
  if (input->is_string() && input->string().empty()) *read = {};
  if (read->messages.empty()) return fail(ErrorCode::invalid_argument, "/input: there are no items");
  if (is_continued(json)) pin_results_of_before(*input, *read);
  if (!instructions->text.empty()) {
    read->messages.insert(read->messages.begin(), {Role::system, std::move(instructions->text)});
    read->items.insert(read->items.begin(), {0, 0});
  }
  return read;
}

Result<WireRequest> to_request(const Json& json, std::vector<ConversationMessage> messages, BuildRequest options,
                               const AttachmentSource& source, const CallOptions& call) {
  auto fields = decode_json<RequestFields>(json);
  if (!fields) return tl::unexpected(std::move(fields.error()));
  fields->sent_beside = fields_beside(json, {"input", "instructions"});
  auto context = make_context(std::move(messages), *fields, source, call);
  if (!context) return tl::unexpected(std::move(context.error()));
  apply(*fields, options);
  if (!options.history.unique_call_ids) options.history.unique_call_ids = true;
  if (!options.shape) options.shape = MessageShape{};  // Items have none.
  return WireRequest{std::move(*context), std::move(options)};
}

/// A request as it came, and which items each message of ours is.
struct Original {
  Original(const Json& as_it_came, const ResponsesMessages& read)
      : json(as_it_came), items(read.items), messages(read.messages) {}

  const Json& json;
  std::vector<std::pair<std::size_t, std::size_t>> items;
  UnchangedMessages messages;
};

std::string write_request(const Original& original, const BuiltContext& context,
                          std::optional<std::int64_t> service_compacts_at) {
  const std::vector<ConversationMessage>& built = context.messages;
  Json request = original.json;
  erase_own_fields(request);
  write_tools(context, ToolShape::responses, request);
  ask_for_compaction(service_compacts_at, ToolShape::responses, request);
  const Json& input = original.json["input"];
  const auto unchanged = original.messages.find(built);
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
    for (std::size_t item = first; item < end; ++item) items.push_back(input[item]);
  }
  request["input"] = std::move(items);
  return dump_json(request);
}

}  // namespace

Result<WireRequest> parse_responses_request(std::string_view json, const AttachmentSource& source,
                                            const CallOptions& call) {
  const auto parsed = parse_json(json);
  if (!parsed) return tl::unexpected(parsed.error());
  auto read = read_messages(*parsed);
  if (!read) return tl::unexpected(std::move(read.error()));
  return to_request(*parsed, std::move(read->messages), {}, source, call);
}

Result<WireBuild> build_responses(const ContextManager& manager, std::string_view body, BuildRequest options,
                                  const AttachmentSource& source, const CallOptions& call) {
  const auto json = parse_json(body);
  if (!json) return tl::unexpected(json.error());
  auto read = read_messages(*json);
  if (!read) return tl::unexpected(std::move(read.error()));
  const Original original(*json, *read);
  auto in = to_request(*json, std::move(read->messages), std::move(options), source, call);
  if (!in) return tl::unexpected(std::move(in.error()));
  auto built = build_to_send(manager, in->context, in->request, call);
  if (!built) return tl::unexpected(std::move(built.error()));
  return WireBuild{write_request(original, *built, in->request.history.service_compacts_at), to_json(built->metadata),
                   std::move(built->thread_state)};
}

Result<PlanPreview> plan_responses(const ContextManager& manager, std::string_view body, BuildRequest options,
                                   const AttachmentSource& source, const CallOptions& call) {
  const auto json = parse_json(body);
  if (!json) return tl::unexpected(json.error());
  auto read = read_messages(*json);
  if (!read) return tl::unexpected(std::move(read.error()));
  const auto in = to_request(*json, std::move(read->messages), std::move(options), source, call);
  if (!in) return tl::unexpected(in.error());
  return manager.plan(in->context, in->request, call);
}

}  // namespace ctxmgr
