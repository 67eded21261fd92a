#include "serve/answering.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "tools/serve/scripted_answer.hpp"

namespace ctxpack::serve::test {
namespace {

/// Answers with the receipt in a field.
view::Step answer_with_field(std::deque<std::string> pieces, http::Reply& response, bool breaks = false) {
  const auto ended = std::make_shared<view::Step>();  // An answer that breaks off ends when its reply goes.
  const auto answering =
      std::make_shared<Answering>(std::make_unique<ScriptedAnswer>(std::move(pieces), breaks), ctxmgr::CallOptions{},
                                  view::Step{}, [ended](view::Step step) { *ended = std::move(step); });
  response = Answering::start(answering, ReceiptForm::field);
  while (true) {
    const auto piece = response.source();
    if (!piece || !*piece) break;
    response.body += **piece;
  }
  return *ended;
}

TEST(AnsweringTest, TheReceiptStandsBeforeTheLastBrace) {
  http::Reply response;
  const auto step = answer_with_field({"{\"usage\":{\"prompt", "_tokens\":3}} \n"}, response);
  EXPECT_EQ(response.body.find("{\"usage\":{\"prompt_tokens\":3},\"metadata\":{"), 0U);
  EXPECT_EQ(nlohmann::json::parse(response.body)["metadata"]["usage"]["prompt_tokens"], 3);
  EXPECT_EQ(step.usage.prompt_tokens, 3);
  for (const auto& [name, value] : response.headers) EXPECT_NE(name, "connection");
  http::Reply empty;
  answer_with_field({"{}"}, empty);
  EXPECT_TRUE(nlohmann::json::parse(empty.body).contains("metadata"));
}

TEST(AnsweringTest, WhatIsNoObjectStaysAsItIs) {
  for (const std::string body : {"", "[1]", "}", "7"}) {
    http::Reply response;
    answer_with_field({body}, response);
    EXPECT_EQ(response.body, body);
  }
}

TEST(AnsweringTest, AnAnswerThatBreaksOffIsNotTakenForAWholeOne) {
  http::Reply response;
  (void)answer_with_field({"{\"a\":"}, response, true);
  EXPECT_EQ(response.body, "{\"a\":");
  EXPECT_FALSE(response.source()) << "the connection closes before an end";
}

}  // namespace
}  // namespace ctxpack::serve::test
