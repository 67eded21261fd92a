#include "adapters/curl/failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ctxmgr::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

Failure classify(int status, std::string_view body = "", std::string should_retry = "", std::string retry_after = "") {
  HttpReply reply;
  reply.status = status;
  reply.should_retry = std::move(should_retry);
  reply.retry_after = std::move(retry_after);
  return classify_error(reply, parse_service_error(body), Timestamp{});
}

TEST(FailureTest, EveryStatusHasACodeAndARetryRule) {
  for (const int status : {408, 409, 429, 500, 502, 503, 504, 529}) {
    EXPECT_EQ(classify(status).error.code, ErrorCode::unavailable) << status;
    EXPECT_EQ(classify(status).retry, Retry::yes) << status;
  }
  const std::vector<std::pair<int, ErrorCode>> lasting = {
      {301, ErrorCode::invalid_argument}, {302, ErrorCode::invalid_argument}, {400, ErrorCode::invalid_argument},
      {401, ErrorCode::denied},           {402, ErrorCode::denied},           {403, ErrorCode::denied},
      {407, ErrorCode::denied},           {404, ErrorCode::not_found},        {413, ErrorCode::context_length_exceeded},
      {422, ErrorCode::invalid_argument}, {204, ErrorCode::bad_data},         {0, ErrorCode::bad_data},
      {999, ErrorCode::bad_data}};
  for (const auto& [status, code] : lasting) {
    EXPECT_EQ(classify(status).error.code, code) << status;
    EXPECT_EQ(classify(status).retry, Retry::never) << status;
  }
}

TEST(FailureTest, TheServiceSaysWhetherToRetry) {
  EXPECT_EQ(classify(503, "", "false").retry, Retry::never);
  EXPECT_EQ(classify(400, "", "true").retry, Retry::yes);
  EXPECT_EQ(classify(401, "", "true").retry, Retry::never);
}

TEST(FailureTest, AnExhaustedQuotaIsDenied) {
  for (const char* body : {R"({"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}})",
                           R"({"error":{"type":"billing_not_active"}})"}) {
    EXPECT_EQ(classify(429, body).error.code, ErrorCode::denied) << body;
    EXPECT_EQ(classify(429, body).retry, Retry::never);
  }
  EXPECT_EQ(classify(429, R"({"error":{"code":"rate_limit_exceeded"}})").retry, Retry::yes);
}

std::string gemini_error(const std::string& quota) {
  return R"([{"error":{"code":429,"message":"You exceeded your current quota, please check your plan","status":"RESOURCE_EXHAUSTED","details":[
      {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":")" +
         quota + R"("}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"8.5s"}]}}])";
}

TEST(FailureTest, GeminisLimitOfAMinuteIsWaitedForAndThatOfADayIsNot) {
  const auto minute = classify(429, gemini_error("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"));
  EXPECT_EQ(minute.error.code, ErrorCode::unavailable);
  EXPECT_EQ(minute.error.retry_after, milliseconds(8500));
  const auto day = classify(429, gemini_error("GenerateRequestsPerDayPerProjectPerModel-FreeTier"));
  EXPECT_EQ(day.error.code, ErrorCode::denied);
  EXPECT_EQ(day.retry, Retry::never);
  for (const char* details :
       {"7", "[7]", R"([{"retryDelay":""}])", R"([{"retryDelay":"s"}])", R"([{"violations":7}])"}) {
    EXPECT_FALSE(classify(429, R"({"error":{"details":)" + std::string(details) + "}}").error.retry_after) << details;
  }
}

TEST(FailureTest, ErrorsAreFoundWhereServicesPutThem) {
  for (const char* body :
       {R"({"error":{"code":1}})", R"([{"error":"x"}])", R"({"choices":[{"error":{"code":502}}]})"}) {
    EXPECT_TRUE(reports_error(*parse_json(body))) << body;
  }
  for (const char* body : {"{}", "[]", "7", R"({"error":null})", R"({"choices":[]})", R"({"choices":[{}]})"}) {
    EXPECT_FALSE(reports_error(*parse_json(body))) << body;
  }
  EXPECT_EQ(classify_late_error(R"({"choices":[{"error":{"code":429}}]})", {}).error.code, ErrorCode::unavailable);
}

TEST(FailureTest, ContextLengthErrorsOfManyServicesAreKnown) {
  for (
      const char* body :
      {R"({"error":{"code":"context_length_exceeded","message":"x"}})",
       R"({"error":{"message":"This model's maximum context length is 8192 tokens.","type":"BadRequestError"}})",
       R"({"object":"error","message":"This model's maximum context length is 8192 tokens.","code":400})",
       R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}})",
       R"({"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 1"}})",
       R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}})",
       R"([{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}])",
       R"({"error":"the input length exceeds the context length"})"}) {
    EXPECT_EQ(classify(400, body).error.code, ErrorCode::context_length_exceeded) << body;
    EXPECT_EQ(classify(400, body).retry, Retry::never);
  }
}

TEST(FailureTest, MessagesNameCodesAndNeverQuoteTheService) {
  const auto failure = classify(
      400,
      R"({"error":{"message":"the user said: hello","type":"invalid_request_error","code":"unknown_parameter","param":"messages[0].foo"}})");
  EXPECT_EQ(
      failure.error.message,
      "the service answered with status 400 (invalid_request_error, unknown_parameter, parameter messages[0].foo)");
  EXPECT_THAT(classify(400, R"({"error":{"code":"a b\nc"}})").error.message, Not(HasSubstr("a b")));
  HttpReply reply;
  reply.status = 500;
  reply.request_id = "req_123";
  EXPECT_EQ(classify_error(reply, {}, {}).error.message, "the service answered with status 500 (request req_123)");
  reply.request_id = "req\x1b[31m";
  EXPECT_EQ(classify_error(reply, {}, {}).error.message, "the service answered with status 500");
}

