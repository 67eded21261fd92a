#include <algorithm>

#include "core/instruction_role.hpp"
#include "engine/build/parts.hpp"
#include "engine/history/reasoning_parts.hpp"

namespace ctxmgr::engine {
namespace {

class Assembler {
 public:
  Assembler(const Parts& parts, const AssemblySource& source) : parts_(parts), source_(source) {}

  Assembly run() {
    if (parts_.fixed.system_override) assembly_.messages.push_back(*parts_.fixed.system_override);
    assembly_.leading = assembly_.messages.size();
    const auto& groups = source_.thread.groups();
    auto cut_group =
        parts_.suffix.cut < source_.thread.size() ? source_.thread.group_of(parts_.suffix.cut) : groups.size();
    while (cut_group < groups.size() && is_instruction(cut_group)) ++cut_group;  // Notes stand behind what leads.
    if (!groups.empty()) add_before_cut(cut_group);
    for (std::size_t g = cut_group; g < groups.size(); ++g)
      if (!parts_.suffix.is_dropped(groups[g])) add_group(g);
    add_what_is_made();
    return std::move(assembly_);
  }

 private:
  static void in_order(std::vector<std::size_t>& groups) {
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  }

  /// What was cut and is sent nevertheless: instructions, pins and what the thread began with, in their order. Then notes of the rest,
  /// evidence, and the task and the question, where they are others. The last message stays the last one.
  void add_before_cut(std::size_t cut_group) {
    const auto& thread = source_.thread;
    const auto& fixed = thread.fixed_groups();
    std::vector<std::size_t> before(fixed.begin(), std::lower_bound(fixed.begin(), fixed.end(), cut_group));
    for (const auto kept : parts_.head.kept) before.push_back(thread.group_of(kept));
    std::vector<std::size_t> behind;
    for (const auto& task : parts_.head.task) (task.leads ? before : behind).push_back(thread.group_of(task.message));
    in_order(before);
    const bool question_was_cut = source_.question && thread.group_of(*source_.question) < cut_group;
    if (question_was_cut) {
      const auto question = thread.group_of(*source_.question);
      if (!std::binary_search(before.begin(), before.end(), question)) behind.push_back(question);
    }
    in_order(behind);
    const auto last = thread.groups().size() - 1;
    const bool stays_last = !thread.groups()[last].fixed || thread.groups()[last].pending;
    const bool ends_here = cut_group > last && source_.suffixes.is_fixed(last) && stays_last;
    for (auto* const groups : {&before, &behind})
      if (ends_here && !groups->empty() && groups->back() == last) groups->pop_back();
    for (const auto g : before) add_group(g);
    if (parts_.head.notes) {
      if (!source_.question) add_block();
      assembly_.notes_at = assembly_.messages.size();
      assembly_.messages.push_back(*parts_.head.notes);
    }
    for (const auto& message : parts_.head.behind) {
      if (!source_.question) add_block();
      assembly_.behind_at.push_back(assembly_.messages.size());
      assembly_.messages.push_back(message);
    }
    for (const auto& shown : parts_.evidence)
      if (shown.made.compactions > 0 || shown.made.question < parts_.suffix.cut) add_evidence(shown);
    for (const auto g : behind) add_group(g);
    if (question_was_cut) add_block();  // The question is above, its steps are below.
    if (ends_here) add_group(last);
  }

  [[nodiscard]] bool is_instruction(std::size_t g) const {
    return ctxmgr::is_instruction(source_.context.conversation_history[source_.thread.groups()[g].first]);
  }

  void add_group(std::size_t g) {
    const auto& group = source_.thread.groups()[g];
    if (is_overridden(source_.context, group)) return;
    if (group.pending) add_what_is_made();  // Its results are yet to come.
    const bool instruction = is_instruction(g);
    if (instruction && assembly_.leading == assembly_.messages.size()) ++assembly_.leading;
    if (!instruction && parts_.block_leads) place_block();
    if (!instruction && !source_.question) add_block();
    for (const auto& shown : parts_.evidence)
      if (shown.made.compactions == 0 && shown.made.question == group.first && group.first >= parts_.suffix.cut)
        add_evidence(shown);
    if (source_.question && group.first == *source_.question && group.first >= parts_.suffix.cut) add_block();
    for (std::size_t i = group.first; i < group.last; ++i) assembly_.messages.push_back(as_sent(i));
    assembly_.included += group.last - group.first - put_into(group);
  }

  [[nodiscard]] std::size_t put_into(const Group& group) const {
    if (source_.put_in == nullptr) return 0;
    const auto& places = *source_.put_in;
    const auto first = std::lower_bound(places.begin(), places.end(), group.first);
    return static_cast<std::size_t>(std::lower_bound(first, places.end(), group.last) - first);
  }

  void add_evidence(const ShownEvidence& shown) {
    assembly_.evidence_at.push_back(assembly_.messages.size());
    assembly_.messages.push_back(shown.message);
  }

  ConversationMessage as_sent(std::size_t i) {
    const auto task = std::find_if(parts_.head.task.begin(), parts_.head.task.end(),
                                   [i](const TaskMessage& message) { return message.message == i; });
    if (task != parts_.head.task.end()) return task->as_sent;
    if (parts_.fixed.shrunk_question && source_.question == i) return *parts_.fixed.shrunk_question;
    const auto& message = source_.context.conversation_history[i];
    if (source_.suffixes.is_fixed(source_.thread.group_of(i))) return message;
    const auto extract = parts_.suffix.extracts.find(i);
    if (extract != parts_.suffix.extracts.end()) return source_.views.extracted(i, extract->second).message;
    if (i < parts_.suffix.reasoning_before && i >= parts_.suffix.cut)
      if (auto plain = without_reasoning(message)) return *std::move(plain);
    return source_.suffixes.is_without_images(i, parts_.suffix) ? source_.views.without_images(i).message : message;
  }

  void add_block() {
    if (block_done_) return;
    block_done_ = true;
    assembly_.stable = assembly_.messages.size();
    place_block();
  }

  void place_block() {
    if (block_placed_ || parts_.block.empty()) return;
    block_placed_ = true;
    assembly_.block_at = assembly_.messages.size();
    assembly_.messages.push_back(render(parts_.block));
  }

  /// Where there is no question: after everything that is not newer than it.
  void add_what_is_made() {
    add_block();
    add_steps();
  }

  void add_steps() {
    if (steps_done_) return;
    steps_done_ = true;
    if (parts_.block.empty()) assembly_.stable = assembly_.messages.size();
    if (parts_.skipped_steps >= source_.context.step_records.size()) return;
    assembly_.steps_at = assembly_.messages.size();
    assembly_.messages.push_back(render_steps(source_.context.step_records, parts_.skipped_steps, parts_.step_results));
  }

  const Parts& parts_;
  const AssemblySource& source_;
  bool block_done_ = false;
  bool block_placed_ = false;
  bool steps_done_ = false;
  Assembly assembly_;
};

}  // namespace

Assembly assemble(const Parts& parts, const AssemblySource& source) { return Assembler(parts, source).run(); }

}  // namespace ctxmgr::engine
