#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "asks.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"

/// \file
/// Recorded runs of agents as JSON Lines, {"id", "messages", "tools"?, "asks"?} in the OpenAI form: what `simulate` replays.
namespace ctxpack {

struct RecordedRun {
  std::string id;
  std::vector<ctxmgr::ConversationMessage> messages;
  std::vector<ctxmgr::ToolDefinition> tools;
  std::vector<Ask> asks{};
};

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
