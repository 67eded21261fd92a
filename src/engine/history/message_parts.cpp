#include "engine/history/message_parts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "core/enum_tables.hpp"
#include "core/json/json.hpp"
#include "core/utf8.hpp"
#include "engine/structure/call_line.hpp"
#include "engine/structure/dense_view.hpp"
#include "engine/structure/omission.hpp"
#include "media/part_content.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_heading = 120;

/// A longer argument is a text, as one of several lines is.
constexpr std::size_t longest_value = 400;

std::string_view label_of(const ConversationMessage& message) {
  return message.name.empty() ? enum_name(message.role) : std::string_view(message.name);
}

bool is_long(std::string_view text) { return text.size() > longest_value || text.find('\n') != std::string_view::npos; }

bool is_written_text(const Json& value) { return value.is_string() && is_long(value.string()); }

void add_section(const std::string& name, std::string_view words, MessageText& out) {
  TextSection section;
  out.text += '\n';
  section.begin = out.text.size();
  out.text.append("[").append(single_line(name, longest_heading)).append("]");
  section.text = out.text.size();
  out.text.append("\n").append(words);
  section.end = out.text.size();
  out.sections.push_back(section);
}

void add_parts(const ConversationMessage& message, MessageText& out) {
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr) return;
  for (const auto& part : *parts)
    if (const auto words = words_in_part(part)) add_section(words->name, words->text, out);
}

std::string line_of(const std::string& tool, const std::string& arguments) {
  return "[call " + tool + "(" + arguments + ")]";
}

/// What the call writes becomes sections. Returns the call as a line without them.
std::string add_written(const ToolCall& call, MessageText& out) {
  if (call.arguments_json.empty() && !call.extra_json.empty()) {
    const auto words = words_in_part({PartKind::other, {}, call.extra_json});  // An item that is the call as a whole.
    if (words && is_long(words->text)) add_section(words->name, words->text, out);
  }
  auto whole = line_of(call.name, call.arguments_json);
  if (call.arguments_json.size() <= longest_value && call.arguments_json.find("\\n") == std::string::npos) return whole;
  auto arguments = parse_json(call.arguments_json);
  if (!arguments || !arguments->is_object()) return whole;
  auto rest = *arguments;
  for (const auto& [key, value] : arguments->members())
    if (is_written_text(value)) rest[key] = std::string(omission);
  if (rest == *arguments) return whole;
  auto named = rest;
  for (const auto& [key, value] : arguments->members())
    if (is_written_text(value)) named.erase(key);
  auto heading = call.name;
  if (const auto about = argument_values(dump_json(named), " "); !about.empty()) heading.append(" ").append(about);
  heading += ' ';
  for (const auto& [key, value] : arguments->members())
    if (is_written_text(value)) add_section(std::string(heading).append(key), value.string(), out);
  return line_of(call.name, dump_json(rest));
}

/// A result in JSON is read as it is shown: without the blanks between its tokens.
std::string said_in(const ConversationMessage& message) {
  auto text = text_of(message);
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool may_be_json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  return message.role == Role::tool && may_be_json ? dense_view(text, ContentFormat::json) : text;
}

bool is_boundary(std::string_view text, std::size_t at) { return utf8::floor_boundary(text, at) == at; }

/// Whether the range is in the text behind `end`.
bool fits(const TextSpan& range, std::string_view text, std::size_t end) {
  return range.offset >= end && range.offset <= text.size() && range.length <= text.size() - range.offset &&
         is_boundary(text, range.offset) && is_boundary(text, range.offset + range.length);
}

/// The section that a range begins in, behind its name; null where its name is not wanted.
const TextSection* section_of(const MessageText& source, const TextSpan& range, std::size_t end) {
  for (const auto& section : source.sections)
    if (range.offset >= section.text && range.offset < section.end && end < section.text) return &section;
  return nullptr;
}

bool is_only_blanks(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

/// Puts ranges of a text one behind the other.
class Quote {
 public:
  Quote(std::string_view text, std::size_t label)
      : text_(text), out_(text.substr(0, label)), label_(label), end_(label) {}

  [[nodiscard]] std::size_t label() const { return label_; }
  [[nodiscard]] std::size_t end() const { return end_; }

  void add(std::size_t begin, std::size_t length) {
    const auto gap = text_.substr(end_, begin - end_);
    const bool is_first = end_ == label_;
    if (!is_only_blanks(gap)) {
      const char blank = gap.find('\n') != std::string_view::npos ? '\n' : ' ';
      if (!is_first) out_ += blank;
      out_.append(omission).append(1, is_first ? ' ' : blank);
    } else if (!is_first) {
      out_ += gap;
    }
    out_ += text_.substr(begin, length);
    end_ = begin + length;
  }

  [[nodiscard]] std::string finish() && {
    if (!is_only_blanks(text_.substr(end_))) out_.append(" ").append(omission);
    return std::move(out_);
  }

 private:
  std::string_view text_;
  std::string out_;
  std::size_t label_;
  std::size_t end_;
};

/// More are only counted.
constexpr std::size_t most_named = 8;

bool is_medium(const ContentPart& part) { return part.kind == PartKind::image || part.kind == PartKind::file; }

std::string medium_in_words(const ContentPart& medium) {
  const auto media = content_of(medium).media;
  if (!media.empty()) return describe(media.front());
  const auto words = words_in_part(medium);
  return words ? words->name : std::string("part");
}

}  // namespace

