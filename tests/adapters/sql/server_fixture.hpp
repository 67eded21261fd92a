#pragma once
#include <gtest/gtest.h>
#include <soci/soci.h>

#include <memory>

#include "adapters/sql/url.hpp"
#include "ctxmgr/adapters/sql_conversation_store.hpp"
#include "support/environment.hpp"

namespace ctxmgr::testing {

/// Each test runs on both servers, with tables of its own making; no two at the same time.
class SqlServerTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto url = environment(GetParam());
    if (!url) GTEST_SKIP() << "skipped: " << GetParam() << " is not set";
    options_.url = *url;
    drop_tables();
  }

  void drop_tables() {
    auto session = raw();
    for (const auto* table :
         {"workflow_texts", "workflow_steps", "conversation_messages", "workflows", "ctxmgr_schema"}) {
      *session << "DROP TABLE IF EXISTS " << table;
    }
  }

  std::unique_ptr<soci::session> raw() const {
    const auto connection = sql::parse_url(options_.url, options_.connect_timeout);
    auto session = std::make_unique<soci::session>(is_mysql() ? "mysql" : "postgresql", connection->parameters);
    if (!is_mysql()) *session << "SET client_min_messages = error";
    return session;
  }

  std::unique_ptr<ConversationStore> open() const {
    auto store = make_sql_conversation_store(options_);
    EXPECT_TRUE(store) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }

  sql::Backend backend() const { return is_mysql() ? sql::Backend::mysql : sql::Backend::postgresql; }
  bool is_mysql() const { return options_.url.rfind("mysql", 0) == 0; }

  SqlOptions options_;
};

}  // namespace ctxmgr::testing