TEST(FailureTest, WhatIsNotFoundIsMostlyTheModelOrTheUrl) {
  EXPECT_THAT(classify(404, R"({"error":{"type":"invalid_request_error"}})").error.message,
              HasSubstr("base_url may lack its version"));
}

TEST(FailureTest, ErrorsInsideAReplyGetTheStatusTheyShouldHaveHad) {
  EXPECT_EQ(classify_late_error(R"({"error":{"type":"overloaded_error"}})", {}).error.code, ErrorCode::unavailable);
  EXPECT_EQ(classify_late_error(R"({"error":{"type":"rate_limit_error"}})", {}).error.code, ErrorCode::unavailable);
  EXPECT_EQ(classify_late_error(R"({"error":{"code":401}})", {}).error.code, ErrorCode::denied);
  EXPECT_EQ(classify_late_error(R"({"error":{"type":"invalid_request_error","message":"prompt is too long"}})", {})
                .error.code,
            ErrorCode::context_length_exceeded);
  EXPECT_EQ(
      classify_late_error(R"({"error":{"type":"invalid_request_error","code":"invalid_api_key"}})", {}).error.code,
      ErrorCode::denied)
      << "a code says more than a type";
  EXPECT_EQ(
      classify_late_error(R"({"error":{"type":"invalid_request_error","code":"model_not_found"}})", {}).error.code,
      ErrorCode::not_found);
  EXPECT_EQ(classify_late_error("not JSON", {}).error.code, ErrorCode::unavailable);
}

TEST(FailureTest, OnlyPassingTransportFailuresAreRetried) {
  using F = TransportFailure;
  for (const auto failure : {F::connect, F::connect_timeout, F::silent, F::broken})
    EXPECT_EQ(classify_failure(failure).retry, Retry::yes);
  EXPECT_EQ(classify_failure(F::resolve).retry, Retry::once);
  for (const auto failure : {F::proxy, F::tls, F::too_large, F::vetoed, F::malformed, F::other}) {
    EXPECT_EQ(classify_failure(failure).retry, Retry::never);
  }
  EXPECT_EQ(classify_failure(F::tls).error.code, ErrorCode::denied);
  EXPECT_EQ(classify_failure(F::too_large).error.code, ErrorCode::limit_exceeded);
}

TEST(FailureTest, WaitsAsLongAsTheServiceAsks) {
  const auto failure = classify(429, "", "", "2.5");
  EXPECT_EQ(retry_delay(failure, {1, 3, milliseconds(60'000), 1}), milliseconds(2500));
}

TEST(FailureTest, DoesNotWaitLongerThanAllowed) {
  EXPECT_EQ(retry_delay(classify(429, "", "", "2.5"), {1, 3, milliseconds(2'000), 1}), std::nullopt);
  const auto patient = classify(429, "", "", "3600");
  EXPECT_EQ(retry_delay(patient, {1, 3, milliseconds(10'000'000), 1}), std::nullopt);
  EXPECT_EQ(patient.error.retry_after, milliseconds(3'600'000));
}

TEST(FailureTest, BacksOffWhereTheServiceSaysNothingUsable) {
  for (const char* junk : {"", "NaN", "-5", "soon"}) {
    EXPECT_EQ(retry_delay(classify(503, "", "", junk), {1, 3, milliseconds(60'000), 0.5}), milliseconds(250));
    EXPECT_EQ(retry_delay(classify(503, "", "", junk), {2, 3, milliseconds(60'000), 0.5}), milliseconds(500));
  }
}

TEST(FailureTest, AttemptsAreBounded) {
  EXPECT_TRUE(retry_delay(classify(503), {2, 3, milliseconds(60'000), 1}));
  EXPECT_FALSE(retry_delay(classify(503), {3, 3, milliseconds(60'000), 1}));
  EXPECT_FALSE(retry_delay(classify(503), {1, 1, milliseconds(60'000), 1}));
  EXPECT_TRUE(retry_delay(bad_reply("x"), {1, 3, milliseconds(60'000), 1}));
  EXPECT_FALSE(retry_delay(bad_reply("x"), {2, 3, milliseconds(60'000), 1}));
  EXPECT_FALSE(retry_delay(classify(401), {1, 3, milliseconds(60'000), 1}));
}

TEST(FailureTest, AnErrorWith200IsWhatItSays) {
  const auto code_of = [](const char* body) {
    EXPECT_TRUE(reports_error(*parse_json(body))) << body;
    return classify_late_error(body, {}).error.code;
  };
  EXPECT_EQ(code_of(R"({"error":"model 'x' not found"})"), ErrorCode::not_found);
  EXPECT_EQ(code_of(R"({"error":{"message":"Rate limit reached for requests"}})"), ErrorCode::unavailable);
  EXPECT_EQ(code_of(R"({"error":{"code":402,"message":"x"}})"), ErrorCode::denied);
  EXPECT_EQ(code_of(R"({"error":{"status":400,"message":"x"}})"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(R"({"object":"error","message":"bad","code":400})"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(R"({"error":{"message":"boom"}})"), ErrorCode::unavailable);
  EXPECT_FALSE(reports_error(*parse_json(R"({"error":"","choices":[]})")));
}

}  // namespace
}  // namespace ctxmgr::http
