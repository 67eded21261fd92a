// What can go wrong on the wire, each fault as the server makes it and the error that comes of it.
#include "adapters/curl/easy_handle.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdlib>

#include "adapters/curl/client_fixture.hpp"
#include "support/no_descriptors.hpp"

namespace ctxmgr::test {
namespace {

using std::chrono::milliseconds;
using namespace std::string_literals;

/// One attempt at a server that does this.
Result<LlmResponse> ask_once(const FaultServer& server, const std::function<void(CurlLlmClientOptions&)>& set = {}) {
  auto options = options_for(server.url());
  options.max_attempts = 1;
  if (set) set(options);
  return open_client(options)->complete(ask("x"), {});
}

ErrorCode code_of(const FaultServer::Handler& handler, const std::function<void(CurlLlmClientOptions&)>& set = {}) {
  FaultServer server(handler);
  const auto result = ask_once(server, set);
  EXPECT_FALSE(result);
  return result ? ErrorCode::internal : result.error().code;
}

FaultServer::Handler sends(const std::string& bytes) {
  return [bytes](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send(bytes);
    connection.close();
  };
}

TEST(EasyHandleTest, ARefusedConnectionIsUnavailable) {
  auto options = options_for("http://127.0.0.1:" + std::to_string(unused_port()));
  options.max_attempts = 1;
  EXPECT_EQ(open_client(options)->complete(ask("x"), {}).error().code, ErrorCode::unavailable);
}

TEST(EasyHandleTest, AHostThatDropsConnectionsEndsAtTheConnectTimeout) {
  const SilentPort server(SilentPort::Backlog::full);
  auto options = options_for(server.url());
  options.max_attempts = 1;
  options.connect_timeout = milliseconds(50);
  const auto result = open_client(options)->complete(ask("x"), within(milliseconds(20'000)));
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(result.error().message, "no connection to the service within connect_timeout");
}

TEST(EasyHandleTest, WithoutFreeDescriptorsACallIsUnavailableAndTheNextIsFine) {
  FaultServer server(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("x")); });
  auto options = options_for(server.url());
  options.max_attempts = 1;
  const auto client = open_client(options);
  {
    const testing::NoDescriptors no_descriptors;
    EXPECT_EQ(client->complete(ask("x"), {}).error().code, ErrorCode::unavailable);
  }
  EXPECT_TRUE(client->complete(ask("x"), {}));
}

/// The client's end of a connection to this port; -1: there is none.
int find_connection_to(int port) {
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof(peer);
    const bool is_connected = getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
    if (is_connected && peer.sin_family == AF_INET && ntohs(peer.sin_port) == port) return fd;
  }
  return -1;
}

TEST(EasyHandleTest, APeerThatIsGoneIsNoticed) {
  FaultServer server(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("x")); });
  const auto client = open_client(options_for(server.url()));
  EXPECT_TRUE(client->complete(ask("x"), {}));
  const auto option = [fd = find_connection_to(server.port())](int level, int name) {
    int value = -1;
    socklen_t size = sizeof(value);
    getsockopt(fd, level, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 30);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 30'000);
}

TEST(EasyHandleTest, ConnectionsThatEndEarlyAreUnavailable) {
  EXPECT_EQ(code_of(sends("")), ErrorCode::unavailable);
  EXPECT_EQ(code_of([](ServerConnection& connection, const ReceivedRequest&, int) { connection.reset(); }),
            ErrorCode::unavailable);
  EXPECT_EQ(code_of(sends("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n" + chat_reply("x"))), ErrorCode::unavailable);
  EXPECT_EQ(code_of(sends("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n")),
            ErrorCode::unavailable);
}

TEST(EasyHandleTest, RepliesThatAreNotWhatTheySayAreBadData) {
  EXPECT_EQ(code_of(sends("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n" + chat_reply("x"))), ErrorCode::bad_data);
  EXPECT_EQ(code_of(sends("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + chat_reply("x").substr(0, 50))),
            ErrorCode::bad_data);
  EXPECT_EQ(code_of(sends("hello there, this is no HTTP at all\r\n\r\n")), ErrorCode::bad_data);
  EXPECT_EQ(code_of(sends("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd")),
            ErrorCode::bad_data);
}

TEST(EasyHandleTest, RepliesThatParsersChokeOnAreBadData) {
  const auto nested = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  for (const auto& body : {nested, R"({"usage":{"prompt_tokens":1e999}})"s, R"({"a":1,"a":2})"s, "{}{}"s, ""s}) {
    EXPECT_EQ(code_of([&](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, body); }),
              ErrorCode::bad_data)
        << body.substr(0, 50);
  }
}

TEST(EasyHandleTest, StrangeStatusesAreTyped) {
  EXPECT_EQ(code_of(sends("HTTP/1.1 99999 What\r\ncontent-length: 0\r\n\r\n")), ErrorCode::bad_data);
  EXPECT_EQ(code_of(sends("HTTP/1.1 204 No Content\r\n\r\n")), ErrorCode::bad_data);
}

TEST(EasyHandleTest, AWebPageIsBadDataAndNotQuoted) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, "<html>Welcome to the airport</html>", {"content-type: text/html"});
  });
  const auto result = ask_once(server);
  EXPECT_EQ(result.error().code, ErrorCode::bad_data);
  EXPECT_EQ(result.error().message, "the reply is not JSON but of type text/html");
}

