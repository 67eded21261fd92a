#include "engine/summaries/client_calls.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

std::map<std::size_t, std::string> answers(LlmClient& client) {
  std::map<std::size_t, std::string> answers;
  answer_all(client, {{7, {}}, {3, {}}}, {}, {}, [&](std::size_t id, Result<LlmResponse> response) {
    answers[id] = response ? text_of(response->message) : std::string(to_string(response.error().code));
  });
  return answers;
}

TEST(ClientCallsTest, EachReplyGoesToItsCall) {
  testing::ScriptedLlmClient client;
  client.then_reply("first").then_fail({ErrorCode::denied, "no", {}});
  EXPECT_EQ(answers(client), (std::map<std::size_t, std::string>{{7, "first"}, {3, "denied"}}));
}

TEST(ClientCallsTest, AClientThatThrowsFailsItsCalls) {
  class Throwing final : public LlmClient {
   public:
    Result<LlmResponse> complete(const LlmRequest&, const CallOptions&) override { throw 42; }
    std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>&, const CallOptions&) override {
      throw 42;
    }
  };
  Throwing client;
  EXPECT_EQ(answers(client), (std::map<std::size_t, std::string>{{7, "internal"}, {3, "internal"}}));
}

TEST(ClientCallsTest, RepliesTooManyOrTooFewDoNoHarm) {
  class Odd final : public LlmClient {
   public:
    explicit Odd(std::size_t count) : count_(count) {}
    Result<LlmResponse> complete(const LlmRequest&, const CallOptions&) override { return testing::saying("x"); }
    std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>&, const CallOptions&) override {
      return std::vector<Result<LlmResponse>>(count_, testing::saying("x"));
    }

   private:
    std::size_t count_;
  };
  Odd one(1);
  Odd five(5);
  EXPECT_EQ(answers(one), (std::map<std::size_t, std::string>{{7, "x"}, {3, "internal"}}));
  EXPECT_EQ(answers(five), (std::map<std::size_t, std::string>{{7, "x"}, {3, "x"}}));
}

}  // namespace
}  // namespace ctxmgr::engine
