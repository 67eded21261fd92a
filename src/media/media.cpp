#include "media/media.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/json/part_forms.hpp"
#include "core/utf8.hpp"
#include "media/image_size.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t header_bytes = std::size_t{256} << 10;  // Cameras put much before the first frame of a JPEG.
constexpr std::size_t most_file_bytes = std::size_t{32} << 20;
constexpr double bytes_per_second = 16'000;  // MP3 of 128 kbit/s.
constexpr std::size_t most_name_bytes = 120;
constexpr std::size_t probed_bytes = 512;  // Of a file, to tell text from others.
constexpr std::string_view pdf_mark = "%PDF";

/// Of A4, as services render it.
constexpr std::int64_t page_width = 1'241;
constexpr std::int64_t page_height = 1'754;

/// Where the bytes of a medium are, or where they can be had.
struct Source {
  std::string_view base64{};
  std::string_view media_type{};
  std::string_view address{};
};

std::string_view text_at(const Json& object, std::string_view key) {
  const std::string* const text = get_string(object, key);
  return text == nullptr ? std::string_view() : *text;
}

Source read_address(std::string_view address) {
  constexpr std::string_view data = "data:";
  if (address.substr(0, data.size()) != data) return {{}, {}, address};
  const auto comma = address.find(',');
  if (comma == std::string_view::npos) return {};
  const auto head = address.substr(data.size(), comma - data.size());
  const bool is_base64 = forms::ends_with(head, ";base64");
  return {is_base64 ? address.substr(comma + 1) : std::string_view(), head.substr(0, head.find(';')), {}};
}

/// The object that holds a medium's fields: the part itself, or one in it.
const Json& body_of(const Json& part) {
  for (const char* const key : {"image_url", "source", "file", "input_audio", "audio", "resource"}) {
    const Json* const body = find_field(part, key);
    if (body != nullptr && body->is_object()) return *body;
  }
  return part;
}

Source source_of(const Json& body) {
  for (const char* const key : {"url", "image_url", "file_url", "file_data"}) {
    const auto address = text_at(body, key);
    if (address.empty()) continue;
    auto source = read_address(address);
    if (std::string_view(key) != "file_data" || !source.base64.empty()) return source;
    return {address, {}, {}};  // Responses take a file's base64 bare, too.
  }
  auto media_type = text_at(body, "media_type");
  if (media_type.empty()) media_type = text_at(body, "mimeType");
  for (const char* const key : {"data", "blob", "result"}) {
    if (const auto base64 = text_at(body, key); !base64.empty()) return {base64, media_type, {}};
  }
  return {{}, media_type, {}};
}

std::string_view name_of_medium(const Json& part, const Json& body, const Source& source) {
  for (const Json* const object : {&body, &part}) {
    for (const char* const key : {"filename", "title", "name"}) {
      if (const auto name = text_at(*object, key); !name.empty()) return name;
    }
  }
  if (!source.address.empty()) return source.address;
  for (const Json* const object : {&body, &part}) {
    if (const auto id = text_at(*object, "file_id"); !id.empty()) return id;
  }
  return {};
}

/// Objects of the type "Page", which stand in plain text unless the file packs them; then what the tree says of itself.
std::int64_t count_pages(std::string_view bytes) {
  std::int64_t pages = 0;
  std::int64_t most = 0;
  for (auto at = bytes.find("/Type"); at != std::string_view::npos; at = bytes.find("/Type", at + 1)) {
    auto word = bytes.substr(at + 5, 16);
    while (!word.empty() && (word.front() == ' ' || word.front() == '\n' || word.front() == '\r'))
      word.remove_prefix(1);
    const bool is_page = word.substr(0, 5) == "/Page" && (word.size() < 6 || word[5] < 'a' || word[5] > 'z');
    pages += is_page ? 1 : 0;
  }
  for (auto at = bytes.find("/Count"); at != std::string_view::npos; at = bytes.find("/Count", at + 1)) {
    std::int64_t count = 0;
    for (auto i = at + 6; i < std::min(bytes.size(), at + 16); ++i) {
      if (bytes[i] >= '0' && bytes[i] <= '9')
        count = count * 10 + (bytes[i] - '0');
      else if (bytes[i] != ' ' || count > 0)
        break;
    }
    most = std::max(most, count);
  }
  return std::max(pages, most);
}

std::int64_t little(std::string_view bytes, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = 4; i-- > 0;)
    value = value * 256 + (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
  return value;
}

