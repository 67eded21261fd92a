#include <algorithm>
#include <string>
#include <string_view>

#include "core/utf8.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "engine/extracts/failed_result.hpp"
#include "engine/selection/rendering.hpp"
#include "engine/structure/call_line.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t longest_masked_arguments = 60;  // bytes; the call itself stands above its result

std::string one_line(std::string_view text, std::size_t max_chars) {
  std::string line;
  std::size_t chars = 0;
  bool blank = false;
  for (std::size_t at = 0; at < text.size();) {
    const utf8::CodePoint c = utf8::decode(text, at);
    at += c.bytes;
    if (c.value <= 0x20 || c.value == 0x7F || c.value == 0x85 || c.value == 0x2028 || c.value == 0x2029) {
      blank = true;
      continue;
    }
    if (chars + (blank ? 2 : 1) > max_chars) return line;
    if (blank && !line.empty()) {
      line += ' ';
      ++chars;
    }
    blank = false;
    utf8::append(line, c.value);
    ++chars;
  }
  return line;
}

std::size_t count_lines(std::string_view text) {
  if (text.empty()) return 0;
  const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return breaks + (text.back() == '\n' ? 0 : 1);
}

std::string_view last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const std::size_t at = text.rfind('\n');
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

// Only a log or a failed call has error lines; elsewhere they are what the content is about.
bool has_error_lines(std::string_view text) {
  const auto format = engine::detect_format(text);
  if (format == ContentFormat::log) return true;
  return (format == ContentFormat::text || format == ContentFormat::table) && engine::is_failed_result(text);
}

std::size_t count_errors(std::string_view text, std::string* lines) {
  std::size_t errors = 0;
  if (!has_error_lines(text)) return errors;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, std::min(end - at, std::size_t{2000}));
    if (engine::reports_error(line)) {
      if (++errors <= 3 && lines != nullptr) lines->append("\n").append(one_line(line, 200));
    }
    at = end + 1;
  }
  return errors;
}

}  // namespace

std::string digest(const Artifact& artifact, std::size_t max_chars) {
  const std::string_view text = artifact.content;
  std::string whole = one_line(text, max_chars + 1);
  if (max_chars < 8 || utf8::count_code_points(whole) <= max_chars) return one_line(whole, max_chars);
  const std::string_view last = last_line(text);
  const std::string tail = one_line(last, max_chars / 3);
  if (last.data() == text.data() || tail.empty()) return one_line(text, max_chars - 2) + " \u2026";
  return one_line(text, max_chars - utf8::count_code_points(tail) - 3) + " \u2026 " + tail;
}

std::string mask(const Artifact& artifact, std::int64_t tokens, std::string_view handle) {
  const auto tool = artifact.metadata.find("tool_name");
  const bool result = artifact.artifact_type == ArtifactType::tool_result;
  std::string what = tool != artifact.metadata.end() ? one_line(tool->second, 80) : one_line(artifact.source, 80);
  const auto arguments = artifact.metadata.find("tool_arguments");
  if (tool != artifact.metadata.end() && arguments != artifact.metadata.end())
    what = engine::call_line(what, arguments->second, longest_masked_arguments);
  if (what.empty()) what = result ? "tool" : "content";
  std::string lines;
  const std::size_t errors = result ? count_errors(artifact.content, &lines) : 0;
  std::string out = "[" + what + (result ? " result" : "") +
                    " omitted: " + std::to_string(count_lines(artifact.content)) + " lines, " + std::to_string(tokens) +
                    " tokens";
  if (errors > 0) out += ", " + std::to_string(errors) + (errors == 1 ? " error line" : " error lines");
  if (!handle.empty()) out.append("; ").append(handle);
  out += "]";
  return out + lines;
}

}  // namespace ctxmgr
