#include "run_summary.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>

#include "view/conversations.hpp"
#include "view/writer.hpp"

namespace ctxpack {
namespace {

using serve::Totals;

std::string counted(std::int64_t count, const char* one, const char* several) {
  return view::grouped(count) + " " + (count == 1 ? one : several);
}

std::int64_t requests_of(const Totals& totals, bool failed) {
  constexpr int first_error = 400;
  std::int64_t count = 0;
  for (const auto& [kind, requests] : totals.requests) {
    const bool has_failed = kind.second >= first_error || kind.second == 0;
    count += has_failed == failed ? requests : 0;
  }
  return count;
}

/// Of each conversation, what its last request sent.
struct Last {
  std::int64_t conversations = 0;
  std::int64_t messages = 0;
  std::int64_t left_out = 0;
};

void add_last(const serve::Ledger& ledger, Last& last) {
  std::map<std::string, std::shared_ptr<const view::Step>> newest;
  for (const auto& step : ledger.steps()) {
    if (step->receipt.messages_limit > 0) newest[step->thread] = step;
  }
  for (const auto& [thread, step] : newest) {
    ++last.conversations;
    const auto left_out = static_cast<std::int64_t>(step->receipt.messages_excluded);
    last.messages += static_cast<std::int64_t>(step->receipt.messages_included) + left_out;
    last.left_out += left_out;
  }
}

Totals sum_of(const std::vector<const serve::Ledger*>& ledgers) {
  Totals sum;
  for (const auto* const ledger : ledgers) {
    const auto totals = ledger->totals();
    for (const auto& [kind, requests] : totals.requests) sum.requests[kind] += requests;
    sum.input_tokens += totals.input_tokens;
    sum.tokens_saved += totals.tokens_saved;
    sum.new_beginnings += totals.new_beginnings;
    sum.answers += totals.answers;
    sum.build_seconds += totals.build_seconds;
    sum.cost_usd += totals.cost_usd;
    sum.everything_usd += totals.everything_usd;
  }
  return sum;
}

std::string price_of(const Totals& totals) {
  if (totals.everything_usd <= 0) return "The model's price is not known.";
  const auto saved = totals.everything_usd - totals.cost_usd;
  const auto whole = view::usd(totals.everything_usd);
  if (saved <= -view::least_usd)
    return "The input cost " + view::usd(-saved) + " more than to send everything (" + whole + ").";
  if (saved < view::least_usd) return "Nothing saved: the input cost " + whole + ".";
  return "Saved " + view::usd(saved) + " of " + whole + " for input (" + view::percent(saved, totals.everything_usd) +
         ").";
}

std::string loss_of(const Totals& totals, const Last& last) {
  if (last.left_out == 0 && totals.new_beginnings == 0) return "Nothing was left out.";
  return "Left out of the last requests: " + view::grouped(last.left_out) + " of " +
         counted(last.messages, "message", "messages") +
         "; the program still has them. Requests that began anew: " + view::grouped(totals.new_beginnings) + ".";
}

std::string cost_of(const Totals& totals) {
  constexpr double milliseconds = 1'000;
  const auto each = totals.answers > 0 ? totals.build_seconds * milliseconds / static_cast<double>(totals.answers) : 0;
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.1f", each);
  auto text = "Added to each request: " + std::string(number.data()) + " ms.";
  if (const auto failed = requests_of(totals, true); failed > 0)
    text += " " + counted(failed, "request", "requests") + " failed.";
  return text;
}

}  // namespace

std::string summary_of(const std::vector<const serve::Ledger*>& ledgers) {
  const auto totals = sum_of(ledgers);
  Last last;
  for (const auto* const ledger : ledgers) add_last(*ledger, last);
  const auto requests = requests_of(totals, false) + requests_of(totals, true);
  if (requests == 0)
    return "The program sent no request through the proxy. It may have its base URL from a file of its own.\n";
  const auto everything = totals.input_tokens + totals.tokens_saved;
  return counted(requests, "request", "requests") + " in " +
         counted(last.conversations, "conversation", "conversations") + ": " + view::grouped(totals.input_tokens) +
         " of " + view::grouped(everything) + " tokens sent.\n" + price_of(totals) + "\n" + loss_of(totals, last) +
         "\n" + cost_of(totals) + "\n";
}

}  // namespace ctxpack
