#include "media/part_content.hpp"

#include <algorithm>
#include <array>

#include "core/json/part_forms.hpp"
#include "core/json/types.hpp"

namespace ctxmgr {
namespace {

/// No word is as long.
constexpr std::size_t least_opaque_bytes = 512;

bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
         c == '=' || c == '-' || c == '_';
}

bool is_opaque_text(std::string_view key, std::string_view text) {
  return key == "signature" || (text.size() >= least_opaque_bytes && std::all_of(text.begin(), text.end(), is_base64));
}

template <std::size_t N>
bool is_one_of(std::string_view type, const std::array<std::string_view, N>& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// Whether a document's source is text or blocks of content rather than a file.
bool is_readable(const Json& part) {
  const Json* const source = find_field(part, "source");
  const std::string* const type = source == nullptr ? nullptr : get_string(*source, "type");
  return type != nullptr && (*type == "text" || *type == "content");
}

void collect(std::string_view key, const Json& json, PartContent& out);

void collect_object(const Json& object, PartContent& out) {
  constexpr std::array<std::string_view, 4> images{"image_url", "image", "input_image", "computer_screenshot"};
  constexpr std::array<std::string_view, 4> files{"file", "input_file", "input_audio", "audio"};
  const std::string* const type = get_string(object, "type");
  if (type != nullptr && is_one_of(*type, images)) {
    out.media.push_back(medium_of(object, PartKind::image));
  } else if (type != nullptr && is_one_of(*type, files)) {
    out.media.push_back(medium_of(object, PartKind::file));
  } else if (type != nullptr && *type == "document" && !is_readable(object)) {
    out.media.push_back(medium_of(object, PartKind::file));
    for (const char* const words : {"title", "context"}) {
      if (const Json* const found = find_field(object, words)) collect(words, *found, out);
    }
  } else {
    for (const auto& [name, value] : object.members()) {
      out.text += name;
      out.text += ' ';
      collect(name, value, out);
    }
  }
}

void collect(std::string_view key, const Json& json, PartContent& out) {
  if (json.is_object()) {
    collect_object(json, out);
  } else if (json.is_array()) {
    for (const Json& element : json) collect(key, element, out);
  } else if (!json.is_string()) {
    out.text += dump_json(json) + '\n';
  } else if (const auto& text = json.string(); !is_opaque_text(key, text)) {
    out.text += text + '\n';
  }
}

}  // namespace

PartContent content_of(const ContentPart& part) {
  if (part.kind == PartKind::text) return {part.text, {}};
  PartContent content;
  if (forms::called_id(part)) return content;
  const Json json = parse_object(part.json);
  if (part.kind == PartKind::image) {
    content.media.push_back(medium_of(json, PartKind::image));
    return content;
  }
  if (json.is_object()) collect_object(json, content);
  if (json.is_null()) content.media.push_back(medium_of(json, PartKind::file));
  return content;
}

}  // namespace ctxmgr
