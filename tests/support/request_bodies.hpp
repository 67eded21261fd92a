#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/json/json.hpp"
#include "ctxmgr/engine/build_request.hpp"

namespace ctxmgr::testing {

inline Json parsed(const std::string& text) {
  auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return json.value_or(Json());
}

inline BuildRequest with_budget(std::int64_t tokens) {
  BuildRequest request;
  request.budget.max_input_tokens = tokens;
  return request;
}

/// No word twice, in lines of ten.
inline std::string numbered_words(std::size_t count, const std::string& word) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += word + std::to_string(i) + (i % 10 == 9 ? ".\n" : " ");
  return text;
}

}  // namespace ctxmgr::testing
