#include "engine/build/fixed_parts.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/utf8.hpp"
#include "engine/history/message_parts.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double head_share = 0.7;  // Of what is kept; questions say what they want first and repeat it last.

/// Head and tail of a text around a marker, `kept` bytes in all.
std::string head_and_tail(std::string_view text, std::size_t kept) {
  const auto head = utf8::floor_boundary(text, static_cast<std::size_t>(static_cast<double>(kept) * head_share));
  auto tail = text.size() - (kept - head);
  while (tail < text.size() && utf8::floor_boundary(text, tail) != tail) ++tail;
  return fmt::format("{}\n[… {} characters left out …]\n{}", text.substr(0, head),
                     utf8::count_code_points(text.substr(head, tail - head)), text.substr(tail));
}

/// The largest head and tail whose message counts at most `room`, with the question's other parts, or if that is too
/// much with a line that names them; nullopt where not even the marker fits.
std::optional<ConversationMessage> shrink(const ConversationMessage& question, std::int64_t room,
                                          const TokenCounter& counter) {
  const auto text = text_of(question);
  bool parts_fit = true;
  const auto shortened_to = [&](std::size_t kept) {
    return parts_fit ? with_text(question, head_and_tail(text, kept))
                     : with_text_alone(question, head_and_tail(text, kept));
  };
  parts_fit = counter.count_message(shortened_to(0)) <= room;
  if (!parts_fit && counter.count_message(shortened_to(0)) > room) return std::nullopt;
  std::size_t fits = 0;
  std::size_t too_many = text.size();
  while (too_many - fits > 8) {
    const auto middle = fits + (too_many - fits) / 2;
    (counter.count_message(shortened_to(middle)) <= room ? fits : too_many) = middle;
  }
  return shortened_to(fits);
}

}  // namespace

bool is_overridden(const Context& context, const Group& group) {
  const auto role = context.conversation_history[group.first].role;
  return !context.system_prompt_override.empty() && (role == Role::system || role == Role::developer);
}

Result<FixedParts> measure_fixed_parts(const Context& context, const ThreadAnalysis& thread,
                                       std::optional<std::size_t> question, std::int64_t max_input,
                                       OversizedMessage oversized, const TokenCounter& counter) {
  FixedParts fixed;
  fixed.tokens = reply_priming_tokens;
  if (!context.system_prompt_override.empty()) {
    fixed.system_override = ConversationMessage{Role::system, context.system_prompt_override};
    fixed.tokens += counter.count_message(*fixed.system_override);
  }
  for (const auto g : thread.fixed_groups()) {
    if (!is_overridden(context, thread.groups()[g])) fixed.tokens += thread.groups()[g].tokens;
  }
  std::int64_t question_tokens = 0;
  if (question) {
    const auto& group = thread.groups()[thread.group_of(*question)];
    question_tokens = thread.tokens_of(*question);
    if (!group.fixed) fixed.tokens += group.tokens;
  }
  if (fixed.tokens <= max_input) return fixed;
  if (question && oversized == OversizedMessage::shrink) {
    const auto rest = fixed.tokens - question_tokens;
    fixed.shrunk_question = shrink(context.conversation_history[*question], max_input - rest, counter);
    if (fixed.shrunk_question) {
      fixed.tokens = rest + counter.count_message(*fixed.shrunk_question);
      return fixed;
    }
  }
  return fail(
      ErrorCode::budget_exceeded,
      fmt::format("the parts that must be sent take {} tokens (of which the last user message {}), the budget is {}",
                  fixed.tokens, question_tokens, max_input));
}

}  // namespace ctxmgr::engine
