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

}  // namespace

ModelTokenCounter::ModelTokenCounter(std::shared_ptr<const TokenCounter> texts, std::string_view model)
    : texts_(std::move(texts)), rule_(media_rule(model)) {
  if (const auto family = model_family(model)) {
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
  Held held{std::move(content.text), 0, !content.media.empty(), true};
  for (const Medium& medium : content.media) {
    const auto cost = cost_of(medium, rule_);
    held.media_tokens += cost.tokens;
    held.is_exact = held.is_exact && cost.is_exact;
  }
  if (!held.has_media) held.text.clear();  // The part itself is counted.
  const std::scoped_lock lock(mutex_);
  if (seen_.size() >= most_remembered) seen_.clear();
  return seen_.emplace(key, std::move(held)).first->second;
}

/// The other counter sees the words in the place of what is no text.
std::int64_t ModelTokenCounter::count_message(const ConversationMessage& message) const {
  const Parts* const parts = parts_with_media(message);
  if (parts == nullptr) return texts_->count_message(message) + message_overhead_;
  std::int64_t media_tokens = 0;
  Parts words;
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
    media_tokens += held.media_tokens;
    if (!held.text.empty()) words.push_back({PartKind::text, std::move(held.text), {}});
  }
  ConversationMessage of_words = message;
  of_words.content = std::move(words);
  return texts_->count_message(of_words) + message_overhead_ + media_tokens;
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
