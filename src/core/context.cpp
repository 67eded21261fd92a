#include "ctxmgr/core/context.hpp"

#include <utility>

#include "core/artifact_ids.hpp"

namespace ctxmgr {

std::vector<Artifact> Context::all_artifacts() const {
  std::vector<Artifact> out = extract_artifacts_from_steps(step_records);
  for (Artifact& artifact : extract_artifacts_from_messages(conversation_history, max_historical_messages)) {
    out.push_back(std::move(artifact));
  }
  // The host's ids stand: where one of them looks like one made here, the one made here gives way.
  UniqueIds ids;
  std::vector<bool> is_repeated;
  for (const Artifact& artifact : artifacts) is_repeated.push_back(!ids.reserve(artifact.artifact_id));
  for (Artifact& artifact : out) artifact.artifact_id = ids.make(std::move(artifact.artifact_id));
  for (std::size_t i = 0; i < artifacts.size(); ++i) {
    out.push_back(artifacts[i]);
    if (is_repeated[i]) out.back().artifact_id = ids.make(std::move(out.back().artifact_id));
  }
  return out;
}

}  // namespace ctxmgr
