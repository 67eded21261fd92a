#include "engine/history/thread_head.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/message_number.hpp"
#include "core/worded.hpp"
#include "engine/history/cut_messages.hpp"
#include "engine/history/notes.hpp"
#include "engine/history/share.hpp"
#include "engine/history/shortened_text.hpp"
#include "engine/history/task.hpp"

namespace ctxmgr::engine {
namespace {

/// Of ranges that can be read back, the newest are named; a search finds the others.
constexpr std::size_t most_references = 3;

bool is_sent_anyway(const HeadInput& in, std::size_t message) {
  return in.thread.groups()[in.thread.group_of(message)].fixed;
}

bool has_handles(const HeadInput& in) { return in.handles != nullptr && in.handles->any(); }

/// Everything that a head depends on.
Fingerprint key_of(const HeadInput& in, std::size_t cut) {
  const auto last = std::min(in.compacted_at, in.history.size());
  const std::array<std::uint64_t, 7> numbers{
      cut,
      in.compacted_at,
      static_cast<std::uint64_t>(in.room),
      static_cast<std::uint64_t>(in.most_task),
      static_cast<std::uint64_t>(in.most_notes),
      (in.has_task ? 1U : 0U) + (has_handles(in) ? 2U : 0U),
      last == 0 ? 0U : static_cast<std::uint64_t>(number_of(in.history[last - 1], last - 1))};
  const auto bytes = std::string_view(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
  const auto kept =
      std::string_view(reinterpret_cast<const char*>(in.kept.data()), in.kept.size() * sizeof(std::size_t));
  auto key =
      fingerprint(kept, fingerprint(bytes, in.thread.fingerprint_at(std::min(in.compacted_at, in.thread.size()))));
  for (const auto& summary : in.summaries) key = fingerprint(summary.text, key);
  return key;
}

/// Each count of a long text costs, and a build asks for the same several times.
const ThreadMemo::Shortened& shorten(const HeadInput& in, std::size_t message, std::int64_t most, bool leads) {
  auto& last = in.memo.shortened[leads ? 0 : 1];
  if (last.message == message && last.most == most) return last;
  last = {message, most, head_and_tail(in.history[message], most, in.counter)};
  if (last.as_sent) last.tokens = in.counter.count_message(*last.as_sent);
  return last;
}

void add_message(const HeadInput& in, std::size_t message, std::int64_t most, bool leads, ThreadHead& head) {
  const auto tokens = in.thread.tokens_of(message);
  if (tokens <= most) {
    head.task.push_back({message, true, leads, in.history[message], tokens});
  } else if (const auto& shortened = shorten(in, message, most, leads); shortened.as_sent) {
    head.task.push_back({message, false, leads, *shortened.as_sent, shortened.tokens});
  } else {
    return;
  }
  head.tokens += head.task.back().tokens;
}

/// Of a message of the task.
std::optional<std::string> text_as_sent(const ThreadHead& head, std::size_t message) {
  for (const auto& task : head.task)
    if (task.message == message) return text_of(task.as_sent);
  return std::nullopt;
}

/// " [3-20] <…>": the newest stretches.
std::string references(const HeadInput& in, std::size_t first, std::size_t last) {
  std::string text;
  auto stretches = stretches_before(last, in.thread);
  if (stretches.size() > most_references)
    stretches.erase(stretches.begin(), stretches.end() - static_cast<std::ptrdiff_t>(most_references));
  for (const auto& stretch : stretches) {
    if (stretch.last <= first) continue;
    const auto reference = in.handles->of(artifact_of_stretch(in.history, stretch, *in.handles));
    if (!reference.empty())
      text += worded("; [{}-{}] <{}>", number_of(in.history[stretch.first], stretch.first),
                     number_of(in.history[stretch.last - 1], stretch.last - 1), reference);
  }
  return text;
}

}  // namespace

ThreadHead make_task(const HeadInput& in, std::size_t cut) {
  ThreadHead head;
  if (cut == 0 || !in.has_task) return head;
  const auto& roles = in.thread.roles();
  const auto requests = roles.requests(in.compacted_at);
  const auto tokens_of = [&in](std::size_t message) { return in.thread.tokens_of(message); };
  const auto chosen = choose_task(requests, in.room, tokens_of, states_of_requests(in.history, requests, roles));
  const auto at_most = [&in](double share) { return std::min(in.most_task, part(share, in.room)); };
  for (const auto& [message, is_limited] : chosen) {
    if (message >= cut || is_sent_anyway(in, message)) continue;
    const bool leads = message == requests.front();
    const auto most = leads && chosen.size() > 1 ? at_most(first_message_share)
                      : is_limited               ? at_most(answered_share)
                                                 : in.most_task;
    add_message(in, message, most, leads, head);
  }
  if (const auto again = roles.said_again(in.compacted_at); again && *again < cut && !is_sent_anyway(in, *again))
    add_message(in, *again, in.most_task, false, head);
  return head;
}

ThreadHead make_beginning(const HeadInput& in, std::size_t cut, std::optional<std::size_t> question,
                          std::optional<std::size_t> last_word) {
  ThreadHead head;
  const auto is_sent = [&](std::size_t message) {
    return message == question || message == last_word || is_sent_anyway(in, message);
  };
  const auto asked = in.thread.roles().asked();
  if (in.has_task && !asked.empty() && asked.front() < cut && !is_sent(asked.front()))
    add_message(in, asked.front(), in.most_task, true, head);
  if (cut == 0 || in.most_notes == 0) return head;
  NotesInput notes{in.history,    in.thread, in.counter, cut, in.compacted_at, in.room,
                   in.most_notes, {},        {},         {},  in.summaries};
  notes.only_words = true;
  notes.is_shown = is_sent;
  notes.task_text = [&head](std::size_t message) { return text_as_sent(head, message); };
  head.notes = make_notes(notes);
  if (head.notes) head.tokens += in.counter.count_message(*head.notes);
  return head;
}

ThreadHead make_head(const HeadInput& in, std::size_t cut) {
  const auto key = key_of(in, cut);
  if (in.memo.head && in.memo.head_key == key) return *in.memo.head;
  auto head = make_task(in, cut);
  NotesInput notes{in.history,    in.thread, in.counter, cut, in.compacted_at, in.room,
                   in.most_notes, {},        {},         {},  in.summaries};
  const auto is_kept = [&in](std::size_t message) {
    const auto first = in.thread.groups()[in.thread.group_of(message)].first;
    return std::find(in.kept.begin(), in.kept.end(), first) != in.kept.end();
  };
  notes.is_shown = [&](std::size_t message) {
    return is_sent_anyway(in, message) || is_kept(message) ||
           std::any_of(head.task.begin(), head.task.end(),
                       [&](const TaskMessage& t) { return t.whole && t.message == message; });
  };
  notes.task_text = [&head](std::size_t message) { return text_as_sent(head, message); };
  if (has_handles(in))
    notes.reference_of = [&in](std::size_t first, std::size_t last) { return references(in, first, last); };
  head.notes = make_notes(notes);
  if (head.notes) head.tokens += in.counter.count_message(*head.notes);
  in.memo.head = std::make_shared<const ThreadHead>(head);
  in.memo.head_key = key;
  return head;
}

}  // namespace ctxmgr::engine
