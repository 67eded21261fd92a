// HTTP/2 over TLS, against node's implementation of it; and the same through a proxy that tunnels.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <future>
#include <sstream>
#include <thread>

#include "adapters/curl/client_fixture.hpp"
#include "support/certificate.hpp"

namespace ctxmgr::test {
namespace {

using std::chrono::milliseconds;

/// tests/support/http2_server.mjs, which ends with its standard input.
class NodeServer {
 public:
  explicit NodeServer(const std::string& directory) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (pipe(in.data()) != 0 || pipe(out.data()) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
      execlp("node", "node", CTXMGR_TEST_HTTP2_SERVER, directory.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    input_ = in[1];
    std::string line(64, '\0');
    const auto size = read(out[0], line.data(), line.size());
    close(out[0]);
    std::istringstream(size > 0 ? line : "") >> service_port >> proxy_port;
  }
  NodeServer(const NodeServer&) = delete;
  NodeServer& operator=(const NodeServer&) = delete;
  ~NodeServer() {
    close(input_);
    waitpid(process_, nullptr, 0);
  }

  int service_port = 0;  ///< 0: it could not be started.
  int proxy_port = 0;

 private:
  pid_t process_ = -1;
  int input_ = -1;
};

class Http2Test : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_openssl()) GTEST_SKIP() << "openssl is not installed";
    if (std::system("node --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "node is not installed";
    directory_ = std::filesystem::temp_directory_path() / ("ctxmgr-http2-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
    ASSERT_TRUE(make_certificate(directory_));
    server_ = std::make_unique<NodeServer>(directory_);
    ASSERT_NE(server_->service_port, 0);
  }

  void TearDown() override {
    server_ = nullptr;
    std::filesystem::remove_all(directory_);
  }

  [[nodiscard]] CurlLlmClientOptions options() const {
    auto options = options_for("https://127.0.0.1:" + std::to_string(server_->service_port));
    options.ca_file = directory_ / "cert.pem";
    return options;
  }

  [[nodiscard]] std::string proxy(const std::string& password) const {
    return "http://guest:" + password + "@127.0.0.1:" + std::to_string(server_->proxy_port);
  }

  static LlmRequest ask_model(const std::string& model, const std::string& text = "x") {
    auto request = ask(text);
    request.model = model;
    return request;
  }

  /// What the server says of itself; null for an error.
  static Json answer(const Result<LlmResponse>& response) {
    EXPECT_TRUE(response) << response.error().message;
    return response ? *parse_json(text_of(response->message)) : Json();
  }

  static Json ask_server(CurlLlmClient& client, const std::string& model, const std::string& text = "x") {
    return answer(client.complete(ask_model(model, text), {}));
  }

 private:
  std::filesystem::path directory_;
  std::unique_ptr<NodeServer> server_;
};

using Http2ThreadsTest = Http2Test;

TEST_F(Http2ThreadsTest, ManyCallsAtOnceShareOneConnection) {
  const auto client = open_client(options());
  const auto results = client->complete_all(std::vector<LlmRequest>(64, ask_model("gather")), {});
  ASSERT_EQ(results.size(), 64U);
  for (const auto& result : results) EXPECT_EQ(answer(result), Json({{"session", 1}, {"sessions", 1}}));
}

TEST_F(Http2Test, CallsOneAfterTheOtherShareItToo) {
  const auto client = open_client(options());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ask_server(*client, "which")["sessions"], 1);
}

TEST_F(Http2Test, WhatTheServerDidNotTakeIsSentAgain) {
  for (const char* model : {"refuse_once", "go_away_once", "drop_once", "reset_once"}) {
    const auto client = open_client(options());
    (void)ask_server(*client, "which");
    EXPECT_GE(ask_server(*client, model)["session"].integer(), 1) << model;
    EXPECT_EQ(ask_server(*client, "count", model), 2) << model;
  }
}

TEST_F(Http2Test, AConnectionThatTakesNoMoreIsReplaced) {
  const auto client = open_client(options());
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(ask_server(*client, "last_words")["session"], i);
}

TEST_F(Http2Test, AStreamThatIsAlwaysResetIsUnavailableAfterThreeAttempts) {
  const auto client = open_client(options());
  EXPECT_EQ(client->complete(ask_model("reset"), {}).error().code, ErrorCode::unavailable);
  EXPECT_EQ(ask_server(*client, "count", "reset"), 3);
}

TEST_F(Http2Test, OnceTextWasDeliveredAResetStreamIsNotRetried) {
  const auto client = open_client(options());
  std::string text;
  const auto result = client->stream(ask_model("half_a_stream"), [&](std::string_view piece) { text += piece; }, {});
  EXPECT_EQ(text, "Hel");
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(ask_server(*client, "count", "half_a_stream"), 1);
}

TEST_F(Http2ThreadsTest, CancellingOneCallLeavesTheOthersOfItsConnectionAlone) {
  const auto client = open_client(options());
  EXPECT_EQ(ask_server(*client, "which")["session"], 1);
  std::atomic<bool> cancel{false};
  CallOptions call;
  call.cancellation = CancellationToken([&] { return cancel.load(); });
  auto hanging = std::async(std::launch::async, [&] { return client->complete(ask_model("hang"), call); });
  while (ask_server(*client, "count", "hang") != 1) {
  }
  cancel = true;
  EXPECT_EQ(hanging.get().error().code, ErrorCode::cancelled);
  EXPECT_EQ(ask_server(*client, "which"), Json({{"session", 1}, {"sessions", 1}}));
}

TEST_F(Http2Test, AProxyThatTunnelsDoesNotSeeTheKey) {
  auto through_proxy = options();
  through_proxy.proxy = proxy("pass-canary-1");
  const auto client = open_client(through_proxy);
  EXPECT_EQ(ask_server(*client, "which")["sessions"], 1);
  EXPECT_EQ(ask_server(*client, "tunnels"), Json({{"connects", 1}, {"authorizations", 0}}));
}

TEST_F(Http2Test, AProxyThatRefusesIsDeniedAndNotAskedAgain) {
  auto through_proxy = options();
  through_proxy.proxy = proxy("pass-canary-2");
  const auto refused = open_client(through_proxy)->complete(ask_model("which"), {});
  EXPECT_EQ(refused.error().code, ErrorCode::denied);
  EXPECT_EQ(refused.error().message, "the proxy does not let the client through to the service");
  EXPECT_EQ(ask_server(*open_client(options()), "tunnels")["connects"], 1);
}

}  // namespace
}  // namespace ctxmgr::test
