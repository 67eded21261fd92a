// Mutates recorded runs and sends them through the four doors and the C interface: no crash, nothing over budget, no torn call,
// the last user message whole or named, and the same bytes from a manager that has built much before. What is expected is read from
// the requests themselves, by none of the code under test.
//
//     door_mutations [--count N] [--first N] [--show] [RUNS.jsonl …]     runs: a chat request with its messages a line
//
// Without a file it takes small runs of its own. Prints what is wrong with its case's number; exit code 1 if anything is.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/c/ctxmgr.h"
#include "ctxmgr/core/json_forms.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/responses.hpp"
#include "mutations/judge.hpp"
#include "mutations/mutate.hpp"

namespace ctxmgr::mutations {
namespace {

std::atomic<std::size_t> present_case{0};
std::size_t built_cases = 0;
bool shows_requests = false;

extern "C" void say_case(int signal) {
  std::fprintf(stderr, "case %zu ended the process with signal %d\n", present_case.load(), signal);
  std::_Exit(2);
}

constexpr std::size_t most_messages = 120;  // Of a run, so that many cases take minutes.

std::vector<Json> own_runs() {
  std::vector<Json> runs;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    Json messages = Json::array({{{"role", "system"}, {"content", "You run a harbour."}}});
    for (std::size_t i = 0; i < 6 + 4 * kind; ++i) {
      const auto id = kind == 1 ? std::string("functions.look:0") : "call_" + std::to_string(i);
      messages.push_back({{"role", "user"}, {"content", "What is the fee of berth " + std::to_string(i) + "?"}});
      messages.push_back(
          {{"role", "assistant"},
           {"content", nullptr},
           {"tool_calls",
            Json::array(
                {{{"id", id},
                  {"type", "function"},
                  {"function", {{"name", "look"}, {"arguments", "{\"berth\":" + std::to_string(i) + "}"}}}}})}});
      const auto row = "berth " + std::to_string(i) + " costs " + std::to_string(40 + 7 * i) + " EUR a day\n";
      messages.push_back({{"role", "tool"}, {"tool_call_id", id}, {"content", repeated(row, 1 + 15 * kind)}});
      messages.push_back({{"role", "assistant"}, {"content", "It costs " + std::to_string(40 + 7 * i) + " EUR."}});
    }
    messages.push_back({{"role", "user"}, {"content", "And which is the dearest?"}});
    runs.push_back({{"messages", std::move(messages)}});
  }
  return runs;
}

std::vector<Json> read_runs(const std::vector<std::string>& files) {
  std::vector<Json> runs;
  for (const auto& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      auto run = parse_json(line);
      if (run && run->contains("messages")) runs.push_back(*std::move(run));
    }
  }
  return runs;
}

/// What came of a request at a door.
struct Sent {
  Json body;
  std::vector<std::string> notes{};
  ThreadState state{};
};

struct Case {
  Json request;
  const ContextManager* manager = nullptr;  ///< It builds; a new one where there is none.
  BuildRequest options{};
  std::int64_t budget = 0;
};

using Outcome = Result<Sent>;
using Judge = std::string (*)(const Json& body);

Outcome outcome_of(Result<WireBuild> built) {
  if (!built) return tl::unexpected(built.error());
  Sent sent{parse_json(built->body).value_or(Json()), {}, built->thread_state};
  if (const auto receipt = from_json<ContextUtilizationMetadata>(built->metadata)) sent.notes = receipt->notes;
  return sent;
}

ContextManager new_manager() {
  ContextManagerOptions options;
  options.token_counters = {make_token_counter(count_plainly, {"", true})};
  return ContextManager(std::move(options));
}

ContextManager manager_of(const Case& made) { return made.manager == nullptr ? new_manager() : *made.manager; }

