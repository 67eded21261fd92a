#pragma once
#include <llama.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctxmgr/adapters/llama_template.hpp"
#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/engine/context_manager.hpp"

/// \file
/// A model of llama.cpp in the same process: what stays in its cache, what it has to evaluate, and tokens counted by its own
/// vocabulary and chat template. Header only: you link llama and `ctxmgr::prompts`.
///
///     ctxmgr::LlamaThread thread(ctx, options);
///     for (std::string line; std::getline(std::cin, line);) {
///       auto turn = thread.user(line);
///       if (!turn) return report(turn.error());
///       if (auto done = turn->evaluate(); !done) return report(done.error());
///       thread.assistant(generate(ctx));  // yours: sampling, streaming, stopping
///     }
namespace ctxmgr {

/// How many tokens two prompts begin with alike: those that a cache need not evaluate again.
[[nodiscard]] inline std::size_t common_prefix(const std::vector<llama_token>& old_tokens,
                                               const std::vector<llama_token>& new_tokens) {
  const auto most = std::min(old_tokens.size(), new_tokens.size());
  const auto end = old_tokens.begin() + static_cast<std::ptrdiff_t>(most);
  return static_cast<std::size_t>(std::mismatch(old_tokens.begin(), end, new_tokens.begin()).first -
                                  old_tokens.begin());
}

/// The tokens to evaluate for the next reply.
struct LlamaPrompt {
  std::vector<llama_token> tokens{};     ///< The whole prompt; never more than the room that the options leave.
  std::size_t kept = 0;                  ///< The first so many are in the cache. At least the last token never is.
  ContextUtilizationMetadata receipt{};  ///< `input_tokens_used` + `tools_tokens` is the size of `tokens`.

  [[nodiscard]] std::size_t evaluated() const { return tokens.size() - kept; }
};

/// Counts by a model's vocabulary and template. `count_prompt()` is the number of tokens that the template gives for the list,
/// with the start of the reply and BOS. With `tools`, it renders them as well and leaves them out of the count, so that
/// `count_tools()` and it add up to the whole prompt. `invalid_argument` for a template that this library does not read.
/// `vocab` must outlive the counter.
[[nodiscard]] inline Result<std::shared_ptr<TokenCounter>> make_llama_token_counter(const llama_vocab* vocab,
                                                                                    std::string_view jinja);
[[nodiscard]] inline std::shared_ptr<TokenCounter> make_llama_token_counter(
    std::shared_ptr<const LlamaTemplate> chat_template, std::vector<ToolDefinition> tools = {});

/// The most tokens of excerpts that answer a question in a chat, since each is waiting: a ninth of the window, and 300 at most.
/// docs/local-models.md has the figures.
[[nodiscard]] constexpr std::int64_t llama_evidence_tokens(std::int64_t window) {
  return std::min<std::int64_t>(300, window / 9);
}

struct LlamaThreadOptions {
  std::string system{};                 ///< The instruction in front.
  std::vector<ToolDefinition> tools{};  ///< Rendered and counted by the template.
  std::vector<Artifact> documents{};    ///< Attached to every turn; those that speak of the question are sent.
  std::int64_t reply_tokens = 512;      ///< Kept free for the reply: your `n_predict`.
  llama_seq_id sequence = 0;            ///< A sequence of the context. Each thread has its own.
  std::int64_t window = 0;              ///< 0: that of the context.
  std::string jinja{};                  ///< The chat template. Empty: the model's own.
  LlamaRender render{};  ///< Set: renders instead of a template, say over `common_chat_templates_apply()`.
  /// Other wishes for each build: history, tool rules, archive, scope. Without tools and without `history.evidence_tokens`, that
  /// is `llama_evidence_tokens()` of the window.
  BuildRequest request{};
  ContextManagerOptions manager{};  ///< Ports. The model's own counter stands before yours.
};

/// The messages of one thread and what they make as a prompt, for a host with its own loop. Knows no `llama_context`.
/// Thread-safety: none; use it from one thread at a time.
class LlamaConversation {
 public:
  /// `window`: tokens of prompt and reply together.
  LlamaConversation(std::shared_ptr<const LlamaTemplate> chat_template, std::int64_t window, LlamaThreadOptions options)
      : template_(std::move(chat_template)),
        tools_(options.tools),
        manager_(manager_options(template_, std::move(options.manager), tools_)),
        request_(std::move(options.request)) {
    if (!request_.budget.max_input_tokens) request_.budget.max_input_tokens = window - options.reply_tokens;
    auto& most_evidence = request_.history.evidence_tokens;
    if (tools_.empty() && !most_evidence) most_evidence = llama_evidence_tokens(window);
    if (!request_.shape) request_.shape = message_shape("llama_cpp");
    request_.tools = std::move(options.tools);
    context_.artifacts = std::move(options.documents);
    if (!options.system.empty()) context_.conversation_history.push_back({Role::system, std::move(options.system)});
  }

