#pragma once
#include <llama.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/prompts/prompt_template.hpp"

namespace ctxmgr {

/// Writes a list and tool definitions as the text of a prompt; with the start of the reply where the last argument says so.
using LlamaRender = std::function<Result<std::string>(const std::vector<ConversationMessage>&,
                                                      const std::vector<ToolDefinition>&, bool starts_reply)>;

/// A model's vocabulary and chat template: messages as tokens. Control tokens come from the template alone: what a message, a
/// result or a tool definition has of their text is text, so nobody speaks in another's name.
/// `vocab` must outlive it. Thread-safety: const methods may be called from several threads at once.
class LlamaTemplate {
 public:
  /// `jinja` as `llama_model_chat_template()` gives it; a `render` goes before it. A template that does not know tools has calls,
  /// results and definitions in its texts, as Hermes writes them. `invalid_argument` for a template that is not read.
  [[nodiscard]] static Result<std::shared_ptr<const LlamaTemplate>> make(const llama_vocab* vocab,
                                                                         std::string_view jinja,
                                                                         LlamaRender render = {});

  /// The prompt for the next reply. `invalid_argument` for a list that the template refuses, with its words.
  [[nodiscard]] Result<std::vector<llama_token>> tokens(std::vector<ConversationMessage> messages,
                                                        std::vector<ToolDefinition> tools) const {
    return rendered(std::move(messages), std::move(tools), true);
  }

  /// The same without the start of the reply.
  [[nodiscard]] Result<std::vector<llama_token>> tokens_before_reply(std::vector<ConversationMessage> messages,
                                                                     std::vector<ToolDefinition> tools) const {
    return rendered(std::move(messages), std::move(tools), false);
  }

  /// Tokens of a text, in which nothing is a control token.
  [[nodiscard]] std::int64_t count(std::string_view text) const {
    const auto size = static_cast<std::int32_t>(text.size());
    const auto tokens = llama_tokenize(vocab_, text.data(), size, nullptr, 0, false, false);
    return tokens < 0 ? -static_cast<std::int64_t>(tokens) : tokens;
  }

 private:
  LlamaTemplate(const llama_vocab* vocab, LlamaRender render) : vocab_(vocab), render_(std::move(render)) {
    for (llama_token token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
      const auto attributes = static_cast<unsigned>(llama_vocab_get_attr(vocab, token));
      if ((attributes & (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN)) == 0) continue;
      if (std::string text = llama_vocab_get_text(vocab, token); text.size() > 1) controls_.push_back(std::move(text));
    }
  }

  /// Text of control tokens stands between these two, with the third behind its first character. No text that comes in has them.
  static constexpr std::string_view opens = "\xF3\xBF\xBF\xBA", closes = "\xF3\xBF\xBF\xBB", parts = "\xF3\xBF\xBF\xBC";

  [[nodiscard]] Result<std::vector<llama_token>> rendered(std::vector<ConversationMessage> messages,
                                                          std::vector<ToolDefinition> tools, bool starts_reply) const;
  [[nodiscard]] std::size_t control_at(std::string_view text, std::size_t at) const;
  void guard(std::string& text) const;
  void guard(ConversationMessage& message) const;
  [[nodiscard]] Result<std::vector<llama_token>> tokens_of(const std::string& text) const;
  void append(std::string_view text, bool has_controls, std::vector<llama_token>& tokens) const;

  const llama_vocab* vocab_;
  LlamaRender render_;
  std::vector<std::string> controls_{};
};

namespace llama_detail {

inline std::string replaced(std::string text, std::string_view old, std::string_view now) {
  for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + now.size()))
    text.replace(at, old.size(), now);
  return text;
}

inline std::string json_string(std::string_view text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') json += '\\';
    if (byte >= 0x20)
      json += c;
    else
      json += std::string("\\u00") + digits[byte >> 4U] + digits[byte & 15U];
  }
  return json + '"';
}

/// Templates want an object. What is none, or hides characters behind escapes, is sent as text.
inline std::string arguments_of(const ToolCall& call) {
  static const auto probe = PromptTemplate::parse("{{ x is mapping }}");
  const bool hides = call.arguments_json.find("\\u") != std::string::npos;
  const auto is_object =
      probe && !hides ? probe->render_json("{\"x\":" + call.arguments_json + "}") : Result<std::string>();
  return is_object && *is_object == "True" ? call.arguments_json : json_string(call.arguments_json);
}

inline std::string json_of(const ConversationMessage& message) {
  auto json = "{\"role\":" + json_string(to_string(message.role)) + ",\"content\":" + json_string(text_of(message));
  if (!message.name.empty()) json += ",\"name\":" + json_string(message.name);
  if (!message.tool_call_id.empty()) json += ",\"tool_call_id\":" + json_string(message.tool_call_id);
  for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
    const auto& call = message.tool_calls[i];
    json += (i == 0 ? ",\"tool_calls\":[" : ",") + std::string("{\"type\":\"function\",\"id\":") +
            json_string(call.id) + ",\"function\":{\"name\":" + json_string(call.name) +
            ",\"arguments\":" + arguments_of(call) + "}}";
  }
  return json + (message.tool_calls.empty() ? "}" : "]}");
}

