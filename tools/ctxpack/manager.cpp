#include "manager.hpp"

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <utility>

#ifdef CTXPACK_WITH_BPE
#include "ctxmgr/adapters/bpe_encoding.hpp"
#endif
#ifdef CTXPACK_WITH_CURL
#include "ctxmgr/adapters/curl_llm_client.hpp"
#endif
#include "stores.hpp"

namespace ctxpack {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;

void apply_planning(const BuildOptions& options, ctxmgr::BuildRequest& request) {
  using ctxmgr::PlannerMode;
  request.planning.mode = options.planner == "llm"             ? PlannerMode::llm
                          : options.planner == "llm_or_fail"   ? PlannerMode::llm_or_fail
                          : options.planner == "deterministic" ? PlannerMode::deterministic
                          : options.planner == "none"          ? PlannerMode::none
                                                               : PlannerMode::automatic;
}

void apply(const BuildOptions& options, ctxmgr::WireRequest& input) {
  auto& request = input.request;
  request.models =
      ctxmgr::ModelConfig::from_environment(options.model.empty() ? request.models.primary : options.model);
  if (!options.planner_model.empty()) request.models.context_planner = options.planner_model;
  if (!options.summarizer_model.empty()) request.models.summarizer = options.summarizer_model;
  if (options.budget >= 0) request.budget.max_input_tokens = options.budget;
  using ctxmgr::ContextUtilization;
  if (options.utilization == "low") request.budget.utilization = ContextUtilization::low;
  if (options.utilization == "medium") request.budget.utilization = ContextUtilization::medium;
  if (options.goal == "planning") input.context.goal = ctxmgr::ContextGoal::planning;
  if (options.goal == "synthesis") input.context.goal = ctxmgr::ContextGoal::synthesis;
  apply_planning(options, request);
}

}  // namespace

Result<std::shared_ptr<ctxmgr::LlmClient>> open_client(const std::string& base_url, const std::string& option) {
#ifdef CTXPACK_WITH_CURL
  auto options = ctxmgr::CurlLlmClientOptions::from_environment();
  const char* key = std::getenv("OPENAI_API_KEY");
  options.base_url = base_url;
  options.api_key = key == nullptr ? "" : key;
  options.wire_format = ctxmgr::WireFormat::openai_chat;
  auto client = ctxmgr::make_curl_llm_client(options);
  if (!client) return fail(client.error().code, option + ": " + client.error().message);
  return std::shared_ptr<ctxmgr::LlmClient>(std::move(*client));
#else
  return fail(ErrorCode::invalid_argument,
              option + ": this ctxpack was built without the HTTP client (CTXMGR_WITH_CURL)");
#endif
}

void add_options(const Command& command, BuildOptions& options) {
  command
      .add("request", options.request_path,
           "Chat request of OpenAI or Messages request of Anthropic, as a JSON file; - for standard input")
      .required();
  const Argument budget = command.add("--budget", options.budget, "Most input tokens of the request, tools included")
                              .in_range(0, std::int64_t{1} << 40);
  command.add("--model", options.model, "Primary model, instead of the request's");
  command.add("--planner-model", options.planner_model, "Model that plans (CONTEXT_PLANNER_MODEL)");
  command.add("--summarizer-model", options.summarizer_model, "Model that summarises (SUMMARIZER_MODEL)");
  command.add("--utilization", options.utilization, "How much of the model's window to use")
      .one_of({"low", "medium", "full"})
      .excludes(budget);
  command
      .add("--goal", options.goal,
           "What the answer is for: synthesis (default), or planning, which keeps fewer passages that match more "
           "closely")
      .one_of({"planning", "synthesis"});
  command
      .add(
          "--planner", options.planner,
          "Who plans. auto (default): a model, if that is expected to pay; llm: always a model; llm_or_fail: the same, "
          "and the build fails if the model does; deterministic: never a model; none: all documents in full, cut only "
          "as far as the budget demands")
      .one_of({"auto", "llm", "llm_or_fail", "deterministic", "none"});
  command.add("--base-url", options.base_url,
              "OpenAI-compatible service that plans and summarises; its key is read from OPENAI_API_KEY");
  Argument session =
      command.add("--session", options.session, "Id of the session that keeps what the request leaves out");
  const Argument store =
      command.add("--store", options.store, "Store of the session: sqlite:PATH or redis://host:port/db").needs(session);
  session.needs(store);
  command.add("--attach", options.attached_files, "File with a document to choose from. Repeatable").once_each();
  command.add("--attachment-id", options.attachment_ids, "Id of a document in the store to choose from. Repeatable")
      .once_each()
      .needs(store);
}

/// "--model: the model "gtp-5" is not known (did you mean gpt-5, …?)".
std::string words_of_unknown(const std::string& option, const std::string& model,
                             const std::vector<std::string>& similar) {
  std::string meant;
  for (const auto& name : similar) meant += (meant.empty() ? " (did you mean " : ", ") + name;
  if (!meant.empty()) meant += "?)";
  return option + ": the model " + json_string(model) + " is not known" + meant;
}

