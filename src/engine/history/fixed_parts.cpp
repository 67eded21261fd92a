#include "engine/history/fixed_parts.hpp"

#include <string>
#include <utility>

#include "core/instruction_role.hpp"
#include "core/worded.hpp"
#include "engine/history/shortened_text.hpp"

namespace ctxmgr::engine {

bool is_overridden(const Context& context, const Group& group) {
  const auto role = context.conversation_history[group.first].role;
  return !context.system_prompt_override.empty() && is_instruction(role);
}

Result<FixedParts> measure_fixed_parts(const Context& context, const ThreadAnalysis& thread,
                                       std::optional<std::size_t> question, std::optional<std::size_t> last_word,
                                       std::int64_t max_input, Oversized oversized, const TokenCounter& counter) {
  FixedParts fixed;
  fixed.tokens = counter.reply_priming_tokens();
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
  if (last_word && last_word != question && !thread.groups()[thread.group_of(*last_word)].fixed)
    fixed.tokens += thread.tokens_of(*last_word);
  if (fixed.tokens <= max_input) return fixed;
  const bool pinned = question && thread.groups()[thread.group_of(*question)].pinned;
  if (question && !pinned && oversized != Oversized::fail) {
    const auto rest = fixed.tokens - question_tokens;
    fixed.shrunk_question = head_and_tail(context.conversation_history[*question], max_input - rest, counter);
    if (fixed.shrunk_question) {
      fixed.tokens = rest + counter.count_message(*fixed.shrunk_question);
      return fixed;
    }
  }
  return fail(
      ErrorCode::budget_exceeded,
      worded("the parts that must be sent take {} tokens (of which the last user message {}), the budget is {}: "
             "raise budget.max_input_tokens, or shorten or unpin what must be sent",
             fixed.tokens, question_tokens, max_input));
}

}  // namespace ctxmgr::engine
