#include "serve/usage_reader.hpp"

#include <algorithm>

#include "serve/bounded_json.hpp"

namespace ctxpack::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_bytes = std::size_t{4} << 20;

/// More than any model takes or says. What is over it is no count, and sums of such never run over.
constexpr std::int64_t most_tokens = std::int64_t{1} << 40;

std::int64_t number(const Json& object, const char* name) {
  const auto* const field = member(object, name);
  if (field == nullptr || !field->is_number_integer()) return 0;
  if (field->is_number_unsigned() && field->get<std::uint64_t>() > static_cast<std::uint64_t>(most_tokens)) return 0;
  const auto value = field->get<std::int64_t>();
  return value < 0 || value > most_tokens ? 0 : value;
}

const Json* object_at(const Json& object, const char* name) {
  const auto* const field = member(object, name);
  return field != nullptr && field->is_object() ? field : nullptr;
}

/// Anthropic counts what comes from its cache and goes there apart from the rest.
ctxmgr::UsageMetadata usage_in(const Json& usage) {
  ctxmgr::UsageMetadata out;
  const auto read = number(usage, "cache_read_input_tokens");
  const auto written = number(usage, "cache_creation_input_tokens");
  out.prompt_tokens = number(usage, "prompt_tokens") + number(usage, "input_tokens");
  if (usage.contains("input_tokens")) out.prompt_tokens += read + written;
  const Json* details = object_at(usage, "prompt_tokens_details");
  if (details == nullptr) details = object_at(usage, "input_tokens_details");
  out.cached_prompt_tokens = read + (details != nullptr ? number(*details, "cached_tokens") : 0);
  out.cache_write_tokens = written;
  out.completion_tokens = number(usage, "completion_tokens") + number(usage, "output_tokens");
  return out;
}

}  // namespace

UsageReader::UsageReader(std::string_view content_type)
    : is_stream_(content_type.substr(0, 17) == "text/event-stream") {}

void UsageReader::read(std::string_view bytes) {
  if (!is_stream_) {
    is_too_long_ = is_too_long_ || pending_.size() + bytes.size() > most_bytes;
    if (is_too_long_) return pending_.clear();
    pending_ += bytes;
    return;
  }
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    is_too_long_ = is_too_long_ || pending_.size() + piece.size() > most_bytes;
    if (!is_too_long_) pending_ += piece;
    if (end == std::string_view::npos) return;
    if (!is_too_long_) read_json(pending_);
    pending_.clear();
    is_too_long_ = false;
    bytes.remove_prefix(end + 1);
  }
}

void UsageReader::end() { read_json(pending_); }

void UsageReader::read_json(std::string_view text) {
  if (text.find("\"usage\"") == std::string_view::npos) return;
  constexpr std::string_view data = "data:";
  if (is_stream_ && text.substr(0, data.size()) != data) return;
  if (is_stream_) text.remove_prefix(data.size());
  const auto parsed = serve::read_json(text);
  if (!parsed.is_object()) return;
  const Json* message = object_at(parsed, "message");
  if (message == nullptr) message = object_at(parsed, "response");
  const Json* const usage = object_at(message != nullptr ? *message : parsed, "usage");
  if (usage == nullptr) return;
  // A stream's later figures go on from its earlier ones.
  const auto found = usage_in(*usage);
  usage_.prompt_tokens = std::max(usage_.prompt_tokens, found.prompt_tokens);
  usage_.cached_prompt_tokens = std::max(usage_.cached_prompt_tokens, found.cached_prompt_tokens);
  usage_.cache_write_tokens = std::max(usage_.cache_write_tokens, found.cache_write_tokens);
  usage_.completion_tokens = std::max(usage_.completion_tokens, found.completion_tokens);
  usage_.calls = 1;
}

}  // namespace ctxpack::serve
