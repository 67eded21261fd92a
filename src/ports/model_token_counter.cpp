#include "ports/model_token_counter.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "core/models/model_names.hpp"
#include "media/media.hpp"
#include "media/part_content.hpp"

namespace ctxmgr {
namespace {

using Parts = std::vector<ContentPart>;

/// A counter may live as long as its host.
constexpr std::size_t most_remembered = 1'024;

bool may_hold_media(const ContentPart& part) { return part.kind != PartKind::text; }

const Parts* parts_with_media(const ConversationMessage& message) {
  const auto* const parts = std::get_if<Parts>(&message.content);
  return parts != nullptr && std::any_of(parts->begin(), parts->end(), may_hold_media) ? parts : nullptr;
}

/// Whether a counter frames messages as every counter does that does not say otherwise. The figures of a family are differences
/// to that framing, so they hold for no other.
bool frames_as_usual(const TokenCounter& counter) {
  ConversationMessage named{Role::assistant, "a"};
  named.name = "a";
  named.tool_calls.push_back({"1", "a", "{}", {}});
  for (const auto& message : {ConversationMessage{Role::system, "a"}, ConversationMessage{Role::user, "a"}, named}) {
    if (counter.count_message(message) != counter.TokenCounter::count_message(message)) return false;
  }
  return counter.count_prompt({named}) == counter.TokenCounter::count_prompt({named});
}

}  // namespace

ModelTokenCounter::ModelTokenCounter(std::shared_ptr<const TokenCounter> texts, std::string_view model)
    : texts_(std::move(texts)), rule_(media_rule(model)) {
  if (const auto family = model_family(model); family && frames_as_usual(*texts_)) {
    message_overhead_ = family->message_overhead;
    request_overhead_ = family->request_overhead;
  }
}

ModelTokenCounter::Held ModelTokenCounter::held_by(const ContentPart& part) const {
  const std::pair key(std::hash<std::string>()(part.json), part.json.size());
  {
    const std::scoped_lock lock(mutex_);
    if (const auto seen = seen_.find(key); seen != seen_.end()) return seen->second;
  }
  auto content = content_of(part);
  Held held{std::move(content.text), content.sealed_tokens, !content.media.empty(), content.sealed_tokens == 0};
  for (const Medium& medium : content.media) {
    const auto cost = cost_of(medium, rule_);
    held.tokens += cost.tokens;
    held.is_exact = held.is_exact && cost.is_exact;
  }
  if (!held.has_media) held.text.clear();  // The part itself is counted.
  const std::scoped_lock lock(mutex_);
  if (seen_.size() >= most_remembered) seen_.clear();
  return seen_.emplace(key, std::move(held)).first->second;
}

TokenCounterInfo ModelTokenCounter::info() const {
  auto info = texts_->info();
  info.framing_exact = info.framing_exact && message_overhead_ == 0 && request_overhead_ == 0;
  return info;
}

/// The other counter sees the words in the place of what is no text.
ModelTokenCounter::Words ModelTokenCounter::words_of(const ConversationMessage& message) const {
  std::int64_t media_tokens = 0;
  Parts words;
  const Parts* const parts = parts_with_media(message);
  if (parts == nullptr) return {message, 0};
  for (const ContentPart& part : *parts) {
    if (!may_hold_media(part)) {
      words.push_back(part);
      continue;
    }
    auto held = held_by(part);
    if (!held.has_media) {
      words.push_back(part);
      continue;
    }
    media_tokens += held.tokens;
    if (!held.text.empty()) words.push_back({PartKind::text, std::move(held.text), {}});
  }
  ConversationMessage of_words = message;
  of_words.content = std::move(words);
  return {std::move(of_words), media_tokens};
}

std::int64_t ModelTokenCounter::count_message(const ConversationMessage& message) const {
  if (parts_with_media(message) == nullptr) return texts_->count_message(message) + message_overhead_;
  const auto words = words_of(message);
  return texts_->count_message(words.message) + message_overhead_ + words.media_tokens;
}

std::int64_t ModelTokenCounter::count_prompt(const std::vector<ConversationMessage>& messages) const {
  auto more = message_overhead_ * static_cast<std::int64_t>(messages.size());
  const bool is_text = std::none_of(messages.begin(), messages.end(), [](const ConversationMessage& message) {
    return parts_with_media(message) != nullptr;
  });
  if (is_text) return texts_->count_prompt(messages) + more;
  std::vector<ConversationMessage> of_words;
  of_words.reserve(messages.size());
  for (const ConversationMessage& message : messages) {
    auto words = words_of(message);
    more += words.media_tokens;
    of_words.push_back(std::move(words.message));
  }
  return texts_->count_prompt(of_words) + more;
}

bool ModelTokenCounter::knows_media_of(const std::vector<ConversationMessage>& messages) const {
  return std::all_of(messages.begin(), messages.end(), [this](const ConversationMessage& message) {
    const Parts* const parts = parts_with_media(message);
    return parts == nullptr || std::all_of(parts->begin(), parts->end(), [this](const ContentPart& part) {
             return !may_hold_media(part) || held_by(part).is_exact;
           });
  });
}

std::shared_ptr<TokenCounter> make_model_token_counter(std::shared_ptr<const TokenCounter> counter,
                                                       std::string_view model) {
  return counter ? std::make_shared<ModelTokenCounter>(std::move(counter), model) : nullptr;
}

}  // namespace ctxmgr
