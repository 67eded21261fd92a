#include "media/part_content.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/json/part_forms.hpp"
#include "core/json/types.hpp"
#include "media/image_size.hpp"

namespace ctxmgr {
namespace {

/// Of the words that a form itself needs, such as "image/png" or "auto": none is as long.
constexpr std::size_t most_form_bytes = 64;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Fields whose content the service sealed, so that nobody else can read it. A text in one of them that is no base64 is words.
bool is_sealed(std::string_view type, std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 6> names{"encrypted_content", "signature",        "thought_signature",
                                                  "thoughtSignature",  "encrypted_stdout", "encrypted_index"};
  return (is_one_of(name, names) || (name == "data" && type == "redacted_thinking")) &&
         value.find(' ') == std::string_view::npos && is_base64(value);
}

/// Four letters of base64 are three bytes, and four bytes of text about a token.
std::int64_t tokens_of_sealed(std::string_view base64) {
  return static_cast<std::int64_t>((base64.size() * 3 + 15) / 16);
}

/// What a medium's form needs beside its bytes; no model reads it.
bool is_of_form(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 6> names{"type", "media_type", "mimeType", "detail", "format", "status"};
  return is_one_of(name, names) && value.size() <= most_form_bytes;
}

/// Whether a document's source is text or blocks of content rather than a file.
bool is_readable(const Json& part) {
  const Json* const source = find_field(part, "source");
  const std::string* const type = source == nullptr ? nullptr : get_string(*source, "type");
  return type != nullptr && (*type == "text" || *type == "content");
}

bool is_image_type(std::string_view media_type) { return media_type.substr(0, 6) == "image/"; }

/// A resource of MCP has text or bytes.
std::optional<PartKind> medium_in_resource(const Json& part) {
  const Json* const resource = find_field(part, "resource");
  const Json* const blob = resource == nullptr ? nullptr : find_field(*resource, "blob");
  if (blob == nullptr) return std::nullopt;
  const std::string* const media_type = get_string(*resource, "mimeType");
  return media_type != nullptr && is_image_type(*media_type) ? PartKind::image : PartKind::file;
}

std::optional<PartKind> medium_in(const Json& part) {
  constexpr std::array<std::string_view, 5> images{"image_url", "image", "input_image", "computer_screenshot",
                                                   "image_generation_call"};
  constexpr std::array<std::string_view, 4> files{"file", "input_file", "input_audio", "audio"};
  const std::string* const type = get_string(part, "type");
  if (type == nullptr) return std::nullopt;
  if (is_one_of(*type, images)) return PartKind::image;
  if (is_one_of(*type, files)) return PartKind::file;
  if (*type == "document" && !is_readable(part)) return PartKind::file;
  return *type == "resource" ? medium_in_resource(part) : std::nullopt;
}

/// Walks over a part once.
class Collector {
 public:
  explicit Collector(PartContent& out) : out_(out) {}

  void add_object(const Json& object) {
    if (const auto kind = medium_in(object)) return add_medium(object, *kind);
    const auto type = forms::type_of(object);
    for (const auto& [name, value] : object.members()) add_named(type, name, value);
  }

  /// Its bytes count by its rule, and every other string as words.
  void add_medium(const Json& part, PartKind kind) {
    out_.media.push_back(medium_of(part, kind));
    if (kind == PartKind::file) out_.text += text_in_file(part).value_or("");
    if (part.is_object()) add_beside(part, base64_of(part));
  }

 private:
  void add_named(std::string_view type, std::string_view name, const Json& value) {
    out_.text += name;
    out_.text += ' ';
    if (value.is_string() && is_sealed(type, name, value.string()))
      out_.sealed_tokens += tokens_of_sealed(value.string());
    else
      add(value);
  }

  void add(const Json& json) {
    if (json.is_object()) return add_object(json);
    if (json.is_array()) {
      for (const Json& element : json) add(element);
      return;
    }
    out_.text += json.is_string() ? json.string() : dump_json(json);
    out_.text += '\n';
  }

  void add_beside(const Json& object, std::string_view bytes) {
    for (const auto& [name, value] : object.members()) {
      const bool says_something =
          value.is_string() && !is_bytes(value.string(), bytes) && !is_of_form(name, value.string());
      if (value.is_object() && name != "cache_control")
        add_beside(value, bytes);
      else if (value.is_array() || says_something)
        add_named({}, name, value);
    }
  }

