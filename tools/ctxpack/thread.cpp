#include <iostream>
#include <memory>

#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "stores.hpp"

namespace ctxpack {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::fail;

constexpr std::size_t page_rows = 1'000;

struct ThreadArguments {
  std::string store{};
  std::string workflow{};
  std::string role{};
  std::string content{};
  std::string agent{};
  bool json = false;
};

ctxmgr::Result<ctxmgr::Role> parse_role(const std::string& name) {
  using ctxmgr::Role;
  if (name == "system") return Role::system;
  if (name == "developer") return Role::developer;
  if (name == "user") return Role::user;
  if (name == "assistant") return Role::assistant;
  if (name == "tool") return Role::tool;
  return fail(ErrorCode::invalid_argument, "--role: expected system, developer, user, assistant or tool");
}

int list_workflows(ctxmgr::ConversationStore& store, bool json) {
  std::string after;
  while (true) {
    const auto page = store.list("", after, page_rows, {});
    if (!page) return report(page.error());
    for (const auto& info : *page) {
      if (json) {
        std::cout << "{\"workflow\":" << json_string(info.conversation_id) << ",\"messages\":" << info.last_sequence
                  << ",\"steps\":" << info.last_step << ",\"estimated_tokens\":" << info.estimated_tokens
                  << ",\"status\":" << json_string(ctxmgr::to_string(info.status)) << "}\n";
        continue;
      }
      std::cout << printable_id(info.conversation_id) << '\t' << info.last_sequence << " messages\t" << info.last_step
                << " steps\t~" << info.estimated_tokens << " tokens\t" << ctxmgr::to_string(info.status) << '\n';
    }
    if (page->size() < page_rows) return success;
    if (page->back().conversation_id == after)
      return report(
          {ctxmgr::ErrorCode::bad_data, "the store returned the same page twice; the list may be incomplete", {}});
    after = page->back().conversation_id;
  }
}

/// Every message, with all that is known of it, as one JSON array; a page at a time, whatever its length.
int show(ctxmgr::ConversationStore& store, const std::string& workflow) {
  ctxmgr::MessageQuery query;
  query.limit = page_rows;
  bool first = true;
  while (true) {
    const auto page = store.load(workflow, query, {});
    if (!page) return report(page.error());
    if (first && page->empty()) return report({ErrorCode::not_found, "no such workflow", {}});
    for (const auto& message : *page) {
      std::cout << (first ? "[" : ",\n ") << ctxmgr::to_json(message);
      first = false;
    }
    if (page->size() < page_rows) break;
    query.first_sequence = page->back().sequence_number.value_or(0) + 1;
  }
  std::cout << "]\n";
  return success;
}

int append(ctxmgr::ConversationStore& store, ctxmgr::Role role, const ThreadArguments& arguments) {
  ctxmgr::ConversationMessage message{role, arguments.content};
  message.agent = arguments.agent;
  const auto range = store.append(arguments.workflow, {message}, {}, {});
  if (!range) return report(range.error());
  std::cout << range->last << '\n';
  return success;
}

/// What any OpenAI-format client reads: a `messages` array.
int export_messages(ctxmgr::ConversationStore& store, const std::string& workflow) {
  const auto messages = ctxmgr::load_all(store, workflow);
  if (!messages) return report(messages.error());
  if (messages->empty()) return report({ErrorCode::not_found, "no such workflow", {}});
  std::cout << ctxmgr::to_openai_json(*messages) << '\n';
  return success;
}

template <class Work>
int with_store(const std::string& url, MissingFile missing, Work work) {
  const auto store = open_conversation_store(url, missing);
  return store ? work(**store) : report(store.error());
}

}  // namespace

void add_thread(const Command& program) {
  const Command command =
      program.add_command("thread", "Reads, extends and erases the threads of a conversation store");
  const auto arguments = std::make_shared<ThreadArguments>();
  command.require_command();
  command.add("--store", arguments->store, "sqlite:PATH, postgresql://… or mysql://…").required();
  command.show_after_help(
      "Examples:\n"
      "  ctxpack thread --store sqlite:threads.db list\n"
      "  ctxpack thread --store sqlite:threads.db append report-7 --role user --content \"Which ports are open?\"\n"
      "  ctxpack thread --store postgresql://localhost/agents export report-7 | jq .");
  const auto on_workflow = [&](const char* name, const char* description) {
    const Command made = command.add_command(name, description);
    made.add("workflow", arguments->workflow, "Id of the thread").required();
    return made;
  };
  const Command listing = command.add_command("list", "Lists the threads: id, length and state, one a line");
  listing.add_flag("--json", arguments->json, "One JSON object a line");
  listing.run([arguments] {
    return with_store(arguments->store, MissingFile::refuse,
                      [&](auto& store) { return list_workflows(store, arguments->json); });
  });
  on_workflow("show", "All messages with all their fields, as a JSON array").run([arguments] {
    return with_store(arguments->store, MissingFile::refuse,
                      [&](auto& store) { return show(store, arguments->workflow); });
  });
  on_workflow("export", "All messages as an OpenAI messages array").run([arguments] {
    return with_store(arguments->store, MissingFile::refuse,
                      [&](auto& store) { return export_messages(store, arguments->workflow); });
  });
  on_workflow("erase", "Erases a thread, with all its messages and steps").run([arguments] {
    return with_store(arguments->store, MissingFile::refuse,
                      [&](auto& store) { return finish(store.erase(arguments->workflow, {})); });
  });
  const Command appending = on_workflow("append", "Adds a message and prints its sequence number");
  appending.add("--role", arguments->role, "Who speaks: system, developer, user, assistant or tool").required();
  appending.add("--content", arguments->content, "Text of the message").required();
  appending.add("--agent", arguments->agent, "Name of the agent that wrote it, if one did");
  appending.run([arguments] {
    const auto role = parse_role(arguments->role);
    if (!role) return report(role.error());  // Before a file is made for it.
    return with_store(arguments->store, MissingFile::create,
                      [&](auto& store) { return append(store, *role, *arguments); });
  });
}

}  // namespace ctxpack
