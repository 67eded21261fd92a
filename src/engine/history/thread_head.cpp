#include "engine/history/thread_head.hpp"

#include <algorithm>
#include <utility>

#include "engine/history/shortened_text.hpp"
#include "engine/history/thread_roles.hpp"

namespace ctxmgr::engine {
namespace {

/// A question of which more is sent than this would leave no room for the steps that answer it.
constexpr double question_share = 1.0 / 3;

std::int64_t part(double share, std::int64_t tokens) {
  return static_cast<std::int64_t>(share * static_cast<double>(tokens));
}

/// The question, where it was cut and is too long to be sent whole beside its own steps.
std::optional<TaskMessage> short_question(const HeadInput& in, std::size_t cut) {
  if (!in.question || *in.question >= cut) return std::nullopt;
  const auto most = part(question_share, in.room);
  if (in.thread.tokens_of(*in.question) <= most) return std::nullopt;
  auto shortened = head_and_tail(in.history[*in.question], most, in.counter);
  if (!shortened) return std::nullopt;
  return TaskMessage{*in.question, false, std::move(*shortened)};
}

bool is_sent_anyway(const HeadInput& in, std::size_t message) {
  return message == in.question || in.thread.groups()[in.thread.group_of(message)].fixed;
}

}  // namespace

ThreadHead make_task(const HeadInput& in, std::size_t cut) {
  ThreadHead head;
  if (cut == 0 || !in.has_task) return head;
  auto asked = in.thread.roles().asked();
  asked.erase(std::lower_bound(asked.begin(), asked.end(), std::max(cut, in.compacted_at)), asked.end());
  const auto tokens_of = [&in](std::size_t message) { return in.thread.tokens_of(message); };
  const auto choice = choose_task(asked, in.room, tokens_of);
  for (const auto message : choice.whole) {
    if (message >= cut || is_sent_anyway(in, message)) continue;
    head.tokens += in.thread.tokens_of(message);
    head.task.push_back({message, true, in.history[message]});
  }
  if (choice.shortened && *choice.shortened < cut && !is_sent_anyway(in, *choice.shortened)) {
    const auto most = part(shortened_task_share, in.room);
    if (auto shortened = head_and_tail(in.history[*choice.shortened], most, in.counter)) {
      head.tokens += in.counter.count_message(*shortened);
      head.task.push_back({*choice.shortened, false, std::move(*shortened)});
    }
  }
  if (auto question = short_question(in, cut)) {
    head.tokens += in.counter.count_message(question->as_sent) - in.thread.tokens_of(*in.question);
    head.task.push_back(std::move(*question));
  }
  std::sort(head.task.begin(), head.task.end(),
            [](const TaskMessage& a, const TaskMessage& b) { return a.message < b.message; });
  return head;
}

ThreadHead make_head(const HeadInput& in, std::size_t cut, std::size_t mask_before) {
  auto head = make_task(in, cut);
  (void)mask_before;
  return head;
}

}  // namespace ctxmgr::engine