  /// The bytes end the text that they stand in; what precedes them says what they are.
  static bool is_bytes(const std::string& text, std::string_view bytes) {
    return !bytes.empty() && text.data() + text.size() == bytes.data() + bytes.size() &&
           text.size() - bytes.size() <= most_form_bytes;
  }

  PartContent& out_;
};

/// Reads what people would of a part: texts, each on lines of its own, and short fields with their names.
class WordReader {
 public:
  void read(const Json& object) {
    if (const auto kind = medium_in(object)) return read_file(object, *kind);
    const auto type = forms::type_of(object);
    for (const auto& [name, value] : object.members()) {
      if (is_of_machine(name) || (value.is_string() && is_sealed(type, name, value.string()))) continue;
      read_named(name, value);
    }
  }

  void read_file(const Json& part, PartKind kind) {
    if (kind == PartKind::file) add_line(text_in_file(part).value_or(""));
    if (const std::string* const context = get_string(part, "context")) add_line(*context);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  /// Fields that name, number or mark something for programs.
  static bool is_of_machine(std::string_view name) {
    constexpr std::array<std::string_view, 14> names{"type",     "id",    "role",        "status",       "media_type",
                                                     "mimeType", "score", "detail",      "index",        "server_label",
                                                     "format",   "phase", "annotations", "cache_control"};
    return is_one_of(name, names) || forms::ends_with(name, "_id");
  }

  /// Fields whose content is the text itself.
  static bool is_text(std::string_view name) {
    constexpr std::array<std::string_view, 10> names{"text",   "data", "content", "output", "stdout",
                                                     "stderr", "logs", "result",  "code",   "title"};
    return is_one_of(name, names);
  }

  void read_named(std::string_view name, const Json& value) {
    if (value.is_object()) return read(value);
    if (value.is_array()) {
      for (const Json& element : value) read_named(name, element);
      return;
    }
    if (value.is_null() || value.is_boolean()) return;
    const auto written = value.is_string() ? value.string() : dump_json(value);
    if (written.empty()) return;
    const bool is_alone = is_text(name) || written.find('\n') != std::string::npos;
    add_line(is_alone ? written : std::string(name) + ": " + written);
  }

  void add_line(std::string_view line) {
    if (line.empty()) return;
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    text_ += line;
  }

  std::string text_{};
};

/// Thoughts are no words of the conversation, and a service's own compaction is always sent.
bool is_of_model_alone(std::string_view type) {
  return type == "thinking" || type == "redacted_thinking" || type == "reasoning" || type == "compaction";
}

/// "document memo.txt", "mcp_call read_file". Takes the name out of the part.
std::string take_name(Json& part) {
  std::string name = forms::type_of(part);
  if (name.empty()) name = "part";
  const Json* const file = find_field(part, "file");
  const std::string* const in_file = file == nullptr ? nullptr : get_string(*file, "filename");
  if (in_file != nullptr) name.append(" ").append(*in_file);
  for (const char* const field : {"title", "filename", "name"}) {
    const std::string* const said = get_string(part, field);
    if (said == nullptr) continue;
    name.append(" ").append(*said);
    part.erase(field);
  }
  return name;
}

}  // namespace

std::optional<PartWords> words_in_part(const ContentPart& part) {
  if (part.kind == PartKind::text || part.kind == PartKind::image) return std::nullopt;
  Json json = parse_object(part.json);
  if (!json.is_object() || forms::type_of(json) == forms::call_type || is_of_model_alone(forms::type_of(json)))
    return std::nullopt;
  PartWords words{take_name(json), {}};
  WordReader reader;
  reader.read(json);
  words.text = reader.take();
  return words.text.empty() ? std::nullopt : std::optional(std::move(words));
}

PartContent content_of(const ContentPart& part) {
  if (part.kind == PartKind::text) return {part.text, {}, 0};
  PartContent content;
  if (forms::called_id(part)) return content;
  const Json json = parse_object(part.json);
  Collector collector(content);
  if (part.kind == PartKind::image)
    collector.add_medium(json, PartKind::image);
  else if (json.is_object())
    collector.add_object(json);
  else
    collector.add_medium(json, PartKind::file);
  return content;
}

}  // namespace ctxmgr