  void user(std::string text) { context_.conversation_history.push_back({Role::user, std::move(text)}); }
  void assistant(std::string text) { context_.conversation_history.push_back({Role::assistant, std::move(text)}); }

  /// A call that the model's last words ask for.
  void call(ToolCall call) {
    auto& messages = context_.conversation_history;
    if (messages.empty() || messages.back().role != Role::assistant) assistant({});
    messages.back().tool_calls.push_back(std::move(call));
  }

  /// The result of a call. Its tool's name is that of the call.
  void result(const std::string& call_id, std::string text) {
    ConversationMessage message{Role::tool, std::move(text)};
    message.tool_call_id = call_id;
    for (const auto& earlier : context_.conversation_history) {
      for (const auto& call : earlier.tool_calls)
        if (call.id == call_id) message.name = call.name;
    }
    context_.conversation_history.push_back(std::move(message));
  }

  /// The prompt for the next reply, where `cached` is what the model's memory holds. Errors as of `ContextManager::build()`,
  /// and of the template.
  [[nodiscard]] Result<LlamaPrompt> prompt(const std::vector<llama_token>& cached = {}) {
    auto built = manager_.build(context_, request_);
    if (!built) return tl::unexpected(std::move(built.error()));
    auto tokens = template_->tokens(built->messages, built->tools);
    if (!tokens) return tl::unexpected(std::move(tokens.error()));
    request_.thread_state = std::move(built->thread_state);
    LlamaPrompt prompt{std::move(*tokens), 0, std::move(built->metadata)};
    if (!prompt.tokens.empty()) prompt.kept = std::min(common_prefix(cached, prompt.tokens), prompt.tokens.size() - 1);
    return prompt;
  }

  /// Everything that was said, also what is not sent any more. Append only.
  [[nodiscard]] const std::vector<ConversationMessage>& messages() const { return context_.conversation_history; }
  void take_back_last() { context_.conversation_history.pop_back(); }

 private:
  static ContextManagerOptions manager_options(const std::shared_ptr<const LlamaTemplate>& chat_template,
                                               ContextManagerOptions options,
                                               const std::vector<ToolDefinition>& tools) {
    options.token_counters.insert(options.token_counters.begin(), make_llama_token_counter(chat_template, tools));
    return options;
  }

  std::shared_ptr<const LlamaTemplate> template_;
  std::vector<ToolDefinition> tools_;
  ContextManager manager_;
  BuildRequest request_;
  Context context_;
};

class LlamaThread;

/// A prompt of a `LlamaThread`, which must outlive it.
struct LlamaTurn : LlamaPrompt {
  /// Evaluates `tokens` from `kept` on, in batches of the context's size; the logits of the last token are ready then.
  /// `limit_exceeded` where the memory has no place, `internal` for another failure. The sequence is empty then.
  [[nodiscard]] Result<void> evaluate();

  LlamaThread* thread = nullptr;
};

/// One conversation with a model in this process, in one sequence of its context. Several threads may share a context.
/// A template that cannot be read is the error of the first turn.
/// Thread-safety: none, as of the context.
class LlamaThread {
 public:
  LlamaThread(llama_context* context, LlamaThreadOptions options);
  LlamaThread(const LlamaThread&) = delete;
  LlamaThread& operator=(const LlamaThread&) = delete;

  /// Takes the user's words, and gives the prompt for the reply. If it fails, the user has said nothing.
  [[nodiscard]] Result<LlamaTurn> user(std::string text) {
    if (!conversation_) return tl::unexpected(error_);
    conversation_->user(std::move(text));
    auto made = turn();
    if (!made) conversation_->take_back_last();
    return made;
  }

  /// The prompt for the next words of the model after results of its calls.
  [[nodiscard]] Result<LlamaTurn> turn();

