#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "command.hpp"
#include "ctxmgr/session/context_store.hpp"
#include "stores.hpp"

namespace ctxpack {
namespace {

struct ContextOptions {
  std::string store;
  std::string session;
  std::string key;
  std::string value;
  std::string file;
  std::string prefix;
  std::string words;
  bool json = false;
  std::uint64_t offset = 0;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

constexpr std::size_t page_size = 1'000;

/// Where the n-th character of UTF-8 text begins; its end where there are fewer.
std::size_t byte_of_character(std::string_view text, std::uint64_t n) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_character = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins_character && n-- == 0) return i;
  }
  return text.size();
}

int set(ctxmgr::ContextStore& session, const ContextOptions& options) {
  auto value = options.file.empty() ? ctxmgr::Result<std::string>(options.value) : read_input(options.file);
  if (!value) return report(value.error());
  const auto stored = session.set(options.key, std::move(*value));
  return stored ? success : report(stored.error());
}

int get(ctxmgr::ContextStore& session, const ContextOptions& options) {
  const auto entry = session.get(options.key);
  if (!entry) return report(entry.error());
  if (!*entry) return report({ctxmgr::ErrorCode::not_found, "the session has no value with this key", {}});
  std::string_view text = (*entry)->value;
  text.remove_prefix(byte_of_character(text, options.offset));
  std::cout << text.substr(0, byte_of_character(text, options.limit));
  return success;
}

int list_entries(ctxmgr::ContextStore& session, const ContextOptions& options) {
  std::string after;
  while (true) {
    const auto page = session.list(options.prefix, after, page_size);
    if (!page) return report(page.error());
    for (const auto& info : *page) {
      if (options.json) {
        std::cout << "{\"key\":" << json_string(info.key) << ",\"bytes\":" << info.value_bytes << "}\n";
      } else {
        std::cout << info.value_bytes << '\t' << printable_id(info.key) << '\n';
      }
    }
    if (page->size() < page_size) return success;
    after = page->back().key;
  }
}

int erase(ctxmgr::ContextStore& session, const ContextOptions& options) {
  return finish(options.key.empty() ? session.destroy() : session.erase(options.key));
}

int search(ctxmgr::ContextStore& session, const ContextOptions& options) {
  const auto hits = session.search(options.words);
  if (!hits) return report(hits.error());
  for (const auto& hit : *hits) {
    if (options.json) {
      std::cout << "{\"key\":" << json_string(hit.key) << ",\"offset_chars\":" << hit.offset_chars
                << ",\"score\":" << hit.score << ",\"text\":" << json_string(hit.text) << "}\n";
    } else {
      std::cout << printable_id(hit.key) << '\t' << hit.offset_chars << '\t' << printable(hit.text) << '\n';
    }
  }
  return hits->empty() ? absent : success;
}

using Action = int (*)(ctxmgr::ContextStore&, const ContextOptions&);

Command add_action(const Command& context, const char* name, const char* description, Action action,
                   const std::shared_ptr<ContextOptions>& options) {
  const Command command = context.add_command(name, description);
  command.run([options, action] {
    const auto missing = action == set ? MissingFile::create : MissingFile::refuse;
    const auto session = open_session(options->store, options->session, missing);
    return session ? action(**session, *options) : report(session.error());
  });
  return command;
}

}  // namespace

void add_context(const Command& program) {
  const Command context = program.add_command(
      "context", "Reads, writes and erases the values that a session keeps outside the conversation");
  context.require_command();
  context.show_after_help(
      "Examples:\n"
      "  ctxpack context --store sqlite:sessions.db --session s1 set report --file report.md\n"
      "  ctxpack context --store sqlite:sessions.db --session s1 get report --limit 500\n"
      "  ctxpack context --store sqlite:sessions.db --session s1 search \"ice limits\"");
  const auto options = std::make_shared<ContextOptions>();
  context.add("--store", options->store, "sqlite:PATH or redis://host:port/db").required();
  context.add("--session", options->session, "Id of the session").required();

  const Command to_set = add_action(context, "set", "Stores a value under a key", set, options);
  to_set.add("key", options->key, "Name of the value, such as notes or source:1").required();
  Argument value = to_set.add("value", options->value, "The value itself");
  const Argument file = to_set.add("--file", options->file, "Or the file that holds it; - for standard input");
  value.excludes(file);
  to_set.require_one_of(value, file);

  const Command to_get = add_action(context, "get", "Prints a value; exit code 1 if there is none", get, options);
  to_get.add("key", options->key, "Name of the value").required();
  to_get.add("--offset", options->offset, "First character to print, counted from 0");
  to_get.add("--limit", options->limit, "How many characters to print at most");

  const Command to_list =
      add_action(context, "list", "Lists the keys, with the size of each value in bytes", list_entries, options);
  to_list.add("prefix", options->prefix, "Only keys that begin with this");

  to_list.add_flag("--json", options->json, "One JSON object a line");

  const Command to_erase =
      add_action(context, "erase", "Erases a key, or without one the whole session", erase, options);
  to_erase.add("key", options->key, "Name of the value; without it, all values of the session are erased");

  const Command to_search = add_action(
      context, "search", "Finds passages: key, offset in characters, text; exit code 1 if none", search, options);
  to_search.add("words", options->words, "What to look for, in quotes if it has several words").required();
  to_search.add_flag("--json", options->json, "One JSON object a line");
}

}  // namespace ctxpack
