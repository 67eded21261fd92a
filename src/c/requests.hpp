#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/json/json.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/wire.hpp"

/// The JSON that the C interface takes; docs/c-interface.md describes it. Unknown fields are errors: a misspelled option
/// must not be ignored.
namespace ctxmgr::c {

struct ManagerOptions {
  ModelCatalog catalog{};
  std::size_t analysis_cache_bytes = std::size_t{64} << 20;
  std::chrono::milliseconds summary_ttl{3'600'000};
  std::string store{};  ///< "", "memory" or "sqlite:PATH".
};
[[nodiscard]] Result<ManagerOptions> read_manager_options(std::string_view text);

struct BuildCall {
  WireForm form = WireForm::openai;
  std::string body{};
  std::string session{};
  std::optional<std::int64_t> deadline_ms{};
  bool place_cache_control = false;
  BuildRequest options{};
};
[[nodiscard]] Result<BuildCall> read_build_call(std::string_view text);

struct ToolRequest {
  WireForm form = WireForm::openai;
  std::string session{};
  std::string agent{};
  std::string id{};
  std::string name{};
  std::string arguments{};
};
[[nodiscard]] Result<ToolRequest> read_tool_request(std::string_view text);

}  // namespace ctxmgr::c
