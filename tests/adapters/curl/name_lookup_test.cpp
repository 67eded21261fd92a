// Name servers that are slow, know nothing, or point inside.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "adapters/curl/client_fixture.hpp"
#include "support/fake_resolver.hpp"

namespace ctxmgr::test {
namespace {

using std::chrono::milliseconds;

CurlLlmClientOptions options_for_name(const std::string& name, int port) {
  auto options = options_for("http://" + name + ":" + std::to_string(port));
  options.allow_plain_http = true;
  return options;
}

/// Asks a client whose name server does not answer, and destroys it, all before the name server comes to its senses.
Result<LlmResponse> ask_while_lookup_hangs(const CallOptions& call,
                                           milliseconds connect_timeout = milliseconds(5'000)) {
  std::promise<void> over;
  const FakeResolver resolver([until = over.get_future().share()](const std::string&) {
    until.wait();
    return std::string();
  });
  auto options = options_for_name("slow.test", 1);
  options.connect_timeout = connect_timeout;
  options.max_attempts = 1;
  auto result = open_client(options)->complete(ask("x"), call);
  over.set_value();
  return result;
}

TEST(NameLookupThreadsTest, ASlowLookupEndsAtTheDeadline) {
  EXPECT_EQ(ask_while_lookup_hangs(within(milliseconds(60))).error().code, ErrorCode::deadline_exceeded);
}

TEST(NameLookupThreadsTest, ASlowLookupCanBeCancelled) {
  EXPECT_EQ(ask_while_lookup_hangs(cancelled_after(milliseconds(30))).error().code, ErrorCode::cancelled);
}

TEST(NameLookupThreadsTest, ASlowLookupCountsTowardsTheConnectTimeout) {
  EXPECT_EQ(ask_while_lookup_hangs({}, milliseconds(60)).error().code, ErrorCode::unavailable);
}

TEST(NameLookupTest, AFailedLookupIsRepeatedOnce) {
  std::atomic<int> lookups{0};
  const FakeResolver resolver([&](const std::string&) {
    ++lookups;
    return std::string();
  });
  const auto result = open_client(options_for_name("unknown.test", 1))->complete(ask("x"), {});
  EXPECT_EQ(result.error().message, "the service's host name has no address");
  EXPECT_EQ(lookups, 2);
}

TEST(NameLookupTest, ANameThatPointsInsideIsVetoed) {
  FaultServer server(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("inside")); });
  std::string address;
  const FakeResolver resolver([&](const std::string&) { return address; });
  auto options = options_for_name("tenant.test", server.port());
  address = "127.0.0.1";
  EXPECT_EQ(text_of(open_client(options)->complete(ask("x"), {})->message), "inside");
  options.public_addresses_only = true;
  for (const char* inside : {"127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1", "fd00::1"}) {
    address = inside;
    const auto result = open_client(options)->complete(ask("x"), within(milliseconds(5'000)));
    EXPECT_EQ(result.error().code, ErrorCode::denied) << inside;
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(NameLookupTest, ANameThatComesToPointInsideIsVetoedToo) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.wait_for_end(); });
  std::atomic<int> lookups{0};
  // The first lookup is of a name that does not exist yet; what comes next is what an attacker would make of it.
  const FakeResolver resolver([&](const std::string&) { return std::string(++lookups == 1 ? "" : "127.0.0.1"); });
  auto options = options_for_name("rebound.test", server.port());
  options.public_addresses_only = true;
  EXPECT_EQ(open_client(options)->complete(ask("x"), {}).error().code, ErrorCode::denied);
  EXPECT_EQ(lookups, 2);
  EXPECT_EQ(server.connections(), 0);
}

}  // namespace
}  // namespace ctxmgr::test
