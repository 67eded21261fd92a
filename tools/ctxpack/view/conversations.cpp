#include "view/conversations.hpp"

#include <algorithm>
#include <unordered_map>

#include "view/pricing.hpp"
#include "view/window.hpp"
#include "view/writer.hpp"

namespace ctxpack::view {

std::vector<Conversation> conversations_of(const std::vector<std::shared_ptr<const Step>>& steps) {
  std::vector<Conversation> all;
  std::unordered_map<std::string, std::size_t> places;
  for (const auto& step : steps) {
    const auto [place, is_new] = places.emplace(step->thread, all.size());
    if (is_new) all.push_back({step->thread, step->owner, step->first_words});
    auto& conversation = all[place->second];
    ++conversation.requests;
    conversation.last = std::max(conversation.last, step->time);
    conversation.saved_usd += step->everything_usd - step->cost_usd - step->summaries.usd.value_or(0);
    add(conversation.summaries, step->summaries);
    conversation.is_priced = conversation.is_priced || step->everything_usd > 0;
    if (step->receipt.messages_limit <= 0) continue;  // It came to no build.
    const auto window = window_of(step->receipt);
    conversation.model = step->receipt.model_name;
    conversation.used = window.used();
    conversation.budget = window.total();
    conversation.sent = step->receipt.input_tokens_used;
    conversation.everything = step->receipt.include_all_tokens;
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.last > b.last; });
  return all;
}

std::string sentence_of(const Conversation& conversation) {
  if (conversation.budget <= 0) return "None of its requests was fitted.";
  auto text = grouped(conversation.used) + " of " + grouped(conversation.budget) + " tokens; ";
  const auto left_out = conversation.everything - conversation.sent;
  if (left_out > 0)
    text += percent(static_cast<double>(left_out), static_cast<double>(conversation.everything)) +
            " of the conversation is not sent";
  else
    text += "all of the conversation is sent";
  const double saved = conversation.is_priced ? conversation.saved_usd : 0;
  if (saved >= least_usd) text += "; saved " + usd(saved);
  if (saved <= -least_usd) text += "; " + usd(-saved) + " more than to send everything";
  const bool is_net = !conversation.summaries.are_there() || conversation.summaries.usd;
  if (conversation.is_priced && !is_net) text += ", without the price of summaries, which is not known";
  return text + ".";
}

std::string words_of(const Summaries& summaries) {
  const auto& usage = summaries.usage;
  auto text = grouped(usage.calls) + (usage.calls == 1 ? " call of " : " calls of ") + summaries.model + ": ";
  if (usage.total_tokens() <= 0) return text + "the service reported no tokens, so the price is not known";
  text += grouped(usage.prompt_tokens) + " tokens in, " + grouped(usage.completion_tokens) + " out";
  if (!summaries.usd) return text + ", price not known: the model catalogue has none for it";
  return text + ", " + (*summaries.usd >= least_usd ? usd(*summaries.usd) : "$0");
}

const Step& newest_built(const std::vector<Step>& steps) {
  const auto found =
      std::find_if(steps.rbegin(), steps.rend(), [](const Step& step) { return step.receipt.messages_limit > 0; });
  return found == steps.rend() ? steps.back() : *found;
}

std::string words_of_miss(const Step& step) {
  constexpr std::int64_t least = 1'024;  // No service is asked for less.
  constexpr double most_of_it = 0.8;     // Services cache in steps, and count a little otherwise.
  const auto& receipt = step.receipt;
  if (step.usage.calls != 1 || step.usage.prompt_tokens <= 0 || step.status != 200) return {};
  const auto kept = receipt.prefix_tokens_kept > 0 ? receipt.prefix_tokens_kept + receipt.tools_tokens : 0;
  const auto cached = step.usage.cached_prompt_tokens;
  if (kept < least || static_cast<double>(cached) >= most_of_it * static_cast<double>(kept)) return {};
  return "The service's cache missed: the first " + grouped(kept) +
         " tokens are those of the request before, and it reported " + grouped(cached) + " from its cache.";
}

bool is_compaction(const Step& step, const Step* before) {
  if (before == nullptr || step.receipt.messages_limit <= 0 || step.receipt.input_tokens_used <= 0) return false;
  const auto& receipt = step.receipt;
  const bool left_out = receipt.messages_excluded > 0 || receipt.include_all_tokens > receipt.input_tokens_used;
  constexpr double kept_whole = 0.9;
  return left_out && static_cast<double>(receipt.prefix_tokens_kept) <
                         kept_whole * static_cast<double>(before->receipt.input_tokens_used);
}

std::string title_of(const Conversation& conversation) {
  return conversation.first_words.empty() ? short_name(conversation.thread) : conversation.first_words;
}

std::string short_name(const std::string& thread) { return thread.substr(0, thread.find(' ')); }

}  // namespace ctxpack::view
