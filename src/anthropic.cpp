#include "ctxmgr/anthropic.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/ascii.hpp"
#include "core/instruction_role.hpp"
#include "core/json/anthropic.hpp"
#include "core/json/part_forms.hpp"
#include "core/json/types.hpp"
#include "core/shaped_messages.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "request_fields.hpp"
#include "unchanged_messages.hpp"
#include "wire_forms.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t most_cache_breakpoints = 4;  // Of a whole request, tools included.

std::size_t count_breakpoints(const Json& json) {
  if (!json.is_container()) return 0;
  std::size_t count = json.is_object() && find_field(json, "cache_control") != nullptr ? 1 : 0;
  for (const Json& member : json) count += count_breakpoints(member);
  return count;
}

/// A request without its messages, and those.
struct ReadAnthropic {
  Json json{};  ///< An empty list, where the request is a bare array of messages.
  engine::ReadList list{};
};

Result<ReadAnthropic> read_messages(Json json, engine::ReadList list) {
  auto read = read_anthropic_messages(json);
  if (!read) return tl::unexpected(std::move(read.error()));
  std::optional<ConversationMessage> system;
  if (!read->origins.empty() && read->origins.front() == AnthropicMessages::from_system) {
    system = std::move(read->messages.front());
    read->messages.erase(read->messages.begin());
    read->origins.erase(read->origins.begin());
  }
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const std::size_t origin : read->origins) places.emplace_back(origin, origin + 1);
  auto elements = std::exchange(json.is_array() ? json.elements() : json["messages"].elements(), {});
  for (const Json& element : elements)
    list.breakpoints.push_back(count_breakpoints(element) + (list.breakpoints.empty() ? 0 : list.breakpoints.back()));
  list.append(std::move(elements), std::move(read->messages), places);
  list.set_instructions(std::move(system));
  return ReadAnthropic{std::move(json), std::move(list)};
}

/// A request as it came, and where each message of ours is in it.
struct AnthropicOriginal {
  /// `messages`: of the list.
  AnthropicOriginal(const ReadAnthropic& request, const std::vector<ConversationMessage>& read)
      : json(request.json), list(request.list), messages(read), hashes(request.list.known->hashes(read)) {}

  /// As of AnthropicMessages.
  [[nodiscard]] std::size_t origin(std::size_t message) const {
    return message == 0 && list.has_instructions ? AnthropicMessages::from_system : list.places[message].first;
  }

  /// Of a cache, in everything.
  [[nodiscard]] std::size_t breakpoints() const {
    return count_breakpoints(json) + (list.breakpoints.empty() ? 0 : list.breakpoints.back());
  }

  const Json& json;  ///< Without its messages.
  const engine::ReadList& list;
  const std::vector<ConversationMessage>& messages;
  const std::vector<std::uint64_t>& hashes;
};

Result<WireRequest> request_of_messages(ReadAnthropic& read, BuildRequest options, const AttachmentSource& source,
                                        const CallOptions& call) {
  if (read.list.has_only_instructions()) return fail(ErrorCode::invalid_argument, "/messages: there are none");
  auto fields = read.json.is_object() ? decode_json<RequestFields>(read.json) : RequestFields{};
  if (!fields) return tl::unexpected(std::move(fields.error()));
  fields->sent_beside = fields_beside(read.json, {"messages", "system"});
  auto context = make_context(std::move(read.list.messages), *fields, source, call);
  if (!context) return tl::unexpected(std::move(context.error()));
  apply(*fields, context->conversation_history, options);
  if (!options.shape) options.shape = message_shape("anthropic");
  options.shape->unique_call_ids = true;
  return WireRequest{std::move(*context), std::move(options)};
}

/// Writes the messages that were built, those that were not changed as they came.
class Writer {
 public:
  explicit Writer(const AnthropicOriginal& original) : original_(original) {}

