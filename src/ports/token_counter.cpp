#include "ctxmgr/ports/token_counter.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "core/json/types.hpp"
#include "media/part_content.hpp"
#include "ports/checked_token_counter.hpp"

namespace ctxmgr {

static_assert(binary_part_tokens == unknown_medium_tokens);

namespace {

// OpenAI cookbook, "How to count tokens": three tokens frame each message, its role is one more, and a name has one
// besides its own.
constexpr std::int64_t framing_tokens = 3;
constexpr std::int64_t role_tokens = 1;
constexpr std::int64_t name_tokens = 1;
constexpr std::int64_t reply_start_tokens = 3;

// Estimates, on the safe side of what the open "harmony" format of the same provider needs: how a call is routed
// ("to=functions.x", channel, constraint), how a tool is declared, and the section that declarations stand in.
constexpr std::int64_t call_tokens = 8;
constexpr std::int64_t tool_tokens = 8;
constexpr std::int64_t tools_section_tokens = 12;

bool is_count(std::int64_t tokens) { return tokens >= 0 && tokens <= most_tokens_of_a_text; }

/// A sum of counts. The first that is none is the sum, too, so that nothing overflows and a fault is seen.
class Sum {
 public:
  explicit Sum(std::int64_t tokens) : total_(tokens) {}
  Sum& operator+=(std::int64_t tokens) {
    if (is_count(total_)) total_ = is_count(tokens) ? total_ + tokens : tokens;
    return *this;
  }
  std::int64_t total() const { return total_; }

 private:
  std::int64_t total_;
};

bool has_text(const Json& json) {
  if (json.is_string()) return !json.string().empty();
  return json.is_container() && std::any_of(json.begin(), json.end(), has_text);
}

/// Of a text part. Its type and where a cache breaks say nothing to a model, and a part that is written and read again counts
/// as it did.
std::string further_fields(const ContentPart& part) {
  if (part.json.empty()) return {};
  Json fields = parse_object(part.json);
  if (!fields.is_object()) return part.json;
  for (const char* const of_the_form : {"type", "cache_control"}) fields.erase(of_the_form);
  return has_text(fields) ? dump_json(fields) : std::string();
}

void add_content(const TokenCounter& counter, const MessageContent& content, Sum& sum) {
  if (const auto* text = std::get_if<std::string>(&content)) sum += counter.count(*text);
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&content)) {
    for (const auto& part : *parts) {
      if (part.kind == PartKind::text) {
        sum += counter.count(part.text);
        sum += counter.count(further_fields(part));
        continue;
      }
      const auto held = content_of(part);
      sum += counter.count(held.text);
      sum += held.sealed_tokens;
      const auto media =
          std::count_if(held.media.begin(), held.media.end(), [](const Medium& m) { return !m.is_text; });
      sum += binary_part_tokens * static_cast<std::int64_t>(media);
    }
  }
}

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

struct Weighted {
  std::size_t bytes;
  std::int64_t quarter_tokens;
};

// What the code point that starts with a byte above 0x7F weighs. A byte that belongs to none weighs a token.
Weighted weigh(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  if (bytes == 1 || lead > 0xF4 || bytes > text.size()) return {1, 4};
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(static_cast<unsigned char>(text[i]))) return {1, 4};
  }
  if (bytes == 4) return {4, 8};                    // astral planes
  if (bytes == 2) return {2, lead < 0xCA ? 1 : 2};  // Latin up to U+027F; Greek, Cyrillic, Hebrew, Arabic
  const auto second = static_cast<unsigned char>(text[1]);
  if (lead == 0xE1 && second >= 0xB8 && second <= 0xBB) return {3, 1};  // Latin Extended Additional: Vietnamese
  return {3, lead < 0xE3 ? 4 : 6};  // Indic and other scripts, symbols; CJK from U+3000
}

std::int64_t estimate(std::string_view text) {
  std::int64_t quarters = 0;
  std::size_t pos = 0;
  while (pos < text.size()) {
    std::uint64_t eight = 0;
    if (pos + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + pos, sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        quarters += 8;
        pos += 8;
        continue;
      }
    }
    const auto next = static_cast<unsigned char>(text[pos]) < 0x80 ? Weighted{1, 1} : weigh(text.substr(pos, 4));
    quarters += next.quarter_tokens;
    pos += next.bytes;
  }
  return (quarters + 3) / 4;
}

class ApproximateTokenCounter final : public TokenCounter {
 public:
  TokenCounterInfo info() const override { return {}; }
  std::int64_t count(std::string_view text) const override { return estimate(text); }
};

