#include "ctxmgr/anthropic.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/json_anthropic.hpp"
#include "core/json_types.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "request_fields.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t most_cache_breakpoints = 4;  // Of a whole request, tools included.

struct Parsed {
  AnthropicRequest request{};
  std::vector<std::string> texts{};    ///< Each message as JSON, to be found again among those that were built.
  std::vector<std::size_t> origins{};  ///< As of AnthropicMessages.
};

Result<Parsed> parse(const Json& json, BuildRequest options, const AttachmentSource& source, const CallOptions& call) {
  auto read = read_anthropic_messages(json);
  if (!read) return tl::unexpected(std::move(read.error()));
  auto fields = json.is_object() ? decode_json<RequestFields>(json) : RequestFields{};
  if (!fields) return tl::unexpected(std::move(fields.error()));
  Parsed parsed;
  parsed.origins = std::move(read->origins);
  for (const auto& message : read->messages) parsed.texts.push_back(to_json(message));
  auto context = make_context(std::move(read->messages), *fields, source, call);
  if (!context) return tl::unexpected(std::move(context.error()));
  apply(*fields, options);
  parsed.request = {std::move(*context), std::move(options)};
  return parsed;
}

/// For each message that was built, the one that it is, where it was not changed. Both lists are in one order.
std::vector<std::optional<std::size_t>> find_unchanged(const std::vector<ConversationMessage>& built,
                                                       const std::vector<std::string>& texts) {
  std::unordered_map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = texts.size(); i-- > 0;) places[texts[i]].push_back(i);
  std::vector<std::optional<std::size_t>> found;
  std::size_t next = 0;
  for (const auto& message : built) {
    auto& place = found.emplace_back();
    const auto candidates = places.find(to_json(message));
    if (candidates == places.end()) continue;
    auto& left = candidates->second;  // The last is the first.
    while (!left.empty() && left.back() < next) left.pop_back();
    if (left.empty()) continue;
    place = left.back();
    next = *place + 1;
  }
  return found;
}

/// Writes the messages that were built, those that were not changed as they came.
class Writer {
 public:
  Writer(const Json& request, const Parsed& parsed) : request_(request), parsed_(parsed) {}

  Result<void> write(const std::vector<ConversationMessage>& built) {
    const auto unchanged = find_unchanged(built, parsed_.texts);
    for (std::size_t i = 0; i < built.size();) {
      const auto whole = whole_from(unchanged, i);
      const auto written = whole > 0 ? copy(parsed_.origins[*unchanged[i]]) : convert(built[i], unchanged[i]);
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
    if (request.is_array()) {
      request = std::move(messages_);
      return;
    }
    if (!system_.is_null()) request["system"] = std::move(system_);
    request["messages"] = std::move(messages_);
  }

 private:
  struct Place {
    bool in_system;
    std::size_t position;  ///< One after the last message.
  };
  Place here() const { return {messages_.empty() && !system_.is_null(), messages_.size()}; }

  /// How many built messages from here on are all that an element of the request was read as; 0: not all of it is there.
  std::size_t whole_from(const std::vector<std::optional<std::size_t>>& unchanged, std::size_t at) const {
    if (!unchanged[at]) return 0;
    const auto first = *unchanged[at];
    const auto origin = parsed_.origins[first];
    if (first > 0 && parsed_.origins[first - 1] == origin) return 0;
    std::size_t count = 0;
    while (first + count < parsed_.origins.size() && parsed_.origins[first + count] == origin) {
      if (at + count >= unchanged.size() || unchanged[at + count] != first + count) return 0;
      ++count;
    }
    return count;
  }

  Result<void> copy(std::size_t origin) {
    if (origin == AnthropicMessages::from_system) {
      system_ = request_["system"];
      is_open_ = false;
      return {};
    }
    const Json& list = request_.is_array() ? request_ : request_["messages"];
    const Json& message = list[origin];
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
    const bool instructs = message.role == Role::system || message.role == Role::developer;
    const bool stands_among = unchanged && parsed_.origins[*unchanged] != AnthropicMessages::from_system;
    if (instructs && !stands_among) {
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
    if (!content.is_string() || content.get_ref<const std::string&>().empty()) return Json::array();
    return Json::array({{{"type", "text"}, {"text", content}}});
  }

  /// At the last block that takes one: thoughts do not.
  static void put_breakpoint(Json& content) {
    content = as_blocks(content);
    for (auto block = content.rbegin(); block != content.rend(); ++block) {
      const std::string* const type = get_string(*block, "type");
      if (type == nullptr || *type == "thinking" || *type == "redacted_thinking") continue;
      (*block)["cache_control"] = {{"type", "ephemeral"}};
      return;
    }
  }

  const Json& request_;
  const Parsed& parsed_;
  Json system_;
  Json messages_ = Json::array();
  bool is_open_ = false;  ///< The last message is not one of the request's own.
  std::vector<Place> places_;
};

std::size_t count_breakpoints(const Json& json) {
  if (!json.is_structured()) return 0;
  std::size_t count = json.is_object() && find_field(json, "cache_control") != nullptr ? 1 : 0;
  for (const Json& member : json) count += count_breakpoints(member);
  return count;
}

void place_breakpoints(Writer& writer, const Json& request, const std::vector<std::size_t>& wanted) {
  std::size_t used = count_breakpoints(request);
  for (const std::size_t i : wanted) {
    if (used++ >= most_cache_breakpoints) return;
    writer.place_breakpoint(i);
  }
}

}  // namespace

Result<AnthropicRequest> parse_anthropic_request(std::string_view json, const AttachmentSource& source,
                                                 const CallOptions& call) {
  return parse_json(json)
      .and_then([&](const Json& parsed) { return parse(parsed, {}, source, call); })
      .map([](Parsed parsed) { return std::move(parsed.request); });
}

Result<AnthropicBuild> build_anthropic(const ContextManager& manager, std::string_view body, BuildRequest options,
                                       const AttachmentSource& source, const CallOptions& call,
                                       const AnthropicOptions& written) {
  auto json = parse_json(body);
  if (!json) return tl::unexpected(std::move(json.error()));
  const auto parsed = parse(*json, std::move(options), source, call);
  if (!parsed) return tl::unexpected(parsed.error());
  auto built = manager.build(parsed->request.context, parsed->request.request, call);
  if (!built) return tl::unexpected(std::move(built.error()));
  Writer writer(*json, *parsed);
  if (auto done = writer.write(built->messages); !done) return tl::unexpected(std::move(done.error()));
  if (written.cache_control == CacheControl::place) {
    place_breakpoints(writer, *json, built->metadata.cache_breakpoints);
  }
  Json request = *json;
  if (request.is_object()) erase_own_fields(request);
  writer.replace_in(request);
  return AnthropicBuild{dump_json(request), to_json(built->metadata), std::move(built->thread_state)};
}

}  // namespace ctxmgr
