#include <gmock/gmock.h>

#include "session/isolation.hpp"

namespace ctxmgr {
namespace {

TEST(ContextStoreFaultsTest, NothingThatIsSearchedForIsAQueryLanguage) {
  const auto session = ContextStore::open(testing::session_options(make_memory_key_value_store(), "s")).value();
  ASSERT_TRUE(session->set("report", "The heliotrope supplier changed its terms."));
  ASSERT_TRUE(session->set("other", "Weather and sport."));
  for (const char* words :
       {"NEAR(heliotrope, 5)", "\"heliotrope", "heliotrope*", "report:heliotrope", "^heliotrope", "-heliotrope",
        "NOT heliotrope", "heliotrope OR", "heliotrope\" OR \"1\"=\"1", "{heliotrope}", "(heliotrope", "heliotrope)",
        "heliotrope%", "heliotrope';--", "+heliotrope +nothing"}) {
    const auto hits = session->search(words, 3);
    ASSERT_TRUE(hits) << words;
    ASSERT_EQ(hits->size(), 1U) << words;
    EXPECT_EQ(hits->front().key, "report") << words;
  }
  for (const char* marks : {"*", "\"", "NEAR(", "^", "%", "_", ":", "--", "\\", "(((((((((", "\"\"\"\""}) {
    const auto hits = session->search(marks, 3);
    ASSERT_TRUE(hits) << marks;
    EXPECT_TRUE(hits->empty()) << marks;
  }
}

}  // namespace
}  // namespace ctxmgr
