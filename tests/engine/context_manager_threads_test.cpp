#include <atomic>
#include <thread>

#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::decision;
using testing::planner_reply;
using testing::saying;
using testing::words;

/// One manager, several threads: data races are the sanitizer's to find, wrong results are found here.
class ContextManagerThreadsTest : public testing::BuildTest {
 protected:
  template <class Work>
  static void run(int threads, Work work) {
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) running.emplace_back([&work, i] { work(i); });
    for (auto& thread : running) thread.join();
  }
};

TEST_F(ContextManagerThreadsTest, ConcurrentBuildsOfOneThreadGiveTheSameBytes) {
  for (int i = 0; i < 30; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, words(40));
  attach("doc", words(500));
  request_.budget.max_input_tokens = 1'500;
  const ContextManager manager(options_);
  const auto expected = manager.build(context_, request_);
  ASSERT_TRUE(expected);
  request_.thread_state = expected->thread_state;
  const auto again = manager.build(context_, request_);
  ASSERT_TRUE(again);
  std::atomic<int> same{0};
  run(8, [&](int) {
    for (int i = 0; i < 5; ++i) {
      const auto built = manager.build(context_, request_);
      same += built && to_openai_json(built->messages) == to_openai_json(again->messages);
    }
  });
  EXPECT_EQ(same, 40);
}

thread_local std::string scope;  // of this thread's builds, whose events come in this thread

TEST_F(ContextManagerThreadsTest, ThreadsOfManySessionsGrowSideBySide) {
  std::atomic<int> wrong{0};
  std::atomic<int> events{0};
  options_.observer = make_observer([&](const Event& event) {
    ++events;
    wrong += event.scope != scope;
  });
  const ContextManager manager(options_);
  run(8, [&](int session) {
    scope = "session " + std::to_string(session);
    Context context;
    BuildRequest request;
    request.scope = scope;
    request.budget.max_input_tokens = 800;
    for (int turn = 0; turn < 15; ++turn) {
      context.conversation_history.push_back({Role::user, "session " + std::to_string(session) + " " + words(20)});
      const auto built = manager.build(context, request);
      if (!built) {
        ++wrong;
        return;
      }
      for (const auto& message : built->messages)
        wrong += !testing::contains(text_of(message), "session " + std::to_string(session)) &&
                 !testing::contains(text_of(message), "not shown");
      request.thread_state = built->thread_state;
      context.conversation_history.push_back({Role::assistant, "to session " + std::to_string(session)});
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(events, 8 * 15);
}

TEST_F(ContextManagerThreadsTest, ManyBuildsThatWantOneSummaryMakeOneCall) {
  std::atomic<int> summaries{0};
  options_.client = make_llm_client([&](const LlmRequest& request, const CallOptions&) -> Result<LlmResponse> {
    if (request.purpose == LlmPurpose::context_planning)
      return saying(planner_reply(decision("a1", "summarize", "", 200)));
    ++summaries;
    return saying("filler0 only");
  });
  say(Role::user, "question");
  attach("long", words(3'000));
  request_.scope = "tenant";
  request_.budget.max_input_tokens = 2'000;
  const ContextManager manager(options_);
  std::atomic<int> with_summary{0};
  run(16, [&](int) {
    const auto built = manager.build(context_, request_);
    with_summary += built && testing::contains(testing::all_text(built->messages), "filler0 only");
  });
  EXPECT_EQ(with_summary, 16);
  EXPECT_EQ(summaries, 1);
}

TEST_F(ContextManagerThreadsTest, OneBuildsFailureIsNotTheOthers) {
  std::atomic<int> calls{0};
  options_.client = make_llm_client([&](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
    if (++calls % 3 == 0) throw std::runtime_error("broken");
    return fail(ErrorCode::unavailable, "service is down");
  });
  say(Role::user, "question");
  attach("long", words(3'000));
  request_.budget.max_input_tokens = 2'000;
  const ContextManager manager(options_);
  std::atomic<int> built{0};
  run(8, [&](int) { built += manager.build(context_, request_).has_value(); });
  EXPECT_EQ(built, 8);
}

}  // namespace
}  // namespace ctxmgr
