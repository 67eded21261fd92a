#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"

/// \file
/// Recorded runs of agents as JSON Lines, {"id", "messages", "tools"?} in the OpenAI form: what `simulate` replays. They may
/// have "asks", "rules" and "gold": texts that their requests should hold.
namespace ctxpack {

/// A question about what the run has seen before, spliced into it as a message of the user.
struct Ask {
  std::size_t at = 0;                ///< Index of the question in the run.
  std::string form{};                ///< "value", "error", "file" and so on; figures are kept by it.
  std::string question{};            ///< As it was spliced in: this message is no answer.
  std::vector<std::string> parts{};  ///< All have to stand near the last of them, in one message.
  std::size_t within = 0;            ///< Near: that many characters before and after it.
  std::vector<std::string> paths{};  ///< In place of parts: the share of them that is anywhere in the request counts.
  std::int64_t before = 0;           ///< Estimated tokens of the thread before the question.
  std::int64_t age = 0;              ///< Estimated tokens between the answer and the question.
};

/// What the user said once and for all.
struct Rule {
  std::string place{};  ///< "first", "middle"; figures are kept by it.
  std::size_t at = 0;   ///< Index of its message in the run.
  std::string text{};
};

struct RecordedRun {
  std::string id;
  std::vector<ctxmgr::ConversationMessage> messages;
  std::vector<ctxmgr::ToolDefinition> tools;
  std::vector<Ask> asks{};
  std::vector<Rule> rules{};
  std::vector<std::string> gold{};  ///< What the first message asks for, as the results have it.
};

/// Texts that the last request of a run should hold, by the run's id.
using Gold = std::map<std::string, std::vector<std::string>>;

/// Of cases, {"case_id", "gold": {"spans": [{"text"}]}} a line; none without a path.
[[nodiscard]] ctxmgr::Result<Gold> read_gold(const std::string& path);

/// Reads them one at a time, so that a file may be larger than memory; compressed by gzip or not. Errors name the file
/// and the line.
class RunReader {
 public:
  /// "-" is standard input.
  [[nodiscard]] static ctxmgr::Result<RunReader> open(const std::string& path);

  RunReader(RunReader&&) noexcept;
  RunReader& operator=(RunReader&&) noexcept;
  ~RunReader();

  /// The next run; none at the end.
  [[nodiscard]] ctxmgr::Result<std::optional<RecordedRun>> next();

 private:
  struct Input;
  RunReader(std::string name, std::unique_ptr<Input> input);

  std::string name_;
  std::unique_ptr<Input> input_;
  std::size_t line_ = 0;
};

}  // namespace ctxpack