inline std::string json_of(const ToolDefinition& tool) {
  const auto parameters = tool.parameters_json.empty() ? R"({"type":"object","properties":{}})" : tool.parameters_json;
  return "{\"type\":\"function\",\"function\":{\"name\":" + json_string(tool.name) +
         ",\"description\":" + json_string(tool.description) + ",\"parameters\":" + parameters + "}}";
}

template <class Values>
std::string json_list(const Values& values) {
  std::string json = "[";
  for (const auto& value : values) json += (json.size() > 1 ? "," : "") + json_of(value);
  return json + "]";
}

/// As the templates of Hermes and Qwen write it: for a template that knows only texts.
inline std::vector<ConversationMessage> with_tools_in_texts(const std::vector<ConversationMessage>& messages,
                                                            const std::vector<ToolDefinition>& tools) {
  std::vector<ConversationMessage> texts;
  std::string known;
  for (const auto& tool : tools) known += json_of(tool) + "\n";
  if (!known.empty()) {
    known = "You may call these functions:\n<tools>\n" + known +
            "</tools>\nFor a call, write its JSON: <tool_call>\n{\"name\": …, \"arguments\": {…}}\n</tool_call>";
    if (messages.empty() || messages.front().role != Role::system) texts.push_back({Role::system, known});
  }
  for (const auto& message : messages) {
    auto text = text_of(message);
    for (const auto& call : message.tool_calls)
      text += std::string(text.empty() ? "" : "\n") + "<tool_call>\n{\"name\": " + json_string(call.name) +
              ", \"arguments\": " + arguments_of(call) + "}\n</tool_call>";
    if (message.role == Role::tool) text = "<tool_response>\n" + text + "\n</tool_response>";
    const auto role = message.role == Role::tool ? Role::user : message.role;
    if (role == Role::system && texts.empty() && !known.empty()) text += "\n\n" + known;
    if (role == Role::user && !texts.empty() && texts.back().role == Role::user)
      texts.back().content = text_of(texts.back()) + "\n" + text;
    else
      texts.push_back({role, std::move(text)});
  }
  return texts;
}

inline std::string text_of_token(const llama_vocab* vocab, llama_token token) {
  return token < 0 ? std::string() : std::string(llama_vocab_get_text(vocab, token));
}

/// For a template that takes no instruction: it stands in front of the user's words that follow.
inline std::vector<ConversationMessage> with_systems_in_texts(const std::vector<ConversationMessage>& messages) {
  std::vector<ConversationMessage> texts;
  std::string before;
  for (const auto& message : messages) {
    if (message.role == Role::system || message.role == Role::developer) {
      before += text_of(message) + "\n\n";
      continue;
    }
    texts.push_back(message);
    if (message.role == Role::user && !before.empty())
      texts.back().content = std::exchange(before, {}) + text_of(message);
  }
  if (!before.empty()) texts.push_back({Role::user, std::move(before)});
  return texts;
}

/// In front of a template: the function of Hugging Face's environment that writes today's date. The date is that of the moment
/// when the template was read, so that a thread's beginning stays the same.
inline std::string with_dates(std::string_view jinja) {
  const auto now = std::time(nullptr);
  std::tm today{};
#ifdef _WIN32
  localtime_s(&today, &now);
#else
  localtime_r(&now, &today);
#endif
  std::string written = "{% macro strftime_now(format) %}{{ format";
  for (const auto* const part : {"%Y", "%m", "%d", "%B", "%b", "%A", "%a", "%H", "%M", "%S", "%y", "%j"}) {
    std::array<char, 64> text{};
    const auto size = std::strftime(text.data(), text.size(), part, &today);
    written += std::string(" | replace('") + part + "', '" + std::string(text.data(), size) + "')";
  }
  return written + " }}{% endmacro %}{{- '' }}" + std::string(jinja);
}

/// The model's own template, in the environment of model cards.
inline Result<LlamaRender> jinja_render(const llama_vocab* vocab, std::string_view jinja) {
  TemplateOptions options;
  options.dialect = TemplateDialect::chat;
  auto read = PromptTemplate::parse(jinja, options);
  if (read && read->reads("strftime_now")) read = PromptTemplate::parse(with_dates(jinja), options);
  if (!read) return tl::unexpected(Error{read.error().code, "chat template: " + read.error().message, {}});
  const auto tokens = ",\"bos_token\":" + json_string(text_of_token(vocab, llama_vocab_bos(vocab))) +
                      ",\"eos_token\":" + json_string(text_of_token(vocab, llama_vocab_eos(vocab)));
  const bool knows_tools = read->reads("tools");
  const auto render = [chat = std::move(*read), tokens, knows_tools](const auto& messages, const auto& tools,
                                                                     bool starts) {
    auto data =
        "{\"messages\":" + json_list(messages) + tokens + ",\"add_generation_prompt\":" + (starts ? "true" : "false");
    if (knows_tools && !tools.empty()) data += ",\"tools\":" + json_list(tools);
    return chat.render_json(data + "}");
  };
  const std::vector<ConversationMessage> asks{{Role::user, "a"}}, instructs{{Role::system, "a"}, asks[0]};
  const std::vector<ToolDefinition> none;
  const bool knows_systems = render(instructs, none, true) || !render(asks, none, true);
  return LlamaRender([render, knows_tools, knows_systems](const auto& messages, const auto& tools, bool starts) {
    auto list = knows_tools ? messages : with_tools_in_texts(messages, tools);
    return render(knows_systems ? list : with_systems_in_texts(list), tools, starts);
  });
}

}  // namespace llama_detail