TEST(EasyHandleTest, SilenceEndsAtTheFirstByteTimeout) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.wait_for_end(); });
  auto options = options_for(server.url());
  options.max_attempts = 1;
  options.first_byte_timeout = milliseconds(50);
  const auto client = open_client(options);
  auto request = ask("x");
  EXPECT_EQ(client->stream(request, {}, {}).error().code, ErrorCode::unavailable);
  request.max_output_tokens = 1;
  EXPECT_EQ(client->complete(request, {}).error().code, ErrorCode::unavailable);
}

TEST(EasyHandleTest, APauseInAReplyEndsAtTheIdleTimeout) {
  EXPECT_EQ(code_of(
                [](ServerConnection& connection, const ReceivedRequest&, int) {
                  connection.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{");
                  connection.wait_for_end();
                },
                [](auto& options) { options.idle_timeout = milliseconds(50); }),
            ErrorCode::unavailable);
}

TEST(EasyHandleTest, ADripEndsAtTheTotalTimeout) {
  EXPECT_EQ(code_of(
                [](ServerConnection& connection, const ReceivedRequest&, int) {
                  connection.send("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
                  while (connection.is_open()) {
                    connection.send(" ");
                    std::this_thread::sleep_for(milliseconds(5));
                  }
                },
                [](auto& options) { options.total_timeout = milliseconds(100); }),
            ErrorCode::deadline_exceeded);
}

TEST(EasyHandleTest, AReplyWithoutEndStopsAtTheSizeBound) {
  const auto endless = [](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
    const std::string piece(65536, ' ');
    while (connection.is_open()) connection.send(piece);
  };
  EXPECT_EQ(code_of(endless, [](auto& options) { options.max_response_bytes = 1 << 20; }), ErrorCode::limit_exceeded);
}

TEST(EasyHandleTest, HeadersWithoutEndStopAtTheirBound) {
  const auto code = code_of([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\n");
    const std::string line = "x-flood: " + std::string(1000, 'x') + "\r\n";
    while (connection.is_open()) connection.send(line);
  });
  EXPECT_EQ(code, ErrorCode::limit_exceeded);
}

long peak_memory_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(EasyHandleTest, ASmallCompressedReplyCannotBecomeALargeOne) {
  // 1000 gzip members of 1 MiB of zeros each are 1 MB on the wire and 1 GiB in memory.
  FILE* const gzip = popen("head -c 1048576 /dev/zero | gzip -9n", "r");
  ASSERT_NE(gzip, nullptr);
  std::string member(65536, '\0');
  member.resize(fread(member.data(), 1, member.size(), gzip));
  pclose(gzip);
  ASSERT_GT(member.size(), 500U);
  FaultServer server([&](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n");
    for (int i = 0; i < 1000 && connection.is_open(); ++i) connection.send(member);
    connection.close();
  });
  const auto before_kib = peak_memory_kib();
  const auto result = ask_once(server, [](auto& options) { options.max_response_bytes = 512 << 10; });
  EXPECT_EQ(result.error().code, ErrorCode::limit_exceeded);
  EXPECT_LT(peak_memory_kib() - before_kib, 64 << 10);
}

TEST(EasyHandleTest, RedirectsAreNotFollowedAndTheKeyStays) {
  FaultServer elsewhere(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("stolen")); });
  for (const auto& target : {elsewhere.url(), "file:///etc/passwd"s, "http://127.0.0.1:1/"s}) {
    FaultServer server([&](ServerConnection& connection, const ReceivedRequest&, int) {
      connection.reply(302, "", {"location: " + target});
    });
    EXPECT_EQ(ask_once(server).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(server.attempts(), 1);
  }
  EXPECT_EQ(elsewhere.connections(), 0);
}

TEST(EasyHandleTest, TheEnvironmentsProxyIsIgnored) {
  FaultServer proxy([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, chat_reply("through the proxy"));
  });
  FaultServer server(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("direct")); });
  setenv("http_proxy", proxy.url().c_str(), 1);
  setenv("ALL_PROXY", proxy.url().c_str(), 1);
  const auto result = ask_once(server);
  unsetenv("http_proxy");
  unsetenv("ALL_PROXY");
  EXPECT_EQ(text_of(result->message), "direct");
  EXPECT_EQ(proxy.connections(), 0);
}

TEST(EasyHandleTest, AProxyThatIsAskedForIsUsed) {
  FaultServer proxy([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, chat_reply("through the proxy"));
  });
  auto options = options_for("http://service.example/v1");
  options.allow_plain_http = true;
  options.proxy = proxy.url();
  setenv("no_proxy", "*", 1);
  const auto result = open_client(options)->complete(ask("x"), {});
  unsetenv("no_proxy");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(text_of(result->message), "through the proxy");
  EXPECT_EQ(proxy.requests()[0].path, "http://service.example/v1/chat/completions");
}

TEST(EasyHandleTest, PrivateAddressesAreVetoedWhereOnlyPublicOnesAreAllowed) {
  FaultServer server(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("inside")); });
  const auto result = ask_once(server, [](auto& options) { options.public_addresses_only = true; });
  EXPECT_EQ(result.error().code, ErrorCode::denied);
  EXPECT_EQ(server.connections(), 0);
}

TEST(EasyHandleTest, ABigBodyIsSentWithoutWaitingForLeave) {
  FaultServer server(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("got it")); });
  auto options = options_for(server.url());
  const auto result = open_client(options)->complete(ask(std::string(3 << 20, 'x')), {});
  EXPECT_TRUE(result);
  EXPECT_EQ(server.requests()[0].headers.count("expect"), 0U);
}

}  // namespace
}  // namespace ctxmgr::test
