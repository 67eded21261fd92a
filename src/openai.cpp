#include "ctxmgr/openai.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/json/types.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "request_fields.hpp"
#include "unchanged_messages.hpp"
#include "wire_forms.hpp"

namespace ctxmgr {
namespace {

/// A request as it is written, before attachments are looked up.
struct WrittenChat {
  RequestFields fields{};
  std::vector<ConversationMessage> messages{};
};

/// What a part of a message is, where that is a form of Anthropic's that has no meaning in a chat request: calls and
/// results that were taken for content would be torn apart.
struct ForeignPart {};

void read_json(JsonReader& in, const Json& json, ForeignPart& /*out*/) {
  const std::string* const type = get_string(json, "type");
  if (type == nullptr || (*type != "tool_use" && *type != "tool_result")) return;
  in.fail("a block of type " + *type + " is of Anthropic's Messages, not of a chat request");
}

struct ForeignParts {};

void read_json(JsonReader& in, const Json& message, ForeignParts& /*out*/) {
  const Json* const content = find_field(message, "content");
  if (content == nullptr || !content->is_array()) return;
  std::vector<ForeignPart> parts;
  in.member("content", *content, parts);
}

void read_json(JsonReader& in, const Json& json, WrittenChat& out) {
  if (!json.is_array() && !json.is_object()) return in.expected("a chat request or an array of messages", json);
  std::vector<ForeignParts> foreign;
  if (json.is_array()) {
    read_json(in, json, out.messages);
    if (in.ok()) read_json(in, json, foreign);
    return;
  }
  if (find_field(json, "system") != nullptr) {
    return in.fail("a request with a field \"system\" is one of Anthropic's Messages, not a chat request");
  }
  read_json(in, json, out.fields);
  out.fields.sent_beside = fields_beside(json, {"messages"});
  in.required(json, "messages", out.messages);
  in.required(json, "messages", foreign);
}

Result<WireRequest> request_of_chat(WrittenChat written, BuildRequest options, const AttachmentSource& source,
                                    const CallOptions& call) {
  if (options.history.service_compacts_at)
    return fail(ErrorCode::invalid_argument, "history.service_compacts_at: a chat request cannot ask for it");
  auto context = make_context(std::move(written.messages), written.fields, source, call);
  if (!context) return tl::unexpected(std::move(context.error()));
  if (context->conversation_history.empty()) return fail(ErrorCode::invalid_argument, "/messages: there are none");
  apply(written.fields, context->conversation_history, options);
  return WireRequest{std::move(*context), std::move(options)};
}

/// A request without its messages, and those.
struct ReadOpenai {
  Json json{};  ///< An empty list, where the request is a bare array of messages.
  RequestFields fields{};
  engine::ReadList list{};
};

/// Has no id on the wire: it is given one by what stands before it.
bool is_of_old_form(const Json& message) {
  return find_field(message, "function_call") != nullptr || message["role"] == "function";
}

Result<ReadOpenai> read_chat(Json json, engine::ReadList list) {
  auto written = decode_json<WrittenChat>(json);
  if (!written) return tl::unexpected(std::move(written.error()));
  auto elements = std::exchange(json.is_array() ? json.elements() : json["messages"].elements(), {});
  if (std::any_of(elements.begin(), elements.end(), is_of_old_form)) list.is_kept = false;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < elements.size(); ++i) places.emplace_back(i, i + 1);
  if (!list.is_kept && !list.elements.empty())
    return fail(ErrorCode::invalid_argument, "read without what is before it");
  list.append(std::move(elements), std::move(written->messages), places);
  return ReadOpenai{std::move(json), std::move(written->fields), std::move(list)};
}

/// A request's messages as they came, and as they were read: one for one.
struct OpenaiOriginal {
  /// `messages`: of the list.
  OpenaiOriginal(const engine::ReadList& list, const std::vector<ConversationMessage>& read)
      : elements(list.elements), messages(read), hashes(list.known->hashes(read)) {
    if (!list.is_kept) functions = functions_of(elements, messages);
  }

  /// Calls of the old form, which have no id on the wire: those that were given one here.
  static std::map<std::string, std::string> functions_of(const Json::Array& elements,
                                                         const std::vector<ConversationMessage>& read) {
    std::map<std::string, std::string> names;
    for (std::size_t i = 0; i < read.size(); ++i) {
      const Json* const calls = find_field(elements[i], "tool_calls");
      const bool has_calls = calls != nullptr && !calls->empty();
      if (read[i].tool_calls.size() == 1 && !has_calls && find_field(elements[i], "function_call") != nullptr)
        names.emplace(read[i].tool_calls[0].id, read[i].tool_calls[0].name);
    }
    return names;
  }