std::size_t label_bytes(const ConversationMessage& message) { return label_of(message).size() + 2; }

MessageText read_message(const ConversationMessage& message) {
  MessageText out;
  out.text.append(label_of(message)).append(": ").append(said_in(message));
  add_parts(message, out);
  std::string calls;
  for (const auto& call : message.tool_calls) calls.append("\n").append(add_written(call, out));
  out.text += calls;
  return out;
}

std::string render_message(const ConversationMessage& message) { return read_message(message).text; }

std::string render_spoken(const ConversationMessage& message) {
  auto text = std::string(label_of(message)) + ": " + text_of(message);
  for (const auto& call : message.tool_calls) text.append("\n").append(line_of(call.name, call.arguments_json));
  return text;
}

std::string all_text_of(const ConversationMessage& message) {
  MessageText out{text_of(message), {}};
  const bool says_nothing = out.text.empty();
  add_parts(message, out);
  return says_nothing && !out.text.empty() ? out.text.substr(1) : out.text;
}

bool is_bare_call(const ConversationMessage& message) {
  if (message.tool_calls.empty() || !text_of(message).empty()) return false;
  return read_message(message).sections.empty();
}

std::optional<std::string> quoted(const ConversationMessage& message, const std::vector<TextSpan>& ranges) {
  const auto source = read_message(message);
  const std::string_view text = source.text;
  Quote quote(text, std::min(text.size(), label_bytes(message)));
  for (auto range : ranges) {
    if (range.offset + range.length <= quote.label()) continue;
    if (range.offset < quote.label()) range = {quote.label(), range.offset + range.length - quote.label()};
    if (!fits(range, text, quote.end())) return std::nullopt;
    if (const auto* const section = section_of(source, range, quote.end()))
      quote.add(section->begin, section->text - section->begin);
    quote.add(range.offset, range.length);
  }
  return std::move(quote).finish();
}

std::size_t media_count(const ConversationMessage& message) {
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  return parts == nullptr ? 0 : static_cast<std::size_t>(std::count_if(parts->begin(), parts->end(), is_medium));
}

std::string media_left_out(const ConversationMessage& message, std::size_t count) {
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr || count == 0) return {};
  std::string names;
  for (const auto& part : *parts) {
    if (is_medium(part) && count-- > 0) names += (names.empty() ? "" : "; ") + medium_in_words(part);
    if (count == 0) break;
  }
  return "\n[left out: " + names + "]";
}

ConversationMessage with_text(const ConversationMessage& message, std::string text, std::size_t media_gone) {
  auto changed = message;
  auto* parts = std::get_if<std::vector<ContentPart>>(&changed.content);
  if (parts == nullptr) {
    changed.content = std::move(text);
    return changed;
  }
  std::vector<ContentPart> kept{{PartKind::text, std::move(text), {}}};
  for (auto& part : *parts) {
    if (part.kind == PartKind::text) continue;
    const bool is_gone = is_medium(part) && media_gone > 0;
    media_gone -= is_gone ? 1 : 0;
    if (!is_gone) kept.push_back(std::move(part));
  }
  if (kept.size() > 1) {
    changed.content = std::move(kept);
  } else {
    changed.content = std::move(kept.front().text);
  }
  return changed;
}

ConversationMessage without_words(const ConversationMessage& message) {
  auto changed = message;
  if (auto* const parts = std::get_if<std::vector<ContentPart>>(&changed.content))
    parts->erase(std::remove_if(parts->begin(), parts->end(),
                                [](const ContentPart& part) { return words_in_part(part).has_value(); }),
                 parts->end());
  return changed;
}

ConversationMessage without_media(const ConversationMessage& message, std::size_t count) {
  auto changed = message;
  auto* const parts = std::get_if<std::vector<ContentPart>>(&changed.content);
  if (parts == nullptr) return changed;
  for (auto& part : *parts) {
    if (!is_medium(part)) continue;
    if (count-- == 0) break;
    part = {PartKind::text, "[left out: " + medium_in_words(part) + "]", {}};
  }
  return changed;
}

std::string parts_left_out(const ConversationMessage& message) {
  const auto* parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr) return {};
  std::string list;
  std::size_t named = 0;
  std::size_t others = 0;
  for (const auto& part : *parts) {
    if (part.kind == PartKind::text) continue;
    std::vector<std::string> names;
    for (const auto& medium : content_of(part).media) names.push_back(describe(medium));
    if (const auto words = names.empty() ? words_in_part(part) : std::nullopt) names.push_back(words->name);
    others += names.empty();
    for (const auto& name : names) {
      if (++named <= most_named) list += (list.empty() ? "" : "; ") + name;
    }
  }
  if (named > most_named) others += named - most_named;
  if (others > 0)
    list += (list.empty() ? "" : "; ") + std::to_string(others) + (others == 1 ? " other part" : " other parts");
  return list.empty() ? list : "[left out: " + list + "]";
}

ConversationMessage with_text_alone(const ConversationMessage& message, std::string text) {
  auto changed = message;
  const auto gone = parts_left_out(message);
  if (!gone.empty()) text += (text.empty() || text.back() == '\n' ? "" : "\n") + gone;
  changed.content = std::move(text);
  return changed;
}

}  // namespace ctxmgr::engine
