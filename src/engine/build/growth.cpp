#include "engine/build/growth.hpp"

#include <algorithm>
#include <utility>

#include "engine/build/compaction.hpp"
#include "engine/build/evidence.hpp"
#include "engine/build/thread_search.hpp"
#include "engine/history/share.hpp"

namespace ctxmgr::engine {
namespace {

constexpr const char* room_is_full = "the room is full";

/// New results that are too large become extracts, once, when they come.
GrownThread with_new_results(const GrowthTerms& terms, GrownThread thread, std::size_t from, std::size_t end) {
  for (auto i = from; i < end; ++i) {
    const bool is_sent_whole =
        i == terms.prepared().gathered.last_word || terms.suffixes().is_fixed(terms.thread().group_of(i));
    if (is_sent_whole || !terms.sizes.is_result(i)) continue;
    if (const auto most = terms.sizes.most_of_result(i); terms.thread().tokens_of(i) > most) thread.extracts[i] = most;
  }
  return thread;
}

/// What the build before sent. What came since is not in it.
GrownThread taken_over(const GrowthTerms& terms, const PreviousBuild& previous) {
  GrownThread thread;
  thread.compacted_at = previous.compacted_at;
  thread.is_filled = true;
  thread.head = previous.head;
  thread.extracts = previous.extracts;
  thread.host_text = previous.host_text;
  for (const auto& made : previous.evidence) {
    if (auto shown = show_evidence(terms.input, made)) thread.evidence.push_back(std::move(*shown));
  }
  thread.steering = steering_at(terms, previous.compacted_at);
  const auto cut = std::max(previous.cut, previous.cut > 0 ? terms.thread().first_to_send() : 0);
  return with_behind(terms, with_kept(terms, with_cut(terms, std::move(thread), cut), previous.kept));
}

/// What the block of documents gets beside all that stands. In a chat each question has its own block, so that nothing has to be left
/// for steps: but what the thread itself is searched for keeps its least.
std::int64_t room_for_documents(const GrowthTerms& terms, const GrownThread& thread) {
  if (terms.documents_wanted == 0) return 0;
  const auto most = std::min(terms.documents_wanted, most_documents(terms.is_loop, terms.room));
  const auto least = std::min(most, part(least_documents_share, terms.room));
  const bool is_searched = !terms.is_loop && hides_anything(thread);
  const auto searched = is_searched ? wanted_by(terms, terms.question).least : 0;
  const auto others = standing(terms, thread, terms.history().size()) - thread.documents + searched;
  return std::clamp(terms.limit - others, least, most);
}

std::int64_t free_for_evidence(const GrowthTerms& terms, const GrownThread& thread, std::size_t end) {
  return terms.limit - standing(terms, thread, end) + thread.set_aside.value_or(0);
}

/// With what answers the question, where that is hidden and there is room for it, or a compaction can make some.
GrownThread with_evidence(const GrowthTerms& terms, GrownThread thread, std::size_t end) {
  const auto wanted = wanted_by(terms, terms.question);
  if (wanted.most == 0 || !hides_anything(thread)) return thread;
  if (free_for_evidence(terms, thread, end) < wanted.least && thread.compacted_at != end)
    thread = compact(terms, thread, end, "a question needs room for what answers it");
  const auto free = free_for_evidence(terms, thread, end);
  const auto most = std::min(wanted.most, free);
  if (!hides_anything(thread) || most < least_block_tokens) return thread;
  auto search = search_of(terms, thread, std::min(terms.question, end), most);
  search.query = terms.prepared().gathered.searched;
  search.question = terms.question;
  search.hinted_by = search.end;
  const auto found = find_in_thread(terms.input, search);
  if (!found) return thread;
  if (auto shown = show_evidence(terms.input, *found); shown && shown->tokens <= free)
    thread.evidence.push_back(std::move(*shown));
  return thread;
}

}  // namespace

GrownThread grow_on(const GrowthTerms& terms, const PreviousBuild& previous, bool same_question, const char* compacts) {
  const auto end = terms.history().size();
  // A request that was cut without a compaction was filled for its question alone: the thread begins now.
  const bool was_single = previous.compacted_at == 0 && previous.cut > 0;
  auto thread = was_single ? with_new_results(terms, {}, 0, end)
                           : with_new_results(terms, taken_over(terms, previous), previous.messages, end);
  const bool is_new_question = terms.question >= previous.messages || was_single;
  // Evidence of a chat is for its question alone. It goes where the new one wants some, or the room is full: so turns stay.
  const bool may_drop_evidence = is_new_question && !terms.is_loop;
  if (may_drop_evidence && wanted_by(terms, terms.question).most > 0) thread.evidence.clear();
  thread.documents = same_question && previous.block_tokens > 0 && terms.documents_wanted > 0
                         ? previous.block_tokens
                         : room_for_documents(terms, thread);
  if (may_drop_evidence && standing(terms, thread, end) > terms.limit) {
    thread.evidence.clear();
    thread.documents = std::min(thread.documents, room_for_documents(terms, thread));
  }
  if (compacts == nullptr && standing(terms, thread, end) > terms.limit) compacts = room_is_full;
  if (compacts != nullptr) thread = compact(terms, thread, end, compacts);
  return is_new_question ? with_evidence(terms, std::move(thread), end) : thread;
}

GrownThread grow_again(const GrowthTerms& terms) {
  const auto& history = terms.history();
  GrownThread thread;
  thread.set_aside = 0;
  thread = with_new_results(terms, std::move(thread), 0, history.size());
  thread.documents = room_for_documents(terms, thread);
  std::vector<std::size_t> stands;  // So many messages there were at each build.
  for (const auto& group : terms.thread().groups())
    if (group.first > 0 && history[group.first].role == Role::assistant) stands.push_back(group.first);
  stands.push_back(history.size());
  const auto asked = terms.thread().roles().asked();
  auto next = asked.begin();
  bool looked = false;
  for (const auto end : stands) {
    for (; next != asked.end() && *next < end; ++next)
      if (hides_anything(thread)) thread.set_aside = std::max(*thread.set_aside, wanted_by(terms, *next).set_aside);
    if (standing(terms, thread, end) > terms.limit) thread = compact(terms, thread, end, room_is_full);
    if (terms.question >= end || std::exchange(looked, true)) continue;
    thread = with_evidence(terms, filled(terms, with_task_evidence(terms, std::move(thread))), end);
  }
  return filled(terms, with_task_evidence(terms, std::move(thread)));
}

}  // namespace ctxmgr::engine