  const Json::Array& elements;
  const std::vector<ConversationMessage>& messages;
  const std::vector<std::uint64_t>& hashes;
  std::map<std::string, std::string> functions{};  ///< Names by those ids.
};

/// Forms of a message that chat services refuse though nothing is missing: a list without calls, a call in the form of before
/// beside others, a result without content.
bool is_refused(const Json& message) {
  const Json* const calls = find_field(message, "tool_calls");
  if (calls != nullptr && (calls->empty() || find_field(message, "function_call") != nullptr)) return true;
  return message["role"] == "tool" && find_field(message, "content") == nullptr;
}

bool has_own_fields(const Json& message) {
  constexpr std::array<const char*, 7> own{"reasoning_steps", "reasoning_events", "sequence_number", "agent",
                                           "created_at",      "retention",        "summary_of"};
  return std::any_of(own.begin(), own.end(), [&](const char* field) { return find_field(message, field) != nullptr; });
}

/// In the form in which its call came.
Json as_function(Json message, const std::string& name) {
  if (const Json* const calls = find_field(message, "tool_calls"); calls != nullptr && calls->size() == 1) {
    const Json function = (*calls)[0]["function"];
    message["function_call"] = function;
    message.erase("tool_calls");
  }
  if (message["role"] == "tool") {
    message["role"] = "function";
    message["name"] = name;
    message.erase("tool_call_id");
  }
  return message;
}

Json write_messages(const std::vector<ConversationMessage>& built, const OpenaiOriginal& original) {
  Json out = Json::array();
  const auto unchanged = find_unchanged(original.messages, original.hashes, built);
  for (std::size_t i = 0; i < built.size(); ++i) {
    const ConversationMessage& message = built[i];
    const Json* const as_it_came = unchanged[i] ? &original.elements[*unchanged[i]] : nullptr;
    if (as_it_came != nullptr && !has_own_fields(*as_it_came) && !is_refused(*as_it_came)) {
      out.push_back(*as_it_came);
      continue;
    }
    const bool calls_one = message.tool_calls.size() == 1;
    const auto function = original.functions.find(calls_one ? message.tool_calls[0].id : message.tool_call_id);
    Json json = write_openai_json(message);
    if (message.role == Role::tool && json["content"].is_null()) json["content"] = "";
    out.push_back(function == original.functions.end() ? std::move(json)
                                                       : as_function(std::move(json), function->second));
  }
  return out;
}

std::string with_list(Json request, Json messages) {
  if (request.is_array()) return dump_json(messages);
  erase_own_fields(request);
  request["messages"] = std::move(messages);
  return dump_json(request);
}

}  // namespace

Result<WireRequest> parse_openai_request(std::string_view json, const AttachmentSource& source,
                                         const CallOptions& call) {
  return read_wire(WireForm::openai, json, {{}, source}, call);
}

Result<std::string> with_messages(std::string_view request_json, const std::vector<ConversationMessage>& messages) {
  auto json = parse_json(request_json);
  if (!json) return tl::unexpected(std::move(json.error()));
  auto read = read_chat(std::move(*json), {});
  if (!read) return tl::unexpected(std::move(read.error()));
  const OpenaiOriginal original(read->list, read->list.messages);
  return with_list(std::move(read->json), write_messages(messages, original));
}

Result<BuiltWire> build_chat(const ContextManager& manager, std::string_view body, WireOptions options,
                             const CallOptions& call) {
  const auto ask = [&](ReadOpenai& read) {
    return request_of_chat({std::move(read.fields), std::move(read.list.messages)}, std::move(options.request),
                           options.attachments, call);
  };
  const auto write = [](ReadOpenai& read, const WireRequest& asked, const BuiltContext& built) -> Result<std::string> {
    write_tools(built, ToolShape::chat, read.json);
    auto messages = write_messages(built.messages, OpenaiOriginal(read.list, asked.context.conversation_history));
    return with_list(std::move(read.json), std::move(messages));
  };
  return fit(manager, {engine::ListForm::chat, body, "messages"}, &read_chat, ask, write, call);
}

Result<WireRequest> read_chat_request(std::string_view body, WireOptions options, const CallOptions& call) {
  return parse_json(body)
      .and_then([](const Json& parsed) { return decode_json<WrittenChat>(parsed); })
      .and_then([&](WrittenChat written) {
        return request_of_chat(std::move(written), std::move(options.request), options.attachments, call);
      });
}

Result<WireBuild> build_openai(const ContextManager& manager, std::string_view body, BuildRequest options,
                               const AttachmentSource& source, const CallOptions& call) {
  return with_text(build_wire(manager, WireForm::openai, body, {std::move(options), source}, call));
}

Result<WireRequest> openai_build_request(std::string_view body, BuildRequest options, const AttachmentSource& source,
                                         const CallOptions& call) {
  return read_wire(WireForm::openai, body, {std::move(options), source}, call);
}

Result<PlanPreview> plan_openai(const ContextManager& manager, std::string_view body, BuildRequest options,
                                const AttachmentSource& source, const CallOptions& call) {
  return plan_wire(manager, WireForm::openai, body, {std::move(options), source}, call);
}

}  // namespace ctxmgr
