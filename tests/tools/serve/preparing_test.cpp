#include "serve/preparing.hpp"

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/steered_agent.hpp"
#include "tools/serve/proxy_fixture.hpp"
#include "view/conversations.hpp"
#include "view/writer.hpp"

namespace ctxpack::serve::test {
namespace {

using ctxmgr::testing::agent_budget;
using ctxmgr::testing::SteeredAgent;
using nlohmann::json;
using std::chrono::steady_clock;

constexpr int steps = 60;

/// A model that summarises, and what it was asked.
struct Summarizer {
  std::atomic<int> asked{0};
  std::atomic<bool> hangs{false};

  ctxmgr::Result<ctxmgr::LlmResponse> answer(const ctxmgr::LlmRequest& request, const ctxmgr::CallOptions& call) {
    EXPECT_EQ(request.purpose, ctxmgr::LlmPurpose::summarization);
    ++asked;
    while (hangs && !call.cancellation.is_cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (call.cancellation.is_cancelled()) return ctxmgr::fail(ctxmgr::ErrorCode::cancelled, "cancelled");
    ctxmgr::LlmResponse response;
    response.message = {ctxmgr::Role::assistant, SteeredAgent::summary_of(ctxmgr::text_of(request.messages.back()))};
    response.usage.prompt_tokens = 1'500;
    response.usage.completion_tokens = 10;
    return response;
  }
};

class PreparingTest : public ::testing::Test {
 protected:
  struct Figures {
    int compactions = 0;
    int with_summary = 0;
    int over = 0;
    int torn = 0;
    std::int64_t calls_of_builds = 0;
  };

  void start(std::optional<std::int64_t> tokens_per_hour, const std::string& summarizer = {}) {
    proxy_ = std::make_unique<RunningProxy>(
        upstream_.url(), agent_budget, std::string(), http::Limits(), false, [&](ProxyOptions& options) {
          ctxmgr::ContextManagerOptions manager;
          manager.client = ctxmgr::make_llm_client(
              [this](const auto& request, const auto& call) { return model_.answer(request, call); }, 8);
          options.manager = ctxmgr::ContextManager(std::move(manager));
          options.summary_tokens_per_hour = tokens_per_hour;
          options.summarizer = summarizer;
        });
  }

  [[nodiscard]] std::string metrics() const {
    const auto page = proxy_->client().Get("/metrics");
    return page ? page->body : "";
  }

  [[nodiscard]] std::string page() const {
    const auto page =
        proxy_->client().Get(("/?thread=" + view::short_name(proxy_->proxy->ledger().steps()[0]->thread)).c_str());
    return page ? page->body : "";
  }

  [[nodiscard]] bool has_metric(const std::string& line) const {
    return metrics().find("\nctxmgr_" + line + "\n") != std::string::npos;
  }

