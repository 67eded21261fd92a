#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "proxy_server.hpp"

namespace ctxpack {
namespace {

/// Those by which a person or a supervisor ends the program. A terminal that is closed is one of them; a program that has
/// none goes on.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  const bool has_terminal = isatty(STDIN_FILENO) == 1 || isatty(STDOUT_FILENO) == 1 || isatty(STDERR_FILENO) == 1;
  if (has_terminal)
    sigaddset(&signals, SIGHUP);
  else
    static_cast<void>(std::signal(SIGHUP, SIG_IGN));
  return signals;
}

int run_serve(ProxySettings settings) {
  prepare_proxy_process();
  set_limits_of_a_server();
  const char* const token = std::getenv("CTXPACK_SERVE_TOKEN");
  if (token != nullptr) settings.token = token;
  settings.says_verdicts = settings.shadow;
  const auto signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // Before there are threads, which would take them.
  auto proxy = ProxyServer::open(settings);
  if (!proxy) return report(proxy.error());
  std::cout << (*proxy)->url() << '\n'
            << "An agent's base URL is this one, with /v1 for OpenAI's form. In a browser it shows what is sent."
            << std::endl;
  int signal = 0;
  sigwait(&signals, &signal);
  static constexpr timespec at_once{0, 0};
  (*proxy)->drain(std::chrono::seconds(settings.grace_seconds),
                  [&signals] { return sigtimedwait(&signals, nullptr, &at_once) > 0; });
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // What is left takes no time; if it does, the next signal ends it.
  if (const auto* const shadow = (*proxy)->shadow()) std::cerr << shadow->verdict() << std::endl;
  proxy->reset();
  return success;
}

}  // namespace

namespace {

void add_limits(const Command& command, ProxySettings& options) {
  constexpr std::int64_t most = 65'536;
  command.add("--streams", options.streams, "Most requests at once (default 256)").in_range(1, 4'096);
  command.add("--connections", options.connections, "Most connections at once (default 512)").in_range(1, most);
  command
      .add("--connections-per-address", options.connections_per_address,
           "Most connections from one address (default 64); more where a server stands in front")
      .in_range(1, most);
  command.add("--max-body-mib", options.body_mebibytes, "Largest body of a request, in MiB (default 64)")
      .in_range(1, 1'024);
  command.add("--head-timeout", options.head_seconds, "Seconds for a request's head (default 10)").positive();
  command.add("--grace", options.grace_seconds, "Seconds that streams get to end after SIGTERM (default 30)")
      .in_range(0, 3'600);
  command
      .add("--first-byte-timeout", options.first_byte_seconds, "Most seconds of silence before an answer (default 600)")
      .positive();
  command.add("--idle-timeout", options.idle_seconds, "Most seconds between two pieces of an answer (default 120)")
      .positive();
}

void add_summaries(const Command& command, ProxySettings& options) {
  const Argument url = command.add(
      "--summarizer-url", options.summarizer_url,
      "Have summaries of what will be cut made early, in the background, by this OpenAI-compatible service; "
      "the key is OPENAI_API_KEY");
  command.add("--summarizer-model", options.summarizer_model, "Model for them (SUMMARIZER_MODEL)").needs(url);
  command
      .add("--summarizer-tokens", options.summarizer_tokens,
           "Most tokens that they take in an hour, prompts and replies (default 1000000)")
      .in_range(0, std::int64_t{1} << 40)
      .needs(url);
}

}  // namespace

void add_serve(const Command& program) {
  const auto options = std::make_shared<ProxySettings>();
  const Command command = program.add_command(
      "serve", "A proxy in front of a model's service: each request is fitted into the budget and sent on");
  command.add("--upstream", options->upstream, "Base URL of the service, such as https://api.openai.com/v1").required();
  command
      .add("--budget", options->budget, "Most input tokens of a request, tools included (default: the model's window)")
      .in_range(1, std::int64_t{1} << 40);
  command
      .add("--tools-budget", options->tools_budget,
           "Most tokens of tool definitions; the model finds the rest by a tool")
      .in_range(0, std::int64_t{1} << 40);
  command.add(
      "--store", options->store,
      "Where threads, attachments and receipts are kept: sqlite:PATH or redis://host:port/db (default: memory)");
  command.add("--listen", options->listen, "ADDRESS:PORT (default 127.0.0.1:8790; port 0: any)");
  command.add("--events", options->events, "File to which events are appended as JSON lines, by OpenTelemetry's names");
  command.add("--tool-rules", options->tool_rules,
              "File with rules by tool, as [{\"tool\": \"ls\", \"retention\": \"cut_first\"}]");
  command.add(
      "--memory", options->memory_header,
      "Give models a memory that lasts. The value is the header that names the user. Without a token, the key does");
  add_summaries(command, *options);
  add_limits(command, *options);
  command.add_flag(
      "--context-tools", options->context_tools,
      "Give models tools that read back what was left out. The proxy runs them; answers come when they are whole");
  command.add_flag("--tell-room", options->tell_room,
                   "Tell the model at 50, 75 and 90 % of the budget how many tokens are free");
  command.add_flag("--shadow", options->shadow,
                   "Send requests on untouched, and say after every 50 what --budget would have saved and lost");
  command.add_flag("--only-known", options->only_known, "Send on only the paths that OpenAI and Anthropic document");
  command.add_flag("--log-json", options->log_json,
                   "Write a line of JSON for each request to standard error, without content");
  command.add_flag("--allow-plain-http", options->allow_plain_http,
                   "Reach another machine without TLS: keys and content travel in the clear");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack serve --upstream https://api.openai.com/v1 --budget 32000\n"
      "  ctxpack serve --upstream https://api.anthropic.com --budget 32000 --store sqlite:threads.db\n"
      "In the environment: CTXPACK_SERVE_TOKEN, which clients then send as x-ctxmgr-token.");
  command.run([options] { return run_serve(*options); });
}

}  // namespace ctxpack