void warn_of_unknown_model(const std::string& option, const std::string& model) {
  const ctxmgr::ModelCatalog catalog;
  if (model.empty() || catalog.find(model).known) return;
  std::cerr << "ctxpack: " << printable(words_of_unknown(option, model, catalog.similar(model)))
            << ": its window and its prices are missing\n";
}

Result<void> refuse_misspelt_model(const std::string& option, const std::string& model) {
  const ctxmgr::ModelCatalog catalog;
  const auto similar = catalog.find(model).known ? std::vector<std::string>{} : catalog.similar(model);
  if (!similar.empty()) return fail(ErrorCode::invalid_argument, words_of_unknown(option, model, similar));
  warn_of_unknown_model(option, model);
  return {};
}

void warn_of_failed_planner(const ctxmgr::ContextUtilizationMetadata& receipt) {
  if (receipt.plan_reason.rfind("the planner failed", 0) != 0) return;
  std::cerr << "ctxpack: " << printable(receipt.plan_reason) << ". The built-in planner chose instead of it\n";
}

std::vector<std::shared_ptr<ctxmgr::TokenCounter>> exact_counters() {
#ifdef CTXPACK_WITH_BPE
  return ctxmgr::exact_counters();
#else
  return {};
#endif
}

Result<ctxmgr::WireRequest> read_request(const std::string& text, bool is_anthropic,
                                         const ctxmgr::AttachmentSource& source) {
  return is_anthropic ? ctxmgr::parse_anthropic_request(text, source) : ctxmgr::parse_openai_request(text, source);
}

/// What the command line attaches, after what the request does. `--attach a/report.md` is "report.md".
Result<void> attach(const BuildOptions& options, const ctxmgr::AttachmentSource& source, ctxmgr::Context& context) {
  std::vector<ctxmgr::RequestAttachment> attachments;
  for (const auto& path : options.attached_files) {
    auto content = read_input(path);
    if (!content) return fail(content.error().code, "--attach: " + content.error().message);
    ctxmgr::RequestAttachment attachment;
    attachment.title = path.substr(path.find_last_of('/') + 1);
    attachment.source = path;
    attachment.content = std::move(*content);
    attachments.push_back(std::move(attachment));
  }
  for (const auto& id : options.attachment_ids) attachments.push_back({id, {}, {}, {}});
  auto artifacts = ctxmgr::attachments_to_artifacts(attachments, source);
  if (!artifacts) return tl::unexpected(artifacts.error());
  std::move(artifacts->begin(), artifacts->end(), std::back_inserter(context.artifacts));
  return {};
}

Result<ctxmgr::AttachmentSource> attachment_source(const BuildOptions& options) {
  ctxmgr::AttachmentSource source;
  source.name_space = attachments_name_space;
  if (options.store.empty()) return source;
  auto store = open_key_value_store(options.store, MissingFile::create);
  if (!store) return tl::unexpected(store.error());
  source.store = std::move(*store);
  return source;
}

Result<Job> prepare(const BuildOptions& options) {
  if ((options.planner == "llm" || options.planner == "llm_or_fail") && options.base_url.empty()) {
    return fail(ErrorCode::invalid_argument, "--planner " + options.planner + " needs --base-url");
  }
  auto text = read_input(options.request_path);
  if (!text) return tl::unexpected(text.error());
  if (text->find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(ErrorCode::invalid_argument,
                (options.request_path == "-" ? "standard input" : options.request_path) + ": is empty");
  Job job;
  job.is_anthropic = ctxmgr::is_anthropic_request(*text);
  auto source = attachment_source(options);
  if (!source) return tl::unexpected(source.error());
  auto input = read_request(*text, job.is_anthropic, *source);
  if (!input) return fail(input.error().code, options.request_path + ": " + input.error().message);
  if (auto attached = attach(options, *source, input->context); !attached) return tl::unexpected(attached.error());
  job.input = std::move(*input);
  job.request_text = std::move(*text);
  apply(options, job.input);
  if (options.budget >= 0)
    warn_of_unknown_model("--model", options.model);  // Without a window, a build fails and says the same.
  warn_of_unknown_model("--planner-model", options.planner_model);
  warn_of_unknown_model("--summarizer-model", options.summarizer_model);
  ctxmgr::ContextManagerOptions manager;
  if (!options.base_url.empty()) {
    auto client = open_client(options.base_url, "--base-url");
    if (!client) return tl::unexpected(client.error());
    manager.client = std::move(*client);
  }
  manager.token_counters = exact_counters();
  if (!options.store.empty()) {
    auto archive = open_session(options.store, options.session, MissingFile::create);
    if (!archive) return tl::unexpected(archive.error());
    job.input.request.archive = std::move(*archive);
    job.input.request.scope = options.session;
  }
  job.manager = ctxmgr::ContextManager(std::move(manager));
  return job;
}

}  // namespace ctxpack
