#include <gtest/gtest.h>

#include "ctxmgr/prompts/prompt_composer.hpp"

namespace ctxmgr {
namespace {

class SessionValuesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ContextStoreOptions options;
    options.session_id = "s1";
    options.store = make_memory_key_value_store();
    auto opened = ContextStore::open(options);
    ASSERT_TRUE(opened);
    store = *opened;
  }

  void set(const std::string& key, const std::string& value, Trust trust) {
    ContextSetOptions options;
    options.trust = trust;
    ASSERT_TRUE(store->set(key, value, options));
  }

  std::shared_ptr<ContextStore> store;
};

TEST_F(SessionValuesTest, CarriesValuesWithTheirLabels) {
  set("role", "a writer", Trust::trusted);
  set("note", "from the web", Trust::untrusted);
  const auto values = session_values(*store).value();
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].key, "note");
  EXPECT_EQ(values[0].trust, Trust::untrusted);
  EXPECT_EQ(values[0].injection, Injection::by_policy);
  EXPECT_EQ(values[1].value, "a writer");
  EXPECT_EQ(values[1].trust, Trust::trusted);
}

TEST_F(SessionValuesTest, GoesThroughAllPagesAndLeavesKeptArtifactsOut) {
  for (int i = 0; i < 250; ++i) set("key" + std::to_string(i), "v", Trust::trusted);
  Artifact artifact;
  artifact.artifact_id = "a";
  artifact.content = "kept";
  ASSERT_TRUE(store->keep(artifact, {}));
  EXPECT_EQ(session_values(*store).value().size(), 250U);
  EXPECT_EQ(session_values(*store, {}, 249).error().code, ErrorCode::limit_exceeded);
}

TEST_F(SessionValuesTest, ComposesAPromptFromASession) {
  set("role", "a writer", Trust::trusted);
  set("source_1", std::string(9000, 'x'), Trust::untrusted);
  const auto composer = PromptComposer::make("You are {{ role }}. Source: {{ source_1 }}");
  ASSERT_TRUE(composer);
  const auto prompt = composer->compose(session_values(*store).value()).value();
  EXPECT_EQ(prompt.system.rfind("You are a writer. Source: [9000 bytes: get_context(\"source_1\")]", 0), 0U);
  EXPECT_EQ(prompt.fetched_keys, std::vector<std::string>{"source_1"});
}

}  // namespace
}  // namespace ctxmgr
