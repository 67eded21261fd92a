#include "view/receipts_file.hpp"

#include <gtest/gtest.h>

namespace ctxpack::view::test {
namespace {

constexpr const char* receipt_json = R"({"model_name":"gpt-4o","input_tokens_used":70,"max_input_tokens":100})";

std::string in(const std::string& field, const std::string& value) { return "{\"" + field + "\":" + value + "}"; }

TEST(ReceiptsFileTest, AReceiptIsFoundWhereverItIsWritten) {
  const std::string response =
      R"({"usage":{"prompt_tokens":72,"calls":1},"context_utilization":)" + std::string(receipt_json) + "}";
  for (const std::string& text :
       {std::string(receipt_json), in("metadata", receipt_json), response, in("metadata", response),
        "[" + std::string(receipt_json) + "]", "\n" + std::string(receipt_json) + "\n"}) {
    const auto steps = read_receipts(text, {});
    ASSERT_TRUE(steps) << text << steps.error().message;
    ASSERT_EQ(steps->size(), 1U) << text;
    EXPECT_EQ(steps->front().receipt.input_tokens_used, 70) << text;
    EXPECT_GT(steps->front().cost_usd, 0) << text;
  }
  EXPECT_EQ(read_receipts(response, {})->front().usage.prompt_tokens, 72);
}

TEST(ReceiptsFileTest, LinesAreStepsAndFailedOnesToo) {
  const auto steps = read_receipts(R"({"run":"a","step":1,"metadata":{"input_tokens_used":1}}
{"run":"a","step":2,"error":"too much"}
)",
                                   {});
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 2U);
  EXPECT_EQ(steps->at(0).thread, "a");
  EXPECT_EQ(steps->at(1).error, "too much");
}

TEST(ReceiptsFileTest, AnythingElseIsRefusedWithItsPlace) {
  for (const char* text : {"7", "{}", "[7]", "{\"metadata\":{}}", "{\"input_tokens_used\":\"x\"}", "{", "{}\n{}"}) {
    const auto steps = read_receipts(text, {});
    ASSERT_FALSE(steps) << text;
    EXPECT_EQ(steps.error().code, ctxmgr::ErrorCode::invalid_argument) << text;
  }
  EXPECT_NE(read_receipts(std::string(receipt_json) + "\n{", {}).error().message.find("line 2"), std::string::npos);
}

}  // namespace
}  // namespace ctxpack::view::test
