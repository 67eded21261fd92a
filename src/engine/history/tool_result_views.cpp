#include "engine/history/tool_result_views.hpp"

#include <algorithm>
#include <utility>

#include "core/json/part_forms.hpp"
#include "engine/history/message_parts.hpp"
#include "media/media.hpp"

namespace ctxmgr::engine {
namespace {

/// To save less is not worth what it takes from the model.
constexpr std::int64_t least_saved = 100;

}  // namespace

ToolResultViews::ToolResultViews(const std::vector<ConversationMessage>& messages, const ThreadAnalysis& thread,
                                 const Retriever& retriever, const TokenCounter& counter, MessageHandles* handles)
    : messages_(messages), thread_(thread), retriever_(retriever), counter_(counter), handles_(handles) {}

void ToolResultViews::forget() { extracted_.clear(); }

std::string ToolResultViews::handle_of(std::size_t message) const {
  return handles_ == nullptr ? std::string() : handles_->of(message);
}

ShortenedMessage ToolResultViews::if_shorter(std::size_t message, ConversationMessage view,
                                             std::string reference) const {
  const auto tokens = counter_.count_message(view);
  if (tokens >= thread_.tokens_of(message)) return {messages_[message], thread_.tokens_of(message)};
  return {std::move(view), tokens, std::move(reference), true};
}

/// Relevance of a result is judged by the turn that asked for it, so that the view does not change with later turns.
std::string ToolResultViews::question_of(std::size_t message) const {
  const auto& users = thread_.user_messages();
  const auto after = std::upper_bound(users.begin(), users.end(), message);
  auto question = after == users.begin() ? std::string() : text_of(messages_[*(after - 1)]);
  const auto* call = call_answered_by(messages_, message);
  return question + '\n' + (call == nullptr ? std::string() : call->name + "(" + call->arguments_json + ")");
}

const ShortenedMessage& ToolResultViews::without_images(std::size_t message) {
  const auto [known, fresh] = without_images_.try_emplace(message);
  auto& view = known->second;
  if (!fresh) return view;
  view = {messages_[message], thread_.tokens_of(message)};
  if (messages_[message].role != Role::user || !has_media(messages_[message])) return view;
  auto shorter = without_media(messages_[message], media_count(messages_[message]));
  const auto tokens = counter_.count_message(shorter);
  if (view.tokens - tokens >= least_saved) view = {std::move(shorter), tokens, {}, true};
  return view;
}

const ShortenedMessage& ToolResultViews::extracted(std::size_t message, std::int64_t target) {
  const std::pair key(message, target);
  const auto found = extracted_.find(key);
  if (found != extracted_.end()) return found->second;
  if (forms::whole_result(messages_[message]) != nullptr)
    return extracted_.emplace(key, ShortenedMessage{messages_[message], thread_.tokens_of(message), {}, false})
        .first->second;
  const auto artifact = artifact_of_message(messages_, message);
  auto reference = handle_of(message);
  std::string note = "\n[extract of " + std::to_string(thread_.tokens_of(message)) + " tokens" +
                     (reference.empty() ? "]" : "; the whole: " + reference + "]");
  const auto room = std::max<std::int64_t>(0, target - counter_.count(note) - 8);
  auto extract = retriever_.summarize(artifact, question_of(message), room, counter_);
  const auto rest = without_words(messages_[message]);
  auto view = with_text(rest, extract.text + note);
  if (counter_.count_message(view) > target) view = with_text_alone(rest, extract.text + note);
  auto shortened = if_shorter(message, std::move(view), std::move(reference));
  return extracted_.emplace(key, std::move(shortened)).first->second;
}

}  // namespace ctxmgr::engine
