#pragma once
#include <string>
#include <vector>

#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"

namespace ctxpack {

/// The options that `build` and `plan` share: who plans, for which model, within what.
struct BuildOptions {
  std::string request_path;
  std::int64_t budget = -1;  ///< Tokens, tools included; -1: from the window.
  std::string model;
  std::string planner_model;
  std::string summarizer_model;
  std::string utilization;
  std::string goal;
  std::string planner = "auto";
  std::string base_url;
  std::string store;
  std::string session;
  std::vector<std::string> attached_files;
  std::vector<std::string> attachment_ids;
};

void add_options(const Command& command, BuildOptions& options);

/// A request, in the form of OpenAI's or Anthropic's services, and the manager to build it with.
struct Job {
  std::string request_text{};
  bool is_anthropic = false;
  ctxmgr::WireRequest input{};
  ctxmgr::ContextManager manager{};
};

[[nodiscard]] ctxmgr::Result<Job> prepare(const BuildOptions& options);

/// A client of an OpenAI-compatible service, with the key in OPENAI_API_KEY. `option`: what named the service, for errors.
[[nodiscard]] ctxmgr::Result<std::shared_ptr<ctxmgr::LlmClient>> open_client(const std::string& base_url,
                                                                             const std::string& option);

/// Where the catalogue does not have a model, says so on standard error, with the names that may have been meant. `option`: what
/// named the model, which may be empty.
void warn_of_unknown_model(const std::string& option, const std::string& model);

/// `invalid_argument` where the catalogue does not have a model, but names that are near: for figures that are nothing without it.
/// Of another unknown name it warns.
[[nodiscard]] ctxmgr::Result<void> refuse_misspelt_model(const std::string& option, const std::string& model);

/// Where a model should have planned and failed, says so on standard error.
void warn_of_failed_planner(const ctxmgr::ContextUtilizationMetadata& receipt);

/// Exact counters for the vocabularies that are compiled in, none without them; and the catalogue's name of the
/// vocabulary for a model.
[[nodiscard]] std::vector<std::shared_ptr<ctxmgr::TokenCounter>> exact_counters();

}  // namespace ctxpack
