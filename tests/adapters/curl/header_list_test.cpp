#include "adapters/curl/header_list.hpp"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ctxmgr::http {
namespace {

TEST(HeaderListTest, WritesHeadersAsLibcurlWantsThem) {
  HeaderList list;
  EXPECT_TRUE(list.add("x-a", "1"));
  EXPECT_TRUE(list.add("x-empty", ""));
  EXPECT_TRUE(list.add_absent("Expect"));
  std::vector<std::string> lines;
  for (const curl_slist* line = list.get(); line != nullptr; line = line->next) lines.emplace_back(line->data);
  EXPECT_EQ(lines, (std::vector<std::string>{"x-a: 1", "x-empty;", "Expect:"}));
}

}  // namespace
}  // namespace ctxmgr::http