  /// Takes the model's words. `sampled`: its tokens, in the order in which you decoded them. With them, they need not be evaluated
  /// again.
  void assistant(std::string text, const std::vector<llama_token>& sampled = {}) {
    if (!conversation_) return;
    conversation_->assistant(std::move(text));
    cached_.insert(cached_.end(), sampled.begin(), sampled.end());
  }
  void call(ToolCall call) {
    if (conversation_) conversation_->call(std::move(call));
  }
  void result(const std::string& call_id, std::string text) {
    if (conversation_) conversation_->result(call_id, std::move(text));
  }

  [[nodiscard]] llama_context* context() const { return context_; }
  [[nodiscard]] llama_seq_id sequence() const { return sequence_; }

 private:
  friend struct LlamaTurn;
  [[nodiscard]] std::size_t keep_in_memory(std::size_t wanted);
  void forget() {
    cached_.clear();
    (void)llama_memory_seq_rm(llama_get_memory(context_), sequence_, -1, -1);
  }

  llama_context* context_;
  llama_seq_id sequence_;
  std::unique_ptr<LlamaConversation> conversation_{};
  Error error_{};
  std::vector<llama_token> cached_{};  ///< The tokens that the sequence holds.
};

inline LlamaThread::LlamaThread(llama_context* context, LlamaThreadOptions options)
    : context_(context), sequence_(options.sequence) {
  const auto* const model = llama_get_model(context);
  if (options.jinja.empty() && !options.render) {
    const char* const own = llama_model_chat_template(model, nullptr);
    options.jinja = own == nullptr ? "" : own;
  }
  auto read = LlamaTemplate::make(llama_model_get_vocab(model), options.jinja, std::move(options.render));
  if (!read) {
    error_ = std::move(read.error());
    return;
  }
  const auto window = options.window > 0 ? options.window : static_cast<std::int64_t>(llama_n_ctx_seq(context));
  conversation_ = std::make_unique<LlamaConversation>(std::move(*read), window, std::move(options));
}

inline Result<LlamaTurn> LlamaThread::turn() {
  if (!conversation_) return tl::unexpected(error_);
  const auto last = llama_memory_seq_pos_max(llama_get_memory(context_), sequence_);
  cached_.resize(std::min(cached_.size(), static_cast<std::size_t>(last + 1)));
  auto prompt = conversation_->prompt(cached_);
  if (!prompt) return tl::unexpected(std::move(prompt.error()));
  LlamaTurn turn;
  static_cast<LlamaPrompt&>(turn) = std::move(*prompt);
  turn.thread = this;
  turn.kept = keep_in_memory(turn.kept);
  cached_ = turn.tokens;
  return turn;
}

/// Takes everything behind out of the sequence. How much stays: all or nothing in memory of which no part can be taken
/// (recurrent and hybrid models), and nothing where a sliding window has passed on.
inline std::size_t LlamaThread::keep_in_memory(std::size_t wanted) {
  auto* const memory = llama_get_memory(context_);
  const auto window = llama_model_n_swa(llama_get_model(context_));
  const auto first_needed = std::max<llama_pos>(0, static_cast<llama_pos>(wanted) - window);
  const bool has_passed = window > 0 && llama_memory_seq_pos_min(memory, sequence_) > first_needed;
  if (!has_passed && llama_memory_seq_rm(memory, sequence_, static_cast<llama_pos>(wanted), -1)) return wanted;
  forget();
  return 0;
}

inline Result<void> LlamaTurn::evaluate() {
  auto* const context = thread->context_;
  const auto most = std::max<std::size_t>(1, llama_n_batch(context));
  auto batch = llama_batch_init(static_cast<std::int32_t>(most), 0, 1);
  std::int32_t failure = 0;
  for (std::size_t at = kept; at < tokens.size() && failure == 0; at += most) {
    const auto end = std::min(tokens.size(), at + most);
    batch.n_tokens = static_cast<std::int32_t>(end - at);
    for (std::size_t i = at; i < end; ++i) {
      batch.token[i - at] = tokens[i];
      batch.pos[i - at] = static_cast<llama_pos>(i);
      batch.n_seq_id[i - at] = 1;
      batch.seq_id[i - at][0] = thread->sequence_;
      batch.logits[i - at] = i + 1 == tokens.size() ? 1 : 0;
    }
    failure = llama_decode(context, batch);
  }
  llama_batch_free(batch);
  if (failure == 0) return {};
  thread->forget();
  const auto code = failure == 1 ? ErrorCode::limit_exceeded : ErrorCode::internal;
  return fail(code, "llama_decode() failed with " + std::to_string(failure));
}

/// See `make_llama_token_counter()`.
class LlamaTokenCounter final : public TokenCounter {
 public:
  LlamaTokenCounter(std::shared_ptr<const LlamaTemplate> chat_template, std::vector<ToolDefinition> tools)
      : template_(std::move(chat_template)), tools_(std::move(tools)) {
    const ConversationMessage asks{Role::user, "a"}, says{Role::assistant, "a"};
    const auto text = count("a");
    const auto one = size({asks}), two = size({asks, says}), three = size({asks, says, asks});
    frames_[index(Role::assistant)] = std::max<std::int64_t>(0, two - one - text);
    frames_[index(Role::user)] = std::max<std::int64_t>(0, three - two - text);
    const auto user = frames_[index(Role::user)];
    const auto system = size({{Role::system, "a"}, asks}) - one - text;
    for (const auto role : {Role::system, Role::developer}) frames_[index(role)] = std::max(user, system);
    frames_[index(Role::tool)] = user;
    const auto starts = template_->tokens({asks}, {});
    if (starts) priming_ = std::max<std::int64_t>(0, static_cast<std::int64_t>(starts->size()) - user - text);
    tools_tokens_ = count_tools(tools_);
  }