inline Result<std::shared_ptr<const LlamaTemplate>> LlamaTemplate::make(const llama_vocab* vocab,
                                                                        std::string_view jinja, LlamaRender render) {
  if (!render) {
    if (jinja.empty()) return fail(ErrorCode::invalid_argument, "the model has no chat template: give one");
    auto read = llama_detail::jinja_render(vocab, jinja);
    if (!read) return tl::unexpected(std::move(read.error()));
    render = std::move(*read);
  }
  return std::shared_ptr<const LlamaTemplate>(new LlamaTemplate(vocab, std::move(render)));
}

/// Bytes of the longest control token whose text stands there; 0 for none.
inline std::size_t LlamaTemplate::control_at(std::string_view text, std::size_t at) const {
  std::size_t longest = 0;
  for (const auto& control : controls_) {
    if (control[0] == text[at] && control.size() > longest && text.compare(at, control.size(), control) == 0)
      longest = control.size();
  }
  return longest;
}

inline void LlamaTemplate::guard(std::string& text) const {
  for (const auto mark : {opens, closes, parts}) text = llama_detail::replaced(std::move(text), mark, "\xEF\xBF\xBD");
  std::array<bool, 256> begins{};
  for (const auto& control : controls_) begins[static_cast<unsigned char>(control[0])] = true;
  std::string guarded;
  std::size_t written = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!begins[static_cast<unsigned char>(text[at])]) continue;
    const auto size = control_at(text, at);
    if (size == 0) continue;
    std::size_t first = 1;  // A whole character.
    while (first < size && (static_cast<unsigned char>(text[at + first]) & 0xC0U) == 0x80U) ++first;
    guarded.append(text, written, at - written).append(opens).append(text, at, first).append(parts);
    guarded.append(text, at + first, size - first).append(closes);
    at += size - 1;
    written = at + 1;
  }
  if (written > 0) text = guarded.append(text, written);
}

inline void LlamaTemplate::guard(ConversationMessage& message) const {
  auto text = text_of(message);
  guard(text);
  message.content = std::move(text);
  guard(message.name);
  guard(message.tool_call_id);
  for (auto& call : message.tool_calls)
    for (auto* const field : {&call.id, &call.name, &call.arguments_json}) guard(*field);
}

inline Result<std::vector<llama_token>> LlamaTemplate::rendered(std::vector<ConversationMessage> messages,
                                                                std::vector<ToolDefinition> tools,
                                                                bool starts_reply) const {
  for (auto& message : messages) guard(message);
  for (auto& tool : tools)
    for (auto* const field : {&tool.name, &tool.description, &tool.parameters_json}) guard(*field);
  auto text = render_(messages, tools, starts_reply);
  if (!text) return tl::unexpected(Error{text.error().code, "chat template: " + text.error().message, {}});
  return tokens_of(*text);
}

inline Result<std::vector<llama_token>> LlamaTemplate::tokens_of(const std::string& text) const {
  std::vector<llama_token> tokens;
  const auto bos = llama_vocab_bos(vocab_);
  const auto begin = llama_detail::text_of_token(vocab_, bos);
  if (llama_vocab_get_add_bos(vocab_) && bos >= 0 && text.compare(0, begin.size(), begin) != 0) tokens.push_back(bos);
  std::string_view rest = text;
  for (bool is_text = false; !rest.empty(); is_text = !is_text) {
    const auto mark = is_text ? closes : opens;
    const auto end = rest.find(mark);
    append(rest.substr(0, end), !is_text, tokens);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + mark.size());
  }
  return tokens;
}

inline void LlamaTemplate::append(std::string_view text, bool has_controls, std::vector<llama_token>& tokens) const {
  auto plain = std::string(text);
  for (const auto mark : {opens, closes, parts}) plain = llama_detail::replaced(std::move(plain), mark, "");
  const auto size = static_cast<std::int32_t>(plain.size());
  const auto written = tokens.size();
  tokens.resize(written + plain.size() + 1);
  const auto room = static_cast<std::int32_t>(tokens.size() - written);
  const auto made = llama_tokenize(vocab_, plain.data(), size, tokens.data() + written, room, false, has_controls);
  tokens.resize(written + static_cast<std::size_t>(std::max(0, made)));
}

}  // namespace ctxmgr
