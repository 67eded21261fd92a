#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// How a tool's calls and results give way when a conversation is compacted. Stored by name: frozen.
enum class ToolRetention {
  normal,        ///< The oldest go first, whatever tool made them.
  never_cut,     ///< Sent whole, as if its messages were pinned.
  cut_first,     ///< All but those of the newest step go at a compaction, before anything else does.
  keeps_latest,  ///< The newest call stands for the tool's state: it is sent after every compaction, older ones go first.
  not_refetched,  ///< Cannot be called again for the same: where it is cut, its text comes first in the notes.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(ToolRetention value);

/// A host's knowledge of a tool, which no message has.
struct ToolRule {
  std::string tool{};  ///< A name, or a pattern in which `*` stands for any letters: "todo_*". At most 200 bytes.
  ToolRetention retention = ToolRetention::normal;
  std::optional<std::int64_t>
      max_result_tokens{};  ///< A longer result is an extract from the request on in which it comes.
};

/// The first rule whose `tool` fits a name holds for it. At most 200.
using ToolRules = std::vector<ToolRule>;

/// The rule for a tool. Where none fits, tools by which agents write plans and todo lists keep their latest: `update_plan`,
/// `TodoWrite`, `write_todos` and the like, whatever their case and `_`. All others are normal then. Pure.
[[nodiscard]] CTXMGR_API ToolRule find_tool_rule(const ToolRules& rules, std::string_view tool);

/// `invalid_argument` for a rule without a tool, too many of them, or a limit that is not positive.
[[nodiscard]] CTXMGR_API Result<void> check_tool_rules(const ToolRules& rules);

}  // namespace ctxmgr