  Result<void> write(const std::vector<ConversationMessage>& built) {
    open_with_the_user(built);
    const auto unchanged = find_unchanged(original_.messages, original_.hashes, built);
    for (std::size_t i = 0; i < built.size();) {
      const auto whole = whole_from(unchanged, i);
      auto written = whole > 0 ? copy(original_.origin(*unchanged[i])) : convert(built[i], unchanged[i]);
      if (!written) return written;
      for (std::size_t end = i + std::max<std::size_t>(whole, 1); i < end; ++i) places_.push_back(here());
    }
    return {};
  }

  /// Puts a breakpoint after the i-th message that was built.
  void place_breakpoint(std::size_t i) {
    if (i >= places_.size()) return;
    const auto [in_system, position] = places_[i];
    if (in_system) {
      put_breakpoint(system_);
    } else if (position > 0) {
      put_breakpoint(messages_[position - 1]["content"]);
    }
  }

  void replace_in(Json& request) {
    settle_instructions();
    if (request.is_array()) {
      request = std::move(messages_);
      return;
    }
    if (!system_.is_null()) {
      request["system"] = std::move(system_);
    } else if (says_nothing(request["system"])) {
      request.erase("system");
    }
    request["messages"] = std::move(messages_);
  }

 private:
  /// The service wants the first word to be the user's, who may have been cut off.
  void open_with_the_user(const std::vector<ConversationMessage>& built) {
    const auto first = std::find_if(built.begin(), built.end(),
                                    [](const ConversationMessage& message) { return !is_instruction(message); });
    if (first == built.end() || first->role != Role::assistant) return;
    messages_.push_back({{"role", "user"}, {"content", words_of_the_user}});
  }

  /// Instructions among the messages stand before the assistant's or last, and not two in a row; what they stood before may
  /// have been left out.
  void settle_instructions() {
    Json settled = Json::array();
    std::vector<Json> waiting;
    const auto place = [&] {
      if (waiting.empty()) return;
      for (std::size_t i = 1; i < waiting.size(); ++i) {
        Json& content = waiting.front()["content"];
        content = as_blocks(content);
        for (const Json& block : as_blocks(waiting[i]["content"])) content.push_back(block);
      }
      settled.push_back(std::move(waiting.front()));
      waiting.clear();
    };
    for (const Json& message : messages_) {
      if (message["role"] == "system") {
        waiting.push_back(message);
        continue;
      }
      if (message["role"] == "assistant") place();
      settled.push_back(message);
    }
    place();
    messages_ = std::move(settled);
  }

  struct Place {
    bool in_system;
    std::size_t position;  ///< One after the last message.
  };
  Place here() const { return {in_system_, messages_.size()}; }

  /// How many built messages from here on are all that an element of the request was read as; 0: not all of it is there.
  std::size_t whole_from(const std::vector<std::optional<std::size_t>>& unchanged, std::size_t at) const {
    if (!unchanged[at]) return 0;
    const auto first = *unchanged[at];
    const auto origin = original_.origin(first);
    if (first > 0 && original_.origin(first - 1) == origin) return 0;
    std::size_t count = 0;
    while (first + count < original_.messages.size() && original_.origin(first + count) == origin) {
      if (at + count >= unchanged.size() || unchanged[at + count] != first + count) return 0;
      ++count;
    }
    return count;
  }

  Result<void> copy(std::size_t origin) {
    if (origin == AnthropicMessages::from_system) {
      system_ = original_.json["system"];
      in_system_ = true;
      is_open_ = false;
      return {};
    }
    in_system_ = false;
    const Json& message = original_.list.elements[origin];
    if (is_open_ && messages_.back()["role"] == message["role"]) {
      for (const Json& block : as_blocks(message["content"])) messages_.back()["content"].push_back(block);
      return {};
    }
    messages_.push_back(message);
    is_open_ = false;
    return {};
  }

