#include "engine/extracts/artifact_title.hpp"

#include <string>

#include "engine/extracts/failed_result.hpp"
#include "engine/index/artifact_item.hpp"
#include "engine/structure/call_line.hpp"
#include "engine/structure/plain_line.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_title = 120;  // code points
constexpr std::size_t longest_call = 160;   // About 40 tokens.

/// Empty where no call gave it.
std::string call_of(const Artifact& artifact) {
  const auto tool = metadata_of(artifact, "tool_name");
  if (tool.empty()) return {};
  auto call = short_call(tool, metadata_of(artifact, "tool_arguments"));
  return is_failed_result(artifact.content) ? call + ", failed" : call;
}

}  // namespace

std::string short_call(std::string_view tool, std::string_view arguments) {
  return plain_line(call_line(tool, std::string(arguments), longest_call), longest_call);
}

std::string title_of(const Artifact& artifact) {
  if (auto call = call_of(artifact); !call.empty()) return call;
  if (const auto title = metadata_of(artifact, "title"); !title.empty()) return plain_line(title, longest_title);
  return plain_line(artifact.source.empty() ? artifact.artifact_id : artifact.source, longest_title);
}

std::string provenance_of(const Artifact& artifact) {
  auto call = call_of(artifact);
  return call.empty() ? plain_line(artifact.source, longest_title) : call;
}

}  // namespace ctxmgr::engine
