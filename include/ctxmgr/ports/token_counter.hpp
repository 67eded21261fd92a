#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

struct TokenCounterInfo {
  std::string tokenizer{};  ///< The vocabulary, as in `ModelInfo::tokenizer`: "o200k_base". Empty: serves any model.
  bool exact = false;       ///< True: text counts as the model's service counts it.
  bool faulty = false;      ///< True: it gave counts that no text has, in whose place there were estimates.
  /// True: the framing of the texts (roles, names, the start of the reply) counts as the model's template has it, too.
  bool framing_exact = false;
};

/// Port: counts tokens. Called on the hot path and from several threads at once: no lock, no I/O. The same input always
/// gives the same count, never a negative one. Special tokens in text are counted as text. Must not throw.
class CTXMGR_API TokenCounter {
 public:
  TokenCounter() = default;
  TokenCounter(const TokenCounter&) = delete;
  TokenCounter& operator=(const TokenCounter&) = delete;
  virtual ~TokenCounter();

  [[nodiscard]] virtual TokenCounterInfo info() const = 0;

  [[nodiscard]] virtual std::int64_t count(std::string_view text) const = 0;

  /// The same, but past `limit` it may stop and return any number above it. The default counts to the end.
  [[nodiscard]] virtual std::int64_t count_up_to(std::string_view text, std::int64_t limit) const;

  /// Tokens that a message adds to a prompt: text, name, calls and framing. The default frames as OpenAI documents it
  /// (3 tokens a message, 1 for a name); images and files have a fixed cost. A count that no text has (negative, beyond
  /// 2^40) is returned as it is, for whoever checks. Override it for another chat template: a build then adds nothing for
  /// the template of the model's family.
  [[nodiscard]] virtual std::int64_t count_message(const ConversationMessage& message) const;

  /// Tokens of a whole prompt: its messages and the start of the reply. A build's last check of its request. The default
  /// is the sum of both. Override it where a template makes the whole differ from that: one that adds an instruction of its own,
  /// drops earlier reasoning, or joins messages.
  [[nodiscard]] virtual std::int64_t count_prompt(const std::vector<ConversationMessage>& messages) const;

  /// Tokens that every prompt has beside its messages, for the start of the reply. The default is 3 (OpenAI cookbook, "How
  /// to count tokens").
  [[nodiscard]] virtual std::int64_t reply_priming_tokens() const;

  /// Tokens that tool definitions add. The default is an estimate: how services render them is not documented.
  [[nodiscard]] virtual std::int64_t count_tools(const std::vector<ToolDefinition>& tools) const;
};

/// Tokens that a counter of text gives an image or a file part; `make_model_token_counter()` knows their real cost.
inline constexpr std::int64_t binary_part_tokens = 1'000;

/// Tokens of a whole list, as `counter.count_prompt()` has them.
[[nodiscard]] CTXMGR_API std::int64_t count_messages(const TokenCounter& counter,
                                                     const std::vector<ConversationMessage>& messages);

/// Counts text as `counter` does, images by their size and the model's rule, PDFs by their pages, and recordings by their
/// length. It adds the tokens of the family's chat template beyond the usual framing, unless the counter frames messages in
/// its own way. A build counts with this one. `model` of whichever
/// name; null where `counter` is. The rules: docs/token-counting.md.
[[nodiscard]] CTXMGR_API std::shared_ptr<TokenCounter> make_model_token_counter(
    std::shared_ptr<const TokenCounter> counter, std::string_view model);

/// Estimates from code points alone: Latin script 4 to a token, CJK 1.5 tokens each, astral planes 2. Serves any model.
[[nodiscard]] CTXMGR_API std::unique_ptr<TokenCounter> make_approximate_token_counter();

/// A counter from a function, which must be pure and safe to call from several threads. If it throws, or returns
/// what no text counts (a negative number, more than 2^40), that text is estimated. From then on `info()` says that the
/// counter is faulty and not exact.
[[nodiscard]] CTXMGR_API std::unique_ptr<TokenCounter> make_token_counter(
    std::function<std::int64_t(std::string_view)> count, TokenCounterInfo info = {});

}  // namespace ctxmgr
