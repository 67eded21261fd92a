#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

#include "child_process.hpp"
#include "command.hpp"
#include "presets.hpp"
#include "proxy_server.hpp"
#include "run_summary.hpp"

namespace ctxpack {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::Result;

constexpr int no_such_program = 127;  // As shells have it, and the next one.
constexpr int cannot_be_run = 126;

struct RunOptions {
  ProxySettings proxy{};
  std::vector<std::string> command{};
};

using Proxies = std::vector<std::unique_ptr<ProxyServer>>;

/// Starts the proxies that a program needs, one for each service, and returns where it finds them.
Result<BaseUrls> start(const ProxySettings& settings, const Preset& preset, const BaseUrls& upstreams,
                       Proxies& proxies) {
  const auto start_one = [&](const std::string& upstream) -> Result<std::string> {
    auto of_service = settings;
    of_service.upstream = settings.upstream.empty() ? upstream : settings.upstream;
    auto proxy = ProxyServer::open(of_service);
    if (!proxy) return tl::unexpected(proxy.error());
    proxies.push_back(std::move(*proxy));
    return proxies.back()->url();
  };
  BaseUrls urls;
  if (preset.uses_anthropic) {
    auto url = start_one(upstreams.anthropic);
    if (!url) return tl::unexpected(url.error());
    urls.anthropic = *url;
  }
  const bool is_one_service = !settings.upstream.empty() && !proxies.empty();
  if (preset.uses_openai && is_one_service) urls.openai = urls.anthropic;
  if (preset.uses_openai && !is_one_service) {
    auto url = start_one(upstreams.openai);
    if (!url) return tl::unexpected(url.error());
    urls.openai = *url;
  }
  urls.openai += "/v1";
  return urls;
}

void greet(const Preset& preset, const RunOptions& options, const Proxies& proxies) {
  if (options.proxy.shadow)
    std::cerr << "ctxpack: requests go on untouched; the end says what a budget of " << options.proxy.budget
              << " tokens would have done.";
  else
    std::cerr << "ctxpack: at most " << options.proxy.budget << " tokens go to the model with each request.";
  for (const auto& proxy : proxies) std::cerr << " " << proxy->url();
  std::cerr << (proxies.size() == 1 ? " shows what is sent.\n" : " show what is sent.\n");
  if (!preset.is_known)
    std::cerr << "ctxpack: " << printable(options.command.front())
              << " is not a program that ctxpack knows: it gets the base URLs in the variables that most programs "
                 "read.\n";
}

/// In plain words; of a shadow, what would have been.
std::string end_of(const RunOptions& options, const Proxies& proxies) {
  std::vector<const serve::Ledger*> ledgers;
  std::string verdicts;
  for (const auto& proxy : proxies) {
    ledgers.push_back(&proxy->ledger());
    if (proxy->shadow() != nullptr && !proxy->ledger().steps().empty()) verdicts += proxy->shadow()->verdict() + "\n";
  }
  return options.proxy.shadow && !verdicts.empty() ? verdicts : summary_of(ledgers);
}

int run(const RunOptions& options) {
  prepare_proxy_process();
  PassedSignals signals;
  const Environment environment = [](const char* name) { return std::getenv(name); };
  const auto& program = options.command.front();
  Proxies proxies;
  const auto urls = start(options.proxy, preset_of(program, {}, environment), upstreams_in(environment), proxies);
  if (!urls) return report(urls.error());
  const auto preset = preset_of(program, *urls, environment);
  std::vector<std::string> command = {program};
  command.insert(command.end(), preset.arguments.begin(), preset.arguments.end());
  command.insert(command.end(), options.command.begin() + 1, options.command.end());
  greet(preset, options, proxies);
  const auto ended = signals.run(command, preset.variables);
  if (!ended) {
    report(ended.error());
    return ended.error().code == ErrorCode::not_found ? no_such_program : cannot_be_run;
  }
  std::cerr << '\n' << end_of(options, proxies);
  return *ended;
}

}  // namespace

void add_run(const Command& program) {
  constexpr std::int64_t usual_budget = 32'000;
  constexpr std::int64_t most_streams = 32;
  const auto options = std::make_shared<RunOptions>();
  options->proxy.listen = "127.0.0.1:0";
  options->proxy.budget = usual_budget;
  options->proxy.streams = most_streams;
  const Command command =
      program.add_command("run", "Runs a program with a proxy of its own in front of its model's service");
  command.add_program("program", options->command, "The program and its arguments, behind --").required();
  command.add("--budget", options->proxy.budget, "Most input tokens of a request, tools included (default 32000)")
      .in_range(1, std::int64_t{1} << 40);
  command
      .add("--tools-budget", options->proxy.tools_budget,
           "Most tokens of tool definitions; the model finds the rest by a tool")
      .in_range(0, std::int64_t{1} << 40);
  command.add("--upstream", options->proxy.upstream,
              "Base URL of the service (default: as the program's variables say, else Anthropic's or OpenAI's)");
  command.add(
      "--store", options->proxy.store,
      "Where threads, attachments and receipts are kept: sqlite:PATH or redis://host:port/db (default: memory)");
  command.add_flag(
      "--context-tools", options->proxy.context_tools,
      "Give models tools that read back what was left out. The proxy runs them; answers come when they are whole");
  command.add_flag("--tell-room", options->proxy.tell_room,
                   "Tell the model at 50, 75 and 90 % of the budget how many tokens are free");
  command.add_flag("--shadow", options->proxy.shadow,
                   "Send requests on untouched, and say at the end what --budget would have saved and lost");
  command.add_flag("--allow-plain-http", options->proxy.allow_plain_http,
                   "Reach another machine without TLS: keys and content travel in the clear");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack run -- claude\n"
      "  ctxpack run --budget 64000 -- codex exec \"Fix the test.\"\n"
      "  ctxpack run --upstream http://127.0.0.1:11434 -- python agent.py");
  command.run([options] { return run(*options); });
}

}  // namespace ctxpack