  /// What has no message of its own in the request joins its neighbours of the same role.
  Result<void> convert(const ConversationMessage& message, const std::optional<std::size_t>& unchanged) {
    auto blocks = write_anthropic_blocks(message, ExtraFields::all);
    if (!blocks) return tl::unexpected(std::move(blocks.error()));
    if (blocks->empty()) return {};
    const bool instructs = is_instruction(message);
    const bool stands_among = unchanged && original_.origin(*unchanged) != AnthropicMessages::from_system;
    in_system_ = instructs && !stands_among;
    if (in_system_) {
      system_ = as_blocks(system_);
      for (Json& block : *blocks) system_.push_back(std::move(block));
      return {};
    }
    const char* const role = instructs ? "system" : message.role == Role::assistant ? "assistant" : "user";
    if (messages_.empty() || messages_.back()["role"] != role) {
      messages_.push_back({{"role", role}, {"content", Json::array()}});
    }
    Json& content = messages_.back()["content"];
    content = as_blocks(content);
    for (Json& block : *blocks) content.push_back(std::move(block));
    is_open_ = true;
    return {};
  }

  static Json as_blocks(const Json& content) {
    if (content.is_array()) return content;
    if (!content.is_string() || content.string().empty()) return Json::array();
    return Json::array({{{"type", "text"}, {"text", content}}});
  }

  /// The service refuses instructions of blank text.
  static bool says_nothing(const Json& system) {
    const Json blocks = as_blocks(system);
    return std::all_of(blocks.begin(), blocks.end(), [](const Json& block) {
      const std::string* const text = get_string(block, "text");
      return text != nullptr && ascii::trimmed(*text).empty();
    });
  }

  /// At the last block that takes one: thoughts do not.
  static void put_breakpoint(Json& content) {
    content = as_blocks(content);
    auto& blocks = content.elements();
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      const std::string* const type = get_string(*block, "type");
      if (type == nullptr || *type == "thinking" || *type == "redacted_thinking") continue;
      (*block)["cache_control"] = {{"type", "ephemeral"}};
      return;
    }
  }

  const AnthropicOriginal& original_;
  Json system_;
  Json messages_ = Json::array();
  bool in_system_ = false;  ///< What was written last.
  bool is_open_ = false;    ///< The last message is not one of the request's own.
  std::vector<Place> places_;
};

/// `breakpoints`: after which of the messages one is wanted.
Result<std::string> write_messages_request(const AnthropicOriginal& original, const BuiltContext& built,
                                           const std::vector<std::size_t>& breakpoints,
                                           std::optional<std::int64_t> service_compacts_at = std::nullopt) {
  Writer writer(original);
  if (auto done = writer.write(built.messages); !done) return tl::unexpected(std::move(done.error()));
  std::size_t used = original.breakpoints();
  for (const std::size_t i : breakpoints) {
    if (used++ < most_cache_breakpoints) writer.place_breakpoint(i);
  }
  Json request = original.json;
  if (request.is_object()) {
    erase_own_fields(request);
    write_tools(built, ToolShape::messages, request);
    ask_for_compaction(service_compacts_at, ToolShape::messages, request);
  }
  writer.replace_in(request);
  return dump_json(request);
}

/// Calls, results, thoughts of Claude, media with a source: no other service has such blocks.
bool is_block_of_messages(const Json& block) {
  const auto type = forms::type_of(block);
  if (type == "tool_use" || type == "tool_result" || forms::is_of_anthropic(block)) return true;
  return (type == "image" || type == "document") && find_field(block, "source") != nullptr;
}

bool has_blocks_of_messages(const Json& message) {
  const Json* const content = find_field(message, "content");
  return content != nullptr && content->is_array() &&
         std::any_of(content->begin(), content->end(), is_block_of_messages);
}

/// Roles and calls as chat requests have them, and Messages never.
bool is_of_chat(const Json& message) {
  const std::string* const role = get_string(message, "role");
  const bool is_of_their_roles = role != nullptr && *role != "user" && *role != "assistant";
  return is_of_their_roles || find_field(message, "tool_calls") != nullptr ||
         find_field(message, "function_call") != nullptr;
}

/// What a request to Claude says beside its messages: the schema of a tool, or that it has to name a limit.
bool has_fields_of_messages(const Json& request) {
  const Json* const tools = find_field(request, "tools");
  const bool has_schema = tools != nullptr && std::any_of(tools->begin(), tools->end(), [](const Json& tool) {
                            return find_field(tool, "input_schema") != nullptr;
                          });
  const std::string* const model = get_string(request, "model");
  const bool is_claude = model != nullptr && model->compare(0, 6, "claude") == 0;
  return has_schema || find_field(request, "anthropic_version") != nullptr ||
         (is_claude && find_field(request, "max_tokens") != nullptr);
}