Outcome through_chat(const Case& made) {
  return outcome_of(build_openai(manager_of(made), dump_json(made.request), made.options));
}
Outcome through_anthropic(const Case& made) {
  return outcome_of(build_anthropic(manager_of(made), dump_json(made.request), made.options));
}
Outcome through_responses(const Case& made) {
  return outcome_of(build_responses(manager_of(made), dump_json(made.request), made.options));
}
Outcome through_cpp(const Case& made) {
  auto in = parse_openai_request(dump_json(made.request));
  if (!in) return tl::unexpected(in.error());
  auto options = made.options;
  options.tools = in->request.tools;
  options.sent_beside = in->request.sent_beside;
  const auto built = manager_of(made).build(in->context, options);
  if (!built) return tl::unexpected(built.error());
  Json body = {{"messages", parse_json(to_openai_json(built->messages)).value_or(Json())},
               {"tools", parse_json(to_openai_json(built->tools)).value_or(Json())}};
  return Sent{std::move(body), built->metadata.notes, built->thread_state};
}
Outcome through_c(const Case& made) {
  static ctxmgr_manager* const manager = [] {
    ctxmgr_manager* created = nullptr;
    ctxmgr_callbacks callbacks{};
    callbacks.struct_size = sizeof callbacks;
    callbacks.count = [](void*, const char* text, std::size_t size) { return count_plainly({text, size}); };
    callbacks.count_is_exact = 1;
    (void)ctxmgr_manager_create("{}", 2, &callbacks, &created, nullptr);
    return created;
  }();
  const auto request = dump_json({{"body", made.request}, {"max_input_tokens", made.budget}});
  ctxmgr_text* result = nullptr;
  ctxmgr_text* error = nullptr;
  const auto code = ctxmgr_build(manager, request.data(), request.size(), &result, &error);
  if (code != CTXMGR_OK) {
    const std::string message(ctxmgr_text_data(error), ctxmgr_text_size(error));
    ctxmgr_text_free(error);
    return fail(code == CTXMGR_BUDGET_EXCEEDED ? ErrorCode::budget_exceeded : ErrorCode::invalid_argument, message);
  }
  const Json answer = parse_json({ctxmgr_text_data(result), ctxmgr_text_size(result)}).value_or(Json());
  ctxmgr_text_free(result);
  Sent sent{answer["body"]};
  for (const Json& note : answer["metadata"]["notes"]) sent.notes.push_back(note.string());
  return sent;
}

using TextDoor = Result<WireBuild> (*)(const ContextManager&, const std::string&, const BuildRequest&);

Result<WireBuild> chat_door(const ContextManager& manager, const std::string& body, const BuildRequest& options) {
  return build_openai(manager, body, options);
}
Result<WireBuild> messages_door(const ContextManager& manager, const std::string& body, const BuildRequest& options) {
  return build_anthropic(manager, body, options);
}
Result<WireBuild> responses_door(const ContextManager& manager, const std::string& body, const BuildRequest& options) {
  return build_responses(manager, body, options);
}

/// A manager that has read the beginning of a request before sends what one sends that has read nothing.
Outcome through_warm(TextDoor door, const char* list, const Case& made) {
  const ContextManager warm;
  Case earlier = made;
  auto& elements = earlier.request[list].elements();
  elements.resize((elements.size() + 1) / 2);
  (void)door(warm, dump_json(earlier.request), made.options);
  const auto body = dump_json(made.request);
  auto built = door(warm, body, made.options);
  const auto cold = door(ContextManager(), body, made.options);
  const bool is_same =
      built ? cold && cold->body == built->body && cold->thread_state.opaque == built->thread_state.opaque
            : !cold && cold.error().message == built.error().message;
  if (!is_same) return fail(ErrorCode::internal, "a warm manager sends something else");
  return outcome_of(std::move(built));
}
Outcome through_warm_chat(const Case& made) { return through_warm(chat_door, "messages", made); }
Outcome through_warm_messages(const Case& made) { return through_warm(messages_door, "messages", made); }
Outcome through_warm_responses(const Case& made) { return through_warm(responses_door, "input", made); }

