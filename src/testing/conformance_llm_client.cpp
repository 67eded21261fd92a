#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr::testing {
namespace {

using Lines = std::vector<std::string>;
using SteadyClock = std::chrono::steady_clock;

// The contract says 100 ms and 250 ms; the rest is for machines that are busy.
constexpr std::chrono::milliseconds prompt_enough{1'000};
constexpr std::array<const char*, 4> words = {"7301", "2846", "9157", "4620"};

LlmRequest ask_for(std::string_view word) {
  LlmRequest request;
  request.messages.emplace_back();
  request.messages.back().content = "Reply with this number and nothing else: " + std::string(word);
  request.max_output_tokens = 16;
  return request;
}

CallOptions cancelled_call() {
  CallOptions call;
  call.cancellation = CancellationToken([] { return true; });
  return call;
}

/// Calls, and turns an exception into a broken promise.
template <class Call>
void guarded(Lines& broken, std::string_view what, const Call& call) {
  try {
    call();
  } catch (...) {
    broken.push_back(std::string(what) + " threw an exception");
  }
}

void check_one_reply(LlmClient& client, Lines& broken) {
  const auto response = client.complete(ask_for(words[0]), {});
  if (!response) {
    broken.push_back("complete failed on a plain request: " + std::string(to_string(response.error().code)));
    return;
  }
  if (response->message.role != Role::assistant) broken.emplace_back("the reply's role is not assistant");
  if (response->usage.calls != 1) broken.emplace_back("the usage of one call does not count one call");
  if (response->usage.prompt_tokens < 0 || response->usage.completion_tokens < 0 ||
      response->usage.cached_prompt_tokens < 0 || response->usage.cache_write_tokens < 0) {
    broken.emplace_back("a token count is negative");
  }
}

void check_cancelled_before(LlmClient& client, Lines& broken) {
  const auto start = SteadyClock::now();
  const auto response = client.complete(ask_for(words[0]), cancelled_call());
  if (response || response.error().code != ErrorCode::cancelled) {
    broken.emplace_back("a call whose token has already fired does not give cancelled");
  }
  if (SteadyClock::now() - start > prompt_enough) broken.emplace_back("a cancelled call does not return promptly");
}

void check_cancelled_midway(LlmClient& client, Lines& broken) {
  const auto fire_at = SteadyClock::now() + std::chrono::milliseconds(20);
  CallOptions call;
  call.cancellation = CancellationToken([fire_at] { return SteadyClock::now() >= fire_at; });
  const auto response = client.complete(ask_for(words[0]), call);
  if (!response && response.error().code != ErrorCode::cancelled) {
    broken.emplace_back("a call cancelled midway fails with another code than cancelled");
  }
  if (SteadyClock::now() - fire_at > prompt_enough) broken.emplace_back("a call cancelled midway runs on");
}

void check_past_deadline(LlmClient& client, Lines& broken) {
  const auto start = SteadyClock::now();
  CallOptions call;
  call.deadline = start - std::chrono::milliseconds(1);
  const auto response = client.complete(ask_for(words[0]), call);
  if (!response && response.error().code != ErrorCode::deadline_exceeded) {
    broken.emplace_back("a call past its deadline fails with another code than deadline_exceeded");
  }
  if (SteadyClock::now() - start > prompt_enough) broken.emplace_back("a call past its deadline runs on");
}

/// A reply is judged by the number in it. One with no number says nothing about the order.
bool answers_another(const Result<LlmResponse>& result, std::size_t own) {
  if (!result) return false;
  const auto text = text_of(result->message);
  if (text.find(words.at(own)) != std::string::npos) return false;
  for (const char* word : words) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

void check_all(LlmClient& client, Lines& broken) {
  if (!client.complete_all({}, {}).empty()) broken.emplace_back("complete_all answers where nothing was asked");
  std::vector<LlmRequest> requests;
  for (const char* word : words) requests.push_back(ask_for(word));
  const auto results = client.complete_all(requests, {});
  if (results.size() != requests.size()) {
    broken.emplace_back("complete_all does not give one result for each request");
    return;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (answers_another(results[i], i)) broken.emplace_back("complete_all gives a reply to the wrong request");
  }
}

void check_all_cancelled(LlmClient& client, Lines& broken) {
  const auto results = client.complete_all({ask_for(words[0]), ask_for(words[1])}, cancelled_call());
  if (results.size() != 2) broken.emplace_back("a cancelled complete_all does not give one result for each request");
  for (const auto& result : results) {
    if (result || result.error().code != ErrorCode::cancelled) {
      broken.emplace_back("a cancelled complete_all gives another result than cancelled");
    }
  }
}

void check_client_threads(LlmClient& client, Lines& broken) {
  std::atomic<bool> threw{false};
  std::atomic<bool> swapped{false};
  const auto ask = [&](std::size_t i) {
    try {
      if (answers_another(client.complete(ask_for(words.at(i)), {}), i)) swapped = true;
    } catch (...) {
      threw = true;
    }
  };
  std::thread other(ask, 0);
  ask(1);
  other.join();
  if (threw) broken.emplace_back("complete threw an exception when called from two threads");
  if (swapped) broken.emplace_back("of two threads, one got the other's reply");
}

}  // namespace

std::vector<std::string> check_llm_client(LlmClient& client) {
  Lines broken;
  guarded(broken, "complete", [&] { check_one_reply(client, broken); });
  guarded(broken, "complete, cancelled,", [&] { check_cancelled_before(client, broken); });
  guarded(broken, "complete, cancelled midway,", [&] { check_cancelled_midway(client, broken); });
  guarded(broken, "complete, past its deadline,", [&] { check_past_deadline(client, broken); });
  guarded(broken, "complete_all", [&] { check_all(client, broken); });
  guarded(broken, "complete_all, cancelled,", [&] { check_all_cancelled(client, broken); });
  guarded(broken, "complete from two threads", [&] { check_client_threads(client, broken); });
  return broken;
}

}  // namespace ctxmgr::testing
