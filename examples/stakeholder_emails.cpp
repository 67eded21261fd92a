// A report, an orchestrator that finds out whom it concerns, a user who chooses among them, a planner, writers who work side
// by side, and a reviewer who scores what they wrote: all on one shared thread.
//
//   stakeholder_emails [REPORT] [--store FILE] [--without-context] [--base-url URL --model NAME]
//
// Without --base-url the model is scripted: what it writes is a function of the prompt alone, so that an email can refer to
// the orchestrator's analysis only where its context holds it. --without-context shows the difference.
#include <ctxmgr/ctxmgr.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#ifdef EXAMPLE_WITH_CURL
#include <ctxmgr/adapters/curl_llm_client.hpp>
#endif
#ifdef EXAMPLE_WITH_SQLITE
#include <ctxmgr/adapters/sqlite_stores.hpp>
#endif

using namespace ctxmgr;

namespace {

const char* const orchestrator_prompt =
    "You are the orchestrator. Summarise the report in one line that begins \"Finding: \", then list the parties that "
    "it "
    "concerns, one a line, as \"- NAME: what they need to know\".";
const char* const planner_prompt =
    "You are the task planner. For each selected party, write one line \"Task for NAME: \" with what its email must "
    "answer.";
const char* const writer_prompt =
    "You are the email writer. Write one short email to the party that you are asked to write to. Refer to the finding "
    "and "
    "to the task, and to nothing that you were not given.";
const char* const reviewer_prompt =
    "You are the reviewer. Give the email a score from 0 to 10, as \"Score: N\": does it state the finding, and does "
    "it "
    "answer its task?";

/// The rest of the first line after `marker`, or of the sentence that begins with it.
std::string after(const std::string& text, const std::string& marker) {
  const auto at = text.find(marker);
  if (at == std::string::npos) return {};
  const auto begin = at + marker.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

bool mentions(const std::string& text, const std::string& what) {
  return !what.empty() && text.find(what) != std::string::npos;
}

/// The paragraph under a heading, or its list.
std::string section(const std::string& text, const std::string& heading) {
  const auto at = text.find("## " + heading + "\n");
  if (at == std::string::npos) return {};
  const auto begin = text.find_first_not_of('\n', text.find('\n', at));
  return text.substr(begin, text.find("\n## ", begin) - begin);
}

std::string one_line(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string scripted_writer(const std::string& context, const std::string& request) {
  const std::string party = after(request, "Write to: ");
  const std::string finding = after(context, "Finding: ");
  const std::string task = after(context, "Task for " + party + ": ");
  std::string email = "Dear " + party + ",\n";
  email += finding.empty() ? "a report was published that may concern you.\n" : "the analysis found: " + finding + "\n";
  email += task.empty() ? "Please read it.\n" : "The report was asked to " + task + "\n";
  return email + "Kind regards";
}

std::string scripted_review(const std::string& context, const std::string& email) {
  const std::string party = after(email, "Dear ").substr(0, after(email, "Dear ").find(','));
  int score = 2;  // it is polite
  if (mentions(email, after(context, "Finding: "))) score += 4;
  if (mentions(email, after(context, "Task for " + party + ": "))) score += 4;
  return "Score: " + std::to_string(score);
}

/// What a model might write, made of what is in its prompt.
std::string scripted_reply(const std::vector<ConversationMessage>& prompt) {
  const std::string role = text_of(prompt.front());
  const std::string request = text_of(prompt.back());
  std::string context;
  for (const auto& message : prompt) {
    if (message.role != Role::system) context += text_of(message) + "\n";
  }
  if (role == orchestrator_prompt) {
    return "Finding: " + one_line(section(context, "Root cause")) + "\n" + section(context, "Who is concerned");
  }
  if (role == planner_prompt) {
    std::string tasks;
    const std::string selected = after(request, "Selected: ");
    for (std::size_t at = 0; at < selected.size();) {
      const auto end = std::min(selected.find("; ", at), selected.size());
      const std::string party = selected.substr(at, end - at);
      tasks += "Task for " + party + ": say " + after(after(context, "- " + party + ": "), "know ") + "\n";
      at = end + 2;
    }
    return tasks;
  }
  return role == writer_prompt ? scripted_writer(context, request) : scripted_review(context, request);
}

std::shared_ptr<LlmClient> scripted_model() {
  return make_llm_client([](const LlmRequest& request, const CallOptions&) -> Result<LlmResponse> {
    LlmResponse response;
    response.message.role = Role::assistant;
    response.message.content = scripted_reply(request.messages);
    return response;
  });
}

struct Arguments {
  std::string report = "examples/data/mars_climate_orbiter.md";
  std::string store{};
  std::string base_url{};
  std::string model = "gemini-2.5-flash";
  bool with_context = true;
};

AgentTurn turn_of(const Arguments& arguments, const std::string& agent, const std::string& prompt,
                  const std::string& input) {
  AgentTurn turn;
  turn.agent = agent;
  turn.system_prompt = prompt;
  turn.messages = {{Role::user, input}};
  turn.request.models = ModelConfig::from_request(arguments.model);
  return turn;
}

Result<std::string> say(Workflow& workflow, LlmClient& client, const AgentTurn& turn) {
  const auto replies = workflow.run(client, {turn});
  if (!replies[0]) return tl::unexpected(replies[0].error());
  return text_of(replies[0]->response.message);
}

/// The writers see the report, the analysis and the plan, but not each other. Without context each begins with nothing.
Result<std::vector<std::string>> write_emails(Workflow& workflow, LlmClient& client, const Arguments& arguments,
                                              const std::vector<std::string>& parties) {
  std::vector<AgentTurn> writers;
  for (const auto& party : parties) {
    auto writer = turn_of(arguments, "email_writer", writer_prompt, "Write to: " + party);
    if (!arguments.with_context) writer.at_sequence = 0;
    writers.push_back(writer);
  }
  std::vector<std::string> emails;
  for (const auto& reply : workflow.run(client, writers)) {
    if (!reply) return tl::unexpected(reply.error());
    emails.push_back(text_of(reply->response.message));
  }
  return emails;
}

Result<void> run(const Arguments& arguments, const std::string& report, LlmClient& client,
                 std::shared_ptr<ConversationStore> store) {
  WorkflowOptions options;
  options.workflow_id = "stakeholder-emails";
  options.store = std::move(store);
  auto workflow = Workflow::open(std::move(options));
  if (!workflow) return tl::unexpected(workflow.error());
  if (auto cleared = workflow->erase(); !cleared) return cleared;  // of an earlier run

  auto orchestrator = turn_of(arguments, "orchestrator", orchestrator_prompt, report);
  orchestrator.reply_retention = Retention::pinned;  // later agents rely on it
  const auto analysis = say(*workflow, client, orchestrator);
  if (!analysis) return tl::unexpected(analysis.error());
  std::cout << "--- analysis\n" << *analysis << "\n\n";

  // The user's choice.
  const std::vector<std::string> parties = {"Operations team", "Contractor", "Agency management", "Public"};
  std::string selected = "Selected: ";
  for (const auto& party : parties) selected += (&party == &parties.front() ? "" : "; ") + party;
  auto planner = turn_of(arguments, "task_planner", planner_prompt, selected);
  planner.reply_retention = Retention::pinned;
  const auto plan = say(*workflow, client, planner);
  if (!plan) return tl::unexpected(plan.error());
  std::cout << "--- plan\n" << *plan << '\n';

  const auto emails = write_emails(*workflow, client, arguments, parties);
  if (!emails) return tl::unexpected(emails.error());
  for (const auto& email : *emails) {
    const auto score = say(*workflow, client, turn_of(arguments, "reviewer", reviewer_prompt, email));
    if (!score) return tl::unexpected(score.error());
    std::cout << "--- email, " << *score << '\n' << email << "\n\n";
  }
  const auto info = workflow->info();
  if (!info) return tl::unexpected(info.error());
  std::cout << "--- " << info->last_sequence << " messages, " << info->last_step << " contexts recorded for replay\n";
  return {};
}

Result<std::shared_ptr<LlmClient>> client_for(const Arguments& arguments) {
  if (arguments.base_url.empty()) return scripted_model();
#ifdef EXAMPLE_WITH_CURL
  auto options = CurlLlmClientOptions::from_environment();
  options.base_url = arguments.base_url;
  auto client = make_curl_llm_client(options);
  if (!client) return tl::unexpected(client.error());
  return std::shared_ptr<LlmClient>(std::move(*client));
#else
  return fail(ErrorCode::invalid_argument, "--base-url: built without libcurl");
#endif
}

Result<std::shared_ptr<ConversationStore>> store_for(const Arguments& arguments) {
  if (arguments.store.empty()) return std::shared_ptr<ConversationStore>(make_memory_conversation_store());
#ifdef EXAMPLE_WITH_SQLITE
  SqliteOptions options;
  options.path = arguments.store;
  auto store = make_sqlite_conversation_store(options);
  if (!store) return tl::unexpected(store.error());
  return std::shared_ptr<ConversationStore>(std::move(*store));
#else
  return fail(ErrorCode::invalid_argument, "--store: built without SQLite");
#endif
}

bool parse(const std::vector<std::string>& words, Arguments& arguments) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--without-context") {
      arguments.with_context = false;
    } else if (words[i] == "--store" && has_value) {
      arguments.store = words[++i];
    } else if (words[i] == "--base-url" && has_value) {
      arguments.base_url = words[++i];
    } else if (words[i] == "--model" && has_value) {
      arguments.model = words[++i];
    } else if (words[i].rfind("--", 0) == 0) {
      return false;
    } else {
      arguments.report = words[i];
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse({argv + 1, argv + argc}, arguments)) {
    std::cerr
        << "usage: stakeholder_emails [REPORT] [--store FILE] [--without-context] [--base-url URL --model NAME]\n";
    return 2;
  }
  std::ifstream file(arguments.report, std::ios::binary);
  const std::string report{std::istreambuf_iterator<char>(file), {}};
  if (report.empty()) {
    std::cerr << arguments.report << ": cannot be read\n";
    return 2;
  }
  const auto client = client_for(arguments);
  const auto store = store_for(arguments);
  const auto done = !client  ? tl::unexpected(client.error())
                    : !store ? tl::unexpected(store.error())
                             : run(arguments, report, **client, *store);
  if (!done) {
    std::cerr << done.error().message << '\n';
    return 1;
  }
}
