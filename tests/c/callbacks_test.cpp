#include "c/callbacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr::c {
namespace {

using ::testing::HasSubstr;

std::string said;

ctxmgr_code complete(void* user, const char* request, size_t size, int64_t timeout_ms, ctxmgr_reply* reply) {
  said.assign(request, size);
  said += " " + std::to_string(timeout_ms);
  const auto& answer = *static_cast<const std::string*>(user);
  ctxmgr_reply_set(reply, answer.data(), answer.size());
  return answer == "down" ? CTXMGR_UNAVAILABLE : CTXMGR_OK;
}

Result<LlmResponse> answered(std::string answer) {
  ctxmgr_callbacks callbacks{};
  callbacks.complete = complete;
  callbacks.user = &answer;
  LlmRequest request;
  request.model = "small";
  request.messages.push_back({Role::user, "hello"});
  request.max_output_tokens = 7;
  request.response_schema_json = R"({"type":"object"})";
  return make_client(callbacks)->complete(request, {});
}

TEST(CCallbacksTest, AModelIsAskedInOpenAisFormAndItsReplyIsRead) {
  const auto reply =
      answered(R"({"model":"m","choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],)"
               R"("usage":{"prompt_tokens":5,"completion_tokens":2}})");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(text_of(reply->message), "hi");
  EXPECT_EQ(reply->finish_reason, FinishReason::stop);
  EXPECT_EQ(reply->usage.prompt_tokens, 5);
  EXPECT_EQ(reply->usage.completion_tokens, 2);
  EXPECT_EQ(reply->model, "m");
  for (const char* part : {R"("model":"small")", R"("max_completion_tokens":7)", R"("json_schema")", "hello", " -1"})
    EXPECT_THAT(said, HasSubstr(part));
}

TEST(CCallbacksTest, AReplyThatIsNoneIsBadDataAndAFailureKeepsItsCode) {
  for (const char* bad : {"", "[]", "{}", R"({"choices":[]})", R"({"choices":[{}]})", R"({"choices":[{"message":3}]})"})
    EXPECT_EQ(answered(bad).error().code, ErrorCode::bad_data) << bad;
  const auto down = answered("down");
  EXPECT_EQ(down.error().code, ErrorCode::unavailable);
  EXPECT_THAT(down.error().message, HasSubstr("down"));
}

TEST(CCallbacksTest, AHostsCounterCounts) {
  ctxmgr_callbacks callbacks{};
  callbacks.count = [](void*, const char*, size_t size) { return static_cast<int64_t>(size); };
  callbacks.tokenizer = "bytes";
  callbacks.count_is_exact = 1;
  const auto counter = make_counter(callbacks);
  EXPECT_EQ(counter->count("four"), 4);
  EXPECT_EQ(counter->info().tokenizer, "bytes");
  EXPECT_TRUE(counter->info().exact);
}

TEST(CCallbacksTest, CodesAreTheErrorsAndBack) {
  for (ctxmgr_code code = CTXMGR_CANCELLED; code <= CTXMGR_INTERNAL; ++code)
    EXPECT_EQ(code_of(error_code_of(code)), code);
  EXPECT_EQ(error_code_of(99), ErrorCode::internal);
}

/// A store of this library behind the functions of the C interface.
struct Host {
  std::unique_ptr<KeyValueStore> store = make_memory_key_value_store();

  static KeyValueStore& of(void* user) { return *static_cast<Host*>(user)->store; }
  static ctxmgr_code read(void* user, const char* ns, size_t ns_size, const char* const* keys, const size_t* sizes,
                          size_t count, ctxmgr_values* values) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.emplace_back(keys[i], sizes[i]);
    const auto found = of(user).read({ns, ns_size}, names, {});
    if (!found) return code_of(found.error().code);
    for (size_t i = 0; i < count; ++i) {
      const auto& value = (*found)[i];
      if (value) ctxmgr_values_set(values, i, value->value.data(), value->value.size(), value->version);
    }
    return CTXMGR_OK;
  }
  static ctxmgr_code write(void* user, const char* ns, size_t ns_size, const ctxmgr_change* changes, size_t count,
                           uint64_t* version) {
    std::vector<KeyValueWrite> writes;
    for (size_t i = 0; i < count; ++i) {
      const auto& change = changes[i];
      auto& write = writes.emplace_back();
      write.key.assign(change.key, change.key_size);
      if (change.value != nullptr) write.value.emplace(change.value, change.value_size);
      if (change.ttl_ms >= 0) write.ttl = std::chrono::milliseconds(change.ttl_ms);
      if (change.expects_version != 0) write.expected_version = change.expected_version;
    }
    const auto written = of(user).write({ns, ns_size}, writes, {});
    if (!written) return code_of(written.error().code);
    *version = *written;
    return CTXMGR_OK;
  }
  static ctxmgr_code list(void* user, const char* ns, size_t ns_size, const char* prefix, size_t prefix_size,
                          const char* after, size_t after_size, size_t limit, ctxmgr_keys* keys) {
    const auto found = of(user).list({ns, ns_size}, {prefix, prefix_size}, {after, after_size}, limit, {});
    if (!found) return code_of(found.error().code);
    for (const auto& key : *found) ctxmgr_keys_add(keys, key.key.data(), key.key.size(), key.value_bytes);
    return CTXMGR_OK;
  }
  static ctxmgr_code erase(void* user, const char* ns, size_t ns_size) {
    const auto erased = of(user).erase_namespace({ns, ns_size}, {});
    return erased ? CTXMGR_OK : code_of(erased.error().code);
  }

  ctxmgr_store plain() { return {sizeof(ctxmgr_store), this, read, write, list, erase}; }
};

/// Owns the host behind it.
class OwningStore final : public KeyValueStore {
 public:
  Result<std::vector<std::optional<StoredValue>>> read(std::string_view ns, const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    return store_->read(ns, keys, call);
  }
  Result<std::uint64_t> write(std::string_view ns, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    return store_->write(ns, changes, call);
  }
  Result<std::vector<KeyInfo>> list(std::string_view ns, std::string_view prefix, std::string_view after,
                                    std::size_t limit, const CallOptions& call) override {
    return store_->list(ns, prefix, after, limit, call);
  }
  Result<void> erase_namespace(std::string_view ns, const CallOptions& call) override {
    return store_->erase_namespace(ns, call);
  }

 private:
  Host host_;
  std::shared_ptr<KeyValueStore> store_ = make_store(host_.plain()).value();
};

TEST(CCallbacksThreadsTest, AHostsStoreKeepsThePortsPromises) {
  EXPECT_EQ(ctxmgr::testing::check_key_value_store([] { return std::make_unique<OwningStore>(); }),
            std::vector<std::string>{});
}

TEST(CCallbacksTest, AStoreWithoutAllItsFunctionsIsRefused) {
  Host host;
  auto store = host.plain();
  store.list = nullptr;
  EXPECT_EQ(make_store(store).error().code, ErrorCode::invalid_argument);
  store = host.plain();
  store.struct_size = 8;
  EXPECT_EQ(make_store(store).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ctxmgr::c
