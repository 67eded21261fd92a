#include "engine/history/message_handles.hpp"

#include "engine/history/thread_analysis.hpp"
#include "engine/history/thread_memo.hpp"

namespace ctxmgr::engine {

std::string reference_in(const ArtifactArchive& archive, const Artifact& artifact) {
  try {
    return archive.reference_of(artifact);
  } catch (...) {
    return {};  // It costs the reference, not the build.
  }
}

MessageHandles::MessageHandles(const std::shared_ptr<ArtifactArchive>& archive,
                               const std::vector<ConversationMessage>& messages, const ThreadAnalysis& thread,
                               ThreadMemo& memo)
    : archive_(archive), messages_(messages), thread_(thread), kept_(&memo.kept) {
  // By who owns it: an address may be another's by now.
  if (!kept_->archive.owner_before(archive) && !archive.owner_before(kept_->archive)) return;
  *kept_ = {archive, {}, {}, {}, 0};
  memo.head.reset();  // Its notes name handles of the former one, and so do extracts.
  memo.extract_tokens.clear();
}

std::string MessageHandles::of(std::size_t message) {
  if (archive_ == nullptr || lost_.contains(message)) return {};
  const auto [known, fresh] = kept_->handles.try_emplace(message);
  if (fresh) known->second = reference_in(*archive_, artifact_of_message(messages_, message));
  return known->second;
}

bool MessageHandles::is_large(std::size_t message) const {
  return thread_.tokens_of(message) >= least_handle_tokens &&
         (messages_[message].role == Role::tool || messages_[message].role == Role::user);
}

std::string MessageHandles::of(const Artifact& artifact) const {
  return archive_ == nullptr ? std::string() : reference_in(*archive_, artifact);
}

}  // namespace ctxmgr::engine
