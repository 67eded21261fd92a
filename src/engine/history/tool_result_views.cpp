#include "engine/history/tool_result_views.hpp"

#include <algorithm>
#include <utility>

#include "core/json/json.hpp"
#include "core/json/part_forms.hpp"
#include "engine/history/message_parts.hpp"
#include "media/media.hpp"

namespace ctxmgr::engine {
namespace {

/// A mask that saves less is not worth what it takes from the model.
constexpr std::int64_t least_saved = 100;

/// Longer strings in the arguments of old calls are masked: texts that were written to files, not names.
constexpr std::int64_t long_argument = 200;

/// Replaces the long strings in a value; false where there is none.
bool shorten_strings(Json& value, std::size_t message, const TokenCounter& counter) {
  if (value.is_string()) {
    const auto& text = value.string();
    if (text.size() < static_cast<std::size_t>(long_argument)) return false;  // A token has a byte at least.
    const auto tokens = counter.count(text);
    if (tokens <= long_argument) return false;
    value = "[" + std::to_string(tokens) + " tokens left out; message " + std::to_string(message) + "]";
    return true;
  }
  bool shortened = false;
  if (value.is_container()) {
    for (auto& child : value) shortened |= shorten_strings(child, message, counter);
  }
  return shortened;
}

}  // namespace

ToolResultViews::ToolResultViews(const std::vector<ConversationMessage>& messages, const ThreadAnalysis& thread,
                                 const Retriever& retriever, const TokenCounter& counter, MessageHandles* handles)
    : messages_(messages), thread_(thread), retriever_(retriever), counter_(counter), handles_(handles) {}

void ToolResultViews::forget() {
  masked_.clear();
  extracted_.clear();
}

std::string ToolResultViews::handle_of(std::size_t message) const {
  return handles_ == nullptr ? std::string() : handles_->of(message);
}

ShortenedMessage ToolResultViews::if_shorter(std::size_t message, ConversationMessage view,
                                             std::string reference) const {
  const auto tokens = counter_.count_message(view);
  if (tokens >= thread_.tokens_of(message)) return {messages_[message], thread_.tokens_of(message)};
  return {std::move(view), tokens, std::move(reference), true};
}

/// The call as it was, but for long texts in its arguments.
ShortenedMessage ToolResultViews::with_short_arguments(std::size_t message) const {
  ShortenedMessage shortened{messages_[message], thread_.tokens_of(message), {}, false};
  const auto number = messages_[message].sequence_number.value_or(static_cast<std::int64_t>(message));
  for (auto& call : shortened.message.tool_calls) {
    if (call.arguments_json.size() < static_cast<std::size_t>(long_argument)) continue;
    auto arguments = parse_json(call.arguments_json);
    if (!arguments || !shorten_strings(*arguments, static_cast<std::size_t>(number), counter_)) continue;
    call.arguments_json = dump_json(*arguments);
    shortened.shorter = true;
  }
  if (shortened.shorter) shortened.tokens = counter_.count_message(shortened.message);
  if (is_worth_it(shortened, message)) return shortened;
  return {messages_[message], thread_.tokens_of(message), {}, false};
}

/// What a user said stays; what was shown is named.
ShortenedMessage ToolResultViews::without_images(std::size_t message) const {
  const auto whole = thread_.tokens_of(message);
  if (!has_media(messages_[message])) return {messages_[message], whole, {}, false};
  auto view = without_media(messages_[message], media_count(messages_[message]));
  const auto tokens = counter_.count_message(view);
  if (whole - tokens < least_saved) return {messages_[message], whole, {}, false};
  return {std::move(view), tokens, {}, true};
}

bool ToolResultViews::is_worth_it(const ShortenedMessage& shortened, std::size_t message) const {
  const auto whole = thread_.tokens_of(message);
  return shortened.shorter && whole - shortened.tokens >= least_saved && shortened.tokens <= whole / 2;
}

/// Relevance of a result is judged by the turn that asked for it, so that the view does not change with later turns.
std::string ToolResultViews::question_of(std::size_t message) const {
  const auto& users = thread_.user_messages();
  const auto after = std::upper_bound(users.begin(), users.end(), message);
  auto question = after == users.begin() ? std::string() : text_of(messages_[*(after - 1)]);
  const auto* call = call_answered_by(messages_, message);
  return question + '\n' + (call == nullptr ? std::string() : call->name + "(" + call->arguments_json + ")");
}

const ShortenedMessage& ToolResultViews::masked(std::size_t message) {
  const auto found = masked_.find(message);
  if (found != masked_.end()) return found->second;
  if (messages_[message].role == Role::user) return masked_.emplace(message, without_images(message)).first->second;
  if (forms::whole_result(messages_[message]) != nullptr)
    return masked_.emplace(message, ShortenedMessage{messages_[message], thread_.tokens_of(message), {}, false})
        .first->second;
  if (messages_[message].role != Role::tool)
    return masked_.emplace(message, with_short_arguments(message)).first->second;
  const auto artifact = artifact_of_message(messages_, message);
  const auto tokens = thread_.tokens_of(message);
  const auto view = [&](std::string_view reference) {
    return with_text_alone(without_words(messages_[message]), mask(artifact, tokens, reference));
  };
  auto shortened = if_shorter(message, view({}), {});
  if (!is_worth_it(shortened, message)) {
    shortened = {messages_[message], tokens, {}, false};
  } else {
    auto reference = handle_of(message);
    if (!reference.empty()) shortened = if_shorter(message, view(reference), reference);
  }
  return masked_.emplace(message, std::move(shortened)).first->second;
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
