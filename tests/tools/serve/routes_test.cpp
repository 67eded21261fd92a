#include "serve/routes.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

TEST(RoutesTest, RequestsAreFittedByMethodAndPath) {
  EXPECT_EQ(route_of("POST", "/v1/chat/completions"), Route::chat);
  EXPECT_EQ(route_of("POST", "/v1/messages"), Route::messages);
  EXPECT_EQ(route_of("POST", "/v1/responses"), Route::responses);
  EXPECT_EQ(route_of("HEAD", "/"), Route::page);
  EXPECT_EQ(route_of("POST", "/"), Route::none);
  EXPECT_EQ(route_of("GET", "/v1/receipts/r-1"), Route::receipt);
  EXPECT_EQ(route_of("GET", "/v1/attachments"), Route::none);
}

TEST(RoutesTest, WhatIsTheServicesIsSentOn) {
  for (const char* path : {"/v1/embeddings", "/v1/files", "/v1/messages/batches", "/v1/responses/r/cancel",
                           "/v1/chat/completions/c", "/v1/messages/count_tokens", "/v1/models"}) {
    EXPECT_EQ(route_of("GET", path), Route::forward) << path;
    EXPECT_EQ(route_of("GET", path, true), Route::forward) << path;
    EXPECT_EQ(route_of("DELETE", path), Route::forward) << path;
  }
  EXPECT_EQ(route_of("POST", "/v1/something/new"), Route::forward);
  EXPECT_EQ(route_of("POST", "/v1/something/new", true), Route::none);
  EXPECT_EQ(route_of("POST", "/api/show", true), Route::none);
  EXPECT_EQ(route_of("CONNECT", "/v1/models"), Route::none);
}

}  // namespace
}  // namespace ctxpack::serve::test