class CallableTokenCounter final : public TokenCounter {
 public:
  CallableTokenCounter(std::function<std::int64_t(std::string_view)> count, TokenCounterInfo info)
      : count_(std::move(count)), info_(std::move(info)) {}

  TokenCounterInfo info() const override { return info_; }

  std::int64_t count(std::string_view text) const override {
    try {
      return count_ ? count_(text) : -1;
    } catch (...) {  // The host's function broke its promise; the port's holds all the same.
      return -1;
    }
  }

 private:
  std::function<std::int64_t(std::string_view)> count_;
  TokenCounterInfo info_;
};

class CheckedTokenCounter final : public TokenCounter {
 public:
  explicit CheckedTokenCounter(std::shared_ptr<const TokenCounter> counter) : counter_(std::move(counter)) {}

  TokenCounterInfo info() const override {
    auto info = counter_->info();
    info.faulty = info.faulty || faulty_.load(std::memory_order_relaxed);
    info.exact = info.exact && !info.faulty;
    info.framing_exact = info.framing_exact && !info.faulty;
    return info;
  }
  std::int64_t count(std::string_view text) const override {
    return checked(counter_->count(text), [&] { return estimate(text); });
  }
  std::int64_t count_up_to(std::string_view text, std::int64_t limit) const override {
    return checked(counter_->count_up_to(text, limit), [&] { return estimate(text); });
  }
  std::int64_t count_message(const ConversationMessage& message) const override {
    return checked(counter_->count_message(message), [&] { return ApproximateTokenCounter().count_message(message); });
  }
  std::int64_t count_prompt(const std::vector<ConversationMessage>& messages) const override {
    return checked(counter_->count_prompt(messages), [&] { return TokenCounter::count_prompt(messages); });
  }
  std::int64_t reply_priming_tokens() const override {
    return checked(counter_->reply_priming_tokens(), [] { return reply_start_tokens; });
  }
  std::int64_t count_tools(const std::vector<ToolDefinition>& tools) const override {
    return checked(counter_->count_tools(tools), [&] { return ApproximateTokenCounter().count_tools(tools); });
  }

 private:
  template <class Estimate>
  std::int64_t checked(std::int64_t tokens, Estimate instead) const {
    if (is_count(tokens)) return tokens;
    faulty_.store(true, std::memory_order_relaxed);
    return instead();
  }

  std::shared_ptr<const TokenCounter> counter_;
  mutable std::atomic<bool> faulty_{false};
};

}  // namespace

TokenCounter::~TokenCounter() = default;

std::int64_t TokenCounter::count_up_to(std::string_view text, std::int64_t /*limit*/) const { return count(text); }

std::int64_t TokenCounter::count_message(const ConversationMessage& message) const {
  Sum sum(framing_tokens + role_tokens);
  add_content(*this, message.content, sum);
  if (!message.name.empty()) {
    sum += name_tokens;
    sum += count(message.name);
  }
  for (const auto& call : message.tool_calls) {
    sum += call_tokens;
    for (const auto* text : {&call.name, &call.arguments_json, &call.extra_json}) sum += count(*text);
  }
  sum += count(message.extra_json);
  return sum.total();
}

std::int64_t TokenCounter::count_prompt(const std::vector<ConversationMessage>& messages) const {
  Sum sum(reply_priming_tokens());
  for (const auto& message : messages) sum += count_message(message);
  return sum.total();
}

std::int64_t TokenCounter::reply_priming_tokens() const { return reply_start_tokens; }

std::int64_t TokenCounter::count_tools(const std::vector<ToolDefinition>& tools) const {
  if (tools.empty()) return 0;
  Sum sum(tools_section_tokens);
  for (const auto& tool : tools) {
    sum += tool_tokens;
    for (const auto* text : {&tool.name, &tool.description, &tool.parameters_json, &tool.extra_json})
      sum += count(*text);
  }
  return sum.total();
}

std::int64_t count_messages(const TokenCounter& counter, const std::vector<ConversationMessage>& messages) {
  return counter.count_prompt(messages);
}

std::unique_ptr<TokenCounter> make_approximate_token_counter() { return std::make_unique<ApproximateTokenCounter>(); }

std::unique_ptr<TokenCounter> make_token_counter(std::function<std::int64_t(std::string_view)> count,
                                                 TokenCounterInfo info) {
  return std::make_unique<CheckedTokenCounter>(
      std::make_shared<CallableTokenCounter>(std::move(count), std::move(info)));
}

std::shared_ptr<TokenCounter> make_checked_token_counter(std::shared_ptr<const TokenCounter> counter) {
  return counter ? std::make_shared<CheckedTokenCounter>(std::move(counter)) : nullptr;
}

}  // namespace ctxmgr