/// With room for the word that may have to be put before all else.
WireRequest with_user_in_front(WireRequest asked) {
  auto& request = asked.request;
  request.shape = MessageShape{};  // The writer sees to all but this:
  request.shape->unique_call_ids = true;
  constexpr std::int64_t room = 8;
  auto& budget = request.budget;
  if (budget.max_input_tokens) *budget.max_input_tokens = std::max<std::int64_t>(0, *budget.max_input_tokens - room);
  if (budget.reserved_output_tokens) *budget.reserved_output_tokens += room;
  return asked;
}

Result<WireRequest> read_whole(std::string_view body, WireOptions options, const CallOptions& call) {
  auto json = parse_json(body);
  if (!json) return tl::unexpected(std::move(json.error()));
  auto read = read_messages(std::move(*json), {});
  if (!read) return tl::unexpected(std::move(read.error()));
  return request_of_messages(*read, std::move(options.request), options.attachments, call);
}

}  // namespace

Result<WireRequest> parse_anthropic_request(std::string_view json, const AttachmentSource& source,
                                            const CallOptions& call) {
  return read_whole(json, {{}, source}, call);
}

bool is_anthropic_request(std::string_view json) {
  const auto request = parse_json(json);
  if (!request) return false;
  if (find_field(*request, "system") != nullptr) return true;
  const Json* const messages = request->is_array() ? &*request : find_field(*request, "messages");
  if (messages == nullptr || !messages->is_array()) return false;
  if (std::any_of(messages->begin(), messages->end(), has_blocks_of_messages)) return true;
  return has_fields_of_messages(*request) && std::none_of(messages->begin(), messages->end(), is_of_chat);
}

Result<std::string> with_anthropic_messages(std::string_view request_json,
                                            const std::vector<ConversationMessage>& messages) {
  auto json = parse_json(request_json);
  if (!json) return tl::unexpected(std::move(json.error()));
  auto read = read_messages(std::move(*json), {});
  if (!read) return tl::unexpected(std::move(read.error()));
  BuiltContext built;
  built.messages = messages;
  return write_messages_request(AnthropicOriginal(*read, read->list.messages), built, {});
}

Result<BuiltWire> build_messages(const ContextManager& manager, std::string_view body, WireOptions options,
                                 const CallOptions& call) {
  const auto ask = [&](ReadAnthropic& read) {
    return request_of_messages(read, std::move(options.request), options.attachments, call).map(with_user_in_front);
  };
  const auto write = [&](const ReadAnthropic& read, const WireRequest& asked, const BuiltContext& built) {
    const bool places = options.cache_control == CacheControl::place;
    return write_messages_request(AnthropicOriginal(read, asked.context.conversation_history), built,
                                  places ? built.metadata.cache_breakpoints : std::vector<std::size_t>{},
                                  asked.request.history.service_compacts_at);
  };
  return fit(manager, {engine::ListForm::messages, body, "messages"}, &read_messages, ask, write, call);
}

Result<WireRequest> read_messages_request(std::string_view body, WireOptions options, const CallOptions& call) {
  return read_whole(body, std::move(options), call).map(with_user_in_front);
}

Result<WireBuild> build_anthropic(const ContextManager& manager, std::string_view body, BuildRequest options,
                                  const AttachmentSource& source, const CallOptions& call, CacheControl cache_control) {
  return with_text(build_wire(manager, WireForm::anthropic, body, {std::move(options), source, cache_control}, call));
}

Result<WireRequest> anthropic_build_request(std::string_view body, BuildRequest options, const AttachmentSource& source,
                                            const CallOptions& call) {
  return read_wire(WireForm::anthropic, body, {std::move(options), source}, call);
}

Result<PlanPreview> plan_anthropic(const ContextManager& manager, std::string_view body, BuildRequest options,
                                   const AttachmentSource& source, const CallOptions& call) {
  return plan_wire(manager, WireForm::anthropic, body, {std::move(options), source}, call);
}

}  // namespace ctxmgr
