#include "request_fields.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/ascii.hpp"
#include "core/edit_distance.hpp"
#include "core/instruction_role.hpp"
#include "core/json/half_surrogates.hpp"
#include "core/json/types.hpp"
#include "core/note.hpp"
#include "ctxmgr/engine/tool_search.hpp"
#include "engine/build/list_memo.hpp"
#include "engine/build/tool_references.hpp"
#include "media/part_content.hpp"

namespace ctxmgr {
namespace {

/// What only this library understands.
constexpr std::array<std::string_view, 2> own_fields{"attachments", "steps"};

/// A number of tokens for a reply, which has to be positive.
struct ReplyTokens {
  std::optional<std::int64_t>& tokens;
};

void read_json(JsonReader& in, const Json& json, ReplyTokens& out) {
  read_json(in, json, out.tokens);
  if (in.ok() && *out.tokens <= 0) in.fail("expected a positive number of tokens");
}

/// The object that has a tool's name: itself, or what is in `function`.
const Json& named_part(const Json& tool) {
  const Json* const function = find_field(tool, "function");
  return function != nullptr && function->is_object() ? *function : tool;
}

std::string name_of_tool(const Json& tool) {
  if (!tool.is_object()) return {};
  const std::string* const name = get_string(named_part(tool), "name");
  return name != nullptr ? *name : std::string();
}

/// Of a `tool_choice`: the tool that it demands, or all of those that it allows, which OpenAI's two forms keep in two places.
std::vector<std::string> names_of_choice(const Json& choice) {
  std::vector<std::string> names;
  const Json* const inner = find_field(choice, "allowed_tools");
  const Json* const allowed = find_field(inner != nullptr ? *inner : choice, "tools");
  if (allowed == nullptr) {
    names.push_back(name_of_tool(choice));
  } else {
    for (const Json& tool : *allowed) names.push_back(name_of_tool(tool));
  }
  return names;
}

Json write_tool(const ToolDefinition& tool, ToolShape shape) {
  Json written{{"name", tool.name}, {"description", tool.description}};
  written[shape == ToolShape::messages ? "input_schema" : "parameters"] =
      parse_json(tool.parameters_json).value_or(Json::object());
  if (shape == ToolShape::messages) return written;
  if (shape == ToolShape::chat) return Json{{"type", "function"}, {"function", std::move(written)}};
  written["type"] = "function";
  return written;
}

/// A field of ours under a name that is nearly right: it would be sent to the service and mean nothing to anybody.
struct Misspelt {
  std::string_view meant;
};

void read_json(JsonReader& in, const Json& /*json*/, Misspelt& out) {
  in.fail("there is no such field: is \"" + std::string(out.meant) + "\" meant?");
}

bool is_nearly(std::string_view ours, const std::string& name) {
  constexpr std::size_t long_name = 8;
  const std::size_t most = ours.size() >= long_name ? 2 : 1;
  return name != ours && name.size() <= ours.size() + most && edit_distance(ascii::lower_case(name), ours) <= most;
}

void refuse_misspelt(JsonReader& in, const Json& request) {
  for (const auto& [name, value] : request.members()) {
    for (const std::string_view ours : own_fields) {
      Misspelt misspelt{ours};
      if (is_nearly(ours, name)) in.member(name, value, misspelt);
    }
  }
}

/// Read as what they are, or no part of what a model sees.
constexpr std::array<std::string_view, 11> uncounted{
    "model",           "tools",        "attachments",          "steps", "user",
    "metadata",        "conversation", "previous_response_id", "id",    "safety_identifier",
    "prompt_cache_key"};

bool has_string(const Json& json) {
  if (json.is_string()) return true;
  return json.is_container() && std::any_of(json.begin(), json.end(), has_string);
}

/// Whether the service keeps it back until its own search finds it.
bool is_deferred(const ToolDefinition& tool) {
  const Json extra = parse_object(tool.extra_json);
  const Json* const deferred = find_field(extra, "defer_loading");
  return deferred != nullptr && *deferred == Json(true);
}

/// Of tools that are kept back, those to which the history refers stay, and have to.
void keep_loaded_tools(const std::vector<ConversationMessage>& history, std::vector<ToolDefinition>& tools,
                       std::vector<std::string>& pinned) {
  if (std::none_of(tools.begin(), tools.end(), is_deferred)) return;
  std::set<std::string> loaded;
  for (const ConversationMessage& message : history)
    for (std::string& name : engine::tools_referred_to(message)) loaded.insert(std::move(name));
  const auto is_away = [&](const ToolDefinition& tool) { return is_deferred(tool) && loaded.count(tool.name) == 0; };
  for (const ToolDefinition& tool : tools)
    if (is_deferred(tool) && !is_away(tool)) pinned.push_back(tool.name);
  tools.erase(std::remove_if(tools.begin(), tools.end(), is_away), tools.end());
}

/// Takes images and files out, as parts of their own.
Json without_media(const Json& json, std::vector<ContentPart>& media) {
  if (!json.is_container()) return json;
  if (json.is_object()) {
    const std::string* const type = get_string(json, "type");
    const bool is_medium =
        type != nullptr && (*type == "input_image" || *type == "input_file" || *type == "image_url" ||
                            *type == "image" || *type == "document" || *type == "file");
    if (is_medium && !content_of(ContentPart{PartKind::other, {}, dump_json(json)}).media.empty()) {
      media.push_back({PartKind::other, {}, dump_json(json)});
      return nullptr;
    }
    Json rest = Json::object();
    for (const auto& [name, value] : json.members()) rest.members().emplace_back(name, without_media(value, media));
    return rest;
  }
  Json rest = Json::array();
  for (const Json& element : json) rest.push_back(without_media(element, media));
  return rest;
}

}  // namespace

std::vector<ContentPart> fields_beside(const Json& request, std::initializer_list<std::string_view> read) {
  std::vector<ContentPart> parts;
  if (!request.is_object()) return parts;
  for (const auto& [name, value] : request.members()) {
    const bool is_read = std::find(read.begin(), read.end(), name) != read.end() ||
                         std::find(uncounted.begin(), uncounted.end(), name) != uncounted.end();
    if (is_read || !has_string(value)) continue;
    std::vector<ContentPart> media;
    Json rest = without_media(value, media);
    if (rest.is_object()) rest.erase("id");  // A prompt's, a container's.
    parts.push_back({PartKind::text, rest.is_string() ? rest.string() : dump_json(rest), {}});
    parts.insert(parts.end(), media.begin(), media.end());
  }
  return parts;
}

Result<BuiltContext> build_to_send(const ContextManager& manager, const Context& context, const BuildRequest& request,
                                   const CallOptions& call, std::shared_ptr<engine::KnownMessages> known) {
  auto built = build_known(manager, context, request, call, std::move(known));
  if (!built) return built;
  const auto& history = context.conversation_history;
  const auto& sent = built->messages;
  if (!are_only_instructions(history) && are_only_instructions(sent)) {
    return fail(ErrorCode::budget_exceeded, "beside the instructions no message fits the budget");
  }
  return built;
}

void write_tools(const BuiltContext& built, ToolShape shape, Json& request) {
  const auto& left_out = built.metadata.tools_left_out;
  if (left_out.empty() || find_field(request, "tools") == nullptr) return;
  Json kept = Json::array();
  Json breakpoint;  // Of a cache: the last one moves to what is the last tool now.
  const bool is_offered = std::any_of(built.tools.begin(), built.tools.end(),
                                      [](const ToolDefinition& tool) { return tool.name == search_tools_name; });
  bool searches = false;
  for (Json& tool : request["tools"]) {
    const std::string name = name_of_tool(tool);
    searches = searches || name == search_tools_name;
    if (name.empty() || std::find(left_out.begin(), left_out.end(), name) == left_out.end())
      kept.push_back(std::move(tool));
    else if (const Json* const control = find_field(tool, "cache_control"); control != nullptr)
      breakpoint = *control;
  }
  if (!searches && is_offered) kept.push_back(write_tool(search_tools_definition(), shape));
  if (!breakpoint.is_null() && !kept.empty()) kept.back()["cache_control"] = std::move(breakpoint);
  request["tools"] = std::move(kept);
}

void note_mended_text(std::string_view body, ContextUtilizationMetadata& metadata) {
  if (auto note = note_of_half_surrogates(body); !note.empty())
    add_note(metadata, NoteCode::text_mended, std::move(note));
}

void read_json(JsonReader& in, const Json& json, RequestFields& out) {
  refuse_misspelt(in, json);
  ReplyTokens reply{out.reply_tokens};
  in.field(json, "model", out.model);
  in.field(json, "tools", out.tools);
  if (const Json* const choice = find_field(json, "tool_choice"); choice != nullptr)
    out.chosen_tools = names_of_choice(*choice);
  out.wants_several_replies = get_int(json, "n").value_or(1) > 1;
  in.field(json, "attachments", out.attachments);
  in.field(json, "steps", out.steps);
  in.field(json, "max_tokens", reply);  // OpenAI's is deprecated in favour of the next, which goes before it
  in.field(json, "max_completion_tokens", reply);
  in.field(json, "max_output_tokens", reply);  // Responses'
}

void apply(RequestFields& fields, const std::vector<ConversationMessage>& history, BuildRequest& options) {
  keep_loaded_tools(history, fields.tools, options.pinned_tools);
  if (!fields.model.empty()) options.models.primary = std::move(fields.model);
  if (!fields.tools.empty()) options.tools = std::move(fields.tools);
  if (fields.wants_several_replies) options.offers_tool_search = false;
  for (std::string& chosen : fields.chosen_tools) {
    // A tool of the service's own is none of these.
    const bool is_ours = std::any_of(options.tools.begin(), options.tools.end(), [&](const ToolDefinition& tool) {
      return !tool.name.empty() && tool.name == chosen;
    });
    if (is_ours) options.pinned_tools.push_back(std::move(chosen));
  }
  for (ContentPart& part : fields.sent_beside) options.sent_beside.push_back(std::move(part));
  if (fields.reply_tokens) options.budget.reserved_output_tokens = fields.reply_tokens;
}

Result<Context> make_context(std::vector<ConversationMessage> messages, RequestFields& fields,
                             const AttachmentSource& source, const CallOptions& call) {
  auto artifacts = attachments_to_artifacts(fields.attachments, source, call);
  if (!artifacts) return tl::unexpected(std::move(artifacts.error()));
  Context context;
  context.conversation_history = std::move(messages);
  context.step_records = std::move(fields.steps);
  context.artifacts = std::move(*artifacts);
  return context;
}

void ask_for_compaction(std::optional<std::int64_t> at_tokens, ToolShape shape, Json& request) {
  constexpr const char* field = "context_management";
  if (!at_tokens || !request.is_object() || find_field(request, field) != nullptr) return;
  if (shape == ToolShape::responses) {
    request[field] = Json::array({{{"type", "compaction"}, {"compact_threshold", *at_tokens}}});
    return;
  }
  Json trigger{{"type", "input_tokens"}, {"value", *at_tokens}};
  Json edit{{"type", "compact_20260112"}, {"trigger", std::move(trigger)}};
  request[field] = Json::object();
  request[field]["edits"] = Json::array({std::move(edit)});
}

void erase_own_fields(Json& request) {
  for (const std::string_view ours : own_fields) request.erase(ours);
}

}  // namespace ctxmgr
