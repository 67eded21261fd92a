#include "serve/conversation.hpp"

#include <algorithm>
#include <array>

#include "ctxmgr/core/artifact.hpp"
#include "serve/bounded_json.hpp"
#include "serve/json_parts.hpp"

namespace ctxpack::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t digits_of_a_thread = 16;

/// Of a message or a list of blocks, the words: breakpoints of a cache move from turn to turn.
void append_words(const Json& content, std::string& words) {
  if (content.is_string()) {
    words += content.get_ref<const std::string&>();
  } else if (content.is_array()) {
    for (const auto& part : content) {
      const auto text = part.is_object() ? part.find("text") : part.end();
      if (part.is_object() && text != part.end() && text->is_string()) words += text->get_ref<const std::string&>();
    }
  }
  words += '\n';
}

/// Of a request's text, since it may be large: a member is read where it is needed.
std::string string_in(const Members& object, std::string_view name) {
  const auto value = object.value(name);
  const auto read = value.empty() || value.front() != '"' ? Json() : read_json(value);
  return read.is_string() ? read.get<std::string>() : std::string();
}

/// Whether a tool of that name is among the request's, in the form of either service.
bool offers(std::string_view definitions, std::string_view name) {
  Elements tools(definitions);
  while (const auto tool = tools.next()) {
    const Members whole(*tool);
    const auto function = whole.value("function");
    if (string_in(function.empty() ? whole : Members(function), "name") == name) return true;
  }
  return false;
}

/// For people: of the last part that has words, since agents put reminders of their own before what the user says.
std::string line_of(const Json& content) {
  constexpr std::size_t most_bytes = 80;
  std::string words;
  const auto take = [&words](const std::string& text) {
    std::string line;
    for (const char c : text) {
      const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!is_blank) line += c;
      if (is_blank && !line.empty() && line.back() != ' ') line += ' ';
      if (line.size() > most_bytes) break;
    }
    if (!line.empty()) words = line;
  };
  if (content.is_string()) take(content.get_ref<const std::string&>());
  if (content.is_array()) {
    for (const auto& part : content) take(string_at(part, "text"));
  }
  if (words.size() <= most_bytes) return words;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0U) == 0x80U) --end;
  return words.substr(0, end) + "…";
}

/// How a conversation begins.
struct Beginning {
  std::string words{};        ///< Empty: the request is none.
  std::string first_words{};  ///< Of the user.
};

/// Everything up to the user's first words. Of a list in the form of Responses the same: items that are no messages have no
/// role, and say nothing of where a conversation begins.
Beginning beginning_of(const Members& request) {
  Beginning beginning;
  auto& words = beginning.words;
  for (const char* const field : {"system", "instructions"}) {
    if (const auto instructions = request.value(field); !instructions.empty())
      append_words(read_json(instructions), words);
  }
  auto list = request.value("messages");
  if (list.empty()) list = request.value("input");
  if (list.empty()) return {};
  if (list.front() == '"') {
    const auto text = read_json(list);
    if (!text.is_string()) return {};
    append_words(text, words);
    beginning.first_words = line_of(text);
    return beginning;
  }
  if (list.front() != '[') return {};
  Elements messages(list);
  while (const auto text = messages.next()) {
    const auto message = read_json(*text);
    if (!message.is_object()) return {};
    const auto role = string_at(message, "role");
    words += role + ":";
    const auto* const content = member(message, "content");
    if (content != nullptr) append_words(*content, words);
    if (role != "user") continue;
    if (content != nullptr) beginning.first_words = line_of(*content);
    break;
  }
  return beginning;
}

/// Definitions that stand in the request whole; of all others the service has its own text, and may add what they find.
bool is_whole_tool(const Members& tool) {
  if (!tool.value("function").empty() || !tool.value("input_schema").empty()) return true;
  const auto type = string_in(tool, "type");
  return type == "function" || type == "custom";
}

/// Media count by rules that are estimates where only their address is here.
bool names_media(std::string_view body) {
  constexpr std::array<std::string_view, 7> of_media = {R"(image_url")",   R"(input_image")", R"(input_file")",
                                                        R"(input_audio")", R"(file_id")",     R"(file_data")",
                                                        R"(media_type")"};
  for (auto at = body.find('"'); at != std::string_view::npos; at = body.find('"', at + 1)) {
    const auto name = body.substr(at + 1);
    const auto begins = [name](std::string_view media) { return name.substr(0, media.size()) == media; };
    const bool may_begin = !name.empty() && (name[0] == 'i' || name[0] == 'f' || name[0] == 'm');
    if (may_begin && std::any_of(of_media.begin(), of_media.end(), begins)) return true;
  }
  return false;
}

bool has_all_input(std::string_view body, const Members& request) {
  constexpr std::array<const char*, 10> kept_elsewhere = {
      "previous_response_id", "conversation", "prompt",  "container",          "mcp_servers",
      "context_management",   "truncation",   "plugins", "web_search_options", "transforms"};
  for (const char* const field : kept_elsewhere) {
    const auto value = request.value(field);
    if (!value.empty() && value != "null" && value != R"("disabled")") return false;
  }
  if (names_media(body)) return false;
  Elements tools(request.value("tools"));
  while (const auto tool = tools.next()) {
    if (!is_whole_tool(Members(*tool))) return false;
  }
  return true;
}

/// 0 where none of the fields is a number.
std::int64_t output_tokens_of(const Members& request) {
  for (const char* const field : {"max_completion_tokens", "max_output_tokens", "max_tokens"}) {
    const auto value = request.value(field);
    const auto read = value.empty() ? Json() : read_json(value);
    if (read.is_number_integer()) return std::max<std::int64_t>(0, read.get<std::int64_t>());
  }
  return 0;
}

/// What agents call the conversation.
std::string own_name_of(const Members& request) {
  std::string names;
  for (const char* const field : {"prompt_cache_key", "conversation"}) names += string_in(request, field) + "\n";
  return names + string_in(Members(request.value("conversation")), "id") + "\n" +
         string_in(Members(request.value("metadata")), "user_id");
}

}  // namespace

Glance glance_at(std::string_view body, const std::string& owner) {
  const Members request(body);
  Glance glance;
  glance.tools = request.value("tools");
  glance.reads_back = offers(glance.tools, "get_context");
  glance.model = string_in(request, "model");
  glance.carries_all_input = has_all_input(body, request);
  glance.output_tokens = output_tokens_of(request);
  auto beginning = beginning_of(request);
  if (beginning.words.empty()) return glance;
  glance.first_words = std::move(beginning.first_words);
  const auto document = ctxmgr::make_document({}, owner + "\n" + own_name_of(request) + "\n" + beginning.words);
  glance.thread = "t-" + ctxmgr::content_hash(document).substr(0, digits_of_a_thread);
  return glance;
}

std::string kept_name(const std::string& name, const std::string& owner) {
  return owner.empty() ? name : name + " " + owner;
}

bool is_valid_thread(std::string_view name) {
  constexpr std::size_t most_characters = 100;
  if (name.empty() || name.size() > most_characters) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace ctxpack::serve
