#include "option_names.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/ctxmgr.hpp"

namespace ctxpack {
namespace {

TEST(OptionNamesTest, AMessageNamesTheOptionsThatThereAre) {
  ctxmgr::Context context;
  context.conversation_history.push_back({ctxmgr::Role::user, "hello"});
  ctxmgr::BuildRequest request;
  request.models = ctxmgr::ModelConfig::single("our-own");
  const auto unknown = ctxmgr::ContextManager().build(context, request);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(in_options(unknown.error().message), "the window of the model \"our-own\" is not known: set --budget");

  request.budget.max_input_tokens = -1;
  EXPECT_EQ(in_options(ctxmgr::ContextManager().build(context, request).error().message),
            "--budget has to be between 0 and 1099511627776");
  EXPECT_EQ(in_options("--upstream: base_url is plain http: set allow_plain_http"),
            "--upstream is plain http: set --allow-plain-http");
  EXPECT_EQ(in_options("tools_budget is negative"), "--tools-budget is negative");
}

TEST(OptionNamesTest, OtherMessagesStay) { EXPECT_EQ(in_options("line 3: no message"), "line 3: no message"); }

}  // namespace
}  // namespace ctxpack