struct Door {
  const char* name;
  Outcome (*build)(const Case&);
  Judge torn;
};
constexpr std::array<Door, 8> doors{{
    {"chat", through_chat, [](const Json& body) { return torn_chat(body["messages"]); }},
    {"messages", through_anthropic, [](const Json& body) { return torn_anthropic(body["messages"]); }},
    {"responses", through_responses, [](const Json& body) { return torn_responses(body["input"]); }},
    {"c++", through_cpp, [](const Json& body) { return torn_chat(body["messages"]); }},
    {"c", through_c, [](const Json& body) { return torn_chat(body["messages"]); }},
    {"warm chat", through_warm_chat, [](const Json& body) { return torn_chat(body["messages"]); }},
    {"warm messages", through_warm_messages, [](const Json& body) { return torn_anthropic(body["messages"]); }},
    {"warm responses", through_warm_responses, [](const Json& body) { return torn_responses(body["input"]); }},
}};

bool takes_messages(const Door& door) { return door.build == through_anthropic || door.build == through_warm_messages; }
bool takes_items(const Door& door) { return door.build == through_responses || door.build == through_warm_responses; }

/// The run in a door's form; nothing where it has none there.
std::optional<Json> in_form_of(const Door& door, const Json& request) {
  if (!takes_messages(door) && !takes_items(door)) return request;
  const auto messages = from_json<std::vector<ConversationMessage>>(dump_json(request["messages"]));
  if (!messages) return std::nullopt;
  Json form = request;
  form.erase("messages");
  form.erase("tools");
  if (takes_items(door)) {
    form["input"] = parse_json(to_responses_json(*messages)).value_or(Json());
    return form;
  }
  const auto written = to_anthropic_json(*messages);
  if (!written) return std::nullopt;
  const Json of_anthropic = parse_json(*written).value_or(Json());
  for (const auto& [name, value] : of_anthropic.members()) form[name] = value;
  return form;
}

bool names_last_user_message(const Sent& sent) {
  return std::any_of(sent.notes.begin(), sent.notes.end(),
                     [](const std::string& note) { return note.find("last user message") != std::string::npos; });
}

/// What is wrong with what came of a case; empty: nothing.
std::string judge(const Door& door, const Case& made, const Outcome& outcome) {
  if (!outcome) {
    const auto code = outcome.error().code;
    const bool is_typed = code == ErrorCode::budget_exceeded || code == ErrorCode::invalid_argument;
    return is_typed ? "" : "refused: " + outcome.error().message;
  }
  const auto tokens = least_tokens(outcome->body);
  if (tokens > made.budget) return std::to_string(tokens) + " tokens of " + std::to_string(made.budget);
  if (auto torn = door.torn(outcome->body); !torn.empty()) return torn;
  std::string all;
  collect_strings({}, outcome->body, all);
  if (names_last_user_message(*outcome)) return "";
  const auto sent = plain_letters(all);
  for (const auto& text : last_user_texts(made.request)) {
    if (sent.find(plain_letters(text)) == std::string::npos)
      return "the last user message is not whole: \"" + text.substr(0, 60) + "\", " + std::to_string(text.size()) +
             " bytes";
  }
  return "";
}

/// `before`: the state of a build of an earlier part of the run, with some bytes changed.
ThreadState state_for(const Door& door, const Case& made, const Json& run, Dice& dice) {
  Case earlier = made;
  Json messages = run["messages"];
  messages.elements().resize(std::max<std::size_t>(1, messages.size() / 2));
  earlier.request = {{"messages", std::move(messages)}};
  const auto form = in_form_of(door, earlier.request);
  if (!form) return {};
  earlier.request = *form;
  const auto built = door.build(earlier);
  if (!built) return {};
  auto state = built->state;
  for (std::size_t i = dice.below(3); i > 0 && !state.opaque.empty(); --i)
    state.opaque[dice.below(state.opaque.size())] = static_cast<char>('0' + dice.below(75));
  return state;
}