/// WAV says how many bytes make a second; of others the usual is taken.
double seconds_of(std::string_view head, std::size_t size) {
  double rate = bytes_per_second;
  constexpr std::size_t name_end = 12;
  if (head.size() >= name_end && head.substr(0, 4) == "RIFF" && head.substr(8, 4) == "WAVE") {
    const auto format = head.find("fmt ");
    if (format != std::string_view::npos)
      rate = static_cast<double>(std::max<std::int64_t>(1, little(head, format + 16)));
  }
  return static_cast<double>(size) / rate;
}

void measure(const Source& source, Medium& medium) {
  if (source.base64.empty()) return;
  if (medium.kind == PartKind::image) {
    const auto size = image_size(decode_base64(source.base64, header_bytes));
    if (size) medium.width = size->width, medium.height = size->height;
    return;
  }
  if (medium.is_audio) {
    medium.seconds = seconds_of(decode_base64(source.base64, header_bytes), source.base64.size() / 4 * 3);
    return;
  }
  medium.is_pdf = decode_base64(source.base64, pdf_mark.size()) == pdf_mark;
  if (medium.is_pdf) medium.pages = count_pages(decode_base64(source.base64, most_file_bytes));
}

bool has_control(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
}

MediumCost cost_of_image(const Medium& medium, const MediaRule& rule) {
  if (rule.image.kind == ImageRule::Kind::unknown) return {unknown_medium_tokens, false};
  return {image_tokens(rule.image, medium.width, medium.height, medium.is_low), medium.width > 0};
}

}  // namespace

std::string_view base64_of(const Json& part) {
  return part.is_object() ? source_of(body_of(part)).base64 : std::string_view();
}

std::optional<std::string> text_in_file(const Json& part) {
  const auto type = forms::type_of(part);
  const auto base64 = base64_of(part);
  if (base64.empty() || type == "input_audio" || type == "audio") return std::nullopt;
  if (!is_base64(base64)) return std::string(base64);
  const auto head = decode_base64(base64, probed_bytes);
  if (head.substr(0, pdf_mark.size()) == pdf_mark || has_control(head)) return std::nullopt;
  auto bytes = decode_base64(base64, base64.size());
  if (has_control(bytes) || !utf8::is_valid(bytes)) return std::nullopt;
  return bytes;
}

Medium medium_of(const Json& part, PartKind kind) {
  Medium medium;
  medium.kind = kind;
  if (!part.is_object()) return medium;
  const Json& body = body_of(part);
  const auto source = source_of(body);
  const auto type = forms::type_of(part);
  medium.is_audio = type == "input_audio" || type == "audio";
  medium.is_pdf = source.media_type == "application/pdf";
  medium.is_low = text_at(body, "detail") == "low" || text_at(part, "detail") == "low";
  medium.name = std::string(name_of_medium(part, body, source).substr(0, most_name_bytes));
  medium.is_text = kind == PartKind::file && text_in_file(part).has_value();
  if (!medium.is_text) measure(source, medium);
  return medium;
}

bool has_media(const ConversationMessage& message) {
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  return parts != nullptr && std::any_of(parts->begin(), parts->end(), [](const ContentPart& part) {
           return part.kind == PartKind::image || part.kind == PartKind::file;
         });
}

std::string describe(const Medium& medium) {
  std::string text = medium.kind == PartKind::image ? "image" : medium.is_audio ? "recording" : "file";
  if (!medium.name.empty()) text += " " + medium.name;
  if (medium.width > 0) text += " " + std::to_string(medium.width) + "x" + std::to_string(medium.height);
  if (medium.pages > 0) text += ", " + std::to_string(medium.pages) + (medium.pages == 1 ? " page" : " pages");
  return text;
}

MediumCost cost_of(const Medium& medium, const MediaRule& rule) {
  if (medium.is_text) return {0, true};
  if (medium.kind == PartKind::image) return cost_of_image(medium, rule);
  if (medium.is_audio && medium.seconds > 0) {
    const auto tokens = std::ceil(medium.seconds * rule.audio_tokens_per_second);
    return {std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(tokens, 1e12))), false};
  }
  if (!medium.is_pdf || medium.pages == 0) return {unknown_medium_tokens, false};
  const auto picture = rule.image.kind == ImageRule::Kind::unknown ? unknown_medium_tokens
                                                                   : image_tokens(rule.image, page_width, page_height);
  return {medium.pages * (rule.page_text_tokens + (rule.page_is_picture ? picture : 0)), false};
}

}  // namespace ctxmgr
