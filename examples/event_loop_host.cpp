// A host with an event loop. Nothing of ctxmgr waits for a model here: the build says what to ask, the loop asks, and
// hands each reply in as it comes.
#include <ctxmgr/ctxmgr.hpp>
#include <deque>
#include <functional>
#include <iostream>
#include <string>
#include <utility>

namespace {

/// Stands in for the host's loop: work is queued now and done later, in any order.
class EventLoop {
 public:
  void post(std::function<void()> work) { queue_.push_back(std::move(work)); }
  void run() {
    while (!queue_.empty()) {
      const auto work = std::move(queue_.back());  // The last first: replies come in any order.
      queue_.pop_back();
      work();
    }
  }

 private:
  std::deque<std::function<void()>> queue_;
};

/// Stands in for the host's HTTP client.
ctxmgr::Result<ctxmgr::LlmResponse> send(const ctxmgr::LlmRequest& request) {
  ctxmgr::LlmResponse response;
  response.message.role = ctxmgr::Role::assistant;
  response.message.content =
      request.purpose == ctxmgr::LlmPurpose::context_planning
          ? R"({"reasoning":"The log is long.","decisions":[{"artifact":"a1","strategy":"summarize",
                                      "priority":1,"rationale":"long","focus":"failures","query":"","target_tokens":60}]})"
          : "The job fails with a time-out while it fetches the index.";
  return response;
}

}  // namespace

int main() {
  std::string log;
  for (int i = 0; i < 400; ++i) log += "fetching the index: time-out, trying again\n";
  ctxmgr::Context context;
  context.conversation_history = {{ctxmgr::Role::user, "Why does the job fail?"}};
  context.artifacts = {ctxmgr::make_document("job.log", log)};
  ctxmgr::BuildRequest request;
  request.models = ctxmgr::ModelConfig::from_request("gpt-5.6");
  request.budget.max_input_tokens = 1'000;

  const ctxmgr::ContextManager manager;
  auto build = manager.start(context, request);
  if (!build) {
    std::cerr << build.error().message << '\n';
    return 1;
  }
  while (!build->done()) {
    EventLoop loop;
    for (auto& call : build->next_calls()) {
      loop.post([&build, call] { build->reply(call.id, send(call.request)); });
    }
    loop.run();
  }
  const auto built = std::move(*build).finish();
  std::cout << (built ? ctxmgr::explain(built->metadata) : built.error().message) << '\n';
  return built ? 0 : 1;
}