bool are_alike(const Outcome& one, const Outcome& other) {
  if (!one || !other) return !one && !other && one.error().code == other.error().code;
  return dump_json(one->body) == dump_json(other->body) && one->state.opaque == other->state.opaque;
}

std::string try_case(const std::vector<Json>& runs, std::size_t number) {
  Dice dice(number * 7919 + 17);
  const Door& door = doors[number % doors.size()];
  Json run = runs[dice.below(runs.size())];
  auto& messages = run["messages"].elements();
  if (messages.size() > most_messages) {
    const auto last = most_messages + dice.below(messages.size() - most_messages);
    messages = std::vector<Json>(messages.begin() + static_cast<std::ptrdiff_t>(last - most_messages),
                                 messages.begin() + static_cast<std::ptrdiff_t>(last));
  }
  Case made;
  made.budget = static_cast<std::int64_t>(30 + dice.below(200) * dice.below(200));
  made.options.budget.max_input_tokens = made.budget;
  made.options.planning.mode = dice.one_in(6) ? PlannerMode::none : PlannerMode::deterministic;
  if (dice.one_in(3)) made.options.thread_state = state_for(door, made, run, dice);
  Json request = {{"messages", run["messages"]}};
  if (run.contains("tools") && dice.one_in(3)) request["tools"] = run["tools"];
  for (std::size_t i = 1 + dice.below(4); i > 0; --i) mutate_messages(request["messages"], dice);
  if (dice.one_in(2)) mutate_request(request, dice);
  const auto form = in_form_of(door, request);
  if (!form) return "";
  made.request = *form;
  const auto outcome = door.build(made);
  if (outcome) ++built_cases;
  if (number % 3 == 0 && door.build != through_c) {
    // It has built other cases, and the beginning of this run.
    static const ContextManager warm = new_manager();
    auto again = made;
    again.manager = &warm;
    if (!are_alike(outcome, door.build(again))) return "a manager that has built before sends something else";
  }
  if (shows_requests) {
    std::cout << dump_json(made.request) << "\n" << made.options.thread_state.opaque << "\n";
    if (outcome) std::cout << dump_json(outcome->body) << "\n" << dump_json(Json(outcome->notes)) << "\n";
  }
  return judge(door, made, outcome);
}

int run(int argc, char** argv) {
  std::size_t count = 400;
  std::size_t first = 0;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--count") == 0 && i + 1 < argc)
      count = std::strtoul(argv[++i], nullptr, 10);
    else if (std::strcmp(argv[i], "--first") == 0 && i + 1 < argc)
      first = std::strtoul(argv[++i], nullptr, 10);
    else if (std::strcmp(argv[i], "--show") == 0)
      shows_requests = true;
    else
      files.emplace_back(argv[i]);
  }
  const auto runs = files.empty() ? own_runs() : read_runs(files);
  if (runs.empty()) return std::fprintf(stderr, "no runs\n"), 2;
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE}) std::signal(signal, say_case);
  std::size_t wrong = 0;
  for (std::size_t number = first; number < first + count; ++number) {
    present_case = number;
    const auto what = try_case(runs, number);
    if (what.empty()) continue;
    ++wrong;
    std::cout << "case " << number << " (" << doors[number % doors.size()].name << "): " << what << "\n";
  }
  std::cout << count << " cases, " << built_cases << " built, " << wrong << " wrong\n";
  const bool says_something = built_cases * 3 > count;  // The rest is refused, most of it for its budget.
  return wrong == 0 && says_something ? 0 : 1;
}

}  // namespace
}  // namespace ctxmgr::mutations

int main(int argc, char** argv) { return ctxmgr::mutations::run(argc, argv); }