  [[nodiscard]] TokenCounterInfo info() const override { return {"", true, false, true}; }
  [[nodiscard]] std::int64_t count(std::string_view text) const override { return template_->count(text); }

  /// By the template where it writes more than the text, else the text and the frame of its role.
  [[nodiscard]] std::int64_t count_message(const ConversationMessage& message) const override {
    const auto plain = frames_[index(message.role)] + count(text_of(message));
    if (message.tool_calls.empty() && message.role != Role::tool) return plain;
    std::vector<ConversationMessage> before{{Role::user, "a"}};
    if (message.role == Role::tool) {
      before.push_back({Role::assistant, ""});
      before.back().tool_calls.push_back({message.tool_call_id, message.name, "{}", {}});
    }
    auto with = before;
    with.push_back(message);
    return std::max(plain, size(with) - size(before));
  }

  [[nodiscard]] std::int64_t count_prompt(const std::vector<ConversationMessage>& messages) const override {
    const auto tokens = template_->tokens(messages, tools_);
    return tokens ? static_cast<std::int64_t>(tokens->size()) - tools_tokens_ : -1;
  }

  [[nodiscard]] std::int64_t reply_priming_tokens() const override { return priming_; }

  [[nodiscard]] std::int64_t count_tools(const std::vector<ToolDefinition>& tools) const override {
    if (tools.empty()) return 0;
    const std::vector<ConversationMessage> list{{Role::system, "a"}, {Role::user, "a"}};
    const auto tokens = template_->tokens_before_reply(list, tools);
    const auto more = tokens ? static_cast<std::int64_t>(tokens->size()) - size(list) : 0;
    return more > 0 ? more : TokenCounter::count_tools(tools);
  }

 private:
  static std::size_t index(Role role) { return static_cast<std::size_t>(role); }

  /// 0 for a list that the template refuses.
  [[nodiscard]] std::int64_t size(const std::vector<ConversationMessage>& messages) const {
    const auto tokens = template_->tokens_before_reply(messages, {});
    return tokens ? static_cast<std::int64_t>(tokens->size()) : 0;
  }

  std::shared_ptr<const LlamaTemplate> template_;
  std::vector<ToolDefinition> tools_;
  std::array<std::int64_t, 5> frames_{};  ///< Tokens of the framing of a text, by role.
  std::int64_t priming_ = 0;
  std::int64_t tools_tokens_ = 0;
};

inline std::shared_ptr<TokenCounter> make_llama_token_counter(std::shared_ptr<const LlamaTemplate> chat_template,
                                                              std::vector<ToolDefinition> tools) {
  return std::make_shared<LlamaTokenCounter>(std::move(chat_template), std::move(tools));
}

inline Result<std::shared_ptr<TokenCounter>> make_llama_token_counter(const llama_vocab* vocab,
                                                                      std::string_view jinja) {
  auto read = LlamaTemplate::make(vocab, jinja);
  if (!read) return tl::unexpected(std::move(read.error()));
  return make_llama_token_counter(std::move(*read));
}

}  // namespace ctxmgr