  void wait_until_prepared() const {
    const auto until = steady_clock::now() + std::chrono::seconds(20);
    while (!has_metric("summaries_under_way 0") && steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  void ask(int first, int last) {
    for (int step = first; step < last; ++step) {
      for (const auto& message : agent_.act(step)) messages_.push_back(message);
      const json request = {{"model", "gpt-5.6"}, {"messages", messages_}};
      const auto answer = proxy_->post("/v1/chat/completions", request.dump());
      ASSERT_TRUE(answer);
      ASSERT_EQ(answer->status, 200);
      if (!model_.hangs) wait_until_prepared();
    }
  }

  [[nodiscard]] Figures figures() const {
    Figures figures;
    const auto requests = posts_of(upstream_);
    const auto sent = proxy_->proxy->ledger().steps();
    EXPECT_EQ(requests.size(), sent.size());
    for (std::size_t i = 0; i < std::min(requests.size(), sent.size()); ++i) {
      const auto& receipt = sent[i]->receipt;
      const bool has_summary = requests[i].body.find("summary of [") != std::string::npos;
      figures.compactions += receipt.compaction ? 1 : 0;
      figures.with_summary += receipt.compaction && has_summary ? 1 : 0;
      figures.over += receipt.input_tokens_used > agent_budget ? 1 : 0;
      figures.torn += SteeredAgent::is_torn(json::parse(requests[i].body)["messages"]) ? 1 : 0;
      figures.calls_of_builds += receipt.planning_usage.total().calls;
    }
    return figures;
  }

  Summarizer model_;
  FaultServer upstream_{answer_ok};
  std::unique_ptr<RunningProxy> proxy_;
  SteeredAgent agent_;
  json messages_ = json::array();
};

TEST_F(PreparingTest, EveryCompactionHasItsSummaryAndNoRequestAsksAModel) {
  start(1'000'000);
  ask(0, steps);
  const auto found = figures();
  EXPECT_GT(found.compactions, 1);
  EXPECT_EQ(found.with_summary, found.compactions);
  EXPECT_EQ(found.calls_of_builds, 0);
  EXPECT_EQ(found.over, 0);
  EXPECT_EQ(found.torn, 0);
  EXPECT_GT(model_.asked, 0);
  EXPECT_TRUE(has_metric("summary_calls_total " + std::to_string(model_.asked)));
  EXPECT_TRUE(has_metric("summary_tokens_total " + std::to_string(model_.asked * 1'510)));
}

TEST_F(PreparingTest, ThePageSaysWhatSummariesTookAndTakesItOffWhatIsSaved) {
  start(1'000'000, "gpt-5-nano");
  ask(0, steps);
  double saved = 0;
  for (const auto& step : proxy_->proxy->ledger().steps()) saved += step->everything_usd - step->cost_usd;
  const auto nano = ctxmgr::ModelCatalog().find("gpt-5-nano");
  const double price = model_.asked * (1'500 * *nano.input_usd_per_token + 10 * *nano.output_usd_per_token);
  ASSERT_GT(price, 0);
  const auto calls = std::to_string(model_.asked);
  const auto shown = page();
  EXPECT_NE(
      shown.find("Summaries made early: " + calls + " calls of gpt-5-nano: " + view::grouped(model_.asked * 1'500) +
                 " tokens in, " + view::grouped(model_.asked * 10) + " out, " + view::usd(price) + ".<"),
      std::string::npos);
  EXPECT_NE(shown.find("; saved " + view::usd(saved - price) + ".<"), std::string::npos) << saved << " " << price;
  EXPECT_NE(view::usd(saved - price), view::usd(saved)) << "else nothing is shown by this";
  EXPECT_TRUE(has_metric("summary_input_tokens_total " + std::to_string(model_.asked * 1'500)));
  EXPECT_TRUE(has_metric("summary_output_tokens_total " + std::to_string(model_.asked * 10)));
  EXPECT_FALSE(has_metric("summary_usd_total 0"));
}

TEST_F(PreparingTest, OfAModelWithoutAPriceThePageShowsTokensAndSaysSo) {
  start(1'000'000, "our-own");
  ask(0, steps);
  const auto shown = page();
  EXPECT_NE(shown.find(" out, price not known: the model catalogue has none for it.<"), std::string::npos);
  EXPECT_NE(shown.find(", without the price of summaries, which is not known.<"), std::string::npos);
  EXPECT_TRUE(has_metric("summary_usd_total 0"));
}

TEST_F(PreparingTest, WithoutTheOptionNoCompactionHasAnyAndNoModelIsAsked) {
  start(std::nullopt);
  ask(0, steps);
  const auto found = figures();
  EXPECT_GT(found.compactions, 1);
  EXPECT_EQ(found.with_summary, 0);
  EXPECT_EQ(model_.asked, 0);
}

TEST_F(PreparingTest, AModelThatHangsDelaysNoRequestAndEndsWithTheProxy) {
  model_.hangs = true;
  start(1'000'000);
  ask(0, 40);
  EXPECT_GT(model_.asked, 0);
  EXPECT_FALSE(has_metric("summaries_under_way 0"));
  EXPECT_EQ(posts_of(upstream_).size(), 40U);
  const auto began = steady_clock::now();
  proxy_.reset();
  EXPECT_LT(steady_clock::now() - began, std::chrono::seconds(10));
}

TEST_F(PreparingTest, AnHoursTokensAreTheMostThatSummariesTake) {
  constexpr std::int64_t most = 20'000;
  start(most);
  ask(0, steps);
  EXPECT_GT(model_.asked, 0);
  EXPECT_LE(model_.asked * 1'510, most);
  EXPECT_EQ(figures().over, 0);
}

TEST_F(PreparingTest, WithNoTokensNothingIsAskedAndItIsCounted) {
  start(0);
  ask(0, 40);
  EXPECT_EQ(model_.asked, 0);
  EXPECT_FALSE(has_metric("summaries_skipped_total 0"));
}

}  // namespace
}  // namespace ctxpack::serve::test
