#include "ctxmgr/ports/token_counter.hpp"

#include <cstring>
#include <utility>

#include "core/part_content.hpp"

namespace ctxmgr {
namespace {

// OpenAI cookbook, "How to count tokens": three tokens frame each message, its role is one more, and a name has one
// besides its own.
constexpr std::int64_t framing_tokens = 3;
constexpr std::int64_t role_tokens = 1;
constexpr std::int64_t name_tokens = 1;

// Estimates, on the safe side of what the open "harmony" format of the same provider needs: how a call is routed
// ("to=functions.x", channel, constraint), how a tool is declared, and the section that declarations stand in.
constexpr std::int64_t call_tokens = 8;
constexpr std::int64_t tool_tokens = 8;
constexpr std::int64_t tools_section_tokens = 12;

std::int64_t count_content(const TokenCounter& counter, const MessageContent& content) {
  if (const auto* text = std::get_if<std::string>(&content)) return counter.count(*text);
  std::int64_t total = 0;
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&content)) {
    for (const auto& part : *parts) {
      if (part.kind == PartKind::text) {
        total += counter.count(part.text);
        continue;
      }
      const auto held = content_of(part);
      total += counter.count(held.text) + binary_part_tokens * static_cast<std::int64_t>(held.media.size());
    }
  }
  return total;
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
      const std::int64_t tokens = count_ ? count_(text) : -1;
      if (tokens >= 0) return tokens;
    } catch (...) {  // The host's function broke its promise; the port's holds all the same.
    }
    return estimate(text);
  }

 private:
  std::function<std::int64_t(std::string_view)> count_;
  TokenCounterInfo info_;
};

}  // namespace

TokenCounter::~TokenCounter() = default;

std::int64_t TokenCounter::count_up_to(std::string_view text, std::int64_t /*limit*/) const { return count(text); }

std::int64_t TokenCounter::count_message(const ConversationMessage& message) const {
  std::int64_t total = framing_tokens + role_tokens + count_content(*this, message.content);
  if (!message.name.empty()) total += name_tokens + count(message.name);
  for (const auto& call : message.tool_calls) {
    total += call_tokens + count(call.name) + count(call.arguments_json) + count(call.extra_json);
  }
  return total + count(message.extra_json);
}

std::int64_t TokenCounter::count_tools(const std::vector<ToolDefinition>& tools) const {
  if (tools.empty()) return 0;
  std::int64_t total = tools_section_tokens;
  for (const auto& tool : tools) {
    total +=
        tool_tokens + count(tool.name) + count(tool.description) + count(tool.parameters_json) + count(tool.extra_json);
  }
  return total;
}

std::int64_t count_messages(const TokenCounter& counter, const std::vector<ConversationMessage>& messages) {
  std::int64_t total = reply_priming_tokens;
  for (const auto& message : messages) total += counter.count_message(message);
  return total;
}

std::unique_ptr<TokenCounter> make_approximate_token_counter() { return std::make_unique<ApproximateTokenCounter>(); }

std::unique_ptr<TokenCounter> make_token_counter(std::function<std::int64_t(std::string_view)> count,
                                                 TokenCounterInfo info) {
  return std::make_unique<CallableTokenCounter>(std::move(count), std::move(info));
}

}  // namespace ctxmgr
